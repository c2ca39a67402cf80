/** Operators and functions of expressions. The pages' script runs this module too: see evaluate.ts. */
import { isRecord } from "../values.ts";

/** Values that one validation reads, and its remaining budget for texts and lists. */
export interface EvaluationScope {
  /**
   * Values by the keys that the compiler of expressions got for the fields: values that are not empty, have
   * their field's type, and belong to a field that applies. It has no prototype, or is a list.
   */
  readonly values: Record<string | number, unknown>;
  /** Remaining budget, initially {@link maxTextWork}. An operation that would exceed it is an error. */
  work: number;
  /** Names of the parts of values, read once per value, however often it is compared. */
  names?: Map<object, readonly string[]>;
}

/** Evaluates an expression. Undefined is CEL's error: a value is absent, or has another type. */
export type Evaluate = (scope: EvaluationScope) => unknown;

/**
 * Budget of the expressions of a form in one validation, beyond 64 per operation: about 4 ms. A character
 * costs 1, or 8 if each is examined here; an item 8, a part 64. A form of 100 conditions on texts of 1,000
 * characters takes a fortieth of it, or a fifth.
 */
export const maxTextWork = 4_000_000;
const costOfUnit = 8;
const costOfItem = 8;
const costOfPart = 64;
/** Maximum length of texts and lists from `+`: sums of sums would double it at each step. */
const maxTextLength = 10_000;

/** Cost up to which an operation is free. */
export const maxFreeCost = 64;

/** @returns true if the budget was sufficient */
function spend(scope: EvaluationScope, cost: number): boolean {
  if (cost <= maxFreeCost) return true;
  if (scope.work < cost) return false;
  scope.work -= cost;
  return true;
}

/** `&&` and `||`: either operand may decide the result even if the other one is an error. */
export function junction(operands: readonly Evaluate[], decisive: boolean): Evaluate {
  const [first, second] = operands as [Evaluate, Evaluate];
  if (operands.length === 2)
    return (scope) => {
      const x = first(scope);
      if (x === decisive) return decisive;
      const y = second(scope);
      if (y === decisive) return decisive;
      return x === !decisive && y === !decisive ? !decisive : undefined;
    };
  return (scope) => {
    let result: boolean | undefined = !decisive;
    for (let index = 0; index < operands.length; index++) {
      const value = (operands[index] as Evaluate)(scope);
      if (value === decisive) return decisive;
      if (value !== !decisive) result = undefined;
    }
    return result;
  };
}

export const numeric =
  (a: Evaluate, of: (x: number) => number): Evaluate =>
  (scope) => {
    const x = a(scope);
    return typeof x === "number" ? of(x) : undefined;
  };

export const sum =
  (a: Evaluate, b: Evaluate): Evaluate =>
  (scope) => {
    const x = a(scope);
    const y = b(scope);
    if (typeof x === "number" && typeof y === "number") return x + y;
    const isTexts = typeof x === "string" && typeof y === "string";
    if (!isTexts && !(Array.isArray(x) && Array.isArray(y))) return undefined;
    const length = x.length + y.length;
    if (length > maxTextLength || !spend(scope, isTexts ? y.length : length * costOfItem)) return undefined;
    return isTexts ? x + y : [...x, ...y];
  };

export const numeric2 =
  (a: Evaluate, b: Evaluate, of: (x: number, y: number) => number): Evaluate =>
  (scope) => {
    const x = a(scope);
    const y = b(scope);
    return typeof x === "number" && typeof y === "number" ? of(x, y) : undefined;
  };

/** @param isProduct a search that compares, at worst, each character of one text with each of the other */
export const texts =
  (a: Evaluate, b: Evaluate, of: (x: string, y: string) => boolean, isProduct = false): Evaluate =>
  (scope) => {
    const x = a(scope);
    const y = b(scope);
    if (typeof x !== "string" || typeof y !== "string") return undefined;
    return spend(scope, isProduct ? x.length * y.length : y.length) ? of(x, y) : undefined;
  };

