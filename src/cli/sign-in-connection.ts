/** `formd sign-in-connection create | list | change | remove`. */
import { InvalidArgumentError, Option } from "commander";
import { cliActor } from "../platform/auth/actor.ts";
import { listOf } from "../platform/config.ts";
import { assertShape } from "../platform/http/body.ts";
import {
  ConnectionScopes,
  changeConnection,
  connectionUrls,
  createConnection,
  listConnections,
  NewConnection,
  removeConnection,
  type SignInConnection,
} from "../resources/operators/sign-in-connections.ts";
import { openMasterKey, openMigratedDatabase, withDatabase } from "./database.ts";
import { type CliCommand, firstLineOf, requireUuid, type Settings } from "./options.ts";

interface CreateOptions {
  team?: string;
  installation?: boolean;
  name: string;
  issuer: string;
  clientId: string;
  clientSecretFile: string;
  domains: string[];
  groupsClaim: string;
  scopes?: string[];
  role: { group: string; workspaceId: string; role: string }[];
  required?: boolean;
  acceptAgents?: boolean;
}

/** Parses `GROUP=WORKSPACE:ROLE`. A group may contain any character. */
function roleOf(text: string, before: CreateOptions["role"] = []): CreateOptions["role"] {
  const [, group, workspaceId, role] = /^(.+)=([^=:]+):(\w+)$/.exec(text) ?? [];
  if (!group || !workspaceId || !role)
    throw new InvalidArgumentError(
      "It must be GROUP=WORKSPACE_ID:ROLE, such as staff=…:editor; *: everybody.",
    );
  return [...before, { group, workspaceId: requireUuid(workspaceId), role }];
}

const scopesOption = () =>
  new Option(
    "--scopes <scopes>",
    "comma-separated: asked for beside openid, email and profile; '': groups if the provider offers it",
  ).argParser(listOf);

export function signInConnectionCommand(root: CliCommand, settings: Settings): void {
  const group = root
    .command("sign-in-connection")
    .description("identity providers (OpenID Connect) by which persons sign in to the console");
  group
    .command("create")
    .description("trust an identity provider, for a team or for the installation")
    .addOption(new Option("--team <id>", "the team that trusts it").argParser(requireUuid))
    .addOption(new Option("--installation", "for all teams").conflicts("team"))
    .requiredOption("--name <name>", "its name on the sign-in page")
    .requiredOption("--issuer <url>", "its issuer, without /.well-known/openid-configuration")
    .requiredOption("--client-id <id>", "formd's client id there")
    .requiredOption(
      "--client-secret-file <path>",
      "a file whose first line is the client secret; -: standard input",
    )
    .requiredOption(
      "--domains <domains>",
      "comma-separated: only verified e-mail addresses of these may sign in",
      listOf,
    )
    .requiredOption(
      "--role <group=workspace:role>",
      "the role of a group's members, *: of everybody; may be given several times",
      roleOf,
    )
    .option("--groups-claim <name>", "the claim that has a person's groups", "groups")
    .addOption(scopesOption())
    .option("--required", "refuse passwords and passkeys of these domains")
    .option("--accept-agents", "let it say for which person an agent acts (ID-JAG)")
    .prints(async (options: CreateOptions) => {
      const { team, installation, domains, clientSecretFile, role, ...rest } = options;
      const {
        required: isRequired = false,
        acceptAgents: acceptsAgents = false,
        scopes = [],
        ...given
      } = rest;
      if (!team && !installation) throw new Error("one of --team and --installation is needed");
      const clientSecret = await firstLineOf(clientSecretFile);
      const emailDomains = domains.map((domain) => domain.toLowerCase());
      const entered = {
        ...given,
        clientSecret,
        emailDomains,
        scopes,
        roles: role,
        isRequired,
        acceptsAgents,
      };
      const connection = assertShape(entered, NewConnection, "bad_request");
      const config = settings();
      await using database = await openMigratedDatabase(config, { asOwner: true, mayCreate: false });
      const masterKey = await openMasterKey(config, database);
      const deps = { sql: database.sql, config, masterKey };
      const { id } = await createConnection(deps, cliActor, team ?? null, connection);
      const urls = connectionUrls(config, id);
      return [
        { id, ...urls },
        `${id}   the identity provider needs:`,
        `redirect URI              ${urls.redirectUri}`,
        `back-channel logout URI   ${urls.backChannelLogoutUri}`,
        `persons sign in at        ${urls.signInUrl}`,
      ];
    });
  group
    .command("list")
    .description("the connections, oldest first")
    .option("--team <id>", "only in this team", requireUuid)
    .prints(async ({ team }: { team?: string }) => {
      const connections = await withDatabase(settings(), (sql) => listConnections(sql, team));
      const line = (of: SignInConnection) =>
        [
          ...[of.id, of.teamId ?? "installation"],
          `${of.isRequired ? "required" : "optional"}${of.acceptsAgents ? ",agents" : ""}`,
          ...[of.emailDomains.join(","), of.issuer, of.name],
        ].join("  ");
      return [{ connections }, ...connections.map(line)];
    });
  group
    .command("change")
    .description("change whether passwords are refused, whether it names persons for agents, and the scopes")
    .argument("<id>", "the connection", requireUuid)
    .addOption(scopesOption())
    .option("--required", "refuse passwords and passkeys of its domains")
    .option("--no-required", "take passwords and passkeys of its domains again")
    .option("--accept-agents", "let it say for which person an agent acts (ID-JAG)")
    .option("--no-accept-agents", "no more; ends the sessions of agents for its persons")
    .prints(async (id: string, { required, acceptAgents, scopes }: Partial<CreateOptions>) => {
      const change = {
        isRequired: required ?? null,
        acceptsAgents: acceptAgents ?? null,
        scopes: scopes ? assertShape(scopes, ConnectionScopes, "bad_request") : null,
      };
      await withDatabase(settings(), (sql) => changeConnection(sql, cliActor, null, id, change));
      return [{ id, ...change }, `${id} is changed`];
    });
  group
    .command("remove")
    .description("remove a connection, with the accounts of the persons whom it vouches for")
    .argument("<id>", "the connection", requireUuid)
    .prints(async (id: string) => {
      await withDatabase(settings(), (sql) => removeConnection(sql, cliActor, null, id));
      return [{ id, removed: true }, `${id} is removed, with its accounts`];
    });
}
