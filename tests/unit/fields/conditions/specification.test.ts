/** The tests of the specification of CEL (cel-spec 0.25.1), as far as their expressions lie in the subset. */
import { describe, expect, test } from "bun:test";
import type { IncrementalTest, IncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import * as cel from "@bufbuild/cel-spec/testdata/tests.js";
import { fault } from "../../../../src/fields/clauses.ts";
import { expressionType } from "../../../../src/fields/conditions/check.ts";
import { compileExpression, scopeOf } from "../../../../src/fields/conditions/evaluate.ts";
import { ExpressionError } from "../../../../src/fields/conditions/expression.ts";
import { parse } from "../../../../src/fields/conditions/parse.ts";

/** A Value message, of the kinds that the subset has. */
interface Value {
  kind?: { case?: string; value?: unknown };
}

function plain({ kind }: Value): unknown {
  if (kind?.case === "listValue") return (kind.value as { values: Value[] }).values.map(plain);
  return kind?.case === "int64Value" ? Number(kind.value) : kind?.value;
}

const testsOf = ({ suites, tests }: IncrementalTestSuite): IncrementalTest[] => [
  ...tests,
  ...suites.flatMap(testsOf),
];

/** The value of an expression without data; or where it is refused. */
function outcome(source: string): { value: unknown } | { at: number } {
  try {
    const expression = parse(source);
    expressionType(expression, () => fault("own_field"));
    return { value: compileExpression(expression)(scopeOf(Object.create(null))) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { at: error.at };
  }
}

describe.each([
  ["conformance", cel.getConformanceSuite(), 284],
  ["parsing", cel.getParsingSuite(), 22],
  ["checking", cel.getCheckingSuite(), 12],
  ["comprehension", cel.getComprehensionSuite(), 0],
] as const)("the specification's suite %s", (_, suite, count) => {
  const all = testsOf(suite);
  const outcomes = all.map(({ original }) => ({ original, ...outcome(original.expr) }));
  const accepted = outcomes.filter((each) => "value" in each);

  test(`lies in the subset with ${count} expressions, each of which has the value that CEL gives it`, () => {
    const wrong = accepted.filter(({ original: { resultMatcher }, value }) => {
      if (resultMatcher.case === "value")
        return Bun.deepEquals(plain(resultMatcher.value as Value), value, true) === false;
      if (resultMatcher.case === "evalError") return value !== undefined;
      return value === undefined;
    });
    expect(wrong.map(({ original, value }) => [original.expr, value])).toEqual([]);
    expect(accepted.length).toBe(count);
  });

  test("is refused for the rest, at a position in the text", () => {
    const misplaced = outcomes.filter(
      (each) => "at" in each && !(each.at >= 0 && each.at <= each.original.expr.length),
    );
    expect(misplaced.map(({ original }) => original.expr)).toEqual([]);
  });
});
