/** Expressions as XPath of XForms, where an absent value is an empty text, and no error. Pure. */
import type { Expression } from "../../../fields/conditions/expression.ts";
import type { Field } from "../../../fields/definition.ts";
import { attempt, noCounterpart, xpath } from "../import/dialects.ts";

/** The questions that expressions read, by the names in the form that is written. */
export interface XpathScope {
  /** The question of an id. */
  field(id: string): Field | undefined;
  /** The name of a question, or of a part of one that has parts. Undefined: there is none. */
  name(id: string, part?: string): string | undefined;
  /** The text of an option's value. */
  option(id: string, value: unknown): string;
}

/** A condition or calculation. A rule is one of the question `self`. Undefined: XPath cannot say it. */
export const xpathOf = (
  expression: Expression,
  use: "condition" | "rule" | "value",
  scope: XpathScope,
  self?: string,
): string | undefined =>
  attempt(() => {
    const { condition, value } = printer(scope, use === "rule" ? self : undefined);
    const present = new Set(use === "rule" && self !== undefined ? [self] : []);
    return use === "value" ? value(expression, present) : condition(expression, true, present);
  });

type Present = ReadonlySet<string>;

const inverses: Readonly<Record<string, string>> = {
  ...{ "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<" },
};
const signs = new Map([...xpath.infix].map(([sign, [op]]) => [op, sign]));
const functions = new Map([...xpath.functions].map(([name, op]) => [op, name]));

const member = (id: string): Expression => ({
  ...{ op: ".", args: [{ op: "data", args: [], at: 0 }] },
  value: id,
  at: 0,
});
const idOf = ({ op, args, value }: Expression): string | undefined =>
  op === "." && args[0]?.op === "data" ? String(value) : undefined;

/** A text in quotes. XPath has no escapes. */
export const xpathText = (text: string): string =>
  !text.includes("'") ? `'${text}'` : !text.includes('"') ? `"${text}"` : noCounterpart();

