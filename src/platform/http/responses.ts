/** OpenAPI documentation of the usual responses. */
import type { Type } from "arktype";
import { cursorPagination, fullPagination } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { CursorPagination, Pagination } from "./shapes.ts";

/** A response whose data is one member. */
export const memberResponse = (
  description: string,
  member: string,
  shape: Type,
  example: unknown,
): Operation["response"] => ({ description, members: { [member]: shape }, example: { [member]: example } });

/** A response with a page of a list that has cursors. */
export const cursorResponse = (
  description: string,
  member: string,
  shape: Type,
  example: unknown,
  pagination: unknown = cursorPagination,
): Operation["response"] => ({
  description,
  members: { [member]: [shape], pagination: CursorPagination },
  example: { [member]: [example], pagination },
});

/** A response with a page of a list. */
export const pageResponse = (
  description: string,
  member: string,
  shape: Type,
  example: unknown,
): Operation["response"] => ({
  description,
  members: { [member]: [shape], pagination: Pagination },
  example: { [member]: [example], pagination: fullPagination },
});
