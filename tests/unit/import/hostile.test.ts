/** Documents with anything in any place. No source throws, is slow, or makes a form that is refused. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRecord } from "../../../src/fields/values.ts";
import { limits } from "../../../src/limits.ts";
import { checkDraft } from "../../../src/resources/forms/draft-checks.ts";
import { importSources } from "../../../src/resources/forms/import/sources.ts";
import { generatedCases, isMatrix } from "../../generated.ts";
import { corpusOf } from "../../import-corpus.ts";
import { leastCpuMs } from "../fields/fixture.ts";

/** A small document of each source, for the case that no corpus can be read. */
const samples: Readonly<Record<string, Record<string, unknown>>> = {
  formbricks: {
    questions: [
      { id: "a", type: "openText", headline: { default: "A" }, required: true, inputType: "email" },
      {
        ...{ id: "b", type: "multipleChoiceSingle", headline: { default: "B" } },
        choices: [{ id: "x", label: { default: "X" } }],
        logic: [{ condition: "equals", value: "X", destination: "end" }],
      },
    ],
  },
  formio: {
    components: [
      { key: "a", type: "textfield", label: "A", validate: { required: true, pattern: "x+" } },
      { key: "b", type: "select", label: "B", data: { values: [{ label: "X", value: "x" }] } },
      { key: "c", type: "number", label: "C", conditional: { show: true, when: "b", eq: "x" } },
    ],
  },
  googleforms: {
    ...{ formId: "f", info: { title: "T" }, settings: { emailCollectionType: "VERIFIED" } },
    items: [
      {
        title: "A",
        questionItem: {
          question: {
            required: true,
            choiceQuestion: {
              type: "RADIO",
              options: [
                { value: "x", goToSectionId: "s" },
                { value: "y", goToAction: "SUBMIT_FORM" },
                { isOther: true },
              ],
            },
          },
        },
      },
      { itemId: "s", title: "S", pageBreakItem: {} },
      {
        title: "B",
        questionGroupItem: {
          questions: [{ required: true, rowQuestion: { title: "R" } }],
          grid: { columns: { type: "CHECKBOX", options: [{ value: "c" }] } },
        },
      },
      { title: "C", questionItem: { question: { scaleQuestion: { low: 1, high: 5, lowLabel: "No" } } } },
      { title: "D", questionItem: { question: { fileUploadQuestion: { maxFiles: 2, types: ["PDF"] } } } },
    ],
  },
  typeform: {
    hidden: ["h"],
    fields: [
      {
        ...{ ref: "a", type: "multiple_choice", title: "A", validations: { required: true } },
        properties: {
          choices: [
            { ref: "x", label: "X" },
            { ref: "y", label: "Y" },
          ],
          allow_other_choice: true,
        },
      },
      {
        ref: "g",
        type: "group",
        title: "G",
        properties: { fields: [{ ref: "b", type: "yes_no", title: "B" }] },
      },
      { ref: "c", type: "opinion_scale", title: "C", properties: { steps: 7, labels: { left: "No" } } },
      { ref: "d", type: "number", title: "D {{field:a}}", validations: { min_value: 1 } },
    ],
    thankyou_screens: [{ ref: "t", title: "T", properties: { description: "D" } }],
    logic: [
      {
        ...{ type: "field", ref: "a" },
        actions: [
          {
            action: "jump",
            details: { to: { type: "field", value: "c" } },
            condition: {
              op: "is",
              vars: [
                { type: "field", value: "a" },
                { type: "choice", value: "x" },
              ],
            },
          },
          { action: "jump", details: { to: { type: "thankyou", value: "t" } }, condition: { op: "always" } },
        ],
      },
    ],
  },
  surveyjs: {
    title: { default: "T", de: "U" },
    pages: [
      {
        name: "p",
        visibleIf: "{a} = 'x'",
        elements: [
          { type: "radiogroup", name: "a", choices: ["x", { value: "y", text: "Y" }], hasOther: true },
          {
            ...{ type: "panel", name: "n", title: "N", visibleIf: "{a} notempty" },
            elements: [{ type: "text", name: "b", inputType: "number", requiredIf: "{a} = 'y'", min: 1 }],
          },
          {
            type: "matrixdropdown",
            name: "m",
            rows: [1, 2],
            columns: [{ name: "c", cellType: "text" }],
            choices: [1],
          },
          {
            type: "multipletext",
            name: "t",
            items: [{ name: "u", validators: [{ type: "regex", regex: "x" }] }],
          },
          { type: "expression", name: "e", expression: "{b} * 2" },
          { type: "paneldynamic", name: "l", templateElements: [{ type: "text", name: "v" }] },
        ],
      },
    ],
  },
  jsonschema: {
    schema: {
      ...{ type: "object", title: "T", $defs: { d: { type: "string", maxLength: 9 } }, required: ["a"] },
      properties: {
        a: { type: "string", enum: ["x", "y"], default: "x" },
        b: { $ref: "#/$defs/d", title: "B" },
        c: { type: "object", properties: { d: { type: "integer", exclusiveMinimum: 1 } } },
        e: { type: "array", uniqueItems: true, items: { oneOf: [{ const: 1, title: "One" }] } },
      },
      if: { properties: { a: { const: "x" } }, required: ["a"] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { required: ["b"], properties: { f: { type: "number" } } },
      dependencies: { b: { oneOf: [{ properties: { b: { enum: ["z"] }, g: {} } }] } },
    },
    uiSchema: { "ui:order": ["b", "*"], a: { "ui:widget": "radio", "ui:options": { inline: true } } },
  },
  xlsform: {
    survey: [
      { type: "select_one list or_other", name: "a", label: "A", required: "yes" },
      { type: "begin group", name: "g", label: "G", relevant: `$${"{a}"} = 'x'`, appearance: "field-list" },
      { type: "integer", name: "b", "label::en": "B", constraint: ". > 1", default: "2" },
      { type: "range", name: "c", parameters: "start=0 end=9 step=3", relevant: `$${"{b}"} < 5` },
      { type: "end group" },
      { type: "calculate", name: "d", calculation: `$${"{b}"} * 2` },
    ],
    choices: [{ list_name: "list", name: "x", label: "X" }],
    settings: [{ form_title: "T", default_language: "en" }],
  },
};

const documentsOf = (source: string) => [
  ...[samples[source]].filter((each) => each !== undefined),
  ...corpusOf(source).map(({ document }) => document),
];

const deep = Array.from({ length: 28 }).reduce<unknown>((inner) => ({ a: [inner] }), 1);
const values: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, "", " ", "x", "0", "true", "\u202e", "😀".repeat(300), [], {}],
  ...[
    [null],
    [[]],
    ["x", "x"],
    [{}],
    { a: {} },
    deep,
    `$${"{a}"}`,
    "{a} = 'x'",
    "data.a",
    "<b>x</b>",
    "#",
    "#/",
  ],
  ...["(a+)+$", "[", "a".repeat(20_000), Array.from({ length: 600 }, () => ({ type: "text", name: "a" }))],
  ...JSON.parse('[{"__proto__":{"type":"text"}},{"constructor":{"prototype":1},"length":9}]'),
];
const names = ["__proto__", "constructor", "toString", "length", "type", "a.b", "7", "x".repeat(300)];

