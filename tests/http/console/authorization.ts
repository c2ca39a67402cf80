/** Every action of the console: on which object, with which fields, and who may do it. */
import { v7 as uuidv7 } from "uuid";
import { seenOf } from "../../../src/pages/console/translations/rows.ts";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { inviteOperator } from "../../../src/resources/operators/invitations.ts";
import type { AuditKind, Role } from "../../../src/resources/operators/roles.ts";
import { forgedProvider } from "../../identity-provider.ts";
import { addOperator, ask, makeAgent, makeForm, makeKey, type Service, type Team } from "../../setup.ts";
import { makeSigner, newKey } from "../../signing.ts";
import { hashOf } from "../../sql/fixture.ts";

export type Objects = Awaited<ReturnType<typeof makeObjects>>;
type Fields = Record<string, string | string[]>;

export interface ConsoleAct {
  /** The kind of its event says the least role; or that role, for what leaves no event. */
  needs: AuditKind | Role;
  /** Values; `:name` stands for a member of the objects. */
  fields: Fields;
  /** Brings the objects into the state that the action needs. */
  prepare?: (objects: Objects) => PromiseLike<unknown>;
}

/** Fills in the objects that a path or a field names. */
export const fill = (text: string, objects: Objects) =>
  text.replace(/:(\w+)/g, (name, key: string) => String(objects[key as keyof Objects] ?? name));

/** The fields that an action sends. */
export const sentBy = ({ fields }: ConsoleAct, objects: Objects): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" && value.startsWith(":") ? fill(value, objects) : value,
    ]),
  );

const forged = new WeakMap<Service, ReturnType<typeof forgedProvider>>();
/** An identity provider for new connections; it ends with the file of tests that has the app. */
function provider(app: Service) {
  const made = forged.get(app) ?? forgedProvider();
  forged.set(app, made);
  return made;
}

/** One of everything that an action can be on, in the team's first workspace. */
export async function makeObjects(app: Service, team: Team) {
  const { sql } = app.database;
  const api = async (method: string, path: string, body?: object) => {
    const reply = await ask(app, method, `/papi/v1${path}`, { headers: { "x-api-key": team.key }, body });
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body.data;
  };
  const form = await makeForm(
    app,
    team,
    ["a", "b"].map((id) => ({ id, type: "text", label: id, maxLength: 500 })),
    { settings: { review: { required: true }, languages: ["en", "de"] } },
  );
  const agent = await makeAgent(app, team, form, ["agent:read"]);
  const signer = await makeSigner(app, team, agent.id);
  const [grant] = await sql<{ id: string }[]>`select id from formd.grants where agent_id = ${agent.id}`;
  const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { a: "x" } },
  });
  const submission: string = submitted.body.data.id;
  // A draft that differs from what is published, in fields and in settings that wait for a person.
  const { form: draft } = await api("PATCH", `/management/forms/${form.id}`, {
    operations: [
      { op: "updateField", fieldId: "b", set: { label: "B" } },
      { op: "setMeta", settings: { review: { required: false } } },
    ],
  });
  await sql`delete from formd.webhooks where team_id = ${team.id}`;
  const webhook = await api("POST", "/management/webhooks", {
    url: "https://hooks.example.org/",
    eventTypes: ["form.published"],
    formId: form.id,
  });
  const { eventId } = await api("POST", `/management/webhooks/${webhook.webhook.id}/test`);
  const [accessKey] = await sql<{ id: string }[]>`
    select id from formd.form_access_keys where form_id = ${form.id}`;
  const { submission: stored } = await api("GET", `/management/forms/${form.id}/submissions/${submission}`);
  const operator = await addOperator(app, team.id, team.workspace, "viewer");
  const invited = `${uuidv7()}@example.org`;
  const to = { team: team.id, baseUrl: app.url };
  await inviteOperator(sql, cliActor, to, { workspace: team.workspace, email: invited, role: "viewer" });
  const [invitation] = await sql<{ id: string }[]>`
    select id from formd.operator_invitations where email = ${invited}`;
  const connection = uuidv7();
  const everybody = [{ group: "*", workspaceId: team.workspace, role: "viewer" }];
  await sql`delete from formd.sign_in_connections where team_id = ${team.id}`;
  await sql`
    select formd.sign_in_connection_create(${team.id}, '(cli,,)', ${connection}, 'Corp', 'https://id.example.org', 'formd',
      'secret', 'key', '{corp.example}', 'groups', ${sql.json(everybody)}, false)`;
  const mail = uuidv7();
  await sql`
    insert into formd.mails (team_id, id, kind, form_id, state, due_at, gives_up_at, created_at, expires_at)
    values (${team.id}, ${mail}, 'notice', ${form.id}, 'failed', now(), now(), now(), now() + interval '1 day')`;
  return {
    workspace: team.workspace,
    form_id: form.id,
    updatedAt: draft.updatedAt as string,
    submission_id: submission,
    submissionUpdatedAt: stored.updatedAt as string,
    agent_id: agent.id,
    grant: grant?.id ?? "",
    signingKey: signer.id,
    webhook_id: webhook.webhook.id as string,
    event_id: eventId as string,
    mail_id: mail,
    accessKey: accessKey?.id ?? "",
    apiKey: (await makeKey(app, team)).id,
    operator,
    operator_id: operator.id,
    email: operator.email,
    newEmail: `${uuidv7()}@example.org`,
    alias: `a${uuidv7().slice(-12)}`,
    submissionItem: `${submission} ${stored.updatedAt}`,
    now: new Date().toISOString(),
    pem: newKey().pem,
    invitation: invitation?.id ?? "",
    formInvitation: uuidv7(),
    connection,
    issuer: (await provider(app)).issuer,
    hash: hashOf(form.id),
    sql,
    team: team.id,
  };
}

