/** Checks of a draft: names that have no effect in it, and what publishing refuses. Pure. */

import { type Clause, clause, clauses, withPeriod } from "../../fields/clauses.ts";
import { isRecord, parseFields, withLists } from "../../fields/definition.ts";
import { type DefinitionIssue, lint, lintNames, pathStep } from "../../fields/lint.ts";
import { nearest } from "../../fields/nearest.ts";
import { pageControls } from "../../fields/page-size.ts";
import { definitionNames, unknownIn } from "../../fields/unknown-names.ts";
import { isBlankText, shortName } from "../../fields/values.ts";
import { limits } from "../../limits.ts";
import { type Said, say, sentenceIn } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { type ExampleDifference, runExamples } from "./examples.ts";
import {
  ineffectiveLanguages,
  type LanguageProblem,
  languageProblems,
  missingTexts,
} from "./language-checks.ts";
import { exampleMembers, settingGroups, settingPlaces, switchNamed } from "./settings.ts";
import { type DraftNote, type FormDiffRequest, type FormRow, operationMembers } from "./shapes.ts";

export type Note = typeof DraftNote.infer;
type Draft = Pick<FormRow, "schema" | "settings"> & Partial<Pick<FormRow, "name" | "description">>;

const maxNotes = limits.form.maxNotes;

/** A problem of a draft, as publishing names it. */
export interface DraftProblem {
  note: Note;
  /** The sentence in the message of a refused publishing. */
  text: string;
  /** The problem of a field, of an unknown setting, or another one by its key. */
  issue?: DefinitionIssue | undefined;
  setting?: UnknownSetting;
  said?: Said;
}

/** Reasons in a message. */
const maxReasons = 50;

const refusalText = "The form cannot be published: ";

/** Publishing is refused: the message has the reasons. A first one that is no field's has its own words. */
export class NotPublishable extends Problem {
  /** The reasons, each as a line for a terminal. */
  readonly lines: readonly string[];
  readonly problems: readonly Note[];

  constructor(problems: readonly DraftProblem[]) {
    const lines = problems.map(({ text }) => text.replace(refusalText, ""));
    const more = lines.length > maxReasons ? ` And ${lines.length - maxReasons} more.` : "";
    const { said, text = "" } = problems[0] ?? {};
    super(
      "validation_failed",
      said ? { said, message: text } : `${refusalText}${lines.slice(0, maxReasons).join(" ")}${more}`,
    );
    this.lines = lines;
    this.problems = problems.map(({ note }) => note);
  }
}

/** A name in the settings, or beside the fields, that has no effect. */
export interface UnknownSetting {
  name: string;
  /** Path of the object that has it, such as `settings.captcha`. */
  inside: string;
  wrong: Clause;
  near: string | undefined;
  /** True: publishing accepts it, as another program's. */
  isAccepted: boolean;
}

const valueAt = (record: unknown, path: readonly string[]): unknown =>
  path.reduce((found, name) => (isRecord(found) ? found[name] : undefined), record);

/**
 * Lists the names in the settings that have no effect: in a group that formd knows, and groups. A group may
 * be another program's, unless it is near a known one.
 */
export function unknownSettings(settings: Record<string, unknown>): UnknownSetting[] {
  const { examples } = settings;
  return [
    ...namesIn(settings, "settings", settingGroups),
    ...settingPlaces.flatMap(({ path, known }) =>
      namesIn(valueAt(settings, path), ["settings", ...path].join("."), known),
    ),
    ...(Array.isArray(examples) ? examples : []).flatMap((example, index) => [
      ...namesIn(example, `settings.examples[${index}]`, exampleMembers.example),
      ...namesIn(example?.expect, `settings.examples[${index}].expect`, exampleMembers.expect),
    ]),
  ];
}

/** @param inside path of the record */
function namesIn(record: unknown, inside: string, known: readonly string[]): UnknownSetting[] {
  if (!isRecord(record)) return [];
  return unknownIn(record, known).map((name) => {
    const near = nearest(name, known);
    const isAccepted = inside === "schema" || (inside === "settings" && near === undefined);
    return {
      name: shortName(name),
      inside,
      wrong: clause("unknown_member", { near, known }),
      near,
      isAccepted,
    };
  });
}

