/** Surveys of Formbricks, as its editor exports them and its API gives them. Pure. */

import type { Expression } from "../../../fields/conditions/expression.ts";
import { ownIn } from "../../../fields/values.ts";
import { comparisonNamed } from "./comparisons.ts";
import { beginDraft, type DraftEntry, type Imported, type ImportSource } from "./draft.ts";
import {
  contactParts,
  formbricksChoices,
  formbricksKindOf,
  formbricksKinds,
  formbricksMembersOf,
  formbricksNames,
  formbricksRules,
  formbricksSurveyOf,
} from "./formbricks-members.ts";
import { applyJumps, type JumpList } from "./jumps.ts";
import { all, any, shortOnly } from "./logic.ts";
import { distinctOptions, type SourceOption } from "./options.ts";
import { isSet, isTrue, itemsOf, type Node, nodeOf, nodesOf, pageLanguageOf, textOf } from "./read.ts";
import { quote, textWithoutMarkup } from "./text.ts";

/** A card, or several that are shown together, with the logic that follows. */
interface Block {
  readonly path: string;
  readonly node: Node;
  readonly at: number;
  readonly next: number;
}

function convert(document: Node): Imported {
  const survey = formbricksSurveyOf(document) ?? {};
  const draft = beginDraft("formbricks");
  /** In the survey's order. Undefined: it is left out. */
  const entries: (DraftEntry | undefined)[] = [];
  /** Values of choices by their ids and labels. The one that is written has none. */
  const choices = new Map<DraftEntry, Map<unknown, unknown>>();
  let recalled = "";

  const places = new Map<unknown, number>();
  const endings = new Set(nodesOf(survey.endings).map(({ id }) => id));
  const required = new Map<DraftEntry, Set<Expression>>();

  const first = nodesOf(survey.languages).find((each) => isTrue(each.default));
  const language = textOf(nodeOf(first?.language).code) ?? textOf(survey.defaultLanguage) ?? "en";

  /** The texts of a value by their language, that of the form first. */
  function textsOf(value: unknown): Map<string, string> {
    const texts = typeof value === "string" ? { default: value } : nodeOf(value);
    const names = ["default", language, ...Object.keys(texts)].filter((name) => textOf(ownIn(texts, name)));
    return new Map(names.map((name) => [name, plainText(ownIn(texts, name))]));
  }

  /** A text with the replacements of values that it repeats. */
  function plainText(value: unknown): string {
    const text = textWithoutMarkup(value);
    if (text.includes("#recall:")) recalled ||= text;
    return text.replace(/#recall:[\w-]+\/fallback:([^#]*)#/g, (_, other: string) =>
      other.replaceAll("nbsp", " ").trim(),
    );
  }

  /** A text, or several as one, in the default language. @param choice the one that it labels */
  function textIn(value: unknown, choice?: SourceOption): string {
    const all = (Array.isArray(value) ? value : [value]).map(textsOf);
    const join = (name: string) => {
      const lines = all.map((texts) => texts.get(name) ?? [...texts.values()][0] ?? "");
      return lines.filter(Boolean).join("\n");
    };
    const others = new Set(all.flatMap((texts) => [...texts.keys()].slice(1)));
    return draft.addText(
      join(""),
      [...others].filter((name) => name !== language && name !== "default").map((name) => [name, join(name)]),
      choice,
    );
  }

  const buttons = new Set<string>();
  function readButtons(node: Node): void {
    for (const name of ["buttonLabel", "backButtonLabel", "ctaButtonLabel", "dismissButtonLabel"])
      if (isSet(node[name])) buttons.add([...textsOf(node[name]).values()][0] ?? "");
  }

  function addElement(node: Node, path: string): void {
    readButtons(node);
    draft.beginTexts();
    const label = textIn(node.type === "consent" && isSet(node.label) ? node.label : node.headline);
    const origin = { path, key: node.id, label };
    const [kind, { others }] = [formbricksKindOf(node), formbricksRules(node)];
    if (kind.type === "statement" || kind.type === "heading") {
      entries.push(draft.part(origin, kind.type, { description: textIn(node.subheader ?? node.html) }));
      draft.loseUnread(path, node, formbricksNames.element);
      if (kind.type === "heading") addContact(node, path);
      for (const rule of others) draft.note(path, "rule", `A rule is left out: ${quote(rule)}`);
      return;
    }
    const entry = draft.question(origin, kind, formbricksMembersOf(node, kind.type, textIn));
    entries.push(entry);
    if (!entry) return;
    const shuffleOption = node.shuffleOption !== "none" && node.shuffleOption;
    const otherOptionPlaceholder = entry.field.allowOther && node.otherOptionPlaceholder;
    draft.loseUnread(entry, { ...node, shuffleOption, otherOptionPlaceholder }, formbricksNames.element);
    for (const list of [node.choices, node.rows, node.columns])
      for (const text of distinctOptions(formbricksChoices(list, textIn)).repeated)
        draft.lose(entry, "options", `${quote(text)} has the value of another choice.`);
    for (const rule of others) {
      const { value, min, max, date } = nodeOf(rule.params);
      const comparison = nodeOf(node.validation).logic === "or" ? undefined : comparisonNamed(rule.type);
      draft.addRule(entry, comparison?.(entry, value ?? min ?? max ?? date), undefined, rule);
    }
    const ids = formbricksChoices(node.choices, textIn).flatMap(({ value, label: text }) =>
      [value, text].map((name): [unknown, unknown] => [name, value ?? text]),
    );
    choices.set(entry, new Map(ids));
  }

  function addContact(node: Node, path: string): void {
    for (const [part, type] of contactParts) {
      const { show, required, placeholder } = nodeOf(node[part]);
      if (!isTrue(show)) continue;
      const key = `${textOf(node.id) ?? "contact"}_${part}`;
      const origin = { path: `${path}.${part}`, key, label: textIn(placeholder) || part };
      entries.push(draft.question(origin, { type }, { required: isTrue(required) || undefined }));
    }
  }

  /** @param own the question of a condition in the earlier format, which names none */
  function conditionOf(node: Node, own?: DraftEntry): Expression | undefined {
    const { connector, conditions, leftOperand, rightOperand } = node;
    if (Array.isArray(conditions)) {
      const parts = nodesOf(conditions).map((each) => conditionOf(each));
      return connector === "or" ? any(parts) : all(parts);
    }
    const { type, value, meta } = nodeOf(leftOperand);
    const isQuestion = ["element", "question", "hiddenField"].includes(textOf(type) ?? "") && !isSet(meta);
    const entry = own ?? (isQuestion ? draft.find(value) : undefined);
    const isStatic = rightOperand === undefined || ownIn(rightOperand, "type") === "static";
    if (!entry || !isStatic || entry.field.type === "statement") return undefined;
    const ids = choices.get(entry);
    const known = (each: unknown) => (ids?.has(each) ? ids.get(each) : each);
    const right = own ? node.value : ownIn(rightOperand, "value");
    const operator = textOf(own ? node.condition : node.operator) ?? "";
    // A question with several values equals one that is its only one.
    const isOnly = entry.field.type === "multi_select" && /equals?$/i.test(operator);
    const comparison = comparisonNamed(isOnly ? `${operator}Only` : operator);
    return comparison?.(entry, Array.isArray(right) ? right.map(known) : known(right));
  }

  const loseLogic = ({ path, next }: Block, logic: unknown) => {
    const [entry, message] = [entries[next - 1], `Its logic is left out: ${quote(logic)}`];
    if (entry) draft.lose(entry, "condition", message);
    else draft.note(path, "condition", message);
  };

  /** The jumps of a block. Undefined: one cannot be kept, and the later ones are for what it leaves. */
  function jumpsOf(block: Block): JumpList[] | undefined {
    const { node, at, next } = block;
    const jumps: JumpList["jumps"][number][] = [];
    let isKept = true;
    const jump = (to: unknown, holds: Expression | true | undefined) => {
      const target = to === "end" || (isSet(to) && endings.has(to)) ? entries.length : places.get(textOf(to));
      if (target === undefined || target < next || !holds) isKept = false;
      else jumps.push({ target, holds });
    };
    for (const rule of nodesOf(node.logic)) {
      const isOld = rule.actions === undefined;
      const holds = shortOnly(isOld ? conditionOf(rule, entries[at]) : conditionOf(nodeOf(rule.conditions)));
      const actions = isOld ? [{ objective: "jump", target: rule.destination }] : nodesOf(rule.actions);
      const lost: unknown[] = [];
      for (const action of actions) {
        const { objective, target } = nodeOf(action);
        const entry = draft.find(target);
        if (textOf(objective)?.startsWith("jump")) jump(target, holds);
        else if (objective !== "requireAnswer" || !entry) lost.push(action);
        else if (holds) required.set(entry, (required.get(entry) ?? new Set()).add(holds));
        else draft.setLogic(entry, "requireIf", undefined, rule);
      }
      if (lost.length > 0) loseLogic(block, lost);
    }
    if (isSet(node.logicFallback)) jump(node.logicFallback, true);
    if (!isKept) {
      loseLogic(block, node.logic ?? node.logicFallback);
      return undefined;
    }
    return jumps.length > 0 ? [{ at, next, jumps, original: quote(node.logic) }] : [];
  }

  const page: Record<string, string> = {};
  function addCard(node: Node, path: string, name: "introduction" | "thankYou"): void {
    readButtons(node);
    draft.loseUnread(path, node, formbricksNames.card);
    const text = textIn([node.headline, node.subheader ?? node.html]);
    if (text !== "" && page[name] !== undefined)
      draft.note(path, "text", `One such text is kept: ${quote(text)}`);
    else if (text !== "") page[name] = text;
  }

  for (const [at, id] of itemsOf(nodeOf(survey.hiddenFields).fieldIds).entries())
    draft.question(
      { path: `hiddenFields.fieldIds[${at}]`, key: id, label: id },
      { type: "hidden" },
      { prefill: true },
    );
  const hasBlocks = nodesOf(survey.blocks).length > 0;
  const blocks = nodesOf(hasBlocks ? survey.blocks : survey.questions).map((node, index): Block => {
    const [at, path] = [entries.length, `${hasBlocks ? "blocks" : "questions"}[${index}]`];
    if (textOf(node.id)) places.set(node.id, at);
    if (!hasBlocks) addElement(node, path);
    else {
      readButtons(node);
      draft.loseUnread(path, node, formbricksNames.block);
    }
    for (const [position, element] of nodesOf(hasBlocks ? node.elements : []).entries())
      addElement(element, `${path}.elements[${position}]`);
    return { path, node, at, next: entries.length };
  });
  const lists = blocks.map((block) => jumpsOf(block));
  applyJumps(
    draft,
    entries,
    lists.flatMap((each) => each ?? []),
    !lists.includes(undefined),
  );
  for (const [entry, conditions] of required)
    if (entry.field.required !== true)
      draft.setLogic(entry, "requireIf", shortOnly(any([...conditions])), "requireAnswer");

  draft.beginTexts();
  if (isTrue(nodeOf(survey.welcomeCard).enabled))
    addCard(nodeOf(survey.welcomeCard), "welcomeCard", "introduction");
  for (const [at, ending] of nodesOf(survey.endings).entries()) addCard(ending, `endings[${at}]`, "thankYou");
  if (isTrue(nodeOf(survey.thankYouCard).enabled))
    addCard(nodeOf(survey.thankYouCard), "thankYouCard", "thankYou");
  for (const [at, variable] of nodesOf(survey.variables).entries())
    draft.note(`variables[${at}]`, "setting", `A variable is left out: ${quote(variable.name)}`);
  if (buttons.size > 0)
    draft.note("survey", "text", `Texts of buttons are not kept: ${quote([...buttons].join(", "))}`);
  if (recalled !== "") draft.note("survey", "text", `The value in a text is not shown: ${quote(recalled)}`);
  draft.loseUnread("survey", survey, formbricksNames.survey);
  const settings = { ...page, ...pageLanguageOf(nodeOf(first?.language).code) };
  const name = survey.name ?? document.name;
  return draft.finish(name, undefined, isSet(settings) ? { page: settings } : {}, language);
}

export const formbricks: ImportSource = {
  title: "Formbricks",
  kinds: formbricksKinds,
  losses: [
    "One question after another: all questions of a form without page breaks are on one page.",
    "Jumps back, jumps whose condition is about a variable, and calculations.",
    "Values of other questions in texts.",
    "Pictures, videos, smileys and stars, the random order of choices.",
    "Further endings, redirects, targeting, quotas and follow-ups; texts of buttons.",
  ],
  recognizes: (document) => formbricksSurveyOf(document) !== undefined,
  convert,
};
