/** The look of a form's page: its colours and corners, and the links at its foot. */
import { Elysia } from "elysia";
import { isEmail } from "../../fields/formats.ts";
import { operation } from "../../platform/http/operation.ts";
import { parseQuery } from "../../platform/http/shapes.ts";
import { darkAccent } from "../../resources/forms/accent.ts";
import { LookSettings } from "../../resources/forms/settings.ts";
import type { DocumentProps } from "../ui/page.tsx";
import type { PageSettings } from "./page-request.ts";
import type { PageText } from "./text/types.ts";

type Look = typeof LookSettings.infer;

/** A day: a release may change the style sheet of a look. */
const maxAgeSeconds = 86_400;
const radii = { none: "0", small: "6px", round: "1rem" };

const sheetOf = ({ accent, corners, scheme }: Look): string => {
  const rules = [
    scheme && scheme !== "auto" && `color-scheme: ${scheme};`,
    accent && `--accent: light-dark(${accent}, ${darkAccent(accent)});`,
    corners && `--radius: ${radii[corners]};`,
  ];
  // In the console the look is that of the sheet alone.
  return `:root:not(.console), .sheet { ${rules.filter(Boolean).join(" ")} }\n`;
};

/** Returns the address of a look's style sheet. The address has all settings, so that no form is read. */
function sheetPath({ accent, corners, scheme }: Look): string | undefined {
  const given = Object.entries({ accent, corners, scheme }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length > 0 ? `/f/look.css?${new URLSearchParams(given)}` : undefined;
}

/** Properties of a page's document from the theme of its form, and from being embedded. */
export function lookOf({ theme = {} }: PageSettings, isEmbedded = false): Partial<DocumentProps> {
  const path = sheetPath(theme);
  return {
    ...(path !== undefined && { look: { path } }),
    ...(theme.scheme && theme.scheme !== "auto" && { colorScheme: theme.scheme }),
    ...(isEmbedded && { class: "embedded" }),
  };
}

/** Logo above the title, also on an embedded page. */
export const Logo = ({ settings: { theme } }: { settings: PageSettings }) =>
  theme?.logo ? <img class="logo" src={theme.logo.src} alt={theme.logo.alt} /> : null;

/** The picture that networks show beside a link to the page. */
export const pictureShared = ({ theme }: PageSettings) => theme?.logo ?? theme?.cover;

/** Picture above the form on its first page, which loads it once. */
export const Cover = ({ settings: { theme } }: { settings: PageSettings }) =>
  theme?.cover ? <img class="cover" src={theme.cover.src} alt={theme.cover.alt ?? ""} /> : null;

/** Links that a form's owner must give, or wants to. They open in a new tab, so that the form is not lost. */
export const Footer = ({ settings: { theme = {} }, text }: { settings: PageSettings; text: PageText }) => {
  const links = [
    [theme.privacyUrl, text.footer.privacy],
    [theme.imprintUrl, text.footer.imprint],
    [
      theme.contact && isEmail(theme.contact) ? `mailto:${theme.contact}` : theme.contact,
      text.footer.contact,
    ],
  ].filter((link): link is [string, string] => link[0] !== undefined);
  if (links.length === 0) return null;
  return (
    <footer>
      {links.map(([href, label]) => (
        <a key={label} href={href} target="_blank" rel="noopener">
          {label}
          <span class="read-only-aloud"> ({text.footer.newTab})</span>
        </a>
      ))}
    </footer>
  );
};

export const lookRoute = () =>
  new Elysia({ name: "/f/look.css" }).get(
    "/f/look.css",
    ({ query, set }) => {
      const look = parseQuery(query, LookSettings);
      set.headers["content-type"] = "text/css; charset=utf-8";
      set.headers["cache-control"] = `public, max-age=${maxAgeSeconds}`;
      return sheetOf(look);
    },
    operation({
      id: "getLook",
      tag: "page",
      summary: "Read the style sheet of a look",
      description: "Pages of forms with `settings.page.theme` load it. It is made of the query alone.",
      security: [{}],
      query: {
        shape: LookSettings,
        notes: { accent: "As `settings.page.theme` has them.", corners: "The same.", scheme: "The same." },
      },
      response: { description: "A style sheet.", media: { "text/css": { schema: { type: "string" } } } },
      codes: ["bad_request"],
    }),
  );
