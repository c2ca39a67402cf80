/**
 * What the OpenAPI document says of a shape and the shape does not express: descriptions, and limits that are
 * checked elsewhere (by a SQL function, or between members). It is written beside the shape; a member that
 * the shape does not have does not compile.
 */
import type { Schema } from "./operation.ts";

/** A description, or with it keywords of JSON Schema, and the documentation of members or items. */
export type Documentation<T> =
  | string
  | {
      text?: string;
      schema?: Schema;
      members?: { [K in keyof T]?: Documentation<NonNullable<T[K]>> };
      items?: T extends readonly (infer Item)[] ? Documentation<Item> : never;
    };

export const documentations = new WeakMap<object, Documentation<unknown>>();

/** The shape, with its documentation. */
export function documented<S extends { infer: unknown }>(
  shape: S,
  documentation: Documentation<S["infer"]>,
): S {
  documentations.set(shape, documentation as Documentation<unknown>);
  return shape;
}
