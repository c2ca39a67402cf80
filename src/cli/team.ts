/** `formd team list | retention`. */
import { Option } from "commander";
import { cliActor } from "../platform/auth/actor.ts";
import { RetentionRule } from "../resources/forms/settings.ts";
import { setTeamRetention } from "../resources/retention/retention.ts";
import { listTeams } from "../resources/teams/teams.ts";
import { withDatabase } from "./database.ts";
import { type CliCommand, requireUuid, type Settings, textLike } from "./options.ts";

/** Parses a duration. @throws {InvalidArgumentError} with the expected format. */
const requireDuration = textLike(
  (text) => RetentionRule.allows({ deleteAfter: text }),
  "such as P90D, P6M or P1Y",
);

type RetentionOptions = { deleteAfter?: string; from: "created" | "completed"; keep?: boolean };

export function teamCommand(root: CliCommand, settings: Settings): void {
  const group = root.command("team").description("tenants; formd bootstrap creates one");
  group
    .command("list")
    .description("every team, oldest first")
    .prints(async () => {
      const teams = await withDatabase(settings(), listTeams);
      return [{ teams }, ...teams.map(({ id, name }) => `${id}  ${name}`)];
    });
  group
    .command("retention")
    .description("show or set when submissions are deleted, for the forms that have no rule of their own")
    .argument("<team_id>", "the team", requireUuid)
    .addOption(
      new Option("--delete-after <time>", "whole days, weeks, months or years: P90D, P1Y")
        .argParser(requireDuration)
        .conflicts("keep"),
    )
    .addOption(
      new Option("--from <moment>", "from which moment on")
        .choices(["created", "completed"])
        .default("created"),
    )
    .option("--keep", "remove the rule: nothing is deleted by age")
    .prints(async (id: string, { deleteAfter, from, keep }: RetentionOptions) => {
      const rule = deleteAfter === undefined ? null : { deleteAfter, from };
      const team = await withDatabase(settings(), async (sql) => {
        if (rule || keep) await setTeamRetention(sql, cliActor, id, rule);
        return (await listTeams(sql)).find((each) => each.id === id);
      });
      if (!team) throw new Error("There is no such team.");
      const { retention } = team;
      return [
        { team: { id, retention } },
        retention
          ? `deleted ${retention.deleteAfter} after they are ${retention.from ?? "created"}`
          : "kept until they are deleted",
      ];
    });
}
