/** `formd person export | erase`: the stored data of one person. `formd erase` is an alias of the latter. */
import { Buffer } from "node:buffer";
import process from "node:process";
import { v4 as uuidv4 } from "uuid";
import { cliActor } from "../platform/auth/actor.ts";
import type { Config } from "../platform/config.ts";
import type { Sql } from "../platform/database/db.ts";
import { requireAttached } from "../platform/database/partitions.ts";
import { openFiles } from "../platform/files/files.ts";
import { erasuresFile, exportErasures } from "../resources/persons/erasures.ts";
import { exportPerson } from "../resources/persons/export.ts";
import {
  countPerson,
  erasePerson,
  eraseRespondent,
  type FormOfPerson,
  formsOfRespondent,
  type Person,
  type PersonCounts,
  readRespondent,
  sumOfCounts,
} from "../resources/persons/persons.ts";
import { openMasterKey, report, teamOf, withDatabase } from "./database.ts";
import { type CliCommand, jsonOption, printResult, requireUuid, type Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

type Choice = { respondent?: string; form?: string; field?: string; value?: string };
type EraseOptions = Choice & { confirm?: boolean; json?: boolean };

export function personCommand(root: CliCommand, settings: Settings): void {
  const group = root.command("person").description("export or erase what is stored of one person");
  withChoice(group.command("export"))
    .showsProgress()
    .description("print what is stored of one person as JSON lines, files with their bytes in base64")
    .action(async (choice: Choice, command: CliCommand) => {
      requireChoice(choice, command);
      const config = settings();
      await withDatabase(config, async (sql, database) => {
        const masterKey = await openMasterKey(config, database);
        if (!masterKey.isPresent) report("Receipts are left out: FORMD_SECRET_KEY is not set.");
        const of = { sql, config, masterKey, files: await openFiles(config, database.directory) };
        const { person, forms } = await personOf(sql, choice);
        let done = 0;
        // On a terminal that shows the export a line of progress would be between its lines.
        using _shown = process.stdout.isTTY ? undefined : showProgress("export", "bytes", () => ({ done }));
        const write = (text: string) => {
          done += Buffer.byteLength(text);
          return writeOut(text);
        };
        for (const named of choice.respondent ? await readRespondent(sql, choice.respondent) : [])
          await write(`${JSON.stringify({ kind: "respondent", ...named })}\n`);
        for (const form of forms)
          for await (const part of exportPerson(of, cliActor, form, person)) await write(part);
        await requireAttached(sql);
      });
    });
  for (const parent of [group, root])
    withChoice(parent.command("erase"))
      .description("erase what is stored of one person; without --confirm only count it")
      .option("--confirm", "delete every submission of this person; what is held stays")
      .addOption(jsonOption)
      .action((options: EraseOptions, command: CliCommand) => {
        requireChoice(options, command);
        return erase(settings(), options);
      });
}

const withChoice = (command: CliCommand): CliCommand =>
  command
    .option("--respondent <id>", "the person, as metadata.respondentId or a grant names it", requireUuid)
    .option("--form <id>", "with --field and --value: the form in which to search", requireUuid)
    .option("--field <id>", "the field that identifies the person, such as the e-mail address")
    .option("--value <text>", "its value, now or before an edit; upper and lower case are equal");

/** Ends the command unless the options name a person in one of the two ways. */
function requireChoice({ respondent, form, field, value }: Choice, command: CliCommand): void {
  const isRespondent = respondent !== undefined && (form ?? field ?? value) === undefined;
  const isValue = respondent === undefined && form !== undefined && Boolean(field && value?.trim());
  if (!isRespondent && !isValue)
    command.error("error: name the person by --respondent, or by --form, --field and --value", {
      exitCode: 2,
    });
}

/**
 * Returns the person that the options name, and the forms.
 * @throws {Problem} `not_found`, for the form; `conflict`, for a person: a month of submissions is detached
 */
async function personOf(sql: Sql, choice: Choice): Promise<{ person: Person; forms: FormOfPerson[] }> {
  const { respondent, form = "", field = "", value = "" } = choice;
  if (respondent !== undefined)
    return { person: { respondent }, forms: await formsOfRespondent(sql, respondent) };
  return { person: { field, value }, forms: [{ teamId: await teamOf(sql, "form", form), formId: form }] };
}

async function erase(config: Config, { confirm = false, json, ...choice }: EraseOptions): Promise<void> {
  // One request id in the audit for all deletions of this command.
  const actor = { ...cliActor, requestId: uuidv4() };
  await withDatabase(config, async (sql, database) => {
    const of = { sql, masterKey: await openMasterKey(config, database) };
    const counts = new Map<string, FormOfPerson & PersonCounts>();
    // Again while submissions arrive for the person: the last one was waited for, and is not deleted yet.
    let [isGone, deleted] = [false, 1];
    while (!isGone && deleted > 0) {
      deleted = 0;
      const { person, forms } = await personOf(sql, choice);
      for (const form of forms) {
        const { submissions, files, held, invitations } = await (confirm ? erasePerson : countPerson)(
          of,
          actor,
          form,
          person,
        );
        const before = counts.get(form.formId) ?? { submissions: 0, files: 0, invitations: 0 };
        const sums = {
          submissions: before.submissions + submissions,
          files: before.files + files,
          held,
          invitations: before.invitations + invitations,
        };
        counts.set(form.formId, { ...form, ...sums });
        deleted += submissions;
      }
      isGone =
        !confirm || choice.respondent === undefined || (await eraseRespondent(sql, actor, choice.respondent));
    }
    await requireAttached(sql);
    const found = [...counts.values()].filter(
      ({ submissions, held, invitations }) => submissions + held + invitations > 0,
    );
    const total = sumOfCounts(found);
    const { submissions, files, held, invitations } = total;
    printResult(
      json,
      {
        ...(choice.respondent !== undefined && { respondentId: choice.respondent }),
        erased: confirm && (submissions + invitations > 0 || held === 0),
        ...total,
        forms: found,
      },
      ...found.map((each) => `form ${each.formId}: ${each.submissions} submissions, ${each.files} files`),
      ...(held > 0 ? [`${held} submissions are held, and stay (held)`] : []),
      ...(isGone
        ? []
        : ["issuer and subject of the person stay: a submission or a grant still names the person"]),
      confirm
        ? `${submissions} submissions erased, with ${files} files; ${invitations} invitations erased`
        : `${submissions} submissions found, with ${files} files; ${invitations} invitations found; --confirm erases them`,
    );
    // Appends at once, not within minutes. Done after the counts, which are valid even if this fails.
    const list = erasuresFile(config, database.directory);
    if (confirm && list !== undefined) await exportErasures(sql, list);
  });
}

/** Waits for a slow reader: the export may be larger than memory. */
const writeOut = (text: string): Promise<void> =>
  new Promise((resolve, reject) =>
    process.stdout.write(text, (error) => (error ? reject(error) : resolve())),
  );
