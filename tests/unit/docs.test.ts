/** The pages say what the code has, their links lead somewhere, and each is short enough to be read. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { commandNames, parts, withPart } from "../../.ci/docs.ts";
import { limits } from "../../src/limits.ts";
import { readConfig, settingNames } from "../../src/platform/config.ts";
import { pagePaths, readPage, shellBlock, shellBlocksOf } from "../pages.ts";
import { root } from "../setup.ts";

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "");
const written = /<!-- Written by [\s\S]*?<!-- End of [^>]*-->/g;
const ownText = (path: string) => readPage(path).replace(written, "");
const docsPages = pagePaths.filter((path) => path.startsWith("docs/"));

const sources = (readdirSync(join(root, "tests"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts") && name !== join("unit", "docs.test.ts"))
  .map((name) => readPage(join("tests", name)))
  .join("\n");

/** Blocks for a shell that no test runs, each with the reason. */
const unrun: Record<string, Record<string, string>> = {
  "README.md": { "npx -y bun@1.4.4 start": "serves until it is stopped, then runs all tests" },
  "CONTRIBUTING.md": {
    "git clone": "clones and installs",
    FORMD_TEST_COMMAND: "runs tests, with a test among them that would run them again",
    FORMD_TEST_PARTITIONED: "the same",
  },
  "docs/agents/mcp-clients.md": { "mcp-inspector": "the package is not installed; it was tried by hand" },
  "docs/agents/typed-client.md": { npx: "installs; tests/http/generated-client.ts runs the generator" },
  "docs/bench.md": { "bun run bench": "minutes of load, which needs the machine alone" },
  "docs/operate/container.md": {
    "docker build": "needs a container engine",
    "docker compose exec": "the same",
  },
  "docs/operate/install.md": { "systemd-run": "needs a running systemd" },
};

/** Clients that were tried by hand, since they bring too much along. */
const byHand = ["@modelcontextprotocol/inspector"];