/** An entry of an array, or a member of an object. */
type Slot = [holder: Record<string, unknown>, name: string];

function slotsOf(value: unknown, list: Slot[] = []): Slot[] {
  if (typeof value !== "object" || value === null) return list;
  for (const name of Object.keys(value)) {
    list.push([value as Record<string, unknown>, name]);
    slotsOf((value as Record<string, unknown>)[name], list);
  }
  return list;
}

const put = (holder: object, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });

type Change = (slot: Slot, other: Slot, value: unknown, name: string) => void;
const changes: Readonly<Record<string, Change>> = {
  replace: ([holder, name], _, value) => put(holder, name, value),
  remove: ([holder, name]) => (Array.isArray(holder) ? holder.splice(Number(name), 1) : delete holder[name]),
  add: ([holder], _, value, name) => (Array.isArray(holder) ? holder.push(value) : put(holder, name, value)),
  exchange: ([holder, name], [from, other]) => put(holder, name, structuredClone(from[other])),
  repeat: ([holder, name]) => {
    if (Array.isArray(holder)) holder.push(...structuredClone(holder.slice(0, 20)));
    else put(holder, name, [holder[name], holder[name]]);
  },
  nest: ([holder, name]) => put(holder, name, { [name]: holder[name] }),
};

const anyChange = fc.record({
  change: fc.constantFrom(...Object.values(changes)),
  at: fc.nat(),
  other: fc.nat(),
  value: fc.constantFrom(...values),
  name: fc.constantFrom(...names),
});

/** Bytes and values of a request's body. */
const maxBytes = 1_048_576;
const { maxValues } = limits.body;
const maxMs = 2_500;

/** Number of copies of a value that fit into a body. */
const timesOf = (value: unknown) =>
  Math.floor(
    Math.min(maxBytes / (JSON.stringify(value).length + 8), maxValues / (slotsOf(value).length + 2)),
  );

