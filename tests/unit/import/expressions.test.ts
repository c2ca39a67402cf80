// biome-ignore-all lint/suspicious/noTemplateCurlyInString: questions in XForms
/** Expressions of XForms and SurveyJS, which mean in formd what they mean there. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileExpression, scopeOf } from "../../../src/fields/conditions/evaluate.ts";
import { parse } from "../../../src/fields/conditions/parse.ts";
import { printExpression } from "../../../src/fields/conditions/print.ts";
import { lint } from "../../../src/fields/lint.ts";
import { type Dialect, surveyJs, xpath } from "../../../src/resources/forms/import/dialects.ts";
import { beginDraft, type DraftEntry } from "../../../src/resources/forms/import/draft.ts";
import {
  type ExpressionUse,
  foreignExpression,
  foreignRule,
} from "../../../src/resources/forms/import/expressions.ts";

function draftOf() {
  const draft = beginDraft("test");
  const add = (key: string, type: string, members = {}) =>
    draft.question({ path: key, key, label: key }, { type }, members);
  add("name", "text");
  add("nick", "text");
  add("age", "integer");
  add("price", "number");
  add("ok", "boolean");
  add("kind", "select", { options: ["person", "firm"] });
  add("grade", "select", { options: ["1", "2", "10"] });
  add("food", "select", { options: ["rice", "bread"], allowOther: true });
  add("extras", "multi_select", { options: ["salt"], allowOther: true });
  add("langs", "multi_select", { options: ["en", "de", "fr"] });
  add("from", "date");
  add("to", "date");
  add("cv", "file");
  add("own", "text");
  add("sum", "hidden");
  add("a b", "text");
  return draft;
}

function printed(text: string, dialect: Dialect, use?: ExpressionUse, self = "own") {
  const draft = draftOf();
  const expression = foreignExpression(text, dialect, draft, use, draft.find(self));
  return expression && printExpression(expression);
}

type Rows = [source: string, expected: string | undefined][];

describe("XPath", () => {
  test.each<Rows[number]>([
    ["${age} > 18", "data.age > 18.0"],
    ["18 < ${ age }", "data.age > 18.0"],
    ["${age}='5' or not(${age} > 18)", "data.age == 5.0 || !has(data.age) || data.age <= 18.0"],
    ["${name} = '' and ${nick} != \"\"", "!has(data.name) && has(data.nick)"],
    ["${kind} != 'firm'", "!has(data.kind) || data.kind != 'firm'"],
    ["${kind} = 'club'", undefined],
    ["${ok} = 'yes'", "data.ok == true"],
    ["selected(${langs}, 'en')", "'en' in data.langs"],
    ["not(selected(${kind}, 'firm'))", "!has(data.kind) || data.kind != 'firm'"],
    ["${langs} = 'en de'", "size(data.langs) == 2 && 'en' in data.langs && 'de' in data.langs"],
    ["count-selected(${langs}) < 2", "!has(data.langs) || size(data.langs) < 2"],
    ["count-selected(${langs}) = 0", "!has(data.langs) || size(data.langs) == 0"],
    ["0 != count-selected(${langs})", "0 != size(data.langs)"],
    ["string-length(${name}) = 0", "!has(data.name) || size(data.name) == 0"],
    ["string-length(${name}) != 3", "!has(data.name) || size(data.name) != 3"],
    ["selected(${food}, 'other')", "has(data.food) && !(data.food in ['rice', 'bread'])"],
    ["${food} != 'other'", "!has(data.food) || data.food in ['rice', 'bread']"],
    ["selected(${extras}, 'other')", undefined],
    ["string-length(${name}) > 5", "size(data.name) > 5"],
    ["${grade} > 1", undefined],
    ["${from} < ${to}", "data.from < data.to"],
    ["${from} >= date('2020-01-01')", "data.from >= '2020-01-01'"],
    ["${from} < today()", undefined],
    ["${from} > 'soon'", undefined],
    ["(${price} + 1) * 2 div 3 > -1", "(data.price + 1.0) * 2.0 / 3.0 > -1.0"],
    ["${price} mod 2 = 0", undefined],
    ["contains(${name}, 'x')", "data.name.contains('x')"],
    ["coalesce(${price}, 0) > 4", "(has(data.price) ? data.price : 0.0) > 4.0"],
    ["${cv} != ''", undefined],
    ["${absent} = 1", undefined],
    ["${a b} = 'x'", "data.a_b == 'x'"],
    ["${name} = '' or ${name} != 'x'", "!has(data.name) || data.name != 'x'"],
    ["true() and ${name}", "true && has(data.name)"],
    ["/data/name = 'x'", undefined],
    ["", undefined],
  ])("%s", (source, expected) => expect(printed(source, xpath)).toBe(expected));

  test.each<Rows[number]>([
    [
      "string-length(.) > 5 and . != ${name}",
      "size(data.own) > 5 && (!has(data.name) || data.own != data.name)",
    ],
    [". = ${name}", "has(data.name) && data.own == data.name"],
    ["${age} > 3", "has(data.age) && data.age > 3.0"],
  ])("a rule: %s", (source, expected) => expect(printed(source, xpath, "rule")).toBe(expected));

  test.each<Rows[number]>([
    ["round(${price} * 1.19, 2)", "math.round(data.price * 1.19 * 100.0) / 100.0"],
    ["int(${price})", "data.price < 0.0 ? math.ceil(data.price) : math.floor(data.price)"],
    ["if(${age} > 18, 'adult', 'child')", "has(data.age) && data.age > 18.0 ? 'adult' : 'child'"],
    ["if(${age} > 18, 'adult', 1)", undefined],
    ["concat(${name}, '-', 3)", "(has(data.name) ? data.name : '') + '-' + '3'"],
    ["${price} + count-selected(${langs})", undefined],
    ["jr:choice-name(${kind}, '${kind}')", undefined],
  ])("a calculation: %s", (source, expected) => expect(printed(source, xpath, "value")).toBe(expected));

  test("a calculated value has a type in what comes after it", () => {
    const draft = draftOf();
    foreignExpression("${price} * 2", xpath, draft, "value", draft.find("sum"));
    const later = foreignExpression("${sum} = '1'", xpath, draft);
    expect(later && printExpression(later)).toBe("data.sum == 1.0");
  });

  test("the pattern of a rule is a pattern", () => {
    const draft = draftOf();
    const own = draft.find("own") as DraftEntry;
    const rule = foreignRule("regex(., '[a-z]+') and string-length(.) < 5", xpath, draft, own);
    expect(rule?.pattern).toBe("^(?:[a-z]+)$");
    expect(rule?.rule && printExpression(rule.rule)).toBe("size(data.own) < 5");
    expect(foreignRule("regex(., '^a$')", xpath, draft, own)).toEqual({ pattern: "^a$" });
    expect(foreignRule("regex(., 'a') or . = 'b'", xpath, draft, own)).toBeUndefined();
  });
});

describe("SurveyJS", () => {
  test.each<Rows[number]>([
    ["{age} greater 18 && {kind} = firm", "data.age > 18.0 && data.kind == 'firm'"],
    ["!({age} > 18)", "!has(data.age) || data.age <= 18.0"],
    ["!{name} empty or {nick} NotEmpty", "has(data.name) || has(data.nick)"],
    ["{langs} contains 'en'", "'en' in data.langs"],
    ["{langs} notcontains 'en'", "!has(data.langs) || !('en' in data.langs)"],
    ["{langs} anyof ['en', 'de']", "'en' in data.langs || 'de' in data.langs"],
    ["{langs} allof ['en', 'de']", "'en' in data.langs && 'de' in data.langs"],
    ["{langs} = ['en']", "size(data.langs) == 1 && 'en' in data.langs"],
    ["{kind} anyof ['firm']", "data.kind == 'firm'"],
    ["{ok} = false", "data.ok == false"],
    ["{ok} <> false", "!has(data.ok) || data.ok != false"],
    ["{food} = other", "has(data.food) && !(data.food in ['rice', 'bread'])"],
    ["{extras} contains 'other'", undefined],
    ["{ok}", "data.ok == true"],
    ["{name} <> null", "has(data.name)"],
    [
      "{price} + {age} >= 5",
      "(has(data.price) ? data.price : 0.0) + (has(data.age) ? data.age : 0.0) >= 5.0",
    ],
    [
      "iif({ok}, {age}, 1) > 2",
      "data.ok == true && data.age > 2.0 || (!has(data.ok) || data.ok != true) && 1.0 > 2.0",
    ],
    ["{name} = 'it\\'s'", "data.name == 'it\\'s'"],
    ["{panel.x} = 1", undefined],
    ["age({from}) > 18", undefined],
  ])("%s", (source, expected) => expect(printed(source, surveyJs)).toBe(expected));

  test("calculations count an absent number as zero", () => {
    expect(printed("sum({price}, 2)", surveyJs, "value")).toBe("(has(data.price) ? data.price : 0.0) + 2.0");
    expect(printed("{name} + '!'", surveyJs, "value")).toBe("(has(data.name) ? data.name : '') + '!'");
  });
});

/** Results in the source's own program; the last one without any value. */
const meanings: [
  source: string,
  dialect: Dialect,
  data: Record<string, unknown>,
  present: boolean,
  absent: boolean,
][] = [
  ["${age} != 5", xpath, { age: 5 }, false, true],
  ["not(${age} < 5 or ${name} = 'x')", xpath, { age: 7, name: "y" }, true, true],
  ["${name} = ${nick}", xpath, { name: "a", nick: "b" }, false, true],
  ["${name} != ${nick}", xpath, { name: "a" }, true, false],
  ["not(count-selected(${langs}) >= 1)", xpath, { langs: ["en"] }, false, true],
  ["if(${age} > 18, ${ok} = 'true', ${name} = '')", xpath, { age: 20, ok: true }, true, true],
  ["${langs} != 'en'", xpath, { langs: ["de", "en"] }, true, true],
  ["concat(${name}, 'x') = 'x'", xpath, { name: "y" }, false, true],
  ["not(contains(${name}, 'a'))", xpath, { name: "abc" }, false, true],
  ["{age} != 5", surveyJs, { age: 5 }, false, true],
  ["{price} * 2 < 1", surveyJs, { price: 1 }, false, true],
  ["{name} = {nick}", surveyJs, { name: "a", nick: "a" }, true, true],
  ["{langs} noneof ['en']", surveyJs, { langs: ["en", "de"] }, false, true],
  ["!({age} >= 5) and !{ok}", surveyJs, { age: 5, ok: false }, false, true],
];

