import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileExpression, scopeOf } from "../../../src/fields/conditions/evaluate.ts";
import { parse } from "../../../src/fields/conditions/parse.ts";
import { importForm } from "../../../src/resources/forms/import/sources.ts";

type Members = Record<string, unknown>;

const convert = (fields: Members[], members: Members = {}) =>
  importForm({ title: "T", fields: fields.map((each) => ({ title: "Q", ref: "q", ...each })), ...members });
const choices = [{ ref: "r1", label: "One" }, { id: "r2", label: "Two" }, { label: "Three" }];
const rowOf = (ref: string, { properties, ...members }: Members = {}) => ({
  ...{ ref, title: ref.toUpperCase(), type: "multiple_choice", ...members },
  properties: { choices: [{ ref: `${ref}1`, label: "Good" }], ...(properties as Members) },
});
const options = [
  { value: "r1", label: "One" },
  { value: "r2", label: "Two" },
  { value: "Three", label: "Three" },
];

describe("a field of Typeform", () => {
  test.each<[field: Members, converted: Members]>([
    [
      {
        type: "short_text",
        validations: { required: true, max_length: 20 },
        properties: { description: "D" },
      },
      { type: "text", required: true, maxLength: 20, description: "D" },
    ],
    [{ type: "long_text" }, { type: "textarea" }],
    [{ type: "email" }, { type: "email" }],
    [{ type: "website" }, { type: "url" }],
    [
      { type: "phone_number", properties: { default_country_code: "de" } },
      { type: "phone", country: "DE" },
    ],
    [
      { type: "number", validations: { min_value: 0, max_value: 9 } },
      { type: "number", minimum: 0, maximum: 9 },
    ],
    [{ type: "date", properties: { structure: "DDMMYYYY", separator: "/" } }, { type: "date" }],
    [{ type: "yes_no" }, { type: "boolean" }],
    [{ type: "legal" }, { type: "consent" }],
    [{ type: "file_upload" }, { type: "file" }],
    [
      { type: "multiple_choice", properties: { choices, allow_other_choice: true } },
      { type: "select", options, allowOther: true },
    ],
    [
      {
        type: "multiple_choice",
        properties: { choices, allow_multiple_selection: true },
        validations: { min_selection: 1, max_selection: 2 },
      },
      { type: "multi_select", options, minItems: 1, maxItems: 2 },
    ],
    [
      { type: "dropdown", properties: { choices } },
      { type: "select", options },
    ],
    [
      { type: "ranking", properties: { choices } },
      { type: "ranking", options },
    ],
    [
      { type: "rating", properties: { steps: 7, shape: "star" } },
      { type: "rating", minimum: 1, maximum: 7 },
    ],
    [
      { type: "opinion_scale", properties: { steps: 6, labels: { left: "No", right: "Yes" } } },
      { type: "rating", minimum: 0, maximum: 5, minimumLabel: "No", maximumLabel: "Yes" },
    ],
    [
      { type: "opinion_scale", properties: { steps: 5, start_at_one: true } },
      { type: "rating", minimum: 1, maximum: 5 },
    ],
    [{ type: "nps" }, { type: "nps" }],
    [
      {
        type: "matrix",
        properties: {
          fields: ["x", "y"].map((ref) => rowOf(ref, { validations: { required: true } })),
        },
      },
      {
        ...{ type: "matrix", required: true, allRows: true, columns: ["Good"] },
        rows: [
          { id: "x", label: "X" },
          { id: "y", label: "Y" },
        ],
      },
    ],
  ])("%j is %j, and nothing is lost", (field, converted) => {
    const { file, report } = convert([field]);
    expect(file.schema.fields).toEqual([{ id: "q", label: "Q", ...converted }]);
    expect(report).toEqual({
      ...{ source: "typeform", fields: 1, converted: 1, approximated: 0, leftOut: 0, items: [] },
    });
  });

  test.each<[field: Members, type: string]>([
    [
      { type: "picture_choice", properties: { choices: [{ label: "A", attachment: { href: "x" } }] } },
      "select",
    ],
    [{ type: "dropdown", properties: { choices, alphabetical_order: true } }, "select"],
    [{ type: "multiple_choice", properties: { choices, randomize: true } }, "select"],
    [{ type: "nps", properties: { labels: { center: "So so" } } }, "nps"],
    [{ type: "dropdown", properties: { choices: [{ label: "A" }, { label: "A" }] } }, "select"],
    ...[
      { type: "multiple_choice", validations: { required: true } },
      { type: "multiple_choice", properties: { allow_multiple_selection: true } },
      { type: "multiple_choice", properties: { description: "Of all" } },
    ].map((row): [Members, string] => [
      { type: "matrix", properties: { fields: [rowOf("x"), rowOf("y", row)] } },
      "matrix",
    ]),
    [{ type: "short_text", layout: { type: "split", attachment: { href: "https://example.com" } } }, "text"],
    [{ type: "short_text", attachment: { type: "image", href: "https://example.com/a.png" } }, "text"],
  ])("%j is kept with an item", (field, type) => {
    const { file, report } = convert([field]);
    expect(file.schema.fields).toMatchObject([{ id: "q", type }]);
    expect(report).toMatchObject({ fields: 1, approximated: 1, items: [{ path: "fields[0]" }] });
  });

  test.each(["payment", "calendly", "own", "__proto__"])("%s is left out, with its name", (type) => {
    const { report } = convert([{ type, title: "Here" }]);
    expect(report).toMatchObject({
      fields: 1,
      leftOut: 1,
      items: [{ severity: "left_out", path: "fields[0]" }],
    });
    expect(report.items[0]?.message).toStartWith("“Here”: ");
  });

  test("in a group follows its page break, in a contact its heading; screens are the page's texts", () => {
    const { file, report } = convert(
      [
        { type: "statement", title: "*Hello*, see [us](https://example.com/a)", ref: "s" },
        {
          type: "group",
          title: "G",
          ref: "g",
          properties: { fields: [{ type: "email", title: "E", ref: "e" }] },
        },
        { type: "group", title: "H", ref: "h", properties: { fields: [] } },
        {
          ...{ type: "contact_info", title: "C", ref: "c" },
          properties: { fields: [{ type: "short_text", title: "First", subfield_key: "first_name" }] },
        },
      ],
      {
        hidden: ["source"],
        settings: { language: "de" },
        custom_messages: { "label.button.submit": "Send ".repeat(100) },
        welcome_screens: [
          { title: "Welcome", properties: { description: "Two minutes", button_text: "Go" } },
        ],
        thankyou_screens: [
          { title: "Thanks {{hidden:source}}", properties: { redirect_url: "https://example.com" } },
          { title: "Bye {{field:e}}" },
        ],
      },
    );
    expect(file.schema.fields.map(({ id, type, label }) => `${type} ${id} ${label}`)).toEqual([
      "hidden source source",
      "statement s Hello, see us (https://example.com/a)",
      "page_break g G",
      "email e E",
      "page_break h H",
      "page_break page_break …",
      "heading c C",
      "text first_name First",
    ]);
    expect(file.settings).toEqual({
      page: {
        introduction: "Welcome\nTwo minutes",
        thankYou: "Thanks",
        language: "de",
        submitLabel: expect.stringMatching(/^Send .*…$/),
      },
    });
    expect(report).toMatchObject({ fields: 3, converted: 3 });
    expect(report.items.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      "note welcome_screens[0]",
      "note thankyou_screens[0]",
      "note thankyou_screens[0]",
      "note thankyou_screens[1]",
      "note thankyou_screens[1]",
      "note submitLabel",
    ]);
  });
});

