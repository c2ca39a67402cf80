/** The permissions in docs/operate/deno.md are enough for Deno: the page's lines run unchanged. */
import { beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { readXlsx } from "hucre/xlsx";
import { until } from "../expect.ts";
import { shellBlock } from "../pages.ts";
import { database, freePort, root, run, temporaryFolder } from "../setup.ts";

const { text: page } = shellBlock("docs/operate/deno.md", "# with the embedded database");

/** The lines of the page that follow a comment, with this run's places in them. */
function linesAfter(comment: string, port: number, places: [shown: string, here: string][]): string {
  const lines = page.slice(page.indexOf(comment)).split("\n\n", 1)[0] ?? "";
  return [
    ["127.0.0.1:8080", `127.0.0.1:${port}`],
    ["deno run", "exec node_modules/deno/deno run --no-prompt"],
    ...places,
  ].reduce((text, [from = "", to = ""]) => text.replaceAll(from, to), lines);
}

// npm's deno puts its binary in place when it is called for the first time.
beforeAll(async () => void (await run("node_modules/.bin/deno", ["--version"])), 60_000);

/** Starts a program, and gathers what it says. */
function started(program: string, args: string[], environment: Record<string, string>) {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, DRAIN_SECONDS: "0", ...environment };
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  return { child, ended, said: () => said };
}

/** Runs the lines until the server's first response, and stops it. */
async function serves(comment: string, places: [string, string][], environment: Record<string, string>) {
  const port = await freePort();
  const settings = { PORT: String(port), HOST: "127.0.0.1", ...environment };
  const { child, ended, said } = started("dash", ["-c", linesAfter(comment, port, places)], settings);
  let isReady = false;
  await until(async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    isReady = reply?.ok ?? false;
    return isReady || child.exitCode !== null;
  });
  child.kill("SIGTERM");
  expect([await ended, isReady, said()]).toEqual([0, true, expect.not.stringContaining("NotCapable")]);
}

/**
 * True if every user may enter the checkout. Otherwise formd, as root, copies PostgreSQL to a directory where
 * its user can run it, which takes more permissions than the page's lines.
 */
const isOpen = root
  .split("/")
  .every((_, i, parts) => (statSync(parts.slice(0, i + 1).join("/") || "/").mode & 1) === 1);

test.skipIf(process.getuid?.() === 0 && !isOpen)("with the embedded database", async () => {
  const folder = temporaryFolder();
  await serves(
    "# with the embedded database",
    [
      ["$PWD/.formd", folder],
      [".formd", folder],
    ],
    { FORMD_DATA_DIR: folder },
  );
});

test("with a database of one's own", async () => {
  const { url } = await database();
  // This run's is at a socket, whose directory is read and written.
  const socket = decodeURIComponent(/[?&]host=([^&]*)/.exec(url)?.[1] ?? "");
  const places: [string, string][] = [
    ["localhost:5432", `unix:${socket}/.s.PGSQL.5432`],
    ["--allow-read=.", `--allow-read=.,${socket} --allow-write=${socket}`],
  ];
  await serves("# with DATABASE_URL", places, { DATABASE_URL: url });
});

test("on a public address it serves only with the setting that a proxy is in front", async () => {
  const { url } = await database();
  const port = String(await freePort());
  const serve = (environment: Record<string, string>) =>
    started("node_modules/deno/deno", ["run", "-A", "src/main.ts", "serve"], {
      ...{ PORT: port, DATABASE_URL: url, ...environment },
    });
  const refused = serve({ HOST: "0.0.0.0" });
  await refused.ended;
  expect(refused.said()).toMatch(/^formd: Cannot listen on 0\.0\.0\.0[^\n]*BEHIND_PROXY[^\n]*\n$/);
  for (const [environment, isPublic] of [
    [{}, false],
    [{ HOST: "0.0.0.0", BEHIND_PROXY: "true" }, true],
  ] as const) {
    const { child, ended, said } = serve(environment);
    await until(() => said().includes('"msg":"listening"') || child.exitCode !== null);
    // An address of this machine that only a server on all addresses has.
    const another = fetch(`http://127.0.0.2:${port}/healthz`);
    expect([
      environment,
      await another.then(
        ({ ok }) => ok,
        () => false,
      ),
    ]).toEqual([environment, isPublic]);
    child.kill("SIGTERM");
    await ended;
  }
});

test("a workbook that Deno writes is read as the one that Bun writes", async () => {
  const module = `${root}/src/resources/submissions/workbook.ts`;
  const program = `
    import { serialOf, workbookOf } from ${JSON.stringify(module)};
    async function* rows() {
      for (let index = 0; index < 3000; index++)
        yield ["line\\r\\nend _x0041_ " + index, index / 8, index % 2 === 0, serialOf(index * 86400000, "day")];
    }
    const sheet = { name: "A", headers: ["Text", "Number", "Yes", "Day"], rows: rows() };
    const { stdout } = await import("node:process");
    for await (const part of workbookOf([sheet])) stdout.write(part);`;
  const read = async (command: string, args: string[]) => {
    const child = spawn(command, args, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(program);
    const bytes = Buffer.concat(await child.stdout.toArray());
    return (await readXlsx(bytes)).sheets.map(({ rows }) => rows);
  };
  const ofDeno = await read("node_modules/deno/deno", ["run", "--no-prompt", "-A", "-"]);
  expect(ofDeno[0]?.[3000]?.slice(0, 3)).toEqual(["line\r\nend _x0041_ 2999", 2999 / 8, false]);
  expect(ofDeno).toEqual(await read(process.execPath, ["run", "-"]));
});
