/** Examples of programs as HTML: coloured, and with a tab per language where several stand together. */
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import type { Token, Tokens } from "marked";

const grammars = { bash, ini, javascript, json, nginx, python, sql, typescript, yaml };
for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar);

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Consecutive blocks in different languages. */
export interface CodeTabs {
  type: "tabs";
  raw: string;
  blocks: Tokens.Code[];
}

const names: Record<string, string> = {
  ts: "TypeScript",
  js: "JavaScript",
  mjs: "JavaScript",
  python: "Python",
  sh: "Shell",
  bash: "Shell",
};

/** @returns undefined for a block that is no program, such as a response in JSON */
const nameOf = ({ lang, text }: Tokens.Code): string | undefined => {
  const name = names[lang ?? ""];
  return name === "Shell" && text.includes("curl ") ? "curl" : name;
};

/** Joins programs that follow each other without a text between them. */
export function joinTabs(tokens: readonly Token[]): (Token | CodeTabs)[] {
  const joined: (Token | CodeTabs)[] = [];
  let open: CodeTabs | undefined;
  for (const token of tokens) {
    if (token.type === "space") continue;
    const code = token.type === "code" && nameOf(token as Tokens.Code) ? (token as Tokens.Code) : undefined;
    if (code && open && !open.blocks.some((block) => nameOf(block) === nameOf(code))) open.blocks.push(code);
    else {
      open = code && { type: "tabs", raw: code.raw, blocks: [code] };
      joined.push(open ?? token);
    }
  }
  return joined;
}

/** A scrollable block must be reachable by keyboard. The script shows the button. */
export function renderCode({ lang = "", text }: Pick<Tokens.Code, "lang" | "text">): string {
  const html = highlighter.getLanguage(lang)
    ? highlighter.highlight(text, { language: lang }).value
    : escapeHtml(text);
  return `<div class="code"><pre tabindex="0"><code>${html}\n</code></pre><button type="button" hidden>Copy</button></div>\n`;
}

/** @param group a name that no other group of the page has */
export function renderTabs({ blocks }: CodeTabs, group: string): string {
  const [first] = blocks;
  if (blocks.length < 2) return first ? renderCode(first) : "";
  const tabs = blocks.map(
    (block) =>
      `<label><input type="radio" name="${group}"${block === first ? " checked" : ""}>${nameOf(block)}</label>\n${renderCode(block)}`,
  );
  return `<fieldset class="tabs"><legend class="hidden">Language</legend>\n${tabs.join("")}</fieldset>\n`;
}
