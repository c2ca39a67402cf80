/** The team's sign-in connections: identity providers by which its people sign in. */
import type { Deps } from "../../platform/deps.ts";
import { assertShape } from "../../platform/http/body.ts";
import { uuidParam } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { roles } from "../../resources/operators/roles.ts";
import {
  changeConnection,
  connectionUrls,
  createConnection,
  listConnections,
  NewConnection,
  removeConnection,
  type SignInConnection,
} from "../../resources/operators/sign-in-connections.ts";
import { Checkbox, Input, Notice, Select } from "../ui/controls.tsx";
import { Command, Time } from "../ui/text.tsx";
import { Confirm } from "./confirm.tsx";
import { onGet, onPost, type View } from "./handler.ts";
import { mayEverywhere, type Page, PostForm, refusedPage, useSession } from "./layout.tsx";
import { Empty } from "./list-page.tsx";
import { NewPage } from "./new-page.tsx";
import type { Session } from "./session.ts";
import { text } from "./text.ts";

const words = text.connections;
const path = "/console/connections";
const create = () => ({ href: `${path}/new`, label: words.create });

/** Groups that the page asks for; the command takes more. */
const groupRows = [0, 1, 2, 3];

/** What may change later. */
const Choices = ({
  scope,
  isRequired,
  acceptsAgents,
}: {
  scope?: string;
  isRequired: boolean;
  acceptsAgents: boolean;
}) => (
  <>
    <Checkbox
      name="required"
      scope={scope}
      label={words.required}
      hint={words.requiredHint}
      checked={isRequired}
    />
    <Checkbox
      name="agents"
      scope={scope}
      label={words.agents}
      hint={words.agentsHint}
      checked={acceptsAgents}
    />
  </>
);

const chosen = (values: URLSearchParams) => ({
  isRequired: values.has("required"),
  acceptsAgents: values.has("agents"),
});

const mayManage = (session: Session): boolean => mayEverywhere(session, "sign_in_connection.created");

const Connection = ({ connection, deps }: { connection: SignInConnection; deps: Deps }) => {
  const { id, name, issuer, emailDomains, isRequired, acceptsAgents, createdAt } = connection;
  const { signInUrl, redirectUri, backChannelLogoutUri } = connectionUrls(deps.config, id);
  const { workspaces } = useSession();
  return (
    <li>
      <div>
        <strong dir="auto">{name}</strong>
        <small dir="auto">{issuer}</small>
        <small>{words.domainsOf(emailDomains.join(", "))}</small>
        {connection.roles.map(({ group, workspaceId, role }) => (
          <small key={`${group} ${workspaceId}`} dir="auto">
            {words.gives(
              group === "*" ? words.everybody : group,
              workspaces.find((each) => each.id === workspaceId)?.name ?? workspaceId,
              text.roles[role],
            )}
          </small>
        ))}
        <small>{isRequired ? words.isRequired : words.isOptional}</small>
        {acceptsAgents && <small>{words.acceptsAgents}</small>}
        <small>
          {words.since} <Time at={createdAt} />
        </small>
        <details>
          <summary aria-label={words.urlsOf(name)}>{words.urls}</summary>
          <dl class="facts">
            <dt>{words.signInUrl}</dt>
            <dd>
              <code>{signInUrl}</code>
            </dd>
            <dt>{words.redirectUri}</dt>
            <dd>
              <code>{redirectUri}</code>
            </dd>
            <dt>{words.logoutUri}</dt>
            <dd>
              <code>{backChannelLogoutUri}</code>
            </dd>
          </dl>
        </details>
        <details>
          <summary aria-label={words.changeOf(name)}>{words.change}</summary>
          <PostForm action={`${path}/change`} class="stacked">
            <Choices scope={`${id}-`} isRequired={isRequired} acceptsAgents={acceptsAgents} />
            <p class="quiet">{words.changeHint}</p>
            <button type="submit" name="connection" value={id}>
              {words.changeSubmit}
            </button>
          </PostForm>
        </details>
      </div>
      <Confirm
        label={words.remove}
        accessibleLabel={words.removeOf(name)}
        action={`${path}/remove`}
        hint={words.removeHint}
        confirm={words.removeConfirm}
        name="connection"
        value={id}
      />
    </li>
  );
};

interface ListProps {
  deps: Deps;
  connections: SignInConnection[];
  message?: string | undefined;
}

const Connections = ({ deps, connections, message }: ListProps) => (
  <>
    <div class="heading">
      <h1>{text.connectionsTitle}</h1>
      {connections.length > 0 && (
        <a class="button small" href={create().href}>
          {words.create}
        </a>
      )}
    </div>
    {message && <Notice kind="error">{message}</Notice>}
    <p class="quiet">{words.hint}</p>
    {connections.length === 0 ? (
      <Empty message={words.none} action={create()} />
    ) : (
      <ul class="rows">
        {connections.map((connection) => (
          <Connection key={connection.id} connection={connection} deps={deps} />
        ))}
      </ul>
    )}
    <details>
      <summary>{words.wayBack}</summary>
      <p>{words.wayBackHint}</p>
      <Command lines={["formd operator set-password --email ada@example.org"]} />
    </details>
  </>
);

