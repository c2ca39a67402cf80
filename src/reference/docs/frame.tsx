/** The frame of the pages under `/developer`: header, search, pages, contents, previous and next. */
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { assetFile } from "../../platform/http/asset-files.ts";
import { markFile } from "../../platform/http/mark.ts";
import style from "./docs.css" with { type: "text" };
import script from "./docs.js" with { type: "text" };
import type { Heading } from "./markdown.ts";
import { maxQueryLength, type SearchResults } from "./search.ts";

export const styleFile = assetFile("docs", "css", "text/css", style);
export const scriptFile = assetFile("docs", "js", "text/javascript", script);

/** Allows no inline code and nothing from other sites. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** An entry of the list of all pages. */
export interface Link {
  href: string;
  title: string;
  summary: string;
  group: string;
}

interface FrameProps {
  title: string;
  /** All pages, in reading order. */
  links: readonly Link[];
  /** The path of this page, if it is in `links`. */
  current?: string;
  headings?: readonly Heading[];
  /** Search query. */
  query?: string;
  children: ComponentChildren;
}

const top: [href: string, text: string][] = [
  ["/developer/guide", "Guide"],
  ["/developer/api/fields", "Fields"],
  ["/developer/api/validation", "Codes"],
  ["/developer/database", "Database"],
  ["/papi/v1/docs", "API"],
];

const groupsOf = (links: readonly Link[]) => [...Map.groupBy(links, ({ group }) => group)];

const here = (isHere: boolean) => (isHere ? { "aria-current": "page" as const } : {});

/** A list beside the text, and folded above it. The width of the screen decides which one is visible. */
const Side = ({ name, label, children }: { name: string; label: string; children: ComponentChildren }) => (
  <>
    <nav class={`${name} beside`} aria-label={label}>
      {children}
    </nav>
    <nav class={`${name} folded`} aria-label={label}>
      <details>
        <summary>{label}</summary>
        {children}
      </details>
    </nav>
  </>
);

const Turn = ({ rel, label, to }: { rel: string; label: string; to: Link }) => (
  <a rel={rel} href={to.href}>
    <small>{label}</small> {to.title}
  </a>
);

/** Bar of all pages: the way home, the most wanted pages, the search. The page has an element `#main`. */
export const Bar = ({ current, query }: { current?: string | undefined; query?: string | undefined }) => (
  <header>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <a class="brand" href="/developer" {...here(current === "/developer")}>
      <img src={markFile.path} alt="" width="24" height="24" />
      formd
    </a>
    <nav aria-label="Reference">
      {top.map(([href, text]) => (
        <a key={href} href={href} {...here(href === current)}>
          {text}
        </a>
      ))}
    </nav>
    <search>
      <form action="/developer/search">
        <label class="hidden" for="q">
          Search
        </label>
        <input
          id="q"
          type="search"
          name="q"
          maxlength={maxQueryLength}
          placeholder="Words, a setting, a code"
          defaultValue={query ?? ""}
          autocomplete="off"
        />
        <button type="submit">Search</button>
      </form>
    </search>
  </header>
);

const Frame = ({ title, links, current, headings = [], query, children }: FrameProps) => {
  const index = links.findIndex(({ href }) => href === current);
  const [previous, next] = index < 0 ? [] : [links[index - 1], links[index + 1]];
  // A page has one heading of level 1: its title.
  const contents = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · formd`}</title>
        <link rel="icon" href={markFile.path} />
        <link rel="stylesheet" href={styleFile.path} />
        <script type="module" src={scriptFile.path} />
      </head>
      <body>
        <Bar current={current} query={query} />
        <div class={contents.length > 0 ? "frame" : "frame plain"}>
          <Side name="pages" label="All pages">
            {groupsOf(links).map(([group, list]) => (
              <div key={group}>
                <p>{group}</p>
                <ul>
                  {list.map(({ href, title }) => (
                    <li key={href}>
                      <a href={href} {...here(href === current)}>
                        {title}
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </Side>
          {contents.length > 0 && (
            <Side name="contents" label="On this page">
              <ul>
                {contents.map(({ id, text, depth }) => (
                  <li key={id} class={`level-${depth}`}>
                    <a href={`#${id}`}>{text}</a>
                  </li>
                ))}
              </ul>
            </Side>
          )}
          <main id="main" tabIndex={-1}>
            {children}
            {(previous || next) && (
              <nav class="turn" aria-label="Previous and next">
                {previous && <Turn rel="prev" label="Previous" to={previous} />}
                {next && <Turn rel="next" label="Next" to={next} />}
              </nav>
            )}
          </main>
        </div>
      </body>
    </html>
  );
};

