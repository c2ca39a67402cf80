/**
 * Translates conditions into JSON Schema. An expression has two schemas, for "is true" and for "is false".
 * Each requires that the values it reads exist, are not empty and have their JSON type. An error satisfies
 * neither, so that one is not the `not` of the other.
 */
import type { JsonSchema } from "../constraints.ts";
import type { Field } from "../definition.ts";
import { fieldsRead } from "./check.ts";
import { compileExpression, scopeOf } from "./evaluate.ts";
import { type Expression, type Literal, methods } from "./expression.ts";

type Schema = JsonSchema | boolean;

/** Maximum number of schemas per translation: those of branches would double at each level. */
const maxSchemas = 500;

const empty = { $ref: "#/$defs/empty" };
const emptyInParts = { $ref: "#/$defs/emptyInParts" };

/**
 * The schema of the data for which the expression is `wanted`; undefined: impossible.
 * @param field finds a field by its id
 */
export function schemaWhere(
  expression: Expression,
  wanted: boolean,
  field: (id: string) => Field | undefined,
): Schema | undefined {
  let left = maxSchemas;
  try {
    return where(expression, wanted);
  } catch (error) {
    if (error === untranslatable) return undefined;
    throw error;
  }

  function where(each: Expression, isTrue: boolean): Schema {
    const { op, args } = each;
    const [a, b, c] = args as [Expression, Expression, Expression];
    if (--left < 0) throw untranslatable;
    if (fieldsRead(each).size === 0) return compileExpression(each)(scopeOf(Object.create(null))) === isTrue;
    switch (op) {
      case "!":
        return where(a, !isTrue);
      case "&&":
      case "||": {
        const parts = args.map((arg) => where(arg, isTrue));
        return isTrue === (op === "&&") ? { allOf: parts } : { anyOf: parts };
      }
      case "?:":
        return {
          anyOf: [
            { allOf: [where(a, true), where(b, isTrue)] },
            { allOf: [where(a, false), where(c, isTrue)] },
          ],
        };
      case ".":
        return at(each, { const: isTrue });
      case "has":
        return has(a, isTrue);
      case "!=":
      case "==":
        return equal(a, b, isTrue === (op === "=="));
      case "<":
      case "<=":
      case ">":
      case ">=":
        return isLiteral(b) ? order(op, a, b, isTrue) : order(mirrored[op], b, a, isTrue);
      case "in":
        return membership(a, b, isTrue);
      default:
        if (!methods.includes(op) || typeof b?.value !== "string") throw untranslatable;
        return at(a, { type: "string", ...not(!isTrue, { pattern: patternOf(op, b.value) }) });
    }
  }

  /** Requires that the value of a member exists, is not empty, and matches the schema. */
  function at({ op, args: [of], value }: Expression, schema: JsonSchema): JsonSchema {
    if (op !== ".") throw untranslatable;
    const name = value as string;
    const isRoot = of?.op === "data";
    const isComposite = isRoot && field(name)?.fieldType.nature === "parts";
    if (isRoot && field(name)?.definition.compute) throw untranslatable;
    const here = {
      required: [name],
      properties: Object.fromEntries([
        [name, { allOf: [{ not: isComposite ? emptyInParts : empty }, schema] }],
      ]),
    };
    return isRoot ? here : at(of as Expression, { type: "object", ...here });
  }

  function has(member: Expression, isTrue: boolean): JsonSchema {
    if (isTrue) return at(member, {});
    const { args, value } = member;
    const name = value as string;
    const without = { not: at({ op: ".", args: [data], value: name, at: 0 }, {}) };
    return args[0]?.op === "data"
      ? without
      : at(args[0] as Expression, {
          not: { required: [name], properties: Object.fromEntries([[name, { not: empty }]]) },
        });
  }

  function equal(a: Expression, b: Expression, isTrue: boolean): JsonSchema {
    const [member, literal] = isLiteral(b) ? [a, b] : [b, a];
    if (!isLiteral(literal)) throw untranslatable;
    if (member.op === "size") return size(member, "==", Number(literal.value), isTrue);
    return at(member, not(!isTrue, { const: literal.value }));
  }

  function order(op: string, member: Expression, literal: Expression, isTrue: boolean): JsonSchema {
    if (!isLiteral(literal) || typeof literal.value !== "number") throw untranslatable;
    if (member.op === "size") return size(member, op, literal.value, isTrue);
    return at(member, { type: "number", ...not(!isTrue, { [bounds[op] as string]: literal.value }) });
  }

  function size({ args: [of] }: Expression, op: string, than: number, isTrue: boolean): JsonSchema {
    const kind = of?.args[0]?.op === "data" ? field(String(of.value))?.fieldType : undefined;
    const hint = kind?.jsonSchema(field(String(of?.value))?.constraints ?? {}, false).type;
    if (hint !== "string" && hint !== "array") throw untranslatable;
    const unit = hint === "string" ? "Length" : "Items";
    const least = op === ">=" ? Math.ceil(than) : op === ">" ? Math.floor(than) + 1 : op === "==" ? than : 0;
    const most =
      op === "<=" ? Math.floor(than) : op === "<" ? Math.ceil(than) - 1 : op === "==" ? than : undefined;
    const isPossible = (most ?? 0) >= 0 && Number.isInteger(least) && Number.isInteger(most ?? 0);
    const range = isPossible
      ? { [`min${unit}`]: Math.max(0, least), ...(most !== undefined && { [`max${unit}`]: most }) }
      : { not: {} };
    return at(of as Expression, { type: hint, ...not(!isTrue, range) });
  }

  function membership(item: Expression, of: Expression, isTrue: boolean): JsonSchema {
    if (of.op === "data") return has({ op: ".", args: [data], value: item.value as Literal, at: 0 }, isTrue);
    if (of.op === "list") return at(item, not(!isTrue, { enum: of.args.map(({ value }) => value) }));
    const root = of.args[0]?.op === "data" ? field(String(of.value)) : undefined;
    if (!isLiteral(item) || root === undefined) throw untranslatable;
    if (root.fieldType.nature === "choices")
      return at(of, { type: "array", ...not(!isTrue, { contains: { const: item.value } }) });
    if (root.fieldType.nature !== "parts") throw untranslatable;
    return has({ op: ".", args: [of], value: item.value as Literal, at: 0 }, isTrue);
  }
}

const untranslatable = Symbol();
const data: Expression = { op: "data", args: [], at: 0 };
const isLiteral = ({ op }: Expression): boolean => op === "value" || op === "int";
const not = (isNot: boolean, schema: JsonSchema): JsonSchema => (isNot ? { not: schema } : schema);
const bounds: Record<string, string> = {
  "<": "exclusiveMaximum",
  "<=": "maximum",
  ">": "exclusiveMinimum",
  ">=": "minimum",
};
const mirrored = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** ECMA-262 with the `u` flag. */
function patternOf(method: string, text: string): string {
  const quoted = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return method === "startsWith" ? `^${quoted}` : method === "endsWith" ? `${quoted}$` : quoted;
}
