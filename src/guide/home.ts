/** Where each reader begins: at `/` in a browser (for an API client there is nothing), and at `/developer` and `/developer/api`. */
import { type Context, Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { Problem } from "../problem.ts";
import { escapeHtml, pageHeaders, pageOf } from "./page.ts";

/** Reader → links, each with what is there. */
const readers: [reader: string, links: [path: string, text: string][]][] = [
  ["Operators", [["/console", "Console: forms, submissions, agents"]]],
  [
    "Developers of forms",
    [
      ["/papi/v1/docs", "Reference of the API"],
      ["/papi/v1/openapi.json", "OpenAPI 3.1 document, for generated clients"],
      ["/developer/api/fields", "Field types, their values and rules"],
    ],
  ],
  [
    "Agents and their developers",
    [
      ["/developer/guide", "Guide: from secret to accepted submission"],
      ["/developer/api/validation", "Validation codes, and how to fix a value"],
      ["/llms.txt", "Overview for language models"],
    ],
  ],
  ["DBAs", [["/developer/database", "Tables and functions of the database"]]],
  [
    "Monitoring",
    [
      ["/healthz", "Is the process alive?"],
      ["/readyz", "Can it serve?"],
      ["/metrics", "Prometheus metrics"],
    ],
  ],
];

const style = "h2 { font-size: 1rem; margin-bottom: 0; } ul { margin-top: .25rem; }";

export const home = ({ config: { BASE_URL } }: Deps) => {
  const list = readers.map(
    ([reader, links]) =>
      `<h2>${reader}</h2>\n<ul>\n${links.map(([path, text]) => `<li><a href="${path}">${text}</a></li>`).join("\n")}\n</ul>`,
  );
  const page = pageOf(
    "Forms for agents and people",
    `<h1>formd</h1>\n<p>The form service at ${escapeHtml(BASE_URL)}.</p>\n${list.join("\n")}`,
    style,
  );
  const respond = ({ set }: Pick<Context, "set">): string => {
    Object.assign(set.headers, pageHeaders);
    return page;
  };
  return new Elysia({ name: "home" })
    .get("/", ({ request, set }) => {
      set.headers.vary = "Accept";
      if (!/\btext\/html\b/.test(request.headers.get("accept") ?? ""))
        throw new Problem("not_found", "There is no such route.");
      return respond({ set });
    })
    .get("/developer", respond)
    .get("/developer/api", respond);
};
