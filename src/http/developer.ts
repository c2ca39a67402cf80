/** The page that every FieldError's `help` links to: `/developer/api/validation`. Plain HTML, no script, readable anywhere. @module */
import { Elysia } from "elysia";
import { perFieldCodes } from "../fields/codes.ts";

const html = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const code = (value: unknown) => `<code>${html(JSON.stringify(value))}</code>`;

const sections = Object.entries(perFieldCodes).map(
  ([name, { meaning, example, mend }]) => `
<section id="${name}">
<h2><a href="#${name}">${name}</a></h2>
<p>${html(meaning)}</p>
<dl>
<dt>Field</dt><dd>${code(example.field)}</dd>
<dt>Refused</dt><dd>${code(example.refused)}</dd>
<dt>Accepted</dt><dd>${code(example.accepted)}</dd>
<dt>Mend</dt><dd>${html(mend)}</dd>
</dl>
</section>`,
);

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Validation codes · formd</title>
<style>
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .25rem 0; }
section:target { outline: 2px solid Highlight; outline-offset: .5rem; }
h2 { font: 600 1.1rem ui-monospace, monospace; }
h2 a { color: inherit; text-decoration: none; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .25rem 1rem; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>Validation codes</h1>
<p>What <code>errors[].code</code> and <code>warnings[].code</code> say about a field's value. An entry also carries
<code>constraint</code> (the rule that refused) and <code>expected</code> (what it wants), so that a value can be mended in one go.</p>
<nav>${Object.keys(perFieldCodes)
  .map((name) => `<a href="#${name}">${name}</a>`)
  .join(" · ")}</nav>
${sections.join("\n")}
</body>
</html>
`;

export const developer = () =>
  new Elysia({ name: "developer" }).get("/developer/api/validation", ({ set }) => {
    set.headers["content-type"] = "text/html; charset=utf-8";
    set.headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'";
    return page;
  });
