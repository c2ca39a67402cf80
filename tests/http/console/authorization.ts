/** Every act of the console: on which object, with which fields, and who may do it. */
import { v7 as uuidv7 } from "uuid";
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
  fields?: (objects: Objects) => Fields;
  /** Brings the objects into the state that the act needs. */
  prepare?: (objects: Objects) => PromiseLike<unknown>;
}

const forged = new WeakMap<Service, ReturnType<typeof forgedProvider>>();
/** An identity provider for new connections; it ends with the file of tests that has the app. */
function provider(app: Service) {
  const made = forged.get(app) ?? forgedProvider();
  forged.set(app, made);
  return made;
}

/** One of everything that an act can be on, in the team's first workspace. */
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
    ["a", "b"].map((id) => ({ id, type: "text", label: id })),
    { settings: { review: { required: true } } },
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
    invitation: invitation?.id ?? "",
    connection,
    issuer: (await provider(app)).issuer,
    hash: hashOf(form.id),
    sql,
    team: team.id,
  };
}

const cli = "(cli,,)";
const seen = ({ updatedAt }: Objects) => ({ updatedAt });
const reviewed = ({ submissionUpdatedAt }: Objects) => ({ updatedAt: submissionUpdatedAt });
const close = ({ sql, team, form_id }: Objects) => sql`select formd.form_close(${team}, ${cli}, ${form_id})`;
const archive = ({ sql, team, form_id }: Objects) =>
  sql`select formd.form_set_archived(${team}, ${cli}, ${form_id}, true)`;
const hold = ({ sql, team, form_id }: Objects, submission: string | null) => sql`
  select from formd.hold_place(${team}, ${cli}, ${form_id}, ${submission}, ${uuidv7()}, 'Case 1')`;
const hook = { url: "https://hooks.example.org/new", eventTypes: "form.published", payload: "thin" };
const field = (fields: Fields): ConsoleAct => ({
  needs: "form.patched",
  fields: (objects) => ({ ...fields, ...seen(objects) }),
});
const person = ({ form_id }: Objects) => ({ form: form_id, field: "a", value: "x" });
const form = "/console/forms/:form_id";
const submission = `${form}/submissions/:submission_id`;
const agent = "/console/agents/:agent_id";
const webhook = "/console/webhooks/:webhook_id";

