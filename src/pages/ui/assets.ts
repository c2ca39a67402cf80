/** The files that pages load: a style sheet and a module of the console, and of the respondents' pages. */
import { Elysia } from "elysia";
import { assetFile, serveAssets } from "../../platform/http/asset-files.ts";
import { markFile } from "../../platform/http/mark.ts";
import { operation } from "../../platform/http/operation.ts";
import altcha from "./altcha.js" with { type: "text" };
import script from "./browser.js" with { type: "text" };
import buildScript from "./build.js" with { type: "text" };
import busy from "./busy.js" with { type: "text" };
import embed from "./embed.js" with { type: "text" };
import formScript from "./form-page.js" with { type: "text" };
import conditionsScript from "./generated/form-conditions.js" with { type: "text" };
import settingsScript from "./generated/settings-page.js" with { type: "text" };
import passkeys from "./passkeys.js" with { type: "text" };
import rows from "./rows.js" with { type: "text" };
import base from "./styles/base.css" with { type: "text" };
import buildStyle from "./styles/build.css" with { type: "text" };
import buttons from "./styles/buttons.css" with { type: "text" };
import charts from "./styles/charts.css" with { type: "text" };
import choices from "./styles/choices.css" with { type: "text" };
import conditionStyle from "./styles/conditions.css" with { type: "text" };
import contrast from "./styles/contrast.css" with { type: "text" };
import controls from "./styles/controls.css" with { type: "text" };
import directions from "./styles/directions.css" with { type: "text" };
import door from "./styles/door.css" with { type: "text" };
import formFrame from "./styles/form-frame.css" with { type: "text" };
import formPage from "./styles/form-page.css" with { type: "text" };
import forms from "./styles/forms.css" with { type: "text" };
import lists from "./styles/lists.css" with { type: "text" };
import narrow from "./styles/narrow.css" with { type: "text" };
import navigation from "./styles/navigation.css" with { type: "text" };
import newFormStyle from "./styles/new-form.css" with { type: "text" };
import notices from "./styles/notices.css" with { type: "text" };
import print from "./styles/print.css" with { type: "text" };
import questions from "./styles/questions.css" with { type: "text" };
import ruleRows from "./styles/rule-rows.css" with { type: "text" };
import settingsStyle from "./styles/settings.css" with { type: "text" };
import share from "./styles/share.css" with { type: "text" };
import shell from "./styles/shell.css" with { type: "text" };
import tiles from "./styles/tiles.css" with { type: "text" };
import tokens from "./styles/tokens.css" with { type: "text" };
import toolbars from "./styles/toolbars.css" with { type: "text" };
import translateStyle from "./styles/translate.css" with { type: "text" };
import uploads from "./uploads.js" with { type: "text" };

/** Order matters: a later file may narrow a rule of an earlier one. The media come last. */
const consoleStyles = [
  controls,
  buttons,
  tokens,
  base,
  shell,
  lists,
  forms,
  notices,
  toolbars,
  ruleRows,
  charts,
  door,
  navigation,
  share,
  narrow,
  contrast,
  print,
];
const formStyles = [controls, buttons, formPage, formFrame, directions];

/** One style without comments and white space, which are a fifth of what browsers would load. */
const styleOf = (styles: readonly string[]) =>
  styles
    .join("")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*([{};,])\s*|\s+/g, (_, mark) => mark ?? " ");

/**
 * One script without the lines that are comments, a fourth of what browsers would load. A notice of a
 * licence, which begins with an exclamation mark, stays.
 */
const scriptOf = (...scripts: string[]) =>
  scripts.join("").replace(/^ *(?:\/\/.*|\/\*(?!!)[\s\S]*?\*\/)\n/gm, "");

export const styleAsset = assetFile("style", "css", "text/css", styleOf(consoleStyles));
export const scriptAsset = assetFile("browser", "js", "text/javascript", scriptOf(script, busy));
/** For a page of its own, beside the console's style: a form's settings. */
export const settingsStyleAsset = assetFile("settings", "css", "text/css", styleOf([settingsStyle]));
/** For a new form and its templates. */
export const newFormStyleAsset = assetFile("new-form", "css", "text/css", styleOf([newFormStyle]));
/** For the translations of a form. */
export const translateStyleAsset = assetFile("translate", "css", "text/css", styleOf([translateStyle]));
/** For the page on which a form is built, beside the console's style. */
export const buildStyleAsset = assetFile(
  "build",
  "css",
  "text/css",
  styleOf([questions, tiles, conditionStyle, choices, buildStyle]),
);
/** For the pages that respondents see. */
export const formStyleAsset = assetFile("form", "css", "text/css", styleOf(formStyles));
export const formScriptAsset = assetFile("form", "js", "text/javascript", scriptOf(formScript, busy));
/** For forms whose questions depend on others. */
export const conditionsScriptAsset = assetFile("conditions", "js", "text/javascript", conditionsScript);
/** For forms that take files. */
export const uploadsScriptAsset = assetFile("uploads", "js", "text/javascript", scriptOf(uploads));
/** For forms with the CAPTCHA provider ALTCHA. */
export const altchaScriptAsset = assetFile("altcha", "js", "text/javascript", scriptOf(altcha));

/** For the pages that register or ask for a passkey. */
export const passkeysScriptAsset = assetFile("passkeys", "js", "text/javascript", scriptOf(passkeys));

/** For the settings of a form: the number of changes, and the live look. */
export const settingsScriptAsset = assetFile("settings", "js", "text/javascript", settingsScript);

/** For pages with rows that are added and moved. */
export const rowsScriptAsset = assetFile("rows", "js", "text/javascript", scriptOf(rows));

/** For the page on which a form is built. */
export const buildScriptAsset = assetFile("build", "js", "text/javascript", scriptOf(buildScript));

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
    buildStyleAsset,
    buildScriptAsset,
    rowsScriptAsset,
    settingsScriptAsset,
    settingsStyleAsset,
    newFormStyleAsset,
    translateStyleAsset,
    markFile,
    scriptAsset,
    formStyleAsset,
    formScriptAsset,
    conditionsScriptAsset,
    uploadsScriptAsset,
    altchaScriptAsset,
    passkeysScriptAsset,
  ]);
