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

/** Names of the members of a shape. */
export const memberNames = (shape: Type): string[] => [...membersIn(shape).own];

/** Characters of an unknown name that the message repeats. */
const maxShownLength = 64;

/** An unknown name as a sentence, and the known one that it probably means. */
interface NameHint {
  message: string;
  nearest?: string;
}

/**
 * Describes a name that a caller sent and the server does not know.
 * @param known the names that are known here
 * @param inner paths of known names elsewhere, by their names
 * @param nothing ends the sentence if nothing is known here
 */
export function unknownName(
  unknown: string,
  known: readonly string[],
  { inner, nothing }: { inner?: ReadonlyMap<string, string>; nothing: string },
): NameHint {
  const meant = inner?.get(unknown) ?? nearest(unknown, known);
  const shown = shownName(unknown);
  if (meant !== undefined) return { message: `${shown} is unknown here: is ${meant} meant?`, nearest: meant };
  const others = known.length > 0 ? `. Known: ${known.join(", ")}.` : `: ${nothing}.`;
  return { message: `${shown} is unknown here${others}` };
}

/** Escapes characters as JSON does. */
export const escaped = (text: string, characters: RegExp): string =>
  text.replace(characters, (each) =>
    each.split("").reduce((all, unit) => `${all}\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`, ""),
  );

/** Writes an unknown name, shortened, without control and format characters. */
export function shownName(unknown: string): string {
  const shown = unknown.slice(0, maxShownLength).toWellFormed();
  return /^[\w-]+$/.test(shown) ? shown : escaped(JSON.stringify(shown), /\p{C}/gu);
}

/**
 * Call this before the shape is checked: a member is often missing because its name is misspelt.
 * @throws {Problem} `invalid_body` for the first unknown member, and for an array.
 */
export function requireKnownMembers(value: unknown, shape: Type): void {
  if (typeof value !== "object" || value === null) return;
  // A shape without required members would accept it.
  const { own, inner } = membersIn(shape);
  if (Array.isArray(value))
    throw new Problem(
      "invalid_body",
      `The body must be an object, with ${[...own].join(", ") || "no members"}.`,
    );
  const unknown = Object.keys(value).find((name) => !own.has(name));
  if (unknown === undefined) return;
  const { message } = unknownName(unknown, [...own], { inner, nothing: "the body has no members" });
  throw new Problem("invalid_body", message);
}
