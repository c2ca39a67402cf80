/** The script of pages decides by the same module as validation, and is what the modules make. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { compile } from "../../../../src/fields/compile.ts";
import { planOf } from "../../../../src/fields/conditions/make-plan.ts";
import { compilePlan } from "../../../../src/fields/conditions/plan.ts";
import { indexed } from "../../../../src/fields/control-values.ts";
import { lint } from "../../../../src/fields/lint.ts";
import { toData } from "../../../../src/pages/form-page/form-data.ts";
import { conditionalForms } from "../../../conditional-forms.ts";
import { generatedCases } from "../../../generated.ts";
import { root } from "../../../setup.ts";

const cases = conditionalForms().chain(({ fields, controls }) => {
  const pairs = controls.map(({ name, texts }) =>
    fc.option(
      fc.constantFrom(...texts).map((text): [string, string] => [name, text]),
      { nil: undefined },
    ),
  );
  const entered = fc.tuple(...pairs).map((all) => all.filter((pair) => pair !== undefined));
  return fc.record({
    fields: fc.constant(fields),
    entered: fc.array(entered, { minLength: 4, maxLength: 8 }),
  });
});

/** Returns the value that the script receives as JSON. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("the plan of a form", () => {
  test("hides and calculates what validation does, also over values of a wrong format", () => {
    let [shown, hidden, calculated] = [0, 0, 0];
    const count = generatedCases(5_000, 500);
    fc.assert(
      fc.property(cases, ({ fields, entered }) => {
        expect(lint({ fields })).toEqual([]);
        const form = compile({ fields });
        const run = compilePlan(sent(planOf(form)));
        for (const pairs of entered) {
          const values = new URLSearchParams(pairs);
          const { data, unstorable } = toData(form.fields, values);
          const validated = form.validate(data, unstorable);
          const planned = run(indexed(values));
          expect([...planned.hidden].sort()).toEqual([...(validated.logic?.hidden ?? [])].sort());
          for (const [id, value] of planned.computed) expect([id, value]).toEqual([id, validated.data[id]]);
          shown += 5 - planned.hidden.size;
          hidden += planned.hidden.size;
          calculated += [...planned.computed.values()].filter((value) => value !== undefined).length;
        }
      }),
      { numRuns: count },
    );
    expect(Math.min(shown, hidden, calculated)).toBeGreaterThan(count);
  });

  const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id, ...rest });
  test("leaves to the server what a browser cannot know: a telephone number, and what depends on it", () => {
    const form = compile({
      fields: [
        { id: "p", type: "phone", label: "P" },
        text("a"),
        text("b", { showIf: "has(data.p)" }),
        text("c", { showIf: "has(data.b) || data.a == 'x'" }),
        text("d", { showIf: "data.a == 'x'" }),
      ],
    });
    expect(planOf(form).map(({ id }) => id)).toEqual(["a", "d"]);
  });
  test("has the default of a hidden field, and not what a post says of it", () => {
    const form = compile({
      fields: [
        { id: "h", type: "hidden", label: "H", default: "in" },
        { id: "q", type: "hidden", label: "Q", default: "none", prefill: true },
        text("a", { showIf: "data.h == 'in'" }),
        text("b", { showIf: "data.q == 'in'" }),
      ],
    });
    const run = compilePlan(sent(planOf(form)));
    expect([...run(indexed(new URLSearchParams("h=out"))).hidden]).toEqual(["b"]);
    expect([...run(indexed(new URLSearchParams("q=in"))).hidden]).toEqual([]);
  });
  test("has no field that nothing depends on", () => {
    const fields = [text("a"), text("b"), text("c", { showIf: "has(data.b)" }), text("d")];
    expect(planOf(compile({ fields })).map(({ id }) => id)).toEqual(["b", "c"]);
    expect(planOf(compile({ fields: [text("a")] }))).toEqual([]);
  });
});

test("the script has at most 7.5 KB gzip", () => {
  const script = readFileSync(join(root, "src/pages/ui/generated/form-conditions.js"));
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(7.5 * 1024);
});
