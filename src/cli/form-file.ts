/** `formd form export | plan | apply`: a form as a file, and its draft after one. */
import { readFile, stat, writeFile } from "node:fs/promises";
import process from "node:process";
import { CommanderError, Option } from "commander";
import { parseField } from "../fields/definition.ts";
import { isRecord } from "../fields/values.ts";
import { limits } from "../limits.ts";
import { cliActor } from "../platform/auth/actor.ts";
import type { Sql } from "../platform/database/db.ts";
import { decodeBody } from "../platform/http/body.ts";
import type { Note } from "../resources/forms/draft-checks.ts";
import { jsonSchemaFileOf } from "../resources/forms/export/json-schema.ts";
import { xlsformOf } from "../resources/forms/export/xlsform.ts";
import { type FileContent, fileMembers, parseFormFile, writeFormFile } from "../resources/forms/file.ts";
import { applyPlan, planDraft, readContent } from "../resources/forms/file-apply.ts";
import type { FilePlan } from "../resources/forms/file-plan.ts";
import type { FormRow } from "../resources/forms/shapes.ts";
import { report, teamOf, withDatabase } from "./database.ts";
import {
  type CliCommand,
  jsonOption,
  numberLike,
  printable,
  printResult,
  requireUuid,
  type Settings,
} from "./options.ts";
import { isYamlPath, toYaml, yamlToJson } from "./yaml.ts";

const versionNumber = numberLike(/^\d{1,9}$/, "the number of a version");

/** Help for a file. */
export const fileNote = "as form export writes it: JSON, or YAML if it is named so";

const writers = {
  json: writeFormFile,
  yaml: (content: FileContent) => toYaml(fileMembers(content)),
  jsonschema: (content: FileContent) => `${JSON.stringify(jsonSchemaFileOf(content), null, 2)}\n`,
  xlsform: async (content: FileContent) => {
    const { bytes, lost } = await xlsformOf(content);
    for (const line of lost) report(printable(oneLine(line)));
    return bytes;
  },
};
type FileFormat = keyof typeof writers;
const formats = Object.keys(writers) as FileFormat[];

/** Format of a file by its name. */
const formatOf = (path = ""): FileFormat =>
  isYamlPath(path) ? "yaml" : /\.xlsx$/i.test(path) ? "xlsform" : "json";

/** Writes a form to a file, or to the output. */
export async function writeForm(content: FileContent, out?: string, format = formatOf(out)): Promise<void> {
  const written = await writers[format](content);
  if (out === undefined) process.stdout.write(written);
  else await writeFile(out, written);
}

type ExportOptions = { version?: number; out?: string; format?: FileFormat };

/** Publishes a draft, with the remarks of `form publish`, and those that its `--json` has. */
export type PublishWithRemarks = (
  sql: Sql,
  team: string,
  id: string,
) => Promise<{ form: FormRow; remarks?: { warnings?: Note[] } }>;

/** Adds the commands. */
export function addFileCommands(group: CliCommand, settings: Settings, publish: PublishWithRemarks): void {
  group
    .command("export")
    .description("print the draft, or a version, as a file for git")
    .argument("<form_id>", "the form", requireUuid)
    .option("--version <number>", "this published version instead of the draft", versionNumber)
    .option("--out <file>", "write it to this file instead")
    .addOption(
      new Option("--format <format>", "of the output; by default that of the file's name").choices(formats),
    )
    .action(async (id: string, { version, out, format }: ExportOptions) => {
      const content = await withDatabase(settings(), async (sql) =>
        readContent(sql, { teamId: await teamOf(sql, "form", id), id }, version),
      );
      await writeForm(content, out, format);
    });
  group
    .command("plan")
    .description("print what apply would change")
    .argument("<form_id>", "the form", requireUuid)
    .argument("<file>", fileNote)
    .option("--exit-code", "exit with 2 if there are changes")
    .addOption(jsonOption)
    .action(async (id: string, file: string, options: { json?: boolean; exitCode?: boolean }) => {
      const { draft, plan } = await withDatabase(settings(), async (sql) => {
        const planned = await planIn(sql, id, file);
        const { draft, plan } = planned;
        await applyPlan(sql, cliActor, draft, plan, { dryRun: true, updatedAt: draft.updatedAt });
        return planned;
      });
      const { operations, warnings } = plan;
      printResult(options.json, { operations, warnings }, ...planLines(draft, plan));
      // The exit code of a command is that of its error.
      if (options.exitCode && operations.length > 0) throw new CommanderError(2, "formd.changes", "");
    });
  group
    .command("apply")
    .description("make the draft that of the file, as one change")
    .argument("<form_id>", "the form", requireUuid)
    .argument("<file>", fileNote)
    .option("--publish", "publish it, as form publish does")
    .option("--expected-version <number>", "only if this is the form's version", versionNumber)
    .prints(async (id: string, file: string, options: { publish?: boolean; expectedVersion?: number }) => {
      return await withDatabase(settings(), async (sql) => {
        const { draft, plan } = await planIn(sql, id, file);
        const { teamId, updatedAt } = draft;
        const applied = await applyPlan(sql, cliActor, draft, plan, { ...options, updatedAt });
        const { form, remarks } = options.publish ? await publish(sql, teamId, id) : { form: applied };
        const { status, currentVersion } = form;
        const state = options.publish ? [`${id} is ${status}, version ${currentVersion}`] : [];
        const lines = [...planLines(draft, plan), ...state];
        return [{ form: { id, status, currentVersion }, ...remarks }, ...lines];
      });
    });
}

