// stacks: one
/** The guide for agents: the tests take its examples from the page and run them in their order. */
import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { baseOf, connect } from "../mcp-client.ts";
import { ask, formd, root, service, settingsFor, temporaryFolder, testRequiring } from "../setup.ts";
import { demoEnvironment, printedBy } from "./demo.ts";

const app = await service({ FEATURE_AGENT_SIGNING: "true" });
const pages = {
  markdown: (await ask(app, "GET", "/developer/guide.md")).body as string,
  html: (await ask(app, "GET", "/developer/guide")).body as string,
};

/** The page's fenced blocks, each with the response that the page shows after it. */
function examplesOf(markdown: string): { language: string; code: string; response: unknown }[] {
  const blocks = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)];
  return blocks
    .map(([, language = "", code = ""], i) => ({ language, code, shown: blocks[i + 1] }))
    .filter(({ language }) => language !== "json")
    .map(({ language, code, shown }) => ({
      language,
      code,
      response: shown?.[1] === "json" ? JSON.parse(shown[2] ?? "") : undefined,
    }));
}

/** "…" matches any value; as the last item of a list, any number of further items. */
function expectShown(shown: unknown, actual: unknown): void {
  if (shown === "…") expect(actual).toBeDefined();
  else if (Array.isArray(shown)) {
    const more = shown.at(-1) === "…";
    const items = more ? shown.slice(0, -1) : shown;
    expect(actual).toBeArray();
    if (!more) expect(actual).toHaveLength(items.length);
    for (const [i, item] of items.entries()) expectShown(item, (actual as unknown[])[i]);
  } else if (typeof shown === "object" && shown !== null) {
    expect(Object.keys(actual as object).sort()).toEqual(Object.keys(shown).sort());
    for (const [key, value] of Object.entries(shown))
      expectShown(value, (actual as Record<string, unknown>)[key]);
  } else expect(actual).toEqual(shown);
}

const end = "-- end of example --";

