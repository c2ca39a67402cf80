/** Checks the types of an expression before a form is published, so that evaluation meets no other type. */
import { type Fault, fault } from "../clauses.ts";
import { nearest } from "../nearest.ts";
import { type Expression, ExpressionError, type Literal } from "./expression.ts";

/** Type of an expression's value. `dyn`: any, so that only the evaluation finds a wrong type. */
export interface Type {
  readonly is: "text" | "double" | "int" | "bool" | "list" | "map" | "dyn";
  /** Items of a list. */
  readonly of?: Type;
  /** Members of a map, if all are known. */
  readonly members?: Readonly<Record<string, Type>>;
  /** The possible values with their labels, if all others are excluded. */
  readonly options?: ReadonlyMap<Literal, string | undefined>;
  /** The owner of the options, for messages. */
  readonly owner?: string;
}

export const textType: Type = { is: "text" };
export const double: Type = { is: "double" };
export const bool: Type = { is: "bool" };
export const dyn: Type = { is: "dyn" };
const int: Type = { is: "int" };

/** The type of a field by its id, or the reason why it cannot be read. */
export type FieldTypes = (id: string) => Type | Fault;

const names: Record<Type["is"], string> = {
  text: "a text",
  double: "a number",
  int: "a whole number",
  bool: "true or false",
  list: "a list",
  map: "a value with parts",
  dyn: "any value",
};

const isNumber = ({ is }: Type) => is === "double" || is === "int";

/** Checks whether two values of these types can be equal. */
function isComparable(a: Type, b: Type): boolean {
  if (a.is === "dyn" || b.is === "dyn" || (isNumber(a) && isNumber(b))) return true;
  return a.is === b.is && (a.is !== "list" || isComparable(a.of ?? dyn, b.of ?? dyn));
}

function fail(at: number, message: string | Fault, hint?: () => string): never {
  throw new ExpressionError(at, message, hint);
}

/** The position at which an expression begins. `at` of an operator is its own position. */
export const firstIndexOf = ({ at, args }: Expression): number => Math.min(at, ...args.map(firstIndexOf));

/** The type of an expression. @throws {ExpressionError} at a wrong type, unknown field, or unknown option */
export function expressionType(expression: Expression, fields: FieldTypes): Type {
  const typeOf = (each: Expression): Type => expressionType(each, fields);
  const { op, args, value, at } = expression;
  const [a, b] = args as [Expression, Expression];

  function require(argument: Expression, ...allowed: Type["is"][]): Type {
    const type = typeOf(argument);
    if (type.is === "dyn" || allowed.includes(type.is)) return type;
    const wanted = allowed.map((is) => names[is]).join(" or ");
    const start = firstIndexOf(argument);
    if (type.is === "int" && allowed.includes("double"))
      fail(start, argument.op === "int" ? `write ${argument.value}.0` : "a size cannot be calculated with");
    return fail(start, `${named(argument)} is ${names[type.is]}, and ${op} takes ${wanted}`);
  }

  switch (op) {
    case "value":
      return typeof value === "string" ? textType : typeof value === "number" ? double : bool;
    case "int":
      return int;
    case "data":
      return fail(at, "data is no value: write data. and the id of a field");
    case "list":
      return listType(args, typeOf);
    case ".":
      return memberType(expression, fields);
    case "has":
      memberType(a, fields);
      return bool;
    case "!":
      require(a, "bool");
      return bool;
    case "-x":
    case "-":
    case "*":
    case "/":
    case "math.round":
    case "math.ceil":
    case "math.floor":
    case "math.abs":
    case "math.least":
    case "math.greatest":
      for (const each of args) require(each, "double");
      return double;
    case "+": {
      const [left, right] = [require(a, "text", "double"), require(b, "text", "double")];
      if (left.is === "dyn" || right.is === "dyn")
        return left.is === right.is ? dyn : plain(left.is === "dyn" ? right : left);
      if (left.is !== right.is)
        fail(at, `+ takes two texts or two numbers, not ${names[left.is]} and ${names[right.is]}`);
      return plain(left);
    }
    case "&&":
    case "||":
      for (const each of args) require(each, "bool");
      return bool;
    case "?:":
      return branchType(args as [Expression, Expression, Expression], typeOf, require);
    case "in":
      return membershipType(a, b, fields, require);
    case "==":
    case "!=": {
      const [left, right] = [typeOf(a), typeOf(b)];
      if (!isComparable(left, right)) fail(at, mismatch(a, left, b, right));
      requireOption(b, left);
      requireOption(a, right);
      return bool;
    }
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const [left, right] = [
        require(a, "text", "int", "double", "bool"),
        require(b, "text", "int", "double", "bool"),
      ];
      if (!isComparable(left, right)) fail(at, mismatch(a, left, b, right));
      return bool;
    }
    case "size":
      require(a, "text", "list", "map");
      return int;
    default:
      require(a, "text");
      require(b, "text");
      return bool;
  }
}

/** Drops the options: a sum may have other values. */
const plain = ({ is }: Type): Type => ({ is });

const named = ({ op, args, value }: Expression): string =>
  op === "." && args[0]?.op === "data"
    ? String(value)
    : op === "value" || op === "int"
      ? JSON.stringify(value)
      : "it";

