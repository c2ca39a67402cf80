/** Forms of Form.io, as its builder saves them and its API gives them. Pure. */
import type { Expression } from "../../../fields/conditions/expression.ts";
import { limits } from "../../../limits.ts";
import {
  beginDraft,
  type DraftEntry,
  type ImportDraft,
  type Imported,
  type Origin,
  type QuestionKind,
} from "./draft.ts";
import { all, answerOf, any, call, compares, equals, hasValue, literalFor, not } from "./logic.ts";
import { distinctOptions } from "./options.ts";
import { isSet, isTrue, itemsOf, memberOf, type Node, nodeOf, nodesOf, numberOf, textOf } from "./read.ts";
import type { ImportSource } from "./sources.ts";
import { quote, shortenText, textWithoutMarkup } from "./text.ts";

const kinds: Readonly<Record<string, QuestionKind>> = {
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
/** Lists of entries, whose questions are asked again for each one. */
const repeats = ["datagrid", "editgrid", "dynamicWizard", "datamap", "tree", "edittable"];
const layouts = ["well", "columns", "table", "tabs", "container"];
const captchas = ["recaptcha", "captcha"];
const hiddenKind = { type: "hidden", loss: "It is hidden: its rules are not kept." };

/** The kind of a component, after its settings. */
function kindOf(node: Node, hasOptions: boolean): QuestionKind {
  const { type, validate, fields, enableDate, enableTime, decimalLimit } = node;
  const { required, integer } = nodeOf(validate);
  if (["radio", "select", "selectboxes"].includes(textOf(type) ?? "") && !hasOptions)
    return { type: "text", loss: "Its choices are not in the form: respondents enter one." };
  if (type === "select" && isTrue(node.multiple)) return { type: "multi_select" };
  if (type === "checkbox" && isTrue(required)) return { type: "consent" };
  if (type === "number" && (isTrue(integer) || decimalLimit === 0)) return { type: "integer" };
  if (type === "datetime" && enableTime === false) return { type: "date" };
  if (type === "datetime" && enableDate === false) return { type: "time" };
  if (type === "day" && Object.values(nodeOf(fields)).some((part) => isTrue(memberOf(part, "hide"))))
    return { type: "text", loss: "It asks for a part of a date." };
  return (memberOf(kinds, textOf(type) ?? "") as QuestionKind | undefined) ?? {};
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));
/** Members that are read, and those that change nothing for respondents. */
const readNames = setOf(`_id action allowCalculateOverride allowInput attributes attrs authenticate autoExpand
  autocomplete autofocus block breadcrumb breadcrumbClickable buttonSettings className clearOnHide
  clearOnRefresh collapsed collapsible columns components conditional content currency currentWidth customClass
  customConditional customOptions data dataFormat dataGridLabel dataSrc dataType datePicker datepickerMode
  dayFirst dbIndex decimalLimit decimalSymbol defaultValue delimiter description dir disableLimit
  disableOnInvalid displayInTimezone enableDate enableManualMode enableMaxDateInput enableMinDateInput
  enableTime encrypted errorLabel fields fileKey fileMaxSize fileNameTemplate filter fixedSize form format
  fuseOptions header hidden hideInputLabels hideLabel hideOnChildrenHidden html id idPath ignoreCache image
  imageSize inDataGrid indexeddb inline input inputFormat inputType inputsLabelPosition key keyModified label
  labelMargin labelPosition labelWidth lazyLoad leftIcon legend limit lockKey map maxDate minDate minSearch
  modalEdit name navigateOnEnter numCols numRows offset options optionsLabelPosition overlay path persistent
  placeholder privateDownload properties protected provider providerOptions pull push questions readOnlyValue
  redrawOn reference refreshOn refreshOnBlur refreshOnChange requireDecimal rows saveOnEnter scrollToTop
  searchDebounce searchEnabled searchField searchThreshold selectFields selectThreshold selectValues
  showCharCount showWordCount size sort spellcheck storage storeas tab tabindex tableView tag tags template
  theme thousandsSeparator timePicker timezone title tooltip tree type uniqueOptions uploadOnly url
  useExactSearch useLocaleSettings validate validateOn validateWhenHidden valueProperty values verticalLayout
  webcam webcamSize widget width`);
