/** Forms of SurveyJS, as its creator saves them and its library reads them. Pure. */
import type { Expression } from "../../../fields/conditions/expression.ts";
import { isRecord, ownIn } from "../../../fields/values.ts";
import { surveyJs } from "./dialects.ts";
import { beginDraft, type DraftEntry, type Imported, type ImportSource, type Origin } from "./draft.ts";
import { foreignExpression } from "./expressions.ts";
import { all } from "./logic.ts";
import { distinctOptions, type SourceOption } from "./options.ts";
import { isSet, type Node, nodesOf, pageLanguageOf, textOf } from "./read.ts";
import {
  readChoiceMembers,
  readMembers,
  readPartMembers,
  readValidatorMembers,
  surveyChoices,
  surveyKind,
  surveyKinds,
  surveyMembers,
  validatorType,
} from "./surveyjs-questions.ts";
import { quote, textWithoutMarkup } from "./text.ts";

/** Lists of entries, by the member with their questions. */
const repeats: Readonly<Record<string, string>> = {
  paneldynamic: "templateElements",
  matrixdynamic: "columns",
};
/** Rules of a question. */
const maxRules = 10;
const inRepeat = "It is asked again for each entry of a list.";

/** The condition of an element. One that is not visible is shown by what is left out, such as a trigger. */
const conditionIn = ({ visibleIf, visible }: Node): string | undefined =>
  textOf(visibleIf) ?? (visible === false ? "visible: false" : undefined);

