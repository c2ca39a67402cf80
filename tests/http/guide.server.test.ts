// stacks: one
/** The guide for agents: the tests take its examples from the page and run them in their order. */
import { beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { baseOf, connect } from "../mcp-client.ts";
import {
  ask,
  formd,
  root,
  type Service,
  service,
  settingsFor,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";

let app: Service;
let pages: { markdown: string; html: string };

interface Demo {
  accessKey: string;
  apiKey: string;
  agent: { id: string; secret: string };
}

const demo = async (): Promise<Demo> =>
  JSON.parse((await formd(["demo", "--json"], settingsFor(app.database))).stdout);

beforeAll(async () => {
  app = await service({ FEATURE_AGENT_SIGNING: "true" });
  pages = {
    markdown: (await ask(app, "GET", "/developer/guide.md")).body,
    html: (await ask(app, "GET", "/developer/guide")).body,
  };
});

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

/** Runs a program to its end, without a warning of what is deprecated. @returns what it printed */
function run(
  program: string,
  args: string[],
  environment: Record<string, string>,
  cwd = root,
): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", ...environment };
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => (said[name] += String(chunk)));
  return new Promise((resolve, reject) =>
    child.on("close", (code) =>
      code === 0 && !/deprecated/i.test(said.stderr)
        ? resolve(said.stdout)
        : reject(new Error(`exit ${code}: ${said.stdout}${said.stderr}`)),
    ),
  );
}

const end = "-- end of example --";

