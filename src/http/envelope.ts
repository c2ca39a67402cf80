/**
 * The one shape of every JSON answer (specification, "Versioning" and "Error envelope").
 *
 * @module
 */
import type { Problem } from "../problem.ts";

/** The success envelope around `data`. */
export const ok = <T>(data: T) => ({ data, apiVersion: "v1" as const });

/** The error envelope of a refusal. */
export const refusal = (problem: Problem) => ({
  error: problem.message,
  code: problem.code,
  apiVersion: "v1" as const,
  ...problem.extras,
});
