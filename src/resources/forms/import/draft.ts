/** A draft that is made of another tool's form, with a report of what could not be kept. Pure. */
import { clauses, type Fault, withPeriod } from "../../../fields/clauses.ts";
import { type Expression, expressionLimits } from "../../../fields/conditions/expression.ts";
import { printExpression } from "../../../fields/conditions/print.ts";
import { type DefinitionIssue, lint, lintNames } from "../../../fields/lint.ts";
import { translationFaults } from "../../../fields/translations.ts";
import { isBlankText } from "../../../fields/values.ts";
import { limits } from "../../../limits.ts";
import { sentenceIn } from "../../../messages.ts";
import { bytesAsJsonb } from "../draft-checks.ts";
import type { FileContent } from "../file.ts";
import { isSet, type Node, nodeOf } from "./read.ts";
import { quote, shortenText, textWithoutMarkup } from "./text.ts";
import { collectTranslations } from "./translations.ts";

/** Conversion of a kind of question of a source. The tables of docs/owners/import.md are made of these. */
export interface QuestionKind {
  /** The type in formd. Absent: the question is left out. */
  readonly type?: string;
  /** The part that is lost, as a sentence. With a type the question is approximated. */
  readonly loss?: string;
}

export interface ReportItem {
  /** `approximated`: a question with a looser rule or another type. `note`: no question lost a thing. */
  severity: "approximated" | "left_out" | "note";
  /** The place in the source's document. */
  path: string;
  code: ReportCode;
  message: string;
}

export type ReportCode =
  | "type"
  | "rule"
  | "condition"
  | "options"
  | "default"
  | "text"
  | "translation"
  | "setting"
  | "repeat"
  | "too_many"
  | "not_accepted";

export interface ImportReport {
  source: string;
  /** Questions of the source: the sum of the next three. Texts and page breaks are none. */
  fields: number;
  converted: number;
  approximated: number;
  leftOut: number;
  items: ReportItem[];
}

/** A form in formd's terms, and what was lost on the way. */
export interface Imported {
  file: FileContent;
  report: ImportReport;
}

/** A tool whose forms can be read. */
export interface ImportSource {
  /** Its name, for people. */
  readonly title: string;
  /** Conversions of its kinds of questions, by their names there. */
  readonly kinds: Readonly<Record<string, QuestionKind>>;
  /** Losses beside the questions, as sentences for the documentation. */
  readonly losses: readonly string[];
  /** Checks if a document looks like one of its forms. Cheap: it looks at the top. */
  recognizes(document: Readonly<Record<string, unknown>>): boolean;
  /** Makes a draft. Never throws for a document that it recognizes, whatever else is in it. */
  convert(document: Readonly<Record<string, unknown>>): Imported;
}

export type ImportedField = FileContent["schema"]["fields"][number] & { type: string; label: string };

/** A question, text or page break of the draft. */
export interface DraftEntry {
  readonly path: string;
  readonly field: ImportedField;
  /** Gives it an id that a condition can name, as `has(data.id)`, unless it has one. Before it is read. */
  makeNameable(): void;
}

/** The place of something in the source's document, its key there, and its text. */
export interface Origin {
  readonly path: string;
  readonly key?: unknown;
  readonly label?: unknown;
}

type LogicMember = "showIf" | "requireIf" | "compute";

const maxMadeIdLength = 60;

/** An id from a label: `your_name`. */
const idOfLabel = (label: string): string =>
  label
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .slice(0, 4 * maxMadeIdLength)
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, maxMadeIdLength)
    .toWellFormed();

/** An id that a condition can name: `has(data["a.b"])` is no expression. */
const nameable = /^(?!(?:true|false|null|in)$)[_a-zA-Z]\w*$/;
const nameOf = (id: string): string => {
  const words = idOfLabel(id).replace(/\W+/g, "_").replace(/^_|_$/g, "");
  return nameable.test(words) || words === "" ? words : `q_${words}`;
};

/** Checks that an expression has no more nodes than are accepted, so that no larger one is printed. */
export function isPrintable(expression: Expression): boolean {
  let left: number = expressionLimits.nodes;
  const counts = ({ args }: Expression): boolean => --left >= 0 && args.every(counts);
  return counts(expression);
}

/** Bytes of lists: one may be that of many questions. */
const sizes = new WeakMap<object, number>();

