/** The form of a question. An invalid value is read as it is: a draft may have errors, which lint reports. */
import type { ComponentChildren } from "preact";
import { choiceConstraints } from "../../../fields/constraints.ts";
import { addressParts } from "../../../fields/control-values.ts";
import { isRecord } from "../../../fields/definition.ts";
import type { Nature } from "../../../fields/field-type.ts";
import { isDialCountry } from "../../../fields/phone.ts";
import { numberText } from "../../../fields/spelling.ts";
import { resolveType, rulesOf } from "../../../fields/types.ts";
import { entryMembers } from "../../../fields/unknown-names.ts";
import { limits } from "../../../limits.ts";
import { withOwnTranslations } from "../../../resources/forms/language-operations.ts";
import { Checkbox, Checkboxes, Input, type InputProps, Select, TextArea } from "../../ui/controls.tsx";
import { countriesIn } from "../../ui/fields/address.tsx";
import { language, timeZoneOfForm } from "../../ui/language.ts";
import { Prose } from "../../ui/text.tsx";
import { parseNumber } from "../form/entered-number.ts";
import { fileKinds, kindName, kindsOf, megabytes, parseMegabytes } from "../form/file-kinds.ts";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { ruleLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import type { Undo } from "../frame/flash.ts";
import {
  type ConsoleForm,
  type FormControl,
  formOf,
  linesIn,
  readForm,
  shownValues,
} from "../frame/form.tsx";
import { useRefused } from "../frame/layout.tsx";
import { choicesControl } from "./choice-controls.tsx";
import { isStatementType, typeChoices } from "./types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.field;

export type Definition = Readonly<Record<string, unknown>>;
export type MemberControl = FormControl<unknown>;
export type QuestionForm = ConsoleForm<Definition>;

/** Returns the rules of a type of fields. An unknown type has no rules. */
export const rulesOfType = (type: string) => {
  const { kind } = resolveType(type);
  return kind ? rulesOf(kind) : [];
};
type Rule = ReturnType<typeof rulesOfType>[number];

const ownOf = (record: unknown, name: string): unknown =>
  isRecord(record) && Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;

const ruleOf = (control: string): string | undefined => /^rule\.(.*)/s.exec(control)?.[1];

/** The value that a control is about, in either place of a definition. */
const valueIn = (definition: Definition, control: string): unknown => {
  const rule = ruleOf(control);
  if (rule === undefined) return ownOf(definition, control);
  return ownOf(ownOf(definition, "validation"), rule) ?? ownOf(definition, rule);
};

function textOf(value: unknown): string {
  if (typeof value === "number") return numberText(value, formText.fieldInput.locale, "ungrouped");
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

const textIn = (values: URLSearchParams, name: string): string =>
  values.getAll(name).join("\n").replaceAll("\r\n", "\n");

/** @param parse returns the value of a text that is not blank; a blank text has no value */
const control = (
  draw: MemberControl["draw"],
  parse: (text: string) => unknown = (text) => text.trim(),
  print = textOf,
): MemberControl => ({
  ...(draw && { draw }),
  read: (values, name) => {
    const text = textIn(values, name);
    return text.trim() === "" ? undefined : parse(text);
  },
  show: (value, name) => [[name, print(value)]],
});

const text = (toProps: () => Omit<InputProps, "name">): MemberControl =>
  control((name) => <Input name={name} required={false} {...toProps()} />);

/** @param before value in the definition; an absent value stays absent */
const flag = (before: unknown, draw: MemberControl["draw"]): MemberControl => ({
  ...(draw && { draw }),
  read: (values, name) => values.has(name) || (before === undefined ? undefined : false),
  show: (value, name) => (value === true ? [[name, "true"]] : []),
});

/** A member about other questions. It stays if the page, opened earlier, has no such control. */
const kept = (before: unknown, of: MemberControl = control(undefined)): MemberControl => ({
  ...of,
  read: (values, name) => (values.has(name) ? of.read(values, name) : before),
});

const jsonNatures: ReadonlySet<Nature> = new Set(["yesNo", "choice", "choices", "parts"]);

/** Reads a default, which is JSON unless the field's values are texts. */
const parseDefault = (nature: Nature, entered: string): unknown => {
  if (nature === "number") return parseNumber(entered.trim());
  if (!jsonNatures.has(nature)) return entered;
  try {
    return JSON.parse(entered);
  } catch {
    return entered;
  }
};

const hintOf = ({ name }: Rule): string | undefined => {
  const { ruleHints } = questionsText;
  return Object.hasOwn(ruleHints, name) ? ruleHints[name as keyof typeof ruleHints] : undefined;
};

/** Countries of a phone's new question, by the time zone of its form. */
const countryOfZone: Readonly<Record<string, string>> = {
  ...{ "Europe/Berlin": "DE", "Europe/Vienna": "AT", "Europe/Zurich": "CH" },
  ...{ "Europe/London": "GB", "Europe/Dublin": "IE", "America/New_York": "US" },
};

type Draw = (name: string, props: { label: string; hint?: string | undefined }) => ComponentChildren;

type Drawing = (draw: Draw) => NonNullable<MemberControl["draw"]>;

/** A country of the list. A stored text that is none stays. */
const countryControl = (draw: Drawing, isNew: boolean, before: unknown): MemberControl => {
  const usual = isNew ? countryOfZone[timeZoneOfForm() ?? ""] : undefined;
  const choices = () => {
    const known = countriesIn(language()).filter(({ value }) => isDialCountry(value));
    const stored = textOf(before);
    const isKnown = stored === "" || known.some(({ value }) => value === stored);
    return isKnown ? known : [{ value: stored, label: stored }, ...known];
  };
  const of = control(
    draw((name, props) => (
      <Select name={name} {...props} value={usual} choices={choices()} none={words.anyCountry} />
    )),
  );
  return { ...of, read: (values, name) => (values.has(name) ? of.read(values, name) : usual) };
};

/** Kinds of files as ticks. "Any" is in effect by itself, or if it is ticked in place of others. */
const kindsControl = (draw: Drawing, before: unknown): MemberControl => {
  const stored = before === undefined ? ["any"] : kindsOf([before].flat());
  const choices = [
    ...new Set([...Object.keys(fileKinds), ...stored.filter((kind) => kind !== "any"), "any"]),
  ];
  const labels = Object.fromEntries(choices.map((kind) => [kind, kindName(kind)]));
  return {
    draw: draw((name, props) => (
      <Checkboxes name={name} {...props} {...{ choices, labels }} checked={stored} />
    )),
    read: (values, name) => {
      const kinds = values.getAll(name);
      const own = kinds.filter((kind) => kind !== "any");
      if (own.length === 0 || (kinds.includes("any") && before !== undefined)) return undefined;
      return own.flatMap((kind) =>
        Object.hasOwn(fileKinds, kind) ? fileKinds[kind as keyof typeof fileKinds] : kind,
      );
    },
    show: (_, name) => stored.map((kind) => [name, kind]),
  };
};

/** A size in MB. An unchanged one keeps its bytes. */
const sizeControl = (draw: Drawing, before: unknown): MemberControl => {
  const shown = typeof before === "number" ? megabytes(before) : textOf(before);
  return control(
    draw((name, props) => <Input name={name} {...props} inputmode="decimal" />),
    (entered) => (entered.trim() === shown ? before : parseMegabytes(entered.trim())),
    () => shown,
  );
};

/** The control of a rule, from the JSON Schema of its values. */
function ruleControl(rule: Rule, type: string, before: unknown, isNew: boolean): MemberControl {
  const props = () => ({ label: ruleLabel(rule.name, type) ?? rule.name, hint: hintOf(rule) });
  const { schema, name: own } = rule;
  const draw: Drawing = (drawn) => (name) => drawn(name, props());
  if (own === "country") return countryControl(draw, isNew, before);
  if (own === "accept") return kindsControl(draw, before);
  if (own === "maxBytes") return sizeControl(draw, before);
  if (schema.type === "boolean")
    return control(
      (name) => <Checkbox name={name} {...props()} />,
      (entered) => entered === "true",
    );
  if (schema.type === "integer" || schema.type === "number")
    return control(
      (name) => <Input name={name} {...props()} inputmode="decimal" />,
      (entered) => parseNumber(entered.trim(), schema.type === "integer"),
    );
  if (schema.type === "array") {
    const members = entryMembers(schema);
    if (members.length > 0)
      return choicesControl(() => ({ ...props(), rule, takesLimits: members.includes("limit") }), before);
    const toLists = (value: unknown) => [value].flat().map(textOf);
    const entryOf = (line: string) => [before].flat().find((entry) => textOf(entry) === line) ?? line;
    const lines = control(
      (name) => <TextArea name={name} {...props()} rows={5} />,
      (entered) => linesIn(entered).map(entryOf),
      (value) => toLists(value).join("\n"),
    );
    if (own !== "requiredParts") return lines;
    const labels = formText.fieldInput.addressParts;
    return {
      ...lines,
      draw: (name) => <Checkboxes name={name} {...props()} choices={addressParts} labels={labels} />,
      show: (value, name) => toLists(value).map((part) => [name, part]),
    };
  }
  const isDay = resolveType(type).kind === "date" && /^$|^\d{4}-\d\d-\d\d$/.test(textOf(before));
  return control(
    (name) => <Input name={name} {...props()} {...(isDay && { type: "date" })} />,
    (entered) => entered,
  );
}

const labelOf = (type: string, isStatement: boolean): string => {
  if (type === "page_break") return words.stepTitle;
  if (type === "divider") return words.lineName;
  return isStatement ? words.text : formText.members.label;
};

/** The id of a new question. @param taken ids that it must not have, unless it was entered */
const newId = (taken: ReadonlySet<unknown>): MemberControl => ({
  ...text(() => ({ label: formText.members.id, hint: words.idHint(limits.form.maxFieldIdLength) })),
  read: (values, name) =>
    values.get(name)?.trim() ||
    freeId(idFrom(values.get("label") ?? "") || idFrom(values.get("type") ?? ""), taken),
});

/**
 * The form of a question of a type.
 * @param before its definition; absent: it is new
 * @param taken ids that a new one must not have
 */
export function questionForm(
  type: string,
  before?: Definition,
  taken: ReadonlySet<unknown> = new Set(),
): QuestionForm {
  const { nature } = resolveType(type).fieldType;
  const isStatement = isStatementType(type);
  const own = (name: string) => (before ? valueIn(before, name) : undefined);
  /** A control without a meaning for the type is shown only for a value that is stored. */
  const shownIf = (isMeant: boolean, name: string, { draw, ...of }: MemberControl): MemberControl => ({
    ...of,
    ...(draw && (isMeant || own(name) !== undefined) && { draw }),
  });
  const { members } = formText;
  const rules = rulesOfType(type).map((rule) => {
    const name = `rule.${rule.name}`;
    return [name, ruleControl(rule, type, own(name), before === undefined)] as const;
  });
  return formOf<Definition>(
    {
      ...(before ? {} : { id: newId(taken) }),
      type: {
        ...control((name) => <Select name={name} label={members.type} choices={typeChoices(type)} />),
        read: textIn,
      },
      label: text(() => ({
        ...{ label: labelOf(type, isStatement), required: undefined },
        // A row has the focus if its button was pressed.
        autofocus: useRefused()?.values.get(resumeField)?.includes(".") !== true,
      })),
      description: shownIf(
        type !== "divider",
        "description",
        control((name) => <TextArea name={name} label={members.description} required={false} rows={2} />),
      ),
      placeholder: isStatement ? control(undefined) : text(() => ({ label: members.placeholder })),
      help: shownIf(
        !isStatement,
        "help",
        text(() => ({ label: isStatement ? words.moreText : members.help })),
      ),
      required: isStatement
        ? kept(own("required"), flag(undefined, undefined))
        : flag(own("required"), (name) => <Checkbox name={name} label={members.required} />),
      ...(!isStatement && {
        prefill: flag(own("prefill"), (name) => (
          <Checkbox
            name={name}
            label={members.prefill}
            hint={<Prose>{words.prefillHint(String(own("id") ?? ""))}</Prose>}
          />
        )),
      }),
      default: shownIf(!isStatement, "default", {
        ...text(() => ({ label: members.default, hint: words.defaultHint })),
        ...{ read: control(undefined, (entered) => parseDefault(nature, entered)).read },
      }),
      agentHint: text(() => ({ label: members.agentHint, hint: words.agentHintHint })),
      showIf: kept(own("showIf")),
      requireIf: kept(own("requireIf")),
      compute: kept(own("compute")),
      rules: { ...control(undefined), read: () => own("rules") },
      ...Object.fromEntries(rules),
    },
    { about: { field_id_taken: "id" } },
  );
}

/** Returns the texts that the form of a question shows for its definition. */
export function definitionValues(definition: Definition): URLSearchParams {
  const form = questionForm(textOf(ownOf(definition, "type")), definition);
  const shown = Object.keys(form.controls).map((name) => [name, valueIn(definition, name)]);
  return shownValues(form, Object.fromEntries(shown));
}

/**
 * Returns members of a definition from the values of a form: each with its new value, or null to remove it.
 * Members that the form does not show stay, as do members of `validation` that no type of formd has.
 */
export function toMembers(data: Definition, before: Definition = {}): Record<string, unknown> {
  const types = [data.type, ownOf(before, "type")].map(textOf);
  const known = new Set(types.flatMap((type) => rulesOfType(type).map(({ name }) => name)));
  const members: Record<string, unknown> = Object.fromEntries([...known].map((name) => [name, undefined]));
  const validation = Object.fromEntries(
    Object.entries(isRecord(before.validation) ? before.validation : {}).filter(([name]) => !known.has(name)),
  );
  for (const [name, value] of Object.entries(data)) {
    const rule = ruleOf(name);
    if (rule === undefined || choiceConstraints.has(rule)) members[rule ?? name] = value;
    else if (value !== undefined) validation[rule] = value;
  }
  members.validation = Object.keys(validation).length > 0 ? validation : undefined;
  if (isRecord(before.translations))
    members.translations = withOwnTranslations(before, { ...before, ...members }).translations;
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (value !== undefined) return [[name, value]];
      return Object.hasOwn(before, name) ? [[name, null]] : [];
    }),
  );
}

