/** `settings.examples`: payloads with expected results, which publishing tests on the draft. */
import { type } from "arktype";
import { type CompiledForm, compile } from "../../fields/compile.ts";
import { limits } from "../../limits.ts";
import { type Said, sentenceIn } from "../../messages.ts";
import { documented } from "../../platform/http/documented.ts";
import { JsonObject } from "../../platform/http/shapes.ts";

const { maxExamples, maxExampleNameLength, maxFields } = limits.form;

export const Example = documented(
  JsonObject.and({
    name: type.string.atLeastLength(1).atMostLength(maxExampleNameLength),
    data: JsonObject,
    expect: JsonObject.and({
      valid: "boolean",
      "codes?": type.string.array().atMostLength(maxFields),
      "applicable?": type.string.array().atMostLength(maxFields),
      "computed?": JsonObject,
    }),
  }),
  {
    text: "A payload, and what the form says about it. Publishing runs it.",
    members: {
      expect:
        "`valid`: whether submit accepts it. `codes`: of all errors, in any order. `applicable`: the ids that the dry run lists. `computed`: values by field id.",
    },
  },
);

export const Examples = Example.array().atMostLength(maxExamples);

const shown = (value: unknown): string => JSON.stringify(value) ?? "none";

/** Both are JSON. */
interface Compared {
  got: string;
  wanted: string;
}

const differs = (what: string, { got, wanted }: Compared) => `${what} is ${got}, and ${wanted} is expected.`;

/** Differences in the words of the API: the ends of sentences that begin with the example. */
export const differenceWords = {
  applicable: (values: Compared) => differs("applicable", values),
  codes: (values: Compared) => differs("codes", values),
  computed: ({ id, ...values }: Compared & { id: string }) => differs(`the value of ${shown(id)}`, values),
  valid: (values: Compared) => differs("valid", values),
};

type DifferenceKey = keyof typeof differenceWords;

export interface ExampleDifference {
  name: string;
  /** Position of the example. */
  index: number;
  message: string;
  said: Said<DifferenceKey>;
}

function differencesOf(form: CompiledForm, { name, data, expect }: typeof Example.infer, index = 0) {
  const { errors, unknown, missing, logic, data: known } = form.validate(data);
  const codes = new Set([...errors, ...unknown, ...missing.map(form.requiredIssue)].map(({ code }) => code));
  const found: ExampleDifference[] = [];
  const compare = (key: DifferenceKey, wanted: unknown, got: unknown, more: object = {}) => {
    if (shown(wanted) === shown(got)) return;
    const said = { key, values: { ...more, got: shown(got), wanted: shown(wanted) } };
    found.push({ name, index, message: sentenceIn(differenceWords, said), said });
  };
  compare("valid", expect.valid, codes.size === 0);
  if (expect.codes) compare("codes", [...new Set(expect.codes)].sort(), [...codes].sort());
  const applicable = logic?.applicable ?? form.fields.filter(takesValue).map(({ id }) => id);
  if (expect.applicable) compare("applicable", [...expect.applicable].sort(), [...applicable].sort());
  for (const [id, wanted] of Object.entries(expect.computed ?? {}))
    compare("computed", wanted, Object.hasOwn(known, id) ? known[id] : null, { id });
  return found;
}

const takesValue = ({ fieldType }: CompiledForm["fields"][number]) => fieldType.nature !== "none";

/** The examples that pass for a form. The settings may have examples for an unpublished draft. */
export const holdingExamples = (form: CompiledForm, examples: unknown): (typeof Examples.infer)[number][] =>
  Examples.allows(examples) ? examples.filter((each) => differencesOf(form, each).length === 0) : [];

export function runExamples({
  schema,
  settings,
}: {
  schema: { fields: readonly unknown[] };
  settings: { examples?: unknown };
}): { total: number; differences: ExampleDifference[] } {
  const { examples = [] } = settings;
  if (!Examples.allows(examples)) return { total: 0, differences: [] };
  const form = compile(schema);
  return {
    total: examples.length,
    differences: examples.flatMap((example, index) => differencesOf(form, example, index)),
  };
}
