/** The team's sign-in connections: identity providers by which its people sign in. */
import { type } from "arktype";
import type { Deps } from "../../../platform/deps.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import * as resource from "../../../resources/operators/sign-in-connections.ts";
import { choicesOfNames, Input, Select } from "../../ui/controls.tsx";
import { Command, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { checkbox, type FormControl, formOf, sent, textInput, Wrong } from "../frame/form.tsx";
import { type FormPost, namedBy, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { Facts, mayEverywhere, refusedPage, sectionPage, useRefused, useSession } from "../frame/layout.tsx";
import { Empty, ListPage } from "../frame/list-page.tsx";
import { Confirm, FoldedForm, newItemPage } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { peopleText } from "./words.ts";

const words = peopleText.connections;
const path = "/console/connections";
const create = () => ({ href: `${path}/new`, label: words.create });

/** Groups that the page asks for beside the first one; the command takes more. */
const moreGroups = [1, 2, 3];

const listIn = (text: string | null): string[] => text?.match(/[^\s,;]+/g) ?? [];
const Scopes = type.string.narrow((text) => resource.ConnectionScopes.allows(listIn(text)));

/** Controls of settings that may change later. */
const choices = ({ isRequired, acceptsAgents, scopes = [] }: Partial<resource.SignInConnection> = {}) => ({
  scopes: textInput({
    label: words.scopes,
    hint: words.scopesHint,
    shape: Scopes,
    value: scopes.join(", "),
  }),
  required: checkbox({ label: words.required, hint: words.requiredHint, checked: isRequired }),
  agents: checkbox({ label: words.agents, hint: words.agentsHint, checked: acceptsAgents }),
});

const connectionForm = formOf({ connection: sent(Uuid) });
const changeForm = (connection?: resource.SignInConnection) =>
  formOf({ ...connectionForm.controls, ...choices(connection) }, { scopedBy: "connection" });

const mayManage = (session: Session): boolean => mayEverywhere(session, "sign_in_connection.created");

const Connection = ({ connection, deps }: { connection: resource.SignInConnection; deps: Deps }) => {
  const { id, name, issuer, emailDomains, isRequired, acceptsAgents, createdAt } = connection;
  const { signInUrl, redirectUri, backChannelLogoutUri } = resource.connectionUrls(deps.config, id);
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
        {connection.scopes.length > 0 && <small>{words.asksFor(connection.scopes.join(", "))}</small>}
        <small>
          {frameText.added} <Time at={createdAt} />
        </small>
        <details>
          <summary aria-label={words.urlsOf(name)}>{words.urls}</summary>
          <Facts
            items={[
              [words.signInUrl, <code>{signInUrl}</code>],
              [words.redirectUri, <code>{redirectUri}</code>],
              [words.logoutUri, <code>{backChannelLogoutUri}</code>],
            ]}
          />
        </details>
        <FoldedForm
          isPanel
          label={words.change}
          accessibleLabel={words.changeOf(name)}
          intro={words.changeHint}
          action={`${path}/change`}
          form={changeForm(connection)}
          fields={{ connection: id }}
          submit={frameText.save}
        />
      </div>
      <Confirm
        label={frameText.remove}
        accessibleLabel={frameText.removeOf(name)}
        action={`${path}/remove`}
        hint={words.removeHint}
        confirm={words.removeConfirm}
        fields={{ connection: id }}
      />
    </li>
  );
};

const Connections = ({ deps, connections }: { deps: Deps; connections: resource.SignInConnection[] }) => (
  <ListPage
    title={frameText.sections.connections}
    create={create()}
    intro={words.hint}
    items={connections}
    path={path}
    none={<Empty picture="key" message={words.none} action={create()} />}
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

const GroupRow = ({ row }: { row: number }) => {
  // Marks wrong groups at the first row.
  const own = { index: row, ...(row > 0 && { scope: `${row}-`, error: "", invalid: false }) };
  const workspaces = choicesOfNames(useSession().workspaces);
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
      <Select {...own} name="workspaceId" label={frameText.workspace} choices={workspaces} />
      <Select {...own} name="role" label={peopleText.operators.role} choices={frameText.roles} />
    </fieldset>
  );
};

const GroupRows = () => (
  <>
    <GroupRow row={0} />
    <details open={useRefused()?.values.getAll("group").slice(1).some(Boolean)}>
      <summary>{words.moreGroups}</summary>
      {moreGroups.map((row) => (
        <GroupRow key={row} row={row} />
      ))}
    </details>
  </>
);

/** Roles by group. A row without a group is ignored. */
const groupRoles: FormControl<typeof resource.NewConnection.infer.roles> = {
  draw: () => <GroupRows />,
  read: (values) => {
    const [workspaces, given] = [values.getAll("workspaceId"), values.getAll("role")];
    const rows = values
      .getAll("group")
      .map((group, row) => ({ group: group.trim(), workspaceId: workspaces[row], role: given[row] }))
      .filter(({ group }) => group !== "");
    const { missing, wrong } = frameText.controls;
    const read = resource.NewConnection.get("roles")(rows);
    return read instanceof type.errors ? new Wrong((rows.length > 0 ? wrong : missing)(words.group)) : read;
  },
};

const domainsIn = (text: string): string[] => listIn(text.toLowerCase());
const Domains = type.string.narrow((text) =>
  resource.NewConnection.get("emailDomains").allows(domainsIn(text)),
);

type TextName = "name" | "issuer" | "clientId" | "clientSecret" | "domains" | "groupsClaim";

const requiredText = (name: TextName, more: { type?: "url" | "password"; value?: string } = {}) => {
  const shape = name === "domains" ? Domains : resource.NewConnection.get(name);
  return textInput({ label: words[name], hint: words[`${name}Hint`], shape, required: true, ...more });
};

const newForm = () =>
  formOf(
    {
      name: requiredText("name"),
      issuer: requiredText("issuer", { type: "url" }),
      clientId: requiredText("clientId"),
      clientSecret: requiredText("clientSecret", { type: "password" }),
      domains: requiredText("domains"),
      groupsClaim: requiredText("groupsClaim", { value: "groups" }),
      group: groupRoles,
      ...choices(),
    },
    {
      about: {
        address_https_only: "issuer",
        address_not_public: "issuer",
        issuer_not_plain: "issuer",
        provider_not_found: "issuer",
        url_not_https: "issuer",
      },
    },
  );

const listPage = async ({ deps, session }: PageContext) => {
  if (!mayManage(session)) return refusedPage("connections", words.adminsOnly);
  const connections = await resource.listConnections(deps.sql, session.team);
  return sectionPage("connections", <Connections deps={deps} connections={connections} />);
};

const newPage = (view: PageContext) => {
  if (!mayManage(view.session)) return refusedPage("connections", words.adminsOnly);
  const intro = words.createHint(`${view.deps.config.BASE_URL}/console`);
  const end = { intro, submit: words.createSubmit, cancel: path };
  return newItemPage("connections", { title: words.create, action: `${path}/new`, form: newForm(), ...end });
};

const connectionName = async ({ deps, session, values }: FormPost) => {
  const connections = await resource.listConnections(deps.sql, session.team);
  return connections.find(({ id }) => id === values.get("connection"))?.name ?? "";
};

export const connectionsPages = {
  list: onGet(listPage),
  newPage: onGet(newPage),
  create: onPost(
    { act: "sign_in_connection.created", nameOf: namedBy("name"), form: newForm, retry: newPage },
    async ({ deps, session, data, actor }) => {
      // Before a request is sent to the issuer that was entered.
      if (!mayManage(session)) throw new Problem("insufficient_workspace_role");
      const { domains, group: roles, required: isRequired, agents: acceptsAgents, scopes, ...texts } = data;
      const lists = { emailDomains: domainsIn(domains), scopes: listIn(scopes), roles };
      const given = { ...texts, ...lists, isRequired, acceptsAgents };
      await resource.createConnection(deps, actor, session.team, given);
      return { to: path, text: words.created };
    },
  ),
  change: onPost(
    { act: "sign_in_connection.changed", nameOf: connectionName, form: () => changeForm(), retry: listPage },
    async ({ deps, session, data: { connection, required, agents, scopes }, actor }) => {
      const change = { isRequired: required, acceptsAgents: agents, scopes: listIn(scopes) };
      await resource.changeConnection(deps.sql, actor, session.team, connection, change);
      return { to: path, text: frameText.saved };
    },
  ),
  remove: onPost(
    { act: "sign_in_connection.removed", nameOf: connectionName, form: connectionForm, retry: listPage },
    async ({ deps, session, data, actor }) => {
      await resource.removeConnection(deps.sql, actor, session.team, data.connection);
      return { to: path, text: words.removed };
    },
  ),
} satisfies Handlers;
