/** `formd form create | lint | templates`: a draft of a file or a template, and the checks of a file. */
import { readFile } from "node:fs/promises";
import { Option } from "commander";
import { cliActor } from "../platform/auth/actor.ts";
import { hasMasterKey, storesFiles } from "../platform/config.ts";
import type { Sql } from "../platform/database/db.ts";
import {
  type Note,
  problemsOf,
  publishingWarnings,
  storingProblems,
} from "../resources/forms/draft-checks.ts";
import type { FileContent } from "../resources/forms/file.ts";
import { createForm } from "../resources/forms/forms.ts";
import { requirePublishable } from "../resources/forms/publish.ts";
import { pageLanguages } from "../resources/forms/settings.ts";
import { draftOf, templateNamed, templateNames, templatesIn } from "../resources/forms/templates.ts";
import { listWorkspaces } from "../resources/teams/teams.ts";
import { report, withDatabase } from "./database.ts";
import { fileNote, oneLine, type PublishWithRemarks, readFormFile } from "./form-file.ts";
import { type CliCommand, jsonOption, printResult, requireUuid, type Settings } from "./options.ts";
import { positionsIn, type TextPosition } from "./yaml.ts";

export type FormPlace = { team?: string; workspace?: string };
type TemplateOptions = {
  template?: (typeof templateNames)[number];
  language: (typeof pageLanguages)[number];
};
type CreateOptions = FormPlace & TemplateOptions & { publish?: boolean };

/** Adds the commands. */
export function addCreateCommands(group: CliCommand, settings: Settings, publish: PublishWithRemarks): void {
  const create = group
    .command("create")
    .description("make a draft of a file, or of a template")
    .argument("[file]", fileNote)
    .addOption(new Option("--template <name>", "this template instead").choices(templateNames))
    .addOption(languageOption)
    .option("--publish", "publish it, as form publish does")
    .prints(async (file: string | undefined, { publish: isPublished, ...options }: CreateOptions) => {
      const draft = await draftFor(file, options);
      // A draft that cannot be published is not created.
      if (isPublished) requirePublishable(draft, storesFiles(settings()), hasMasterKey(settings()));
      return await withDatabase(settings(), async (sql) => {
        const key = await createDraft(sql, draft, options);
        const { form, remarks } = isPublished
          ? await publish(sql, key.teamId, key.id)
          : { form: { ...key, ...newDraft } };
        const { id, status, currentVersion } = form;
        const line = `${id} is ${status}, version ${currentVersion}`;
        return [{ form: { id, status, currentVersion }, ...remarks }, line];
      });
    });
  addPlace(create);
  group
    .command("templates")
    .description("the templates of form create")
    .addOption(languageOption)
    .prints(({ language }: TemplateOptions) => {
      const templates = templatesIn(language, true).map(([name, { description }]) => ({ name, description }));
      return [
        { templates },
        ...templates.map(({ name, description }) => `${name.padEnd(20)}  ${description}`),
      ];
    });
  group
    .command("lint")
    .description("check a file as publishing does, without a server; exits with 1 if there is a problem")
    .argument("<file>", fileNote)
    .addOption(jsonOption)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const problems = await problemsIn(file);
      const lines = problems.map(({ path, message, position }) => {
        const place = position ? `${file}:${position.line}:${position.column}` : file;
        return oneLine(`${place}: ${path && `${path}: `}${message}`);
      });
      printResult(json, { problems }, ...(lines.length > 0 ? lines : [`${file}: no problems`]));
      if (problems.length > 0) throw new Error(`${file} has problems: ${problems.length}.`);
    });
}

const languageOption = new Option("--language <language>", "of the template")
  .choices([...pageLanguages])
  .default("en");

/** State of a form that was created. */
export const newDraft = { status: "draft", currentVersion: 0 } as const;

/** Adds the options for the place of a new form. */
export const addPlace = (command: CliCommand): CliCommand =>
  command
    .option("--team <id>", "the team, if there is more than one", requireUuid)
    .option("--workspace <id>", "the workspace; without it the team's oldest", requireUuid);

/** The draft of a file or a template. @throws {Error} with one line */
async function draftFor(
  file: string | undefined,
  { template, language }: TemplateOptions,
): Promise<FileContent> {
  if (file !== undefined && template === undefined) return await readFormFile(file);
  if (file === undefined && template !== undefined) return draftOf(templateNamed(template, language));
  throw new Error("A form is created of a file or of --template, one of them.");
}

/** Creates a draft in a workspace, or in the oldest one of a team. @throws {Error} with one line */
export async function createDraft(sql: Sql, draft: FileContent, { team, workspace }: FormPlace) {
  const found = (await listWorkspaces(sql, team ?? null)).filter(({ id }) => id === (workspace ?? id));
  const [first] = found;
  if (!first) throw new Error("There is no such workspace: formd workspace list shows them.");
  const { teamId, id: workspaceId } = first;
  if (found.some((other) => other.teamId !== teamId))
    throw new Error("There is more than one team: choose one with --team.");
  return { teamId, id: await createForm(sql, cliActor, { ...draft, teamId, workspaceId }) };
}

/** A problem of a file. The path is empty if the file cannot be read. */
type FileProblem = Note & { position?: TextPosition };

/** Position at the end of a message about a text. */
const messagePosition = /(?:at|in) line (\d+)(?:, column (\d+))?\.$/;

/** Lists the problems of a file, except those of an installation. */
async function problemsIn(file: string): Promise<FileProblem[]> {
  const content = await readFormFile(file).catch((error: Error) => error.message.slice(file.length + 2));
  if (typeof content === "string") {
    const [, line, column = 1] = messagePosition.exec(content) ?? [];
    const position = line && { position: { line: Number(line), column: Number(column) } };
    return [{ path: "", message: content, ...position }];
  }
  const problems = [...storingProblems(content).map(({ note }) => note), ...problemsOf(content, true)];
  const warnings = publishingWarnings(content).filter(({ path }) =>
    problems.every((each) => each.path !== path),
  );
  for (const { path, message } of warnings) report(`${path}: ${message}`);
  const positionOf = await positionsIn(problems.length > 0 ? await readFile(file, "utf8") : "");
  return problems.map((problem) => ({ ...problem, position: positionOf(problem.path) }));
}
