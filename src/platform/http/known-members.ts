/** Rejects unknown members of a body: an agent would believe that a misspelt one takes effect. */
import type { Type } from "arktype";
import { nearest } from "../../fields/nearest.ts";
import { Problem } from "../../problem.ts";

/** The used part of arktype's shapes: the names of members, for a union those in all branches. */
interface Node {
  branches?: readonly Node[];
  structure?: { props?: readonly { key: string; value: Node }[] };
}

const propsOf = (node: Node) => (node.branches ?? [node]).flatMap(({ structure }) => structure?.props ?? []);

/** Names of the members, and paths of nested members by name. */
interface Members {
  own: ReadonlySet<string>;
  inner: ReadonlyMap<string, string>;
}

const membersOf = new WeakMap<object, Members>();

function membersIn(shape: Type): Members {
  const known = membersOf.get(shape);
  if (known) return known;
  // The input shape, before a member is transformed, such as a text to a date.
  const props = propsOf((shape.in as unknown as { internal: Node }).internal);
  const members = {
    own: new Set(props.map(({ key }) => key)),
    inner: new Map(
      props.flatMap(({ key, value }) =>
        propsOf(value).map((inner): [string, string] => [inner.key, `${key}.${inner.key}`]),
      ),
    ),
  };
  membersOf.set(shape, members);
  return members;
}

/** Characters of an unknown name that the message repeats. */
const maxShownLength = 64;

/**
 * Call this before the shape is checked: a member is often missing because its name is misspelt.
 * @throws {Problem} `invalid_body` for the first unknown member, and for an array.
 */
export function requireKnownMembers(value: unknown, shape: Type): void {
  if (typeof value !== "object" || value === null) return;
  // A shape without required members would accept it.
  if (Array.isArray(value)) throw new Problem("invalid_body", "The body must be an object.");
  const { own, inner } = membersIn(shape);
  const unknown = Object.keys(value).find((name) => !own.has(name));
  if (unknown === undefined) return;
  const names = [...own];
  const meant = inner.get(unknown) ?? nearest(unknown, names);
  const shown = unknown.slice(0, maxShownLength).toWellFormed();
  const name = /^[\w-]+$/.test(shown) ? shown : JSON.stringify(shown);
  throw new Problem(
    "invalid_body",
    meant !== undefined
      ? `${name} is unknown here: is ${meant} meant?`
      : names.length > 0
        ? `${name} is unknown here. Known: ${names.join(", ")}.`
        : `${name} is unknown here: the body has no members.`,
  );
}