/** @returns a whole document */
export const renderPage = (props: FrameProps): string =>
  `<!doctype html>${renderToString(<Frame {...props} />)}`;

/** @param html of the page, from our own Markdown */
export const renderArticle = (props: Omit<FrameProps, "children"> & { html: string }): string =>
  renderPage({
    ...props,
    // The Markdown is from this repository, or generated from its database's catalog.
    children: <article dangerouslySetInnerHTML={{ __html: props.html }} />,
  });

/** Tasks of each reader, and the pages for it. */
const doors: { reader: string; task: string; pages: string[] }[] = [
  {
    reader: "Agents",
    task: "Submit to a form from a program",
    pages: ["guide", "agents/rest", "agents/mcp", "agents/signing", "agents/errors"],
  },
  {
    reader: "Owners",
    task: "Make forms, and use what is submitted",
    pages: ["owners/rest", "owners/forms", "owners/conditions", "owners/webhooks", "owners/exports"],
  },
  {
    reader: "Operators",
    task: "Run this server",
    pages: ["operate/install", "operate/settings", "operate/proxy", "operate/backup", "operate/runbook"],
  },
  {
    reader: "DBAs",
    task: "Review and keep its database",
    pages: ["dba/roles", "dba/tables-and-retention", "dba/statements-and-plans", "dba/months", "database"],
  },
];

interface HomeProps {
  links: readonly Link[];
  base: string;
  /** Shell lines that submit to a form, in Markdown. */
  example: string;
  /** Note for the operator. */
  warning?: string | undefined;
}

const withSummary = ({ href, title, summary }: Link) => (
  <li key={href}>
    <a href={href}>{title}</a>
    {summary && <small>{summary}</small>}
  </li>
);

/** The start page: what formd is, a first submission, a door per reader. */
export const renderHome = ({ links, base, example, warning }: HomeProps): string =>
  renderPage({
    title: "Forms for agents and people",
    links,
    current: "/developer",
    children: (
      <article class="home">
        <h1>A form service that agents and people can both trust</h1>
        <p class="lead">
          formd keeps forms and their submissions: owners edit a form by REST or MCP, a person publishes it,
          programs with a proven identity and people submit to it, and every change is on record.
        </p>
        {warning && <p role="note">{warning}</p>}
        <section class="first">
          <h2>Six lines of curl</h2>
          <p>
            <code>formd demo</code> makes a form and prints both secrets.{" "}
            <a href="/developer/tutorial">The tutorial</a> begins with a form of your own.
          </p>
          {/* The example is from this repository. */}
          <div dangerouslySetInnerHTML={{ __html: example }} />
        </section>
        <div class="doors">
          {doors.map(({ reader, task, pages }) => (
            <section key={reader}>
              <h2>{reader}</h2>
              <p>{task}</p>
              <ul>
                {pages.flatMap((name) =>
                  links.filter(({ href }) => href === `/developer/${name}`).map(withSummary),
                )}
              </ul>
            </section>
          ))}
        </div>
        <p class="more">
          <a href="/papi/v1/docs">Reference of the API</a> · <a href="/papi/v1/openapi.json">OpenAPI 3.1</a> ·{" "}
          <a href="/llms.txt">Overview for language models</a> · <a href="/console">Console</a>
        </p>
        <p class="more">
          <a href="/developer/security">Security</a> · <a href="/developer/changelog">Changelog</a> ·{" "}
          <a href="/developer/contributing">Contributing</a>
        </p>
        <p class="more">
          <small>This server is {base}.</small>
        </p>
      </article>
    ),
  });

const countOf = (query: string, { results: { length }, total, isWhole }: SearchResults): string => {
  if (!query) return "Enter a few words, the name of a setting, a code or a route.";
  if (length === 0) return `Nothing was found for “${query}”. Try another word.`;
  if (!isWhole) return `No section has every word of “${query}”. These have most of them.`;
  if (length < total) return `The first ${length} results for “${query}”. Add a word to find fewer.`;
  return `${length} ${length === 1 ? "result" : "results"} for “${query}”`;
};

export const renderResults = (links: readonly Link[], query: string, found: SearchResults): string =>
  renderPage({
    title: query ? `${query} · Search` : "Search",
    links,
    query,
    children: (
      <article class="results">
        <h1>Search</h1>
        <p>{countOf(query, found)}</p>
        <ol>
          {found.results.map(({ href, title, place, excerpt }) => (
            <li key={href}>
              <a href={href}>{title}</a> <small>{place}</small>
              {excerpt && <p>{excerpt}</p>}
            </li>
          ))}
        </ol>
      </article>
    ),
  });
