/** `formd version`. */
import manifest from "../../package.json" with { type: "json" };
import { builtCommit } from "../platform/assets.ts";
import { connectOnce } from "../platform/database/db.ts";
import { embeddedRelease } from "../platform/database/embedded/index.ts";
import { runningRelease } from "../platform/database/releases.ts";
import { report } from "./database.ts";
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
      const { DATABASE_URL, FORMD_DATA_DIR, POSTGRES_PROGRAMS, dataDirIsDefault } = settings();
      const embedded = { explicit: !dataDirIsDefault, programs: POSTGRES_PROGRAMS };
      const postgres = DATABASE_URL
        ? await serverRelease(DATABASE_URL)
        : await embeddedRelease(FORMD_DATA_DIR, embedded).catch(withoutPostgres);
      const commit = await builtCommit();
      return [
        { version: manifest.version, commit, runtime, postgres },
        `formd ${manifest.version} (${commit}), ${runtime}, ${postgres ? `PostgreSQL ${postgres}` : "no PostgreSQL"}`,
      ];
    });
}

/** Says why there is none, and goes on: the version is asked for where something is wrong. */
function withoutPostgres({ message }: Error): null {
  report(message);
  return null;
}

async function serverRelease(url: string): Promise<string> {
  await using sql = connectOnce(url);
  return await runningRelease(sql);
}