const readRules = setOf(`customPrivate integer max maxLength maxSelectedCount min minLength minSelectedCount
  multiple onlyAvailableItems pattern required step strictDateValidation`);
const readPicker =
  setOf(`datepickerMode initDate maxDate maxMode minDate minMode showWeeks startingDay yearRange
  yearColumns yearRows`);
const readForm =
  setOf(`_id _vid access action builder components created deleted display fieldMatchAccess form
  machineName modified name owner path pdfComponents project properties revisions roles submissionAccess
  submissionRevisions tags title type`);

type Read = (node: Node, rules: Node) => Record<string, unknown>;

/** A limit: 0 is none. */
const limitOf = (value: unknown): number | undefined => numberOf(value) || undefined;
/** The mask that a telephone number has unless another is set. */
const northAmerican = "(999) 999-9999";

const text: Read = ({ type, inputMask }, { minLength, maxLength, pattern }) => ({
  minLength: limitOf(minLength),
  maxLength: limitOf(maxLength),
  pattern: textOf(pattern) && `^(?:${pattern})$`,
  country: type === "phoneNumber" && inputMask === northAmerican ? "US" : undefined,
});

const choice: Read = ({ type, multiple, defaultValue }, { minSelectedCount, maxSelectedCount }) => {
  if (type !== "selectboxes" && !isTrue(multiple)) return {};
  const ticked = Object.entries(nodeOf(defaultValue)).flatMap(([value, isOn]) =>
    isTrue(isOn) ? [value] : [],
  );
  const chosen = Array.isArray(defaultValue) ? defaultValue : ticked;
  return {
    minItems: limitOf(minSelectedCount),
    maxItems: limitOf(maxSelectedCount),
    default: isSet(chosen) ? chosen : undefined,
  };
};

const moment: Read = (node, { required }) => {
  const { minDate, maxDate } = { ...node, ...nodeOf(node.datePicker) };
  const isDay = node.type === "day" || node.enableTime === false;
  const bound = (date: unknown) =>
    (isDay && /^\d{4}-\d\d-\d\d/.exec(textOf(date) ?? "")?.[0]) || textOf(date);
  const dayParts = ["day", "month", "year"].map((part) => memberOf(nodeOf(node.fields)[part], "required"));
  return {
    minimum: bound(minDate),
    maximum: bound(maxDate),
    required: isTrue(required) || dayParts.every(isTrue) || undefined,
    ...(textOf(node.defaultValue)?.startsWith("00/00") && { default: undefined }),
  };
};

const number: Read = ({ decimalLimit, defaultValue }, { min, max }) => ({
  minimum: numberOf(min),
  maximum: numberOf(max),
  multipleOf: Number(`1e-${limitOf(decimalLimit)}`) || undefined,
  default: numberOf(defaultValue),
});

const units: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const bytesOf = (size: unknown): number | undefined => {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)\s*([KMG]B)?/i.exec(textOf(size) ?? "") ?? [];
  return Math.floor(Number(count) * (units[unit.toUpperCase()] ?? 1)) || undefined;
};
const mediaTypesOf = (pattern: unknown): string[] | undefined => {
  const types = (textOf(pattern) ?? "").split(/\s*[,;]\s*/);
  return types.every((each) => /^[a-z]+\/(\*|[a-z0-9.+-]+)$/.test(each)) ? types : undefined;
};
/** A component without members that have no effect as they are. */
const withoutDefaults = (node: Node): Node => ({
  ...node,
  ...(["select", "selectboxes", "file"].includes(textOf(node.type) ?? "") && { multiple: false }),
  ...((node.inputMask === northAmerican || node.type === "time") && { inputMask: "" }),
  ...(bytesOf(node.fileMinSize) === undefined && { fileMinSize: "" }),
  ...((node.filePattern === "*" || mediaTypesOf(node.filePattern)) && { filePattern: "" }),
});
const file: Read = ({ fileMaxSize, filePattern, multiple }) => ({
  maxBytes: bytesOf(fileMaxSize),
  accept: mediaTypesOf(filePattern),
  maxItems: isTrue(multiple) ? undefined : 1,
});

