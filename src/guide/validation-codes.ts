/** `GET /developer/api/validation`: the page that every FieldError's `help` links to. */
import { Elysia } from "elysia";
import { fieldCodes } from "../fields/codes.ts";
import { escapeHtml, pageHeaders, pageOf } from "./page.ts";

const code = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value))}</code>`;

const sections = Object.entries(fieldCodes).map(
  ([name, { meaning, example, fix }]) => `
<section id="${name}">
<h2><a href="#${name}">${name}</a></h2>
<p>${escapeHtml(meaning)}</p>
<dl>
<dt>Field</dt><dd>${code(example.field)}</dd>
<dt>Rejected</dt><dd>${code(example.rejected)}</dd>
<dt>Accepted</dt><dd>${code(example.accepted)}</dd>
<dt>How to fix</dt><dd>${escapeHtml(fix)}</dd>
</dl>
</section>`,
);

const style = `section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .25rem 0; }
section:target { outline: 2px solid Highlight; outline-offset: .5rem; }
h2 { font: 600 1.1rem ui-monospace, monospace; }
h2 a { text-decoration: none; }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .25rem 1rem; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }`;

const page = pageOf(
  "Validation codes",
  `<h1>Validation codes</h1>
<p>The codes of <code>errors[].code</code> and <code>warnings[].code</code>. An entry also has
<code>constraint</code> (the violated rule) and <code>expected</code> (what the rule requires), so that you can fix the value in one try.</p>
<nav>${Object.keys(fieldCodes)
    .map((name) => `<a href="#${name}">${name}</a>`)
    .join(" · ")}</nav>
${sections.join("\n")}`,
  style,
);

export const validationCodes = () =>
  new Elysia({ name: "validation-codes" }).get("/developer/api/validation", ({ set }) => {
    Object.assign(set.headers, pageHeaders);
    return page;
  });
