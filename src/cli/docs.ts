/** `formd docs`: the documentation as Markdown, without a server or a network. */
import { closest } from "fastest-levenshtein";
import { type DocsPage, generatedPages, writtenPages } from "../reference/docs/pages.ts";
import type { CliCommand, Settings } from "./options.ts";

export function docsCommand(root: CliCommand, settings: Settings): void {
  root
    .command("docs")
    .argument("[page]", "its name, such as operate/backup, or the last part of it")
    .description("the documentation as Markdown; without a page, the list")
    .prints(async (name: string | undefined) => {
      const pages = [...(await writtenPages()), ...generatedPages(settings)];
      if (name === undefined) return [{ pages: pages.map(({ read, ...page }) => page) }, ...listOf(pages)];
      const { read, ...page } = pageNamed(pages, name);
      const markdown = await read();
      return [{ ...page, markdown }, markdown.trimEnd()];
    });
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

/** @throws if no page has the name, or several names end with it */
function pageNamed(pages: readonly DocsPage[], name: string): DocsPage {
  const wanted = name.replace(/^\/?(?:docs|developer)\//, "").replace(/\.md$/, "");
  const exact = pages.find((page) => page.name === wanted);
  if (exact) return exact;
  const found = pages.filter((page) => page.name.endsWith(`/${wanted}`));
  if (found[0] && found.length === 1) return found[0];
  const names = pages.flatMap((page) => [page.name, page.name.split("/").at(-1) ?? ""]);
  throw new Error(
    found.length > 1
      ? `Several pages end with "${name}": ${found.map((page) => page.name).join(", ")}.`
      : `There is no page "${name}": is "${closest(wanted, names)}" meant? formd docs lists them.`,
  );
}