const cli = "(cli,,)";
const hold = ({ sql, team, form_id }: Objects, submission: string | null) => sql`
  select from formd.hold_place(${team}, ${cli}, ${form_id}, ${submission}, 'Case 1')`;
const act = (
  needs: ConsoleAct["needs"],
  fields: Fields = {},
  prepare?: ConsoleAct["prepare"],
): ConsoleAct => ({ needs, fields, ...(prepare && { prepare }) });
const seen = { updatedAt: ":updatedAt" };
const field = (fields: Fields) => act("form.patched", { ...fields, ...seen });
const answer = { a: "x", "formd.version": "0" };
const reason = { reason: "Case 1" };
const years = { "retention.count": "20", "retention.unit": "Y" };
const person = { form: ":form_id", field: "a", value: "x" };
const workspace = ":workspace";
const hook = { url: "https://hooks.example.org/new", eventTypes: "form.published", payload: "thin" };
const decision = { decision: "approve", reason: "" };
const file = JSON.stringify({
  ...{ format: "formd/form/1", name: "File" },
  schema: { fields: [{ id: "a", type: "text", label: "Of the file" }] },
});
const form = "/console/forms/:form_id";
const submission = `${form}/submissions/:submission_id`;
const agent = "/console/agents/:agent_id";
const webhook = "/console/webhooks/:webhook_id";