/** Returns a new question from the entered values. @param taken ids that it must not have */
export const toField = (values: URLSearchParams, taken?: ReadonlySet<unknown>): Record<string, unknown> =>
  toMembers(readForm(questionForm(values.get("type") ?? "", undefined, taken), values));

export const definitionsOf = (form: FormView): Definition[] => form.schema.fields.filter(isRecord);
export const idsOf = (form: FormView) => new Set<unknown>(definitionsOf(form).map(({ id }) => id));

/** Returns an id that no other field has: with a number if the given one is taken. */
export function freeId(id: string, taken: ReadonlySet<unknown>): string {
  let free = id;
  for (let number = 2; taken.has(free); number++) free = `${id}_${number}`;
  return free;
}

/** An id made of a label: lower case, words joined by `_`. */
export const idFrom = (label: string): string =>
  label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);

/** Time of a save, by which its undo is refused after another change: that one would be lost. */
export const seenAt = (at: Date) => ({ updatedAt: at.toISOString() });

/**
 * The post that gives a question a definition, or a removed one its place.
 * @param at absent: it was removed
 */
export const restoring = (form: FormView, definition: Definition, at?: Date): Undo => ({
  action: `${pathOfForm(form)}/field/restore`,
  fields: {
    definition: JSON.stringify(definition),
    index: String(definitionsOf(form).indexOf(definition)),
    ...(at && seenAt(at)),
  },
});
