/** Markdown of ours as text for a terminal. */
import { marked, type Token, type Tokens } from "marked";
import { linkFrom } from "./pages.ts";

/** A column of a table, but the last one, takes no more. */
const maxColumnWidth = 34;
const minLastColumnWidth = 24;

/** Breaks at spaces. What has none is longer than the line. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

/**
 * A page as lines that a terminal of a width shows. Links to other pages are followed by their name, code
 * keeps its backticks.
 */
export function terminalText(markdown: string, from: string, width: number): string {
  const inline = (text: string) =>
    text
      .replace(/<!--[\s\S]*?-->/g, "")
      .replace(/!?\[([^\]]*)\]\(([^)]*)\)/g, (_, label: string, href: string) => {
        const target = linkFrom(from, href)?.replace(/^\/developer\//, "");
        return !target || target.startsWith("#") || target === label ? label : `${label} (${target})`;
      })
      .replace(/\*\*/g, "")
      .replace(/\\([|*_])/g, "$1");

  const table = ({ header, rows }: Tokens.Table): string[] => {
    const cells = [header, ...rows].map((row) => row.map(({ text }) => inline(text)));
    const longest = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
    const widths = longest.map((length) => Math.min(length, maxColumnWidth));
    const others = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
    widths[widths.length - 1] = Math.min(longest.at(-1) ?? 0, Math.max(minLastColumnWidth, width - others));
    const line = (row: string[]): string[] => {
      const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? width));
      const height = Math.max(...wrapped.map(({ length }) => length));
      return Array.from({ length: height }, (_, index) =>
        wrapped
          .map((lines, column) => (lines[index] ?? "").padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd(),
      );
    };
    const [head = [], ...body] = cells;
    return [...line(head), widths.map((each) => "-".repeat(each)).join("  "), ...body.flatMap(line)];
  };

  const list = ({ items, ordered, start }: Tokens.List): string[] =>
    items.flatMap((item, index) => {
      const mark = ordered ? `${Number(start || 1) + index}. ` : "- ";
      const lines = blocks(item.tokens, width - mark.length).filter((line, at, all) => line || all[at + 1]);
      return lines.map((line, at) => (at === 0 ? mark : " ".repeat(mark.length)) + line);
    });

  function blocks(tokens: readonly Token[], inner: number): string[] {
    return tokens.flatMap((token): string[] => {
      switch (token.type) {
        case "heading": {
          const text = inline(token.text).replace(/`/g, "");
          const underline = token.depth === 1 ? "=" : "-";
          return token.depth > 2 ? [text, ""] : [text, underline.repeat(text.length), ""];
        }
        case "code":
          return [...token.text.split("\n").map((line: string) => `    ${line}`.trimEnd()), ""];
        case "table":
          return [...table(token as Tokens.Table), ""];
        case "list":
          return [...list(token as Tokens.List), ""];
        case "text":
          return wrap(inline(token.text), inner);
        case "paragraph":
          return [...wrap(inline(token.text), inner), ""];
        case "blockquote":
          return [...blocks(token.tokens ?? [], inner - 2).map((line) => `  ${line}`)];
        default:
          return [];
      }
    });
  }
  return blocks(marked.lexer(markdown), width)
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}
