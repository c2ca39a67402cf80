/** The shape of every JSON response (specification, "Versioning" and "Error envelope"). */
import type { Config } from "../config.ts";
import type { Problem } from "../problem.ts";

/** The success envelope around `data`. */
export const success = <T>(data: T) => ({ data, apiVersion: "v1" as const });

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
