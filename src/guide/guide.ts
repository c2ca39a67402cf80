/** For agents and their authors: `GET /developer/guide` (HTML or Markdown), `/developer/guide.md`, `/llms.txt`. @module */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { html, pageHeaders, pageOf } from "./page.ts";
import { type Block, guideOf, type Section } from "./text.ts";

const title = "From secret to accepted submission";
const lead =
  "What an agent needs to submit to a form of this server. Every example on this page is run by a test of the software.";

const json = (value: unknown) => JSON.stringify(value, null, 2);
const fence = "```";

/** A section as Markdown (CommonMark with tables). */
const markdown = ({ title, blocks }: Section) => `## ${title}\n\n${blocks.map(markdownBlock).join("\n\n")}`;

function markdownBlock(block: Block): string {
  if (typeof block === "string") return block;
  if ("list" in block) return block.list.map((item) => `- ${item}`).join("\n");
  if ("table" in block) {
    const [head = [], ...rows] = block.table.map((row) => `| ${row.join(" | ")} |`);
    return [head, `|${" --- |".repeat(block.table[0]?.length ?? 0)}`, ...rows].join("\n");
  }
  const answer =
    block.answer === undefined ? "" : `\n\nanswers\n\n${fence}json\n${json(block.answer)}\n${fence}`;
  return `${fence}${block.run}\n${block.code}\n${fence}${answer}`;
}

/** `code` and [links](address) within words. */
const inline = (words: string) =>
  html(words)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>');

const section = ({ id, title, blocks }: Section) =>
  `<section id="${id}">\n<h2><a href="#${id}">${inline(title)}</a></h2>\n${blocks.map(htmlBlock).join("\n")}\n</section>`;

function htmlBlock(block: Block): string {
  if (typeof block === "string") return `<p>${inline(block)}</p>`;
  if ("list" in block) return `<ul>${block.list.map((item) => `<li>${inline(item)}</li>`).join("")}</ul>`;
  if ("table" in block) {
    const [head = [], ...rows] = block.table;
    const line = (tag: "th" | "td") => (cells: string[]) =>
      `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
    return `<table>${line("th")(head)}${rows.map(line("td")).join("")}</table>`;
  }
  const pre = (code: string, language: string) =>
    `<pre><code class="language-${language}">${html(code)}</code></pre>`;
  const answer = block.answer === undefined ? "" : `<p>answers</p>${pre(json(block.answer), "json")}`;
  return pre(block.code, block.run) + answer;
}

const style = `section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .25rem 0; }
h2 a { text-decoration: none; }
code { font: .875em ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem 1rem; border-radius: .4rem; background: color-mix(in srgb, currentColor 8%, transparent); }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; }`;

/** What a language model should read first (llmstxt.org). */
const llmsOf = (docs: string) => `# formd

> A self-hosted form service with an HTTP/JSON API for agents and people. Forms have rules; a submission is judged by them. An agent can do what an operator granted it on a form, nothing else.

To submit: mint a session at POST /papi/v1/auth/token with the agent's secret, read the form at GET /papi/v1/submitter/form, check a payload at POST /papi/v1/submitter/form/validation, send it to POST /papi/v1/submitter/form/submissions. Secrets travel in headers, never in addresses. Branch on \`code\`, wait as long as \`Retry-After\` says.

## Docs

- [Guide](${docs}/developer/guide.md): from secret to accepted submission, with examples that run
- [OpenAPI 3.1](${docs}/papi/v1/openapi.json): every route, schema and error code
- [Validation codes](${docs}/developer/api/validation): what is wrong with a value, and how to mend it

## Optional

- [Reference](${docs}/papi/v1/docs): the OpenAPI document for people, with requests to try
`;

export const guide = ({ config }: Deps) => {
  const sections = guideOf(config);
  const asMarkdown = `# ${title}\n\n${lead}\n\n${sections.map(markdown).join("\n\n")}\n`;
  const asPage = pageOf(
    title,
    `<h1>${title}</h1>\n<p>${lead}</p>\n${sections.map(section).join("\n")}`,
    style,
  );
  const llms = llmsOf(config.DOCS_URL);
  const markdownType = "text/markdown; charset=utf-8";
  return new Elysia({ name: "guide" })
    .get("/developer/guide", ({ request, set }) => {
      set.headers.vary = "Accept";
      const wantsMarkdown = /\btext\/markdown\b/.test(request.headers.get("accept") ?? "");
      Object.assign(set.headers, wantsMarkdown ? { "content-type": markdownType } : pageHeaders);
      return wantsMarkdown ? asMarkdown : asPage;
    })
    .get("/developer/guide.md", ({ set }) => {
      set.headers["content-type"] = markdownType;
      return asMarkdown;
    })
    .get("/llms.txt", ({ set }) => {
      set.headers["content-type"] = "text/plain; charset=utf-8";
      return llms;
    });
};
