/** Forms of Form.io, as its builder saves them and its API gives them. Pure. */

import type { Expression } from "../../../fields/conditions/expression.ts";
import { ownIn } from "../../../fields/values.ts";
import { comparisonNamed } from "./comparisons.ts";
import {
  beginDraft,
  type DraftEntry,
  type Imported,
  type ImportSource,
  type Origin,
  type QuestionKind,
} from "./draft.ts";
import {
  formioDefaultOf,
  formioKindOf,
  formioKinds,
  formioMembersOf,
  formioNames,
  formioOptionsOf,
  isFormioDefault,
} from "./formio-members.ts";
import { all, any, equals, not, shortOnly } from "./logic.ts";
import { isSet, isTrue, itemsOf, type Node, nodeOf, nodesOf, pageLanguageOf, textOf } from "./read.ts";
import { quote, textWithoutMarkup } from "./text.ts";

/** Lists of entries, whose questions are asked again for each one. */
const repeats = ["datagrid", "editgrid", "dynamicWizard", "datamap", "tree", "edittable"];
const layouts = ["well", "columns", "table", "tabs", "container"];
const captchas = ["recaptcha", "captcha"];
/** Texts in which values of other questions may stand. */
const formioTexts = ["label", "title", "legend", "description", "tooltip", "html", "content"];
const notFilledIn = "Values in its text are not filled in.";
const choiceNames = new Set(["label", "value", "shortcut"]);
const hiddenKind = { type: "hidden", loss: "It is hidden, without its rules." };

/** Nodes of a list with their paths. */
const nodesAt = (list: unknown, path: string) =>
  itemsOf(list).map((each, at): readonly [Node, string] => [nodeOf(each), `${path}[${at}]`]);

/** The components in a component, of whatever layout. */
function childrenOf({ components, columns, rows, valueComponent }: Node, path: string) {
  const cells = itemsOf(rows).flatMap((row, at) => nodesAt(row, `${path}.rows[${at}]`));
  const boxes = [...nodesAt(columns, `${path}.columns`), ...cells];
  const entry: (readonly [Node, string])[] = isSet(valueComponent)
    ? [[nodeOf(valueComponent), `${path}.valueComponent`]]
    : [];
  return [
    ...nodesAt(components, `${path}.components`),
    ...boxes.flatMap(([box, at]) => nodesAt(box.components, `${at}.components`)),
    ...entry,
  ];
}

/** The condition that is in effect, of the three that a component may have. */
function conditionOf({ customConditional, conditional }: Node): unknown {
  if (isSet(customConditional)) return customConditional;
  const { when, conditions, json } = nodeOf(conditional);
  const isSimple = isSet(when) || nodesOf(conditions).some(({ component }) => isSet(component));
  return isSimple ? conditional : isSet(json) ? { json } : undefined;
}

/** @param entryOf the question of a key: `boxes.red` is none, but a choice of one */
function expressionOf(condition: unknown, entryOf: (key: string) => DraftEntry | undefined) {
  const { when, eq, conditions, conjunction, show } = nodeOf(condition);
  const rows = isSet(when) ? [{ component: when, operator: "isEqual", value: eq }] : nodesOf(conditions);
  const parts = rows.map(({ component, operator, value }) => {
    const key = textOf(component) ?? "";
    const entry = entryOf(key);
    if (entry) return comparisonNamed(operator)?.(entry, value, true);
    const [, boxes = "", option] = /^(.+)\.([^.]+)$/s.exec(key) ?? [];
    const holder = operator === "isEqual" ? entryOf(boxes) : undefined;
    const ticked = holder && equals(holder, option);
    return isTrue(value) ? ticked : not(ticked);
  });
  const whole = conjunction === "any" ? any(parts) : all(parts);
  const isShown = isSet(when) ? isTrue(show) : show !== false && show !== "false";
  return isShown ? whole : not(whole);
}

/** Place of a component: the keys of containers around it, and the conditions of groups. */
interface Place {
  readonly prefix: string;
  readonly conditions: readonly unknown[];
  readonly is: "asked" | "hidden" | "repeated";
}

type PartType = "statement" | "heading" | "page_break";

