/** Types of a request to the page of a form: the request, the post and the page. */
import type { FieldIssue } from "../../fields/field-type.ts";
import type { FullOptions, PlacesLeft } from "../../fields/option-limits.ts";
import type { Deps } from "../../platform/deps.ts";
import type { FormAddress } from "../../resources/forms/page-address.ts";
import type { FormSettings } from "../../resources/forms/settings.ts";
import type { CompiledVersion } from "../../resources/submit/versions.ts";
import type { Captcha } from "./captcha.tsx";
import type { HiddenField } from "./hidden-fields.ts";
import type { PageText } from "./text/types.ts";

export type PageSettings = NonNullable<typeof FormSettings.infer.page>;

/**
 * A link that a person holds: of a draft (`r`, resume), of a submission to change (`c`), of an invitation
 * (`i`). The address of the page is `/f/{form}/{use}/{token}`.
 */
export interface HeldLink {
  use: "r" | "c" | "i";
  token: string;
}

export interface Asked {
  deps: Deps;
  request: Request;
  action: string;
  /** The form, or a possible alias that was not looked up yet. */
  address: FormAddress | string;
  /** The link that the page was opened by. Absent: the address that everybody has. */
  link?: HeldLink | undefined;
  /** The token of the invitation, on a page that was opened from a draft. */
  invitation?: string | undefined;
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
  /** True: the form was online once, and is not now. */
  isOffline?: boolean;
  /** True: the form is archived. */
  isArchived?: boolean;
  timeZone?: string | undefined;
  /** In the language of the page, as the texts of `settings`. */
  text: PageText;
  /** Languages of the version, the first one first. Absent: the form has one, by `settings.language`. */
  languages?: readonly string[];
  /** The language of the page's own texts, which act at once: the draft's first one. */
  ownLanguage?: string;
}

/** A page that changes a submission. */
interface PageOfChange {
  /** Ids of sensitive fields with a stored value, which no page shows. */
  notShown: ReadonlySet<string>;
  /** The stored values, which the page shows beside those of a page that was opened before. */
  stored: Readonly<Record<string, unknown>>;
  /** True if the respondent may take the submission back. */
  canWithdraw: boolean;
}

export interface PublishedPage extends CompiledVersion, Shown {
  title: string;
  team: string;
  formId: string;
  name: string;
  description: string | null;
  /** Absent: the form requires none. */
  captcha: Captcha | undefined;
  /** The options that are full. Absent: no option is full. */
  full?: FullOptions | undefined;
  /** The options with few places left. Absent: no option has few. */
  left?: PlacesLeft | undefined;
  isClosed?: boolean;
  /** True: the page can be saved, to continue later. */
  isSavable?: boolean;
  /** The link that the page was opened by. */
  link?: HeldLink | undefined;
  /** The page's own URL. Absent: a preview, which has no address to share. */
  address?: string;
  isEmbedded?: boolean;
  /** The values of the invitation that the page was opened by, and the name of its draft in the browser. */
  invited?: { prefill: Readonly<Record<string, unknown>>; draft: string };
  /** Hidden fields that every page of this visit carries, as the token of an invitation. */
  carried?: readonly HiddenField[];
  /** Absent: the page sends a new submission. */
  change?: PageOfChange;
  /** Text above a preview, in the language of the console: entered values are not stored. */
  banner?: string;
}

/** True if the page is embedded in another one. It then has no title and no margins. */
export const isEmbedded = ({ url }: Request): boolean => new URL(url).searchParams.has("embed");

/** True if the response is JSON, for a program. Errors are JSON too then. */
export const wantsJson = ({ headers }: Request): boolean => {
  const accept = headers.get("accept") ?? "";
  return /\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept);
};

/** Policy for the origins that the form allows to show its page in a frame. */
export const embedding = ({ embedOrigins = [] }: PageSettings) =>
  embedOrigins.length > 0 ? { "frame-ancestors": `'self' ${embedOrigins.join(" ")}` } : {};
