/** `formd form create | lint | templates`: a draft of a file or a template, and the checks of a file. */
import { Option } from "commander";
import { cliActor } from "../platform/auth/actor.ts";
import { storesFiles } from "../platform/config.ts";
import type { Sql } from "../platform/database/db.ts";
import { decodeBody } from "../platform/http/body.ts";
import { problemsOf, storingProblems, warningsOf } from "../resources/forms/draft-checks.ts";
import { type FileContent, parseFormFile } from "../resources/forms/file.ts";
import { createForm } from "../resources/forms/forms.ts";
import { requirePublishable } from "../resources/forms/publish.ts";
import { pageLanguages } from "../resources/forms/settings.ts";
import { draftOf, templatesIn } from "../resources/forms/templates.ts";
import { listWorkspaces } from "../resources/teams/teams.ts";
import { report, withDatabase } from "./database.ts";
import { fileMessage, jsonBytes, type PublishWithRemarks, readBounded, readFormFile } from "./form-file.ts";
import {
  type CliCommand,
  jsonOption,
  type Printed,
  printResult,
  requireUuid,
  type Settings,
} from "./options.ts";
import { positionsIn, type TextPosition } from "./yaml.ts";

type Language = (typeof pageLanguages)[number];
type Place = { team?: string; workspace?: string };
type CreateOptions = Place & { template?: string; language: Language; publish?: boolean };

/** Adds the commands. */
export function addCreateCommands(group: CliCommand, settings: Settings, publish: PublishWithRemarks): void {
  withPlace(
    group
      .command("create")
      .description("make a draft of a file, or of a template")
      .argument("[file]", "as form export writes it: JSON, or YAML if it is named so")
      .option("--template <name>", "this template instead: form templates lists them")
      .addOption(languageOption),
  )
    .option("--publish", "publish it, as form publish does")
    .prints(async (file: string | undefined, options: CreateOptions) => {
      const draft = await draftFor(file, options);
      const config = settings();
      // A draft that cannot be published is not created.
      if (options.publish) requirePublishable(draft, storesFiles(config));
      return await withDatabase(config, (sql) =>
        createDraft(sql, draft, options, options.publish ? publish : undefined),
      );
    });
  group
    .command("templates")
    .description("the templates of form create")
    .addOption(languageOption)
    .prints(({ language }: CreateOptions) => {
      const templates = templatesIn(language, true).map(([name, { description }]) => ({ name, description }));
      return [
        { templates },
        ...templates.map(({ name, description }) => `${name.padEnd(20)}  ${description}`),
      ];
    });
  group
    .command("lint")
    .description("check a file as publishing does, without a server; exits with 1 if there is a problem")
    .argument("<file>", "as form export writes it: JSON, or YAML if it is named so")
    .addOption(jsonOption)
    .action(async (file: string, { json }: { json?: boolean }) => {
      const problems = await problemsIn(file);
      const lines = problems.map(({ path, message, position }) => {
        const place = position ? `${file}:${position.line}:${position.column}` : file;
        return [place, ...(path ? [path] : []), message].join(": ").replace(/\s+/g, " ");
      });
      printResult(json, { problems }, ...(lines.length > 0 ? lines : [`${file}: no problems`]));
      if (problems.length > 0) throw new Error(`${file} has problems: ${problems.length}.`);
    });
}

const languageOption = new Option("--language <language>", "of the template")
  .choices([...pageLanguages])
  .default("en");

/** Adds the options for the place of a new form. */
export const withPlace = (command: CliCommand): CliCommand =>
  command
    .option("--team <id>", "the team, if there is more than one", requireUuid)
    .option("--workspace <id>", "the workspace; without it the team's oldest", requireUuid);

/** The draft of a file or a template. @throws {Error} with one line */
async function draftFor(
  file: string | undefined,
  { template, language }: CreateOptions,
): Promise<FileContent> {
  if ((file === undefined) === (template === undefined))
    throw new Error("A form is created of a file or of --template, one of them.");
  if (file !== undefined) return await readFormFile(file);
  const templates = templatesIn(language, true);
  const [, found] = templates.find(([name]) => name === template) ?? [];
  if (!found) throw new Error(`The templates are ${templates.map(([name]) => name).join(", ")}.`);
  return draftOf(found);
}

/** Creates a draft, and publishes it if asked to. @returns the result of a command */
export async function createDraft(
  sql: Sql,
  draft: FileContent,
  { team, workspace }: Place,
  publish?: PublishWithRemarks,
): Promise<Printed> {
  const workspaces = (await listWorkspaces(sql, team ?? null)).filter(
    ({ id }) => workspace === undefined || id === workspace,
  );
  const [first] = workspaces;
  if (!first) throw new Error("There is no such workspace: formd workspace list shows them.");
  const { teamId, id: workspaceId } = first;
  if (workspaces.some((other) => other.teamId !== teamId))
    throw new Error("There is more than one team: choose one with --team.");
  const id = await createForm(sql, cliActor, { ...draft, teamId, workspaceId });
  const { status, currentVersion } = (await publish?.(sql, teamId, id)) ?? {
    status: "draft",
    currentVersion: 0,
  };
  return [{ form: { id, status, currentVersion } }, `${id} is ${status}, version ${currentVersion}`];
}

/** A problem of a file. The path is empty for a file that cannot be read. */
interface FileProblem {
  path: string;
  message: string;
  position?: TextPosition | undefined;
}

/** Position at the end of a message about a text. */
const messagePosition = /(?:at|in) line (\d+)(?:, column (\d+))?\.$/;

/** Lists the problems of a file, those of an installation excepted. */
async function problemsIn(file: string): Promise<FileProblem[]> {
  try {
    const bytes = await readBounded(file);
    const content = parseFormFile(await jsonBytes(file, bytes));
    const problems = [...storingProblems(content), ...problemsOf(content, true)];
    const refused = new Set(problems.map(({ path }) => path));
    for (const { path, message } of warningsOf(content))
      if (!refused.has(path)) report(`${path}: ${message}`);
    if (problems.length === 0) return [];
    const positionOf = await positionsIn(decodeBody(bytes));
    return problems.map((problem) => ({ ...problem, position: positionOf(problem.path) }));
  } catch (error) {
    const message = fileMessage(error);
    const [, line, column = 1] = messagePosition.exec(message) ?? [];
    return [{ path: "", message, ...(line && { position: { line: Number(line), column: Number(column) } }) }];
  }
}
