/**
 * Every function that writes beside every other one, on the same rows, with real concurrency: PostgreSQL
 * finds no deadlock. The functions are read from the catalog: all that a server or an administrator may call.
 * Each call is rolled back, so that every pair finds the same rows.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { ParameterOrJSON } from "postgres";
import { v7 as uuidv7 } from "uuid";
import { parseSecret, sha256 } from "../../src/platform/auth/secret.ts";
import { connect, jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { makeAgent, makeForm, makeTeam, type Service } from "../setup.ts";
import { newKey } from "../signing.ts";
import { inParallel, sqlFixture, submit } from "../sql/fixture.ts";

/** Teams on which pairs run at once. */
const lanes = 4;
/**
 * Runs of a pair. Pairs of two functions that take lists run more often, since their items differ from run to
 * run.
 */
const repetitions = { usual: 2, lists: 12 };

interface Writer {
  name: string;
  /** Functions that run before it in its statement, to authenticate the callers of its route. */
  authenticators: string[];
  arguments: { name: string; type: string; isComposite: boolean }[];
}

let app: Service;
let sql: Sql;
let writers: Writer[];

beforeAll(async () => {
  ({ app, sql } = await sqlFixture());
  await widenGaps();
  const rows = await sql<Writer[]>`
    select p.proname as name, array_remove(array[
        case when p.prosrc ~ 'Route: [^\n]* /(?:management|identity)/' then 'api_key_authenticate' end,
        case when p.prosrc ~ 'Route: [^\n]* (?:/identity/|/management/[^\n]*/review)' then 'operator_session_authenticate' end
      ], null) as authenticators, (
      select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'type', format_type(a.type, null), 'isComposite', t.typtype = 'c')
        order by a.position), '[]')
      from unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs]) with ordinality as a (type, name, position)
      join pg_type t on t.oid = a.type) as arguments
    from pg_proc p
    where p.pronamespace = 'formd'::regnamespace and p.provolatile = 'v'
      and (has_function_privilege('formd_app', p.oid, 'execute') or has_function_privilege('formd_admin', p.oid, 'execute'))
    order by p.proname`;
  // The set-up runs once, before there is a team.
  writers = rows.filter(({ name }) => name !== "setup_complete");
});

/**
 * Makes every row that is written take 2 ms, so that two calls that begin together hold some of their locks
 * and want others. All backends count in one slot, and a deadlock is noticed after 20 ms.
 */
async function widenGaps() {
  await sql`
    create function public.widen() returns trigger language plpgsql as
    'begin perform pg_sleep(0.002); return coalesce(new, old); end'`;
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'formd'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'`;
  for (const { name } of tables)
    await sql.unsafe(
      `create trigger widen before insert or update or delete on formd.${name} for each row execute function public.widen()`,
    );
  const counting = await sql<{ text: string }[]>`
    select pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'formd'::regnamespace and prosrc like '%pg_backend_pid()%'`;
  for (const { text } of counting) await sql.unsafe(text.replaceAll("pg_backend_pid()", "0"));
}

type Scene = Awaited<ReturnType<typeof makeScene>>;

