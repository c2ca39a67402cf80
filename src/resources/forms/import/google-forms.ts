/** Forms of Google Forms, as its API returns them. Pure. */
import { isRecord, ownIn } from "../../../fields/values.ts";
import { beginDraft, type DraftEntry, type Imported, type ImportSource, type QuestionKind } from "./draft.ts";
import { applyBranches, type FormSection, type SectionBranch } from "./google-branches.ts";
import { axisOf, distinctOptions } from "./options.ts";
import { isSet, isTrue, itemsOf, type Node, nodeOf, nodesOf, numberOf, textOf } from "./read.ts";
import { quote, textWithoutMarkup } from "./text.ts";

const kinds: Readonly<Record<string, QuestionKind>> = {
  textQuestion: { type: "text" },
  "textQuestion paragraph": { type: "textarea" },
  "choiceQuestion RADIO": { type: "select" },
  "choiceQuestion DROP_DOWN": { type: "select" },
  "choiceQuestion CHECKBOX": { type: "multi_select" },
  scaleQuestion: { type: "rating" },
  ratingQuestion: { type: "rating" },
  "dateQuestion includeYear": { type: "date" },
  "dateQuestion includeTime includeYear": { type: "datetime" },
  dateQuestion: { type: "text", loss: "A day without a year is entered as text." },
  "dateQuestion includeTime": { type: "text", loss: "A day without a year is entered as text." },
  timeQuestion: { type: "time" },
  "timeQuestion duration": { type: "text", loss: "A duration is entered as text." },
  fileUploadQuestion: { type: "file" },
  "questionGroupItem RADIO": { type: "matrix" },
  "questionGroupItem CHECKBOX": { type: "matrix", loss: "Each row takes one answer." },
  "emailCollectionType RESPONDER_INPUT": { type: "email" },
  "emailCollectionType VERIFIED": { type: "email", loss: "The address is entered, and not an account's." },
  pageBreakItem: { type: "page_break" },
  textItem: { type: "statement" },
};
/** Members that are read, and those that change nothing for respondents. Points have a note of their own. */
const read: ReadonlySet<string> = new Set(
  `choiceQuestion columns dateQuestion description duration fileUploadQuestion folderId formId goToAction
  goToSectionId grading grid high highLabel iconType includeTime includeYear info isOther itemId items linkedSheetId
  low lowLabel maxFileSize maxFiles options pageBreakItem paragraph publishSettings question questionGroupItem
  questionId questionItem questions ratingQuestion ratingScaleLevel required responderUri revisionId rowQuestion
  scaleQuestion settings textItem textQuestion timeQuestion title type types value`.split(/\s+/),
);

const itemKinds = [
  "questionItem",
  "questionGroupItem",
  "pageBreakItem",
  "textItem",
  "imageItem",
  "videoItem",
];

const mediaTypes: Readonly<Record<string, string>> = {
  ...{ PDF: "application/pdf", IMAGE: "image/*", VIDEO: "video/*", AUDIO: "audio/*" },
};

const optionsOf = (list: unknown) =>
  distinctOptions(nodesOf(list).map(({ value }) => ({ value, label: value })));

/** The members of a question, in formd's names, from the object of its kind. */
function membersOf(detail: Node): Record<string, unknown> {
  const options = nodesOf(detail.options);
  const types = itemsOf(detail.types).map((each) => textOf(each) ?? "");
  const accept = types.map((type) => ownIn(mediaTypes, type));
  return {
    options: options.length > 0 ? optionsOf(options).options : undefined,
    allowOther: options.some(({ isOther }) => isTrue(isOther)) || undefined,
    maximum: numberOf(detail.high) ?? numberOf(detail.ratingScaleLevel),
    // Zero is not written.
    minimum: numberOf(detail.high) === undefined ? undefined : (numberOf(detail.low) ?? 0),
    minimumLabel: textWithoutMarkup(detail.lowLabel),
    maximumLabel: textWithoutMarkup(detail.highLabel),
    maxItems: numberOf(detail.maxFiles),
    maxBytes: numberOf(detail.maxFileSize),
    accept: accept.length > 0 && accept.every((each) => each !== undefined) ? accept : undefined,
  };
}

/** A question's member for its kind, and the kind. */
function kindOf(question: Node): { detail: Node; kind: QuestionKind } {
  const name = Object.keys(question).find((each) => each.endsWith("Question")) ?? "";
  const detail = nodeOf(question[name]);
  const type = name === "choiceQuestion" ? [textOf(detail.type) ?? ""] : [];
  const flags = ["paragraph", "includeTime", "includeYear", "duration"].filter((each) =>
    isTrue(detail[each]),
  );
  const full = [name, ...type, ...flags].join(" ");
  return { detail, kind: (ownIn(kinds, full) as QuestionKind | undefined) ?? {} };
}

/** The rows of a grid are questions. */
function matrixOf(rows: readonly Node[], columns: unknown): Record<string, unknown> {
  const titles = rows.map(({ rowQuestion }) => ({ value: nodeOf(rowQuestion).title }));
  const isRequired = rows.some(({ required }) => isTrue(required)) || undefined;
  return {
    rows: axisOf(titles),
    columns: axisOf(nodesOf(columns)),
    required: isRequired,
    allRows: (isRequired && rows.every(({ required }) => isTrue(required))) || undefined,
  };
}

