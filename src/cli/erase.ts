/** `formd erase`: removes the values that are stored of one person. */
import type { Command } from "commander";
import { v4 as uuidv4 } from "uuid";
import { cliActor } from "../platform/auth/actor.ts";
import { eraseRespondent, formsOfRespondent } from "../resources/submissions/erase.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

interface Options {
  respondent: string;
  confirm?: boolean;
  json?: boolean;
}

export function eraseCommand(root: Command, settings: Settings): void {
  root
    .command("erase")
    .description("remove the values that are stored of one person; without --confirm only say what there is")
    .requiredOption(
      "--respondent <id>",
      "the person, as metadata.respondentId or a grant names it",
      requireUuid,
    )
    .option("--confirm", "delete every submission of this person")
    .addOption(jsonOption)
    .action(async ({ respondent, confirm = false, json }: Options) => {
      // One request id for all of its deletions in the audit.
      const actor = { ...cliActor, requestId: uuidv4() };
      const forms = await withDatabase(settings(), async (sql) => {
        const found = await formsOfRespondent(sql, respondent);
        if (confirm) for (const form of found) await eraseRespondent(sql, actor, respondent, form);
        return found;
      });
      const total = forms.reduce((sum, { submissions }) => sum + submissions, 0);
      print(
        json,
        { respondentId: respondent, erased: confirm, submissions: total, forms },
        ...forms.map(({ formId, submissions }) => `form ${formId}: ${submissions} submissions`),
        confirm ? `${total} submissions erased` : `${total} submissions found; --confirm erases them`,
      );
    });
}
