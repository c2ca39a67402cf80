/**
 * Texts of fields in other languages: the member `translations` of a definition, by language. The texts
 * beside it are in the form's first language. Values are the same in every language. Pure.
 */
import { type Clause, clause } from "./clauses.ts";
import { maxRuleMessageLength } from "./conditions/logic.ts";
import { optionTexts } from "./control-values.ts";
import { nearest } from "./nearest.ts";
import { maxEndLength } from "./types/number.ts";
import { isRecord, isText, type Option, ownIn, shortName, valuesOf } from "./values.ts";

type Definition = Readonly<Record<string, unknown>>;

/** Members with one text, directly on the field or in `validation`. */
const plainMembers = ["label", "description", "help", "placeholder", "minimumLabel", "maximumLabel"] as const;
/** Lists whose entries have a label, by value or id. */
const listMembers = ["options", "rows", "columns"] as const;

/** The members of a translation. `messages` are those of `rules`, in their order. */
const translationMembers: readonly string[] = [...plainMembers, ...listMembers, "messages"];

/** A text of a definition in the form's first language, and where its translation stands. */
export interface FieldText {
  /** Members of a translation: `["label"]`, `["options", "s"]`, `["messages", "0"]`. */
  readonly place: readonly [member: string, key?: string];
  readonly text: string;
}

/** A member of a definition. That of `validation` outranks the one beside it. */
const statedIn = (definition: Definition, name: string): unknown =>
  ownIn(definition.validation, name) ?? ownIn(definition, name);

const isEntry = (entry: unknown): entry is string | Option => typeof entry === "string" || isRecord(entry);

/** Entries of a list, each with its key and its label; a name of a list has none. */
const entriesIn = (list: unknown): { entry: string | Option; key: string; label: string }[] => {
  const entries = Array.isArray(list) ? list.filter(isEntry) : [];
  const values = valuesOf(entries);
  return optionTexts(values).map((key, index) => {
    const entry = entries[index] ?? "";
    const label = ownIn(entry, "label");
    return { entry, key, label: isText(label) ? label : String(values[index]) };
  });
};

const messagesIn = ({ rules }: Definition): unknown[] =>
  Array.isArray(rules) ? rules.map((rule) => ownIn(rule, "message")) : [];

/** Lists the texts of a definition that people read, in the order in which they are shown. */
export const textsOf = (definition: Definition): FieldText[] => [
  ...plainMembers.flatMap((name): FieldText[] => {
    const text = statedIn(definition, name);
    return isText(text) ? [{ place: [name], text }] : [];
  }),
  ...listMembers.flatMap((name) =>
    entriesIn(statedIn(definition, name)).flatMap(({ key, label: text }): FieldText[] =>
      isText(text) ? [{ place: [name, key], text }] : [],
    ),
  ),
  ...messagesIn(definition).flatMap((text, index): FieldText[] =>
    isText(text) ? [{ place: ["messages", String(index)], text }] : [],
  ),
];

/** The translation of a text of a definition; undefined: there is none. */
export function translationAt(
  record: object,
  language: string,
  [member, key]: FieldText["place"],
): string | undefined {
  const found = ownIn(ownIn(ownIn(record, "translations"), language), member);
  const text = key === undefined ? found : Array.isArray(found) ? found[Number(key)] : ownIn(found, key);
  return isText(text) ? text : undefined;
}

/**
 * Members of a translation that no page shows: the definition lacks their texts. Lists have
 * {@link translationFaults} instead.
 */
export const unusedIn = (definition: Definition, language: string): string[] =>
  plainMembers.filter(
    (name) =>
      !isText(statedIn(definition, name)) && translationAt(definition, language, [name]) !== undefined,
  );

/** A definition with its texts in a language, where it has them. Its `translations` stay. */
export function translated(definition: Definition, language: string): Definition {
  if (!isRecord(ownIn(definition.translations, language))) return definition;
  return withEachText(definition, (place) => translationAt(definition, language, place));
}

/** A definition as people see it in a language, which depends on its texts alone and not on their places. */
export const seenIn = (definition: Definition, language: string): Definition =>
  withoutTranslations(
    withEachText(definition, (place, text) => translationAt(definition, language, place) ?? text),
  );

