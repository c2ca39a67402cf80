import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, command, root, run, service, settingsFor, testRequiring } from "../setup.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");

testRequiring(
  "bash",
  "curl",
  "node",
  "awk",
)(
  "the steps of README, pasted into a shell, end with the submission read by its owner",
  async () => {
    const app = await service();
    const steps = /```sh\n(formd\(\)[^\n]*\n[\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const script = steps
      .replace(/^formd\(\).*$/m, `formd() { ${command.join(" ")} "$@"; }`)
      .replace(/^BASE=.*$/m, `BASE=${app.url}`);
    const { stdout, code } = await run("bash", ["-euc", script], settingsFor(app.database));
    expect(code).toBe(0);
    expect(stdout).toContain("is published, version 1");
    expect(stdout).toContain('"missingRequired":["name"]');
    expect(stdout.trim().split("\n").at(-1)).toContain('"data":{"name":"Ada"}');
  },
  60_000,
);

test("README lists the metrics that the server has", async () => {
  const { body } = await ask(await service(), "GET", "/metrics");
  const served = [...body.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  const listed = [...readme.matchAll(/`(formd_[a-z_]+)`(?=.* \|.* \|$)/gm)].map(([, name]) => name);
  expect(served.length).toBeGreaterThan(5);
  expect(listed.toSorted()).toEqual(served.toSorted());
});
