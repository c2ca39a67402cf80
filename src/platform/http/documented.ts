/**
 * OpenAPI documentation that a shape cannot express, written beside it: descriptions, and limits that are
 * checked elsewhere (by SQL, or between members). A member that the shape lacks does not compile.
 */
import type { Schema } from "./operation.ts";

/** A description, optionally with JSON Schema keywords, and the documentation of members or items. */
export type Documentation<T> =
  | string
  | {
      text?: string;
      schema?: Schema;
      members?: { [K in keyof T]?: Documentation<NonNullable<T[K]>> };
      items?: T extends readonly (infer Item)[] ? Documentation<Item> : never;
    };

export const documentations = new WeakMap<object, Documentation<unknown>>();

/** Adds documentation to a shape. */
export function documented<S extends { infer: unknown }>(
  shape: S,
  documentation: Documentation<S["infer"]>,
): S {
  documentations.set(shape, documentation as Documentation<unknown>);
  return shape;
}