/** Makes the draft of a form: the items, then the branches between sections. */
function convert(form: Node): Imported {
  const draft = beginDraft("googleforms");
  const { title, description, documentTitle } = nodeOf(form.info);
  const { emailCollectionType, quizSettings } = nodeOf(form.settings);
  const sections: FormSection[] = [{ entry: undefined, ways: [], ends: [] }];
  const places = new Map<unknown, number>();
  const branches: SectionBranch[] = [];
  const name = textOf(title) ?? textOf(documentTitle) ?? "Form";

  function addQuestion(item: Node, path: string): void {
    const { question } = nodeOf(item.questionItem);
    const { required, ...own } = nodeOf(question);
    const { detail, kind } = kindOf(own);
    const members: Node = { ...membersOf(detail), required: isTrue(required) || undefined };
    const entry = draft.question({ path, label: item.title }, kind, {
      ...members,
      description: textWithoutMarkup(item.description),
    });
    if (!entry) return;
    for (const node of [item, nodeOf(item.questionItem), own, detail, ...nodesOf(detail.options)])
      draft.loseUnread(entry, node, read);
    const options = nodesOf(detail.options);
    loseRepeated(entry, options);
    const types = itemsOf(detail.types);
    if (types.length > 0 && !members.accept && !types.includes("ANY"))
      draft.lose(entry, "rule", `Other files are accepted too: ${quote(types)}`);
    if (options.some(({ goToSectionId, goToAction }) => isSet(goToSectionId) || isSet(goToAction)))
      branches.push({ entry, section: sections.length - 1, options });
  }

  function loseRepeated(entry: DraftEntry, options: readonly Node[]): void {
    for (const value of optionsOf(options).repeated)
      draft.lose(entry, "options", `It is there more than once: ${quote(value)}`);
  }

  /** Adds a grid. Questions of a group without one are questions of their own. */
  function addGroup(item: Node, path: string): void {
    const group = nodeOf(item.questionGroupItem);
    const [grid, questions] = [nodeOf(group.grid), nodesOf(group.questions)];
    const columns = nodeOf(grid.columns);
    const kind = ownIn(kinds, `questionGroupItem ${textOf(columns.type)}`) as QuestionKind | undefined;
    if (!kind)
      for (const [index, question] of questions.entries())
        addQuestion(
          { title: nodeOf(question.rowQuestion).title ?? item.title, questionItem: { question } },
          `${path}.questionGroupItem.questions[${index}]`,
        );
    const members = matrixOf(questions, columns.options);
    const description = textWithoutMarkup(item.description);
    const entry = kind && draft.question({ path, label: item.title }, kind, { ...members, description });
    if (!entry) return;
    const options = nodesOf(columns.options);
    for (const node of [item, group, grid, columns, ...options, ...questions])
      draft.loseUnread(entry, node, read);
    for (const list of [options, questions.map(({ rowQuestion }) => ({ value: nodeOf(rowQuestion).title }))])
      loseRepeated(entry, list);
    if (members.required && !members.allRows)
      draft.lose(entry, "rule", "Some rows are required there. Here one row is enough.");
  }

  function addPart(item: Node, path: string): void {
    const text = { description: textWithoutMarkup(item.description) };
    if (isRecord(item.pageBreakItem)) {
      const entry = draft.part({ path, label: textOf(item.title) ?? name }, "page_break", text);
      if (!entry) return;
      places.set(item.itemId, sections.length);
      sections.push({ entry, ways: [], ends: [] });
    } else if (isRecord(item.textItem)) draft.part({ path, label: item.title }, "statement", text);
    draft.loseUnread(path, item, read);
  }

  const emailKind = ownIn(kinds, `emailCollectionType ${textOf(emailCollectionType)}`) as
    | QuestionKind
    | undefined;
  if (emailKind)
    draft.question({ path: "settings.emailCollectionType", label: "E-mail" }, emailKind, { required: true });
  for (const [index, item] of nodesOf(form.items).entries()) {
    const add = item.questionItem ? addQuestion : item.questionGroupItem ? addGroup : addPart;
    add(item, `items[${index}]`);
  }

  applyBranches(draft, branches, sections, places);
  if (isTrue(nodeOf(quizSettings).isQuiz))
    draft.note("settings.quizSettings", "setting", "Points and right values are not kept.");
  draft.loseUnread("", form, read);
  return draft.finish(name, description);
}

export const googleForms: ImportSource = {
  title: "Google Forms",
  kinds,
  losses: [
    "Pictures and videos, also those of questions and choices.",
    "Branches that lead back, and those of “Other”. The API does not say where a section goes on after it.",
    "Points, right values and feedback of a quiz.",
    "The random order of choices and rows, and rows of which only some are required.",
    "Rules for texts and for the number of choices, which the API does not give.",
  ],
  recognizes: ({ items }) =>
    nodesOf(items).some((item) => Object.keys(item).some((name) => itemKinds.includes(name))),
  convert,
};
