/** The files that pages load: a style sheet and a module of the console, and of the respondents' pages. */
import { Elysia } from "elysia";
import { assetFile, serveAssets } from "../../platform/http/asset-files.ts";
import { operation } from "../../platform/http/operation.ts";
import altcha from "./altcha.js" with { type: "text" };
import script from "./browser.js" with { type: "text" };
import controls from "./controls.css" with { type: "text" };
import embed from "./embed.js" with { type: "text" };
import formStyle from "./form-page.css" with { type: "text" };
import formScript from "./form-page.js" with { type: "text" };
import conditionsScript from "./generated/form-conditions.js" with { type: "text" };
import passkeys from "./passkeys.js" with { type: "text" };
import style from "./style.css" with { type: "text" };
import uploads from "./uploads.js" with { type: "text" };

export const styleAsset = assetFile("style", "css", "text/css", controls + style);
export const scriptAsset = assetFile("browser", "js", "text/javascript", script);
/** For the pages that respondents see. */
export const formStyleAsset = assetFile("form", "css", "text/css", controls + formStyle);
export const formScriptAsset = assetFile("form", "js", "text/javascript", formScript);
/** For forms whose questions depend on others. */
export const conditionsScriptAsset = assetFile("conditions", "js", "text/javascript", conditionsScript);
/** For forms that take files. */
export const uploadsScriptAsset = assetFile("uploads", "js", "text/javascript", uploads);
/** For forms with the CAPTCHA provider ALTCHA. */
export const altchaScriptAsset = assetFile("altcha", "js", "text/javascript", altcha);

/** For the pages that register or ask for a passkey. */
export const passkeysScriptAsset = assetFile("passkeys", "js", "text/javascript", passkeys);

/** An hour: other sites load the script by an address without a hash. */
const embedMaxAgeSeconds = 3_600;

/** The script of sites that embed a page: `<script type="module" src="…/f/embed.js">`. */
export const embedScriptRoute = () =>
  new Elysia({ name: "/f/embed.js" }).get(
    "/f/embed.js",
    ({ set }) => {
      Object.assign(set.headers, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": `public, max-age=${embedMaxAgeSeconds}`,
        // A module is loaded by CORS, and a page with COEP loads only resources with this header.
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

export const assetRoutes = () =>
  serveAssets([
    styleAsset,
    scriptAsset,
    formStyleAsset,
    formScriptAsset,
    conditionsScriptAsset,
    uploadsScriptAsset,
    altchaScriptAsset,
    passkeysScriptAsset,
  ]);