/** Makes the draft of a form: the elements, then the conditions. */
function convert(form: Node): Imported {
  const draft = beginDraft("surveyjs", true);
  const language = textOf(form.locale) ?? "en";
  const later: (() => void)[] = [];
  const found = new Map<string, Expression | undefined>();
  const asked: DraftEntry[] = [];

  /** The text of the form's language, of one that may be in several. @param choice the one that it labels */
  function textFor(value: unknown, choice?: SourceOption): string {
    if (!isRecord(value)) return textWithoutMarkup(value);
    const texts = Object.entries(value).map(([name, text]) => [name, textWithoutMarkup(text)] as const);
    const set = texts.filter(([, text]) => text !== "");
    const taken = [language, "default", set[0]?.[0]].find((name) => set.some(([each]) => each === name));
    const others = set.filter(([name]) => name !== taken);
    return draft.addText(
      textWithoutMarkup(ownIn(value, taken ?? "")),
      // The library's default language.
      others.map(([name, text]) => [name === "default" ? "en" : name, text]),
      choice,
    );
  }

  /** A condition. One of a panel is the condition of its questions, and translated once. */
  function conditionOf(text: string): Expression | undefined {
    if (!found.has(text)) found.set(text, foreignExpression(text, surveyJs, draft));
    return found.get(text);
  }

  function setCondition(
    entry: DraftEntry | undefined,
    member: "showIf" | "requireIf",
    conditions: readonly (string | undefined)[],
  ): void {
    const texts = conditions.filter((text) => text !== undefined);
    if (!entry || texts.length === 0) return;
    later.push(() => {
      const known = texts.map((text) => ({ text, is: conditionOf(text) }));
      for (const { text, is } of known) if (!is) draft.setLogic(entry, member, undefined, text);
      const kept = known.filter(({ is }) => is);
      if (kept.length > 0)
        draft.setLogic(
          entry,
          member,
          all(kept.map(({ is }) => is)),
          kept.map(({ text }) => quote(text)).join(" and "),
        );
    });
  }

  function noteReferences(path: string, ...texts: unknown[]): void {
    const shown = texts.map((text) => textFor(text)).find((text) => /\{[^{}\s][^{}]*\}/.test(text));
    if (shown) draft.note(path, "text", `A value in a text is not shown: ${quote(shown)}`);
  }

  function addQuestion(node: Node, origin: Origin, conditions: readonly string[]): void {
    const members = surveyMembers(node, textFor);
    const kind = surveyKind(node, members);
    const entry = draft.question(origin, kind, node.type === "expression" ? {} : members);
    if (!entry) return;
    asked.push(entry);
    noteReferences(origin.path, node.title, node.description);
    draft.loseUnread(entry, node, readMembers);
    for (const list of [node.choices ?? node.rateValues, node.rows, node.columns])
      for (const label of distinctOptions(surveyChoices(list, textFor)).repeated)
        draft.lose(entry, "options", `${quote(label)} has the value of another choice.`);
    for (const choice of [node.choices, node.rows, node.columns].flatMap(nodesOf))
      draft.loseUnread(entry, choice, readChoiceMembers);
    for (const name of ["labelTrue", "labelFalse"])
      if (isSet(node[name]))
        draft.note(origin.path, "text", `The words are formd's: ${quote(textFor(node[name]))}`);
    for (const each of nodesOf(node.validators)) {
      // The message of an expression is kept.
      draft.loseUnread(entry, isSet(each.expression) ? { ...each, text: "" } : each, readValidatorMembers);
      const type = validatorType(each);
      if (type === undefined || (type && type !== entry.field.type))
        draft.lose(entry, "rule", `A rule has no counterpart: ${quote(each)}`);
    }
    const checks = nodesOf(node.validators).filter(({ expression }) => isSet(expression));
    const [rules, more] = [checks.slice(0, maxRules), checks.slice(maxRules)];
    if (more.length > 0) draft.lose(entry, "rule", `There are more rules: ${quote(more)}`);
    later.push(() => {
      draft.beginTexts();
      for (const { expression, text } of rules)
        draft.addRule(
          entry,
          foreignExpression(textOf(expression) ?? "", surveyJs, draft, "rule", entry),
          textFor(text),
          expression,
        );
      if (node.type === "expression")
        draft.setLogic(
          entry,
          "compute",
          foreignExpression(textOf(node.expression) ?? "", surveyJs, draft, "value", entry),
          node.expression,
        );
    });
    setCondition(entry, "showIf", conditions);
    setCondition(entry, "requireIf", [textOf(node.requiredIf)]);
  }

  /** Adds the title of a page or an element with questions. A description without one is a text. */
  function addTitle(
    node: Node,
    path: string,
    conditions: readonly (string | undefined)[],
    isBreak = false,
  ): void {
    const [key, title, description] = [textOf(node.name), textFor(node.title), textFor(node.description)];
    const type = isBreak ? "page_break" : title ? "heading" : "statement";
    const origin = { path, key, label: title || (isBreak ? key : "") };
    if (isBreak || title || description)
      setCondition(draft.part(origin, type, { description }), "showIf", conditions);
    noteReferences(path, title, description);
    draft.loseUnread(path, node, readPartMembers);
  }

  /** Adds questions that are parts of one element. */
  function addParts(
    nodes: readonly Node[],
    path: string,
    conditions: readonly string[],
    isRepeated: boolean,
  ): void {
    for (const [index, node] of nodes.entries()) {
      draft.beginTexts();
      const label = textFor(node.title);
      const origin = { path: `${path}[${index}]`, key: textOf(node.name), label };
      if (isRepeated) draft.leaveOut(origin, "repeat", inRepeat);
      else addQuestion(node, origin, conditions);
    }
  }

  function addElement(node: Node, path: string, around: readonly string[], isRepeated: boolean): void {
    draft.beginTexts();
    const [type, name, own] = [textOf(node.type) ?? "", textOf(node.name), conditionIn(node)];
    const origin = { path, key: name, label: textFor(node.title) || name };
    const conditions = own ? [...around, own] : around;
    const list = ownIn(repeats, type) as string | undefined;
    if (list) {
      draft.note(path, "repeat", `${quote(origin.label)} is a list of entries.`);
      addElements(node[list], `${path}.${list}`, [], true);
    } else if (type === "panel" || type === "multipletext") {
      if (!isRepeated) addTitle(node, path, conditions);
      if (type === "panel") addElements(node.elements, `${path}.elements`, conditions, isRepeated);
      const items = nodesOf(node.items).map((item) => ({
        ...{ ...item, type: "text", name: `${name}.${textOf(item.name)}` },
        title: isSet(item.title) ? item.title : item.name,
      }));
      if (type === "multipletext") addParts(items, `${path}.items`, conditions, isRepeated);
    } else if (isRepeated) draft.leaveOut(origin, "repeat", inRepeat);
    else if (type === "html") {
      noteReferences(path, node.html);
      setCondition(draft.part({ ...origin, label: textFor(node.html) }, "statement"), "showIf", conditions);
    } else if (type === "image")
      draft.note(path, "setting", `A picture is left out: ${quote(node.imageLink)}`);
    else addQuestion(node, origin, conditions);
  }

  function addElements(list: unknown, path: string, around: readonly string[], isRepeated = false): void {
    for (const [index, node] of nodesOf(list).entries())
      addElement(node, `${path}[${index}]`, around, isRepeated);
  }

  for (const [index, page] of nodesOf(form.pages).entries()) {
    const path = `pages[${index}]`;
    const condition = conditionIn(page);
    draft.beginTexts();
    addTitle(page, path, [condition], index > 0 || condition !== undefined);
    const member = Array.isArray(page.elements) ? "elements" : "questions";
    addElements(page[member], `${path}.${member}`, []);
  }
  addElements(form.elements ?? form.questions, "elements", []);
  for (const set of later) set();
  const texts = asked.filter(({ field: { type } }) => type === "text" || type === "textarea");
  const ids = new Set(texts.map(({ field }) => field.id));
  const isCased = ({ args }: Expression): boolean =>
    (args.some(({ op, value }) => op === "." && ids.has(String(value))) &&
      args.some(({ op, value }) => op === "value" && /\p{L}/u.test(String(value)))) ||
    args.some(isCased);
  if ([...found.values()].some((each) => each && isCased(each)))
    draft.note("", "condition", "A condition compares a text. Upper and lower case differ here.");
  draft.loseUnread("", form, readMembers);
  draft.beginTexts();
  const [thankYou, submitLabel] = [textFor(form.completedHtml), textFor(form.completeText)];
  const page = {
    ...(thankYou && { thankYou }),
    ...(submitLabel && { submitLabel }),
    ...pageLanguageOf(form.locale),
  };
  const [title, description] = [textFor(form.title), textFor(form.description)];
  noteReferences("", title, description, thankYou);
  return draft.finish(title, description, isSet(page) ? { page } : {}, language);
}

export const surveyjs: ImportSource = {
  title: "SurveyJS",
  kinds: surveyKinds,
  losses: [
    "Dynamic panels and matrices: their questions are left out.",
    "Functions other than `iif`, `sum` and `round` in expressions, and what reads an entry of a list.",
    "Choices from an address or from another question: the question becomes a text.",
    "Masks, triggers, calculated values of the form, quizzes, timers and redirects.",
    "Values of other questions in texts, and the random order of choices.",
    "Messages of rules, and that one question of a page or panel is required.",
    "Texts in languages whose names are no tags (BCP 47).",
    "Comparisons of texts without regard to case: upper and lower case differ here.",
  ],
  recognizes: ({ pages, elements, questions }) =>
    [...nodesOf(pages).flatMap((page) => [page.elements, page.questions]), elements, questions].some((list) =>
      nodesOf(list).some(({ type, name }) => typeof type === "string" && typeof name === "string"),
    ),
  convert,
};
