/**
 * Expressions of conditions, calculated values and rules: a strict subset of CEL, the Common Expression
 * Language (cel.dev, specification 0.25). Every expression of the subset has the same meaning as in CEL.
 */
import { sentenceIn } from "../../messages.ts";
import { type Fault, faults } from "../clauses.ts";

/** A literal in an expression. An `int` is a number without a decimal point. */
export type Literal = string | number | boolean;

/**
 * A node of an expression, which is plain JSON. `op` is an operator; or the name of a function in
 * {@link functions}; or one of: `value`, `int` (literals, in `value`), `list`, `data` (the values of the
 * form), `.` (the member `value` of its argument) and `has` (of such a member).
 */
export interface Expression {
  readonly op: string;
  readonly args: readonly Expression[];
  readonly value?: Literal;
  /** Position of its start or its operator: an index into the source. */
  readonly at: number;
}

/** Limits per expression: characters (code points), nodes, and levels of brackets, calls and branches. */
export const expressionLimits = { length: 1_000, nodes: 200, depth: 16 } as const;

/** Functions whose argument is written before the dot, as in CEL. `size` may be written both ways. */
export const methods: readonly string[] = ["size", "startsWith", "endsWith", "contains"];

/** Functions with the least and the greatest number of their arguments. */
export const functions: Readonly<Record<string, readonly [least: number, most: number]>> = {
  size: [1, 1],
  startsWith: [2, 2],
  endsWith: [2, 2],
  contains: [2, 2],
  "math.round": [1, 1],
  "math.ceil": [1, 1],
  "math.floor": [1, 1],
  "math.abs": [1, 1],
  "math.least": [1, expressionLimits.nodes],
  "math.greatest": [1, expressionLimits.nodes],
};

export class ExpressionError extends Error {
  /** Absent: the error has only a message. */
  readonly fault: Fault | undefined;

  /**
   * @param at an index into the source
   * @param message a clause without a period at its end
   * @param hint makes its end, with the name that was probably meant: the search for it takes long
   */
  constructor(
    readonly at: number,
    message: string | Fault,
    readonly hint: () => string = () => "",
  ) {
    super(typeof message === "string" ? message : sentenceIn(faults, message));
    this.fault = typeof message === "string" ? undefined : message;
  }
}
