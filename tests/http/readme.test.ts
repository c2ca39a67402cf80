import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { command, root, run, service, settingsFor, testRequiring } from "../setup.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");

describe("README", () => {
  testRequiring("bash", "curl")(
    "its quick tour, pasted into a shell, ends with the submission read back",
    async () => {
      const app = await service();
      const tour = /```sh\n(bun\(\)[^\n]*\n[\s\S]*?)```/.exec(readme)?.[1] ?? "";
      const script = tour
        .replace(/^bun\(\).*$/m, `bun() { shift 3; ${command.join(" ")} "$@"; }`) // bun run --silent formd …
        .replaceAll("http://localhost:8080", app.url);
      const { stdout, code } = await run("bash", ["-euc", script], settingsFor(app.database));
      expect(code).toBe(0);
      expect(stdout).toContain("is published, version 1");
      expect(stdout).toContain('"missingRequired":["name"]');
      expect(stdout.trim().split("\n").at(-1)).toContain('"data":{"name":"Ada"}');
    },
    60_000,
  );

  test.each(["sign.ts", "sign.sh"])("it quotes tests/examples/%s as the tests run it", (name) => {
    expect(readme).toContain(readFileSync(join(root, "tests/examples", name), "utf8").trim());
  });
});
