/** Questions of Form.io: their kinds and members. Pure. */
import { ownIn } from "../../../fields/values.ts";
import type { QuestionKind } from "./draft.ts";
import { axisOf, distinctOptions } from "./options.ts";
import { isSet, isTrue, itemsOf, type Node, nodeOf, nodesOf, numberOf, textOf } from "./read.ts";
import { textWithoutMarkup } from "./text.ts";

export const formioKinds: Readonly<Record<string, QuestionKind>> = {
  textfield: { type: "text" },
  textarea: { type: "textarea" },
  email: { type: "email" },
  phoneNumber: { type: "phone" },
  url: { type: "url" },
  number: { type: "number" },
  currency: { type: "number", loss: "Its currency is not shown." },
  password: { type: "text", loss: "What is entered can be read." },
  tags: { type: "text", loss: "The tags are one text." },
  checkbox: { type: "boolean" },
  selectboxes: { type: "multi_select" },
  radio: { type: "select" },
  select: { type: "select" },
  resource: { type: "text", loss: "Its choices are in a resource: respondents enter one." },
  day: { type: "date" },
  datetime: { type: "datetime" },
  time: { type: "time" },
  file: { type: "file" },
  survey: { type: "matrix" },
  address: { type: "address", loss: "Addresses are entered, not searched for." },
  hidden: { type: "hidden" },
  content: { type: "statement" },
  htmlelement: { type: "statement" },
  panel: { type: "heading" },
  fieldset: { type: "heading" },
  signature: {},
  form: { loss: "Its questions are in another form." },
};

/** Members that are read, and those that change nothing for respondents. */
export const formioNames: ReadonlySet<string> = new Set(
  `_id _vid access action addAnother addAnotherPosition allowCalculateOverride allowInput applyMaskOn
  attributes attrs authenticate autoExpand autocomplete autofocus block breadcrumb breadcrumbClickable
  builder buttonSettings calculateServer className clearOnHide clearOnRefresh collapsed collapsible columns
  components conditional content created currency currentWidth customClass customConditional customOptions
  customPrivate data dataFormat dataGridLabel dataSrc dataType datagridLabel datePicker datepickerMode
  dayFirst dbIndex decimalLimit decimalSymbol defaultValue deleted delimiter description dir disableLimit
  disableOnInvalid display enableDate enableManualMode enableMaxDateInput enableMinDateInput enableTime
  encrypted fieldMatchAccess fields fileKey fileMaxSize fileNameTemplate filter fixedSize form format
  fuseOptions hidden hideInputLabels hideLabel hideOnChildrenHidden html id idPath ignoreCache image
  imageSize inDataGrid indexeddb initDate inline input inputFormat inputMode inputsLabelPosition integer key
  keyModified label language labelMargin labelPosition labelWidth lazyLoad leftIcon legend limit lockKey machineName
  map max maxDate maxLength maxMode maxSelectedCount min minDate minLength minMode minSearch
  minSelectedCount modal modalEdit modified name navigateOnEnter numCols numRows offset onlyAvailableItems
  openWhenEmpty options optionsLabelPosition overlay owner path pattern pdfComponents persistent placeholder
  privateDownload project properties protected provider providerOptions pull push questions readOnlyValue
  redrawOn reference refreshOn refreshOnBlur refreshOnChange removeRow required revisions roles rowDrafts
  rows saveOnEnter saveRow scrollToTop searchDebounce searchEnabled searchField searchThreshold selectFields
  selectThreshold selectValues showWeeks size sort spellcheck startingDay storage storeas
  strictDateValidation submissionAccess submissionRevisions tab tabindex tableView tag tags template
  templates theme thousandsSeparator timePicker title tooltip tree type uniqueOptions uploadOnly url
  useExactSearch useLocaleSettings validate validateOn validateWhenHidden valueComponent valueProperty
  values verticalLayout webcam webcamSize width yearColumns yearRange yearRows`.split(/\s+/),
);

/** The parts of a day that are shown. */
const partsOfDay = ({ fields }: Node): Node[] =>
  ["day", "month", "year"].map((part) => nodeOf(ownIn(fields, part))).filter(({ hide }) => !isTrue(hide));

/** The kind of a component, after its settings. */
export function formioKindOf(node: Node, hasOptions: boolean): QuestionKind {
  const [type, { required, integer }] = [textOf(node.type) ?? "", nodeOf(node.validate)];
  const parts = partsOfDay(node);
  if (["radio", "select", "selectboxes"].includes(type) && !hasOptions)
    return { type: "text", loss: "Its choices are not in the form: respondents enter one." };
  if (type === "day" && parts.length < 3) return { type: "text", loss: "It asks for a part of a date." };
  if (type === "day" && new Set(parts.map((part) => isTrue(part.required))).size > 1)
    return { type: "date", loss: "Only a part of it is required." };
  if (type === "select" && isTrue(node.multiple)) return { type: "multi_select" };
  if (type === "checkbox" && isTrue(required)) return { type: "consent" };
  if (type === "number" && (isTrue(integer) || node.decimalLimit === 0)) return { type: "integer" };
  if (type === "datetime" && node.enableTime === false) return { type: "date" };
  if (type === "datetime" && node.enableDate === false) return { type: "time" };
  return (ownIn(formioKinds, type) as QuestionKind | undefined) ?? {};
}