test.each(meanings)("%s means the same where a value is absent", (source, dialect, data, present, absent) => {
  const expression = foreignExpression(source, dialect, draftOf());
  const evaluate = compileExpression(expression as NonNullable<typeof expression>);
  const results = [data, {}].map((values) => evaluate(scopeOf({ ...values })) === true);
  expect(results).toEqual([present, absent]);
});

const tokens = [
  ..."()[],.+-*/=<>!' \"".split(""),
  ...["${age}", "${name}", "${langs}", "${kind}", "${ok}", "${price}", "${", "{age}", "{langs}", "{"],
  ...["and", "or", "not(", "if(", "iif(", "selected(", "round(", "int(", "coalesce(", "concat(", "date("],
  ...["'en'", "'firm'", "''", "5", "0.5", "div", "mod", "!=", "<=", "contains", "anyof", "empty", "true()"],
  ...[
    "true",
    "count-selected(",
    "string-length(",
    "regex(",
    "sum(",
    "__proto__",
    "constructor",
    "constructor(",
  ],
];
const soup = fc.oneof(
  fc.array(fc.constantFrom(...tokens), { maxLength: 40 }).map((parts) => parts.join(" ")),
  fc.string({ unit: "binary", maxLength: 60 }),
  // Expressions that are nested, so that most of them are valid.
  fc.letrec<{ term: string }>((tie) => ({
    term: fc.oneof(
      { depthSize: "medium" },
      fc.constantFrom(
        "${age}",
        "${price}",
        "${kind}",
        "${name}",
        "${langs}",
        "5",
        "'firm'",
        "'en'",
        "''",
        ".",
      ),
      fc
        .tuple(tie("term"), fc.constantFrom("=", "!=", "<", "and", "or", "+", "*"), tie("term"))
        .map((parts) => `(${parts.join(" ")})`),
      fc.tuple(tie("term"), tie("term"), tie("term")).map(([a, b, c]) => `if(${a}, ${b}, ${c})`),
      fc
        .tuple(fc.constantFrom("not", "int", "round", "concat", "string-length"), tie("term"))
        .map(([name, of]) => `${name}(${of})`),
      fc
        .tuple(fc.constantFrom("selected", "coalesce", "contains"), tie("term"), tie("term"))
        .map(([name, a, b]) => `${name}(${a}, ${b})`),
    ),
  })).term,
);

