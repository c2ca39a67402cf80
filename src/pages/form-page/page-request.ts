import type { FieldIssue } from "../../fields/field-type.ts";
import type { FormAddress } from "../../resources/forms/page-address.ts";
import type { FormSettings } from "../../resources/forms/settings.ts";

/** `settings.page`. */
export type PageSettings = NonNullable<typeof FormSettings.infer.page>;

/** One request to the page of a form: what its response is made from, whatever happens. */
export interface PageRequest {
  request: Request;
  /** The form, once its id or alias has been resolved. */
  address?: FormAddress | undefined;
  /** `settings.page.language`, once it has been read. */
  language?: string | undefined;
  /** The title of the page, once the published form has been read. */
  title?: string | undefined;
  /** `settings.page.embedOrigins`, once it has been read. */
  embedOrigins?: readonly string[] | undefined;
  /** Settings of the look, once they have been read. */
  settings?: PageSettings | undefined;
  /** That of the times on the page: the setting, once the form has been read. */
  timeZone?: string | undefined;
  /** What was sent, so that a page of a failure can keep it. */
  posted?: URLSearchParams | undefined;
  /** What is wrong with files that were posted, and are not stored. */
  uploadIssues?: readonly FieldIssue[];
  /** Ids of fields that apply to what was sent, and that its page has not shown. */
  notAsked?: ReadonlySet<string> | undefined;
}

/** Whether the page is a part of another one, without a title and margins. */
export const isEmbedded = ({ request: { url } }: Pick<PageRequest, "request">): boolean =>
  new URL(url).searchParams.has("embed");

/** Whether a response is JSON, for a program: with an error of the API too. */
export const wantsJson = ({ headers }: Request): boolean => {
  const accept = headers.get("accept") ?? "";
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
};

/** Who may show a page in a frame: the origins that the form names. */
export const embedding = ({ embedOrigins = [] }: Pick<PageRequest, "embedOrigins">) =>
  embedOrigins.length > 0 ? { "frame-ancestors": `'self' ${embedOrigins.join(" ")}` } : {};