/** By path. */
export const consoleActs: Record<string, ConsoleAct> = {
  "/console/new-form": { needs: "form.created", fields: ({ workspace }) => ({ name: "New", workspace }) },
  [`${form}/field`]: field({ id: "a", type: "text", label: "Changed" }),
  [`${form}/field/new`]: field({ type: "text", label: "New" }),
  [`${form}/field/several`]: field({ "0.label": "New" }),
  [`${form}/field/move`]: field({ id: "b", place: "1" }),
  [`${form}/field/copy`]: field({ id: "a" }),
  [`${form}/field/remove`]: field({ id: "a" }),
  [`${form}/field/restore`]: field({ definition: '{"id":"c","type":"text","label":"C"}', index: "0" }),
  [`${form}/preview`]: { needs: "viewer", fields: () => ({ a: "x", "formd.version": "0" }) },
  [`${form}/preview/steps`]: { needs: "viewer", fields: () => ({ a: "x", "formd.version": "0" }) },
  [`${form}/settings/logo`]: {
    ...field({ logo: Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64"), alt: "Logo" }),
    needs: "form.settings_changed",
  },
  [`${form}/settings/page`]: { ...field({ name: "New", description: "" }) },
  [`${form}/settings/opening`]: {
    ...field({ "availability.maxSubmissions": "5" }),
    needs: "form.settings_changed",
  },
  [`${form}/settings/rules`]: {
    ...field({ anonymous: "true", review: "true" }),
    needs: "form.settings_changed",
  },
  [`${form}/settings/retention`]: {
    ...field({ "retention.count": "20", "retention.unit": "Y" }),
    needs: "form.settings_changed",
  },
  [`${form}/settings/close`]: { needs: "form.closed" },
  [`${form}/settings/open`]: { needs: "form.opened", prepare: close },
  [`${form}/publish`]: { needs: "form.published", fields: seen },
  [`${form}/publish-settings`]: { needs: "form.settings_published", fields: seen },
  [`${form}/share/online`]: { needs: "form.settings_published", fields: seen },
  [`${form}/share/offline`]: {
    needs: "form.settings_changed",
    prepare: ({ sql, form_id }) => sql`
      update formd.forms set settings = settings || '{"page": {"enabled": true}}',
        settings_in_force = settings_in_force || '{"page": {"enabled": true}}' where id = ${form_id}`,
  },
  [`${form}/hold`]: { needs: "form.held", fields: () => ({ reason: "Case 1" }) },
  [`${form}/release`]: { needs: "form.released", prepare: (objects) => hold(objects, null) },
  [`${submission}/hold`]: { needs: "submission.held", fields: () => ({ reason: "Case 1" }) },
  [`${submission}/release`]: {
    needs: "submission.released",
    prepare: (objects) => hold(objects, objects.submission_id),
  },
  [`${form}/copy`]: { needs: "form.created" },
  [`${form}/archive`]: { needs: "form.archived" },
  [`${form}/restore`]: { needs: "form.restored", prepare: archive },
  [`${form}/submissions/delete`]: {
    needs: "submission.deleted",
    fields: ({ submission_id }) => ({
      submissions: submission_id,
      left: "1",
      until: new Date().toISOString(),
    }),
  },
  [`${submission}/edit`]: {
    needs: "submission.edited",
    fields: ({ submissionUpdatedAt }) => ({ a: "y", "formd.updatedAt": submissionUpdatedAt }),
  },
  [`${submission}/delete`]: { needs: "submission.deleted" },
  [`${submission}/review`]: {
    needs: "submission.reviewed",
    fields: (objects) => ({ decision: "approve", reason: "", ...reviewed(objects) }),
  },
  [`${form}/review/several`]: {
    needs: "submission.reviewed",
    fields: ({ submission_id, submissionUpdatedAt }) => ({
      decision: "approve",
      reason: "",
      submissions: `${submission_id} ${submissionUpdatedAt}`,
    }),
  },
  [`${form}/access-keys`]: { needs: "access_key.created" },
  [`${form}/access-keys/revoke`]: {
    needs: "access_key.revoked",
    fields: ({ accessKey }) => ({ key: accessKey }),
  },
  [`${form}/mails`]: {
    ...field({ card: "notify", recipients: "ada@example.org", when: "each", include: "link" }),
    needs: "form.settings_changed",
  },
  [`${form}/mails/:mail_id/resend`]: { needs: "editor" },
  "/console/agents/new": { needs: "agent.created", fields: ({ workspace }) => ({ name: "New", workspace }) },
  [`${agent}/rename`]: { needs: "agent.updated", fields: () => ({ name: "Renamed" }) },
  [`${agent}/status`]: { needs: "agent.updated", fields: () => ({ status: "disabled" }) },
  [`${agent}/revoke`]: { needs: "agent.revoked" },
  [`${agent}/rotate`]: { needs: "agent.secret_rotated" },
  [`${agent}/grants`]: {
    needs: "grant.changed",
    fields: ({ form_id }) => ({ form: form_id, scopes: ["agent:read", "agent:submit"], respondent: "" }),
  },
  [`${agent}/grants/remove`]: { needs: "grant.deleted", fields: ({ grant }) => ({ grant }) },
  [`${agent}/keys`]: { needs: "signing_key.registered", fields: () => ({ publicKeyPem: newKey().pem }) },
  [`${agent}/keys/revoke`]: {
    needs: "signing_key.revoked",
    fields: ({ signingKey }) => ({ key: signingKey }),
  },
  "/console/api-keys": { needs: "api_key.created", fields: () => ({ name: "New", scopes: "forms:read" }) },
  "/console/api-keys/revoke": { needs: "api_key.revoked", fields: ({ apiKey }) => ({ key: apiKey }) },
  "/console/webhooks/new": {
    needs: "webhook.created",
    fields: ({ workspace, form_id }) => ({ ...hook, workspaceId: workspace, formId: form_id }),
  },
  [webhook]: { needs: "webhook.changed", fields: () => hook },
  [`${webhook}/status`]: { needs: "webhook.changed", fields: () => ({ status: "paused" }) },
  [`${webhook}/test`]: { needs: "admin" },
  [`${webhook}/rotate`]: { needs: "webhook.secret_rotated" },
  [`${webhook}/replay`]: {
    needs: "admin",
    fields: () => ({ from: "2026-11-20T09:00", to: "2026-11-20T10:00" }),
  },
  [`${webhook}/delete`]: { needs: "webhook.deleted" },
  [`${webhook}/deliveries/:event_id/replay`]: { needs: "admin" },
  "/console/operators": {
    needs: "operator.invited",
    fields: ({ workspace }) => ({ email: `${uuidv7()}@example.org`, workspace, role: "viewer" }),
  },
  "/console/operators/remove": {
    needs: "operator.removed",
    fields: ({ operator, workspace }) => ({ email: operator.email, workspace }),
  },
  "/console/operators/reset-link": {
    needs: "operator.reset_link_made",
    fields: ({ operator, workspace }) => ({ email: operator.email, operator: operator.id, workspace }),
  },
  "/console/operators/end-invitation": {
    needs: "operator.invitation_ended",
    fields: ({ invitation, workspace }) => ({ invitation, workspace }),
  },
  "/console/operators/passkeys": {
    needs: "workspace.changed",
    fields: ({ workspace }) => ({ workspace, requiresPasskey: "true" }),
    prepare: ({ sql }) => sql`update formd.operator_sessions set passkey_at = now()`,
  },
  "/console/operators/publishing": {
    needs: "workspace.changed",
    fields: ({ workspace }) => ({ workspace, editorsMayPublish: "true" }),
  },
  "/console/connections/new": {
    needs: "sign_in_connection.created",
    fields: ({ workspace, issuer }) => ({
      ...{ name: "Corp", issuer, clientId: "formd", clientSecret: "secret", domains: "corp.example" },
      ...{ groupsClaim: "groups", group: "*", workspaceId: workspace, role: "viewer" },
    }),
    prepare: ({ sql, team }) => sql`delete from formd.sign_in_connections where team_id = ${team}`,
  },
  "/console/connections/change": {
    needs: "sign_in_connection.changed",
    fields: ({ connection }) => ({ connection, required: "true" }),
  },
  "/console/connections/remove": {
    needs: "sign_in_connection.removed",
    fields: ({ connection }) => ({ connection }),
  },
  "/console/workspaces/new": { needs: "workspace.created", fields: () => ({ name: "New" }) },
  "/console/person": { needs: "viewer", fields: person },
  "/console/person/export": { needs: "viewer", fields: person },
  "/console/person/erase": { needs: "submission.deleted", fields: person },
  "/console/workspaces/retention": {
    needs: "team.retention_set",
    fields: () => ({ "retention.count": "20", "retention.unit": "Y", confirm: "Team" }),
    prepare: ({ sql, team }) =>
      sql`update formd.teams set retention = null, name = 'Team' where team_id = ${team}`,
  },
  "/console/workspaces/rename": {
    needs: "workspace.changed",
    fields: ({ workspace }) => ({ workspace, name: `Renamed ${uuidv7()}` }),
  },
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

/** What nobody needs a session for: a link or a password is what proves. */
export const openPaths = [
  ...[
    "/console/login",
    "/console/logout",
    "/console/sign-in",
    "/console/sign-in/passkey",
    "/console/sign-in/:connection_id",
    "/console/sign-in/:connection_id/callback",
    "/console/sign-in/:connection_id/logout",
    "/console/forgot-password",
  ],
  ...["/console/welcome", "/console/invitation/:token", "/console/reset/:token", "/setup/:token"],
];
