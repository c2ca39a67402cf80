/**
 * The pages of the documentation, all Markdown: the files that docs/README.md lists, in its order, and pages
 * generated from the code. The server shows them under `/developer`; `formd docs` prints them.
 */
import { posix } from "node:path";
import { asset, assetNames } from "../../platform/assets.ts";
import type { Config } from "../../platform/config.ts";
import { fieldTypesMarkdown } from "../guide/field-types.ts";
import { guideMarkdown } from "../guide/guide.ts";
import { validationCodesMarkdown } from "../guide/validation-codes.ts";

export interface DocsPage {
  /** Its address below `/developer/`: `operate/backup`. */
  name: string;
  title: string;
  /** One line; may be empty. */
  summary: string;
  group: string;
  /** @returns Markdown with one heading of level 1 */
  read: () => Promise<string>;
}

/** The pages beside docs/, by their files. `security` is a page of docs/. */
const pagesBeside = new Map([
  ["CHANGELOG.md", "changelog"],
  ["CONTRIBUTING.md", "contributing"],
  ["SECURITY.md", "security-policy"],
]);

/** @param file its path in the repository */
const nameOf = (file: string): string | undefined =>
  pagesBeside.get(file) ?? /^docs\/(.+)\.md$/.exec(file)?.[1];

const directoryOf = (name: string): string =>
  [...pagesBeside.values()].includes(name) ? "." : posix.join("docs", posix.dirname(name));

/** The pages that docs/README.md lists. */
export async function writtenPages(): Promise<DocsPage[]> {
  const files = new Set((await assetNames("docs")).map((name) => `docs/${name}`));
  const pages: DocsPage[] = [];
  let group = "";
  for (const line of String(await asset("docs/README.md")).split("\n")) {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, title, path = "", summary = ""] = /^- \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?$/.exec(line) ?? [];
    const file = posix.join("docs", path);
    const name = nameOf(file);
    if (!title || !name || !(files.has(file) || pagesBeside.has(file))) continue;
    pages.push({
      name,
      title,
      summary: summary.replaceAll("`", ""),
      group,
      read: async () => String(await asset(file)),
    });
  }
  return pages;
}

/** @param config read with a page, so that `formd docs` lists the pages even with invalid settings */
export const generatedPages = (config: () => Config): DocsPage[] => [
  {
    name: "guide",
    title: "Guide",
    summary: "from secret to accepted submission, for agents",
    group: "Reference",
    read: async () => guideMarkdown(config()),
  },
  {
    name: "api/fields",
    title: "Field types",
    summary: "the members of a field; the values and rules of each type",
    group: "Reference",
    read: async () => fieldTypesMarkdown,
  },
  {
    name: "api/validation",
    title: "Validation codes",
    summary: "what each code means, and how to fix the value",
    group: "Reference",
    read: async () => validationCodesMarkdown,
  },
];

/** Source file of the guide, whose page has another name. */
const guideFile = "src/reference/guide/guide.md";

/**
 * Converts a link of a page.
 * @param from the name of the page
 * @returns a URL or a path on this server; undefined for a file that the server does not have
 */
export function linkFrom(from: string, href: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href;
  const [path = "", anchor] = href.split("#", 2);
  const file = posix.join(directoryOf(from), path);
  const hash = anchor ? `#${anchor}` : "";
  if (file === guideFile) return `/developer/guide${hash}`;
  if (file === "docs/README.md") return "/developer";
  const name = nameOf(file) ?? /^docs\/(.+\.\w+)$/.exec(file)?.[1];
  return name && `/developer/${name}${hash}`;
}
