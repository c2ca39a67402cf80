/** Conversions of the questions of SurveyJS, and of their members. Pure. */
import { isRecord, ownIn } from "../../../fields/values.ts";
import type { QuestionKind } from "./draft.ts";
import { axisOf, distinctOptions, type SourceOption } from "./options.ts";
import { isSet, isTrue, itemsOf, type Node, nodesOf, numberOf, textOf } from "./read.ts";

export const surveyKinds: Readonly<Record<string, QuestionKind>> = {
  text: { type: "text" },
  "text email": { type: "email" },
  "text url": { type: "url" },
  "text tel": { type: "phone" },
  "text number": { type: "number" },
  "text range": { type: "number", loss: "The number is entered." },
  "text date": { type: "date" },
  "text datetime-local": { type: "datetime" },
  "text time": { type: "time" },
  "text password": { type: "text", loss: "What is entered can be read." },
  "text month": { type: "text", loss: "A month is entered as text." },
  "text week": { type: "text", loss: "A week is entered as text." },
  "text color": { type: "text", loss: "A colour is entered as text." },
  comment: { type: "textarea" },
  radiogroup: { type: "select" },
  buttongroup: { type: "select" },
  dropdown: { type: "select" },
  checkbox: { type: "multi_select" },
  tagbox: { type: "multi_select" },
  imagepicker: { type: "select", loss: "The choices have no pictures." },
  boolean: { type: "boolean" },
  rating: { type: "rating" },
  slider: { type: "number", loss: "The number is entered." },
  ranking: { type: "ranking" },
  matrix: { type: "matrix" },
  file: { type: "file" },
  expression: { type: "hidden", loss: "Its value is calculated, and not shown." },
  signaturepad: { loss: "formd takes no signatures." },
  imagemap: {},
  html: { type: "statement" },
  panel: { type: "heading" },
  multipletext: { type: "heading" },
  matrixdropdown: { loss: "formd has no questions in the cells of a table." },
};
const elsewhere = { type: "text", loss: "Its choices are not in the form: respondents enter one." };

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));
/** Members that are read, and those that change nothing for respondents. */
export const readMembers =
  setOf(`acceptedTypes allowClear alternateRows autoFocusFirstQuestion choicesLazyLoadEnabled
  choicesLazyLoadPageSize clearInvisibleValues columnMinWidth questionDescriptionLocation rowTitleWidth
  separateSpecialChoices showPreviewBeforeComplete storeOthersAsComment allowImagesPreview allowMultiple autoGrow autocomplete cellType
  checkErrorsMode choices clearIfInvisible colCount colSpan columns commentPlaceholder completeText completedHtml
  cols correctAnswer cssClasses defaultValue description descriptionLocation displayMode displayStyle eachRowRequired
  elements errorLocation expression fitToContainer gridLayoutColumns hasNone hasOther headerView hideNumber html id
  imageFit imageHeight imageWidth indent inputType isAllRowRequired isRequired itemSize items itemTitleWidth
  labelFalse labelTrue locale otherPlaceholder logo logoFit logoHeight logoPosition logoWidth max maxLength maxRateDescription
  maxSelectedChoices maxSize maxWidth min minRateDescription minSelectedChoices minWidth multiSelect name
  navigationTitle needConfirmRemoveFile noneText page pages placeHolder placeholder progressBarLocation
  progressBarType questionErrorLocation questions questionsOnPageMode questionTitleLocation rateColorMode rateCount
  rateDisplayMode rateMax rateMin rateType rateValues renderAs requiredIf rows scaleColorMode
  searchEnabled showClearButton showCompletedPage showHeader showLabel showLabels showNavigationButtons showNoneItem
  showNumber showOtherItem showPageNumbers showPageTitles showPreview showProgressBar showQuestionNumbers
  showSelectAllItem showTOC showTitle size startWithNewLine state storeDataAsText textUpdateMode title titleLocation
  type useDisplayValuesInDynamicTexts validators valueName verticalAlign visible visibleIf waitForUpload width
  widthMode`);
/** Members of an element with questions. Required means there that one of them has a value. */
export const readPartMembers: ReadonlySet<string> = new Set(
  [...readMembers].filter((name) => name !== "isRequired" && name !== "requiredIf"),
);
export const readValidatorMembers = setOf(
  "expression maxCount maxLength maxValue minCount minLength minValue regex type",
);
/** Validators that are read, some with the only type that has such a rule. */
const validatorTypes: Readonly<Record<string, string>> = {
  ...{ text: "", answercount: "", regex: "", expression: "", numeric: "number", email: "email" },
};
export const validatorType = ({ type }: Node): unknown =>
  ownIn(validatorTypes, (textOf(type) ?? "").replace(/validator$/, ""));
