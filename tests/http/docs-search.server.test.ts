// stacks: one
/** Queries in the words of readers lead to the pages that they need. */
import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/platform/config.ts";
import { sectionsOf } from "../../src/reference/docs/markdown.ts";
import { generatedPages, writtenPages } from "../../src/reference/docs/pages.ts";
import { pageEntries } from "../../src/reference/docs/search.ts";
import { otherWords } from "../../src/reference/docs/words.ts";
import { queries } from "../search-queries.ts";
import { ask, service } from "../setup.ts";

const app = await service();
const config = readConfig({});

/** Address of the first result, without its anchor; that of a route is `METHOD path`. */
async function firstOf(query: string): Promise<string> {
  const { body } = await ask(app, "GET", `/developer/search?q=${encodeURIComponent(query)}`);
  const [, href = "nothing", title = ""] = /<ol>\s*<li><a href="([^"]*)">([^<]*)</.exec(body) ?? [];
  return href.startsWith("/papi/") ? title : (href.replace("/developer/", "").split("#")[0] ?? "");
}

describe("the first result of a natural query is its page", () => {
  test.each(queries.flatMap(([pages, list]) => list.map((query) => [query, pages] as const)))(
    "%s",
    async (query, pages) => {
      expect(pages).toContain(await firstOf(query));
    },
  );
});

test("words of readers are those of pages and sections that exist", async () => {
  const pages = [...(await writtenPages()), ...generatedPages(() => config)];
  const entries = await Promise.all(
    pages.map(async (page) => pageEntries(page, sectionsOf(await page.read()))),
  );
  const names = new Set(entries.flat().map(({ href }) => href.replace("/developer/", "")));
  expect(Object.keys(otherWords).filter((name) => !names.has(name))).toEqual([]);
});