function convert(document: Node): Imported {
  const draft = beginDraft("formio");
  const found = new Map<string, DraftEntry>();
  const conditional: [DraftEntry, readonly unknown[]][] = [];
  let submitLabel = "";

  const loseUnread = (of: DraftEntry | string, node: Node, members = node) => {
    const lost = Object.entries(members).filter(([name, value]) => !isFormioDefault(node, name, value));
    draft.loseUnread(of, Object.fromEntries(lost), formioNames);
    if (members !== node || !formioTexts.some((name) => textOf(node[name])?.includes("{{"))) return;
    if (typeof of === "string") draft.note(of, "text", notFilledIn);
    else draft.lose(of, "text", notFilledIn);
  };

  function add(node: Node, origin: Origin, { is, conditions }: Place): void {
    const { options, repeated } = formioOptionsOf(node);
    const kind = formioKindOf(node, options.length > 0);
    if (is === "repeated") {
      draft.leaveOut(origin, "repeat", "It is asked again for each entry of a list.");
      return;
    }
    const isHidden = is === "hidden" && kind.type !== "hidden";
    const entry = isHidden
      ? draft.question(origin, hiddenKind, { default: formioDefaultOf(node) })
      : draft.question(origin, kind, formioMembersOf(node, kind.type));
    if (!entry) return;
    for (const key of [textOf(origin.key), textOf(node.key)])
      if (key && !found.has(key)) found.set(key, entry);
    conditional.push([entry, conditions]);
    for (const label of repeated)
      draft.lose(entry, "options", `${quote(label)} has the value of another choice.`);
    for (const members of [node, nodeOf(node.validate), nodeOf(node.datePicker)])
      loseUnread(entry, node, members);
    for (const choice of [node.values, nodeOf(node.data).values, node.questions].flatMap(nodesOf))
      draft.loseUnread(entry, choice, choiceNames);
  }

  function addText(origin: Origin, type: PartType, { is, conditions }: Place): DraftEntry | undefined {
    const [label, ...more] = textWithoutMarkup(origin.label).split("\n");
    if (!label && isSet(origin.label)) draft.note(origin.path, "text", "It has no words, and is left out.");
    if (!label || is !== "asked") return undefined;
    const entry = draft.part({ ...origin, label }, type, { description: more.join("\n") });
    if (entry) conditional.push([entry, conditions]);
    return entry;
  }

  function visit([node, path]: readonly [Node, string], place: Place, isPage = false): void {
    const [type, ownKey] = [textOf(node.type) ?? "", textOf(node.key)];
    const key = ownKey && place.prefix + ownKey;
    const condition = conditionOf(node);
    const isRepeat = repeats.includes(type);
    const inner: Place = {
      prefix: key && ["container", "form"].includes(type) ? `${key}.` : place.prefix,
      conditions: condition === undefined ? place.conditions : [...place.conditions, condition],
      is: place.is === "asked" && isTrue(node.hidden) ? "hidden" : place.is,
    };
    const kind = ownIn(formioKinds, type) as QuestionKind | undefined;
    const origin = { path, key, label: textOf(node.title) ?? textOf(node.legend) ?? node.label };
    if (type === "button" && (!isSet(node.action) || node.action === "submit")) {
      submitLabel ||= textWithoutMarkup(node.label);
    } else if (type === "button" || captchas.includes(type)) {
      draft.note(path, "setting", `${quote(node.label ?? type)} is left out.`);
    } else if (kind?.type === "statement") {
      loseUnread(path, node);
      addText({ path, key, label: isSet(node.content) ? node.content : node.html }, "statement", inner);
    } else if (
      [...repeats, ...layouts].includes(type) ||
      kind?.type === "heading" ||
      (Array.isArray(node.components) && (!kind || type === "form"))
    ) {
      loseUnread(path, node);
      if (isRepeat)
        draft.note(path, "repeat", `${quote(textOf(node.label) ?? key ?? type)} is a list of entries.`);
      const hasTitle = kind?.type === "heading" || type === "";
      const text = [hasTitle && origin.label, node.description, node.tooltip]
        .map(textWithoutMarkup)
        .filter(Boolean)
        .join("\n");
      // Without a break, the condition of the page before it would hold for it.
      const isBreak = isPage && (path !== "components[0]" || condition !== undefined);
      const label = text || (isBreak ? "…" : "");
      const title = hasTitle && addText({ ...origin, label }, isPage ? "page_break" : "heading", inner);
      if (!hasTitle && text) draft.note(path, "text", `A text is not kept: ${quote(text)}`);
      // The condition of a page is one of its step.
      const conditions = isPage && title ? place.conditions : inner.conditions;
      for (const child of childrenOf(node, path))
        visit(child, { ...inner, conditions, ...(isRepeat && { is: "repeated" }) });
    } else add(node, origin, inner);
  }

  const isWizard = document.display === "wizard";
  for (const child of nodesAt(document.components, "components"))
    visit(child, { prefix: "", conditions: [], is: "asked" }, isWizard && child[0].type === "panel");
  loseUnread("form", document);

  const known = new Map<unknown, { expression: Expression | undefined; original: unknown }>();
  for (const [entry, conditions] of conditional) {
    const kept = conditions.flatMap((condition) => {
      const logic = known.get(condition) ?? {
        expression: shortOnly(expressionOf(condition, (key) => found.get(key))),
        original: condition,
      };
      known.set(condition, logic);
      if (!logic.expression) draft.setLogic(entry, "showIf", undefined, logic.original);
      return logic.expression ? [logic] : [];
    });
    const originals = kept.map(({ original }) => original);
    const original = originals.length === 1 ? originals[0] : originals;
    if (kept.length > 0)
      draft.setLogic(entry, "showIf", shortOnly(all(kept.map(({ expression }) => expression))), original);
  }
  const page = { ...(submitLabel && { submitLabel }), ...pageLanguageOf(document.language) };
  return draft.finish(
    textOf(document.title) ?? document.name,
    document.description,
    isSet(page) ? { page } : {},
  );
}

export const formio: ImportSource = {
  title: "Form.io",
  kinds: formioKinds,
  losses: [
    "Containers, columns, tables, tabs, wells and nested forms: their questions, without the layout.",
    "Data grids, edit grids, data maps and trees: their questions are left out.",
    "JavaScript and JSON Logic: custom conditions, calculated values, custom validation, logic.",
    "Input masks, prefixes and suffixes, word counts, messages of rules, several values of a text.",
    "Steps of a number, and values of other questions in texts.",
    "Choices that come from an address, a resource or a script: respondents enter a text.",
    "Buttons other than the one that submits, and CAPTCHAs.",
  ],
  recognizes: ({ components }) => Array.isArray(components),
  convert,
};