/** Makes a document as large as a body, by one of its values. */
const enlargements: Readonly<Record<string, (slot: Slot) => void>> = {
  text: ([holder, name]) => put(holder, name, "a".repeat(maxBytes - 10_000)),
  list: ([holder, name]) =>
    put(
      holder,
      name,
      Array.from({ length: timesOf(holder[name]) }, () => holder[name]),
    ),
  siblings: ([holder, name]) => {
    for (let count = timesOf(holder[name]); count > 0; count--)
      if (Array.isArray(holder)) holder.push(holder[name as never]);
      else put(holder, `${name}${count}`, holder[name]);
  },
};

/** A list of as many entries as a document of this size has. */
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));

/** An expression whose translation takes each condition twice. */
const branches = (depth: number): string =>
  depth === 0 ? "{n} > 1" : `iif(${branches(depth - 1)}, {n} > 2, {n} > 3)`;

/** Documents in which one part may be used many times. */
const multiplied: Readonly<Record<string, Record<string, unknown>>> = {
  formbricks: {
    questions: [
      {
        ...{ id: "a", type: "openText", headline: { default: "A" } },
        logic: [
          {
            conditions: {},
            actions: many(12_000, (at) => ({ objective: "calculate", variableId: `v${at}` })),
          },
          ...many(2_000, (at) => ({ conditions: {}, actions: [{ objective: "calculate", value: at }] })),
        ],
      },
    ],
  },
  surveyjs: {
    elements: [
      {
        ...{ type: "matrixdropdown", name: "m", rows: many(20, String), choices: many(12_000, String) },
        columns: many(25, (at) => ({ name: `c${at}` })),
      },
      { type: "text", inputType: "number", name: "n" },
      ...many(480, (at) => ({
        ...{ type: "text", name: `q${at}` },
        validators: many(10, () => ({ type: "expression", expression: branches(8) })),
      })),
    ],
  },
  jsonschema: {
    $defs: { list: { enum: many(20_000, (at) => `v${at}`) } },
    properties: Object.fromEntries(many(450, (at) => [`p${at}`, { $ref: "#/$defs/list" }])),
  },
  xlsform: {
    survey: many(10_000, (at) => ({ type: "select_one list", name: `q${at}`, label: "Q" })),
    choices: many(12_000, (at) => ({ list_name: "list", name: `c${at}` })),
  },
};

const jsonOf = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Expects that a draft and its report are not much larger than what they are made of. */
function expectSmall(document: unknown, result: unknown): void {
  expect(bytesOf(result)).toBeLessThanOrEqual(maxBytes + 4 * bytesOf(document));
}

describe.each(importSources)("%s", (name, source) => {
  test("has a sample", () => expect(source.recognizes(samples[name] ?? {})).toBe(true));

  test("a changed document makes a draft that can be published, and a report that adds up", () => {
    const documents = documentsOf(name);
    const anyDocument = fc.nat(documents.length - 1).map((index) => documents[index]);
    const property = fc.property(
      anyDocument,
      fc.array(anyChange, { minLength: 1, maxLength: 8 }),
      (original, list) => {
        const changed = jsonOf(original);
        for (const { change, at, other, value, name } of list) {
          const slots = slotsOf(changed);
          const [slot, from] = [at, other].map((index) => slots[index % slots.length]);
          if (slot && from) change(slot, from, structuredClone(value), name);
        }
        const document = jsonOf(changed);
        if (!source.recognizes(document)) return;
        const { file, report } = source.convert(document);
        expect(checkDraft(file, true)).toEqual([]);
        expect(report.converted + report.approximated + report.leftOut).toBe(report.fields);
        expect(
          report.items.every(({ path, message }) => typeof path === "string" && message.length < 1_000),
        ).toBe(true);
        expect(isRecord({}) && "polluted" in {}).toBe(false);
      },
    );
    fc.assert(property, { numRuns: Math.ceil(generatedCases(10_000) / importSources.length) });
  }, 120_000);

  test("what is used many times in a document is not as often in the draft, and takes little time", () => {
    const document = multiplied[name] ?? {};
    if (!source.recognizes(document)) return;
    expect(leastCpuMs(maxMs, () => source.convert(document))).toBeLessThan(maxMs);
    expectSmall(document, source.convert(document));
  });

  test("a document of one MiB takes little time", () => {
    const sample = samples[name] ?? {};
    const slots = slotsOf(sample).map((_, index) => index);
    for (const index of isMatrix ? slots : slots.filter((each) => each % 8 === 0))
      for (const enlarge of Object.values(enlargements)) {
        const document = jsonOf(sample);
        const slot = slotsOf(document)[index];
        if (slot) enlarge(slot);
        if (!source.recognizes(document)) continue;
        expectSmall(document, source.convert(document));
        expect([slot?.[1], enlarge.name, leastCpuMs(maxMs, () => source.convert(document)) < maxMs]).toEqual([
          ...[slot?.[1], enlarge.name, true],
        ]);
      }
  }, 120_000);
});
