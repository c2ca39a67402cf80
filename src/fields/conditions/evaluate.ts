/** Evaluates expressions, on server and in browser: own members only, no `eval`, clock or owner's pattern. */
import { isRecord } from "../values.ts";
import type { Expression } from "./expression.ts";
import {
  contains,
  type Evaluate,
  type EvaluationScope,
  equal,
  extreme,
  junction,
  maxFreeCost,
  maxTextWork,
  numeric,
  numeric2,
  order,
  sizeOf,
  sum,
  texts,
} from "./operations.ts";

export type { Evaluate, EvaluationScope } from "./operations.ts";

export const scopeOf = (values: Record<string | number, unknown>): EvaluationScope => ({
  values,
  work: maxTextWork,
});

/** The key under which a scope has the value of a field. Default: its id. */
export type KeyOf = (id: string) => string | number;

/** Compiles a checked expression to a function: about 20 ns per node and call. */
export function compileExpression({ op, args, value }: Expression, keyOf: KeyOf = (id) => id): Evaluate {
  const operand = (index: number) => compileExpression(args[index] as Expression, keyOf);
  switch (op) {
    case "value":
    case "int":
      return () => value;
    case "data":
      return ({ values }) => values;
    case "list": {
      if (args.every(isLiteral)) {
        const literals = args.map((item) => item.value);
        return () => literals;
      }
      const items = operands(args, keyOf);
      return (scope) => {
        const list = items.map((item) => item(scope));
        return list.includes(undefined) ? undefined : list;
      };
    }
    case ".": {
      const name = value as string;
      if (isData(args[0])) {
        const key = keyOf(name);
        return ({ values }) => values[key];
      }
      const map = operand(0);
      return (scope) => {
        const of = map(scope);
        return isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined;
      };
    }
    case "has": {
      const { args: inner, value: name } = args[0] as Expression;
      if (isData(inner[0])) {
        const key = keyOf(name as string);
        return ({ values }) => values[key] !== undefined;
      }
      const map = compileExpression(inner[0] as Expression, keyOf);
      return (scope) => {
        const of = map(scope);
        return of === undefined ? undefined : isRecord(of) && Object.hasOwn(of, name as string);
      };
    }
    case "!": {
      const of = operand(0);
      return (scope) => {
        const x = of(scope);
        return typeof x === "boolean" ? !x : undefined;
      };
    }
    case "-x":
      return numeric(operand(0), (x) => -x);
    case "&&":
    case "||":
      return junction(operands(args, keyOf), op === "||");
    case "?:": {
      const [condition, yes, no] = [operand(0), operand(1), operand(2)];
      return (scope) => {
        const is = condition(scope);
        return is === true ? yes(scope) : is === false ? no(scope) : undefined;
      };
    }
    case "==":
    case "!=":
      return equality(args, op === "==", keyOf);
    case "<":
      return ordering(args, (x, y) => x < y, keyOf);
    case "<=":
      return ordering(args, (x, y) => x <= y, keyOf);
    case ">":
      return ordering(args, (x, y) => x > y, keyOf);
    case ">=":
      return ordering(args, (x, y) => x >= y, keyOf);
    case "in": {
      if (!isData(args[1])) return membership(args, keyOf);
      const key = keyOf(String(args[0]?.value));
      return ({ values }) => values[key] !== undefined;
    }
    case "+":
      return sum(operand(0), operand(1));
    case "-":
      return numeric2(operand(0), operand(1), (x, y) => x - y);
    case "*":
      return numeric2(operand(0), operand(1), (x, y) => x * y);
    case "/":
      return numeric2(operand(0), operand(1), (x, y) => x / y);
    case "size": {
      const of = operand(0);
      return (scope) => sizeOf(of(scope), scope);
    }
    case "startsWith":
      return texts(operand(0), operand(1), (x, y) => x.startsWith(y));
    case "endsWith":
      return texts(operand(0), operand(1), (x, y) => x.endsWith(y));
    case "contains":
      return texts(operand(0), operand(1), (x, y) => x.includes(y), true);
    case "math.round":
      // CEL rounds halves away from zero.
      return numeric(operand(0), (x) => (x < 0 ? -Math.round(-x) : Math.round(x)));
    case "math.ceil":
      return numeric(operand(0), Math.ceil);
    case "math.floor":
      return numeric(operand(0), Math.floor);
    case "math.abs":
      return numeric(operand(0), Math.abs);
    default:
      return extreme(operands(args, keyOf), op === "math.least" ? -1 : 1);
  }
}

const operands = (args: readonly Expression[], keyOf: KeyOf): Evaluate[] =>
  args.map((each) => compileExpression(each, keyOf));

/** The value of a field. Most conditions compare one with a literal: this takes one function, not three. */
const isMember = ({ op, args }: Expression): boolean => op === "." && isData(args[0]);

const isData = (expression: Expression | undefined): boolean => expression?.op === "data";

/** Checks whether the condition holds. An error counts as no. */
export const holds = (condition: Evaluate, scope: EvaluationScope): boolean => condition(scope) === true;

const isLiteral = ({ op }: Pick<Expression, "op">): boolean => op === "value" || op === "int";

/** Checks for a scalar literal that is free to compare: most conditions have one. */
const isFree = ({ op, value }: Expression): boolean =>
  isLiteral({ op }) && (typeof value !== "string" || value.length <= maxFreeCost);

function equality(args: readonly Expression[], wanted: boolean, keyOf: KeyOf): Evaluate {
  const [left, right] = args as [Expression, Expression];
  if (isFree(right) && isMember(left)) {
    const { value: literal } = right;
    const key = keyOf(left.value as string);
    return ({ values }) => {
      const x = values[key];
      return x === undefined ? undefined : (x === literal) === wanted;
    };
  }
  const a = compileExpression(left, keyOf);
  const b = compileExpression(right, keyOf);
  return (scope) => {
    const same = equal(a(scope), b(scope), scope);
    return same === undefined ? undefined : same === wanted;
  };
}

function ordering(
  args: readonly Expression[],
  of: (x: number, y: number) => boolean,
  keyOf: KeyOf,
): Evaluate {
  const [left, right] = args as [Expression, Expression];
  const literal = right.value;
  if (!isMember(left) || !isLiteral(right) || typeof literal !== "number")
    return order(compileExpression(left, keyOf), compileExpression(right, keyOf), of);
  const key = keyOf(left.value as string);
  return ({ values }) => {
    const x = values[key];
    return typeof x === "number" ? of(x, literal) : undefined;
  };
}

function membership(args: readonly Expression[], keyOf: KeyOf): Evaluate {
  const [left, right] = args as [Expression, Expression];
  const a = compileExpression(left, keyOf);
  if (right.op === "list" && right.args.length <= maxFreeCost && right.args.every(isFree) && isMember(left)) {
    const literals: unknown[] = right.args.map(({ value }) => value);
    const key = keyOf(left.value as string);
    return ({ values }) => {
      const item = values[key];
      return item === undefined ? undefined : literals.includes(item);
    };
  }
  const b = compileExpression(right, keyOf);
  return (scope) => contains(a(scope), b(scope), scope);
}