function bytesOf(value: unknown): number {
  const known = Array.isArray(value) ? sizes.get(value) : undefined;
  if (known !== undefined) return known;
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (Array.isArray(value)) sizes.set(value, bytes);
  return bytes;
}

const isFitId = (key: unknown): key is string =>
  typeof key === "string" && !isBlankText(key) && key.length <= limits.form.maxFieldIdLength;

const { maxFields, maxSchemaBytes } = limits.form;

/**
 * Begins a draft. @param source its name in the report
 * @param isFalseSet the source names only what differs from its defaults, such as a member that is `false`
 */
export function beginDraft(source: string, isFalseSet = false) {
  const added: DraftEntry[] = [];
  const items: ReportItem[] = [];
  let unlisted = 0;
  let bytesLeft: number = maxSchemaBytes;
  const ids = new Set<string>();
  const byKey = new Map<unknown, DraftEntry>();
  /** Paths of the source's questions, of those that are not in the draft, and of what has lost something. */
  const questions = new Set<string>();
  const leftOut = new Set<string>();
  const approximated = new Set<string>();
  /** Texts and page breaks: questions choose their ids first. */
  const unnamed: { field: ImportedField; idOf: () => string }[] = [];
  const originals = new Map<string, string>();
  /** Entries whose condition could not be kept. */
  const unconditional = new Set<DraftEntry>();
  const asWritten = new Set<DraftEntry>();
  const { assignTexts, translate, ...texts } = collectTranslations();

  const report = (severity: ReportItem["severity"], path: string, code: ReportCode, message: string) => {
    if (severity === "approximated") approximated.add(path);
    if (items.length < maxReportItems) items.push({ severity, path, code, message });
    else unlisted++;
  };

  function newId(base: string): string {
    let id = base;
    for (let number = 2; ids.has(id); number++)
      id = `${base.slice(0, limits.form.maxFieldIdLength - 8).toWellFormed()}_${number}`;
    ids.add(id);
    return id;
  }

  const originalOf = (path: string, member: string) => `${member}\n${path}`;

  /** @returns undefined: the form is full, and an item says so */
  function add(origin: Origin, type: string, members: Record<string, unknown>): DraftEntry | undefined {
    const { path, key } = origin;

    const text = textWithoutMarkup(origin.label);
    const known = Object.entries(members).filter(([, value]) => value !== undefined && value !== "");
    const bytes = known.reduce((sum, [, value]) => sum + bytesOf(value), bytesOf(text));
    if (added.length >= maxFields || bytes > bytesLeft) {
      const most = added.length < maxFields ? `${maxSchemaBytes / 1_024} KiB` : `${maxFields} fields`;
      const message = `A form has at most ${most}.`;
      if (questions.has(path)) draft.leaveOut(origin, "too_many", message);
      else report("note", path, "too_many", message);
      return undefined;
    }
    bytesLeft -= bytes;
    const idOf = () => newId(isFitId(key) ? key : idOfLabel(text) || type);
    const isQuestion = questions.has(path);
    const id = isQuestion ? idOf() : "";
    const field = { ...Object.fromEntries(known), id, type, label: text || id };
    const makeNameable = () => {
      if (!nameable.test(field.id)) field.id = newId(nameOf(field.id) || type);
    };
    bytesLeft -= assignTexts(field);
    const entry = { path, field, makeNameable };
    added.push(entry);
    if (!isQuestion) unnamed.push({ field, idOf });
    if (isQuestion && key !== undefined && !byKey.has(key)) byKey.set(key, entry);
    return entry;
  }

  const draft = {
    ...texts,

    /** Steps that are left for the expressions of the document. */
    budget: { steps: maxSteps },

    /**
     * Adds a question of a kind of the source. @param members of the field, in formd's names; those that are
     * undefined or "" are not set. @returns undefined: it is left out, and an item says so
     */
    question(
      origin: Origin,
      kind: QuestionKind,
      members: Record<string, unknown> = {},
    ): DraftEntry | undefined {
      questions.add(origin.path);
      const { type, loss = "formd has no such question." } = kind;
      if (type === undefined) {
        draft.leaveOut(origin, "type", loss);
        return undefined;
      }
      const entry = add(origin, type, members);
      if (entry && kind.loss !== undefined) draft.lose(entry, "type", kind.loss);
      return entry;
    },

    /** Adds a text, a heading or a page break. @returns undefined: as {@link question}, or it has no words */
    part(
      origin: Origin,
      type: "statement" | "heading" | "page_break",
      members: Record<string, unknown> = {},
    ): DraftEntry | undefined {
      if (textWithoutMarkup(origin.label) !== "") return add(origin, type, members);
      const { description: label, ...others } = members;
      if (isSet(label) || type === "page_break") return add({ ...origin, label }, type, others);
      draft.note(origin.path, "text", "A text without words is left out, with its pictures.");
      return undefined;
    },

    /** Keeps a field that formd wrote with its label, and required also where it is hidden. */
    keepAsWritten(entry: DraftEntry, label: string): void {
      asWritten.add(entry);
      entry.field.label = label;
    },

    /** Says that a question of the source is left out, as one with its name. */
    leaveOut({ path, key, label }: Origin, code: ReportCode, message: string): void {
      questions.add(path);
      leftOut.add(path);
      const name = textWithoutMarkup(label) || (typeof key === "string" ? key : "");
      report("left_out", path, code, name === "" ? message : `${quote(name)}: ${message}`);
    },

    /** Says what a question that is kept has lost. */
    lose({ path, field }: DraftEntry, code: ReportCode, message: string): void {
      report("approximated", path, code, `${quote(field.label)}: ${message}`);
    },

    /**
     * Says of each member that is set, and not one of `read`, that it is lost.
     * @param of a question; a path, if it is not one
     * @param read members that are converted, and those without effect on respondents
     */
    loseUnread(of: DraftEntry | string, node: Node, read: ReadonlySet<string>): void {
      for (const [name, value] of Object.entries(node)) {
        if (read.has(name) || !(isSet(value) || (isFalseSet && value === false))) continue;
        const message = `${shortenText(name, maxMadeIdLength)} is not read: ${quote(value)}`;
        if (typeof of === "string") draft.note(of, "setting", message);
        // Other programs' own: they change nothing for respondents of any tool.
        else if (name.startsWith("x-")) draft.note(of.path, "setting", message);
        else draft.lose(of, "setting", message);
      }
    },

    /** Says what is not in the draft, and changes no question. */
    note(path: string, code: ReportCode, message: string): void {
      report("note", path, code, message);
    },

    /** The question of a key of the source: the first one. */
    find: (key: unknown): DraftEntry | undefined => byKey.get(key),

    /**
     * Sets an expression. @param expression undefined: it has no counterpart
     * @param original the source's text, which an item quotes if the expression cannot be kept
     */
    setLogic(
      entry: DraftEntry,
      member: LogicMember,
      expression: Expression | undefined,
      original: unknown,
    ): void {
      const { field } = entry;
      if (!expression || !isPrintable(expression)) {
        draft.lose(entry, "condition", `${meanings[member]} has no counterpart: ${quote(original)}`);
        if (member === "showIf") unconditional.add(entry);
        return;
      }
      field[member] = printExpression(expression);
      originals.set(originalOf(entry.path, member), quote(original));
    },

    /** Adds a rule. @param message for people who break it */
    addRule(
      entry: DraftEntry,
      expression: Expression | undefined,
      message: unknown,
      original: unknown,
    ): void {
      const { field } = entry;
      if (!expression || !isPrintable(expression)) {
        draft.lose(entry, "rule", `A rule has no counterpart: ${quote(original)}`);
        return;
      }
      const rule = printExpression(expression);
      field.rules = [
        ...((field.rules as unknown[] | undefined) ?? []),
        { rule, message: textWithoutMarkup(message) || "The value is not accepted." },
      ];
      assignTexts(field);
      originals.set(originalOf(entry.path, rule), quote(original));
    },

    /**
     * Ends the draft. What publishing would refuse is removed, and long texts are cut, each with an item.
     * @param language the source's name of the language of the texts
     */
    finish(
      name: unknown,
      description?: unknown,
      settings: FileContent["settings"] = {},
      language = "",
    ): Imported {
      for (const { field, idOf } of unnamed) {
        field.id ||= idOf();
        field.label ||= field.id;
      }
      removeExcess();
      relaxHidden();
      removeRefused();
      relaxUnconditional();
      const title = textWithoutMarkup(name).replaceAll("\n", " ");
      const text = textWithoutMarkup(description);
      const all = addTranslations(language, settings, { title, introduction: text });
      const [fields, lost] = [questions.size, leftOut.size];
      const losing = [...approximated].filter((path) => questions.has(path) && !leftOut.has(path)).length;
      const file = {
        name: fit({ name: title }).name || "Form",
        description: text === "" ? null : text,
        schema: { fields: added.map(({ field }) => field) },
        settings: all,
      };
      if (unlisted > 0)
        items.push({ severity: "note", path: "", code: "too_many", message: `And ${unlisted} more.` });
      return {
        file,
        report: {
          ...{ source, fields, converted: fields - losing - lost, approximated: losing, leftOut: lost },
          items,
        },
      };
    },
  };

  /** Adds the texts in other languages. @returns the settings with those of the page */
  function addTranslations(
    language: string,
    settings: FileContent["settings"],
    defaults: Readonly<Record<string, string>>,
  ): FileContent["settings"] {
    const fields = added.map(({ field }) => field);
    const known = { ...defaults, ...settings.page };
    const { languages, isGuess, leftOut: names, ...own } = translate(fields, language, known);
    const shown = quote(names.slice(0, limits.form.maxLanguages).join(", "));
    if (names.length > 0) draft.note("", "translation", `Texts in other languages are left out: ${shown}`);
    if (languages === undefined) return { ...settings, ...(settings.page && { page: fit(settings.page) }) };
    if (isGuess)
      draft.note(
        "",
        "translation",
        `The language is not known: ${quote(language)}. It is ${languages[0]} here.`,
      );
    for (const entry of added)
      if (translationFaults(entry.field).length > 0) dropMember(entry, "translations", "");
    removeExcess();
    const { page: { language: _, ...given } = {}, ...others } = settings;
    const texts = Object.entries(own.translations).map(([tag, each]) => [tag, fit(nodeOf(each))]);
    const page = {
      ...fit({ ...given, ...own.page }),
      ...(texts.length > 0 && { translations: Object.fromEntries(texts) }),
    };
    return { ...others, languages, ...(isSet(page) && { page }) };
  }

  /** Cuts the texts of the form's page, or its name, with an item. */
  function fit<Texts extends object>(texts: Texts): Texts {
    const shortened = Object.entries(texts).flatMap(([member, text]) => {
      const max = maxLengths.get(member);
      if (typeof text !== "string" || max === undefined || text.length <= max) return [];
      draft.note(member, "text", `It is cut to ${max} characters: ${quote(text)}`);
      return [[member, shortenText(text, max)]];
    });
    return { ...texts, ...Object.fromEntries(shortened) };
  }

  /** Respondents can give no value to a hidden field: a form that required one without could not be sent. */
  function relaxHidden(): void {
    for (const entry of added) {
      const { type, required, requireIf, compute } = entry.field;
      if ((type !== "hidden" && compute === undefined) || !isSet([required, requireIf])) continue;
      if (asWritten.has(entry)) continue;
      delete entry.field.required;
      delete entry.field.requireIf;
      if (compute === undefined) draft.lose(entry, "rule", "It is not required, since it is hidden.");
    }
  }

  /**
   * Members are removed first, those without effect too; a field that is refused without them goes, and with
   * it conditions on it.
   */
  function removeRefused(): void {
    for (let pass = 1; ; pass++) {
      const schema = { fields: added.map(({ field }) => field) };
      // Rules that another type has would be published, and check nothing.
      const names = pass > maxPasses ? [] : lintNames(schema, maxFields);
      const issues = names.length > 0 ? names : lint(schema);
      if (issues.length === 0) return;
      const refused = new Set<DraftEntry>();
      for (const issue of issues) {
        const { path, constraint } = issue;
        const reason = reasonOf(issue);
        const [, position, rule] = /^schema\.fields\[(\d+)\](?:\.rules\[(\d+)\])?/.exec(path) ?? [];
        const entry = added[Number(position)];
        if (entry === undefined) {
          dropAll(constraint, reason);
          break;
        }
        const isDropped =
          rule === undefined ? dropMember(entry, constraint, reason) : dropRule(entry, rule, reason);
        if (!isDropped || pass > maxPasses) refused.add(entry);
      }
      for (const entry of refused) {
        added.splice(added.indexOf(entry), 1);
        leaveOutEntry(entry, "not_accepted", "formd does not accept it.");
      }
    }
  }

  function leaveOutEntry({ path, field }: DraftEntry, code: ReportCode, message: string): void {
    if (questions.has(path)) draft.leaveOut({ path, label: field.label }, code, message);
    else draft.note(path, code, `${quote(field.label)}: ${message}`);
  }

  /** Removes from the end what is beyond the size of a form: conditions read only what stands before. */
  function removeExcess(): void {
    let bytes = bytesAsJsonb({ fields: [] });
    const first = added.findIndex(({ field }) => {
      bytes += bytesAsJsonb(field) + ", ".length;
      return bytes > maxSchemaBytes;
    });
    for (const entry of first < 0 ? [] : added.splice(first))
      leaveOutEntry(entry, "too_many", `A form has at most ${maxSchemaBytes / 1_024} KiB.`);
  }

  /** A question that is now asked for always, itself or with its page, must not be required of all. */
  function relaxUnconditional(): void {
    let isPage = false;
    for (const entry of added) {
      const { field } = entry;
      const isOwn = unconditional.has(entry);
      if (field.type === "page_break") isPage = isOwn;
      if (!(isPage || isOwn) || (field.required !== true && field.requireIf === undefined)) continue;
      delete field.required;
      delete field.requireIf;
      draft.lose(entry, "rule", "It is not required, since it is asked for always.");
    }
  }

  function dropMember(entry: DraftEntry, member: string | undefined, reason: string): boolean {
    const { field } = entry;
    if (member === undefined || ["id", "type", "label"].includes(member)) return false;
    const validation = field.validation as Record<string, unknown> | undefined;
    const holder = validation && Object.hasOwn(validation, member) ? validation : field;
    if (!Object.hasOwn(holder, member)) return false;
    const original = originals.get(originalOf(entry.path, member)) ?? quote(holder[member]);
    delete holder[member];
    if (member === "showIf") unconditional.add(entry);
    const subject = Object.hasOwn(meanings, member) ? meanings[member as LogicMember] : member;
    draft.lose(entry, "not_accepted", `${subject} ${original} is left out.${reason}`);
    return true;
  }

  function dropRule(entry: DraftEntry, position: string, reason: string): boolean {
    const rules = (entry.field.rules as { rule: string }[]) ?? [];
    const [rule] = rules.splice(Number(position), 1);
    if (!rule) return false;
    if (rules.length === 0) delete entry.field.rules;
    draft.lose(
      entry,
      "rule",
      `${originals.get(originalOf(entry.path, rule.rule)) ?? quote(rule.rule)} is left out.${reason}`,
    );
    return true;
  }

  /** The patterns, limits or conditions of a form are too large together: all go. */
  function dropAll(member: string | undefined, reason: string): void {
    const members = member === "showIf" ? ["showIf", "requireIf", "compute", "rules"] : [member];
    for (const entry of added) for (const each of members) dropMember(entry, each, reason);
  }

  return draft;
}

