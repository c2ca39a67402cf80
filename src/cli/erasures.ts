/** `formd erasures export | repeat`: the list of erasures, kept outside the database for a restore. */
import { v4 as uuidv4 } from "uuid";
import { cliActor } from "../platform/auth/actor.ts";
import type { Steps } from "../platform/log.ts";
import { erasuresFile, exportErasures, repeatErasures } from "../resources/persons/erasures.ts";
import { withDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

export function erasuresCommand(root: CliCommand, settings: Settings): void {
  const group = root
    .command("erasures")
    .description("the list of erased submissions, invitations and persons, kept outside the database");
  group
    .command("export")
    .description("append to a file what was erased since its last line; servers do so to ERASURES_FILE")
    .argument("[file]", "lines of JSON with ids and times; default: ERASURES_FILE")
    .prints(async (given: string | undefined) => {
      const config = settings();
      const { file, erasures } = await withDatabase(config, async (sql, { directory }) => {
        const file = requireFile(given ?? erasuresFile(config, directory));
        return { file, erasures: await exportErasures(sql, file) };
      });
      return [{ file, erasures }, `${erasures} erasures appended to ${file}`];
    });
  group
    .command("repeat")
    .description("repeat the erasures of the list after a restore; without --confirm only count them")
    .argument("[file]", "the list; default: ERASURES_FILE")
    .option("--confirm", "erase all of the list; what is held stays")
    .showsProgress()
    .prints(async (given: string | undefined, { confirm = false }: { confirm?: boolean }) => {
      const config = settings();
      const actor = { ...cliActor, requestId: uuidv4() };
      const repeated = await withDatabase(config, async (sql, { directory }) => {
        const file = requireFile(given ?? erasuresFile(config, directory));
        const steps: Steps = { done: 0 };
        using _shown = showProgress("repeat", "bytes", () => steps);
        return await repeatErasures(sql, actor, file, confirm, steps);
      });
      const { listed, unreadable, submissions, held, invitations, persons } = repeated;
      return [
        { erased: confirm, ...repeated },
        `${listed} erasures listed${unreadable > 0 ? `, ${unreadable} lines cannot be read` : ""}`,
        ...(held > 0 ? [`${held} submissions are held, and stay (held)`] : []),
        ...(invitations > 0
          ? [`${invitations} invitations ${confirm ? "erased" : "are in the database again"}`]
          : []),
        ...(persons > 0
          ? [`names of ${persons} persons ${confirm ? "erased" : "are in the database again"}`]
          : []),
        confirm
          ? `${submissions} submissions erased`
          : `${submissions} submissions are in the database again; --confirm erases them`,
      ];
    });
}

/** @throws {Error} with one line */
function requireFile(path: string | undefined): string {
  if (path === undefined) throw new Error("Name a file: ERASURES_FILE is not set.");
  return path;
}
