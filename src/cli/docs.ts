/** `formd docs`: the documentation as Markdown, without a server or a network. */
import { sectionsOf } from "../reference/docs/markdown.ts";
import { type DocsPage, generatedPages, writtenPages } from "../reference/docs/pages.ts";
import { pageEntries, searchIn } from "../reference/docs/search.ts";
import type { CliCommand, Settings } from "./options.ts";

export function docsCommand(root: CliCommand, settings: Settings): void {
  root
    .command("docs")
    .argument("[page...]", "its name, such as operate/backup, or the last part of it; or words to search for")
    .description("the documentation as Markdown; without a page, the list")
    .prints(async (words: string[]) => {
      const pages = [...(await writtenPages()), ...generatedPages(settings)];
      if (words.length === 0) return [{ pages: pages.map(({ read, ...page }) => page) }, ...listOf(pages)];
      const named = pageNamed(pages, words.join(" "));
      if (!named) return await search(pages, words.join(" "));
      const { read, ...page } = named;
      const markdown = await read();
      return [{ ...page, markdown }, markdown.trimEnd()];
    });
}

/** A terminal shows more results than are read. */
const maxResults = 10;

/** @throws if nothing is found */
async function search(pages: readonly DocsPage[], query: string): Promise<[object, ...string[]]> {
  const entries = await Promise.all(
    pages.map(async (page) => pageEntries(page, sectionsOf(await page.read()))),
  );
  const results = (await searchIn(entries.flat()))(query)
    .results.slice(0, maxResults)
    .map(({ href, title, excerpt }) => ({ page: href.replace("/developer/", ""), title, excerpt }));
  if (results.length === 0)
    throw new Error(`Nothing was found for "${query}". Try another word; formd docs lists the pages.`);
  return [
    { query, results },
    `There is no page "${query}". formd docs PAGE prints one of these:`,
    ...results.flatMap(({ page, title, excerpt }) => ["", `  ${page}  ${title}`, `    ${excerpt}`]),
  ];
}

function listOf(pages: readonly DocsPage[]): string[] {
  const width = Math.max(...pages.map(({ name }) => name.length));
  return [
    "formd docs PAGE prints a page; formd schema prints the tables and functions of the database.",
    ...[...Map.groupBy(pages, ({ group }) => group)].flatMap(([group, list]) => [
      "",
      group,
      ...list.map(({ name, title, summary }) => `  ${name.padEnd(width)}  ${summary || title}`),
    ]),
  ];
}

/** @throws if several names end with it */
function pageNamed(pages: readonly DocsPage[], name: string): DocsPage | undefined {
  const wanted = name.replace(/^\/?(?:docs|developer)\//, "").replace(/(?:\.md)?(?:#.*)?$/, "");
  const exact = pages.find((page) => page.name === wanted);
  if (exact) return exact;
  const found = pages.filter((page) => page.name.endsWith(`/${wanted}`));
  if (found.length > 1)
    throw new Error(`Several pages end with "${name}": ${found.map((page) => page.name).join(", ")}.`);
  return found[0];
}