describe("GET /developer/guide", () => {
  const programs = testRequiring("dash", "curl", "openssl", "awk");
  programs(
    "the shell examples, run as one session with a demo's secrets, print what the page shows",
    async () => {
      const examples = examplesOf(pages.markdown).filter(({ language }) => language === "sh");
      expect(examples.length).toBeGreaterThanOrEqual(6);
      const demo = await demoEnvironment(app);
      const script = examples.map(({ code }) => `${code}\necho; echo '${end}'`).join("\n");
      const filled = script
        .replace(/^BASE=.*$/m, `BASE=${app.url}`)
        .replace("'fda_…'", demo.AGENT_SECRET)
        .replace("'fdf_…'", demo.ACCESS_KEY)
        .replace("'fdk_…'", demo.API_KEY)
        .replace("'01…'", demo.AGENT_ID);
      const session = `cd ${temporaryFolder()}\n${filled}`;
      const responses = (await printedBy(["dash", "-euc", session], {})).split(end);
      for (const [i, { response }] of examples.entries()) {
        if (response !== undefined) expectShown(response, JSON.parse(responses[i] ?? ""));
      }
    },
  );

  test.each(["js", "mjs"])(
    "the program in %s runs unchanged, and its submission is stored",
    async (language) => {
      const [example] = examplesOf(pages.markdown).filter((each) => each.language === language);
      const folder = temporaryFolder();
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      const file = join(folder, "agent.mjs");
      writeFileSync(file, example?.code ?? "");
      const printed = JSON.parse(await printedBy([process.execPath, file], await demoEnvironment(app)));
      expectShown(example?.response, printed);
      const [row] = await app.database.sql`select data from formd.submissions where id = ${printed.id}`;
      expect(row?.data).toMatchObject({ name: "Ada", topic: "sales" });
    },
  );

  test("the MCP client's configuration, with the agent's secret in it, connects it", async () => {
    const { AGENT_SECRET } = await demoEnvironment(app);
    const [, shown = ""] = /```json\n(\{\n {2}"mcpServers"[\s\S]*?)\n```/.exec(pages.markdown) ?? [];
    const { url, headers } = JSON.parse(shown.replace("fda_…", AGENT_SECRET)).mcpServers.formd;
    expect(url).toBe(`${baseOf(app)}/mcp`);
    const client = await connect(app, { requestInit: { headers } });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContainEqual(expect.stringMatching(/^submit_contact_[0-9a-f]{4}$/));
  });

  describe.each([
    ["sign.sh", "bash", "sh"],
    ["sign.ts", "ts", process.execPath],
  ])("the program that signs: tests/examples/%s", (name, language, interpreter) => {
    const path = join(root, "tests/examples", name);

    test("is the one that the page shows", () => {
      const [example] = examplesOf(pages.markdown).filter((each) => each.language === language);
      expect(example?.code).toBe(readFileSync(path, "utf8").trim());
    });

    testRequiring("curl", "openssl")("submits to the form of a demo", async () => {
      const { response } = examplesOf(pages.markdown).at(-1) ?? {};
      const printed = await printedBy([interpreter, path], await demoEnvironment(app));
      expectShown(response, JSON.parse(printed));
    });
  });

  test("the HTML page has the same examples", () => {
    const characters: Record<string, string> = { quot: '"', "#x27": "'", lt: "<", gt: ">", amp: "&" };
    const unescaped = pages.html
      .replace(/<\/?span[^>]*>/g, "")
      .replace(/&(quot|#x27|lt|gt|amp);/g, (_, name) => characters[name] ?? "");
    for (const { code } of examplesOf(pages.markdown)) expect(unescaped).toContain(code);
  });

  test("it is Markdown for clients that accept Markdown, else HTML, and caches keep the two apart", async () => {
    for (const [accept, type] of [
      ["text/markdown", "text/markdown; charset=utf-8"],
      ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"],
    ] as const) {
      const { status, headers } = await ask(app, "GET", "/developer/guide", { headers: { accept } });
      expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([200, type, "Accept"]);
    }
  });

  test("the page loads a style sheet and a script of this server, and has nothing inline", async () => {
    const { headers } = await ask(app, "GET", "/developer/guide");
    expect(headers.get("content-security-policy")).toStartWith(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;",
    );
    const references = pages.html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g);
    const loaded = [...references].map(([, path = ""]) => path);
    expect(loaded.join(" ")).toMatch(
      /^\/assets\/mark-[\w-]{12}\.svg \/assets\/docs-[\w-]{12}\.css \/assets\/docs-[\w-]{12}\.js$/,
    );
    for (const path of loaded) {
      const { status, headers } = await ask(app, "GET", path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
    expect(pages.html).not.toMatch(/<style|<script[^>]*>[^<]|\son\w+="|\sstyle="/);
  });
});

test("every URL in llms.txt, in the guide and in an error exists", async () => {
  const llms = await ask(app, "GET", "/llms.txt");
  expect([llms.status, llms.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(llms.body).toMatch(/^# formd\n\n> /);
  // The headers are in the order in which a newcomer needs them.
  expect([...llms.body.matchAll(/`(x-[a-z-]+)`/g)].slice(0, 3).map(([, name]) => name)).toEqual([
    "x-agent-secret",
    "x-respondent-token",
    "x-form-access-key",
  ]);
  // A list within an item of another one would be below it.
  expect(llms.body).not.toMatch(/^ /m);
  const { body: error } = await ask(app, "GET", "/papi/v1/nowhere");
  const texts = `${llms.body}\n${pages.markdown}`;
  const links = [...texts.matchAll(/\]\((http[^)]+)\)/g)].map(([, link = ""]) => link);
  const base = `http://localhost:${new URL(app.url).port}`;
  expect(error).toMatchObject({ _docs: `${base}/papi/v1/docs`, _guide: `${base}/developer/guide` });
  for (const link of new Set([...links, error._docs, error._guide])) {
    expect(link).toStartWith(base);
    expect([link, (await ask(app, "GET", link.slice(base.length))).status]).toEqual([link, 200]);
  }
});

test("the page of field types has every type with its rules; the guide has a value of each", async () => {
  const page = (await ask(app, "GET", "/developer/api/fields")).body as string;
  const document = (await ask(app, "GET", "/papi/v1/openapi.json")).body;
  const { FormField, ...schemas } = document.components.schemas;
  const names: string[] = FormField.anyOf.map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1));
  expect(names.length).toBe(21);
  const members = [
    ...Object.keys(schemas.FieldBase.properties),
    "type",
    "options",
    "validation",
    "sensitive",
  ];
  for (const member of members) expect(page).toContain(`<td><code>${member}</code></td>`);
  expect(page).toContain('href="/developer/owners/conditions"');
  for (const name of names) {
    const { type, validation } = schemas[name].allOf[1].properties;
    expect(page).toContain(`<h2 id="${type.enum[0]}">`);
    for (const alias of type.enum) expect(page).toMatch(new RegExp(`[>"]${alias}[<"]`));
    for (const rule of Object.keys(validation.properties)) expect(page).toContain(`<code>${rule}</code>`);
    if (name !== "StatementField") expect(pages.markdown).toContain(`| \`${type.enum[0]}\``);
  }
});

describe("GET /developer/database", () => {
  test("shows every table with its columns, every function with its header, and who may execute it", async () => {
    const { status, body } = await ask(app, "GET", "/developer/database");
    expect(status).toBe(200);
    const columns = await app.database.sql<{ table: string; column: string }[]>`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'formd' and table_name <> 'schema_migrations'`;
    const functions = await app.database.sql<{ name: string; summary: string }[]>`
      select proname as name, substring(prosrc from '-- ([^\n]*)') as summary
      from pg_proc where pronamespace = 'formd'::regnamespace`;
    const shown = JSON.parse((await formd(["schema", "--json"], settingsFor(app.database))).stdout);
    for (const { table, column } of columns) {
      expect(body).toContain(`<h3 id="${table}">`);
      expect([table, columnsOf(shown, table)]).toEqual([table, expect.arrayContaining([column])]);
    }
    expect(shown.functions).toHaveLength(functions.length);
    for (const { name, summary } of functions) {
      expect(body).toContain(`<a href="#${name}">${name}</a>`);
      const header = expect.objectContaining({ summary: expect.stringContaining(summary) });
      expect(shown.functions).toContainEqual(expect.objectContaining({ name, header }));
    }
    const byAdmins = { name: "team_create", executableBy: ["formd_admin"] };
    expect(shown.functions).toContainEqual(expect.objectContaining(byAdmins));
  });

  const columnsOf = (shown: { tables: { name: string; columns: { name: string }[] }[] }, table: string) =>
    shown.tables.find(({ name }) => name === table)?.columns.map(({ name }) => name);
});