/** Returns the operations that remove the unknown settings that publishing refuses, except in examples. */
export const removalsOfUnknown = (settings: Record<string, unknown>): Operations =>
  [{ path: [], known: settingGroups }, ...settingPlaces].flatMap(({ path, known }) => {
    const group = valueAt(settings, path);
    const names = isRecord(group) ? unknownIn(group, known) : [];
    const refused = names.filter((name) => path.length > 0 || nearest(name, known) !== undefined);
    if (refused.length === 0) return [];
    const removed: Record<string, unknown> = Object.fromEntries(refused.map((name) => [name, null]));
    return [{ op: "setMeta", settings: path.reduceRight((inner, step) => ({ [step]: inner }), removed) }];
  });

const noteOfName = (
  { name, inside, near }: Pick<UnknownSetting, "name" | "inside" | "near">,
  end: string,
): Note => ({
  path: inside + pathStep(name),
  message: withPeriod(`"${name}" of ${inside} ${end}`),
  ...(near !== undefined && { nearest: near }),
});

function ofSetting(setting: UnknownSetting): DraftProblem {
  const note = noteOfName(setting, sentenceIn(clauses, setting.wrong));
  return { note, setting, text: `${note.path}: ${note.message}` };
}

function ofIssue(issue: DefinitionIssue): DraftProblem {
  const { path, field, constraint, message, nearest: meant } = issue;
  const note = {
    path,
    ...(field !== undefined && { field }),
    message,
    ...(meant !== undefined && { nearest: meant }),
  };
  return { note, issue, text: `${[field ?? "form", constraint].join(".")}: ${message}` };
}

/** Lists the names in a draft that are stored and have no effect, in a bounded number. */
export function ineffectiveNames({ schema, settings }: Draft): DraftProblem[] {
  return [
    ...namesIn(schema, "schema", ["fields"]).map(ofSetting),
    ...lintNames(schema, maxNotes).map(ofIssue),
    ...unknownSettings(settings).map(ofSetting),
    ...ineffectiveLanguages({ schema, settings }).map(ofLanguage),
  ].slice(0, maxNotes);
}

export const warningsOf = (draft: Draft): Note[] => ineffectiveNames(draft).map(({ note }) => note);

/** Lists the languages in which texts are missing, for a person who publishes. */
export const missingTranslations = (draft: Draft): DraftProblem[] => missingTexts(draft).map(ofLanguage);

/** {@link warningsOf}, and {@link missingTranslations}. */
export const publishingWarnings = (draft: Draft): Note[] => [
  ...warningsOf(draft),
  ...missingTranslations(draft).map(({ note }) => note),
];

type Operations = (typeof FormDiffRequest.infer)["operations"];

/**
 * Lists the members of the operations of a patch that have no effect, in a bounded number.
 * @param draft the result of the patch
 */
export const operationWarnings = (operations: Operations, draft: Draft): Note[] =>
  operations
    .flatMap((operation, index) => {
      const inside = `operations[${index}]`;
      const known = operationMembers[operation.op];
      const unknown = unknownIn(operation, known).map((name) => {
        const near = nearest(name, known);
        const taken = known.filter((each) => each !== "op").join(", ");
        const meant = near === undefined ? `it takes ${taken}` : `is "${near}" meant?`;
        const end = `has no effect in ${operation.op}: ${meant}`;
        return noteOfName({ name: shortName(name), inside, near }, end);
      });
      return [
        ...unknown,
        ...missedRemovals(operation, inside, draft),
        ...leftMessages(operation, inside, draft),
      ];
    })
    .slice(0, maxNotes);

/** A note if an operation changes rules, and leaves the translations of their messages. */
function leftMessages(operation: Operations[number], inside: string, { schema }: Draft): Note[] {
  if (operation.op !== "updateField" || !("rules" in operation.set) || "translations" in operation.set)
    return [];
  const field = schema.fields.find(({ id }) => id === operation.fieldId);
  const translations = isRecord(field?.translations) ? field.translations : {};
  const language = Object.keys(translations).find(
    (tag) => valueAt(translations, [tag, "messages"]) !== undefined,
  );
  if (language === undefined) return [];
  const path = `translations${pathStep(shortName(language))}.messages`;
  const message = `The texts of ${path} belong to the rules by position, and stay as they are: send "translations" too, unless each message has its old place.`;
  return [{ path: `${inside}.set.rules`, field: operation.fieldId, message }];
}

