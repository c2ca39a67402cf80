/** Every act of formd: how its function is called, on objects of its own, and the event that it records. */
import { v7 as uuidv7 } from "uuid";
import type { AuditKind } from "../../src/resources/operators/roles.ts";
import { makeAgent, makeForm, makeKey, type Service, type Team } from "../setup.ts";
import { newKey } from "../signing.ts";
import { hashOf, type submit } from "./fixture.ts";

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
  /** Whether the same call again is another change. */
  repeats?: true;
  /** Whether the function finds the actor itself. */
  findsActor?: true;
}

/**
 * The acts in a team, with operators who have no other part in it. `store` stores a submission.
 * @returns them by function and kind
 */
export function actsOf(app: Service, team: Team, store: typeof submit): Act[] {
  const { sql } = app.database;
  const email = () => `${uuidv7()}@example.org`;
  const form = (options = {}) => makeForm(app, team, [{ id: "a", type: "text", label: "A" }], options);
  const agent = async () => (await makeAgent(app, team, await form(), [])).id;
  const cli = "(cli,,)";
  const join = async (role: string) => {
    const address = email();
    await sql`
      select formd.operator_join(p_team => ${team.id}, p_actor => ${cli}, p_workspace => ${team.workspace}, p_id => ${uuidv7()},
        p_email => ${address}, p_salt => 'salt', p_hash => ${hashOf("password")}, p_role => ${role})`;
    return address;
  };
  const setRole =
    (address: string, role: string): Call =>
    (actor) =>
      sql`
    select formd.operator_join(p_team => ${team.id}, p_actor => ${actor}, p_workspace => ${team.workspace}, p_id => ${uuidv7()},
      p_email => ${address}, p_salt => 'salt', p_hash => ${hashOf("password")}, p_role => ${role})`;
  const logIn =
    (address: string, session: string): Call =>
    (actor) =>
      sql`
    select formd.operator_login(p_team => ${team.id}, p_actor => ${actor}, p_email => ${address}, p_password_hash => ${hashOf("password")},
      p_session => ${session}, p_token_hash => ${hashOf(session)}, p_lifetime => '1 hour', p_device => null,
      p_client_ip => null)`;
  const invite =
    (address: string, id: string, role: string): Call =>
    (actor) =>
      sql`select formd.operator_invite(${team.id}, ${actor}, ${team.workspace}, ${id}, ${address}, ${role}, ${hashOf(id)}, '3 days')`;
  const idOf = async (address: string) =>
    (await sql<[{ id: string }]>`select id from formd.operators where email = ${address}`)[0].id;
  /** Registers a passkey, for whose challenge the operator asked. */
  const register = async (operator: string, id: string): Promise<Call> => {
    await sql`
      select formd.passkey_challenge_make(${hashOf(id)}, ${operator}, '192.0.2.1', null, 10, 10, '5 minutes')`;
    return (actor) =>
      sql`select formd.passkey_register(${team.id}, ${actor}, ${hashOf(id)}, ${id}, ${hashOf(id)}, 'key', 0, 'Laptop', false)`;
  };
  const passkey = async (operator: string) => {
    const id = uuidv7();
    await (await register(operator, id))(`(operator,${operator},)`);
    return id;
  };
  /** A connection for everybody, in place of those before: a team has few of them. */
  const connect = async (id: string, actor: string) => {
    const roles = [{ group: "*", workspaceId: team.workspace, role: "viewer" }];
    await sql`
      select formd.sign_in_connection_create(${team.id}, ${actor}, ${id}, 'Corp', 'https://id.example.org', 'formd', 'secret', 'key',
        '{corp.example}', 'groups', ${sql.json(roles)}, false)`;
  };
  const removeConnections = () => sql`delete from formd.sign_in_connections where team_id = ${team.id}`;
  const connection = async () => {
    const id = uuidv7();
    await removeConnections();
    await connect(id, cli);
    return id;
  };
  const logInBy =
    (by: string, session: string): Call =>
    (actor) =>
      sql`
    select formd.operator_login_connection(${by}, ${team.id}, ${actor}, ${uuidv7()}, 'subject', 'ada@corp.example', '{}', '0 seconds',
      'sid', ${session}, ${hashOf(session)}, '1 hour', null, null)`;
  const draft = async () => {
    const id = uuidv7();
    await sql`select formd.form_create(${team.id}, ${cli}, ${id}, ${team.workspace}, 'A', null, '{"fields": []}')`;
    return id;
  };
  const patch = (operation: object) => async () => {
    const id = await draft();
    return ((actor) =>
      sql`select formd.form_patch(${team.id}, ${actor}, ${id}, ${sql.json([operation as never])}, null, null)`) as Call;
  };
  const submission = async (options = {}) => {
    const to = await form(options);
    const id = uuidv7();
    await store(sql, team, { form: to, item: { id } });
    return { form: to.id, id };
  };
  const grant = async () => {
    const to = await form();
    const { id } = await makeAgent(app, team, to, ["agent:read"]);
    const [row] = await sql<[{ id: string }]>`select id from formd.grants where agent_id = ${id}`;
    return { agent: id, form: to.id, id: row.id };
  };
  const addKey =
    (of: string, id = uuidv7(), key = newKey()): Call =>
    (actor) =>
      sql`
    select formd.signing_key_add(p_team => ${team.id}, p_actor => ${actor}, p_agent => ${of}, p_id => ${id}, p_key_id => ${key.id},
      p_pem => ${key.pem}, p_expires_at => null, p_require_operator => false)`;

  /** A workspace has few of them. */
  const removeWebhooks = () => sql`delete from formd.webhooks where team_id = ${team.id}`;
  const webhook = async (id = uuidv7()) => {
    await removeWebhooks();
    await sql`
      select formd.webhook_create(${team.id}, ${cli}, ${id}, ${team.workspace}, null, 'https://hooks.example.org/', ${["form.published"]}, 'thin', '')`;
    return id;
  };

  return [
    {
      name: "webhook_create",
      kind: "webhook.created",
      prepare: async () => {
        await removeWebhooks();
        const id = uuidv7();
        return (actor) => sql`
          select formd.webhook_create(${team.id}, ${actor}, ${id}, ${team.workspace}, null, 'https://hooks.example.org/',
            ${["form.published"]}, 'thin', '')`;
      },
    },
    {
      name: "webhook_patch",
      kind: "webhook.changed",
      prepare: async () => {
        const id = await webhook();
        return (actor) =>
          sql`select formd.webhook_patch(${team.id}, ${actor}, ${id}, null, null, null, 'paused')`;
      },
    },
    {
      name: "webhook_secret_rotate",
      kind: "webhook.secret_rotated",
      prepare: async () => {
        const id = await webhook();
        return (actor) => sql`select formd.webhook_secret_rotate(${team.id}, ${actor}, ${id}, '')`;
      },
      repeats: true,
    },
    {
      name: "webhook_delete",
      kind: "webhook.deleted",
      prepare: async () => {
        const id = await webhook();
        return (actor) => sql`select formd.webhook_delete(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "team_create",
      kind: "team.created",
      prepare: async () => {
        const id = uuidv7();
        return (actor) => sql`select formd.team_create(${id}, ${actor}, 'Team', ${uuidv7()}, 'Main')`;
      },
    },
    {
      name: "workspace_create",
      kind: "workspace.created",
      // Who may do it is an admin of the new one, and so of each: the acts on API keys take that.
      prepare: async () => (actor) =>
        sql`select formd.workspace_create(${team.id}, ${actor}, ${uuidv7()}, 'Second')`,
      repeats: true,
    },
    {
      name: "workspace_rename",
      kind: "workspace.changed",
      prepare: async () => {
        const name = uuidv7();
        return (actor) =>
          sql`select formd.workspace_rename(${team.id}, ${actor}, ${team.workspace}, ${name})`;
      },
    },
    {
      name: "workspace_set_publishing",
      kind: "workspace.changed",
      prepare: async () => {
        const [row] = await sql<[{ editorsMayPublish: boolean }]>`
          select editors_may_publish from formd.workspaces where id = ${team.workspace}`;
        return (actor) =>
          sql`select formd.workspace_set_publishing(${team.id}, ${actor}, ${team.workspace}, ${!row.editorsMayPublish})`;
      },
    },
    {
      name: "workspace_set_passkeys",
      kind: "workspace.changed",
      prepare: async () => {
        const [row] = await sql<[{ requiresPasskey: boolean }]>`
          select requires_passkey from formd.workspaces where id = ${team.workspace}`;
        return (actor) =>
          sql`select formd.workspace_set_passkeys(${team.id}, ${actor}, ${team.workspace}, ${!row.requiresPasskey})`;
      },
    },
    { name: "operator_join", kind: "operator.added", prepare: async () => setRole(email(), "viewer") },
    {
      name: "operator_join",
      kind: "operator.role_changed",
      prepare: async () => setRole(await join("viewer"), "editor"),
    },
    {
      name: "operator_remove",
      kind: "operator.removed",
      prepare: async () => {
        const address = await join("viewer");
        return (actor) => sql`select formd.operator_remove(${actor}, ${address}, ${team.workspace})`;
      },
    },
    {
      name: "operator_invite",
      kind: "operator.invited",
      repeats: true,
      prepare: async () => {
        const address = email();
        return (actor) => invite(address, uuidv7(), "viewer")(actor);
      },
    },
    {
      name: "operator_invite",
      kind: "operator.role_changed",
      prepare: async () => invite(await join("viewer"), uuidv7(), "editor"),
    },
    {
      name: "operator_invitation_accept",
      kind: "operator.added",
      findsActor: true,
      prepare: async () => {
        const id = uuidv7();
        await invite(email(), id, "viewer")(cli);
        return (actor) => sql`
          select formd.operator_invitation_accept(${team.id}, ${actor}, ${hashOf(id)}, null, ${uuidv7()}, 'salt', ${hashOf("x")})`;
      },
    },
    {
      name: "operator_invitation_end",
      kind: "operator.invitation_ended",
      prepare: async () => {
        const id = uuidv7();
        await invite(email(), id, "viewer")(cli);
        return (actor) =>
          sql`select formd.operator_invitation_end(${team.id}, ${actor}, ${team.workspace}, ${id})`;
      },
    },
    {
      name: "operator_reset_make",
      kind: "operator.reset_link_made",
      repeats: true,
      prepare: async () => {
        const id = await idOf(await join("viewer"));
        return (actor) =>
          sql`select formd.operator_reset_make(${team.id}, ${actor}, ${id}, ${hashOf(id)}, '30 minutes')`;
      },
    },
    {
      name: "operator_reset",
      kind: "operator.password_changed",
      findsActor: true,
      prepare: async () => {
        const id = await idOf(await join("viewer"));
        await sql`select formd.operator_reset_make(${team.id}, ${cli}, ${id}, ${hashOf(id)}, '30 minutes')`;
        return (actor) =>
          sql`select formd.operator_reset(${actor}, ${id}, ${hashOf(id)}, 'salt', ${hashOf("x")})`;
      },
    },
    {
      name: "operator_change_password",
      kind: "operator.password_changed",
      findsActor: true,
      repeats: true,
      prepare: async () => {
        const session = uuidv7();
        await logIn(await join("viewer"), session)("(anonymous,,)");
        return (actor) => sql`
          select formd.operator_change_password(
            ${team.id}, ${actor}, ${hashOf(session)}, ${hashOf("password")}, 'salt', ${hashOf("password")})`;
      },
    },
    {
      name: "operator_session_end",
      kind: "session.operator_ended",
      findsActor: true,
      prepare: async () => {
        const [session, other] = [uuidv7(), uuidv7()];
        const address = await join("viewer");
        for (const id of [session, other]) await logIn(address, id)("(anonymous,,)");
        return (actor) =>
          sql`select formd.operator_session_end(${team.id}, ${actor}, ${hashOf(session)}, ${team.id}, ${other})`;
      },
    },
    {
      name: "operator_set_password",
      kind: "operator.password_changed",
      repeats: true,
      prepare: async () => {
        const address = await join("viewer");
        return (actor) =>
          sql`select formd.operator_set_password(${actor}, ${address}, 'salt', ${hashOf("x")})`;
      },
    },
    {
      name: "operator_login",
      kind: "session.operator_started",
      findsActor: true,
      prepare: async () => logIn(await join("viewer"), uuidv7()),
    },
    {
      name: "operator_login_passkey",
      kind: "session.operator_started",
      findsActor: true,
      prepare: async () => {
        const id = await passkey(await idOf(await join("viewer")));
        return (actor) => sql`
          select formd.operator_login_passkey(${team.id}, ${actor}, ${id}, 1, ${uuidv7()}, ${hashOf(id)}, '1 hour', null, null, false)`;
      },
    },
    {
      name: "respondent_erase",
      kind: "respondent.erased",
      prepare: async () => {
        const id = uuidv7();
        await sql`
          insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
          values (${team.id}, ${id}, 'https://id.example.org', ${id}, now(), now())`;
        return (actor) => sql`select formd.respondent_erase(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "sign_in_connection_create",
      kind: "sign_in_connection.created",
      prepare: async () => {
        await removeConnections();
        const id = uuidv7();
        return (actor) => connect(id, actor);
      },
    },
    {
      name: "sign_in_connection_change",
      kind: "sign_in_connection.changed",
      prepare: async () => {
        const id = await connection();
        return (actor) =>
          sql`select formd.sign_in_connection_change(${team.id}, ${actor}, ${id}, true, null)`;
      },
    },
    {
      name: "sign_in_connection_remove",
      kind: "sign_in_connection.removed",
      prepare: async () => {
        const id = await connection();
        return (actor) => sql`select formd.sign_in_connection_remove(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "operator_login_connection",
      kind: "session.operator_started",
      findsActor: true,
      repeats: true,
      prepare: async () => {
        const id = await connection();
        await logInBy(id, uuidv7())("(anonymous,,)");
        return (actor) => logInBy(id, uuidv7())(actor);
      },
    },
    {
      name: "operator_logout_connection",
      kind: "session.operator_ended",
      findsActor: true,
      prepare: async () => {
        const id = await connection();
        await logInBy(id, uuidv7())("(anonymous,,)");
        return (actor) => sql`select formd.operator_logout_connection(${id}, ${actor}, 'subject', null)`;
      },
    },
    {
      name: "passkey_register",
      kind: "passkey.registered",
      prepare: async () => register(team.operator.id, uuidv7()),
    },
    {
      name: "passkey_rename",
      kind: "passkey.renamed",
      prepare: async () => {
        const id = await passkey(team.operator.id);
        return (actor) => sql`select formd.passkey_rename(${actor}, ${id}, 'Phone')`;
      },
    },
    {
      name: "passkey_remove",
      kind: "passkey.removed",
      prepare: async () => {
        const id = await passkey(team.operator.id);
        return (actor) => sql`select formd.passkey_remove(${actor}, ${id}, ${hashOf(id)})`;
      },
    },
    {
      name: "operator_remove_passkeys",
      kind: "passkey.removed",
      prepare: async () => {
        const address = await join("viewer");
        await passkey(await idOf(address));
        return (actor) => sql`select formd.operator_remove_passkeys(${actor}, ${address})`;
      },
    },
    {
      name: "operator_logout",
      kind: "session.operator_ended",
      findsActor: true,
      prepare: async () => {
        const session = uuidv7();
        await logIn(await join("viewer"), session)("(anonymous,,)");
        return (actor) => sql`select formd.operator_logout(${team.id}, ${actor}, ${hashOf(session)})`;
      },
    },
    {
      name: "operator_sessions_end",
      kind: "session.operator_ended",
      findsActor: true,
      prepare: async () => {
        const session = uuidv7();
        await logIn(await join("viewer"), session)("(anonymous,,)");
        return (actor) => sql`select formd.operator_sessions_end(${team.id}, ${actor}, ${hashOf(session)})`;
      },
    },
    {
      name: "api_key_create",
      kind: "api_key.created",
      prepare: async () => {
        const id = uuidv7();
        return (actor) =>
          sql`select formd.api_key_create(p_team => ${team.id}, p_actor => ${actor}, p_id => ${id}, p_name => 'key', p_scopes => '{forms:read}',
            p_prefix => 'fdk_x', p_hash => ${hashOf(id)})`;
      },
    },
    {
      name: "api_key_revoke",
      kind: "api_key.revoked",
      prepare: async () => {
        const { id } = await makeKey(app, team);
        return (actor) => sql`select formd.api_key_revoke(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "form_create",
      kind: "form.created",
      prepare: async () => {
        const id = uuidv7();
        return (actor) =>
          sql`select formd.form_create(${team.id}, ${actor}, ${id}, ${team.workspace}, 'A', null, '{"fields": []}')`;
      },
    },
    { name: "form_patch", kind: "form.patched", prepare: patch({ op: "setMeta", name: "B" }) },
    {
      name: "form_patch",
      kind: "form.settings_changed",
      prepare: patch({ op: "setMeta", settings: { anonymous: { enabled: false } } }),
    },
    {
      name: "form_publish",
      kind: "form.published",
      prepare: async () => {
        const id = await draft();
        const [row] = await sql<[{ updatedAt: Date }]>`select updated_at from formd.forms where id = ${id}`;
        return (actor) => sql`select formd.form_publish(${team.id}, ${actor}, ${id}, ${row.updatedAt})`;
      },
    },
    {
      name: "form_settings_publish",
      kind: "form.settings_published",
      prepare: async () => {
        const { id } = await form();
        const change = JSON.stringify([{ op: "setMeta", settings: { captcha: { enabled: true } } }]);
        const [row] = await sql<[{ updatedAt: Date }]>`
          select updated_at from formd.form_patch(${team.id}, ${cli}, ${id}, ${change}::text::jsonb, null, null)`;
        return (actor) =>
          sql`select formd.form_settings_publish(${team.id}, ${actor}, ${id}, ${row.updatedAt})`;
      },
    },
    {
      name: "form_close",
      kind: "form.closed",
      prepare: async () => {
        const { id } = await form();
        return (actor) => sql`select formd.form_close(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "form_open",
      kind: "form.opened",
      prepare: async () => {
        const { id } = await form();
        await sql`select formd.form_close(${team.id}, ${cli}, ${id})`;
        return (actor) => sql`select formd.form_open(${team.id}, ${actor}, ${id})`;
      },
    },
    ...[true, false].map(
      (archived): Act => ({
        name: "form_set_archived",
        kind: archived ? "form.archived" : "form.restored",
        prepare: async () => {
          const { id } = await form();
          if (!archived) await sql`select formd.form_set_archived(${team.id}, ${cli}, ${id}, true)`;
          return (actor) => sql`select formd.form_set_archived(${team.id}, ${actor}, ${id}, ${archived})`;
        },
      }),
    ),
    {
      name: "access_key_create",
      kind: "access_key.created",
      prepare: async () => {
        const [to, id] = [await draft(), uuidv7()];
        return (actor) =>
          sql`select formd.access_key_create(${team.id}, ${actor}, ${to}, ${id}, 'fdf_x', ${hashOf(id)})`;
      },
    },
    {
      name: "access_key_revoke",
      kind: "access_key.revoked",
      prepare: async () => {
        const { id: of } = await form();
        const [key] = await sql<
          [{ id: string }]
        >`select id from formd.form_access_keys where form_id = ${of}`;
        return (actor) => sql`select formd.access_key_revoke(${team.id}, ${actor}, ${of}, ${key.id})`;
      },
    },
    {
      name: "agent_create",
      kind: "agent.created",
      prepare: async () => {
        const id = uuidv7();
        return (actor) => sql`
          select formd.agent_create(p_team => ${team.id}, p_actor => ${actor}, p_workspace => ${team.workspace}, p_id => ${id}, p_name => 'Agent',
            p_client_id => ${id}, p_secret_prefix => 'fda_x', p_secret_hash => ${hashOf(id)})`;
      },
    },
    {
      name: "agent_patch",
      kind: "agent.updated",
      prepare: async () => {
        const id = await agent();
        return (actor) =>
          sql`select formd.agent_patch(${team.id}, ${actor}::formd.actor, ${id}, 'Renamed', 'disabled', false)`;
      },
    },
    {
      name: "agent_secret_rotate",
      kind: "agent.secret_rotated",
      repeats: true,
      prepare: async () => {
        const id = await agent();
        return (actor) =>
          sql`select formd.agent_secret_rotate(${team.id}, ${actor}::formd.actor, ${id}, 'fda_y', ${hashOf(id)}, false, false)`;
      },
    },
    {
      name: "agent_sessions_end",
      kind: "agent.sessions_ended",
      repeats: true,
      prepare: async () => {
        const id = await agent();
        return (actor) => sql`select formd.agent_sessions_end(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "agent_delete",
      kind: "agent.revoked",
      prepare: async () => {
        const id = await agent();
        return (actor) => sql`select formd.agent_delete(${team.id}, ${actor}, ${id})`;
      },
    },
    {
      name: "grant_upsert",
      kind: "grant.changed",
      prepare: async () => {
        const { agent, form } = await grant();
        return (actor) => sql`
          select formd.grant_upsert(p_team => ${team.id}, p_actor => ${actor}, p_agent => ${agent}, p_id => ${uuidv7()}, p_form => ${form},
            p_scopes => '{agent:read,agent:validate}', p_respondent_given => false, p_respondent => null, p_binding_required => null)`;
      },
    },
    {
      name: "grant_remove",
      kind: "grant.deleted",
      prepare: async () => {
        const { agent, id } = await grant();
        return (actor) => sql`select formd.grant_remove(${team.id}, ${actor}, ${agent}, ${id})`;
      },
    },
    { name: "signing_key_add", kind: "signing_key.registered", prepare: async () => addKey(await agent()) },
    {
      name: "signing_key_delete",
      kind: "signing_key.revoked",
      prepare: async () => {
        const [of, key] = [await agent(), newKey()];
        await addKey(of, uuidv7(), key)(cli);
        return (actor) => sql`select formd.signing_key_delete(${team.id}, ${actor}, ${of}, ${key.id})`;
      },
    },
    {
      name: "submission_patch",
      kind: "submission.edited",
      prepare: async () => {
        const { form, id } = await submission();
        const [row] = await sql<
          [{ updatedAt: Date }]
        >`select updated_at from formd.submissions where id = ${id}`;
        return (actor) => sql`
          select formd.submission_patch(p_team => ${team.id}, p_actor => ${actor}, p_form => ${form}, p_submission => ${id},
            p_expected_updated_at => ${row.updatedAt}, p_edits => '[{"fieldId": "a", "value": "y"}]', p_whole => true,
            p_edit_ids => ${[uuidv7()]})`;
      },
    },
    {
      name: "submission_review",
      kind: "submission.reviewed",
      prepare: async () => {
        const { form, id } = await submission({ settings: { review: { required: true } } });
        const [row] = await sql<
          [{ updatedAt: Date }]
        >`select updated_at from formd.submissions where id = ${id}`;
        return (actor) => sql`
          select formd.submission_review(p_team => ${team.id}, p_actor => ${actor}, p_form => ${form}, p_submission => ${id},
            p_decision => 'approve', p_reason => null, p_expected_updated_at => ${row.updatedAt})`;
      },
    },
    ...[true, false].flatMap((isOfForm): Act[] => {
      const subject = isOfForm ? "form" : "submission";
      const place = (to: { form: string; id: string }, actor: string) => sql`
        select formd.hold_place(${team.id}, ${actor}, ${to.form}, ${isOfForm ? null : to.id}, ${uuidv7()}, 'Case')`;
      return [
        {
          name: "hold_place",
          kind: `${subject}.held`,
          prepare: async () => {
            const to = await submission();
            return (actor) => place(to, actor);
          },
        },
        {
          name: "hold_release",
          kind: `${subject}.released`,
          prepare: async () => {
            const to = await submission();
            await place(to, cli);
            return (actor) => sql`
              select formd.hold_release(${team.id}, ${actor}, ${to.form}, ${isOfForm ? null : to.id})`;
          },
        },
      ];
    }),
    {
      name: "team_set_retention",
      kind: "team.retention_set",
      prepare: async () => {
        await sql`update formd.teams set retention = null where team_id = ${team.id}`;
        return (actor) =>
          sql`select formd.team_set_retention(${team.id}, ${actor}, '{"deleteAfter": "P20Y"}')`;
      },
    },
    {
      name: "file_get",
      kind: "file.downloaded",
      repeats: true,
      prepare: async () => {
        const { form, id } = await submission();
        const file = uuidv7();
        await sql`
          insert into formd.files (team_id, form_id, id, field_id, submission_id, state, uploader, name, size, type,
            sha256, created_at)
          values (${team.id}, ${form}, ${file}, 'a', ${id}, 'claimed', 'page:', 'a.txt', 1, 'text/plain',
            sha256('a'), now())`;
        return (actor) => sql`select formd.file_get(${team.id}, ${actor}, ${form}, ${id}, ${file})`;
      },
    },
    {
      name: "submission_delete",
      kind: "submission.deleted",
      prepare: async () => {
        const { form, id } = await submission();
        return (actor) => sql`select formd.submission_delete(${team.id}, ${actor}, ${form}, ${id})`;
      },
    },
  ];
}
