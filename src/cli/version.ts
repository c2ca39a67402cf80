/** `formd version`. */
import manifest from "../../package.json" with { type: "json" };
import { builtCommit } from "../platform/assets.ts";
import { connectOnce } from "../platform/database/db.ts";
import { embeddedRelease } from "../platform/database/embedded/index.ts";
import { runningRelease } from "../platform/database/releases.ts";
import type { CliCommand, Settings } from "./options.ts";
import type { Runtime } from "./server.ts";

export function versionCommand(
  root: CliCommand,
  settings: Settings,
  { name: runtime }: Pick<Runtime, "name">,
): void {
  root
    .command("version")
    .description("version and commit of formd, versions of the runtime and of PostgreSQL")
    .prints(async () => {
      const { DATABASE_URL, FORMD_DATA_DIR, POSTGRES_PROGRAMS } = settings();
      const postgres = DATABASE_URL
        ? await serverRelease(DATABASE_URL)
        : await embeddedRelease(FORMD_DATA_DIR, POSTGRES_PROGRAMS);
      const commit = await builtCommit();
      return [
        { version: manifest.version, commit, runtime, postgres },
        `formd ${manifest.version} (${commit}), ${runtime}, PostgreSQL ${postgres}`,
      ];
    });
}

async function serverRelease(url: string): Promise<string> {
  await using sql = connectOnce(url);
  return await runningRelease(sql);
}