function printer(scope: XpathScope, self: string | undefined) {
  const fieldOf = (each: Expression): Field | undefined => scope.field(idOf(each) ?? "");
  const isTime = (each: Expression): boolean => fieldOf(each)?.fieldType.isTime === true;

  function reference(each: Expression): string {
    const [id, outer] = [idOf(each), idOf(each.args[0] as Expression)];
    if (id !== undefined && id === self) return ".";
    const name = id !== undefined ? scope.name(id) : scope.name(outer ?? "", String(each.value));
    return name === undefined ? noCounterpart() : `\${${name}}`;
  }

  /** Ids of the questions without whose values it is an error. */
  function readsOf(each: Expression): string[] {
    const asked =
      each.op === "?:" && each.args[0]?.op === "has" ? idOf(each.args[0].args[0] as Expression) : undefined;
    if (each.op === "has") return [];
    return [idOf(each) ?? each.args.flatMap(readsOf)].flat().filter((id) => id !== asked);
  }

  /** @param isYes XPath says yes where a value is absent. A condition does not hold then, and a rule does. */
  function leaf(text: string, of: readonly Expression[], isYes: boolean, present: Present): string {
    const isRule = self !== undefined;
    const missing = new Set(isYes === isRule ? [] : of.flatMap(readsOf));
    const asked = [...missing.difference(present)].map(
      (id) => `${reference(member(id))} ${isRule ? "=" : "!="} ''`,
    );
    return asked.length > 0 ? `(${[...asked, text].join(isRule ? " or " : " and ")})` : text;
  }

  function condition(each: Expression, wanted: boolean, present: Present): string {
    const { op, args } = each;
    const [a, b, c] = args as [Expression, Expression, Expression];
    const is = (text: string) => (wanted ? text : `not(${text})`);
    switch (op) {
      case "value":
        return each.value === wanted ? "true()" : "false()";
      case "!":
        return condition(a, !wanted, present);
      case "&&":
      case "||": {
        // After `has(a) &&` and `!has(a) ||` the value is present.
        const asked = args.map((part) => (op === "&&" ? part : part.op === "!" ? part.args[0] : undefined));
        const known = asked.flatMap((part) =>
          part?.op === "has" ? (idOf(part.args[0] as Expression) ?? []) : [],
        );
        const parts = args.map((part) => condition(part, wanted, present.union(new Set(known))));
        return `(${parts.join((op === "&&") === wanted ? " and " : " or ")})`;
      }
      case "?:": {
        const either = (isYes: boolean, part: Expression) =>
          `(${condition(a, isYes !== (self !== undefined), present)} ${self === undefined ? "and" : "or"} ${condition(part, wanted, present)})`;
        return `(${[either(true, b), either(false, c)].join(self === undefined ? " or " : " and ")})`;
      }
      case "has":
        return `${reference(a)} ${wanted ? "!=" : "="} ''`;
      case "==":
      case "!=":
        return equality(a, b, wanted === (op === "=="), present);
      case ".":
        return equality(each, { op: "value", args: [], value: true, at: 0 }, wanted, present);
      case "in":
        return membership(a, b, wanted, present);
      case "contains":
      case "startsWith":
      case "endsWith":
        return leaf(
          is(`${functions.get(op)}(${value(a, present)}, ${value(b, present)})`),
          args,
          !wanted,
          present,
        );
      default: {
        const texts = [dated(a, b, present), dated(b, a, present)];
        const isSize = a.op === "size" || b.op === "size";
        const isPlain = [a, b].some(isText) && ![a, b].some(isTime);
        if (!Object.hasOwn(inverses, op) || isPlain) noCounterpart();
        // The size of an absent value is zero in XPath: a value is always asked for.
        return leaf(
          texts.join(` ${wanted ? op : inverses[op]} `),
          args,
          isSize && self === undefined,
          present,
        );
      }
    }
  }

  /** The text of a day or moment as a value to compare with one. */
  const dated = (each: Expression, other: Expression, present: Present) =>
    isTime(other) && each.op === "value" ? `date(${value(each, present)})` : value(each, present);

  /** Checks for a text: + joins it, and XPath orders it as a number. */
  function isText(each: Expression): boolean {
    if (each.op === "value") return typeof each.value === "string";
    if (each.op === "+" || each.op === "?:") return each.args.some(isText);
    return each.op === "." && !["number", "any", "yesNo"].includes(fieldOf(each)?.fieldType.nature ?? "");
  }

  function equality(a: Expression, b: Expression, isEqual: boolean, present: Present): string {
    const field = fieldOf(a);
    if (!field && fieldOf(b)) return equality(b, a, isEqual, present);
    if (field?.fieldType.nature === "choices") noCounterpart();
    const right = field && b.op === "value" ? xpathText(answer(field, b.value)) : value(b, present);
    const text = `${value(a, present)} ${isEqual ? "=" : "!="} ${right}`;
    if (field?.kind === "consent") return text;
    const isFixed = b.op === "value" && right !== "''" && a.op !== "size";
    return leaf(text, [a, b], isFixed ? !isEqual : self === undefined, present);
  }

  /** A value of a question as a text. A box that is not ticked is empty. */
  function answer({ id, kind, fieldType }: Field, value: unknown): string {
    if (kind === "consent") return value === true ? "OK" : "";
    return fieldType.nature === "choice" ? scope.option(id, value) : String(value);
  }

  function membership(item: Expression, of: Expression, wanted: boolean, present: Present): string {
    const call = (op: string, ...args: Expression[]): Expression => ({ op, args, at: 0 });
    if (of.op === "data") return condition(call("has", member(String(item.value))), wanted, present);
    if (of.op === "list")
      return condition(call("||", ...of.args.map((each) => call("==", item, each))), wanted, present);
    const field = fieldOf(of);
    if (field?.fieldType.nature === "parts")
      return condition(call("has", { ...call(".", of), value: String(item.value) }), wanted, present);
    if (field?.fieldType.nature !== "choices") return noCounterpart();
    const chosen = item.op === "value" ? xpathText(scope.option(field.id, item.value)) : value(item, present);
    const holds = `selected(${reference(of)}, ${chosen})`;
    return leaf(wanted ? holds : `not(${holds})`, [item, of], !wanted, present);
  }

  function value(each: Expression, present: Present): string {
    const { op, args } = each;
    const [a, b, c] = args as [Expression, Expression, Expression];
    const texts = () => args.map((arg) => value(arg, present));
    switch (op) {
      case "value":
      case "int":
        if (typeof each.value === "string") return xpathText(each.value);
        return /^-?[\d.]+$/.test(String(each.value)) ? String(each.value) : noCounterpart();
      case ".":
        return reference(each);
      case "size":
        return `${fieldOf(a)?.fieldType.nature === "choices" ? "count-selected" : "string-length"}(${texts()})`;
      case "?:":
        return `if(${condition(a, true, present)}, ${value(b, present)}, ${value(c, present)})`;
      case "-x":
        return `-(${texts()})`;
      case "+":
        return isText(each) ? `concat(${texts().join(", ")})` : `(${texts().join(" + ")})`;
      case "-":
      case "*":
      case "/":
        return `(${texts().join(` ${signs.get(op)} `)})`;
      default:
        return `${op.startsWith("math.") ? functions.get(op) : noCounterpart()}(${texts().join(", ")})`;
    }
  }

  return { condition, value };
}