function withEachText(
  definition: Definition,
  at: (place: FieldText["place"], text: string) => string | undefined,
): Definition {
  const withTexts = (record: Definition): Definition => {
    const texts = plainMembers.flatMap((name) => {
      const own = ownIn(record, name);
      const text = isText(own) ? at([name], own) : undefined;
      return text === undefined ? [] : [[name, text] as const];
    });
    const lists = listMembers.flatMap((name) => {
      const list = ownIn(record, name);
      // One that `validation` outranks has no effect.
      return Array.isArray(list) && list === statedIn(definition, name)
        ? [[name, labelled(name, list)] as const]
        : [];
    });
    return { ...record, ...Object.fromEntries([...texts, ...lists]) };
  };
  const labelled = (name: string, list: readonly unknown[]) => {
    const labels = new Map(entriesIn(list).map(({ entry, key, label }) => [entry, at([name, key], label)]));
    return list.map((entry) => {
      const label = isEntry(entry) ? labels.get(entry) : undefined;
      if (label === undefined) return entry;
      return isRecord(entry) ? { ...entry, label } : { value: entry, label };
    });
  };
  const { validation, rules } = definition;
  return {
    ...withTexts(definition),
    ...(isRecord(validation) && { validation: withTexts(validation) }),
    ...(Array.isArray(rules) && {
      rules: rules.map((rule, index) => {
        const own = ownIn(rule, "message");
        const message = at(["messages", String(index)], isText(own) ? own : "");
        return message === undefined || !isRecord(rule) ? rule : { ...rule, message };
      }),
    }),
  };
}

/** A definition without the texts of other languages. */
export const withoutTranslations = ({ translations: _, ...definition }: Definition): Definition => definition;

/** The languages of a version, its own first. Empty: it has one, by `settings.page.language`. */
export function languagesIn(schema: object): readonly string[] {
  const languages = ownIn(schema, "languages");
  return Array.isArray(languages) ? languages.filter((tag) => typeof tag === "string") : [];
}

/** Maximum number of errors of one definition: it can have 100,000. */
const maxErrors = 20;

/** Lists what is wrong in the `translations` of a definition, in a bounded number. */
export function translationFaults(definition: Definition): Clause[] {
  const { translations } = definition;
  if (translations === undefined || translations === null) return [];
  if (!isRecord(translations)) return [clause("translations")];
  const faults: Clause[] = [];
  for (const [language, texts] of Object.entries(translations)) {
    if (faults.length >= maxErrors) break;
    if (texts === null) continue;
    if (isRecord(texts)) faults.push(...faultsIn(definition, language, texts));
    else faults.push(clause("translation_object", { at: [shortName(language)] }));
  }
  return faults.slice(0, maxErrors);
}

/** Names that a wrong one is compared with. */
const maxCompared = 50;

/** The greatest length of a member's texts. Undefined: they have none. */
export const maxTranslationLength = (member: string): number | undefined =>
  member === "messages" ? maxRuleMessageLength : /mumLabel$/.test(member) ? maxEndLength : undefined;

function faultsIn(definition: Definition, language: string, texts: Definition): Clause[] {
  const at = (...steps: string[]) => [language, ...steps].map(shortName);
  const unknown = (steps: string[], known: readonly string[], compared = known) =>
    clause("translation_unknown", { at: at(...steps), near: nearest(steps.at(-1) ?? "", compared), known });
  const textFault = (value: unknown, steps: [string, ...string[]]): Clause[] => {
    const max = maxTranslationLength(steps[0]) ?? Number.POSITIVE_INFINITY;
    if (value === null) return [];
    if (typeof value !== "string") return [clause("translation_text", { at: at(...steps) })];
    return value.length > max ? [clause("translation_long", { at: at(...steps), max })] : [];
  };
  return Object.entries(texts)
    .slice(0, 2 * translationMembers.length)
    .flatMap(([name, value]): Clause[] => {
      if (value === null || name.startsWith("x-")) return [];
      if (plainMembers.some((each) => each === name)) return textFault(value, [name]);
      if (name === "messages") {
        const { length } = messagesIn(definition);
        if (!Array.isArray(value)) return [clause("translation_list", { at: at(name) })];
        if (value.length > length) return [clause("translation_messages", { at: at(name), max: length })];
        return value.flatMap((each, index) => textFault(each, [name, String(index)]));
      }
      if (!listMembers.some((each) => each === name)) return [unknown([name], translationMembers)];
      if (!isRecord(value)) return [clause("translation_object", { at: at(name) })];
      // The entries of a list that is only named are not known here.
      const isNamed = typeof statedIn(definition, name) === "string";
      const known = entriesIn(statedIn(definition, name)).map(({ key }) => key);
      const names = new Set(known);
      // A misspelt name is that of an entry without a text.
      const missing = known.filter((key) => !Object.hasOwn(value, key)).slice(0, maxCompared);
      const faults: Clause[] = [];
      for (const [key, label] of Object.entries(value)) {
        if (faults.length >= maxErrors) break;
        if (!isNamed && !names.has(key) && label !== null)
          faults.push(unknown([name, key], known.slice(0, maxErrors).map(shortName), missing));
        else faults.push(...textFault(label, [name, key]));
      }
      return faults;
    });
}