test("whatever the text is, the result is one that publishing accepts, or there is none", () => {
  fc.assert(
    fc.property(soup, fc.constantFrom<ExpressionUse>("condition", "rule", "value"), (text, use) => {
      for (const dialect of [xpath, surveyJs]) {
        const result = printed(text, dialect, use);
        if (result === undefined) continue;
        parse(result);
        const { file } = draftOf().finish("Form");
        const member =
          use === "condition"
            ? { showIf: result }
            : use === "value"
              ? { compute: result }
              : { rules: [{ rule: result, message: "No" }] };
        const fields = file.schema.fields.map((field) =>
          field.id === "own" ? { ...field, type: use === "value" ? "hidden" : "text", ...member } : field,
        );
        expect(lint({ fields })).toEqual([]);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("the work is bounded", () => {
  const branches = (depth: number): string =>
    depth === 0 ? "${age} > 1" : `if(${branches(depth - 1)}, true(), false())`;
  const hostile = [
    "(".repeat(4_000),
    `\${${"a".repeat(3_900)}`,
    `${"not(".repeat(800)}true()${")".repeat(800)}`,
    Array(1_000).fill("1").join("+"),
    branches(15),
    `${"int(".repeat(15)}\${age}${")".repeat(15)} > 1`,
    "${age} > 1 and ".repeat(260),
    "'".repeat(3_999),
  ];
  const draft = draftOf();
  const options = Array.from({ length: 50_000 }, (_, index) => String(index));
  draft.question({ path: "many", key: "many" }, { type: "select" }, { options });
  expect(foreignExpression("${many} = 5", xpath, draft)).toBeDefined();
  const start = performance.now();
  for (let run = 0; run < 1_000; run++) foreignExpression("${many} > 5", xpath, draft);
  for (const text of hostile)
    for (const dialect of [xpath, surveyJs]) expect(printed(text, dialect)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(1_000);
});