interface TestJump {
  /** The letter of a choice; undefined: always. */
  is: string | undefined;
  /** The position of a field; the number of fields: the end. */
  to: number;
}

const letters = ["a", "b", "c"];
const ref = (at: number) => `q${at}`;
const jumpsOf = (lists: readonly (readonly TestJump[])[]) =>
  lists.map((list, at) => ({
    ...{ type: "field", ref: ref(at) },
    actions: list.map(({ is, to }) => ({
      action: "jump",
      details: {
        to: to < lists.length ? { type: "field", value: ref(to) } : { type: "thankyou", value: "t" },
      },
      condition: is
        ? {
            op: "is",
            vars: [
              { type: "field", value: ref(at) },
              { type: "choice", value: is },
            ],
          }
        : { op: "always", vars: [] },
    })),
  }));
const withJumps = (lists: readonly (readonly TestJump[])[], required: readonly boolean[]) =>
  convert(
    lists.map((_, at) => ({
      ...{ type: "multiple_choice", ref: ref(at), title: ref(at), validations: { required: required[at] } },
      properties: { choices: letters.map((letter) => ({ ref: letter, label: letter })) },
    })),
    { logic: jumpsOf(lists) },
  );

describe("jumps of Typeform", () => {
  const conditionsOf = (lists: readonly (readonly TestJump[])[]) =>
    withJumps(lists, []).file.schema.fields.map(({ showIf }) => showIf);

  test("are the negated condition of what they pass", () => {
    expect(conditionsOf([[{ is: "a", to: 2 }], [], []])).toEqual([
      undefined,
      "!has(data.q0) || data.q0 != 'a'",
      undefined,
    ]);
  });

  test("to one question each are its own condition", () => {
    const branches = ["a", "b", "c"].map((is, index) => ({ is, to: index + 1 }));
    const back = [{ is: undefined, to: 4 }];
    expect(conditionsOf([[...branches, { is: undefined, to: 4 }], back, back, back, []])).toEqual([
      undefined,
      "data.q0 == 'a'",
      "data.q0 == 'b'",
      "data.q0 == 'c'",
      undefined,
    ]);
  });

  test("back, and those whose condition has no counterpart, are quoted with all of their question", () => {
    const { file, report } = withJumps(
      [
        [],
        [
          { is: "a", to: 0 },
          { is: undefined, to: 3 },
        ],
        [],
        [],
      ],
      [],
    );
    expect(file.schema.fields.every(({ showIf }) => showIf === undefined)).toBe(true);
    expect(report.items).toMatchObject([{ severity: "approximated", path: "fields[1]", code: "condition" }]);
    expect(report.items[0]?.message).toContain('"action":"jump"');
  });

  test("whatever they are, what is asked is what Typeform asks", () => {
    const count = 7;
    const list = (at: number) =>
      fc.array(
        fc.record({
          is: fc.option(fc.constantFrom(...letters), { nil: undefined }),
          to: fc.integer({ min: at + 1, max: count }),
        }),
        { maxLength: 3 },
      );
    const lists = fc.tuple(...Array.from({ length: count }, (_, at) => list(at)));
    const answers = fc.array(fc.constantFrom(...letters), { minLength: count, maxLength: count });
    const flags = fc.array(fc.boolean(), { minLength: count, maxLength: count });
    let compared = 0;
    fc.assert(
      fc.property(lists, answers, flags, flags, (jumps, chosen, required, answered) => {
        const { file, report } = withJumps(jumps, required);
        // Some conditions are too long.
        if (report.items.length > 0) return;
        compared++;
        const valueAt = (at: number) => (required[at] || answered[at] ? chosen[at] : undefined);
        const asked: string[] = [];
        for (let at = 0; at < count; ) {
          asked.push(ref(at));
          const value = valueAt(at);
          at = jumps[at]?.find(({ is }) => is === undefined || is === value)?.to ?? at + 1;
        }
        const values: Record<string, unknown> = {};
        const shown: string[] = [];
        for (const [at, { id, showIf }] of file.schema.fields.entries()) {
          if (showIf !== undefined && compileExpression(parse(String(showIf)))(scopeOf(values)) !== true)
            continue;
          shown.push(id);
          if (valueAt(at) !== undefined) values[id] = valueAt(at);
        }
        expect(shown).toEqual(asked);
      }),
      { numRuns: 1_000 },
    );
    expect(compared).toBeGreaterThan(700);
  });
});