const axisOf = (list: unknown) =>
  distinctOptions(nodesOf(list)).options.map(({ value, label }) => ({ id: String(value), label }));
const survey: Read = ({ questions, values }, { required }) => ({
  rows: axisOf(questions),
  columns: axisOf(values),
  allRows: isTrue(required) || undefined,
});

const readers: Readonly<Record<string, Read>> = {
  ...{
    textfield: text,
    textarea: text,
    email: text,
    phoneNumber: text,
    url: text,
    password: text,
    tags: text,
  },
  ...{ number, currency: number, radio: choice, select: choice, selectboxes: choice },
  ...{ day: moment, datetime: moment, time: moment, file, survey },
};

/** The choices that are in the document. */
function optionsOf({ type, dataSrc, values, data }: Node) {
  const isElsewhere = isSet(dataSrc) && dataSrc !== "values" && dataSrc !== "json";
  const list = type === "select" ? memberOf(data, dataSrc === "json" ? "json" : "values") : values;
  return distinctOptions(
    isElsewhere
      ? []
      : itemsOf(list).map((each) => (typeof each === "string" ? { value: each } : nodeOf(each))),
  );
}

/** Nodes of a list with their paths. */
const nodesAt = (list: unknown, path: string): [Node, string][] =>
  itemsOf(list).flatMap((each, at) => [[nodeOf(each), `${path}[${at}]`] as [Node, string]]);

/** The components in a component, of whatever layout. */
function childrenOf({ components, columns, rows, valueComponent }: Node, path: string): [Node, string][] {
  const cells = itemsOf(rows).flatMap((row, at) => nodesAt(row, `${path}.rows[${at}]`));
  return [
    ...nodesAt(components, `${path}.components`),
    ...[...nodesAt(columns, `${path}.columns`), ...cells].flatMap(([cell, at]) =>
      nodesAt(cell.components, `${at}.components`),
    ),
    ...(valueComponent === undefined ? [] : nodesAt([valueComponent], `${path}.valueComponent`)),
  ];
}

/** The condition that is in effect, of the three that a component may have. */
function conditionOf({ customConditional, conditional }: Node): unknown {
  if (isSet(customConditional)) return customConditional;
  const { when, conditions, json } = nodeOf(conditional);
  const isSimple = isSet(when) || nodesOf(conditions).some(({ component }) => isSet(component));
  return isSimple ? conditional : isSet(json) ? { json } : undefined;
}

type Test = (entry: DraftEntry, value: unknown) => Expression | undefined;
const isBox = ({ field }: DraftEntry) => field.type === "boolean" || field.type === "consent";
const empty: Test = (entry) => not(isBox(entry) ? equals(entry, true) : hasValue(entry));
const ordered =
  (op: string): Test =>
  (entry, value) =>
    compares(
      entry,
      op,
      entry.field.type === "date" && typeof value === "string" ? value.slice(0, 10) : value,
    );
const textual =
  (op: string): Test =>
  (entry, value) => {
    const wanted = literalFor(entry, value);
    return wanted && call(op, answerOf(entry), wanted);
  };
/** By their names in lower case, without "not" and "date". */
const tests: Readonly<Record<string, Test>> = {
  isequal: (entry, value) => (value === "" ? empty(entry, value) : equals(entry, value)),
  isempty: empty,
  includes: (entry, value) =>
    (entry.field.type === "multi_select" ? equals : textual("contains"))(entry, value),
  ...{ startswith: textual("startsWith"), endswith: textual("endsWith") },
  ...{ greaterthan: ordered(">"), greaterthanorequal: ordered(">=") },
  ...{ lessthan: ordered("<"), lessthanorequal: ordered("<=") },
};
/** More have no counterpart: an expression has a limit, and a group's condition goes to each question in it. */
const maxConditions = 32;

