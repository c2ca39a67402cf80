/** Forms of Typeform, as its Create API returns them. Pure. */
import { isRecord, ownIn } from "../../../fields/values.ts";
import {
  beginDraft,
  type DraftEntry,
  type ImportDraft,
  type Imported,
  type ImportSource,
  type QuestionKind,
} from "./draft.ts";
import { applyJumps, type JumpList } from "./jumps.ts";
import { isSet, isTrue, itemsOf, type Node, nodeOf, nodesOf, pageLanguageOf, textOf } from "./read.ts";
import { noTitle, quote, textWithoutMarkup } from "./text.ts";
import { type ChoiceValues, jumpCondition } from "./typeform-logic.ts";
import { typeformMembersOf, typeformOptionsOf, typeformText, typeformValueOf } from "./typeform-members.ts";

const kinds: Readonly<Record<string, QuestionKind>> = {
  short_text: { type: "text" },
  long_text: { type: "textarea" },
  multiple_choice: { type: "select" },
  picture_choice: { type: "select", loss: "The choices have no pictures." },
  dropdown: { type: "select" },
  ranking: { type: "ranking" },
  yes_no: { type: "boolean" },
  legal: { type: "consent" },
  email: { type: "email" },
  phone_number: { type: "phone" },
  website: { type: "url" },
  number: { type: "number" },
  date: { type: "date" },
  rating: { type: "rating" },
  opinion_scale: { type: "rating" },
  nps: { type: "nps" },
  matrix: { type: "matrix" },
  file_upload: { type: "file" },
  payment: { loss: "formd takes no payments." },
  calendly: { loss: "formd books no appointments." },
  statement: { type: "statement" },
  group: { type: "page_break" },
  contact_info: { type: "heading" },
  address: { type: "heading" },
  inline_group: { type: "heading" },
};
/** Kinds that are no questions, but may have some. */
const parts = ["statement", "heading", "page_break"] as const;

/** Members that are read, and those that change nothing for respondents. */
const read: ReadonlySet<string> = new Set(
  `_links allow_multiple_selection allow_other_choice button_mode choices created_at currency
  custom_messages default_country_code description fields hidden hide_marks id label labels last_updated_at layout
  left links logic max_length max_selection max_value min_selection min_value placement price properties published_at ref
  required right self separator settings shape share_icons show_button show_labels start_at_one steps structure
  subfield_key supersized thankyou_screens theme title type validations vertical_alignment viewport_overrides welcome_screens
  workspace`.split(/\s+/),
);
const readOfRow: ReadonlySet<string> = new Set(["allow_multiple_selection", "choices", "required"]);

