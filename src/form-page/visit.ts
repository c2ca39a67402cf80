import type { FormAddress } from "./address.ts";

/** One request to the page of a form: what its response is made from, whatever happens. */
export interface Visit {
  request: Request;
  /** The form, once its id or alias has been resolved. */
  address?: FormAddress | undefined;
  /** `settings.page.language`, once it has been read. */
  language?: string | undefined;
  /** The title of the page, once the published form has been read. */
  title?: string | undefined;
  /** `settings.page.embedOrigins`, once it has been read. */
  embedOrigins?: readonly string[] | undefined;
  /** What was sent, so that a page of a failure can keep it. */
  posted?: URLSearchParams | undefined;
}

/** Whether a response is JSON, for a program: with an error of the API too. */
export const wantsJson = ({ headers }: Request): boolean => {
  const accept = headers.get("accept") ?? "";
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
};

/** Who may show a page in a frame: the origins that the form names. */
export const embedding = ({ embedOrigins = [] }: Pick<Visit, "embedOrigins">) =>
  embedOrigins.length > 0 ? { "frame-ancestors": `'self' ${embedOrigins.join(" ")}` } : {};