/** A condition as an expression. @param entryOf the question of a key */
function expressionOf(condition: unknown, entryOf: (key: string) => DraftEntry | undefined) {
  const { when, eq, conditions, conjunction, show } = nodeOf(condition);
  const rows = isSet(when) ? [{ component: when, operator: "isEqual", value: eq }] : nodesOf(conditions);
  if (rows.length > maxConditions) return undefined;
  const tested = rows.map(({ component, operator, value }) => {
    const [key, name] = [textOf(component) ?? "", textOf(operator)?.toLowerCase().replace("date", "") ?? ""];
    const [, box = "", option] = /^(.+)\.([^.]+)$/s.exec(key) ?? [];
    const [entry, boxes] = [entryOf(key), entryOf(box)];
    const isOption = !entry && boxes?.field.type === "multi_select" && /^is(not)?equal$/.test(name);
    const test: Test | undefined = memberOf(tests, name.replace("not", "")) as Test | undefined;
    const result = isOption ? equals(boxes, option) : entry && test?.(entry, value);
    const isNegated = name.includes("not") !== (isOption && !isTrue(value));
    return isNegated ? not(result) : result;
  });
  const whole = conjunction === "any" ? any(tested) : all(tested);
  const isShown = isSet(when) ? isTrue(show) : show !== false && show !== "false";
  return isShown ? whole : not(whole);
}

/** Place of a component: the keys of containers around it, and the conditions of groups. */
interface Place {
  readonly prefix: string;
  readonly conditions: readonly unknown[];
  readonly is: "asked" | "hidden" | "repeated";
}

type PartType = Parameters<ImportDraft["part"]>[1];