export const readChoiceMembers = setOf("imageLink name text value");

type TextFor = (value: unknown, choice?: SourceOption) => string;

/** The choices, rows or columns of a list: values, or objects with them. Columns may have a name instead. */
export const surveyChoices = (list: unknown, textFor: TextFor): SourceOption[] =>
  itemsOf(list).map((each) => {
    if (!isRecord(each)) return { value: each };
    const value = each.value ?? each.name;
    return { value, label: textFor(each.text, { value }) };
  });

/** The members of a question, in formd's names. The draft drops those of another type, with an item. */
export function surveyMembers(node: Node, textFor: TextFor): Record<string, unknown> {
  const { options } = distinctOptions(surveyChoices(node.choices ?? node.rateValues, textFor));
  if (isTrue(node.hasNone) || isTrue(node.showNoneItem))
    options.push({ value: "none", label: textFor(node.noneText, { value: "none" }) || "None" });
  const checks = nodesOf(node.validators);
  const checkOf = (name: string) => checks.find((each) => isSet(each[name]))?.[name];
  const isRating = node.type === "rating" && options.length === 0;
  const least = isRating ? (numberOf(node.rateMin) ?? 1) : (node.min ?? checkOf("minValue"));
  const most = numberOf(node.rateMax) ?? Number(least) + (numberOf(node.rateCount) ?? 5) - 1;
  const areAllRequired = isTrue(node.isAllRowRequired) || isTrue(node.eachRowRequired) || undefined;
  return {
    required: isTrue(node.isRequired) || undefined,
    description: textFor(node.description),
    placeholder: textFor(node.placeholder ?? node.placeHolder),
    default: isSet(node.defaultValue) ? node.defaultValue : undefined,
    minLength: numberOf(checkOf("minLength")) || undefined,
    maxLength: [node.maxLength, checkOf("maxLength")].map(numberOf).find((length) => length && length > 0),
    pattern: textOf(checkOf("regex")),
    minimum: least ?? undefined,
    maximum: (isRating ? most : (node.max ?? checkOf("maxValue"))) ?? undefined,
    minimumLabel: textFor(node.minRateDescription),
    maximumLabel: textFor(node.maxRateDescription),
    options: options.length > 0 ? options : undefined,
    allowOther: isTrue(node.hasOther) || isTrue(node.showOtherItem) || undefined,
    minItems: (numberOf(node.minSelectedChoices) ?? numberOf(checkOf("minCount"))) || undefined,
    maxItems: (numberOf(node.maxSelectedChoices) ?? numberOf(checkOf("maxCount"))) || undefined,
    ...(node.type === "file" && {
      maxItems: isTrue(node.allowMultiple) ? undefined : 1,
      maxBytes: numberOf(node.maxSize) || undefined,
      accept: textOf(node.acceptedTypes)?.split(/\s*,\s*/),
    }),
    ...(node.type === "matrix" && {
      rows: axisOf(surveyChoices(node.rows, textFor)),
      columns: axisOf(surveyChoices(node.columns, textFor)),
      required: isTrue(node.isRequired) || areAllRequired,
      allRows: areAllRequired,
    }),
  };
}

/** The kind of a question, after its settings. */
export function surveyKind({ type, inputType, multiSelect, ...node }: Node, { options }: Node): QuestionKind {
  const checked = nodesOf(node.validators).map(validatorType).find(isSet);
  const detail = textOf(inputType)?.replace(/^datetime$/, "datetime-local") ?? checked ?? "text";
  const name = type === "text" && detail !== "text" ? `text ${detail}` : (textOf(type) ?? "");
  const kind = (ownIn(surveyKinds, name) as QuestionKind | undefined) ?? {};
  if (kind.type === "statement" || kind.type === "heading") return {};
  const isChoice = kind.type === "select" || kind.type === "multi_select" || kind.type === "ranking";
  if (isChoice && options === undefined) return elsewhere;
  if (type === "imagepicker" && isTrue(multiSelect)) return { ...kind, type: "multi_select" };
  return type === "rating" && options !== undefined ? { type: "select" } : kind;
}