/** Lists the unknown names that an operation removes while the member that is meant stays. */
function missedRemovals(operation: Operations[number], inside: string, { schema, settings }: Draft): Note[] {
  if (operation.op === "updateField") {
    const field = schema.fields.find(({ id }) => id === operation.fieldId);
    return missedIn(operation.set, field, `${inside}.set`, (name) => nearest(name, definitionNames));
  }
  if (operation.op !== "setMeta") return [];
  return [{ path: [], known: settingGroups }, ...settingPlaces].flatMap(({ path, known }) =>
    missedIn(
      valueAt(operation.settings, path),
      valueAt(settings, path),
      [inside, "settings", ...path].join("."),
      (name) => switchNamed(path[0], name) ?? nearest(name, known),
    ),
  );
}

function missedIn(
  sent: unknown,
  stored: unknown,
  inside: string,
  meantBy: (name: string) => string | undefined,
): Note[] {
  if (!isRecord(sent) || !isRecord(stored)) return [];
  const removed = Object.keys(sent).filter((name) => sent[name] === null && !name.startsWith("x-"));
  return removed.slice(0, maxNotes).flatMap((name) => {
    const near = meantBy(name);
    if (near === undefined || near in sent || !Object.hasOwn(stored, near)) return [];
    const end = `removes nothing that has an effect: is "${near}" meant?`;
    return [noteOfName({ name: shortName(name), inside, near }, end)];
  });
}

/** Error for a form with a question for files, on a server that stores none; undefined: no question. */
export function fileRefusal(schema: FormRow["schema"]): ReturnType<typeof say> | undefined {
  const field = parseFields(schema).find(({ kind }) => kind === "file");
  return field && say("form_takes_files", { field: field.id, label: field.label });
}

/**
 * Lists what publishing refuses before it runs the examples. Empty: the draft may be published if they pass.
 * @param takesFiles true: the server stores files (`storesFiles` of its settings)
 * @param hasKey true: the server has a master key (`hasMasterKey` of its settings)
 */
export function checkDraft(draft: Draft, takesFiles: boolean, hasKey = true): DraftProblem[] {
  const { schema, settings } = draft;
  const refusal = takesFiles ? undefined : fileRefusal(schema);
  return [
    ...lint(schema).map(ofIssue),
    ...checkSettings({ settings, schema }, hasKey),
    ...(refusal ? [ofForm("schema.fields", refusal)] : []),
    ...largeLists(schema),
  ];
}

/** A problem if the schema is too large once the lists that its fields name are written out. */
function largeLists(schema: FormRow["schema"]): DraftProblem[] {
  const { maxSchemaBytes } = limits.form;
  const written = withLists(schema);
  if (written === schema || bytesAsJsonb(written) <= maxSchemaBytes) return [];
  return [ofForm("schema.fields", say("lists_too_large", { maxKiB: maxSchemaBytes / 1_024 }))];
}

/** Lists why PostgreSQL would not store a draft (form_create, form_check_size). */
export function storingProblems({ name, schema, settings }: Draft & Pick<FormRow, "name">) {
  const { maxFields: max, maxSchemaBytes, maxSettingsBytes } = limits.form;
  const isLarger = (value: unknown, maxBytes: number) => bytesAsJsonb(value) > maxBytes;
  const kib = (bytes: number) => ({ maxKiB: bytes / 1_024 });
  const checks: [path: string, isRefused: boolean, refusal: ReturnType<typeof say>][] = [
    ["name", isBlankText(name), say("form_unnamed", {})],
    ["schema.fields", schema.fields.length > max, say("too_many_fields", { max })],
    ["schema", isLarger(schema, maxSchemaBytes), say("schema_too_large", kib(maxSchemaBytes))],
    ["settings", isLarger(settings, maxSettingsBytes), say("settings_too_large", kib(maxSettingsBytes))],
  ];
  return checks.flatMap(([path, isRefused, refusal]) =>
    isRefused ? [{ note: { path, message: refusal.message }, refusal }] : [],
  );
}

