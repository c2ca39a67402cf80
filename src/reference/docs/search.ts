/** Search over headings, named rows of tables (settings, codes, commands), and the API's routes. */
import { operationIn, type Route } from "../../platform/http/operation.ts";
import type { DocsSection } from "./markdown.ts";
import type { DocsPage } from "./pages.ts";

/** A target of a search result. */
export interface SearchEntry {
  href: string;
  title: string;
  /** The title of its page. */
  place: string;
  text: string;
}

interface Result extends SearchEntry {
  /** The part of the text around the first word. */
  excerpt: string;
}

/** Longer queries are cut, and further words are ignored. */
export const maxQueryLength = 100;
const maxWords = 8;
const maxResults = 40;
const excerptLength = 160;

export const pageEntries = ({ name, title }: DocsPage, sections: readonly DocsSection[]): SearchEntry[] =>
  sections.map((section, index) => ({
    // The first section is the page itself.
    href: index === 0 ? `/developer/${name}` : `/developer/${name}#${section.id}`,
    title: section.title,
    place: title,
    text: section.text,
  }));

/** @param docsPath path of the reference, which has an anchor per route */
export const routeEntries = (routes: readonly Route[], docsPath: string): SearchEntry[] =>
  routes.flatMap((route) => {
    const operation = operationIn(route);
    if (!operation) return [];
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    return [
      {
        href: `${docsPath}#?route=${route.method.toLowerCase()}-${route.path.replace(/:(\w+)/g, "-$1-")}`,
        title: `${route.method} ${path}`,
        place: "Reference of the API",
        text: `${[operation.summary, operation.description].filter(Boolean).join(". ").replace(/`/g, "")} (${operation.id})`,
      },
    ];
  });

export interface SearchResults {
  /** At most `maxResults`. */
  results: Result[];
  /** Number of all matches. */
  total: number;
}

/** The entries that have every word of a query, in their title or text; the best first. */
export function searchDocs(entries: readonly SearchEntry[], query: string): SearchResults {
  const words = query.slice(0, maxQueryLength).toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  if (words.length === 0) return { results: [], total: 0 };
  const whole = words.join(" ");
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words, whole) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const results = found
    .slice(0, maxResults)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, words) }));
  return { results, total: found.length };
}

/** Rates a match: 0, a word is missing; then text, title with a word, with all; begins; equals. */
function scoreOf({ title, text }: SearchEntry, words: string[], whole: string): number {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  if (!words.every((word) => inTitle.includes(word) || inText.includes(word))) return 0;
  if (inTitle === whole) return 5;
  if (inTitle.startsWith(whole)) return 4;
  if (words.every((word) => inTitle.includes(word))) return 3;
  return words.some((word) => inTitle.includes(word)) ? 2 : 1;
}

function excerptOf(text: string, words: string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0), text.length);
  const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", at - excerptLength / 3) + 1);
  const part = text.slice(from, from + excerptLength).toWellFormed();
  return `${from > 0 ? "… " : ""}${part}${from + excerptLength < text.length ? " …" : ""}`;
}
