/** README lists what the code has, so that no later setting, command or limit is forgotten. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { program } from "../../src/cli/program.ts";
import { readConfig, settingNames } from "../../src/config.ts";
import { limits } from "../../src/limits.ts";

const root = join(import.meta.dir, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The rows of the table under a heading, each as its cells. */
function tableUnder(heading: string): string[][] {
  const [, table = ""] = readme.split(`\n${heading}\n`)[1]?.split(/\n\|-.*\n/, 2) ?? [];
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n");
  return rows.map((row) =>
    row.split(/ ?(?<!\\)\| ?/).flatMap((cell) => (cell ? [cell.replaceAll("\\|", "|")] : [])),
  );
}

test("every setting has its row, and every row is a setting", () => {
  const names = tableUnder("### Settings").flatMap(([cell = ""]) => cell.match(/[A-Z_]+/g) ?? []);
  expect(names.toSorted()).toEqual(settingNames.toSorted());
});

test("every setting has the default that its row says", () => {
  const shown = Object.fromEntries(
    tableUnder("### Settings").flatMap(([names = "", value = ""]) => {
      const values = value.split(", ");
      return (names.match(/[A-Z_]+/g) ?? []).map((name, index) => [name, values[index]?.replaceAll("`", "")]);
    }),
  );
  const { dataDirIsDefault, unknownNames, ...defaults } = readConfig({});
  for (const [name, value] of Object.entries({
    ...defaults,
    BASE_URL: "http://localhost:PORT",
    DOCS_URL: "BASE_URL",
  }))
    expect([name, shown[name]]).toEqual([name, String(value) || "none"]);
});

/** The commands that do something, such as "form publish". */
const commandsOf = (command: Command): string[] =>
  command.commands.flatMap((each) =>
    each.commands.length > 0 ? commandsOf(each).map((name) => `${each.name()} ${name}`) : [each.name()],
  );

test("every command has its row, and every row is a command", () => {
  const unused = () => {
    throw new Error("nothing is served here");
  };
  const commands = commandsOf(program({ name: "test", listen: unused, environment: {} }));
  const listed = tableUnder("### Commands").flatMap(([cell = ""]) =>
    [...cell.matchAll(/`([a-z-]+)(?: ([a-z][a-z|-]*))?/g)].flatMap(([, name, parts]) =>
      parts ? parts.split("|").map((part) => `${name} ${part}`) : [name],
    ),
  );
  expect(listed.toSorted()).toEqual(commands.toSorted());
});

test("the limits are those of limits.ts", () => {
  const { form, submission, body, page, agentSubmit, signingKey, operatorSession, agentSession } = limits;
  const { challenge, idempotency, mcp, operator, setup, signature } = limits;
  const text = readme.replace(/\s+/g, " ");
  for (const sentence of [
    `at most ${form.maxFields} fields, ${form.maxSchemaBytes / 1024} KiB of schema and ${form.maxSettingsBytes / 1024} KiB of settings`,
    `at most ${form.maxPatchOperations} operations, an edit of a submission ${submission.maxEdits} edits`,
    `at most ${submission.maxMetadataBytes / 1024} KiB of metadata`,
    `counts at most ${page.maxCounted.toLocaleString("en")} events`,
    `a reason of at most ${submission.maxReasonLength.toLocaleString("en")} characters`,
    `${readConfig({}).MAX_BODY_BYTES / 1024 ** 2} MiB, ${body.maxDepth} levels and ${body.maxValues.toLocaleString("en")} values and arrives within ${body.maxReadSeconds} seconds`,
    `that of sign-in, token, anonymous session and challenge response has at most ${body.maxSmallBytes / 1024} KiB. A page of a list has at most ${page.maxItems} items`,
    `A client IP reads at most ${limits.formPage.requestsPerMinute} pages per minute`,
    `at most once in ${agentSubmit.windowMs / 1000} seconds`,
    `at most ${signingKey.maxActive} active signing keys`,
    `signing keys that expire within ${signingKey.expiryNoticeDays} days`,
    `A workspace has at most ${limits.webhook.maxPerWorkspace} webhooks`,
    `response other than 2xx within ${limits.webhook.timeoutSeconds} seconds`,
    `${limits.webhook.failingHours} hours without a success`,
    `without submitted data; their deliveries | ${limits.webhook.lifetimeDays} days`,
    `may submit to (at most ${mcp.maxFormTools}) a tool`,
    `link, valid for ${setup.linkMinutes} minutes`,
    `signs in at most ${operator.maxLoginsPerMinute} times per minute`,
    `last ${operatorSession.lifetimeHours} hours, and ${operatorSession.idleHours} hours without use`,
    `an agent for ${agentSession.lifetimeDays} days`,
    `${agentSession.lifetimeDays} days (agent), ${operatorSession.lifetimeHours} hours (operator)`,
    `the response | ${idempotency.lifetimeHours} hours`,
    `| ${(2 * signature.maxSkewSeconds) / 60} minutes after the time of the signature`,
    `| challenges | ${challenge.lifetimeMs / 60_000} minutes and`,
  ])
    expect(text).toContain(sentence);
});

test("no line is longer than 110 columns", () => {
  expect(readme.split("\n").filter((line) => line.length > 110)).toEqual([]);
});

test("the files and directories that it names exist", () => {
  const paths = [...readme.matchAll(/[`(]((?:src|sql|db|tests|patches)\/[\w./-]*)[`)]/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(8);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
