/** Debian's PostgreSQL, for what the embedded one does not have, with options and roles of a test. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { onCleanup, root } from "../setup.ts";

/** @returns the directory of its socket, when it accepts connections; it ends with the file */
export async function debianPostgres(options: string, statements: string[], port = 5432): Promise<string> {
  const commands = statements.map((statement) => `--command="${statement}"`).join(" ");
  const psql = `psql --quiet --host="$FORMD_CI_POSTGRES" --port=${port} --username=postgres ${commands}`;
  const child = spawn(
    join(root, ".ci/postgres"),
    ["bash", "-c", `${psql} && echo "$FORMD_CI_POSTGRES" && cat`],
    {
      env: { ...process.env, FORMD_CI_OPTIONS: `-c port=${port} ${options}` },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  onCleanup(async () => {
    child.stdin.end();
    await new Promise((resolve) => child.once("close", resolve));
  });
  return await new Promise<string>((resolve, reject) =>
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim())).once("end", reject),
  );
}
