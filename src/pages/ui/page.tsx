/** Pages: HTML made on the server, which escapes every text, and which works without its script. */
import type { ComponentChildren, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { markFile } from "../../platform/http/mark.ts";
import { setPageHeaders } from "../../platform/http/security-headers.ts";
import { scriptAsset, styleAsset } from "./assets.ts";

/** Nothing inline, nothing from other sites, and no HTML of text (https://w3c.github.io/trusted-types/). */
const policy = {
  "default-src": "'none'",
  "style-src": "'self'",
  "script-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "form-action": "'self'",
  "base-uri": "'none'",
  "frame-ancestors": "'none'",
  "require-trusted-types-for": "'script'",
};

/** Directives of a Content-Security-Policy in place of the usual ones. An empty value omits its directive. */
export type PagePolicy = Partial<Record<keyof typeof policy | "frame-src", string>>;

const policyOf = (own: PagePolicy): string =>
  Object.entries({ ...policy, ...own })
    .filter(([, value]) => value !== "")
    .map((directive) => directive.join(" "))
    .join("; ");

/** @throws if a value would end its directive or the policy (CSP 3, 2.2): settings must be checked before */
function requireWholeValues(own: PagePolicy): void {
  for (const [name, value] of Object.entries(own))
    if (/[;,]|[^\S ]/.test(value))
      throw new Error(`${name}: a value has a character that separates directives.`);
}

export interface DocumentProps {
  title: string;
  /** The files of the page, unless they are the console's. */
  style?: { path: string };
  script?: { path: string };
  /** BCP 47. */
  lang?: string;
  look?: { path: string };
  /** Colour scheme of the page, unless it is the reader's. */
  colorScheme?: "light" | "dark";
  class?: string;
  /** Text of a button while its form is sent. */
  busy?: string;
  direction?: "ltr" | "rtl";
  /** Language of the words on the page, unless it is the page's. */
  wordsLang?: string;
  /** Addresses of the page in each language, by its tag or `x-default` (HTML, "Link type alternate"). */
  alternates?: readonly (readonly [language: string, address: string])[];
  /** Title, text and picture that networks show beside a link (https://ogp.me), by property. */
  social?: Readonly<Record<string, string | undefined>>;
  children: ComponentChildren;
}

const Document = ({
  title,
  style = styleAsset,
  script = scriptAsset,
  lang = "en",
  direction = "ltr",
  wordsLang = lang,
  alternates = [],
  look,
  colorScheme,
  class: bodyClass,
  busy,
  social = {},
  children,
}: DocumentProps) => (
  <html lang={lang} dir={direction} class={style === styleAsset ? "console" : undefined} data-busy={busy}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content={colorScheme ?? "light dark"} />
      <meta name="robots" content="noindex" />
      <title>{title}</title>
      {Object.entries(social).map(
        ([property, content]) =>
          content && <meta key={property} property={`og:${property}`} content={content} />,
      )}
      {alternates.map(([language, address]) => (
        <link key={language} rel="alternate" hreflang={language} href={address} />
      ))}
      <link rel="icon" href={markFile.path} />
      <link rel="stylesheet" href={style.path} />
      {look && <link rel="stylesheet" href={look.path} />}
      <script type="module" src={script.path} />
    </head>
    <body class={bodyClass} lang={wordsLang === lang ? undefined : wordsLang}>
      {children}
    </body>
  </html>
);

export function respondWithPage(
  set: { headers: Record<string, unknown> },
  props: DocumentProps,
  policy: PagePolicy = {},
): string {
  requireWholeValues(policy);
  setPageHeaders(set.headers, policyOf(policy));
  return `<!doctype html>${renderToString(<Document {...props} />)}`;
}

/** 303: the browser gets the next page by GET, and a reload sends nothing again. */
export function redirect(
  set: { status?: number | string; headers: Record<string, unknown> },
  location: string,
): string {
  set.status = 303;
  set.headers.location = location;
  return "";
}

/** The mark. The name beside it says the same. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <img class="mark" src={markFile.path} alt="" width={size} height={size} />
);

interface MessageProps {
  /** Name above the card, beside the mark. */
  product: string;
  heading: string;
  /** Below the card. */
  foot?: ComponentChildren;
  children: ComponentChildren;
}

/** A page with one card, for what has no page of its own. */
export const MessagePage = ({ product, heading, foot, children }: MessageProps): VNode => (
  <main class="message" id="main">
    <p class="brand">
      <Mark size={28} /> {product}
    </p>
    <div class="panel">
      <h1>{heading}</h1>
      {children}
    </div>
    {foot && <footer>{foot}</footer>}
  </main>
);