/** The choices that are in the document. */
export function formioOptionsOf({ type, dataSrc, values, data }: Node) {
  const isElsewhere = isSet(dataSrc) && dataSrc !== "values" && dataSrc !== "json";
  const list = type === "select" ? ownIn(data, dataSrc === "json" ? "json" : "values") : values;
  const choices = itemsOf(isElsewhere ? [] : list);
  return distinctOptions(choices.map((each) => (typeof each === "string" ? { value: each } : nodeOf(each))));
}

/** A limit: 0 is none. */
const limitOf = (value: unknown): number | undefined => numberOf(value) || undefined;
/** The mask that a telephone number has unless another is set: documents may leave it out. */
const northAmerican = "(999) 999-9999";
const units: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const bytesOf = (size: unknown): number | undefined => {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)\s*([KMG]B)?/i.exec(textOf(size) ?? "") ?? [];
  return Math.floor(Number(count) * (units[unit.toUpperCase()] ?? 1)) || undefined;
};
const mediaTypesOf = (pattern: unknown): string[] | undefined => {
  const types = (textOf(pattern) ?? "").split(/\s*[,;]\s*/);
  return types.every((each) => /^[a-z]+\/(\*|[a-z0-9.+-]+)$/.test(each)) ? types : undefined;
};

export function formioDefaultOf({ type, defaultValue }: Node): unknown {
  const ticked = () =>
    Object.entries(nodeOf(defaultValue)).flatMap(([key, isOn]) => (isTrue(isOn) ? [key] : []));
  const value = type === "selectboxes" && !Array.isArray(defaultValue) ? ticked() : defaultValue;
  if (!isSet(value) || textOf(value)?.startsWith("00/00/")) return undefined;
  return type === "number" || type === "currency" ? (numberOf(value) ?? value) : value;
}

/** The members of a question, in formd's names. What its type has not is refused, with an item. */
export function formioMembersOf(node: Node, type: string | undefined): Record<string, unknown> {
  const rules = nodeOf(node.validate);
  const { minDate, maxDate } = { ...node, ...nodeOf(node.datePicker) };
  const bound = (date: unknown) => textOf(date)?.slice(0, type === "date" ? 10 : undefined);
  const isDay = partsOfDay(node).every((part) => isTrue(part.required)) && isSet(node.fields);
  const isRequired = isTrue(rules.required) || isDay || undefined;
  return {
    required: isRequired,
    description: [node.description, node.tooltip].map(textWithoutMarkup).filter(Boolean).join("\n"),
    placeholder: textOf(node.placeholder),
    default: formioDefaultOf(node),
    minLength: limitOf(rules.minLength),
    maxLength: limitOf(rules.maxLength),
    pattern: textOf(rules.pattern) && `^(?:${rules.pattern})$`,
    minimum: numberOf(rules.min) ?? bound(minDate),
    maximum: numberOf(rules.max) ?? bound(maxDate),
    multipleOf: Number(`1e-${limitOf(node.decimalLimit)}`) || undefined,
    minItems: limitOf(rules.minSelectedCount),
    maxItems: type === "file" && !isTrue(node.multiple) ? 1 : limitOf(rules.maxSelectedCount),
    ...(type?.endsWith("select") && { options: formioOptionsOf(node).options }),
    ...(type === "matrix" && {
      rows: axisOf(nodesOf(node.questions)),
      columns: axisOf(nodesOf(node.values)),
      allRows: isRequired,
    }),
    ...(type === "phone" && (node.inputMask ?? northAmerican) === northAmerican && { country: "US" }),
    ...(type === "file" && { maxBytes: bytesOf(node.fileMaxSize), accept: mediaTypesOf(node.filePattern) }),
  };
}

/** Checks for a member that has no effect as it is. */
export const isFormioDefault = (node: Node, name: string, value: unknown): boolean =>
  (name === "multiple" && ["select", "file"].includes(textOf(node.type) ?? "")) ||
  (name === "inputMask" && (value === northAmerican || node.type === "time")) ||
  (name === "inputType" && (node.type !== "checkbox" || value !== "radio")) ||
  (name === "step" && value === "any") ||
  (name === "displayInTimezone" && value === "viewer") ||
  (name === "as" && value === "string") ||
  (name === "case" && value === "mixed") ||
  (name === "widget" && (node.type !== "textfield" || ownIn(value, "type") !== "calendar")) ||
  (name === "fileMinSize" && bytesOf(value) === undefined) ||
  (name === "filePattern" && (value === "*" || mediaTypesOf(value) !== undefined)) ||
  // A limit of 0 is none.
  value === 0;
