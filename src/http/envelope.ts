/** The shape of every JSON response (specification, "Versioning" and "Error envelope"). */
import type { Config } from "../config.ts";
import { Problem } from "../problem.ts";
import { contextOf } from "./request-context.ts";

/** The success envelope around `data`. */
export const success = <T>(data: T) => ({ data, apiVersion: "v1" as const });

/** The success envelope as text: what is before and after `data`. */
export const successText = { start: '{"data":', end: ',"apiVersion":"v1"}' };

/** Marks the response, a text or a stream, as JSON. */
export function markAsJson(request: Request): void {
  contextOf(request).headers["content-type"] = "application/json;charset=utf-8";
}

/** The success envelope around a resource that PostgreSQL has written as JSON. @throws {Problem} `not_found`: null. */
export function resourceText(request: Request, name: string, json: string | null): string {
  if (json === null) throw new Problem("not_found", `There is no such ${name}.`);
  markAsJson(request);
  return `${successText.start}{"${name}":${json}}${successText.end}`;
}

/**
 * The error envelope. It has links to the reference and the guide; a success does without, to save the bytes.
 */
export const errorEnvelope = (problem: Problem, { DOCS_URL }: Pick<Config, "DOCS_URL">) => ({
  error: problem.message,
  code: problem.code,
  apiVersion: "v1" as const,
  ...problem.extras,
  _docs: `${DOCS_URL}/papi/v1/docs`,
  _guide: `${DOCS_URL}/developer/guide`,
});
