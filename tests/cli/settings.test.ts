import { expect, test } from "bun:test";
import { database, formd, server } from "../setup.ts";

// tests/unit/config.test.ts holds what each variable takes; this file holds what the command line shows of it.
test.each([
  ["PORT", "80.5", /0 to 65535/],
  ["DATABASE_URL", "postgres://u:hunter2@h:x/db", /postgres:\/\//],
  ["RATE_LIMIT_PAPI_AUTH_PER_MINUTE", "0", /1 to/],
  ["LOG_LEVEL", "loud", /debug, info, warn/],
])(
  "%s=%s stops the start with exit code 1 and one line on stderr, and shows no password",
  async (variable, value, allowed) => {
    const { code, stdout, stderr } = await formd(["serve"], { [variable]: value });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^formd: ${variable} [^\n]*\n$`));
    expect(stderr).toMatch(allowed);
    expect(stderr).not.toContain("hunter2");
  },
);

test("every command checks the settings, and --help does not", async () => {
  expect(await formd(["version"], { PORT: "x" })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^formd: PORT /),
  });
  expect(await formd(["version", "--help"], { PORT: "x" })).toMatchObject({ code: 0, stderr: "" });
});

test("a variable that looks like a setting and is none is a warning in the log", async () => {
  const { url } = await database();
  const misspelt = await server({ DATABASE_URL: url, FORMD_DATADIR: "/srv", RATE_LIMIT_PER_MINUTE: "9" });
  const warned = misspelt.log().match(/"level":"warn".*"variable":"\w+"/g) ?? [];
  expect(warned.map((line) => /(\w+)"$/.exec(line)?.[1])).toEqual(["FORMD_DATADIR", "RATE_LIMIT_PER_MINUTE"]);
});

test("a port in use and a host of another machine fail with one line", async () => {
  const { url } = await database();
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  for (const [HOST, PORT] of [
    ["127.0.0.1", `${taken.port}`],
    ["no-such-host.invalid", "0"],
  ] as const) {
    const { code, stdout, stderr } = await formd(["serve"], { DATABASE_URL: url, HOST, PORT });
    expect([HOST, code, stdout]).toEqual([HOST, 1, ""]);
    expect(stderr).toMatch(/^formd: [^\n]+\n$/);
  }
  await taken.stop(true);
});
