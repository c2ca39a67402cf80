/** `formd operator create | list | set-password | reset-link | remove-passkeys | remove`. */
import { Option } from "commander";
import { limits } from "../limits.ts";
import { cliActor } from "../platform/auth/actor.ts";
import type { Sql } from "../platform/database/db.ts";
import { isMailOn } from "../platform/mail/smtp.ts";
import { toProblem } from "../problem.ts";
import {
  endInvitation,
  findInvitations,
  inviteOperator,
  type OpenInvitationEntry,
} from "../resources/operators/invitations.ts";
import type { NewOperator, OperatorEntry } from "../resources/operators/operators.ts";
import { addOperator, listOperators, operatorOf, removeOperator } from "../resources/operators/operators.ts";
import { removePasskeys } from "../resources/operators/passkeys.ts";
import {
  findEntries,
  type KnownEntries,
  makeResetLink,
  setPassword,
} from "../resources/operators/passwords.ts";
import { roles } from "../resources/operators/roles.ts";
import { teamOf, withDatabase } from "./database.ts";
import { type CliCommand, type PasswordOptions, passwordOf, requireUuid, type Settings } from "./options.ts";

export function operatorCommand(root: CliCommand, settings: Settings): void {
  const group = root.command("operator").description("operators, who sign in to the console");
  group
    .command("create")
    .description(
      `invite a person to a role in a workspace by a link that works once, for ${limits.operator.invitationDays} days; a role there already is changed`,
    )
    .requiredOption("--email <email>", "the person's e-mail")
    .requiredOption("--workspace <id>", "the workspace", requireUuid)
    .addOption(new Option("--role <role>", "in that workspace").choices(roles).makeOptionMandatory())
    .takesPassword("the", "for scripts: makes the account at once")
    .prints(async (options: Omit<NewOperator, "password"> & PasswordOptions) => {
      const { email, role, workspace } = options;
      const password = await passwordOf(options);
      const { BASE_URL: baseUrl } = settings();
      const created = await withDatabase(settings(), async (sql) => {
        const team = await teamOf(sql, "workspace", workspace);
        if (password === undefined) {
          const invited = await inviteOperator(sql, cliActor, { team, baseUrl }, { workspace, email, role });
          const entries = await findEntries(sql, email);
          return { ...invited, role, ...(entries && { entries }) };
        }
        const { id } = await addOperator(sql, cliActor, team, { workspace, email, role, password });
        return { id, email: email.toLowerCase(), role, link: null, expiresAt: null };
      });
      const note = created.link
        ? `is invited as ${role}: send this link, which works once, until ${created.expiresAt?.toISOString()}\n${created.link}`
        : `is ${role}`;
      return [created, `${created.email} ${note}`, ...entriesNote("entries" in created && created.entries)];
    });
  group
    .command("list")
    .description("operators and their roles, by e-mail, and open invitations")
    .option("--team <id>", "only operators and invitations of this team", requireUuid)
    .prints(async ({ team }: { team?: string }) => {
      const { operators, invitations } = await withDatabase(settings(), async (sql) => ({
        operators: await listOperators(sql, team ?? null),
        invitations: await findInvitations(sql, { team }),
      }));
      const line = ({ id, email, roles }: OperatorEntry) =>
        `${id}  ${email}  ${roles.map(({ workspaceId, role }) => `${role} in ${workspaceId}`).join(", ")}`;
      const invited = ({ id, email, role, workspaceId, expiresAt }: OpenInvitationEntry) =>
        `${id}  ${email}  invited as ${role} in ${workspaceId} until ${expiresAt.toISOString()}`;
      return [{ operators, invitations }, ...operators.map(line), ...invitations.map(invited)];
    });
  group
    .command("set-password")
    .description("replace an operator's password, remove the passkeys and end the sessions")
    .requiredOption("--email <email>", "the operator's e-mail")
    .takesPassword("the", "default: one is generated and shown")
    .prints(async ({ email, ...options }: PasswordOptions & { email: string }) => {
      const given = await passwordOf(options);
      const isMailed = isMailOn(settings());
      const { id, passkeys, sessions, password } = await withDatabase(settings(), (sql) =>
        setPassword(sql, cliActor, { email, password: given, isMailed }),
      );
      return [
        { id, passkeysRemoved: passkeys, sessionsEnded: sessions, ...(given === undefined && { password }) },
        `${email}   ${passwordNote(given === undefined ? password : undefined)}`,
        `removed passkeys: ${passkeys.join(", ") || "none"}; ended sessions: ${sessions}`,
      ];
    });
  group
    .command("reset-link")
    .description(
      `make a link by which an operator chooses a new password; it works once, for ${limits.operator.resetMinutes} minutes`,
    )
    .requiredOption("--email <email>", "the operator's e-mail")
    .prints(async ({ email }: { email: string }) => {
      const { BASE_URL: baseUrl } = settings();
      const made = await withDatabase(settings(), async (sql) =>
        makeResetLink(sql, cliActor, { team: null, baseUrl }, await operatorOf(sql, email)),
      );
      return [made, `${made.link}\n(works once, until ${made.expiresAt.toISOString()})`];
    });
  group
    .command("remove-passkeys")
    .description(
      "remove the passkeys of an operator who has lost them, and end the sessions; the password goes on working",
    )
    .requiredOption("--email <email>", "the operator's e-mail")
    .prints(async ({ email }: { email: string }) => {
      const removed = await withDatabase(settings(), (sql) => removePasskeys(sql, cliActor, email));
      return [{ removed }, `${email}   ${removed} passkeys are removed, and all sessions have ended`];
    });
  group
    .command("remove")
    .description("take a person's roles away, end the sessions in their teams, and end open invitations")
    .requiredOption("--email <email>", "the operator's or invited person's e-mail")
    .option("--workspace <id>", "only the role in, and the invitation to, this workspace", requireUuid)
    .prints(async ({ email, workspace }: { email: string; workspace?: string }) => {
      const { id, ended } = await withDatabase(settings(), async (sql) => {
        // Before the roles: what is accepted meanwhile has become a role.
        const ended = await endInvitations(sql, email, workspace);
        const removed = removeOperator(sql, cliActor, email, workspace ?? null);
        const { id } = ended === 0 ? await removed : ((await ifExists(removed)) ?? { id: null });
        return { id, ended };
      });
      return [
        { id, invitationsEnded: ended },
        `${email} is removed${workspace ? ` from ${workspace}` : ""}; ended invitations: ${ended}`,
      ];
    });
}

/** @returns undefined for a problem `not_found` */
const ifExists = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: unknown) => {
    if (toProblem(error).code !== "not_found") throw error;
    return undefined;
  });

/** Ends the open invitations of an address. @returns their number */
async function endInvitations(sql: Sql, email: string, workspace: string | undefined): Promise<number> {
  const open = await findInvitations(sql, { email, workspace });
  for (const { teamId, workspaceId, id } of open)
    await ifExists(endInvitation(sql, cliActor, teamId, workspaceId, id));
  return open.length;
}

/** Lines on what can enter an account that gets a role: a thief among it would get the role as well. */
export const entriesNote = (entries: KnownEntries | false | undefined): string[] =>
  entries
    ? [
        `This account can be entered by the password chosen at ${entries.passwordSetAt.toISOString()}; passkeys: ${entries.passkeys.join(", ") || "none"}; sessions: ${entries.sessions}`,
        'If its person does not know all of them, make a link with "formd operator reset-link --email": its use ends them.',
      ]
    : [];

/** Shows only a generated password: a given one is known, and an existing operator keeps the previous one. */
export const passwordNote = (password: string | undefined, otherwise = "(password is set)"): string =>
  password ? `password ${password}` : otherwise;