export const order =
  (a: Evaluate, b: Evaluate, of: (x: number, y: number) => boolean): Evaluate =>
  (scope) => {
    const x = a(scope);
    const y = b(scope);
    if (typeof x === "number" && typeof y === "number") return of(x, y);
    if (typeof x === "boolean" && typeof y === "boolean") return of(Number(x), Number(y));
    if (typeof x !== "string" || typeof y !== "string") return undefined;
    const cost = Math.min(x.length, y.length) * costOfUnit;
    return spend(scope, cost) ? of(compareText(x, y), 0) : undefined;
  };

/** Compares by code point. JavaScript's `<` compares code units, and puts U+FF5E after U+1F600. */
export function compareText(x: string, y: string): number {
  const length = Math.min(x.length, y.length);
  for (let index = 0; index < length; index++) {
    const a = x.charCodeAt(index);
    const b = y.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return x.length - y.length;
}

/** Surrogates represent code points above U+FFFF. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** False for values of different types, as in CEL. */
export function equal(x: unknown, y: unknown, scope: EvaluationScope): boolean | undefined {
  if (x === undefined || y === undefined) return undefined;
  if (typeof x === "string" && typeof y === "string" && x.length === y.length)
    return spend(scope, x.length) ? x === y : undefined;
  if (typeof x !== "object" || typeof y !== "object" || x === null || y === null) return x === y;
  if (Array.isArray(x) && Array.isArray(y)) return equalLists(x, y, scope);
  if (Array.isArray(x) || Array.isArray(y)) return false;
  const [names, others] = [namesIn(x, scope), namesIn(y, scope)];
  if (!spend(scope, (names.length + 1) * costOfPart)) return undefined;
  if (names.length !== others.length) return false;
  for (const name of names) {
    if (!Object.hasOwn(y, name)) return false;
    const same = equal((x as Record<string, unknown>)[name], (y as Record<string, unknown>)[name], scope);
    if (same !== true) return same;
  }
  return true;
}

function equalLists(x: readonly unknown[], y: readonly unknown[], scope: EvaluationScope) {
  if (x.length !== y.length) return false;
  // An empty list costs as well: lists of lists are compared by calls of this function.
  if (!spend(scope, x.length * costOfItem + costOfPart + 1)) return undefined;
  for (let index = 0; index < x.length; index++) {
    const same = equal(x[index], y[index], scope);
    if (same !== true) return same;
  }
  return true;
}

function namesIn(map: object, scope: EvaluationScope): readonly string[] {
  scope.names ??= new Map();
  const names = scope.names.get(map) ?? Object.keys(map);
  scope.names.set(map, names);
  return names;
}

export function contains(item: unknown, of: unknown, scope: EvaluationScope): boolean | undefined {
  if (item === undefined || of === undefined) return undefined;
  if (isRecord(of)) {
    if (typeof item === "string") return Object.hasOwn(of, item);
    return typeof item === "number" || typeof item === "boolean" ? false : undefined;
  }
  if (!Array.isArray(of) || !spend(scope, of.length * costOfItem)) return undefined;
  for (const each of of) {
    const same = equal(item, each, scope);
    if (same !== false) return same;
  }
  return false;
}

/** Size of a list or a map, or length of a text in code points. */
export function sizeOf(value: unknown, scope: EvaluationScope): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (isRecord(value)) return namesIn(value, scope).length;
  if (typeof value !== "string" || !spend(scope, value.length * costOfUnit)) return undefined;
  let size = 0;
  for (const _ of value) size++;
  return size;
}

/** The first of the least or the greatest numbers. NaN is an error. */
export function extreme(operands: readonly Evaluate[], sign: number): Evaluate {
  return (scope) => {
    let result: number | undefined;
    for (const operand of operands) {
      const value = operand(scope);
      if (typeof value !== "number" || Number.isNaN(value)) return undefined;
      if (result === undefined || (value - result) * sign > 0) result = value;
    }
    return result;
  };
}
