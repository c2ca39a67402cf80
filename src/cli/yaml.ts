/**
 * YAML 1.2 (https://yaml.org/spec/1.2.2), core schema, as another form of JSON: without anchors, aliases and
 * tags. Commands alone use it, and load the package with the first file.
 */
import type { ErrorCode, ParsedNode } from "yaml";
import { isRecord } from "../fields/values.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { membersOf } from "../resources/forms/file.ts";

export const isYamlPath = (path: string): boolean => /\.ya?ml$/i.test(path);

/** Writes a value, with members in the order of {@link membersOf}. The same value has the same text. */
export async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  const ordered = (_: unknown, each: unknown) => (isRecord(each) ? new Map(membersOf(each)) : each);
  // Parsers of YAML 1.1 would read an unquoted "no" as false.
  return stringify(value, ordered, { aliasDuplicateObjects: false, lineWidth: 0, compat: "yaml-1.1" });
}

/** A number as JSON has it: its text is kept, so that the checks of JSON see all of its digits. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const tooDeep = `is nested deeper than ${limits.body.maxDepth} levels`;
const noReferences = "must have no anchors, aliases or tags";
/** Words for errors of the package. */
const faults: { [code in ErrorCode]?: string } = {
  MULTIPLE_DOCS: "has two documents",
  RESOURCE_EXHAUSTION: tooDeep,
};

/**
 * Converts YAML to JSON, which then has the checks of a body.
 * @throws {Problem} `invalid_body`, with the line and the column
 */
export async function yamlToJson(text: string): Promise<string> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const refuse = (reason: string, at: number): never => {
    const { line, col } = lineCounter.linePos(at);
    throw new Problem("invalid_body", `The file ${reason}, at line ${line}, column ${col}.`);
  };
  const { contents, errors } = parseDocument<ParsedNode>(text, {
    ...{ schema: "core", prettyErrors: false, lineCounter },
    // The package compares each name with all others.
    uniqueKeys: false,
  });
  const [error] = errors;
  if (error) refuse(faults[error.code] ?? `is not YAML: ${error.message}`, error.pos[0]);

  const toJson = (node: ParsedNode | null, depth: number): string => {
    if (node === null) return "null";
    const [at] = node.range;
    if (depth > limits.body.maxDepth && !isScalar(node)) refuse(tooDeep, at);
    if (("anchor" in node && node.anchor) || node.tag !== undefined) refuse(noReferences, at);
    if (isSeq(node)) return `[${node.items.map((item) => toJson(item, depth + 1)).join()}]`;
    if (isScalar(node)) {
      const { value, source } = node;
      if (typeof value !== "number") return JSON.stringify(value);
      if (jsonNumber.test(source)) return source;
      return Number.isSafeInteger(Math.trunc(value))
        ? String(value)
        : refuse("has a number that cannot be kept exactly", at);
    }
    if (!isMap(node)) return refuse(noReferences, at);
    const names = new Set<string>();
    const members = node.items.map(({ key, value }) => {
      const name = toJson(key, depth + 1);
      const nameAt = key?.range[0] ?? at;
      if (!name.startsWith('"')) refuse("has a name that is no text: put it in quotes", nameAt);
      if (names.has(name)) refuse("has one name twice in one object", nameAt);
      names.add(name);
      return `${name}:${toJson(value, depth + 1)}`;
    });
    return `{${members.join()}}`;
  };
  return toJson(contents, 1);
}

/** A step of a path: a name, or in brackets a position or a quoted name (`pathStep`). */
const step = /\[(\d+|"(?:[^"\\]|\\.)*")\]|[^.[]+/g;

/** Finds the position of a path in YAML, or in JSON, which is YAML: of the nearest value that exists. */
export async function positionsIn(text: string) {
  const { isNode, LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, lineCounter });
  return (path: string): TextPosition => {
    const steps = [...path.matchAll(step)].map(([name, inside]) => (inside ? JSON.parse(inside) : name));
    while (steps.length > 0 && !isNode(document.getIn(steps, true))) steps.pop();
    const node = document.getIn(steps, true);
    const { line, col: column } = lineCounter.linePos((isNode(node) && node.range?.[0]) || 0);
    return { line, column };
  };
}

/** A place in a text, from 1. */
export interface TextPosition {
  line: number;
  column: number;
}