describe("GET /developer/guide", () => {
  testRequiring(
    "bash",
    "curl",
    "openssl",
    "awk",
  )(
    "the shell examples, run as one session with a demo's secrets, print the responses that the page shows",
    async () => {
      const examples = examplesOf(pages.markdown).filter(({ language }) => language === "sh");
      expect(examples.length).toBeGreaterThanOrEqual(6);
      const { accessKey, apiKey, agent } = await demo();
      const script = examples.map(({ code }) => `${code}\necho; echo '${end}'`).join("\n");
      const filled = script
        .replace(/^BASE=.*$/m, `BASE=${app.url}`)
        .replace("'fda_…'", agent.secret)
        .replace("'fdf_…'", accessKey)
        .replace("'fdk_…'", apiKey)
        .replace("'01…'", agent.id);
      const responses = (await run("bash", ["-euc", filled], {}, temporaryFolder())).split(end);
      for (const [i, { response }] of examples.entries()) {
        if (response !== undefined) expectShown(response, JSON.parse(responses[i] ?? ""));
      }
    },
  );

  test("the program runs unchanged, and its submission is stored", async () => {
    const [{ code, response } = { code: "", response: null }] = examplesOf(pages.markdown).filter(
      ({ language }) => language === "js",
    );
    const { accessKey, agent } = await demo();
    const file = join(temporaryFolder(), "agent.mjs");
    writeFileSync(file, code);
    const environment = { BASE: app.url, AGENT_SECRET: agent.secret, ACCESS_KEY: accessKey };
    const printed = JSON.parse(await run(process.execPath, [file], environment));
    expectShown(response, printed);
    const [row] = await app.database.sql`select data from formd.submissions where id = ${printed.id}`;
    expect(row?.data).toMatchObject({ name: "Ada", topic: "sales" });
  });

  test("the MCP client's configuration, with the agent's secret in it, connects it", async () => {
    const { agent } = await demo();
    const [, shown = ""] = /```json\n(\{\n {2}"mcpServers"[\s\S]*?)\n```/.exec(pages.markdown) ?? [];
    const { url, headers } = JSON.parse(shown.replace("fda_…", agent.secret)).mcpServers.formd;
    expect(url).toBe(`${baseOf(app)}/mcp`);
    const client = await connect(app, { requestInit: { headers } });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContainEqual(expect.stringMatching(/^submit_contact_[0-9a-f]{4}$/));
  });

  test("the program for MCP runs unchanged, and its submission is stored", async () => {
    const [{ code, response } = { code: "", response: null }] = examplesOf(pages.markdown).filter(
      ({ language }) => language === "mjs",
    );
    const { agent } = await demo();
    const folder = temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "mcp.mjs"), code);
    const clientId = `agent_${agent.id.replaceAll("-", "")}`;
    const environment = { BASE: baseOf(app), CLIENT_ID: clientId, AGENT_SECRET: agent.secret };
    const printed = JSON.parse(await run(process.execPath, [join(folder, "mcp.mjs")], environment));
    expectShown(response, printed);
    const [row] = await app.database.sql`select data from formd.submissions where id = ${printed.id}`;
    expect(row?.data).toMatchObject({ name: "Ada", topic: "sales" });
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
      const { accessKey, apiKey, agent } = await demo();
      const { publicKey, privateKey } = generateKeyPairSync("ed25519");
      const { body } = await ask(app, "POST", `/papi/v1/identity/agents/${agent.id}/keys`, {
        headers: { "x-api-key": apiKey },
        body: { publicKeyPem: publicKey.export({ type: "spki", format: "pem" }) },
      });
      const file = join(temporaryFolder(), "key.pem");
      writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
      const environment = { BASE: app.url, ACCESS_KEY: accessKey, KEY_ID: body.data.keyId, KEY_FILE: file };
      const { response } = examplesOf(pages.markdown).at(-1) ?? {};
      expectShown(response, JSON.parse(await run(interpreter, [path], environment)));
    });
  });

  test("the HTML page has the same examples", () => {
    const unescaped = pages.html
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
    for (const { code } of examplesOf(pages.markdown)) expect(unescaped).toContain(code);
  });

  test("it is Markdown for clients that accept Markdown, else HTML, and caches keep the two apart", async () => {
    for (const [accept, type] of [
      ["text/markdown", "text/markdown; charset=utf-8"],
      ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"],
    ] as const) {
      const response = await ask(app, "GET", "/developer/guide", { headers: { accept } });
      expect([response.status, response.headers.get("content-type"), response.headers.get("vary")]).toEqual([
        200,
        type,
        "Accept",
      ]);
    }
  });

  test("the page loads a style sheet and a script of this server, and has nothing inline", async () => {
    const { headers } = await ask(app, "GET", "/developer/guide");
    expect(headers.get("content-security-policy")).toStartWith(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;",
    );
    const loaded = [...pages.html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(loaded).toEqual([
      expect.stringMatching(/^\/assets\/docs-[\w-]{12}\.css$/),
      expect.stringMatching(/^\/assets\/docs-[\w-]{12}\.js$/),
    ]);
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
  // A list within an item of another one would be below it.
  expect(llms.body).not.toMatch(/^ /m);
  const { body: error } = await ask(app, "GET", "/papi/v1/nowhere");
  const links = [...`${llms.body}\n${pages.markdown}`.matchAll(/\]\((http[^)]+)\)/g)].map(
    ([, link]) => link ?? "",
  );
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
      expect(shown.functions).toContainEqual(
        expect.objectContaining({
          name,
          header: expect.objectContaining({ summary: expect.stringContaining(summary) }),
        }),
      );
    }
    expect(shown.functions).toContainEqual(
      expect.objectContaining({ name: "team_create", executableBy: ["formd_admin"] }),
    );
  });

  const columnsOf = (shown: { tables: { name: string; columns: { name: string }[] }[] }, table: string) =>
    shown.tables.find(({ name }) => name === table)?.columns.map(({ name }) => name);
});

describe("GET /", () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";

  test("is a page in a browser, and every link of it leads somewhere", async () => {
    const { status, headers, body } = await ask(app, "GET", "/", { headers: { accept } });
    expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([
      200,
      "text/html; charset=utf-8",
      expect.stringContaining("Accept"),
    ]);
    const links = [...(body as string).matchAll(/href="([^"]+)"/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(9);
    for (const path of links) {
      const { status } = await ask(app, "GET", path, { headers: { accept } });
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test("and so are /developer and /developer/api, where a reader looks who shortens a link", async () => {
    const { body } = await ask(app, "GET", "/", { headers: { accept } });
    for (const path of ["/developer", "/developer/api"])
      expect(await ask(app, "GET", path)).toMatchObject({ status: 200, body });
  });

  test("is no route for an API client", async () => {
    for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }])
      expect(await ask(app, "GET", "/", { headers })).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
  });
});