function noteReferences(draft: ImportDraft, path: string, texts: readonly unknown[]): void {
  const shown = texts.find((text) => /\{\{\w+:/.test(textOf(text) ?? ""));
  if (shown) draft.note(path, "text", `A value in a text is not shown: ${quote(shown)}`);
}

/** Texts of the page, by the lists of the screens that have them. */
const screenTexts = { welcome_screens: "introduction", thankyou_screens: "thankYou" };

interface Screen {
  readonly path: string;
  readonly screen: Node;
  readonly name: string;
}

/** The texts of the page are those of the first screens of each kind. */
function pageOf(draft: ImportDraft, form: Node, screens: readonly Screen[]): Record<string, string> {
  const page: Record<string, string> = {};
  for (const { path, screen, name } of screens) {
    const properties = nodeOf(screen.properties);
    const texts = [screen.title, properties.description];
    const text = texts.map(typeformText).filter(Boolean).join("\n");
    if (page[name] === undefined) page[name] = text;
    else draft.note(path, "text", `The page has one such text: ${quote(text)}`);
    noteReferences(draft, path, texts);
    for (const node of [screen, properties, nodeOf(screen.layout)]) draft.loseUnread(path, node, read);
  }
  const { "label.button.submit": submit, ...messages } = nodeOf(form.custom_messages);
  if (isSet(messages)) draft.note("custom_messages", "text", "Buttons and messages have the words of formd.");
  const { redirect_after_submit_url, language } = nodeOf(form.settings);
  draft.loseUnread("settings", { redirect_after_submit_url }, read);
  const submitLabel = textWithoutMarkup(submit);
  return { ...page, ...pageLanguageOf(language), ...(submitLabel && { submitLabel }) };
}

/** Makes the draft of a form: the fields, then the jumps between them. */
function convert(form: Node): Imported {
  const draft = beginDraft("typeform");
  /** In the form's order, each with a position. Undefined: it is left out. */
  const entries: (DraftEntry | undefined)[] = [];
  const places = new Map<unknown, { at: number; next: number }>();
  const choices: ChoiceValues = new Map();
  let isAfterGroup = false;
  const screens: Screen[] = Object.entries(screenTexts).flatMap(([member, name]) =>
    nodesOf(form[member]).map((screen, index) => ({ path: `${member}[${index}]`, screen, name })),
  );

  function addFields(fields: unknown, path: string): void {
    for (const [index, field] of nodesOf(fields).entries()) addField(field, `${path}[${index}]`);
  }

  function addField(field: Node, path: string): void {
    const type = textOf(field.type) ?? "";
    const text = ownIn(screenTexts, `${type}s`);
    if (typeof text === "string") {
      screens.push({ path, screen: field, name: text });
      return;
    }
    const properties = nodeOf(field.properties);
    const origin = {
      path,
      key: field.ref ?? field.subfield_key ?? field.id,
      label: typeformText(field.title),
    };
    const kind = (ownIn(kinds, type) as QuestionKind | undefined) ?? {};
    const part = parts.find((each) => each === kind.type);
    if (isAfterGroup && part !== "page_break") draft.part({ path, label: noTitle }, "page_break");
    isAfterGroup = false;
    const at = entries.length;
    if (part) {
      const entry = draft.part(origin, part, { description: typeformText(properties.description) });
      // A step is left out when nothing in it is asked.
      if (part !== "page_break") entries.push(entry);
      addFields(properties.fields, `${path}.properties.fields`);
    } else {
      const hasSeveral = kind.type === "select" && isTrue(properties.allow_multiple_selection);
      const own = hasSeveral ? { ...kind, type: "multi_select" } : kind;
      const entry = draft.question(origin, own, typeformMembersOf(field));
      entries.push(entry);
      if (entry) addChoices(entry, nodesOf(properties.choices), type === "picture_choice");
      if (entry && type === "matrix") loseOfRows(entry, nodesOf(properties.fields));
    }
    const owner = part ? path : entries.at(-1);
    const { validations, layout } = field;
    for (const node of [field, properties, ...[validations, layout, properties.labels].map(nodeOf)])
      if (owner) draft.loseUnread(owner, node, read);
    noteReferences(draft, path, [field.title, properties.description]);
    isAfterGroup = part === "page_break";
    if (field.ref !== undefined) places.set(field.ref, { at, next: entries.length });
  }

  function addChoices(entry: DraftEntry, nodes: readonly Node[], hasPictures: boolean): void {
    const names = nodes.flatMap((each) =>
      [each.label, each.id, each.ref].map((name) => [name, typeformValueOf(each)] as const),
    );
    choices.set(entry, new Map(names));
    for (const label of typeformOptionsOf(nodes).repeated)
      draft.lose(entry, "options", `${quote(label)} has the value of another choice.`);
    for (const { attachment, ...choice } of nodes)
      draft.loseUnread(entry, hasPictures ? choice : { attachment, ...choice }, read);
  }

  function loseOfRows(entry: DraftEntry, rows: readonly Node[]): void {
    for (const row of rows) draft.loseUnread(entry, row, read);
    for (const { properties, validations } of rows)
      draft.loseUnread(entry, { ...nodeOf(properties), ...nodeOf(validations) }, readOfRow);
    if (rows.some(({ properties }) => isTrue(nodeOf(properties).allow_multiple_selection)))
      draft.lose(entry, "type", "Each row takes one answer.");
    if (entry.field.required && !entry.field.allRows)
      draft.lose(entry, "rule", "Some rows are required there. Here one row is enough.");
  }

  /** The jumps of a question, all or none: a later one is for what the earlier ones leave. */
  function jumpsOf({ type, ref, actions }: Node, path: string): JumpList[] {
    const place = type === "hidden" ? { at: -1, next: 0 } : places.get(ref);
    const jumps: JumpList["jumps"][number][] = [];
    let isKept = place !== undefined;
    for (const each of nodesOf(actions)) {
      const { type: to, value } = nodeOf(nodeOf(each.details).to);
      const target = to === "thankyou" ? entries.length : places.get(value)?.at;
      const holds = jumpCondition(each.condition, draft, choices);
      if (each.action !== "jump") draft.note(path, "rule", `It is not calculated: ${quote(each)}`);
      else if (!place || target === undefined || target < place.next || !holds) isKept = false;
      else jumps.push({ target, holds });
    }
    if (place && isKept) return [{ ...place, jumps, original: quote(actions) }];
    const entry = place && entries[place.next - 1];
    const message = `Its jumps are left out: ${quote(actions)}`;
    if (entry) draft.lose(entry, "condition", message);
    else draft.note(path, "condition", message);
    return [];
  }

  for (const [index, key] of itemsOf(form.hidden).entries()) {
    const origin = { path: `hidden[${index}]`, key, label: key };
    draft.question(origin, { type: "hidden" }, { prefill: true });
  }
  addFields(form.fields, "fields");
  const logic = nodesOf(form.logic);
  const lists = logic.flatMap((each, index) => jumpsOf(each, `logic[${index}]`));
  lists.sort((a, b) => a.next - b.next);
  applyJumps(draft, entries, lists, lists.length === logic.length);
  draft.loseUnread("", form, read);
  return draft.finish(form.title, undefined, { page: pageOf(draft, form, screens) });
}

export const typeform: ImportSource = {
  title: "Typeform",
  kinds,
  losses: [
    "Jumps back, jumps whose condition is about variables, and calculations.",
    "Pictures and videos of questions, choices and screens.",
    "Values of other questions in texts, words of buttons, and the random order of choices.",
    "Several answers in a row of a matrix, and rows of which only some are required.",
    "Further welcome screens and endings, and redirects.",
  ],
  recognizes: ({ fields }) =>
    nodesOf(fields).some(
      ({ type, ref, properties }) => typeof type === "string" && (isSet(ref) || isRecord(properties)),
    ),
  convert,
};
