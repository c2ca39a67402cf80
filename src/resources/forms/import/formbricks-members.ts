/** Questions of Formbricks: their kinds and members. Pure. */
import { ownIn } from "../../../fields/values.ts";
import type { QuestionKind } from "./draft.ts";
import { axisOf, distinctOptions, type SourceOption } from "./options.ts";
import { isSet, isTrue, itemsOf, type Node, nodeOf, nodesOf, numberOf, textOf } from "./read.ts";

export const formbricksKinds: Readonly<Record<string, QuestionKind>> = {
  openText: { type: "textarea" },
  multipleChoiceSingle: { type: "select" },
  multipleChoiceMulti: { type: "multi_select" },
  pictureSelection: { type: "select", loss: "The choices have no pictures." },
  nps: { type: "nps" },
  rating: { type: "rating" },
  csat: { type: "rating" },
  ces: { type: "rating" },
  consent: { type: "consent" },
  cta: { type: "statement" },
  date: { type: "date" },
  matrix: { type: "matrix" },
  ranking: { type: "ranking" },
  fileUpload: { type: "file" },
  address: { type: "address", loss: "All its parts are shown, and its country is a code." },
  contactInfo: { type: "heading" },
  cal: { loss: "formd books no appointments." },
};
const inputTypes: Readonly<Record<string, string>> = {
  email: "email",
  url: "url",
  number: "number",
  phone: "phone",
};

/** Parts of an address. */
const addressParts = Object.entries({
  ...{ addressLine1: "line1", addressLine2: "line2", city: "city" },
  ...{ state: "region", zip: "postalCode", country: "country" },
});
/** Parts of contact data, with their types. */
export const contactParts = Object.entries({
  ...{ firstName: "text", lastName: "text", email: "email", phone: "phone", company: "text" },
});

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));
/** Members that are read, and those that change nothing for respondents. */
export const formbricksNames = {
  survey:
    setOf(`id name type blocks questions welcomeCard endings thankYouCard hiddenFields variables languages
    defaultLanguage createdAt updatedAt createdBy workspaceId environmentId projectId status displayOption
    triggers recontactDays displayLimit displayPercentage delay styling productOverwrites
    projectOverwrites workspaceOverwrites slug metadata resultShareKey showLanguageSwitch isBackButtonHidden
    isAutoProgressingEnabled isCaptureIpEnabled archivedAt segment`),
  element:
    setOf(`id type headline subheader html required label placeholder inputType longAnswer insightsEnabled
    charLimit choices displayType allowMulti scale range lowerLabel upperLabel
    isColorCodingEnabled format rows columns allowMultipleFiles maxSizeInMB buttonLabel backButtonLabel isDraft
    logic logicFallback validation addressLine1 addressLine2 city state zip country firstName lastName email
    phone company ctaButtonLabel dismissButtonLabel buttonExternal`),
  block: setOf("id name elements logic logicFallback buttonLabel backButtonLabel"),
  card: setOf(`id type enabled headline subheader html buttonLabel label`),
};

/** The member that a rule of `validation` stands for, and its value. */
const ruleMembers: Readonly<Record<string, (params: Node) => Record<string, unknown>>> = {
  minLength: ({ min }) => ({ minLength: min }),
  maxLength: ({ max }) => ({ maxLength: max }),
  pattern: ({ pattern, flags }) => ({
    pattern: `${textOf(flags)?.includes("i") ? "(?i)" : ""}${textOf(pattern) ?? ""}`,
  }),
  minValue: ({ min }) => ({ minimum: min }),
  maxValue: ({ max }) => ({ maximum: max }),
  minSelections: ({ min }) => ({ minItems: min }),
  maxSelections: ({ max }) => ({ maxItems: max }),
  minRanked: ({ min }) => ({ minItems: min }),
  rankAll: () => ({ rankAll: true }),
  answerAllRows: () => ({ allRows: true }),
};

