/** OpenAPI documentation of the usual responses. */
import type { Type } from "arktype";
import { fullPagination } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { Pagination } from "./shapes.ts";

/** A response whose data is one member. */
export const memberResponse = (
  description: string,
  member: string,
  shape: Type,
  example: unknown,
): Operation["response"] => ({ description, members: { [member]: shape }, example: { [member]: example } });

/** A response with a page of a list. */
export const pageResponse = (
  description: string,
  member: string,
  shape: Type,
  example: unknown,
  pagination: unknown = fullPagination,
): Operation["response"] => ({
  description,
  members: { [member]: [shape], pagination: Pagination },
  example: { [member]: [example], pagination },
});
