/** The documentation: `/developer`, its pages as HTML or Markdown (`.md`), search, `/llms.txt`. */

import { type Context, Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { asset, assetNames } from "../../platform/assets.ts";
import { limitUnknownCallers } from "../../platform/auth/unknown-callers.ts";
import type { Config } from "../../platform/config.ts";
import type { Sql } from "../../platform/database/db.ts";
import { missingFixes, runningRelease } from "../../platform/database/releases.ts";
import type { Deps } from "../../platform/deps.ts";
import { serveAssets } from "../../platform/http/asset-files.ts";
import { readBytes } from "../../platform/http/body.ts";
import { isFromThisMachine, type Server } from "../../platform/http/client-ip.ts";
import { success } from "../../platform/http/envelope.ts";
import { parseForm } from "../../platform/http/form-body.ts";
import { operation, type Route } from "../../platform/http/operation.ts";
import { setPageHeaders } from "../../platform/http/security-headers.ts";
import { once } from "../../platform/once.ts";
import { Problem } from "../../problem.ts";
import { llmsOverview } from "../guide/guide.ts";
import { readReference, referenceMarkdown } from "../guide/reference.ts";
import type { Link } from "./frame.tsx";
import { pagePolicy, renderArticle, renderHome, renderResults, scriptFile, styleFile } from "./frame.tsx";
import { type DocsPage, generatedPages, linkFrom, writtenPages } from "./pages.ts";
import { maxQueryLength, pageEntries, routeEntries, searchIn } from "./search.ts";
import { renderExplanation, renderSignPage, signPath } from "./sign.tsx";

const exampleUrl = "https://forms.example.org";
const referencePath = "/papi/v1/docs";
const notFound = () => new Problem("not_found", say("route_missing"));

/** Pages without the frame: the reference with its script, and the document behind it. */
const beside: Link[] = [
  [referencePath, "Reference of the API", "every route, with requests to try"],
  [signPath, "Explain a signature", "why a signed request was refused"],
  ["/papi/v1/openapi.json", "OpenAPI 3.1 document", "for generated clients"],
].map(([href = "", title = "", summary = ""]) => ({ href, title, summary, group: "Reference" }));

const linkTo = ({ name, title, summary, group }: DocsPage): Link => ({
  href: `/developer/${name}`,
  title,
  summary,
  group,
});

const shownPage = (page: DocsPage) => {
  const markdown = once(page.read);
  const rendered = once(async () => {
    const { render } = await import("./markdown.ts"); // its grammars are needed by few processes
    return render(await markdown(), (href) => linkFrom(page.name, href));
  });
  return { page, markdown, rendered };
};

/** Functions and tables of this build, read once. */
const databasePage = (sql: Sql): DocsPage => ({
  name: "database",
  title: "Database",
  summary: "tables, functions and rights",
  group: "Reference",
  read: async () => referenceMarkdown(await readReference(sql)),
});

/** All pages, and the content derived from them. */
function library(config: Config, sql: Sql, routes: () => readonly Route[]) {
  const pages = once(async () =>
    [...(await writtenPages()), ...generatedPages(() => config), databasePage(sql)].map(shownPage),
  );
  const find = async (name: string) => {
    const found = (await pages()).find(({ page }) => page.name === name);
    if (!found) throw notFound();
    return found;
  };
  const links = async () => [...(await pages()).map(({ page }) => linkTo(page)), ...beside];
  const search = once(async () => {
    const { sectionsOf } = await import("./markdown.ts");
    const ofPages = await Promise.all(
      (await pages()).map(async ({ page, markdown }) => pageEntries(page, sectionsOf(await markdown()))),
    );
    return searchIn([...ofPages.flat(), ...routeEntries(routes(), referencePath)]);
  });
  /** The first lines of the page for agents, with the address of this server. */
  const example = once(async () => {
    const { renderCode } = await import("./code.ts");
    const markdown = await (await find("agents/rest")).markdown();
    const [, text = ""] = /^```bash\n([\s\S]*?)\n```$/m.exec(markdown) ?? [];
    return renderCode({ lang: "bash", text: text.replace("http://localhost:8080", config.BASE_URL) });
  });
  const article = async (name: string): Promise<string> => {
    const { page, rendered } = await find(name);
    const { html, headings } = await rendered();
    return renderArticle({
      title: headings[0]?.text ?? page.title,
      links: await links(),
      current: `/developer/${name}`,
      headings,
      html,
    });
  };
  return { pages, find, links, search, example, article };
}

/** Types of the other files in docs/: pictures, and programs to download. */
const fileTypes: Record<string, string> = {
  png: "image/png",
  svg: "image/svg+xml",
  ts: "text/plain; charset=utf-8",
  py: "text/plain; charset=utf-8",
};
const fileHeaders = {
  "cache-control": "public, max-age=3600",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** @throws {Problem} if docs/ has no such file */
async function fileOf(name: string, type: string, headers: Record<string, unknown>): Promise<Uint8Array> {
  if (!(await assetNames("docs")).includes(name)) throw notFound();
  Object.assign(headers, fileHeaders, { "content-type": type });
  return new Uint8Array(await asset(`docs/${name}`));
}

function asPage(headers: Record<string, unknown>, html: string): string {
  setPageHeaders(headers, pagePolicy);
  return html;
}

/** Addresses for a program that begins at `/`. */
const addressesOf = ({ BASE_URL, DOCS_URL }: Pick<Config, "BASE_URL" | "DOCS_URL">) => ({
  documentation: `${DOCS_URL}/developer`,
  guide: `${DOCS_URL}/developer/guide.md`,
  openapi: `${BASE_URL}/papi/v1/openapi.json`,
  health: `${BASE_URL}/healthz`,
});

const address = { schema: { type: "string", format: "uri" } };

type Page = (
  context: Pick<Context, "request" | "set" | "params" | "query">,
) => string | Response | Promise<string | Response>;

/**
 * @param routes the routes of the API, for the search
 * @param door the page at `/`, unless LANDING is `/developer`
 */
export const documentationRoutes = (deps: Deps, routes: () => readonly Route[], door: Page) => {
  const { config, sql } = deps;
  const { pages, find, links, search, example, article } = library(config, sql, routes);
  const respond = async (name: string, request: Request, headers: Record<string, unknown>) => {
    const fileType = fileTypes[/\.(\w+)$/.exec(name)?.[1] ?? ""];
    if (fileType) return await fileOf(name, fileType, headers);
    const wantsMarkdown =
      name.endsWith(".md") || /\btext\/markdown\b/.test(request.headers.get("accept") ?? "");
    headers.vary = "Accept";
    if (!wantsMarkdown) return asPage(headers, await article(name));
    const markdown = await (await find(name.replace(/\.md$/, ""))).markdown();
    headers["content-type"] = "text/markdown; charset=utf-8";
    return markdown;
  };
  /** Fixes that PostgreSQL lacks are told on this machine only: others must not learn a weakness. */
  const warningFor = async (request: Request, server: Server | null) =>
    isFromThisMachine(request, server)
      ? await runningRelease(sql).then(missingFixes, () => undefined) // the page is there without a database
      : undefined;
  const home = async ({ request, server, set }: Pick<Context, "request" | "server" | "set">) =>
    asPage(
      set.headers,
      renderHome({
        links: await links(),
        base: config.BASE_URL,
        example: await example(),
        warning: await warningFor(request, server),
      }),
    );
  return (
    new Elysia({ name: "documentation" })
      .use(serveAssets([styleFile, scriptFile]))
      .get(
        "/",
        ({ request, server, params, query, set }) => {
          set.headers.vary = "Accept";
          if (!/\btext\/html\b/.test(request.headers.get("accept") ?? ""))
            return success(addressesOf(config));
          const context = { request, server, params, query, set };
          return config.LANDING === "door" ? door(context) : home(context);
        },
        operation({
          id: "getLanding",
          tag: "reference",
          summary: "Read where to begin",
          description:
            "Addresses for programs. A browser gets the name of the installation and the sign-in, or with `LANDING=/developer` the documentation.",
          security: [{}],
          response: {
            description: "The addresses; for a browser a page.",
            isPage: true,
            redirect: "Leads a person who is signed in to the console.",
            members: { documentation: address, guide: address, openapi: address, health: address },
            example: addressesOf({ BASE_URL: exampleUrl, DOCS_URL: exampleUrl }),
          },
          codes: ["rate_limited"],
        }),
      )
      .get("/developer", home)
      .get("/developer/api", home)
      // Counted as a request with an unknown credential, as what follows it is.
      .get("/developer/search", async ({ request, set }) => {
        limitUnknownCallers(deps, request);
        const query = (new URL(request.url).searchParams.get("q") ?? "").trim().slice(0, maxQueryLength);
        const found = (await search())(query);
        return asPage(set.headers, renderResults(await links(), query.toWellFormed(), found));
      })
      .get(signPath, async ({ set }) => asPage(set.headers, renderSignPage(await links())))
      .post(signPath, async ({ request, set }) => {
        limitUnknownCallers(deps, request);
        const form = parseForm(request, await readBytes(request, limits.body.maxSmallBytes));
        return asPage(set.headers, await renderExplanation(await links(), form, config.BASE_URL));
      })
      // A parameter that is not valid percent-encoding is null, contrary to its type.
      .get("/developer/:first", ({ params, request, set }) =>
        respond(params.first ?? "", request, set.headers),
      )
      .get("/developer/:first/:second", ({ params: { first, second }, request, set }) =>
        respond(`${first}/${second}`, request, set.headers),
      )
      .get("/llms.txt", async ({ set }) => {
        const items = (await pages())
          .filter(({ page }) => page.name !== "guide")
          .map(
            ({ page: { name, title, summary } }) =>
              `[${title}](${config.DOCS_URL}/developer/${name}.md)${summary && `: ${summary}`}`,
          );
        set.headers["content-type"] = "text/plain; charset=utf-8";
        return llmsOverview(config, items);
      })
  );
};
