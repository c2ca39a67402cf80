// stacks: one deno gate
import { describe, expect, test } from "bun:test";
import type { Command, CommanderError } from "commander";
import { program } from "../../src/cli/program.ts";
import { unknownId } from "../expect.ts";
import {
  formd,
  formdProcess,
  makeTeam,
  root,
  run as runProgram,
  service,
  settingsFor,
  signIn,
} from "../setup.ts";

const app = await service();
const team = await makeTeam(app);

const run = (...args: string[]) => formd(args, settingsFor(app.database));

const unused = () => {
  throw new Error("not called");
};

/** Runs the command line in this process, with invalid settings: its exit code and output. */
async function parse(line: string) {
  const printed = { code: 0, stdout: "", stderr: "" };
  const quiet = (command: Command): void => {
    command.configureOutput({
      writeOut: (text) => (printed.stdout += text),
      writeErr: (text) => (printed.stderr += text),
    });
    command.commands.forEach(quiet);
  };
  const top = await program({ name: "test", listen: unused, environment: { PORT: "x" } });
  quiet(top);
  await top
    .parseAsync(line.split(" ").filter(Boolean), { from: "user" })
    .catch((error: CommanderError) => (printed.code = error.exitCode ? 2 : 0));
  return printed;
}

/** A command, and all below it. */
const namesOf = (command: Command): string[] =>
  command.commands.flatMap((each) => [each.name(), ...namesOf(each).map((name) => `${each.name()} ${name}`)]);
const commands = namesOf(await program({ name: "test", listen: unused, environment: {} }));
const wrong = [
  "",
  "frobnicate",
  "form",
  "form unpublish x",
  "serve --fast",
  "migrate now",
  "bootstrap",
  "bootstrap --email",
  `operator create --email a@b.c --workspace ${unknownId}`,
  `operator create --email a@b.c --workspace ${unknownId} --role owner`,
  "api-key create --team",
  `api-key create --team ${unknownId}`,
  "api-key list",
  "api-key revoke",
  "api-key revoke 7",
  "form publish",
  "form publish x",
  `form publish ${unknownId} ${unknownId}`,
  "access-key create",
  "access-key revoke x",
  "audit list x",
  "workspace create --name W",
  `workspace create --team ${unknownId} --name ${"x".repeat(501)}`,
  "demo --jsonn",
];

