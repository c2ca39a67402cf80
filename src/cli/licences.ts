/** `formd licences`. */
import { asset, isBundled } from "../platform/assets.ts";
import type { CliCommand } from "./options.ts";

/** The build makes the list of what it puts in; a checkout has the packages themselves. */
const besidePackages =
  "formd runs here from its source: the licence of each package stands beside it in node_modules. The\n" +
  "executable has all of them in it, and a release as THIRD-PARTY-NOTICES.txt.";

export function licencesCommand(root: CliCommand): void {
  root
    .command("licences")
    .description("formd's licence, and those of everything in the executable")
    .prints(async () => {
      const licence = String(await asset("LICENSE"));
      const notices = isBundled() ? String(await asset("THIRD-PARTY-NOTICES.txt")) : besidePackages;
      return [{ licence, notices }, licence, notices.trimEnd()];
    });
}