/** Makes anchors of headings, like forges: lower case, without punctuation, with hyphens for spaces. */
const anchorsOf = (path: string) =>
  [...withoutCode(readPage(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe("what the code knows is written into the pages", () => {
  test.each(Object.entries(parts))("%s: `bun run docs` writes it", (name, { page, write }) => {
    const text = readPage(join("docs", page));
    expect(withPart(text, name, write())).toBe(text);
  });

  test("every setting and every command has its row", () => {
    const rows = (page: string) => [...readPage(page).matchAll(/^\| `([^`]+)` /gm)].map(([, cell]) => cell);
    expect(rows("docs/operate/settings.md").toSorted()).toEqual(settingNames.toSorted());
    const usages = rows("docs/operate/commands.md");
    for (const name of commandNames())
      expect(usages).toContainEqual(expect.stringMatching(new RegExp(`^${name}( |$)`)));
  });

  test("no page names a command that does not exist", () => {
    const names = commandNames();
    const groups = names.map((name) => name.split(" ")[0]);
    for (const path of pagePaths)
      for (const [, code, name = "", part = ""] of ownText(path).matchAll(
        /(`|^ {4})?\bformd\s((?!--)[a-z-]+)(?: ([a-z-]+))?/gm,
      )) {
        if (code === undefined && !groups.includes(name)) continue;
        const isGroup = part === "" && groups.includes(name);
        const known = names.includes(name) || isGroup || names.includes(`${name} ${part}`);
        expect([path, name, part, known]).toEqual([path, name, part, true]);
      }
  });

  test("no page names a script that package.json does not have", () => {
    const { scripts } = JSON.parse(readPage("package.json"));
    const used = pagePaths.flatMap((path) =>
      [...ownText(path).matchAll(/\bbun run (?!--)([a-z:]+)/g)].map(([, name = ""]) => `${path}: ${name}`),
    );
    expect(used.length).toBeGreaterThan(15);
    expect(used.filter((each) => !((each.split(": ")[1] ?? "") in scripts))).toEqual([]);
  });

  test("each page with lines to run is in a test, by its path", () => {
    const withLines = pagePaths.filter((path) => /^```(?!json)\w|(?<=\n\n) {4}\S/m.test(ownText(path)));
    expect(withLines.length).toBeGreaterThan(20);
    expect(withLines.filter((path) => !sources.includes(path))).toEqual([]);
  });

  test("each block for a shell names it, and is run by it in a test or is known not to be", () => {
    const programs =
      "formd|npx|npm|node|bun|git|curl|docker|pg_\\w+|psql|openssl|systemd-\\w+|deno|python3?|mcp-inspector";
    const unmarked = new RegExp(
      `^\`{3}\\n *(?:${programs}) |(?<=\\n\\n) {4,}(?:\\w+=\\S+ )*(?:${programs}) `,
      "m",
    );
    for (const path of pagePaths)
      expect([
        path,
        ownText(path).match(unmarked)?.[0],
        /^ *```(?:shell|console|zsh)$/m.test(ownText(path)),
      ]).toEqual([path, undefined, false]);
    const run = [...sources.matchAll(/\bshellBlock\(\s*"([^"]+)",\s*("[^"]+"),?\s*\)/g)].map(
      ([, path = "", begin = ""]) => shellBlock(path, JSON.parse(begin)),
    );
    const runWhole = [...sources.matchAll(/\bshellBlocksOf\("([^"]+)"\)/g)].flatMap(([, path = ""]) =>
      shellBlocksOf(path),
    );
    const notRun = Object.entries(unrun).flatMap(([path, begins]) =>
      Object.keys(begins).map((begin) => shellBlock(path, begin)),
    );
    const nameOf = ({ path, text }: { path: string; text: string }) => `${path}: ${text}`;
    const accounted = [...run, ...runWhole, ...notRun].map(nameOf);
    const blocks = pagePaths.flatMap(shellBlocksOf).map(nameOf);
    expect(blocks.length).toBeGreaterThan(30);
    expect(blocks.filter((block) => !accounted.includes(block))).toEqual([]);
    expect(notRun.map(nameOf).filter((block) => [...run, ...runWhole].map(nameOf).includes(block))).toEqual(
      [],
    );
  });

  test("the versions of clients that were tried are those that the tests have", () => {
    const { dependencies, devDependencies } = JSON.parse(readPage("package.json"));
    const installed: Record<string, string> = { ...dependencies, ...devDependencies };
    const pages = ["docs/agents/mcp-clients.md", "docs/agents/oauth.md"].map(readPage).join("\n");
    const shown = [...pages.matchAll(/^\| `?((?:@[\w-]+\/)?[\w-]+)`? (\d+\.\d+\.\d+)/gm)].map(
      ([, name = "", version = ""]) => [name, version] as const,
    );
    expect(shown.length).toBeGreaterThan(6);
    for (const [name, version] of shown)
      if (!byHand.includes(name)) expect([name, version]).toEqual([name, installed[name] ?? "not installed"]);
  });

  test("the figures of README are those of the benchmarks", () => {
    const rows = [...readPage("README.md").matchAll(/^\| .+? \| ([\d,]+) \| (\S+ \/ \S+) \|$/gm)];
    expect(rows).toHaveLength(3);
    for (const [, perSecond, percentiles] of rows)
      expect(readPage("docs/bench.md")).toMatch(new RegExp(`\\| ${perSecond} \\|.*\\| ${percentiles} \\|`));
  });

  test("sentences that state a limit have its value", () => {
    const text = pagePaths.map((path) => readPage(path).replace(/\s+/g, " ")).join("\n");
    const { agentSession, agentSubmit, altcha, body, form, idempotency, mcp, operator } = limits;
    const { operatorSession, page, setup, signature, signingKey, submission, webhook } = limits;
    for (const sentence of [
      `at most ${form.maxPatchOperations} of them`,
      `counts at most ${page.maxCounted.toLocaleString("en")} events`,
      `a reason of at most ${submission.maxReasonLength.toLocaleString("en")} characters`,
      `at most ${limits.formPage.maxControls.toLocaleString("en")} controls and options`,
      `stores nothing more, for ${limits.formPage.keyLifetimeDays} days`,
      `sees the values, for ${limits.formPage.sentValuesMs / 60_000} minutes`,
      `A client IP reads at most ${limits.formPage.requestsPerMinute} pages per minute`,
      `at most once in ${agentSubmit.windowMs / 1000} seconds`,
      `at most ${signingKey.maxActive} active keys`,
      `signing keys that expire within ${signingKey.expiryNoticeDays} days`,
      `A workspace has at most ${webhook.maxPerWorkspace} webhooks`,
      `response other than 2xx within ${webhook.timeoutSeconds} seconds`,
      `${webhook.failingHours} hours without a success`,
      `without submitted data; their deliveries | ${webhook.lifetimeDays} days`,
      `one per form that the agent may submit to (at most ${mcp.maxFormTools})`,
      `link, valid for ${setup.linkMinutes} minutes`,
      `After ${operator.maxLoginsPerMinute} wrong passwords within a minute`,
      `lasts ${operatorSession.lifetimeHours} hours, and ${operatorSession.idleHours} hours without use`,
      `an agent for ${agentSession.lifetimeDays} days`,
      `${agentSession.lifetimeDays} days (agent), ${operatorSession.lifetimeHours} hours (operator)`,
      `the response | ${idempotency.lifetimeHours} hours`,
      `For ${idempotency.lifetimeHours} hours the same key and body`,
      `valid for ${signature.maxSkewSeconds} seconds around`,
      `| ${(2 * signature.maxSkewSeconds) / 60} minutes after the time of the signature`,
      `| challenges | ${limits.challenge.lifetimeMs / 60_000} minutes and`,
      `A challenge expires after ${altcha.lifetimeMinutes} minutes`,
      `bodies over ${body.maxSmallBytes / 1024} KiB`,
    ])
      expect(text).toContain(sentence);
    expect(readConfig({}).DRAIN_SECONDS).toBe(3);
    expect(text).toContain("of which 3 are `DRAIN_SECONDS`");
  });
});

describe("every page", () => {
  test.each(docsPages)(
    "%s has one title, says in its first sentence who reads it, and has sections",
    (path) => {
      const text = withoutCode(readPage(path));
      expect(text.match(/^# .+$/gm)).toHaveLength(1);
      expect(text).toMatch(/^# .+\n\nFor [^\n]+\n/);
      expect(text).toMatch(/^## /m);
    },
  );

  test("is listed once in docs/README.md, which lists nothing else", () => {
    const listed = [...readPage("docs/README.md").matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(
      ([, path = ""]) => normalize(join("docs", path)),
    );
    const pages = pagePaths.filter((path) => !path.endsWith("README.md"));
    expect(listed.toSorted()).toEqual(pages.toSorted());
  });

  test("has a title that no other page has, so that results of a search and tabs differ", () => {
    const titles = pagePaths.map((path) => /^# (.+)$/m.exec(readPage(path))?.[1]);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  test.each(pagePaths)("each column of a table of %s has a header", (path) => {
    const headers = [...readPage(path).matchAll(/^\|(.*)\|\n\|[\s:|-]+\|$/gm)].map(([, cells = ""]) => cells);
    const isEmpty = (cells: string) => cells.split("|").some((cell) => cell.trim() === "");
    expect(headers.filter(isEmpty)).toEqual([]);
  });

  test.each(pagePaths)("%s is short, and no line of it is longer than 110 columns", (path) => {
    const most = path === "README.md" ? 150 : 200;
    expect(ownText(path).split("\n").length - 1).toBeLessThanOrEqual(most);
    expect(
      ownText(path)
        .split("\n")
        .filter((line) => line.length > 110 && !line.startsWith("| ")),
    ).toEqual([]);
  });

  test.each(pagePaths)("the links of %s lead to files and headings that exist", (path) => {
    for (const [, target = ""] of withoutCode(readPage(path)).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const linked = file === "" ? path : normalize(join(dirname(path), file));
      expect([target, existsSync(join(root, linked))]).toEqual([target, true]);
      if (anchor !== undefined)
        expect([target, anchorsOf(linked)]).toEqual([target, expect.arrayContaining([anchor])]);
    }
  });

  test.each(pagePaths)("the files and directories that %s names in code exist", (path) => {
    const named = [...ownText(path).matchAll(/`((?:src|sql|db|tests|patches|docs|\.ci)\/[\w./-]*)`/g)];
    expect(named.map(([, name = ""]) => name).filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});