/** Reads a file, and plans it for a form. */
async function planIn(sql: Sql, id: string, path: string) {
  const file = await readFormFile(path);
  return await planDraft(sql, { teamId: await teamOf(sql, "form", id), id }, file);
}

/** Bytes of a file: its indent can make a form several times as large as it is stored. */
const maxFileBytes = 4 * (limits.form.maxSchemaBytes + limits.form.maxSettingsBytes);

const unreadable: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "There is no such file."],
  ["EISDIR", "It is a directory, not a file."],
  ["EACCES", "The file cannot be read: permission denied."],
]);

/**
 * Reads a file as JSON, or as YAML if its name says so.
 * @throws {Error} with one line that names the file
 */
export async function readFileAs<T>(
  path: string,
  parse: (json: Uint8Array) => T | Promise<T>,
  maxBytes = maxFileBytes,
): Promise<T> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new Error(`The file may have at most ${maxBytes} bytes.`);
    const bytes = await readFile(path);
    const json = isYamlPath(path) ? new TextEncoder().encode(await yamlToJson(decodeBody(bytes))) : bytes;
    return await parse(json);
  } catch (error) {
    const { code = "", message: reason } = error as NodeJS.ErrnoException;
    // Shapes are described as those of a body.
    const message = unreadable.get(code) ?? reason.replace(/^The body/, "The file");
    throw new Error(`${path}: ${message}`, { cause: error });
  }
}

/** Reads a form as a file. @throws {Error} as {@link readFileAs} */
export const readFormFile = (path: string): Promise<FileContent> => readFileAs(path, parseFormFile);

/** Joins the lines of a text: a label with a line break would otherwise write lines of its own. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/** The operations of a plan in words, and its warnings. */
export function planLines(draft: FileContent, { operations, warnings, fields }: FilePlan): string[] {
  if (operations.length === 0) return ["no changes"];
  const named = new Map([...draft.schema.fields, ...fields].map((field) => [field.id, parseField(field)]));
  const quoted = (id: string) => `“${named.get(id)?.label || id}”`;
  const noun = (id: string) => {
    const { fieldType, type } = named.get(id) ?? {};
    return fieldType?.nature === "none" ? type : "question";
  };
  const place = (id?: string) => (id === undefined ? "at the beginning" : `after ${quoted(id)}`);
  const lines = operations.flatMap((each): string[] => {
    if (each.op === "removeField") return [`− ${noun(each.fieldId)} ${quoted(each.fieldId)}`];
    if (each.op === "addField") {
      const { id } = each.field;
      return [`+ ${noun(id)} ${quoted(id)} ${place(each.afterFieldId)}`];
    }
    if (each.op === "moveField") return [`↕ ${quoted(each.fieldId)} ${place(each.afterFieldId)}`];
    if (each.op === "updateField") return [`~ ${quoted(each.fieldId)}: ${Object.keys(each.set).join(", ")}`];
    const { op, settings, ...meta } = each;
    return [...Object.keys(meta), ...settingPaths(settings)].map((name) => `~ ${name}`);
  });
  return [...lines, ...warnings.map(({ message }) => `! ${message}`)].map(oneLine);
}

/** Paths of the members of a merge patch, such as `settings.page.title`. */
const settingPaths = (patch: unknown, inside = "settings"): string[] =>
  isRecord(patch) && Object.keys(patch).length > 0
    ? Object.entries(patch).flatMap(([name, member]) => settingPaths(member, `${inside}.${name}`))
    : [inside];
