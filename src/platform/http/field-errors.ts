import type { FieldIssue } from "../../fields/compile.ts";
import type { Config } from "../config.ts";

/** The FieldError of the specification: an issue with a link to its code on the page of validation codes. */
export type FieldError = FieldIssue & { help: string };

export const fieldErrors = ({ DOCS_URL }: Config, issues: readonly FieldIssue[]): FieldError[] =>
  issues.map((issue) => ({ ...issue, help: `${DOCS_URL}/developer/api/validation#${issue.code}` }));