/** The rules of a question: those that are members of a field, and the others. One of several: others. */
export function formbricksRules({ validation }: Node): { members: Record<string, unknown>; others: Node[] } {
  const { rules, logic } = nodeOf(validation);
  const [members, others]: [Record<string, unknown>, Node[]] = [{}, []];
  for (const rule of nodesOf(rules)) {
    const memberIn = ownIn(ruleMembers, textOf(rule.type) ?? "") as (typeof ruleMembers)[string] | undefined;
    if (!memberIn || isSet(rule.field) || (logic === "or" && nodesOf(rules).length > 1)) others.push(rule);
    else Object.assign(members, memberIn(nodeOf(rule.params)));
  }
  return { members, others };
}

export function formbricksKindOf({ type, inputType, longAnswer, allowMulti }: Node): QuestionKind {
  const kind = (ownIn(formbricksKinds, textOf(type) ?? "") as QuestionKind | undefined) ?? {};
  if (type === "pictureSelection" && isTrue(allowMulti)) return { ...kind, type: "multi_select" };
  if (type !== "openText") return kind;
  const input = ownIn(inputTypes, textOf(inputType) ?? "") as string | undefined;
  return input ? { type: input } : longAnswer === false ? { type: "text" } : kind;
}

type TextIn = (value: unknown, choice?: SourceOption) => string;

/** Choices, rows or columns, which may be texts. A picture has its position. */
export const formbricksChoices = (list: unknown, textIn: TextIn): SourceOption[] =>
  itemsOf(list).map((each, at) => {
    const { id, label = id === undefined ? each : undefined, imageUrl } = nodeOf(each);
    return { value: id, label: textIn(imageUrl === undefined ? label : `Picture ${at + 1}`, { value: id }) };
  });

/** The members of a question, in formd's names. @param textIn texts in the language that is kept */
export function formbricksMembersOf(
  node: Node,
  type: string | undefined,
  textIn: TextIn,
): Record<string, unknown> {
  const { enabled, min, max } = nodeOf(node.charLimit);
  const isLimited = isTrue(enabled) && type !== "number";
  const isScale = type === "rating" || type === "nps";
  const isAgreement = type === "consent" && isSet(node.label);
  const choices = formbricksChoices(node.choices, textIn);
  const requiredParts = addressParts.filter(([name]) => isTrue(ownIn(node[name], "required")));
  return {
    required: isTrue(node.required) || undefined,
    description: textIn([...(isAgreement ? [node.headline] : []), node.subheader ?? node.html]),
    placeholder: textIn(node.placeholder),
    ...(isLimited && { minLength: numberOf(min) || undefined, maxLength: numberOf(max) || undefined }),
    ...(type === "rating" && { minimum: 1, maximum: numberOf(node.range) ?? 5 }),
    ...(isScale && { minimumLabel: textIn(node.lowerLabel), maximumLabel: textIn(node.upperLabel) }),
    ...(choices.length > 0 && {
      options: distinctOptions(choices.filter(({ value }) => value !== "other")).options,
      allowOther: choices.some(({ value }) => value === "other") || undefined,
    }),
    ...(type === "matrix" && {
      rows: axisOf(formbricksChoices(node.rows, textIn)),
      columns: axisOf(formbricksChoices(node.columns, textIn)),
    }),
    ...(requiredParts.length > 0 && { requiredParts: requiredParts.map(([, part]) => part) }),
    ...(type === "file" && {
      maxItems: isTrue(node.allowMultipleFiles) ? undefined : 1,
      maxBytes: Math.floor((numberOf(node.maxSizeInMB) ?? 0) * 1024 ** 2) || undefined,
    }),
    ...formbricksRules(node).members,
  };
}

/** The survey in a document, which may be a response of the API or a template. */
export const formbricksSurveyOf = (document: Node): Node | undefined =>
  [document, ...["data", "survey", "preset"].map((name) => nodeOf(document[name]))].find(
    ({ blocks, questions }) =>
      nodesOf(blocks).some(({ elements }) => Array.isArray(elements)) ||
      nodesOf(questions).some(
        ({ type, headline }) => ownIn(formbricksKinds, textOf(type) ?? "") && isSet(headline),
      ),
  );