const mismatch = (a: Expression, left: Type, b: Expression, right: Type): string =>
  `${named(a)} is ${names[left.is]} and ${named(b)} is ${names[right.is]}: they are never compared`;

function listType(items: readonly Expression[], typeOf: (each: Expression) => Type): Type {
  let of: Type | undefined;
  for (const item of items) {
    const type = typeOf(item);
    if (!["value", "int"].includes(item.op)) fail(item.at, "a list has texts, numbers, true or false only");
    if (of && !isComparable(of, type))
      fail(item.at, `the list has ${names[of.is]} before, and ${named(item)} is ${names[type.is]}`);
    // In CEL a list with both kinds of numbers has no single type, but works the same with == and in.
    of = of && of.is !== type.is ? dyn : type;
  }
  return { is: "list", of: of ?? dyn };
}

function memberType({ args, value, at }: Expression, fields: FieldTypes): Type {
  const [of] = args as [Expression];
  const name = String(value);
  if (of.op === "data") {
    const type = fields(name);
    return "key" in type ? fail(at + 1, type) : type;
  }
  const type = expressionType(of, fields);
  if (type.is !== "map" && type.is !== "dyn")
    fail(at, `${named(of)} is ${names[type.is]}, which has no part ${JSON.stringify(name)}`);
  return partType(type, name, at + 1);
}

function partType({ members }: Type, name: string, at: number): Type {
  if (!members) return dyn;
  if (Object.hasOwn(members, name)) return members[name] as Type;
  return fail(at, `there is no part ${JSON.stringify(name)}`, () => {
    const near = nearest(name, Object.keys(members));
    return near === undefined ? "" : `: is ${JSON.stringify(near)} meant?`;
  });
}

function branchType(
  [condition, yes, no]: readonly [Expression, Expression, Expression],
  typeOf: (each: Expression) => Type,
  require: (each: Expression, ...allowed: Type["is"][]) => Type,
): Type {
  require(condition, "bool");
  const [left, right] = [typeOf(yes), typeOf(no)];
  if (left.is === right.is && isComparable(left, right)) return plainList(left, right);
  const whole = left.is === "int" ? yes : right.is === "int" ? no : undefined;
  if (whole)
    fail(
      firstIndexOf(whole),
      whole.op === "int" ? `write ${whole.value}.0` : "a size is one branch, and the other is not",
    );
  if (left.is === "dyn" || right.is === "dyn") return dyn;
  return fail(firstIndexOf(no), `one branch is ${names[left.is]}, and the other is ${names[right.is]}`);
}

const plainList = (a: Type, b: Type): Type =>
  a.is === "list" ? { is: "list", of: a.of?.is === b.of?.is ? plain(a.of ?? dyn) : dyn } : plain(a);

function membershipType(
  item: Expression,
  of: Expression,
  fields: FieldTypes,
  require: (each: Expression, ...allowed: Type["is"][]) => Type,
): Type {
  if (of.op === "data") {
    if (typeof item.value !== "string" || item.op !== "value")
      fail(item.at, "the id of a field, in quotes, is expected before in data");
    const type = fields(item.value as string);
    return "key" in type ? fail(item.at + 1, type) : bool;
  }
  const left = expressionType(item, fields);
  const right = require(of, "list", "map");
  if (right.is === "map") {
    require(item, "text");
    if (item.op === "value") partType(right, String(item.value), item.at);
    return bool;
  }
  if (right.is !== "list") return bool;
  const items = right.of ?? dyn;
  if (!isComparable(left, items))
    fail(firstIndexOf(item), `${named(item)} is ${names[left.is]}, and the list has ${names[items.is]}`);
  requireOption(item, items);
  if (of.op === "list")
    for (const each of of.args) {
      if (!isComparable(left, expressionType(each, fields))) fail(each.at, mismatch(item, left, each, items));
      requireOption(each, left);
    }
  return bool;
}

/** Refuses a literal that is no option: "'Germany' is not an option of country; is 'DE' meant?". */
function requireOption({ op, value, at }: Expression, { options, owner }: Type): void {
  if (!options || (op !== "value" && op !== "int") || options.has(value as Literal)) return;
  fail(at, fault("no_option", { value, id: owner ?? "" }), () => {
    const known = [...options.keys()];
    // Labels are compared too: "Germany" means "DE".
    const names = new Map([...options].flatMap(([option, label]) => (label ? [[label, option]] : [])));
    for (const option of known) names.set(String(option), option);
    const near = nearest(String(value), [...names.keys()]);
    if (near !== undefined) return `; is ${JSON.stringify(names.get(near))} meant?`;
    const shown = known.slice(0, 10).map((option) => JSON.stringify(option));
    return `; the options are ${shown.join(", ")}${known.length > shown.length ? ", …" : ""}`;
  });
}

/** Ids of the fields that an expression reads, each once. */
export function fieldsRead(expression: Expression, ids = new Set<string>()): Set<string> {
  const { op, args, value } = expression;
  if (op === "." && args[0]?.op === "data") ids.add(String(value));
  else if (op === "in" && args[1]?.op === "data") ids.add(String(args[0]?.value));
  else for (const each of args) fieldsRead(each, ids);
  return ids;
}
