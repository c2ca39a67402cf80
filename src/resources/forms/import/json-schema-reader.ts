/** JSON Schemas with their references and `allOf` merged, so that a form can be made of them. Pure. */
import { isEmpty, isRecord, ownIn } from "../../../fields/values.ts";
import { distinctOptions } from "./options.ts";
import { isSet, itemsOf, type Node, nodeOf, textOf } from "./read.ts";

/** Characters that references may lead to in all, and references on the way from the root. */
const maxReferred = 2_097_152;
const referenceCost = 100;
const maxReferences = 16;
/** A schema together with its references and its `allOf`. */
export interface Flat {
  readonly keywords: Map<string, unknown>;
  /** Schemas of each member, which hold together. */
  readonly properties: Map<string, unknown[]>;
  readonly required: Set<string>;
  /** The groups `anyOf` and `oneOf`. */
  readonly alternatives: (readonly unknown[])[];
  readonly branches: { test: unknown; schema: unknown; isElse?: boolean }[];
  /** References on the way from the root, and its own. */
  readonly chain: Set<string>;
}

/** Keywords that say nothing of a value: the first of several is taken. */
export const annotationKeywords: readonly string[] = [
  ...["title", "description", "default", "$comment", "$id", "$schema", "$defs", "definitions"],
];

/** Checks for the schema of no value: `false`, null, or formd's own one. */
export const isNothing = (schema: unknown): boolean =>
  schema === false ||
  ownIn(schema, "type") === "null" ||
  /^#\/\$defs\/empty(?:InParts)?$/.test(String(ownIn(schema, "$ref")));

/** Reads the schemas of a document. What all references lead to together is bounded. */
export function readerOf(root: Node) {
  const sizes = new Map<unknown, number>();
  let left = maxReferred;

  function targetOf(reference: unknown): unknown {
    if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
    const names = reference.split("/").slice(1, 64);
    return names.reduce<unknown>((target, name) => {
      const member = name.replaceAll("~1", "/").replaceAll("~0", "~");
      return Array.isArray(target) ? target[Number(member)] : ownIn(target, member);
    }, root);
  }

  function fill(flat: Flat, before: ReadonlySet<string>, schema: unknown): void {
    const { keywords, properties, required, alternatives, branches, chain } = flat;
    const node = nodeOf(schema);
    const merged = (each: unknown) => fill(flat, before, each);
    for (const [name, member] of Object.entries(node)) {
      if (name === "allOf" || name === "$ref" || name === "then" || name === "else") continue;
      if (name === "properties")
        for (const [key, each] of Object.entries(nodeOf(member))) {
          const schemas = properties.get(key);
          if (schemas) schemas.push(each);
          else properties.set(key, [each]);
        }
      else if (name === "required" && Array.isArray(member))
        for (const key of member) required.add(String(textOf(key)));
      else if (name === "anyOf" || name === "oneOf") {
        const group = itemsOf(member).filter((each) => !isNothing(each));
        if (group.length === 1) merged(group[0]);
        else alternatives.push(group);
      } else if (name === "if")
        branches.push({ test: member, schema: node.then }, { test: member, schema: node.else, isElse: true });
      else if (/^dependen(?:cies|tRequired|tSchemas)$/.test(name))
        for (const [key, each] of Object.entries(nodeOf(member)))
          branches.push({
            test: { required: [key] },
            schema: Array.isArray(each) ? { required: each } : each,
          });
      else if (!keywords.has(name)) keywords.set(name, member);
      else if (
        !annotationKeywords.includes(name) &&
        JSON.stringify(keywords.get(name)) !== JSON.stringify(member)
      )
        keywords.set("allOf", Object.fromEntries([[name, member]]));
    }
    for (const each of itemsOf(node.allOf)) merged(each);
    const reference = node.$ref;
    if (reference === undefined || (chain.has(String(reference)) && !before.has(String(reference)))) return;
    const target = targetOf(reference);
    if (before.has(String(reference)) || !isRecord(target) || chain.size > maxReferences || left < 0) {
      keywords.set("$ref", reference);
      return;
    }
    const size = sizes.get(target) ?? JSON.stringify(target).length + referenceCost;
    sizes.set(target, size);
    left -= size;
    chain.add(String(reference));
    merged(target);
  }

  /** @param schemas hold together @param before the references on the way from the root */
  function flatten(schemas: readonly unknown[], before: ReadonlySet<string> = new Set(["#"])): Flat {
    const flat = {
      ...{ keywords: new Map(), properties: new Map(), required: new Set<string>() },
      ...{ alternatives: [], branches: [], chain: new Set(before) },
    };
    for (const each of schemas) fill(flat, before, each);
    return flat;
  }

  const isObject = ({ properties, alternatives, chain }: Flat): boolean =>
    properties.size > 0 || alternatives.flat().some((each) => isObject(flatten([each], chain)));

  /** Values to choose from, and whether any text is one. Without options: the schemas are others. */
  function choicesOf({ keywords, alternatives, chain }: Flat, names: readonly unknown[]) {
    const flats = alternatives.length === 1 ? alternatives.flat().map((each) => flatten([each], chain)) : [];
    const ownOf = (each: Flat) =>
      fixedValues(each).map((value, _, { length }) => ({
        ...{ value, label: length === 1 ? each.keywords.get("title") : undefined },
      }));
    const others = keywords.has("enum") ? [] : flats.filter((each) => fixedValues(each).length === 0);
    if (others.some((each) => each.keywords.get("type") !== "string" || each.keywords.size > 1)) return {};
    const listed = itemsOf(keywords.get("enum")).map((value, index) => ({ value, label: names[index] }));
    const list = (keywords.has("enum") ? listed : flats.flatMap(ownOf)).map(({ value, label }) => ({
      ...{ value: typeof value === "object" && value !== null ? JSON.stringify(value) : value, label },
    }));
    const { options, repeated } = distinctOptions(list.filter(({ value }) => !isEmpty(value)));
    if (options.length === 0) return {};
    const texts = keywords.has("enum") ? [] : flats.map((each) => each.keywords.get("description"));
    const lost = {
      "A choice without a value": list
        .filter(({ value }) => typeof value === "string" && isEmpty(value))
        .map(({ label }) => label ?? ""),
      "A choice whose value another one has": repeated,
      "The description of a choice": texts.filter(isSet),
    };
    return { options, allowOther: others.length > 0 || undefined, lost };
  }

  return { flatten, isObject, choicesOf };
}

export type Reader = ReturnType<typeof readerOf>;

/** The values that a schema names. */
export const fixedValues = ({ keywords }: Flat): readonly unknown[] =>
  keywords.has("const") ? [keywords.get("const")] : itemsOf(keywords.get("enum"));

/** The types of a schema without null, named or of its keywords. */
export function typesOf({ keywords, properties }: Flat): readonly unknown[] {
  const named = [keywords.get("type")].flat().filter((name) => textOf(name) && name !== "null");
  if (named.length > 0) return named;
  if (properties.size > 0) return ["object"];
  if (keywords.has("items")) return ["array"];
  if (["format", "minLength", "maxLength", "pattern"].some((name) => keywords.has(name))) return ["string"];
  return ["minimum", "maximum", "multipleOf"].some((name) => keywords.has(name)) ? ["number"] : [];
}