export type ImportDraft = ReturnType<typeof beginDraft>;

/** Items of a report. A hostile document of 1 MiB would have 100,000. */
export const maxReportItems = 10_000;

const { maxTitleLength, maxTextLength, maxLabelLength } = limits.formPage;
const maxLengths: ReadonlyMap<string, number> = new Map([
  ["name", limits.name.maxLength],
  ["title", maxTitleLength],
  ...["introduction", "thankYou"].map((name) => [name, maxTextLength] as const),
  ["submitLabel", maxLabelLength],
]);

/** Steps of the translation of all expressions, each of some microseconds. */
const maxSteps = 100_000;

/** Removals of members, each of which may show another error, before a field that has more is left out. */
const maxPasses = 8;

/** The reason of an issue, for people who do not know the expression that a condition has become. */
function reasonOf({ clause, message }: DefinitionIssue): string {
  if (!clause) return ` ${message}`;
  if (!["invalid_expression", "wrong_result"].includes(clause.key))
    return ` ${withPeriod(`It ${sentenceIn(clauses, clause)}`)}`;
  const { fault } = (clause.values ?? {}) as { fault?: Fault };
  return fault?.key === "later_field" ? " It asks about a later question." : "";
}

const meanings: Readonly<Record<LogicMember, string>> = {
  showIf: "The condition under which it is asked for",
  requireIf: "The condition under which it is required",
  compute: "The calculation",
};
