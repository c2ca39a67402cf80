/** What docs/operate/deno.md says that Deno is to be allowed is enough: its own lines, run as they stand. */
import { beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { text } from "node:stream/consumers";
import { readPage } from "../pages.ts";
import { database, freePort, root, run, temporaryFolder } from "../setup.ts";

const page = readPage("docs/operate/deno.md");

/** The lines of the page that follow a comment, with this run's places in them. */
function linesAfter(comment: string, port: number, places: [shown: string, here: string][]): string {
  const lines = page.slice(page.indexOf(comment)).split(/\n\n|```/, 1)[0] ?? "";
  return [
    ["127.0.0.1:8080", `127.0.0.1:${port}`],
    ["deno run", "exec node_modules/deno/deno run --no-prompt"],
    ...places,
  ].reduce((text, [from = "", to = ""]) => text.replaceAll(from, to), lines);
}

// npm's deno puts its binary in place when it is called for the first time.
beforeAll(async () => void (await run("node_modules/.bin/deno", ["--version"])), 60_000);

/** Runs the lines until the server's first response, and stops it. */
async function serves(comment: string, places: [string, string][], environment: Record<string, string>) {
  const port = await freePort();
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn("sh", ["-c", linesAfter(comment, port, places)], {
    cwd: root,
    env: { PATH, HOME, PORT: String(port), HOST: "127.0.0.1", DRAIN_SECONDS: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  let status = 0;
  for (let tries = 0; tries < 600 && status !== 200 && child.exitCode === null; tries++) {
    await Bun.sleep(50);
    status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (reply) => reply.status,
      () => 0,
    );
  }
  child.kill("SIGTERM");
  expect([await ended, status, said]).toEqual([0, 200, expect.not.stringContaining("NotCapable")]);
}

/**
 * Whether every user may enter the checkout. As root elsewhere, formd copies PostgreSQL to where its user can
 * run it, which takes more than the page's lines.
 */
const isOpen = root
  .split("/")
  .every((_, i, parts) => (statSync(parts.slice(0, i + 1).join("/") || "/").mode & 1) === 1);

test.skipIf(process.getuid?.() === 0 && !isOpen)(
  "with the embedded database",
  async () => {
    const folder = temporaryFolder();
    await serves(
      "# with the embedded database",
      [
        ["$PWD/.formd", folder],
        [".formd", folder],
      ],
      { FORMD_DATA_DIR: folder },
    );
  },
  120_000,
);

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

test("on an address that others reach it serves only when a proxy is said to be in front", async () => {
  const { url } = await database();
  const port = String(await freePort());
  const { PATH = "", HOME = "" } = process.env;
  const serve = (environment: Record<string, string>) =>
    spawn("node_modules/deno/deno", ["run", "-A", "src/main.ts", "serve"], {
      cwd: root,
      env: { PATH, HOME, PORT: port, DATABASE_URL: url, DRAIN_SECONDS: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const refused = serve({ HOST: "0.0.0.0" });
  expect(await text(refused.stderr)).toMatch(
    /^formd: Cannot listen on 0\.0\.0\.0[^\n]*BEHIND_PROXY[^\n]*\n$/,
  );
  for (const [environment, isPublic] of [
    [{}, false],
    [{ HOST: "0.0.0.0", BEHIND_PROXY: "true" }, true],
  ] as const) {
    const child = serve(environment);
    let log = "";
    child.stdout.on("data", (chunk) => (log += String(chunk)));
    while (!log.includes("listening") && child.exitCode === null) await Bun.sleep(20);
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
    await new Promise((resolve) => child.on("close", resolve));
  }
});