/** A team with two of everything that two calls can meet at. */
async function makeScene() {
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const option = { value: "x", limit: 1_000_000 };
  const limited = await makeForm(app, team, [{ id: "a", type: "select", label: "A", options: [option] }], {
    settings: { availability: { maxSubmissions: 1_000_000 } },
  });
  const agents = await Promise.all(
    [1, 2].map(async () => {
      const agent = await makeAgent(app, team, form);
      const key = newKey();
      await sql`
        insert into formd.grants (team_id, id, agent_id, form_id, scopes, binding_required, created_at, updated_at)
        select team_id, gen_random_uuid(), agent_id, ${limited.id}, scopes, binding_required, created_at, updated_at
        from formd.grants where agent_id = ${agent.id}`;
      await sql`
        select from formd.signing_key_add(
          p_team => ${team.id}, p_actor => '(cli,,)'::formd.actor, p_agent => ${agent.id}, p_id => ${uuidv7()}, p_key_id => ${key.id},
          p_pem => ${key.pem}, p_expires_at => null, p_require_operator => false)`;
      return { ...agent, key, nonces: [randomBytes(16), randomBytes(16)] };
    }),
  );
  const [webhook] = await sql<{ id: string }[]>`
    select id from formd.webhook_create(${team.id}, '(cli,,)'::formd.actor, ${uuidv7()}, null, ${form.id}, 'https://hooks.example.org/', '{submission.created}', 'thin', '')`;
  const { response } = await submit(sql, team, { form });
  const partial = await submit(sql, team, {
    form,
    token: agents[0]?.token as string,
    item: { partial: true },
  });
  await sql`update formd.submissions set status = 'pending', completed_at = null where id = ${response?.id ?? ""}`;
  await sql`
    select from formd.operator_join(${team.id}, '(cli,,)'::formd.actor, ${team.workspace}, ${uuidv7()}, ${`${uuidv7()}@example.org`},
      'scrypt$2$1$1$AAAA', ${randomBytes(32)}, 'admin')`;
  // A rule by which each submission is old enough.
  await sql`
    update formd.forms set settings_in_force = settings_in_force || '{"retention": {"deleteAfter": "P-1D"}}'
    where id = ${form.id}`;
  await sql`
    select from formd.hold_place(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${partial.response?.id ?? ""}, 'Case')`;
  const rows = await sql<{ id: string; updatedAt: Date }[]>`
    select id, updated_at from formd.submissions where id in ${sql([response?.id ?? "", partial.response?.id ?? ""])}`;
  const [{ updatedAt }] = await sql<
    [{ updatedAt: Date }]
  >`select updated_at from formd.forms where id = ${form.id}`;
  const [grant] = await sql<
    { id: string }[]
  >`select id from formd.grants where agent_id = ${agents[0]?.id ?? ""}`;
  const [accessKey] = await sql<
    { id: string }[]
  >`select id from formd.form_access_keys where form_id = ${form.id}`;
  await sql`select from formd.webhook_batches_expand(${team.id})`;
  const [event] = await sql<{ id: string }[]>`select id from formd.webhook_events where team_id = ${team.id}`;
  const challenge = uuidv7();
  await sql`
    insert into formd.challenges (team_id, form_id, id, agent_id, form_version, field_id, prompt, created_at, expires_at)
    values (${team.id}, ${form.id}, ${challenge}, ${agents[0]?.id ?? ""}, 1, 'a', 'What?', now(), now() + interval '1 hour')`;
  const mail = uuidv7();
  await sql`
    insert into formd.mails (team_id, id, kind, form_id, recipient_hash, state, due_at, gives_up_at, created_at, expires_at)
    values (${team.id}, ${mail}, 'notice', ${form.id}, ${sha256("nobody@example.org")}, 'sent', now(), now(), now(), now() + interval '1 day')`;
  // One that is open, and one that was used for a submission.
  const guests = [uuidv7(), uuidv7()];
  await sql`
    insert into formd.invitations (team_id, form_id, id, token_hash, sealed_email, email_hash, state, submission_id, expires_at)
    select ${team.id}, ${form.id}, g.id, sha256(uuid_send(g.id)), 'sealed', ${sha256("nobody@example.org")},
      case g.position when 1 then 'open' else 'submitted' end, case g.position when 2 then ${response?.id ?? ""}::uuid end,
      now() + interval '1 day'
    from unnest(${guests}::uuid[]) with ordinality as g (id, position)`;
  const page = { enabled: true, resume: { enabled: true }, change: { until: "closes", withdraw: true } };
  await sql`
    update formd.forms set settings_in_force = settings_in_force || ${sql.json({ page })} where id = ${form.id}`;
  const token = randomBytes(32);
  await sql`
    insert into formd.page_drafts (team_id, form_id, token_hash, sealed, updated_at, expires_at)
    select ${team.id}, ${form.id}, h, 'sealed', ${updatedAt}, now() + interval '1 day'
    from unnest(array[${token}::bytea, sha256(${token})]) as h`;
  await sql`
    insert into formd.operator_sessions (team_id, id, operator_id, token_hash, created_at, proved_at, seen_at, expires_at)
    values (${team.id}, ${uuidv7()}, ${team.operator.id}, ${token}, now(), now(), now() - interval '1 hour', now() + interval '1 day')`;
  // Links and a password of an operator, and a team to switch to.
  await sql`
    update formd.operators set password_hash = ${token}, reset_hash = ${sha256(team.key)}, reset_expires_at = now() + interval '1 hour'
    where id = ${team.operator.id}`;
  const invitation = uuidv7();
  const invited = `${invitation}@example.org`;
  await sql`
    insert into formd.operator_invitations (team_id, id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
    values (${team.id}, ${invitation}, ${team.workspace}, ${invited}, 'viewer', ${token}, null, now(), now() + interval '1 hour')`;
  const passkey = uuidv7();
  await sql`
    insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at)
    values (${passkey}, ${team.operator.id}, ${token}, ${token}, 0, 'Laptop', now())`;
  await sql`
    insert into formd.passkey_challenges (challenge_hash, operator_id, expires_at)
    values (${token}, ${team.operator.id}, now() + interval '1 hour')`;
  const [connection, respondent] = [uuidv7(), uuidv7()];
  await sql`
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    values (${team.id}, ${respondent}, 'https://id.example.org', 'ada', now(), now() - interval '1 day')`;
  const named = await makeAgent(app, team, form);
  await sql`update formd.grants set respondent = 'asserted' where agent_id = ${named.id}`;
  await sql`update formd.sessions set respondent_id = ${respondent}, resource = 'mcp' where agent_id = ${named.id}`;
  await sql`
    insert into formd.sign_in_connections (id, team_id, name, issuer, client_id, sealed_secret, secret_key, email_domains,
      groups_claim, scopes, roles, is_required, accepts_agents, created_at)
    values (${connection}, ${team.id}, 'Corp', 'https://id.example.org', 'formd', 'secret', 'key', '{corp.example}', 'groups', '{}',
      ${sql.json([{ group: "*", teamId: team.id, workspaceId: team.workspace, role: "viewer" }])}, true, true, now())`;
  await sql`
    insert into formd.operators (id, email, connection_id, subject, created_at)
    values (${uuidv7()}, 'ada@corp.example', ${connection}, 'ada', now())`;
  const files = await Promise.all(
    ["uploading", "uploaded", "deleted"].map(async (state) => {
      const id = uuidv7();
      await sql`
        insert into formd.files (team_id, form_id, id, field_id, state, uploader, name, size, type, created_at, expires_at)
        values (${team.id}, ${form.id}, ${id}, 'a', ${state}, ${`api_key:${team.keyId}`}, '', 10, '', now(), now() - interval '1 second')`;
      return id;
    }),
  );
  // It is of no submission that another function deletes.
  const kept = { file: uuidv7(), submission: uuidv7() };
  await sql`
    insert into formd.files (team_id, form_id, id, field_id, submission_id, state, uploader, name, size, type, sha256, created_at)
    values (${team.id}, ${form.id}, ${kept.file}, 'a', ${kept.submission}, 'claimed', '', 'a', 1, 'text/plain', sha256('a'), now())`;
  const other = await makeTeam(app);
  await sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (${other.id}, ${other.workspace}, ${team.operator.id}, 'viewer', now())`;
  return {
    ...{ team, other, form, limited, agents, webhook, rows, updatedAt, grant, accessKey, event, challenge },
    ...{ token, invitation, invited, mail, passkey, connection, respondent, named, files, kept, guests },
  };
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
const inAnHour = () => new Date(Date.now() + 3_600_000);

/** Credentials of one of the two agents, of the agent with a session for a person, or of the API key. */
function credentials(
  { team, form, agents, named }: Scene,
  kind = pick(["session", "person", "signature", "api_key"]),
  { accessKey } = form,
): object {
  if (kind === "person") return { credential: "session", credential_hash: toByteaText(sha256(named.token)) };
  const agent = pick(agents);
  return {
    access_key_hash: toByteaText(parseSecret("fdf", accessKey).hash),
    credential: kind,
    ...(kind === "signature"
      ? { key_id: agent.key.id, nonce: toByteaText(pick(agent.nonces)), nonce_expires_at: inAnHour() }
      : { credential_hash: toByteaText(sha256(kind === "session" ? agent.token : team.key)) }),
  };
}

/** The rate limit of a client IP: half of the calls share three of them, and the others do not wait there. */
const ipKey = ({ team }: Scene, own = Math.random() < 0.5 ? uuidv7() : team.id) =>
  `submit:ip:${own}:${pick([1, 2, 3])}`;

/** The token of an invitation of the scene, hashed. */
const guestHash = (id = "") => sha256(Buffer.from(id.replaceAll("-", ""), "hex"));

/** A draft and an invitation that a submission ends. */
const ended = ({ token, guests }: Scene) => ({
  draft_hash: pick([toByteaText(token), toByteaText(sha256(token)), undefined]),
  invitation_hash: pick([toByteaText(guestHash(guests[0])), undefined, undefined]),
});

/** An invitation to make, of the respondent whom the scene has. */
const guestItem = ({ respondent }: Scene) => ({
  token_hash: toByteaText(randomBytes(32)),
  email_hash: toByteaText(sha256("nobody@example.org")),
  email_hashes: [toByteaText(sha256("nobody@example.org"))],
  respondent_id: respondent,
  expires_at: inAnHour(),
});

/** A list as the server sends it: sorted by client IP. */
function items(scene: Scene) {
  const { team, form, limited } = scene;
  const own = pick([team.id, uuidv7()]);
  // Lists with the limited form wait for each other.
  const forms = pick([[form], [form], [form], [form, limited]]);
  return Array.from({ length: 4 }, () => pick(forms))
    .map((form) => ({ form, isPage: pick([true, false, false]) }))
    .map(({ form, isPage }) => ({
      team_id: team.id,
      form_id: form.id,
      version: 1,
      credentials: isPage ? { credential: "page", ...ended(scene) } : credentials(scene, undefined, form),
      admitted: false,
      ip_key: ipKey(scene, own),
      ip_limit: 1000,
      agent_limit: 1000,
      id: uuidv7(),
      validation: pick(["accepted", "accepted", "rejected"]),
      validation_limit: 1000,
      data: { a: "x" },
      partial: false,
      missing_required: [],
      // The key of a page is its own: no other page has it.
      idempotency_key_hash: isPage
        ? toByteaText(randomBytes(32))
        : pick([toByteaText(sha256("k1")), toByteaText(sha256("k2")), undefined]),
      body_hash: toByteaText(sha256("body")),
    }))
    .sort((a, b) => (a.ip_key < b.ip_key ? -1 : 1));
}

const all = (value: unknown, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, value]));

/** Arguments that are the same in each call. */
const constants: Record<string, unknown> = {
  ...all(false, "p_is_required p_admitted p_captcha_passed p_is_known p_is_right"),
  ...all(false, "p_binding_required p_require_operator p_is_withdrawal p_is_sent"),
  ...all(1, "p_counter p_attempt p_version p_ahead"),
  ...all(null, "p_site p_error p_key_nonce p_expires_at p_device p_known_device p_client_ip p_description"),
  ...all(null, "p_expected_version p_first_id p_end_id p_after p_session_hash p_invitation_hash"),
  ...{ p_not_reminded_for: "1 day", p_mails_per_day: 1000 },
  ...all(1000, "p_site_limit p_max_per_day p_ip_limit p_write_limit p_client_limit"),
  ...all(
    true,
    "p_editors_may_publish p_requires_passkey p_accepts_agents p_is_mailed p_sends_mail p_accepts_new",
  ),
  ...all(true, "p_end_sessions p_whole p_archived p_keeps_passkeys"),
  ...all({}, "p_data p_details p_settings"),
  ...{ p_subject: "ada", p_provider_session: "sid", p_issuer: "https://id.example.org" },
  ...{ p_email_domains: ["corp.example"], p_groups_claim: "groups", p_ip: "192.0.2.1" },
  ...{ p_client: "192.0.2.1", p_decision: "approve", p_field: "a", p_field_id: "a", p_type: "text/plain" },
  ...{
    p_size: 10,
    p_max_bytes: 1_000_000,
    p_max_unclaimed: 1_000_000,
    p_scan: "pending",
    p_malware: "Eicar-Test-Signature",
  },
  ...{ p_proof: "15 minutes", p_step_up: "5 minutes", p_statement: "none", p_alg: "ed25519", p_limit: 100 },
  ...{ p_window_ms: 60_000, p_lease_seconds: 60, p_salt: "scrypt$2$1$1$AAAA", p_prefix: "fdx_abcd" },
  ...{ p_secret_prefix: "fda_abcd", p_role: "viewer", p_lifetime: "1 hour", p_pass_lifetime: "1 hour" },
  ...{ p_fingerprints: ["AAAA"], p_current: "BBBB", p_secret_key: "key" },
  ...{ p_idle: "12 hours", p_step: "0 seconds", p_name: "Another", p_workspace_name: "Another" },
  ...{ p_scope: "submissions:write", p_resource: "mcp", p_request_id: "request", p_prompt: "What?" },
  ...{ p_validation: "right", p_url: "https://hooks.example.org/", p_event_types: ["submission.created"] },
  ...{ p_payload: "thin", p_offset: 0, p_keys: ["login:ip:192.0.2.1", "login:site:2001:db8::"] },
};

/**
 * Returns the value of an argument, by its name. A function with a new argument name fails until the name is
 * added here.
 */
function argumentOf(scene: Scene, writer: string, argument: string): unknown {
  const { team, form, agents, webhook, rows, updatedAt, grant, accessKey, event, challenge, token } = scene;
  const { other, invitation, invited, mail, passkey, connection, respondent, files, kept, guests } = scene;
  const agent = pick(agents);
  const row = pick(rows);
  const isNew =
    /_(?:begin|create|register|add|upsert|join|login|login_passkey|login_connection|switch|invite|accept|session_open|place)$/.test(
      writer,
    );
  const existing: Record<string, unknown> = {
    file: pick(files),
    api_key: team.keyId,
    access_key: accessKey?.id,
    webhook: webhook?.id,
    operator: invitation,
    mail,
    passkey,
    invitation: pick(guests),
  };
  const counted = { team_id: team.id, form_id: form.id, day: Math.floor(Date.now() / 86_400_000), total: 1 };
  const values: Record<string, () => unknown> = {
    p_team: () =>
      writer === "team_create" ? uuidv7() : writer === "operator_session_switch" ? other.id : team.id,
    p_from_team: () => team.id,
    p_credential_team: () => team.id,
    p_workspace: () => (writer === "team_create" ? uuidv7() : team.workspace),
    p_operator: () => (writer === "operator_invitation_accept" ? null : team.operator.id),
    // An operator may not make a link for one who has a role in another team.
    p_actor: () =>
      writer === "operator_reset_make"
        ? { type: "cli", id: null, request_id: "request" }
        : { type: "operator", id: team.operator.id, request_id: "request" },
    p_public_key: () => (writer === "passkey_register" ? randomBytes(77) : newKey().pem),
    p_passkey: () => passkey,
    p_connection: () => connection,
    p_groups: () => pick([[], ["staff"]]),
    p_sealed_secret: () => token,
    p_sealed_before: () => Buffer.from("secret"),
    p_roles: () => [{ group: "*", workspaceId: team.workspace, role: "viewer" }],
    p_challenge_hash: () => token,
    p_credential_id: () => randomBytes(32),
    p_reason: () => (writer === "hold_place" ? "Case" : null),
    p_rule: () => jsonb(sql, { deleteAfter: "P20Y" }),
    p_form: () => form.id,
    p_sha256: () => token,
    p_ids: () => files,
    p_item: () => jsonb(sql, items(scene)[0]),
    p_files: () => jsonb(sql, writer === "change_link_apply" ? [] : files.map((id) => ({ id, field: "a" }))),
    p_limits: () => pick([[], [{ fieldId: "a", value: "x", limit: 1_000_000 }]]),
    p_recipient_hash: () => sha256("nobody@example.org"),
    p_sealed: () => (writer === "page_draft_save" ? token : ["AAAA"]),
    p_expected: () => updatedAt,
    p_uploads: () => files,
    p_uploaders: () => [`api_key:${team.keyId}`],
    p_page_hash: () => token,
    p_claim_hash: () => sha256(pick(["one", "two"])),
    p_is_stored: () => pick([true, false]),
    p_progress: () => [
      { ...counted, form_version: 1, kind: pick(["opened", "begun"]), step: 0 },
      { ...counted, form_version: 1, kind: "sent", step: 0 },
    ],
    p_agent: () => (writer === "operator_session_authenticate" ? null : agent.id),
    p_id: () =>
      writer === "file_get"
        ? kept.file
        : isNew || writer === "change_link_upload"
          ? uuidv7()
          : writer.startsWith("sign_in_connection")
            ? connection
            : existing[writer.replace(/_(?!.*key|key_).*$|_revoke$/, "")],
    p_grant: () => grant?.id,
    p_submission: () => (writer === "file_get" ? kept.submission : row.id),
    p_challenge: () => challenge,
    p_event: () => event?.id,
    p_at_once: () => true,
    p_api_key: () => team.keyId,
    p_session: () => uuidv7(),
    p_key_id: () => (writer === "signing_key_add" ? newKey().id : agent.key.id),
    p_pem: () => newKey().pem,
    p_client_id: () =>
      writer.startsWith("oauth_person")
        ? `agent_${agent.id.replaceAll("-", "")}`
        : isNew
          ? uuidv7()
          : agent.id,
    p_asserted: () => pick([true, false, null]),
    p_key_nonce_expires_at: inAnHour,
    p_credentials: () => credentials(scene, writer === "challenge_respond" ? "signature" : undefined),
    p_items: () =>
      writer === "submissions_review"
        ? rows.map(({ id, updatedAt }) => ({ id, updatedAt }))
        : writer === "invitations_create"
          ? [guestItem(scene), guestItem(scene)]
          : items(scene),
    p_submissions: () =>
      ["completed", "pending"].map((status) => ({
        ...counted,
        status,
        provenance: pick(["agent", "owner"]),
      })),
    p_agents: () => [{ ...counted, agent_id: agent.id, outcome: "stored" }],
    p_errors: () => [{ ...counted, form_version: 1, field_id: "a", code: "required" }],
    p_results: () => [
      {
        event_id: event?.id,
        webhook_id: webhook?.id,
        attempt: 1,
        status: 500,
        error: "500",
        duration_ms: 1,
        started_at: new Date(),
      },
    ],
    p_ip_key: () => ipKey(scene),
    p_key: () => ipKey(scene),
    p_nonce: () => pick(agent.nonces),
    p_nonce_expires_at: inAnHour,
    p_hash: () => (isNew || writer === "form_feed_make" ? randomBytes(32) : sha256(team.key)),
    p_token_hash: () =>
      writer.startsWith("invitation_claim")
        ? guestHash(guests[0])
        : (isNew && !/_(?:switch|accept)$/.test(writer)) || /_take$/.test(writer)
          ? randomBytes(32)
          : token,
    p_new_token_hash: () => randomBytes(32),
    p_prepared_hash: () => token,
    p_secret_hash: () => (writer.includes("session") ? sha256(agent.secret) : randomBytes(32)),
    p_access_key_hash: () => parseSecret("fdf", form.accessKey).hash,
    p_password_hash: () => token,
    p_email: () =>
      writer === "operator_join"
        ? `${uuidv7()}@example.org`
        : writer === "operator_invite"
          ? invited
          : team.operator.email,
    p_language: () => pick(["en", "de", null]),
    p_off: () => pick([[], ["key_expiry"]]),
    p_of_team: () => team.id,
    p_uses: () =>
      jsonb(sql, [
        { used_api_key: team.keyId },
        { form_id: form.id, used_access_key: toByteaText(parseSecret("fdf", form.accessKey).hash) },
      ]),
    p_status: () => (writer === "webhook_patch" ? "paused" : "disabled"),
    p_scopes: () => (writer.startsWith("api_key") ? ["forms:read"] : ["agent:submit"]),
    p_ends_with_secret: () => pick([true, false]),
    p_respondent: () =>
      /^(?:respondent_erase|grant_upsert)$/.test(writer)
        ? respondent
        : writer.startsWith("oauth_person")
          ? uuidv7()
          : null,
    p_respondent_given: () => pick([true, false]),
    p_schema: () => ({ fields: [] }),
    p_online: () => pick([true, false]),
    p_operations: () => [{ op: "setMeta", name: "Another" }],
    p_updated_at: () => updatedAt,
    p_expected_updated_at: () => (/^form_(?:apply|patch)$/.test(writer) ? null : row.updatedAt),
    p_fields: () => pick([null, [{ id: "a", type: "text", label: "A" }]]),
    p_is_dry_run: () => pick([true, false]),
    p_edits: () => [{ fieldId: "a", value: uuidv7() }],
    p_state: () => (writer === "mail_settle" ? "sent" : null),
  };
  if (argument in constants) return constants[argument];
  const value = values[argument];
  if (!value) throw new Error(`${writer}: no value for ${argument}`);
  return value();
}

/** A call of a writer on the rows of a scene. */
function callOf(
  scene: Scene,
  { name, arguments: list }: Writer,
): [text: string, values: ParameterOrJSON<never>[]] {
  const values = list.map((argument) => argumentOf(scene, name, argument.name) as ParameterOrJSON<never>);
  const places = list.map(({ name, type, isComposite }, index) =>
    isComposite
      ? `${name} => jsonb_populate_record(null::${type}, $${index + 1}::jsonb)`
      : `${name} => $${index + 1}::${type}`,
  );
  return [`select * from formd.${name}(${places.join(", ")})`, values];
}

const rollback = new Error("rolled back");

/**
 * Runs a call and rolls it back. A write of the management or identity routes is one transaction with the
 * authentication of its caller, and with the locks that this takes.
 *
 * @returns the code of its error, if it had one
 */
async function run(connection: Sql, scene: Scene, writer: Writer): Promise<string | undefined> {
  const authenticator = pick([...writer.authenticators, undefined]);
  const first = writers.find(({ name }) => name === authenticator);
  const [text, values] = callOf(scene, writer);
  try {
    await connection.begin(async (transaction) => {
      if (first) await transaction.unsafe(...callOf(scene, first), { prepare: true });
      await transaction.unsafe(text, values, { prepare: true });
      throw rollback;
    });
  } catch (error) {
    if (error === rollback) return undefined;
    const { code, message } = error as { code: string; message: string };
    return code === "ZFORM" ? message : `${code} ${message}`;
  }
}

/** Runs each of these pairs in both orders of beginning, and returns the errors of each function. */
async function runPairs(pairs: [Writer, Writer][]): Promise<Map<string, Set<string | undefined>>> {
  const queue = [...pairs];
  const ends = new Map<string, Set<string | undefined>>();
  await inParallel(app.database.ownerUrl, lanes, async () => {
    const scene = await makeScene();
    const url = app.database.ownerUrl.replace(/\/\/[^@]*@/, "//postgres@");
    const connections = [1, 2].map(() => connect(url, { poolSize: 1, prepare: true }));
    for (const each of connections) await each`select set_config('deadlock_timeout', '20ms', false)`;
    for (let pair = queue.pop(); pair; pair = queue.pop()) {
      const takeLists = pair.every((writer) => writer.arguments.some(({ name }) => name === "p_items"));
      for (let round = 0; round < (takeLists ? repetitions.lists : repetitions.usual); round++) {
        const codes = await Promise.all(
          pair.map((writer, index) => run(connections[index] as Sql, scene, writer)),
        );
        const isDeadlock = codes.some((code) => code?.startsWith("40P01"));
        for (const [index, { name }] of pair.entries()) {
          const code = isDeadlock
            ? `deadlock of ${pair.map((writer) => writer.name).join(" and ")}`
            : codes[index];
          ends.set(name, (ends.get(name) ?? new Set()).add(code));
        }
      }
    }
    await Promise.all(connections.map((each) => each.end()));
  });
  return ends;
}

const errorsIn = (ends: Awaited<ReturnType<typeof runPairs>>, pattern: RegExp) => [
  ...new Set([...ends.values()].flatMap((codes) => [...codes]).filter((code) => code && pattern.test(code))),
];

describe("two functions at once", () => {
  test("every pair of functions that write ends without a deadlock", async () => {
    const pairs = writers.flatMap((writer, index) =>
      writers.slice(index).map((other): [Writer, Writer] => [writer, other]),
    );
    const ends = await runPairs(pairs);
    console.log(`${writers.length} functions, ${pairs.length} pairs`);
    expect(errorsIn(ends, /^deadlock/)).toEqual([]);
    // Neither a wrong argument of this test, nor a function that is never reached.
    expect(errorsIn(ends, /^(?:22|23|42|0A|P0|XX)\w{3} /)).toEqual([]);
    const refused = writers.filter(({ name }) => !ends.get(name)?.has(undefined));
    expect(refused.map(({ name }) => [name, ...(ends.get(name) ?? [])])).toEqual([]);
  }, 900_000);

  test("an order of locks that is broken is found", async () => {
    const submitting = writers.filter(({ name }) => name === "submissions_submit");
    const [{ text }] = await sql<[{ text: string }]>`
      select pg_get_functiondef('formd.submissions_submit'::regproc) as text`;
    await sql.unsafe(
      text.replace("formd.sorted_positions(v_keys)", "array(select generate_subscripts(v_keys, 1))"),
    );
    try {
      const pairs = Array.from({ length: lanes }, () => [...submitting, ...submitting] as [Writer, Writer]);
      let found: unknown[] = [];
      for (let round = 0; round < 10 && found.length === 0; round++)
        found = errorsIn(await runPairs(pairs), /^deadlock/);
      expect(found).toEqual(["deadlock of submissions_submit and submissions_submit"]);
    } finally {
      await sql.unsafe(text);
    }
  });
});
