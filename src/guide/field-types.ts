/** `GET /developer/api/fields`: the field types, their values and their rules, from the table that the engine works with. */
import { Elysia } from "elysia";
import { choiceConstraints } from "../fields/constraints.ts";
import { type FieldKind, fieldTypes, rulesOf } from "../fields/types.ts";
import { escapeHtml, pageHeaders, pageOf } from "./page.ts";

const kinds = Object.keys(fieldTypes) as FieldKind[];

/** A complete definition with every rule of the type, as an owner would write it. */
export function exampleOf(kind: FieldKind): { field: Record<string, unknown>; value: unknown } {
  const { field, value } = fieldTypes[kind].example;
  const isChoice = ([name]: [string, unknown]) => choiceConstraints.has(name);
  const members = Object.entries(field);
  const rules = members.filter((member) => !isChoice(member));
  return {
    field: {
      id: kind,
      type: kind,
      label: "Label",
      ...Object.fromEntries(members.filter(isChoice)),
      ...(rules.length > 0 && { validation: Object.fromEntries(rules) }),
    },
    value,
  };
}

/** Markdown without blocks: `code`. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
const code = (value: unknown): string => `<code>${escapeHtml(JSON.stringify(value))}</code>`;

const section = (kind: FieldKind): string => {
  const { meaning, aliases } = fieldTypes[kind];
  const { field, value } = exampleOf(kind);
  const rules = rulesOf(kind).map(
    (rule) => `<dt><code>${rule.name}</code></dt><dd>${inline(rule.meaning)}</dd>`,
  );
  return `
<section id="${kind}">
<h2><a href="#${kind}">${kind}</a></h2>
<p>${inline(meaning)}${aliases.length > 0 ? ` Other names: ${aliases.map((alias) => `<code>${alias}</code>`).join(", ")}.` : ""}</p>
${rules.length > 0 ? `<dl>\n${rules.join("\n")}\n</dl>` : "<p>It has no rules.</p>"}
<p>Example: ${code(field)}${value === undefined ? "" : `<br>accepts ${code(value)}`}</p>
</section>`;
};

const style = `section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .25rem 0; }
section:target { outline: 2px solid Highlight; outline-offset: .5rem; }
h2 { font: 600 1.1rem ui-monospace, monospace; }
h2 a { text-decoration: none; }
code { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: .25rem 1rem; }
dd { margin: 0; }`;

const page = pageOf(
  "Field types",
  `<h1>Field types</h1>
<p>A field is <code>{ id, type, label, required?, description?, placeholder?, help?, default?, prefill?, validation?, agentHint?
}</code>. With <code>prefill: true</code> the query of the form's page can give its value.
The rules of its type are members of <code>validation</code>; <code>options</code>, <code>rows</code> and <code>columns</code>
are usually beside it. Publishing a form refuses a type or a rule that is not here, except those whose name begins with
<code>x-</code>: a field of such a type accepts any JSON value. Nothing is converted: <code>"30"</code> is not a number.</p>
<p>Empty values (null, blank text, <code>[]</code>, <code>{}</code>) count as absent. <code>required</code> refuses them.
The <a href="validation">validation codes</a> say which rule a value violates.</p>
<nav>${kinds.map((kind) => `<a href="#${kind}">${kind}</a>`).join(" · ")}</nav>
${kinds.map(section).join("\n")}`,
  style,
);

/** The types as a table in Markdown, for the guide. */
export const fieldTypeRows: string[][] = kinds
  .filter((kind) => fieldTypes[kind].example.value !== undefined)
  .map((kind) => [
    [kind, ...fieldTypes[kind].aliases].map((name) => `\`${name}\``).join(", "),
    fieldTypes[kind].meaning,
    `\`${JSON.stringify(fieldTypes[kind].example.value)}\``,
  ]);

export const fieldTypePage = () =>
  new Elysia({ name: "field-types" }).get("/developer/api/fields", ({ set }) => {
    Object.assign(set.headers, pageHeaders);
    return page;
  });