/** Actions of the console, by path. */
export const consoleActs: Record<string, ConsoleAct> = {
  "/console/new-form": act("form.created", { name: "New", workspace }),
  "/console/new-form/import": act("editor", { workspace, text: file }),
  "/console/new-form/import/create": act("form.created", { workspace, content: file }),
  [`${form}/replace`]: act("editor", { text: file }),
  [`${form}/replace/apply`]: field({ content: file }),
  [`${form}/field`]: field({ id: "a", type: "text", label: "Changed" }),
  [`${form}/field/new`]: field({ type: "text", label: "New" }),
  [`${form}/field/several`]: field({ "0.label": "New" }),
  [`${form}/field/move`]: field({ id: "b", place: "1" }),
  [`${form}/field/copy`]: field({ id: "a" }),
  [`${form}/field/remove`]: field({ id: "a" }),
  [`${form}/field/restore`]: field({ definition: '{"id":"c","type":"text","label":"C"}', index: "0" }),
  [`${form}/languages`]: field({ change: "add", language: "fr" }),
  [`${form}/text`]: field({ part: "title", name: "New" }),
  [`${form}/translate`]: act("form.patched", {
    ...{ to: "de", filter: "" },
    ...{ "0.place": "fields.a.label", "0.seen": seenOf("a", ""), "0.text": "A" },
  }),
  [`${form}/translate/import`]: act("form.patched", {
    to: "de",
    file: Buffer.from("place,default,de\nfields.a.label,a,A").toString("base64"),
  }),
  [`${form}/invitations`]: act("invitations.created", { list: '[{"label":"Ada"}]' }),
  [`${form}/invitations/check`]: act("editor", { people: "ada@example.org" }),
  [`${form}/invitations/links`]: act("editor", {
    links: '[["Ada","ada@example.org","https://example.org"]]',
  }),
  [`${form}/invitations/remind`]: act("editor", { days: "3" }),
  [`${form}/invitations/revoke`]: act(
    "invitation.revoked",
    { invitation: ":formInvitation" },
    ({ sql, team, form_id, formInvitation }) => sql`
      insert into formd.invitations (team_id, form_id, id, token_hash, label, expires_at)
      values (${team}, ${form_id}, ${formInvitation}, sha256(${formInvitation}::text::bytea), 'Ada', now() + interval '1 day')
      on conflict (team_id, form_id, id) do update set state = 'open'`,
  ),
  [`${form}/preview`]: act("viewer", answer),
  [`${form}/preview/steps`]: act("viewer", answer),
  [`${form}/settings`]: act("form.settings_changed", { "availability.maxSubmissions": "5", review: "true" }),
  [`${form}/settings/unknown`]: act(
    "form.settings_changed",
    {},
    ({ sql, form_id }) => sql`
      update formd.forms set settings = settings || '{"pages": {"enabled": true}}' where id = ${form_id}`,
  ),
  [`${form}/settings/close`]: act("form.closed"),
  [`${form}/settings/open`]: act(
    "form.opened",
    {},
    ({ sql, team, form_id }) => sql`select formd.form_close(${team}, ${cli}, ${form_id})`,
  ),
  [`${form}/publish`]: act("form.published", seen),
  [`${form}/publish-settings`]: act("form.settings_published", seen),
  [`${form}/share/online`]: act("form.settings_published", seen),
  [`${form}/share/address`]: act("form.settings_published", { ...seen, alias: ":alias" }),
  [`${form}/share/site`]: act("form.settings_published", { ...seen, site: "www.example.org" }),
  [`${form}/share/feed`]: act("form.feed_made"),
  [`${form}/share/feed/end`]: act(
    "form.feed_ended",
    {},
    ({ sql, team, form_id }) => sql`
      insert into formd.form_followers (team_id, form_id, operator_id, workspace_id, feed_hash, feed_made_at)
      select r.team_id, ${form_id}, r.operator_id, r.workspace_id, sha256(gen_random_uuid()::text::bytea), now()
      from formd.workspace_roles r join formd.forms f on f.team_id = r.team_id and f.workspace_id = r.workspace_id
      where f.team_id = ${team} and f.id = ${form_id} on conflict do nothing`,
  ),
  [`${form}/share/offline`]: act(
    "form.settings_changed",
    {},
    ({ sql, form_id }) => sql`
      update formd.forms set settings = settings || '{"page": {"enabled": true}}',
        settings_in_force = settings_in_force || '{"page": {"enabled": true}}' where id = ${form_id}`,
  ),
  [`${form}/hold`]: act("form.held", reason),
  [`${form}/release`]: act("form.released", {}, (objects) => hold(objects, null)),
  [`${submission}/hold`]: act("submission.held", reason),
  [`${submission}/release`]: act("submission.released", {}, (of) => hold(of, of.submission_id)),
  [`${form}/copy`]: act("form.created"),
  [`${form}/archive`]: act("form.archived"),
  [`${form}/restore`]: act(
    "form.restored",
    {},
    ({ sql, team, form_id }) => sql`select formd.form_set_archived(${team}, ${cli}, ${form_id}, true)`,
  ),
  [`${form}/submissions/delete`]: act("submission.deleted", {
    ...{ submissions: ":submission_id", left: "1", until: ":now" },
  }),
  [`${form}/submissions/export`]: act("viewer"),
  [`${submission}/edit`]: act("submission.edited", { a: "y", "formd.updatedAt": ":submissionUpdatedAt" }),
  [`${submission}/delete`]: act("submission.deleted"),
  [`${submission}/review`]: act("submission.reviewed", { ...decision, updatedAt: ":submissionUpdatedAt" }),
  [`${form}/review/several`]: act("submission.reviewed", { ...decision, submissions: ":submissionItem" }),
  [`${form}/access-keys`]: act("access_key.created"),
  [`${form}/access-keys/revoke`]: act("access_key.revoked", { key: ":accessKey" }),
  [`${form}/mails/:mail_id/resend`]: act("editor"),
  "/console/agents/new": act("agent.created", { name: "New", workspace }),
  [`${agent}/rename`]: act("agent.updated", { name: "Renamed" }),
  [`${agent}/status`]: act("agent.updated", { status: "disabled" }),
  [`${agent}/revoke`]: act("agent.revoked"),
  [`${agent}/rotate`]: act("agent.secret_rotated"),
  [`${agent}/grants`]: act("grant.changed", {
    ...{ form: ":form_id", scopes: ["agent:read", "agent:submit"], respondent: "" },
  }),
  [`${agent}/grants/remove`]: act("grant.deleted", { grant: ":grant" }),
  [`${agent}/keys`]: act("signing_key.registered", { publicKeyPem: ":pem" }),
  [`${agent}/keys/revoke`]: act("signing_key.revoked", { key: ":signingKey" }),
  "/console/api-keys": act("api_key.created", { name: "New", scopes: "forms:read" }),
  "/console/api-keys/revoke": act("api_key.revoked", { key: ":apiKey" }),
  "/console/webhooks/new": act("webhook.created", { ...hook, workspaceId: workspace, formId: ":form_id" }),
  [webhook]: act("webhook.changed", hook),
  [`${webhook}/status`]: act("webhook.changed", { status: "paused" }),
  [`${webhook}/test`]: act("admin"),
  [`${webhook}/rotate`]: act("webhook.secret_rotated"),
  [`${webhook}/replay`]: act("admin", { from: "2026-11-20T09:00", to: "2026-11-20T10:00" }),
  [`${webhook}/delete`]: act("webhook.deleted"),
  [`${webhook}/deliveries/:event_id/replay`]: act("admin"),
  "/console/operators": act("operator.invited", { email: ":newEmail", workspace, role: "viewer" }),
  "/console/operators/remove": act("operator.removed", { email: ":email", workspace }),
  "/console/operators/reset-link": act("operator.reset_link_made", {
    ...{ email: ":email", operator: ":operator_id", workspace },
  }),
  "/console/operators/role": act("operator.role_changed", { email: ":email", workspace, role: "editor" }),
  "/console/operators/end-invitation": act("operator.invitation_ended", {
    ...{ invitation: ":invitation", workspace },
  }),
  "/console/operators/passkeys": act(
    "workspace.changed",
    { workspace, requiresPasskey: "true" },
    ({ sql }) => sql`update formd.operator_sessions set passkey_at = now()`,
  ),
  "/console/operators/publishing": act("workspace.changed", { workspace, editorsMayPublish: "true" }),
  "/console/connections/new": act(
    "sign_in_connection.created",
    {
      ...{ name: "Corp", issuer: ":issuer", clientId: "formd", clientSecret: "secret" },
      ...{ domains: "corp.example", groupsClaim: "groups" },
      ...{ group: "*", workspaceId: workspace, role: "viewer" },
    },
    ({ sql, team }) => sql`delete from formd.sign_in_connections where team_id = ${team}`,
  ),
  "/console/connections/change": act("sign_in_connection.changed", {
    ...{ connection: ":connection", required: "true" },
  }),
  "/console/connections/remove": act("sign_in_connection.removed", { connection: ":connection" }),
  "/console/workspaces/new": act("workspace.created", { name: "New" }),
  "/console/workspaces/rename": act("workspace.changed", { workspace, name: ":newEmail" }),
  "/console/workspaces/retention": act(
    "team.retention_set",
    { ...years, confirm: "Team" },
    ({ sql, team }) => sql`update formd.teams set retention = null, name = 'Team' where team_id = ${team}`,
  ),
  "/console/person": act("viewer", person),
  "/console/person/export": act("viewer", person),
  "/console/person/erase": act("submission.deleted", person),
};

/** Acts on the operator's own account: who has a session may. */
export const ownActs = [
  "/console/account/password",
  "/console/account/session",
  "/console/account/language",
  "/console/account/mails",
  "/console/account/passkeys",
  "/console/account/passkeys/new",
  "/console/account/passkeys/rename",
  "/console/account/passkeys/remove",
  "/console/team",
  "/console/sign-out",
  "/console/sign-out-everywhere",
];

/** Paths without a session: a link or a password authenticates. */
export const openPaths = [
  ...[
    "/console/login",
    "/console/logout",
    "/console/sign-in",
    "/console/sign-in/passkey",
    "/console/sign-in/:connection_id",
    "/console/sign-in/:connection_id/callback",
    "/console/sign-in/:connection_id/continue",
    "/console/sign-in/:connection_id/logout",
    "/console/forgot-password",
  ],
  ...["/console/welcome", "/console/invitation/:token", "/console/reset/:token", "/setup/:token"],
];