const GroupRow = ({ values, row }: { values: URLSearchParams; row: number }) => {
  const { workspaces } = useSession();
  const of = (name: string) => values.getAll(name)[row];
  return (
    <fieldset>
      <legend>{words.groupRow(row + 1)}</legend>
      <Input
        name="group"
        scope={`${row}-`}
        label={words.group}
        hint={row === 0 && words.groupHint}
        value={of("group") ?? ""}
      />
      <Select
        name="workspaceId"
        scope={`${row}-`}
        label={text.workspace}
        value={of("workspaceId")}
        choices={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Select
        name="role"
        scope={`${row}-`}
        label={text.operators.role}
        value={of("role")}
        choices={roles.map((role) => ({ value: role, label: text.roles[role] }))}
      />
    </fieldset>
  );
};

const NewConnectionForm = ({
  values,
  provisionalRedirectUri,
  message,
}: {
  values: URLSearchParams;
  provisionalRedirectUri: string;
  message?: string | undefined;
}) => {
  const value = (name: string) => values.get(name) ?? "";
  return (
    <NewPage
      title={words.create}
      message={message}
      intro={words.createHint(provisionalRedirectUri)}
      action={`${path}/new`}
      submit={words.createSubmit}
      cancel={path}
    >
      <Input name="name" label={words.name} hint={words.nameHint} value={value("name")} required />
      <Input
        name="issuer"
        type="url"
        label={words.issuer}
        hint={words.issuerHint}
        value={value("issuer")}
        required
      />
      <Input
        name="clientId"
        label={words.clientId}
        hint={words.clientIdHint}
        value={value("clientId")}
        required
      />
      <Input
        name="clientSecret"
        type="password"
        label={words.clientSecret}
        hint={words.clientSecretHint}
        required
      />
      <Input
        name="domains"
        label={words.domains}
        hint={words.domainsHint}
        value={value("domains")}
        required
      />
      <Input
        name="groupsClaim"
        label={words.groupsClaim}
        hint={words.groupsClaimHint}
        value={value("groupsClaim") || "groups"}
        required
      />
      {groupRows.map((row) => (
        <GroupRow key={row} values={values} row={row} />
      ))}
      <Choices {...chosen(values)} />
    </NewPage>
  );
};

/** What a form post enters; a row without a group is none. */
function entered(values: URLSearchParams) {
  const [workspaceIds, given] = [values.getAll("workspaceId"), values.getAll("role")];
  return {
    ...Object.fromEntries(
      ["name", "issuer", "clientId", "clientSecret", "groupsClaim"].map((name) => [
        name,
        values.get(name)?.trim(),
      ]),
    ),
    emailDomains: (values.get("domains") ?? "")
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
    roles: values
      .getAll("group")
      .map((group, row) => ({ group: group.trim(), workspaceId: workspaceIds[row], role: given[row] }))
      .filter(({ group }) => group !== ""),
    ...chosen(values),
  };
}

const idOf = (values: URLSearchParams) =>
  uuidParam({ connection: values.get("connection") ?? "" }, "connection");

export const connectionsPages = (deps: Deps) => {
  const { sql } = deps;
  const listPage = async ({ session }: View, message?: string): Promise<Page> =>
    mayManage(session)
      ? {
          title: text.connectionsTitle,
          section: "connections",
          content: (
            <Connections
              deps={deps}
              connections={await listConnections(sql, session.team)}
              message={message}
            />
          ),
        }
      : refusedPage("connections", words.adminsOnly);
  const newPage = (session: Session, values: URLSearchParams, message?: string): Page =>
    mayManage(session)
      ? {
          title: words.create,
          section: "connections",
          content: (
            <NewConnectionForm
              values={values}
              provisionalRedirectUri={`${deps.config.BASE_URL}/console`}
              message={message}
            />
          ),
        }
      : refusedPage("connections", words.adminsOnly);
  return {
    list: onGet(deps, (view) => listPage(view)),
    newConnection: onGet(deps, async ({ session }) => newPage(session, new URLSearchParams({ group: "*" }))),
    create: onPost(
      deps,
      async ({ session, values, actor }) => {
        // Before a request is sent to the issuer that was entered.
        if (!mayManage(session)) throw new Problem("insufficient_workspace_role");
        const given = assertShape(entered(values), NewConnection, "bad_request");
        await createConnection(deps, actor, session.team, given);
        return { to: path, text: words.created };
      },
      async ({ session, values, message }) => newPage(session, values, message),
      { isRisky: true, passkey: "asked" },
    ),
    change: onPost(
      deps,
      async ({ session, values, actor }) => {
        await changeConnection(sql, actor, session.team, idOf(values), chosen(values));
        return { to: path, text: text.saved };
      },
      (retry) => listPage(retry, retry.message),
      { isRisky: true, passkey: "asked" },
    ),
    remove: onPost(
      deps,
      async ({ session, values, actor }) => {
        await removeConnection(sql, actor, session.team, idOf(values));
        return { to: path, text: words.removed };
      },
      (retry) => listPage(retry, retry.message),
      { isRisky: true },
    ),
  };
};