describe("the command line", () => {
  test.each(["", ...commands])(
    "formd %s --help exits with 0 and prints on stdout, even with invalid settings",
    async (command) => {
      const { code, stdout, stderr } = await parse(`${command} --help`);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toStartWith(`Usage: formd ${command}`.trimEnd());
      expect(stdout.split("\n").filter(({ length }) => length > 80)).toEqual([]);
      for (const each of commands)
        if (each.split(" ").slice(0, -1).join(" ") === command)
          expect(stdout).toContain(`\n  ${each.split(" ").at(-1)} `);
    },
  );

  test("formd --help has every command in a group of a few", async () => {
    const { stdout } = await parse("--help");
    const groups = stdout.split(/\n\n(?=\S.*:\n)/).slice(1);
    expect(groups.map((group) => group.split(":", 1)[0])).toEqual([
      ...["Options", "Serve", "Database", "People and keys", "Forms and submissions"],
      ...["Agents and receivers", "About formd"],
    ]);
    for (const group of groups) expect(group.match(/^ {2}\S/gm)?.length).toBeWithin(1, 9);
  });

  test.each(wrong)("formd %s exits with 2: the reason is on stderr, nothing on stdout", async (line) => {
    const { code, stdout, stderr } = await parse(line);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).not.toBe("");
  });

  test("as a process: 0 for --help, 2 for a wrong command line", async () => {
    expect(await formdProcess(["form", "publish", "--help"], { PORT: "x" })).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("Usage: formd form publish"),
    });
    for (const args of [["frobnicate"], ["serve", "--fast"], ["form", "publish"], []])
      expect(await formdProcess(args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.not.stringContaining("    at "),
      });
  });

  test("an error that quotes the command line has its control characters escaped", async () => {
    for (const args of [["x\x1b]0;owned\x07"], ["form", "publish", "x\x1b[2J\u202e"]]) {
      const { code, stdout, stderr } = await formd(args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("x\\u{1b}");
      for (const control of ["\x1b", "\x07", "\u202e"]) expect(stderr).not.toContain(control);
    }
  });

  test("version names formd, the runtime and PostgreSQL", async () => {
    const { code, stdout, stderr } = await run("version", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: expect.stringMatching(/^([0-9a-f]{12}\+?|unknown)$/),
      runtime: expect.stringMatching(/^(bun|deno) \d/),
      postgres: expect.stringMatching(/^\d+\.\d+$/),
    });
  });

  test("licences prints formd's licence, and those of its parts or where they are", async () => {
    const { code, stdout, stderr } = await formd(["licences"], {
      DATABASE_URL: "postgres://nobody@127.0.0.1:1/x",
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\s+Apache License\s+Version 2\.0/);
    const isExecutable = process.env.FORMD_TEST_COMMAND === "./dist/formd";
    expect(stdout).toContain(isExecutable ? "\npostgresql 18" : "beside it in node_modules");
  });

  test("bootstrap takes a password from standard input, where no list of processes shows it", async () => {
    const command = process.env.FORMD_TEST_COMMAND ?? `${process.execPath} src/main.ts`;
    const bootstrap = "bootstrap --email piped@example.org --password-file - --json";
    const line = `cd ${root} && printf 'correct horse 3\n' | ${command} ${bootstrap}`;
    const ran = await runProgram("sh", ["-c", line], settingsFor(app.database));
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(await signIn(app, "piped@example.org", "correct horse 3")).toContain("formd_session=");
  });

  test("at LOG_LEVEL=debug a failed command shows where it failed", async () => {
    const { code, stderr } = await formd(["form", "publish", unknownId], {
      DATABASE_URL: app.database.url,
      LOG_LEVEL: "debug",
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^formd: [^\n]+\nProblem: .*\n {4}at /)]);
  });

  test("a command that fails exits with 1, gives the reason in one line on stderr, and leaves nothing behind", async () => {
    const { sql } = app.database;
    const counts = async () =>
      await sql`select (select count(*) from formd.teams) as teams, (select count(*) from formd.workspaces) as workspaces,
        (select count(*) from formd.operators) as operators, (select count(*) from formd.api_keys) as keys`;
    const before = await counts();
    const withEmail = "operator create --email a@b.c --role viewer --workspace";
    const failing: [line: string, reason: RegExp, ...more: string[]][] = [
      [`form publish ${unknownId}`, /no such form/],
      [`access-key create ${unknownId}`, /no such form/],
      [`access-key revoke ${unknownId}`, /no such access key/],
      [`api-key create --team ${unknownId} --scopes forms:read`, /no such team/],
      [`api-key create --team ${team.id} --scopes forms:read,forms:publish`, /must be some of forms:read/],
      [`api-key create --team ${team.id} --scopes`, /The scopes must be some of forms:read/, " , "],
      [`api-key revoke ${unknownId}`, /no such API key/],
      [`workspace create --team ${team.id} --name`, /needs a name/, " "],
      [`${withEmail} ${unknownId}`, /no such workspace/],
      [`${withEmail} ${team.workspace} --password short`, /8 characters/],
      ["operator set-password --email a@b.c", /no operator with this e-mail/],
      ["operator remove --email a@b.c", /no operator with this e-mail/],
      ["bootstrap --email nobody", /e-mail/],
      ["bootstrap --email a@b.c --workspace", /need a name/, ""],
    ];
    const fail = async ([line, reason, ...more]: (typeof failing)[number]) => {
      const { code, stdout, stderr } = await run(...line.split(" "), ...more, "--json");
      expect([line, code, stdout]).toEqual([line, 1, ""]);
      expect(stderr).toMatch(/^formd: [^\n]+\n$/);
      expect(stderr).toMatch(reason);
    };
    // Pairs at a time: there are two processors.
    for (let i = 0; i < failing.length; i += 2) await Promise.all(failing.slice(i, i + 2).map(fail));
    expect(await counts()).toEqual(before);
  });
});