function convert(document: Node): Imported {
  const draft = beginDraft("formio");
  const found = new Map<string, DraftEntry>();
  const conditional: [DraftEntry, readonly unknown[]][] = [];
  let submitLabel = "";

  function add(node: Node, origin: Origin, { is, conditions }: Place) {
    const { options, repeated } = optionsOf(node);
    const [type, rules] = [textOf(node.type) ?? "", nodeOf(node.validate)];
    if (is === "repeated")
      return draft.leaveOut(origin, "repeat", "It is asked again for each entry of a list.");
    const members = {
      required: isTrue(rules.required) || undefined,
      description: [node.description, node.tooltip].map(textWithoutMarkup).filter(Boolean).join("\n"),
      placeholder: textOf(node.placeholder),
      default: isSet(node.defaultValue) ? node.defaultValue : undefined,
      options: options.length > 0 && type !== "survey" ? options : undefined,
      ...(memberOf(readers, type) as Read | undefined)?.(node, rules),
    };
    const entry =
      is === "hidden" && type !== "hidden"
        ? draft.question(origin, hiddenKind, { default: members.default })
        : draft.question(origin, kindOf(node, options.length > 0), members);
    if (!entry) return;
    for (const key of [textOf(origin.key), textOf(node.key)])
      if (key && !found.has(key)) found.set(key, entry);
    if (conditions.length > 0) conditional.push([entry, conditions]);
    for (const label of repeated)
      draft.lose(entry, "options", `The value of ${quote(label)} is not its own.`);
    draft.loseUnread(entry, withoutDefaults(node), readNames);
    draft.loseUnread(
      entry,
      Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== 0)),
      readRules,
    );
    draft.loseUnread(entry, nodeOf(node.datePicker), readPicker);
  }

  function addPart(origin: Origin, type: PartType, conditions: readonly unknown[]) {
    const [label, ...more] = textWithoutMarkup(origin.label).split("\n");
    if (!label) return;
    const entry = draft.part({ ...origin, label }, type, { description: more.join("\n") });
    if (entry && conditions.length > 0) conditional.push([entry, conditions]);
  }

  function read([node, path]: readonly [Node, string], place: Place, isPage = false): void {
    const [type, ownKey] = [textOf(node.type) ?? "", textOf(node.key)];
    const key = ownKey && place.prefix + ownKey;
    const condition = conditionOf(node);
    const inner: Place = {
      prefix: key && ["container", "form"].includes(type) ? `${key}.` : place.prefix,
      conditions: condition === undefined ? place.conditions : [...place.conditions, condition],
      is: isTrue(node.hidden) && place.is === "asked" ? "hidden" : place.is,
    };
    const children = childrenOf(node, path);
    const isRepeat = repeats.includes(type);
    const kind = memberOf(kinds, type) as QuestionKind | undefined;
    const origin = { path, key, label: textOf(node.title) ?? textOf(node.legend) ?? node.label };
    if (type === "button" || captchas.includes(type)) {
      if (type !== "button" || !["submit", undefined, ""].includes(node.action as string | undefined))
        draft.note(path, "setting", `${quote(node.label ?? type)} is left out.`);
      else submitLabel ||= textWithoutMarkup(node.label);
    } else if (kind?.type === "statement") {
      draft.loseUnread(path, node, readNames);
      const text = isSet(node.content) ? node.content : node.html;
      if (inner.is === "asked") addPart({ path, key, label: text }, "statement", inner.conditions);
    } else if (
      isRepeat ||
      layouts.includes(type) ||
      kind?.type === "heading" ||
      (children.length > 0 && (!kind || type === "form"))
    ) {
      draft.loseUnread(path, node, readNames);
      if (isRepeat) draft.note(path, "repeat", `${quote(node.label)} is a list of entries.`);
      const hasTitle = kind?.type === "heading" || type === "";
      if (hasTitle && inner.is === "asked")
        addPart(origin, isPage ? "page_break" : "heading", inner.conditions);
      const conditions = isPage ? place.conditions : inner.conditions;
      const childPlace = { ...inner, conditions, is: isRepeat ? ("repeated" as const) : inner.is };
      for (const child of children) read(child, childPlace);
    } else add(node, origin, inner);
  }

  const isWizard = document.display === "wizard";
  for (const child of nodesAt(document.components, "components"))
    read(child, { prefix: "", conditions: [], is: "asked" }, isWizard && child[0].type === "panel");

  const known = new Map<unknown, { expression: Expression | undefined; original: string }>();
  const logicOf = (condition: unknown) => {
    const logic = known.get(condition) ?? {
      expression: expressionOf(condition, (key) => found.get(key)),
      original: quote(condition),
    };
    known.set(condition, logic);
    return logic;
  };
  for (const [entry, conditions] of conditional) {
    const logic = conditions.map(logicOf);
    for (const { expression, original } of logic)
      if (!expression) draft.setLogic(entry, "showIf", undefined, original);
    const kept = logic.filter(({ expression }) => expression);
    const originals = kept.map(({ original }) => original).join(" ");
    if (kept.length > 0)
      draft.setLogic(entry, "showIf", all(kept.map(({ expression }) => expression)), originals);
  }
  draft.loseUnread("", document, readForm);
  const settings = submitLabel
    ? { page: { submitLabel: shortenText(submitLabel, limits.formPage.maxLabelLength) } }
    : {};
  return draft.finish(textOf(document.title) ?? document.name, undefined, settings);
}

export const formio: ImportSource = {
  title: "Form.io",
  kinds,
  losses: [
    "Containers, columns, tables, tabs and wells: their questions, without the layout. A nested form: the same, if it is in the document.",
    "Data grids, edit grids, data maps and trees: their questions are left out.",
    "JavaScript and JSON Logic: custom conditions, calculated values, custom validation, and the tab Logic.",
    "Input masks, prefixes and suffixes, word counts, messages of rules, a field that is disabled.",
    "Choices from an address, a resource or a script: the question becomes a text.",
    "Buttons other than the one that submits, and CAPTCHAs.",
  ],
  recognizes: ({ components }) => Array.isArray(components),
  convert,
};
