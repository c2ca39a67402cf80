/**
 * Random forms whose questions depend on others, with what a respondent may enter in their controls: for
 * tests that compare a page with validation.
 */
import fc from "fast-check";

/** A control, by its name, with texts that may be entered; some have the wrong format. */
export interface Control {
  name: string;
  texts: readonly string[];
}

const from = fc.constantFrom;
const field = (id: string, type: string, rest: object = {}) => ({ id, type, label: id, ...rest });

/** Fields that others depend on: every type that a page has a control for. */
const base: readonly [definition: { id: string }, ...controls: Control[]][] = [
  [field("t", "text"), { name: "t", texts: ["", " ", "x", "xy", "😀 a.", "\uff5e"] }],
  [field("n", "number"), { name: "n", texts: ["", "1", "2,5", "0", "x", "9007199254740993"] }],
  [field("i", "integer"), { name: "i", texts: ["", "2", "2.5"] }],
  [field("b", "boolean"), { name: "b", texts: ["true", "false"] }],
  [field("y", "consent"), { name: "y", texts: ["", "on"] }],
  [field("s", "select", { options: ["DE", "FR", "x y"] }), { name: "s", texts: ["DE", "FR", "x y"] }],
  [
    field("o", "select", { options: [{ value: 1 }, { value: 2.5 }, "1"], validation: { allowOther: true } }),
    { name: "o", texts: ["1", "2.5", '"1"'] },
    { name: "o.other", texts: ["", "no"] },
  ],
  [
    field("m", "multi_select", { options: ["a", "b", "c"] }),
    { name: "m", texts: ["a"] },
    { name: "m", texts: ["b"] },
  ],
  [field("r", "ranking", { options: ["p", "q"] }), { name: "r", texts: ["", "p", "q"] }],
  [field("d", "date"), { name: "d", texts: ["", "2026-11-22", "1999-01-01"] }],
  [field("w", "time"), { name: "w", texts: ["", "09:00"] }],
  [field("z", "datetime"), { name: "z.local", texts: ["", "2026-11-22T09:00"] }],
  [field("e", "email"), { name: "e", texts: ["", "ada@example.org", "nobody"] }],
  [field("u", "url"), { name: "u", texts: ["", "https://example.org", "example"] }],
  [
    field("a", "address"),
    { name: "a.city", texts: ["", " ", "x"] },
    { name: "a.country", texts: ["", "DE"] },
  ],
  [
    field("x", "matrix", { rows: ["speed", "price"], columns: ["good", "bad"] }),
    { name: "x.speed", texts: ["good", "bad"] },
  ],
  [field("7 a", "x-thing"), { name: "7 a", texts: ["", "v"] }],
];

/** Conditions over them; each may be used by any field that comes later. */
const plain = [
  "data.b",
  "data.y == true",
  "has(data.t)",
  "has(data.a.city)",
  "'country' in data.a",
  "'7 a' in data",
  "data['7 a'] == 'v'",
  "data.s == 'DE'",
  "data.s in ['FR', 'x y']",
  "data.o == 1",
  "data.o == '1'",
  "has(data.o)",
  "data.n >= 1",
  "data.n * 2.0 > 3.0",
  "data.i != 3",
  "has(data.n)",
  "data.t.startsWith('x')",
  "data.t.size() >= 2",
  "data.t < '😀'",
  "'a' in data.m",
  "size(data.m) < 2",
  "data.r == ['p']",
  "data.d < '2020-01-01'",
  "data.w == '09:00'",
  "has(data.z)",
  "has(data.e)",
  "data.u.endsWith('org')",
  "data.x.speed == 'good'",
  "data.h == 7.0",
];

/** The dependent fields that are never calculated. */
const isText = (id: string) => id === "f0" || id === "f2";

const conditionOver = (ids: readonly string[]) => {
  const own = ids.flatMap((id) => [`has(data.${id})`, ...(isText(id) ? [`data.${id} == 'yes'`] : [])]);
  const leaf = from(...plain, ...own, ...own);
  return fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      leaf,
      fc
        .tuple(from(" && ", " || "), fc.array(tie("condition"), { minLength: 2, maxLength: 3 }))
        .map(([op, parts]) => `(${parts.join(op)})`),
      tie("condition").map((each) => `!(${each})`),
    ),
  })).condition;
};

const calculations = [
  ["number", "data.n * 2.0"],
  ["integer", "math.round(data.n)"],
  ["integer", "data.n / 2.0"],
  ["text", "data.t + '!'"],
  ["boolean", "data.n > 1.0"],
  ["select", "data.s"],
  ["date", "data.d"],
  ["datetime", "data.z"],
] as const;

/** Ids of the fields that depend on others, in their order. */
const dependentIds = ["f0", "f1", "f2", "f3", "f4"];

const dependent = dependentIds.map((id, index) =>
  fc
    .tuple(
      conditionOver(dependentIds.slice(0, index)),
      fc.option(from(...calculations), { freq: 3, nil: undefined }),
      fc.boolean(),
    )
    .map(([showIf, calculation, isStatement]) => {
      if (calculation && !isText(id)) {
        const [type, compute] = calculation;
        const options = type === "select" && { options: ["DE", { value: "FR", label: "France" }, "x y"] };
        return field(id, type, { showIf, compute, ...options });
      }
      return isStatement && index === 4
        ? field(id, "statement", { showIf })
        : field(id, "text", { showIf, validation: { maxLength: 3 } });
    }),
);

export interface ConditionalForm {
  fields: Record<string, unknown>[];
  /** Without the controls of hidden fields. */
  controls: Control[];
}

/** @param breaks how many steps the form has at least, with one more that depends on others */
export const conditionalForms = (breaks = 0): fc.Arbitrary<ConditionalForm> =>
  fc
    .tuple(fc.shuffledSubarray(base.slice(), { minLength: 6 }), conditionOver([]), ...dependent)
    .map(([chosen, stepCondition, ...fields]) => {
      const used = JSON.stringify([stepCondition, fields]);
      const isRead = ({ id }: { id: string }) => used.includes(`data.${id}`) || used.includes(`'${id}'`);
      const all = [...chosen, ...base.filter((each) => !chosen.includes(each) && isRead(each[0]))];
      const ordinary = [field("h", "hidden", { default: 7 }), ...all.map(([definition]) => definition)];
      const third = Math.ceil(ordinary.length / 3);
      const parts = [ordinary.slice(0, third), ordinary.slice(third, 2 * third), ordinary.slice(2 * third)];
      const broken = parts.flatMap((part, index) =>
        index > 0 && index < breaks ? [field(`p${index}`, "page_break"), ...part] : part,
      );
      const last = breaks > 0 ? [field("last", "page_break", { showIf: stepCondition })] : [];
      return {
        fields: [...broken, ...fields.slice(0, 3), ...last, ...fields.slice(3)] as Record<string, unknown>[],
        controls: [
          ...all.flatMap(([, ...controls]) => controls),
          ...fields
            .filter((each) => each.type === "text" && !("compute" in each))
            .map(({ id }) => ({ name: id, texts: ["", "yes", "no"] })),
        ],
      };
    });
