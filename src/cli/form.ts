/** `formd form`: test, files, and decisions of a person: `publish | close | open | archive | restore`. */

import { validate as isUuid } from "uuid";
import { lookAlikes } from "../fields/look-alike.ts";
import { cliActor } from "../platform/auth/actor.ts";
import { type Config, hasMasterKey, storesFiles } from "../platform/config.ts";
import type { Sql } from "../platform/database/db.ts";
import { isMailOn } from "../platform/mail/smtp.ts";
import { differenceText, NotPublishable, publishingWarnings } from "../resources/forms/draft-checks.ts";
import {
  archiveForm,
  closeForm,
  openForm,
  publishForm,
  publishSettings,
  restoreForm,
  testDraft,
  testForm,
} from "../resources/forms/publish.ts";
import { isMailed } from "../resources/forms/settings.ts";
import type { FormRow } from "../resources/forms/shapes.ts";
import { personalLabels } from "../resources/retention/personal-fields.ts";
import { readDue } from "../resources/retention/retention.ts";
import { report, teamOf, withDatabase } from "./database.ts";
import { addCreateCommands } from "./form-create.ts";
import { addFileCommands, type PublishWithRemarks, readFormFile } from "./form-file.ts";
import { addImportCommand } from "./form-import.ts";
import { type CliCommand, jsonOption, printResult, requireUuid, type Settings } from "./options.ts";

/** Reports the names in a draft that have no effect. Those that are problems as well are listed there. */
function reportWarnings(draft: Parameters<typeof publishingWarnings>[0]) {
  const warnings = publishingWarnings(draft);
  for (const { path, message } of warnings) report(`${path}: ${message}`);
  return warnings.length > 0 ? { warnings } : {};
}

/** Reports what a person should know of a form that is published. */
async function reportRemarks(sql: Sql, config: Config, form: FormRow) {
  const { rule } = await readDue(sql, cliActor, { team: form.teamId, form: form.id });
  if (!isMailOn(config) && isMailed(form.settings))
    report("The form is set to send mail, and none is sent: SMTP_URL is not set.");
  const alike = lookAlikes(form.schema, (id) => `"${id}"`);
  if (alike !== "") report(`Ids of questions look alike: ${alike}. Programs and people may mix them up.`);
  const personal = personalLabels(form.schema);
  if (rule === null && personal !== "")
    report(`The form asks for personal data (${personal}), and no rule deletes its submissions.`);
  return reportWarnings(form);
}

const testStored = (config: Config, id: string) =>
  withDatabase(config, async (sql) =>
    testForm(sql, await teamOf(sql, "form", id), id, storesFiles(config), hasMasterKey(config)),
  );

type Act = (sql: Sql, actor: typeof cliActor, team: string, id: string) => Promise<FormRow>;

export function formCommand(root: CliCommand, settings: Settings): void {
  const publish: Act = (sql, actor, team, id) => {
    const config = settings();
    const [takesFiles, hasKey] = [storesFiles(config), hasMasterKey(config)];
    return publishForm(sql, actor, team, id, takesFiles, undefined, false, hasKey);
  };
  const publishOnlySettings: Act = (sql, actor, team, id) =>
    publishSettings(sql, actor, team, id, undefined, hasMasterKey(settings()));
  const group = root
    .command("form")
    .description("test, publish, close, open, archive or restore a form; forms as files");
  const command = (name: string, description: string, act: Act) =>
    group
      .command(name)
      .description(description)
      .argument("<form_id>", "the form", requireUuid)
      .prints(async (id: string, { settings: settingsOnly }: { settings?: boolean }) => {
        const [form, remarks] = await withDatabase(settings(), async (sql) => {
          const team = await teamOf(sql, "form", id);
          const done = await (settingsOnly ? publishOnlySettings : act)(sql, cliActor, team, id);
          return [done, act === publish ? await reportRemarks(sql, settings(), done) : {}] as const;
        });
        const { status, currentVersion } = form;
        const line = `${id} is ${status}, version ${currentVersion}`;
        return [{ form: { id, status, currentVersion }, ...remarks }, line];
      });
  group
    .command("test")
    .description("check a draft as publishing does, and run its examples; of a file without a server")
    .argument("<form_id|file>", "the form, or its file")
    .addOption(jsonOption)
    .action(async (form: string, { json }: { json?: boolean }) => {
      const { draft, total, differences, problems } = isUuid(form)
        ? await testStored(settings(), form.toLowerCase())
        : testDraft(await readFormFile(form), true);
      const failed = new Set(differences.map(({ name }) => name)).size;
      const counts = { passed: total - failed, failed };
      const lines = [...differences.map(differenceText), `${counts.passed} passed, ${failed} failed`];
      const remarks = {
        ...(problems.length > 0 && { problems: problems.map(({ note }) => note) }),
        ...reportWarnings(draft),
      };
      printResult(json, { ...counts, differences, ...remarks }, lines.join("\n"));
      if (problems.length > 0) throw new NotPublishable(problems);
      if (failed > 0) throw new Error(`the draft does not do what ${failed} of its ${total} examples say.`);
    });
  command("publish", "publish the draft as the next version, with its settings", publish).option(
    "--settings",
    "only put the changed settings in effect; no new version",
  );
  command("close", "accept no more submissions, at once", closeForm);
  command("open", "undo close", openForm);
  command("archive", "accept no more submissions and patches", archiveForm);
  command("restore", "undo archive", restoreForm);
  const publishWithRemarks: PublishWithRemarks = async (sql, team, id) => {
    const form = await publish(sql, cliActor, team, id);
    return { form, remarks: await reportRemarks(sql, settings(), form) };
  };
  addCreateCommands(group, settings, publishWithRemarks);
  addFileCommands(group, settings, publishWithRemarks);
  addImportCommand(group, settings);
}