/** Bytes of a value as PostgreSQL writes it: with a space after each comma and colon. */
export function bytesAsJsonb(value: unknown): number {
  let spaces = 0;
  const text = JSON.stringify(value, (_, each) => {
    if (Array.isArray(each)) spaces += Math.max(0, each.length - 1);
    else if (isRecord(each)) spaces += Math.max(0, 2 * Object.keys(each).length - 1);
    return each;
  });
  return new TextEncoder().encode(text).length + spaces;
}

/** Lists what is wrong with the settings of a form with these fields. @param hasKey as of checkDraft */
export const checkSettings = ({ settings, schema }: Draft, hasKey = true): DraftProblem[] => [
  ...unknownSettings(settings)
    .filter(({ isAccepted }) => !isAccepted)
    .map(ofSetting),
  ...misfits({ settings, schema }),
  ...languageProblems(settings).map(ofLanguage),
  ...(hasKey ? [] : linksWithoutKey(settings)),
];

/** A problem for links of respondents, which the master key seals or makes. */
const linksWithoutKey = ({ page }: Draft["settings"]): DraftProblem[] => [
  ...(page?.resume?.enabled ? [ofForm("settings.page.resume.enabled", say("links_need_key"))] : []),
  ...(page?.change?.until ? [ofForm("settings.page.change.until", say("links_need_key"))] : []),
];

const ofForm = (
  path: string,
  { message, said }: Pick<ReturnType<typeof say>, "message" | "said">,
  near?: string,
): DraftProblem => ({
  note: { path, message, ...(near !== undefined && { nearest: near }) },
  said,
  text: message,
});

const ofLanguage = ({ path, refusal, near }: LanguageProblem): DraftProblem => ofForm(path, refusal, near);

/** Lists the settings that do not fit the fields. */
function misfits({ settings: { copy, languages, notify, page }, schema }: Draft): DraftProblem[] {
  const problems = largePage(page, schema);
  const fields = parseFields(schema);
  if (languages && fields.some(({ id, definition }) => id === "lang" && definition.prefill === true))
    problems.push(ofForm("schema.fields", say("prefill_takes_language")));
  const addresses = fields.filter(({ kind }) => kind === "email");
  const field = copy?.field;
  if (field !== undefined && !addresses.some(({ id }) => id === field))
    problems.push(ofForm("settings.copy.field", say("copy_question_missing", { field })));
  const replyTo = notify?.replyTo;
  const isFit = addresses.some(({ id, definition }) => id === replyTo && definition.sensitive !== true);
  if (replyTo !== undefined && !isFit)
    problems.push(ofForm("settings.notify.replyTo", say("reply_question_missing", { field: replyTo })));
  return problems;
}

/** A problem if the page is too large: one page must not block the others. */
function largePage(page: FormRow["settings"]["page"], schema: FormRow["schema"]): DraftProblem[] {
  const sizes = parseFields(schema).map((field) => ({ ...field, count: pageControls(field) }));
  const total = sizes.reduce((sum, { count }) => sum + count, 0);
  const max = limits.formPage.maxControls;
  if (!page?.enabled || total <= max) return [];
  const [largest] = sizes.toSorted((a, b) => b.count - a.count);
  const { id: field = "", label = "" } = largest ?? {};
  return [ofForm("schema.fields", say("page_too_large", { total, max, field, label }))];
}

export const differenceText = ({ name, message }: Omit<ExampleDifference, "said" | "index">): string =>
  `In the example ${JSON.stringify(name)}, ${message}`;

/** Lists what publishing refuses, also by the examples, which run once the rest is right. Bounded. */
export function problemsOf(draft: Draft, takesFiles: boolean, hasKey = true): Note[] {
  const problems = checkDraft(draft, takesFiles, hasKey);
  return (problems.length > 0 ? problems : exampleProblems(draft)).slice(0, maxNotes).map(({ note }) => note);
}

/** Runs the examples of a draft, and lists the differences. */
export const exampleProblems = (draft: Draft): DraftProblem[] =>
  runExamples(draft).differences.map((difference) => {
    const text = differenceText(difference);
    return { note: { path: `settings.examples[${difference.index}]`, message: text }, text };
  });
