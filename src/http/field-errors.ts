/** FieldErrors of the specification. @module */
import type { Config } from "../config.ts";
import type { FieldIssue } from "../fields/compile.ts";

/** A fault with the link to its code's anchor on the validation page. */
export type FieldError = FieldIssue & { help: string };

/** Faults with their links. */
export const fieldErrors = ({ DOCS_URL }: Config, faults: readonly FieldIssue[]): FieldError[] =>
  faults.map((fault) => ({ ...fault, help: `${DOCS_URL}/developer/api/validation#${fault.code}` }));
