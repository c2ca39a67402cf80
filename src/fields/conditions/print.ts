/** Prints an expression as CEL, with the fewest brackets. */
import type { Expression } from "./expression.ts";

/** Precedence of operators; the operands of other operations need no brackets. */
const strength: Readonly<Record<string, number>> = {
  "?:": 1,
  "||": 2,
  "&&": 3,
  "==": 4,
  "!=": 4,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  in: 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
  "!": 7,
  "-x": 7,
};

/** Prints an expression. {@link parse} returns an equal one, except for the positions. */
export function printExpression({ op, args, value }: Expression): string {
  const [a, b, c] = args as [Expression, Expression, Expression];
  const own = strength[op];
  const operand = (each: Expression, least: number) =>
    (strength[each.op] ?? (isNegative(each) ? 7 : 8)) < least
      ? `(${printExpression(each)})`
      : printExpression(each);
  switch (op) {
    case "value":
      return typeof value === "string"
        ? quote(value)
        : typeof value === "number"
          ? printDouble(value)
          : String(value);
    case "int":
      return String(value);
    case "data":
      return "data";
    case "list":
      return `[${args.map(printExpression).join(", ")}]`;
    case ".": {
      const name = String(value);
      const of = operand(a, 8);
      return /^[_a-zA-Z]\w*$/.test(name) && !/^(?:true|false|null|in)$/.test(name)
        ? `${of}.${name}`
        : `${of}[${quote(name)}]`;
    }
    case "?:":
      return `${operand(a, 2)} ? ${operand(b, 2)} : ${printExpression(c)}`;
    case "!":
      return `!${a.op === "!" ? printExpression(a) : operand(a, 8)}`;
    case "-x":
      return `-${operand(a, 8)}`;
    case "&&":
    case "||":
      return args.map((each) => operand(each, (own as number) + 1)).join(` ${op} `);
    default:
      if (own !== undefined) return `${operand(a, own)} ${op} ${operand(b, own + 1)}`;
      if (op === "has" || op === "size" || op.startsWith("math."))
        return `${op}(${args.map(printExpression).join(", ")})`;
      return `${operand(a, 8)}.${op}(${printExpression(b)})`;
  }
}

const isNegative = ({ op, value }: Expression): boolean =>
  (op === "value" || op === "int") && typeof value === "number" && value < 0;

function printDouble(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const quote = (text: string): string =>
  `'${text.replace(/[\\'\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === "\\" || character === "'"
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )}'`;
