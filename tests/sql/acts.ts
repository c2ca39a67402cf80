/** Every action of formd: a call of its function, on objects of its own, and the event that it records. */
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { toByteaText } from "../../src/platform/database/db.ts";
import type { AuditKind } from "../../src/resources/operators/roles.ts";
import { makeAgent, makeForm, makeKey, type Service, type Team } from "../setup.ts";
import { newKey } from "../signing.ts";
import { hashOf, type store } from "./fixture.ts";

type Call = (actor: string) => PromiseLike<unknown>;

export interface Act {
  /** The SQL function. */
  name: string;
  /** Kind of its event; `submission.edited` for an edit of a submission, which has a table of its own. */
  kind:
    | AuditKind
    | "team.created"
    | "operator.password_changed"
    | "operator.sign_in_failed"
    | "respondent.erased"
    | `passkey.${string}`
    | `session.${string}`;
  /** Makes the objects. @returns the call, with the actor as text */
  prepare: () => Promise<Call>;
  /** The same call again is another change. */
  repeats?: true;
  /** The function finds the actor itself. */
  findsActor?: true;
}

/**
 * The actions in a team, with operators who have no other part in it. `storeOne` stores a submission.
 * @returns them by function and kind
 */
export function actsOf(app: Service, team: Team, storeOne: typeof store): Act[] {
  const { sql } = app.database;
  const cli = "(cli,,)";
  const run = (name: string, ...given: unknown[]) =>
    sql.unsafe(`select formd.${name}(${given.map((_, index) => `$${index + 1}`).join()})`, given as never);
  type Given<Made> = (by: string, made: Made) => unknown[];
  /** Makes something, and does the first action on it. */
  const after =
    <Made>(name: string, make: () => Promise<Made>, given: Given<Made>, by = cli) =>
    async () => {
      const made = await make();
      await run(name, ...given(by, made));
      return made;
    };
  const actWith =
    (how: Pick<Act, "repeats" | "findsActor">) =>
    <Made>(name: string, kind: Act["kind"], make: () => Promise<Made>, given: Given<Made>): Act => ({
      ...{ name, kind, ...how },
      prepare: async () => {
        const made = await make();
        return (actor) => run(name, ...given(actor, made));
      },
    });
  const act = actWith({});
  const repeatable = actWith({ repeats: true });
  const ofBearer = actWith({ findsActor: true });
  const repeatableOfBearer = actWith({ repeats: true, findsActor: true });
  const newId = async () => uuidv7();
  const onId: Given<string> = (by, id) => [team.id, by, id];

  const newEmail = async () => `${uuidv7()}@example.org`;
  const joiningAs =
    (role: string): Given<string> =>
    (by, address) => [team.id, by, team.workspace, uuidv7(), address, "salt", hashOf("password"), role];
  const viewer = after("operator_join", newEmail, joiningAs("viewer"));
  const idOf = async (address: string) =>
    (await sql<[{ id: string }]>`select id from formd.operators where email = ${address}`)[0].id;
  const viewerId = async () => idOf(await viewer());
  /** A session to begin, whose token is its id. */
  const newSession = async () => ({ address: await viewer(), id: uuidv7() });
  const loggingIn = (by: string, { address, id }: { address: string; id: string }) => [
    ...[team.id, by, address, hashOf("password"), id, hashOf(id), "1 hour", null, null],
  ];
  const session = after("operator_login", newSession, loggingIn, "(anonymous,,)");
  const ofSession: Given<{ id: string }> = (by, { id }) => [team.id, by, hashOf(id)];
  const inviting = (by: string, address: string, role = "viewer", id = uuidv7()) => [
    ...[team.id, by, team.workspace, id, address, role, hashOf(id), "3 days"],
  ];
  const invitation = async () => {
    const id = uuidv7();
    await run("operator_invite", ...inviting(cli, await newEmail(), "viewer", id));
    return id;
  };
  const linking: Given<string> = (by, id) => [team.id, by, id, hashOf(id), "30 minutes"];

  /** A passkey to register, for whose challenge the operator asked. */
  const challenged = async (operator: string = team.operator.id) => {
    const id = uuidv7();
    await run("passkey_challenge_make", hashOf(id), operator, "192.0.2.1", null, 10, 10, "5 minutes");
    return id;
  };
  const registering: Given<string> = (by, id) => [
    ...[team.id, by, hashOf(id), id, hashOf(id), hashOf("key"), 0, "Laptop", false],
  ];
  const passkey = async (operator: string = team.operator.id) =>
    await after("passkey_register", () => challenged(operator), registering, `(operator,${operator},)`)();

  /** For everybody. */
  const connecting: Given<string> = (by, id) => {
    const roles = [{ group: "*", workspaceId: team.workspace, role: "viewer" }];
    const provider = ["Corp", "https://id.example.org", "formd", "secret", "key", ["corp.example"], "groups"];
    return [team.id, by, id, ...provider, sql.json(roles), false];
  };
  /** In place of the connections before: a team has few of them. */
  const newConnection = async () => {
    await sql`delete from formd.sign_in_connections where team_id = ${team.id}`;
    return uuidv7();
  };
  const connection = after("sign_in_connection_create", newConnection, connecting);
  const loggingInBy = (by: string, connectedBy: string, id = uuidv7()) => {
    const person = [uuidv7(), "subject", "ada@corp.example", [], "0 seconds", "sid"];
    return [connectedBy, team.id, by, ...person, id, hashOf(id), "1 hour", null, null];
  };
  const usedConnection = after("operator_login_connection", connection, loggingInBy, "(anonymous,,)");

  const form = (options = {}) => makeForm(app, team, [{ id: "a", type: "text", label: "A" }], options);
  const formId = async () => (await form()).id;
  /** A form of which each operator of the team has a news feed. */
  const followed = async () => {
    const id = await formId();
    await sql`
      insert into formd.form_followers (team_id, form_id, operator_id, workspace_id, feed_hash, feed_made_at)
      select team_id, ${id}, operator_id, workspace_id, sha256(gen_random_uuid()::text::bytea), now()
      from formd.workspace_roles where team_id = ${team.id} and workspace_id = ${team.workspace}`;
    return id;
  };
  const creating: Given<undefined> = (by) => [
    ...[team.id, by, team.workspace, "A", null, sql.json({ fields: [] })],
  ];
  const draft = async () =>
    (
      await sql<[{ id: string }]>`
        select id from formd.form_create(${team.id}, ${cli}, ${team.workspace}, 'A', null, '{"fields": []}')`
    )[0].id;
  const settingMeta =
    (change: object): Given<string> =>
    (by, id) => [team.id, by, id, sql.json([{ op: "setMeta", ...change } as never]), null, null];
  /** With the time of its last change. */
  const timed = async (id: string) => {
    const [row] = await sql<[{ updatedAt: Date }]>`select updated_at from formd.forms where id = ${id}`;
    return { id, ...row };
  };
  const asTimed = (by: string, { id, updatedAt }: { id: string; updatedAt: Date }) => [
    ...[team.id, by, id, updatedAt],
  ];
  const patched = after("form_patch", formId, settingMeta({ settings: { captcha: { enabled: true } } }));
  const archivingAs =
    (archived: boolean): Given<string> =>
    (by, id) => [team.id, by, id, archived];
  const submission = async (options = {}) => {
    const to = await form(options);
    const id = await storeOne(sql, team, { form: to });
    const [row] = await sql<[{ updatedAt: Date }]>`select updated_at from formd.submissions where id = ${id}`;
    return { form: to.id, id, ...row };
  };

  const agent = async () => (await makeAgent(app, team, await form(), [])).id;
  const grant = async () => {
    const to = await form();
    const { id } = await makeAgent(app, team, to, ["agent:read"]);
    const [row] = await sql<[{ id: string }]>`select id from formd.grants where agent_id = ${id}`;
    return { agent: id, form: to.id, id: row.id };
  };
  const unsigned = async () => ({ of: await agent(), id: uuidv7(), key: newKey() });
  const addingKey: Given<Awaited<ReturnType<typeof unsigned>>> = (by, { of, id, key }) => [
    ...[team.id, by, of, id, key.id, key.pem, null, false],
  ];

  const hooking: Given<string> = (by, id) => {
    const hook = ["https://hooks.example.org/", ["form.published"], "thin", ""];
    return [team.id, by, id, team.workspace, null, ...hook];
  };
  /** In place of the webhooks before: a workspace has few of them. */
  const newWebhook = async () => {
    await sql`delete from formd.webhooks where team_id = ${team.id}`;
    return uuidv7();
  };
  const webhook = after("webhook_create", newWebhook, hooking);
  const openInvitation = { expires_at: "2100-01-01T00:00:00Z" };
  /** A form with a page, and an invitation that was never mailed. */
  const invited = async () => {
    const { id: form } = await makeForm(app, team, [], { settings: { page: { enabled: true } } });
    const item = {
      ...openInvitation,
      token_hash: toByteaText(sha256(form)),
      email_hash: toByteaText(sha256("a")),
      sealed_email: toByteaText(sha256("a")),
    };
    const [row] = await sql<[{ id: string }]>`
      select id from formd.invitations_create(${team.id}, ${cli}, ${form}, 1, ${sql.json([item])}, null) as id`;
    return { form, id: row.id };
  };

  return [
    act("webhook_create", "webhook.created", newWebhook, hooking),
    act("webhook_patch", "webhook.changed", webhook, (by, id) => [
      ...[team.id, by, id, null, null, null, "paused"],
    ]),
    repeatable("webhook_secret_rotate", "webhook.secret_rotated", webhook, (by, id) => [team.id, by, id, ""]),
    act("webhook_delete", "webhook.deleted", webhook, onId),
    repeatable("invitations_create", "invitations.created", invited, (by, { form }) => [
      ...[team.id, by, form, 1],
      sql.json([{ ...openInvitation, token_hash: toByteaText(sha256(uuidv7())) }]),
      null,
    ]),
    act("invitation_revoke", "invitation.revoked", invited, (by, { form, id }) => [team.id, by, form, id]),
    act("invitations_remind", "invitations.reminded", invited, (by, { form }) => [
      ...[team.id, by, form, "1 day", 100, null],
    ]),
    act("team_create", "team.created", newId, (by, id) => [id, by, "Team", uuidv7(), "Main"]),
    // The actor is an admin of the new workspace too, and so of each: actions on API keys require that.
    repeatable("workspace_create", "workspace.created", newId, (by) => [team.id, by, uuidv7(), "Second"]),
    act("workspace_change", "workspace.changed", newId, (by, name) => [team.id, by, team.workspace, name]),
    ...(["publishing", "passkeys"] as const).map((what) => {
      const opposite = async () => {
        const [row] = await sql<[{ publishing: boolean; passkeys: boolean }]>`
          select editors_may_publish as publishing, requires_passkey as passkeys
          from formd.workspaces where id = ${team.workspace}`;
        return !row[what];
      };
      return act("workspace_change", "workspace.changed", opposite, (by, value) => [
        ...[team.id, by, team.workspace, null, ...(what === "publishing" ? [value] : [null, value])],
      ]);
    }),
    act("operator_join", "operator.added", newEmail, joiningAs("viewer")),
    act("operator_join", "operator.role_changed", viewer, joiningAs("editor")),
    act("operator_remove", "operator.removed", viewer, (by, address) => [by, address, team.workspace]),
    repeatable("operator_invite", "operator.invited", newEmail, inviting),
    act("operator_invite", "operator.role_changed", viewer, (by, address) => inviting(by, address, "editor")),
    ofBearer("operator_invitation_accept", "operator.added", invitation, (by, id) => [
      ...[team.id, by, hashOf(id), null, uuidv7(), "salt", hashOf("x")],
    ]),
    act("operator_invitation_end", "operator.invitation_ended", invitation, (by, id) => [
      ...[team.id, by, team.workspace, id],
    ]),
    repeatable("operator_reset_make", "operator.reset_link_made", viewerId, linking),
    ofBearer(
      "operator_reset",
      "operator.password_changed",
      after("operator_reset_make", viewerId, linking),
      (by, id) => [by, id, hashOf(id), "salt", hashOf("x")],
    ),
    repeatableOfBearer("operator_change_password", "operator.password_changed", session, (by, { id }) => [
      ...[team.id, by, hashOf(id), hashOf("password"), "salt", hashOf("password")],
    ]),
    ofBearer(
      "operator_session_end",
      "session.operator_ended",
      async () => {
        const own = await session();
        const other = { ...own, id: uuidv7() };
        await run("operator_login", ...loggingIn("(anonymous,,)", other));
        return [own.id, other.id] as const;
      },
      (by, [own, other]) => [team.id, by, hashOf(own), team.id, other],
    ),
    repeatable("operator_set_password", "operator.password_changed", viewer, (by, address) => [
      ...[by, address, "salt", hashOf("x")],
    ]),
    ofBearer("operator_login", "session.operator_started", newSession, loggingIn),
    ofBearer(
      "operator_login_passkey",
      "session.operator_started",
      async () => passkey(await viewerId()),
      (by, id) => [team.id, by, id, 1, uuidv7(), hashOf(id), "1 hour", null, null, null, false],
    ),
    act(
      "respondent_erase",
      "respondent.erased",
      async () => {
        const id = uuidv7();
        await sql`
          insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
          values (${team.id}, ${id}, 'https://id.example.org', ${id}, now(), now())`;
        return id;
      },
      onId,
    ),
    act("sign_in_connection_create", "sign_in_connection.created", newConnection, connecting),
    act("sign_in_connection_change", "sign_in_connection.changed", connection, (by, id) => [
      ...[team.id, by, id, true, null],
    ]),
    act("sign_in_connection_remove", "sign_in_connection.removed", connection, onId),
    ofBearer(
      "operator_session_take",
      "session.operator_started",
      async () => {
        const id = uuidv7();
        await run("operator_login_connection", ...loggingInBy("(anonymous,,)", await connection(), id));
        return id;
      },
      (by, id) => [team.id, by, hashOf(id), hashOf(uuidv7()), "1 hour"],
    ),
    ofBearer("operator_logout_connection", "session.operator_ended", usedConnection, (by, id) => [
      ...[id, by, "subject", null],
    ]),
    act("passkey_register", "passkey.registered", challenged, registering),
    act("passkey_rename", "passkey.renamed", passkey, (by, id) => [by, id, "Phone"]),
    act("passkey_remove", "passkey.removed", passkey, (by, id) => [by, id, hashOf(id)]),
    act(
      "operator_remove_passkeys",
      "passkey.removed",
      async () => {
        const address = await viewer();
        await passkey(await idOf(address));
        return address;
      },
      (by, address) => [by, address],
    ),
    ofBearer("operator_logout", "session.operator_ended", session, ofSession),
    ofBearer("operator_sessions_end", "session.operator_ended", session, ofSession),
    act("api_key_create", "api_key.created", newId, (by, id) => [
      ...[team.id, by, id, "key", ["forms:read"], "fdk_x", hashOf(id)],
    ]),
    act("api_key_revoke", "api_key.revoked", async () => (await makeKey(app, team)).id, onId),
    repeatable("form_create", "form.created", async () => undefined, creating),
    act("form_patch", "form.patched", draft, settingMeta({ name: "B" })),
    act("form_apply", "form.patched", draft, (by, id) => [
      ...[team.id, by, id, sql.json([{ op: "addField", field: { id: "a" } }])],
      ...[sql.json([{ id: "a", type: "text", label: "A" }]), null, null, false],
    ]),
    act(
      "form_patch",
      "form.settings_changed",
      draft,
      settingMeta({ settings: { anonymous: { enabled: false } } }),
    ),
    act("form_publish", "form.published", async () => timed(await draft()), asTimed),
    act("form_settings_publish", "form.settings_published", async () => timed(await patched()), asTimed),
    act("form_close", "form.closed", formId, onId),
    act("form_open", "form.opened", after("form_close", formId, onId), onId),
    act("form_set_archived", "form.archived", formId, archivingAs(true)),
    act(
      "form_set_archived",
      "form.restored",
      after("form_set_archived", formId, archivingAs(true)),
      archivingAs(false),
    ),
    repeatable("form_feed_make", "form.feed_made", formId, (by, id) => [team.id, by, id, hashOf(uuidv7())]),
    act("form_feed_end", "form.feed_ended", followed, onId),
    act(
      "access_key_create",
      "access_key.created",
      async () => ({ to: await draft(), id: uuidv7() }),
      (by, { to, id }) => [team.id, by, to, id, "fdf_x", hashOf(id)],
    ),
    act(
      "access_key_revoke",
      "access_key.revoked",
      async () => {
        const of = await formId();
        const [key] = await sql<
          [{ id: string }]
        >`select id from formd.form_access_keys where form_id = ${of}`;
        return { of, id: key.id };
      },
      (by, { of, id }) => [team.id, by, of, id],
    ),
    act("agent_create", "agent.created", newId, (by, id) => [
      ...[team.id, by, team.workspace, id, "Agent", id, "fda_x", hashOf(id)],
    ]),
    act("agent_patch", "agent.updated", agent, (by, id) => [team.id, by, id, "Renamed", "disabled", false]),
    repeatable("agent_secret_rotate", "agent.secret_rotated", agent, (by, id) => [
      ...[team.id, by, id, "fda_y", hashOf(id), false, false],
    ]),
    repeatable("agent_sessions_end", "agent.sessions_ended", agent, onId),
    act("agent_delete", "agent.revoked", agent, onId),
    act("grant_upsert", "grant.changed", grant, (by, { agent, form }) => [
      ...[team.id, by, agent, uuidv7(), form, ["agent:read", "agent:validate"], false, null, null],
    ]),
    act("grant_remove", "grant.deleted", grant, (by, { agent, id }) => [team.id, by, agent, id]),
    act("signing_key_add", "signing_key.registered", unsigned, addingKey),
    act(
      "signing_key_delete",
      "signing_key.revoked",
      after("signing_key_add", unsigned, addingKey),
      (by, { of, key }) => [team.id, by, of, key.id],
    ),
    act("submission_patch", "submission.edited", submission, (by, { form, id, updatedAt }) => [
      ...[team.id, by, form, id, updatedAt, sql.json([{ fieldId: "a", value: "y" }]), true],
    ]),
    act(
      "submission_review",
      "submission.reviewed",
      () => submission({ settings: { review: { required: true } } }),
      (by, { form, id, updatedAt }) => [team.id, by, form, id, "approve", null, updatedAt],
    ),
    ...(["form", "submission"] as const).flatMap((subject) => {
      const held = async () => {
        const { form, id } = await submission();
        return [form, subject === "form" ? null : id];
      };
      const placing = (by: string, of: unknown[]) => [team.id, by, ...of, "Case"];
      const place = after("hold_place", held, placing);
      return [
        act("hold_place", `${subject}.held`, held, placing),
        act("hold_release", `${subject}.released`, place, (by, of) => [team.id, by, ...of]),
      ];
    }),
    act(
      "team_set_retention",
      "team.retention_set",
      () => sql`update formd.teams set retention = null where team_id = ${team.id}`,
      (by) => [team.id, by, sql.json({ deleteAfter: "P20Y" })],
    ),
    repeatable(
      "file_get",
      "file.downloaded",
      async () => {
        const { form, id } = await submission();
        const file = uuidv7();
        await sql`
          insert into formd.files (team_id, form_id, id, field_id, submission_id, state, uploader, name, size, type,
            sha256, created_at)
          values (${team.id}, ${form}, ${file}, 'a', ${id}, 'claimed', 'page:', 'a.txt', 1, 'text/plain',
            sha256('a'), now())`;
        return [form, id, file];
      },
      (by, ids) => [team.id, by, ...ids],
    ),
    act("submission_delete", "submission.deleted", submission, (by, { form, id }) => [team.id, by, form, id]),
  ];
}
