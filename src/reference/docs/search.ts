/** Search over headings, named rows of tables (settings, codes, commands), and the API's routes. */
import MiniSearch, { type SearchResult } from "minisearch";
import { operationIn, type Route } from "../../platform/http/operation.ts";
import type { DocsSection } from "./markdown.ts";
import type { DocsPage } from "./pages.ts";
import { otherWords, Vocabulary, wordsOf } from "./words.ts";

/** A target of a search result. */
export interface SearchEntry {
  href: string;
  title: string;
  /** The title of its page. */
  place: string;
  /** One line about its page. */
  about: string;
  /** Words of readers that it does not have. */
  other: string;
  text: string;
  /** It is a page, not a part of one. */
  isPage: boolean;
  /** It is a row of a table. */
  isRow: boolean;
  /** Factor of its score. */
  weight: number;
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

/** Pages for few readers: a name is found there by the whole of it, a common word elsewhere first. */
const forFew: Record<string, number> = {
  database: 0.15,
  changelog: 0.15,
  "security-policy": 0.25,
  "dba/citus": 0.5,
};
const weightOf = ({ name, group }: DocsPage): number => forFew[name] ?? (group === "Contributors" ? 0.25 : 1);

export const pageEntries = (page: DocsPage, sections: readonly DocsSection[]): SearchEntry[] =>
  sections.map(({ id, title, text, isRow }, index) => {
    // The first section is the page itself.
    const name = index === 0 ? page.name : `${page.name}#${id}`;
    return {
      href: `/developer/${name}`,
      title,
      place: page.title,
      about: page.summary,
      other: otherWords[name] ?? "",
      text,
      isPage: index === 0,
      isRow,
      weight: weightOf(page) * (index === 0 ? 1.7 : isRow ? 0.6 : 1),
    };
  });

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
        about: operation.summary,
        other: "",
        text: `${[operation.summary, operation.description].filter(Boolean).join(". ").replace(/`/g, "")} (${operation.id})`,
        isPage: false,
        isRow: false,
        weight: 0.7,
      },
    ];
  });

export interface SearchResults {
  /** At most `maxResults`. */
  results: Result[];
  /** Number of all matches. */
  total: number;
  /** A result has every word of the query. */
  isWhole: boolean;
}

/** Searches the entries of an index; the best result first. */
export type DocsSearch = (query: string) => SearchResults;

/**
 * Indexes entries: 0.2 s of CPU for the 1,600 of this server, in parts between which requests are served. A
 * search takes 0.5 ms.
 *
 * Words are compared by their stems. The more words of the query an entry has, the earlier it comes. Pages
 * come before the database.
 */
export async function searchIn(entries: readonly SearchEntry[]): Promise<DocsSearch> {
  const vocabulary = new Vocabulary();
  const index = new MiniSearch<SearchEntry>({
    idField: "href",
    fields: ["title", "place", "about", "other", "text"],
    tokenize: wordsOf,
    processTerm: (word) => vocabulary.add(word),
  });
  const byHref = new Map(entries.map((entry) => [entry.href, entry]));
  await index.addAllAsync([...byHref.values()], { chunkSize: 50 });
  const namesOf = ({ title, place, isPage }: SearchEntry) =>
    [title, ...(isPage ? [place] : [])].map((name) => vocabulary.termsOf(name).join(" "));
  const names = new Map(entries.map((entry) => [entry.href, namesOf(entry)]));
  const search = (terms: readonly string[], query: string) => {
    const whole = terms.join(" ");
    return index.search(whole, {
      tokenize: (text) => text.split(" "),
      processTerm: (term) => term,
      boost: { title: 4, place: 2, about: 1.5, other: 8 },
      boostDocument: (href) => {
        const entry = byHref.get(href);
        if (!entry) return 0;
        const isNamed = names.get(href)?.includes(whole) ?? false;
        const isTitle = !entry.isRow && entry.title.toLowerCase() === query;
        return entry.weight * (isTitle || (isNamed && entry.isPage) ? 8 : isNamed ? 2 : 1);
      },
    });
  };
  return (query) => {
    const text = query.slice(0, maxQueryLength).trim().toLowerCase();
    const terms = vocabulary.termsOf(text).slice(0, maxWords);
    if (terms.length === 0) return { results: [], total: 0, isWhole: true };
    const found = search(terms, text);
    const shareOf = ({ queryTerms }: SearchResult) => queryTerms.length / terms.length;
    const isWhole = found.some((result) => shareOf(result) === 1);
    const kept = found
      .filter((result) => shareOf(result) >= 0.5)
      .map((result) => ({ result, score: result.score * shareOf(result) ** 2 }))
      .sort((a, b) => b.score - a.score);
    const results = kept.slice(0, maxResults).flatMap(({ result }) => {
      const entry = byHref.get(result.id);
      return entry ? [{ ...entry, excerpt: excerptOf(entry.text, result) }] : [];
    });
    return { results, total: kept.length, isWhole };
  };
}

function excerptOf(text: string, { terms }: SearchResult): string {
  const lower = text.toLowerCase();
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0), text.length);
  const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", at - excerptLength / 3) + 1);
  const part = text.slice(from, from + excerptLength).toWellFormed();
  return `${from > 0 ? "… " : ""}${part}${from + excerptLength < text.length ? " …" : ""}`;
}
