/** The files that pages load: a style sheet and a module of the console, and of the respondents' pages. A name has the hash of its content, so that browsers may keep the file. */
import { createHash } from "node:crypto";
import { Elysia } from "elysia";
import { operation } from "../http/operation.ts";
import altcha from "./altcha.js" with { type: "text" };
import script from "./browser.js" with { type: "text" };
import controls from "./controls.css" with { type: "text" };
import embed from "./embed.js" with { type: "text" };
import formStyle from "./form-page.css" with { type: "text" };
import formScript from "./form-page.js" with { type: "text" };
import style from "./style.css" with { type: "text" };

const assetOf = (name: string, extension: string, type: string, content: string) => {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${extension}`, type: `${type}; charset=utf-8`, content };
};

export const styleAsset = assetOf("style", "css", "text/css", controls + style);
export const scriptAsset = assetOf("browser", "js", "text/javascript", script);
/** Of the pages that respondents see. */
export const formStyleAsset = assetOf("form", "css", "text/css", controls + formStyle);
export const formScriptAsset = assetOf("form", "js", "text/javascript", formScript);
/** Of those with the CAPTCHA provider ALTCHA. */
export const altchaScriptAsset = assetOf("altcha", "js", "text/javascript", altcha);

/** A year, the longest that browsers use. */
const maxAgeSeconds = 31_536_000;

/** An hour: the sites that load it name it without a hash. */
const embedMaxAgeSeconds = 3_600;

/** The script of sites that embed a page: `<script type="module" src="…/f/embed.js">`. */
export const embedScript = () =>
  new Elysia({ name: "/f/embed.js" }).get(
    "/f/embed.js",
    ({ set }) => {
      Object.assign(set.headers, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": `public, max-age=${embedMaxAgeSeconds}`,
        // A module is loaded by CORS, and a page with COEP loads only what says so.
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
      });
      return embed;
    },
    operation({
      id: "getEmbedScript",
      tag: "page",
      summary: "Read the script for sites that embed a form",
      description:
        "It gives the `iframe` of a form's page the height of the page. The form names the sites, in `settings.page.embedOrigins`.",
      security: [{}],
      response: {
        description: "An ES module.",
        media: { "text/javascript": { schema: { type: "string" } } },
      },
      codes: [],
    }),
  );

export const assets = () =>
  [styleAsset, scriptAsset, formStyleAsset, formScriptAsset, altchaScriptAsset].reduce(
    (app, { path, type, content }) =>
      app.get(path, ({ set }) => {
        set.headers["content-type"] = type;
        set.headers["cache-control"] = `public, max-age=${maxAgeSeconds}, immutable`;
        return content;
      }),
    new Elysia({ name: "/assets" }),
  );
