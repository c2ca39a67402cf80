/** The team's sign-in connections: identity providers by which its people sign in. */
import { type } from "arktype";
import type { Deps } from "../../../platform/deps.ts";
import { Problem } from "../../../problem.ts";
import {
  changeConnection,
  connectionUrls,
  createConnection,
  listConnections,
  NewConnection,
  removeConnection,
  type SignInConnection,
} from "../../../resources/operators/sign-in-connections.ts";
import { Checkbox, choicesOfNames, Input, Select, Submit } from "../../ui/controls.tsx";
import { Command, Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { idIn, onGet, onPost, type View } from "../frame/handler.ts";
import {
  type ConsolePage,
  Facts,
  mayEverywhere,
  PostForm,
  refusedPage,
  useRefused,
  useSession,
} from "../frame/layout.tsx";
import { Empty, ListPage } from "../frame/list-page.tsx";
import { NewPage } from "../frame/new-page.tsx";
import type { Session } from "../frame/session.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { frameText } from "../frame/words.ts";
import { peopleText } from "./words.ts";

const words = peopleText.connections;
const path = "/console/connections";
const create = () => ({ href: `${path}/new`, label: words.create });

/** Groups that the page asks for beside the first one; the command takes more. */
const moreGroups = [1, 2, 3];

/** What may change later. */
const Choices = ({ id, isRequired, acceptsAgents }: Partial<SignInConnection>) => {
  const of = { ...(id && { scope: `${id}-` }) };
  const { required, requiredHint, agents, agentsHint } = words;
  return (
    <>
      <Checkbox {...of} name="required" label={required} hint={requiredHint} checked={isRequired} />
      <Checkbox {...of} name="agents" label={agents} hint={agentsHint} checked={acceptsAgents} />
    </>
  );
};

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
              frameText.roles[role],
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
          <Facts
            of={[
              [words.signInUrl, <code>{signInUrl}</code>],
              [words.redirectUri, <code>{redirectUri}</code>],
              [words.logoutUri, <code>{backChannelLogoutUri}</code>],
            ]}
          />
        </details>
        <details>
          <summary aria-label={words.changeOf(name)}>{words.change}</summary>
          <PostForm action={`${path}/change`} class="stacked">
            <Choices {...connection} />
            <p class="quiet">{words.changeHint}</p>
            <Submit name="connection" value={id} label={words.changeSubmit} />
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
}

const Connections = ({ deps, connections }: ListProps) => (
  <ListPage
    title={frameText.connectionsTitle}
    create={create()}
    intro={<p class="quiet">{words.hint}</p>}
    items={connections}
    path={path}
    none={<Empty message={words.none} action={create()} />}
    after={
      <details>
        <summary>{words.wayBack}</summary>
        <p>{words.wayBackHint}</p>
        <Command lines={["formd operator set-password --email ada@example.org"]} />
      </details>
    }
  >
    <ul class="rows">
      {connections.map((connection) => (
        <Connection key={connection.id} connection={connection} deps={deps} />
      ))}
    </ul>
  </ListPage>
);

/** What is entered as a text. */
const parts = ["name", "issuer", "clientId", "clientSecret", "groupsClaim"] as const;

const partOf = (name: (typeof parts)[number] | "domains" | "group") => ({
  name,
  label: words[name],
  hint: words[`${name}Hint`],
});

const GroupRow = ({ row }: { row: number }) => {
  const { workspaces } = useSession();
  const own = { index: row, scope: `${row}-` };
  return (
    <fieldset>
      <legend>{words.groupRow(row + 1)}</legend>
      <Input
        {...own}
        name="group"
        label={words.group}
        hint={row === 0 && words.groupHint}
        value={row === 0 ? "*" : ""}
      />
      <Select {...own} name="workspaceId" label={frameText.workspace} choices={choicesOfNames(workspaces)} />
      <Select {...own} name="role" label={peopleText.operators.role} choices={frameText.roles} />
    </fieldset>
  );
};

const NewConnectionForm = ({ provisionalRedirectUri }: { provisionalRedirectUri: string }) => (
  <NewPage
    title={words.create}
    intro={words.createHint(provisionalRedirectUri)}
    action={`${path}/new`}
    submit={words.createSubmit}
    cancel={path}
  >
    <Input {...partOf("name")} required />
    <Input {...partOf("issuer")} type="url" required />
    <Input {...partOf("clientId")} required />
    <Input {...partOf("clientSecret")} type="password" required />
    <Input {...partOf("domains")} required />
    <Input {...partOf("groupsClaim")} value="groups" required />
    <GroupRow row={0} />
    <details open={useRefused()?.values.getAll("group").slice(1).some(Boolean)}>
      <summary>{words.moreGroups}</summary>
      {moreGroups.map((row) => (
        <GroupRow key={row} row={row} />
      ))}
    </details>
    <Choices />
  </NewPage>
);

/** What a form post enters; a row without a group is none. */
function entered(values: URLSearchParams) {
  const [workspaceIds, given] = [values.getAll("workspaceId"), values.getAll("role")];
  return {
    ...Object.fromEntries(parts.map((name) => [name, values.get(name)?.trim()])),
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

/** @throws {TranslatedProblem} with the name and the hint of the first part that is not as expected */
function parseEntered(values: URLSearchParams): typeof NewConnection.infer {
  const given = NewConnection(entered(values));
  if (!(given instanceof type.errors)) return given;
  const wrong = String(given[0]?.path[0]);
  const { label, hint } = partOf(
    wrong === "emailDomains" ? "domains" : (parts.find((part) => part === wrong) ?? "group"),
  );
  throw new TranslatedProblem("bad_request", words.wrong(label, hint));
}

const idOf = (values: URLSearchParams) => idIn(values, "connection");

const listPage = async ({ deps, session }: View): Promise<ConsolePage> => {
  if (!mayManage(session)) return refusedPage("connections", words.adminsOnly);
  const connections = await listConnections(deps.sql, session.team);
  const content = <Connections deps={deps} connections={connections} />;
  return { title: frameText.connectionsTitle, section: "connections", content };
};

const newPage = ({ deps, session }: View): ConsolePage =>
  mayManage(session)
    ? {
        title: words.create,
        section: "connections",
        content: <NewConnectionForm provisionalRedirectUri={`${deps.config.BASE_URL}/console`} />,
      }
    : refusedPage("connections", words.adminsOnly);

export const connectionsPages = {
  list: onGet(listPage),
  newPage: onGet(newPage),
  create: onPost(
    { retry: newPage, isRisky: true, passkey: "asked" },
    async ({ deps, session, values, actor }) => {
      // Before a request is sent to the issuer that was entered.
      if (!mayManage(session)) throw new Problem("insufficient_workspace_role");
      await createConnection(deps, actor, session.team, parseEntered(values));
      return { to: path, text: words.created };
    },
  ),
  change: onPost(
    { retry: listPage, isRisky: true, passkey: "asked" },
    async ({ deps, session, values, actor }) => {
      await changeConnection(deps.sql, actor, session.team, idOf(values), chosen(values));
      return { to: path, text: frameText.saved };
    },
  ),
  remove: onPost({ retry: listPage, isRisky: true }, async ({ deps, session, values, actor }) => {
    await removeConnection(deps.sql, actor, session.team, idOf(values));
    return { to: path, text: words.removed };
  }),
} satisfies Handlers;
