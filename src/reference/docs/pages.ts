/**
 * The pages of the documentation: those of `docs/`, in the order of its list (docs/README.md), and those that
 * are made of the code. All are Markdown: the server shows them under `/developer`, `formd docs` prints them.
 */
import { posix } from "node:path";
import { asset, assetNames } from "../../platform/assets.ts";
import type { Config } from "../../platform/config.ts";
import { fieldTypesMarkdown } from "../guide/field-types.ts";
import { guideMarkdown } from "../guide/guide.ts";
import { validationCodesMarkdown } from "../guide/validation-codes.ts";

export interface Page {
  /** Its address below `/developer/`: `operate/backup`. */
  name: string;
  title: string;
  /** One line; may be empty. */
  summary: string;
  group: string;
  /** @returns Markdown with one heading of level 1 */
  read: () => Promise<string>;
}

/** The pages of docs/ that its list names. */
export async function writtenPages(): Promise<Page[]> {
  const files = new Set(await assetNames("docs"));
  const pages: Page[] = [];
  let group = "";
  for (const line of String(await asset("docs/README.md")).split("\n")) {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, title, name, summary = ""] = /^- \[([^\]]+)\]\(([^)]+)\.md\)(?:: (.*))?$/.exec(line) ?? [];
    if (!title || !name || !files.has(`${name}.md`)) continue;
    pages.push({ name, title, summary, group, read: async () => String(await asset(`docs/${name}.md`)) });
  }
  return pages;
}

/** @param config taken when a page is read: `formd docs` lists them with settings that are not valid */
export const generatedPages = (config: () => Config): Page[] => [
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
    summary: "the values and rules of each type",
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

/** The file of the repository that is a page of its own name. */
const guideFile = "src/reference/guide/guide.md";

/**
 * Where a link of a page leads.
 *
 * @param from the name of the page
 * @returns an address of this server or another one as it is; undefined for a file of the repository, which
 * the server does not have
 */
export function linkFrom(from: string, href: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href;
  const [path = "", anchor] = href.split("#", 2);
  const file = posix.join("docs", posix.dirname(from), path);
  const hash = anchor ? `#${anchor}` : "";
  if (file === guideFile) return `/developer/guide${hash}`;
  if (file === "docs/README.md") return "/developer";
  const [, name, extension] = /^docs\/(.+)\.(\w+)$/.exec(file) ?? [];
  if (!name) return undefined;
  return `/developer/${extension === "md" ? name : `${name}.${extension}`}${hash}`;
}
