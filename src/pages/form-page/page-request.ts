/** What a request to the page of a form is handled with: what was asked, what was posted, what is shown. */
import type { FieldIssue } from "../../fields/field-type.ts";
import type { FullOptions } from "../../fields/option-limits.ts";
import type { Deps } from "../../platform/deps.ts";
import type { FormAddress } from "../../resources/forms/page-address.ts";
import type { FormSettings } from "../../resources/forms/settings.ts";
import type { CompiledVersion } from "../../resources/submit/versions.ts";
import type { Captcha } from "./captcha.tsx";
import type { PageText } from "./text/types.ts";

/** `settings.page`. */
export type PageSettings = NonNullable<typeof FormSettings.infer.page>;

export interface Asked {
  deps: Deps;
  request: Request;
  /** The path of the form's page. */
  action: string;
  /** The form, or what may be its alias and was not looked up yet. */
  address: FormAddress | string;
}

export interface Posted {
  values: URLSearchParams;
  /** Issues of files that were not stored. */
  issues: readonly FieldIssue[];
}

export interface Shown {
  settings: PageSettings;
  /** Absent: there is no published form. */
  title?: string | undefined;
  /** The time zone of the times on the page. */
  timeZone?: string | undefined;
  /** The words of the form's language. */
  text: PageText;
}

export interface PublishedPage extends CompiledVersion, Shown {
  title: string;
  team: string;
  formId: string;
  name: string;
  description: string | null;
  /** Absent: the form requires none. */
  captcha: Captcha | undefined;
  /** The options that are full; absent: none is. */
  full?: FullOptions | undefined;
  /** Whether it accepts no submissions now. */
  isClosed?: boolean;
  /** Whether the page is a part of another one. */
  isEmbedded?: boolean;
  /** Above the page, in the words of the console: what is entered is not stored. */
  banner?: string;
}

/** Whether the page is a part of another one, without a title and margins. */
export const isEmbedded = ({ url }: Request): boolean => new URL(url).searchParams.has("embed");

/** Whether a response is JSON, for a program: with an error of the API too. */
export const wantsJson = ({ headers }: Request): boolean => {
  const accept = headers.get("accept") ?? "";
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
};

/** Who may show a page in a frame: the origins that the form names. */
export const embedding = ({ embedOrigins = [] }: PageSettings) =>
  embedOrigins.length > 0 ? { "frame-ancestors": `'self' ${embedOrigins.join(" ")}` } : {};
