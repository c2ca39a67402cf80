/** Renders our own Markdown as HTML, with the headings for a table of contents. */
import { Marked, type Token, type Tokens } from "marked";
import { type CodeTabs, escapeHtml, joinTabs, renderCode, renderTabs } from "./code.ts";

export interface Heading {
  id: string;
  text: string;
  /** 1 is the page's title. */
  depth: number;
}

/** A part of a page with an anchor: under a heading, or a row of a table that begins with code. */
export interface DocsSection {
  id: string;
  title: string;
  /** Text without Markdown syntax. */
  text: string;
  isRow: boolean;
}

export interface Rendered {
  html: string;
  headings: Heading[];
}

/** An id by the rules of GitHub, so that a link between two pages works there too. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** A line of Markdown without its syntax. */
const plain = (markdown: string): string =>
  markdown
    .replace(/<!--[\s\S]*?-->/g, "")
    .replaceAll("<br>", " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .replace(/\\([|*_`])/g, "$1");

/** Converts a link of a page. Undefined: a file that the server does not have. */
type LinkOf = (href: string) => string | undefined;

/** The code at the start of a row, which is its name: a setting, a code, a command. */
const nameOf = (row: Tokens.TableCell[]): string | undefined => {
  const [first] = row[0]?.tokens ?? [];
  return first?.type === "codespan" ? plain(first.text) : undefined;
};

/** Ids of headings, numbered when repeated as on GitHub, and of named rows (the first of a name). */
function idsOf(tokens: Token[]): Map<unknown, string> {
  const ids = new Map<unknown, string>();
  const used = new Map<string, number>();
  for (const token of tokens) {
    if (token.type !== "heading") continue;
    const slug = slugOf(plain(token.text));
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    ids.set(token, times === 0 ? slug : `${slug}-${times}`);
  }
  const taken = new Set(ids.values());
  for (const row of tokens.flatMap((token) => (token.type === "table" ? (token as Tokens.Table).rows : []))) {
    const id = slugOf(nameOf(row) ?? "");
    if (!id || taken.has(id)) continue;
    taken.add(id);
    ids.set(row, id);
  }
  return ids;
}

/** The parts of a page, for the search. */
export function sectionsOf(markdown: string): DocsSection[] {
  const tokens = new Marked().lexer(markdown);
  const ids = idsOf(tokens);
  const sections: DocsSection[] = [];
  let current: DocsSection | undefined;
  for (const token of tokens) {
    if (token.type === "heading") {
      current = { id: ids.get(token) ?? "", title: plain(token.text), text: "", isRow: false };
      sections.push(current);
    } else if (token.type === "table") {
      for (const row of (token as Tokens.Table).rows) {
        const [id, name] = [ids.get(row), nameOf(row)];
        const cells = row.map(({ text }) => plain(text));
        if (id && name) sections.push({ id, title: name, text: cells.slice(1).join(" · "), isRow: true });
        else if (current) current.text += ` ${cells.join(" · ")}`;
      }
    } else if (current && token.type !== "space") current.text += ` ${plain(token.raw)}`;
  }
  return sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, " ").trim() }));
}

/** @param markdown our own: raw HTML in it is kept */
export function render(markdown: string, linkOf: LinkOf): Rendered {
  const headings: Heading[] = [];
  let ids = new Map<unknown, string>();
  let groups = 0;
  const marked = new Marked({
    extensions: [
      { name: "tabs", renderer: (token) => renderTabs(token as unknown as CodeTabs, `language-${++groups}`) },
    ],
    renderer: {
      /** A heading links to itself. */
      heading(token) {
        const { tokens, depth, text } = token;
        const id = ids.get(token) ?? slugOf(plain(text));
        headings.push({ id, depth, text: plain(text) });
        return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
      code: renderCode,
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("");
        const lines = rows.map((row) => {
          const id = ids.get(row);
          return `<tr${id ? ` id="${id}"` : ""}>${cells(row, "td")}</tr>`;
        });
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${cells(header, "th")}</tr></thead>
<tbody>
${lines.join("\n")}
</tbody></table></div>\n`;
      },
      link({ href, tokens }) {
        const target = linkOf(href);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image: ({ href, text }) =>
        `<img src="${escapeHtml(linkOf(href) ?? href)}" alt="${escapeHtml(text)}" loading="lazy">`,
    },
  });
  const tokens = marked.lexer(markdown);
  ids = idsOf(tokens);
  return { html: marked.parser(joinTabs(tokens) as Token[]), headings };
}
