/** A form as a file: the same draft has the same bytes, in an order in which `git diff` reads well. Pure. */
import { isBlankText, isRecord, shortName } from "../../fields/values.ts";
import { say } from "../../messages.ts";
import { attachment } from "../../platform/http/attachment.ts";
import { assertBody, decodeBody, parseJsonText, pathText, unstorableText } from "../../platform/http/body.ts";
import { memberNames } from "../../platform/http/known-members.ts";
import { Problem } from "../../problem.ts";
import { settingPlaces, switchNamed, twiceNamedSwitch, withNamedSwitches } from "./settings.ts";
import { settingDefaults } from "./settings-changes.ts";
import { FormFile, type FormRow, FormWithPublished, fileFormat } from "./shapes.ts";

export const fileType = "application/vnd.formd.form+json";

/** The part of a draft that a file has. */
export type FileContent = Pick<FormRow, "name" | "description" | "schema" | "settings">;

type Json = Readonly<Record<string, unknown>>;

/** Settings of an installation: an address that is unique there, and people who get mail. */
export const installationSettings: readonly string[] = ["page.alias", "notify.recipients"];

/** Members of a field in the order in which people read them. Others follow, by name. */
const memberOrder = [
  ...["id", "type", "label", "description", "placeholder", "required", "default", "options", "validation"],
  ...["showIf", "requireIf", "compute", "rules", "translations", "fields"],
];
const rankOf = new Map(memberOrder.map((name, rank) => [name, rank]));

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : 1);

/** The members of a Map in its own order, those of an object sorted by name. */
export const membersOf = (record: object): [string, unknown][] =>
  record instanceof Map ? [...record] : Object.entries(record).toSorted(([a], [b]) => byCodeUnit(a, b));

/**
 * JSON, by default with two spaces per level, and with members in the order of {@link membersOf}. Without
 * line breaks and indent it serves to compare, at the cost of the value's size alone.
 */
export function canonicalText(value: unknown, newLine = "\n", indent = "  "): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = newLine + indent;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => canonicalText(item, inner, indent))
    : membersOf(value).map(
        ([name, member]) => `${JSON.stringify(name)}: ${canonicalText(member, inner, indent)}`,
      );
  const [start, end] = isList ? "[]" : "{}";
  return parts.length === 0 ? `${start}${end}` : `${start}${inner}${parts.join(`,${inner}`)}${newLine}${end}`;
}

const withOrder = (field: Json): Map<string, unknown> =>
  new Map(
    Object.entries(field)
      .toSorted(([a], [b]) => {
        const [first, second] = [a, b].map((name) => rankOf.get(name) ?? memberOrder.length);
        return (first ?? 0) - (second ?? 0) || byCodeUnit(a, b);
      })
      .map(([name, member]) => [
        name,
        name === "fields" && Array.isArray(member)
          ? member.map((each) => (isRecord(each) ? withOrder(each) : each))
          : member,
      ]),
  );

/** Removes the members that are null: in a field, and in settings, null means not set. */
const withoutNulls = <T extends Json>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, member]) => member !== null)) as T;

const places: ReadonlySet<string> = new Set(settingPlaces.map(({ path }) => path.join(".")));
/** Checks for an object of settings that formd knows: without members it equals none. */
export const isSettingPlace = (path: string): boolean => places.has(path);

/** The path of a member of settings; none for a name with a dot, which no setting of formd has. */
export const settingPath = (inside: string, name: string): string =>
  name.includes(".") ? "" : inside + name;

/** Removes what is null, at its default, or of an installation. A switch that has both names stays. */
function settingsOfFile(settings: Json, inside = ""): Json {
  const named = new Set(Object.keys(settings).map((other) => switchNamed(inside.slice(0, -1), other)));
  return Object.fromEntries(
    Object.entries(withoutNulls(settings)).flatMap(([name, member]): [string, unknown][] => {
      const path = settingPath(inside, name);
      const value = isRecord(member) ? settingsOfFile(member, `${path}.`) : member;
      if (installationSettings.includes(path)) return [];
      if (isSettingPlace(path) && Object.keys(value as object).length === 0) return [];
      const isDefault =
        Object.hasOwn(settingDefaults, path) && canonicalText(settingDefaults[path]) === canonicalText(value);
      return isDefault && !named.has(name) ? [] : [[name, value]];
    }),
  );
}

/** The content of a file of this draft. Of a file: itself, without what equals its absence. */
export const contentOf = ({ name, description, schema, settings }: FileContent): FileContent => ({
  name,
  description: description || null,
  schema: { fields: schema.fields.map(withoutNulls) },
  settings: settingsOfFile(settings) as FileContent["settings"],
});

/** The members of the file of a draft, in its order. */
export function fileMembers(form: FileContent): ReadonlyMap<string, unknown> {
  const { name, description, schema, settings } = contentOf(form);
  return new Map<string, unknown>([
    ["format", fileFormat],
    ["name", name],
    ...(description === null ? [] : [["description", description] as const]),
    ["schema", { fields: schema.fields.map(withOrder) }],
    ...(Object.keys(settings).length === 0 ? [] : [["settings", settings] as const]),
  ]);
}

/** Writes the file of a draft. */
export const writeFormFile = (form: FileContent): string => `${canonicalText(fileMembers(form))}\n`;

/** Headers of a response that browsers save. The name is one that every file system takes. */
export function fileHeadersOf(
  form: string,
  [type, ending]: readonly [type: string, ending: string] = [fileType, ".form.json"],
): Record<"content-type" | "content-disposition", string> {
  const name = form
    .replace(/[\p{C}<>:"|?*/\\.]+/gu, "_")
    .toWellFormed()
    .slice(0, 80)
    .trim();
  return {
    "content-type": type,
    "content-disposition": attachment(`${name.toWellFormed() || "form"}${ending}`),
  };
}

const invalid = (message: ReturnType<typeof say>) => new Problem("invalid_body", message);

/** Checks for a workbook (`.xlsx`), which is a ZIP archive. */
export const isWorkbook = (bytes: Uint8Array): boolean =>
  [0x50, 0x4b, 3, 4].every((byte, index) => bytes[index] === byte);

/** Checks for a formd file, also for one without its format, which is refused with what is missing. */
export const isFormFile = (value: unknown): boolean =>
  isRecord(value) &&
  ((typeof value.format === "string" && value.format.startsWith("formd/")) ||
    (isRecord(value.schema) && Array.isArray(value.schema.fields)));

/**
 * Reads a file, also with a byte order mark or CRLF.
 * @throws {Problem} `invalid_body`; `bad_request` for a blank name and too many fields; `conflict` for two
 * fields with one id
 */
export function parseFormFile(bytes: Uint8Array): FileContent {
  if (isWorkbook(bytes)) throw invalid(say("file_of_no_form"));
  const text = decodeBody(bytes);
  const { value, unstorable } = parseJsonText(text);
  if (!isFormFile(value)) throw invalid(say("file_of_no_form"));
  const [lost] = unstorable;
  if (lost)
    throw invalid(
      say("file_value_not_storable", { path: pathText(lost.path), message: unstorableText(lost) }),
    );
  requireDistinctNames(text);
  requireReadable(value);
  const { name, description = null, schema, settings = {} } = assertBody(value, FormFile, "bad_request");
  if (isBlankText(name)) throw new Problem("bad_request", say("form_unnamed", {}));
  const ids = schema.fields.map(({ id }) => id);
  const id = ids.find((each, index) => ids.indexOf(each) !== index);
  if (id !== undefined) throw new Problem("conflict", say("field_ids_equal", { id }));
  return contentOf({ name, description, schema, settings: withNamedSwitches(settings) });
}

/** Members of a form that are no part of its file. */
const ownMembers = memberNames(FormWithPublished).filter((name) => !memberNames(FormFile).includes(name));

/** @throws {Problem} for another format, and a member that belongs to an installation */
function requireReadable(file: unknown): void {
  if (!isRecord(file)) return;
  const { format, settings } = file;
  if (typeof format === "string" && format !== fileFormat)
    throw invalid(say("file_format_unknown", { format: format.slice(0, 40), known: fileFormat }));
  const inSettings = installationSettings.filter((path) => {
    const [group = "", name = ""] = path.split(".");
    const members = isRecord(settings) && Object.hasOwn(settings, group) ? settings[group] : undefined;
    return isRecord(members) && Object.hasOwn(members, name);
  });
  const [found] = [
    ...ownMembers.filter((name) => Object.hasOwn(file, name)),
    ...inSettings.map((path) => `settings.${path}`),
  ];
  if (found !== undefined) throw invalid(say("file_member_not_kept", { member: found }));
  const twice = twiceNamedSwitch(settings);
  if (twice) throw invalid(say("file_switch_twice", { kept: twice[0], other: twice[1] }));
}

/** Refuses an object that has a name twice: JSON.parse takes the last. @param text is JSON */
function requireDistinctNames(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    if (character !== '"') continue;
    const start = at;
    for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    let next = at + 1;
    while (" \n\r\t".includes(text[next] ?? ":")) next++;
    if (text[next] !== ":") continue;
    const name = JSON.parse(text.slice(start, at + 1));
    const names = open.at(-1);
    if (names?.has(name)) {
      const line = text.slice(0, start).split("\n").length;
      throw invalid(say("file_member_twice", { name: shortName(name), line }));
    }
    names?.add(name);
  }
}
