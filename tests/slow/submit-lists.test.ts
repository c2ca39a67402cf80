/**
 * Random lists of submissions of two teams, from one state, on a clock that stands still: as one call, as one
 * call per item, and by a reference of the rules in TypeScript. Results and tables are equal, and each of
 * some mistakes in the SQL are found.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import type { TransactionSql } from "postgres";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import type { SubmissionItem } from "../../src/resources/submit/submit.ts";
import { makeAgent, makeForm, makeTeam, makeWorkspace, type Service } from "../setup.ts";
import { sqlFixture } from "../sql/fixture.ts";

/** Numbers in [0, 1), the same in each run (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
let random: () => number;
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const chance = (probability: number) => random() < probability;
const hashOf = (text: string) => toByteaText(sha256(text));

interface Form {
  id: string;
  team: string;
  version: number;
  status: "draft" | "published" | "archived";
  settings: { review?: boolean; challenge?: boolean; anonymous?: boolean; max?: number };
  workspace: string;
  accessKey: string;
}

interface Agent {
  id: string;
  workspace: string;
  isActive: boolean;
  grant: { canSubmit: boolean; respondent: string | null; isBinding: boolean };
  hasPass: boolean;
}

/** Owner of a credential. */
interface Caller {
  team: string;
  credentials: Pick<SubmissionItem["credentials"], "credential" | "credential_hash" | "key_id">;
  type: "agent" | "anonymous" | "api_key";
  /** Null: the credential is expired, revoked or unknown. */
  id: string | null;
  signingKey?: string;
  agent?: Agent;
  /** The form of an anonymous session. */
  form?: string;
  canWrite?: boolean;
}

interface World {
  teams: string[];
  forms: Form[];
  callers: Caller[];
  respondents: string[];
}

let app: Service;
let sql: Sql;
let world: World;
/** Milliseconds. */
let now = Date.now();

beforeAll(async () => {
  ({ app, sql } = await sqlFixture());
  world = { teams: [], forms: [], callers: [], respondents: [uuidv7(), uuidv7()] };
  for (let team = 0; team < 2; team++) await addTeam();
  await freezeClock();
});

async function freezeClock() {
  await sql`
    create function public.frozen_clock() returns timestamptz language sql stable as
    'select to_timestamp(current_setting(''test.now'')::float8 / 1000)'`;
  const functions = await sql<{ text: string }[]>`
    select pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'formd'::regnamespace and prosrc like '%clock_timestamp()%'`;
  for (const { text } of functions)
    await sql.unsafe(text.replaceAll("clock_timestamp()", "public.frozen_clock()"));
}

async function addTeam() {
  const team = await makeTeam(app);
  const another = await makeWorkspace(app, team);
  world.teams.push(team.id);
  const forms: Form[] = [];
  const kinds: Pick<Form, "status" | "settings">[] = [
    { status: "published", settings: {} },
    { status: "published", settings: { review: true } },
    { status: "published", settings: { challenge: true } },
    { status: "published", settings: { anonymous: false } },
    { status: "archived", settings: {} },
    { status: "published", settings: { max: 3 } },
    { status: "published", settings: {} },
  ];
  for (const [index, { status, settings }] of kinds.entries()) {
    const workspace = index === kinds.length - 1 ? another : team.workspace;
    const stored = {
      ...(settings.review && { review: { required: true } }),
      ...(settings.challenge && { challenge: { required: true } }),
      ...(settings.max && { availability: { maxSubmissions: settings.max } }),
      ...(settings.anonymous === false && { anonymous: { enabled: false } }),
    };
    const { id, accessKey } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
      workspaceId: workspace,
    });
    await sql`update formd.forms set settings = ${jsonb(sql, stored)}, settings_in_force = ${jsonb(sql, stored)}, status = ${status},
      archived_at = case when ${status} = 'archived' then now() end where id = ${id}`;
    forms.push({ id, team: team.id, version: 1, status, settings, workspace, accessKey });
  }
  world.forms.push(...forms);
  const add = (caller: Omit<Caller, "team">) => world.callers.push({ team: team.id, ...caller });
  const [respondent = ""] = world.respondents;
  const grants = [
    ...Array(5).fill({ canSubmit: true, respondent: null, isBinding: false }),
    { canSubmit: true, respondent, isBinding: false },
    { canSubmit: true, respondent, isBinding: true },
    { canSubmit: true, respondent: null, isBinding: true },
    { canSubmit: false, respondent: null, isBinding: false },
  ];
  for (const [index, grant] of grants.entries()) {
    const { id, token } = await makeAgent(app, team, forms[0] as Form);
    const agent: Agent = {
      id,
      workspace: team.workspace,
      isActive: index !== 4,
      grant,
      hasPass: index % 2 === 0,
    };
    if (!agent.isActive)
      await sql`update formd.agents set status = 'disabled', disabled_at = now() where id = ${id}`;
    await sql`delete from formd.grants where agent_id = ${id}`;
    for (const form of forms) {
      await sql`
        insert into formd.grants (team_id, id, agent_id, form_id, scopes, respondent_id, binding_required, created_at, updated_at)
        values (${team.id}, ${uuidv7()}, ${id}, ${form.id}, ${grant.canSubmit ? ["agent:submit"] : ["agent:read"]},
          ${grant.respondent}, ${grant.isBinding}, now(), now())`;
      await sql`
        insert into formd.challenge_passes (team_id, form_id, agent_id, expires_at)
        values (${team.id}, ${form.id}, ${id}, now() + ${agent.hasPass ? "9 days" : "-1 day"}::interval)`;
    }
    add({ credentials: session(token), type: "agent", id, agent });
    for (const status of ["active", "revoked"]) {
      const key = { id: uuidv7(), name: `key ${status} ${id}` };
      await sql`
        insert into formd.signing_keys (team_id, id, agent_id, key_id, thumbprint, public_key_pem, status, created_at, revoked_at)
        values (${team.id}, ${key.id}, ${id}, ${key.name}, ${key.name}, ${key.name}, ${status}, now(), ${status === "active" ? null : new Date()})`;
      const credentials = { credential: "signature", credential_hash: undefined, key_id: key.name } as const;
      if (status === "active") add({ credentials, type: "agent", id, agent, signingKey: key.id });
      else add({ credentials, type: "agent", id: null });
    }
  }
  for (const form of forms)
    for (const isLive of [true, false]) {
      const token = `${form.id} ${isLive}`;
      const id = uuidv7();
      await sql`
        insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
        values (${team.id}, ${id}, 'anonymous', ${form.id}, ${sha256(token)}, now(), now() + ${isLive ? "9 days" : "-1 day"}::interval)`;
      add({ credentials: session(token), type: "anonymous", id: isLive ? id : null, form: form.id });
    }
  await sql`update formd.sessions set expires_at = now() + interval '9 days' where agent_id is not null`;
  const apiKey = (text: string) =>
    ({ credential: "api_key", credential_hash: hashOf(text), key_id: undefined }) as const;
  add({ credentials: apiKey(team.key), type: "api_key", id: team.keyId, canWrite: true });
  add({ credentials: apiKey("unknown"), type: "api_key", id: null });
}

const session = (token: string) =>
  ({ credential: "session", credential_hash: hashOf(token), key_id: undefined }) as const;

interface Drawn {
  item: SubmissionItem;
  caller: Caller;
  form: Form;
}

function draw(): Drawn {
  const caller = pick(world.callers);
  const own = world.forms.filter(({ team }) => team === caller.team);
  const form = chance(0.05) ? pick(world.forms) : chance(0.5) ? (own[0] as Form) : pick(own);
  const team = chance(0.05) ? pick(world.teams) : form.team;
  const validation = chance(0.75) ? "accepted" : pick(["rejected", "malformed", "pending"] as const);
  const key = chance(0.3) ? pick(["k1", "k2"]) : undefined;
  const item: SubmissionItem = {
    team_id: team,
    form_id: form.id,
    version: chance(0.95) ? 1 : pick([undefined, 2]),
    credentials: {
      access_key_hash: chance(0.95) ? hashOf(form.accessKey) : hashOf("unknown"),
      ...caller.credentials,
      nonce:
        caller.credentials.credential === "signature"
          ? hashOf(pick(["a", "b", uuidv7(), uuidv7()]))
          : undefined,
      nonce_expires_at:
        caller.credentials.credential === "signature" ? new Date(now + 600_000).toJSON() : undefined,
    },
    admitted: chance(0.05),
    ip_key: `${pick(["a", "b", "c", uuidv7(), uuidv7()])}`,
    ip_limit: pick([3, 30]),
    validation,
    data: validation === "accepted" ? { a: "x" } : undefined,
    metadata: chance(0.1) ? { m: 1 } : undefined,
    respondent_id: chance(0.15) ? pick(world.respondents) : undefined,
    partial: chance(0.1),
    missing_required: chance(0.1) ? ["b"] : [],
    idempotency_key_hash: key && hashOf(key),
    body_hash: key && hashOf(pick(["1", "2"])),
    request_digest: hashOf(uuidv7()),
    signature_input: caller.signingKey && "input",
    signature: caller.signingKey && hashOf("signature"),
    declared_agent: undefined,
    validation_limit: pick([undefined, undefined, 2]),
  };
  return { item, caller, form };
}

/** A list of sessions, each with a client IP and a caller of its own, as most lists are; few are odd. */
function drawPlainList(): Drawn[] {
  const isPlain = ({ id, agent, form: formId }: Caller) => {
    const form = world.forms.find(({ id }) => id === formId);
    return agent
      ? agent.isActive && agent.grant.canSubmit && !agent.grant.isBinding
      : id !== null &&
          form?.status === "published" &&
          !form.settings.max &&
          form.settings.anonymous !== false;
  };
  const drawn = world.callers
    .filter(({ credentials }) => credentials.credential === "session")
    .filter((caller) => chance(isPlain(caller) ? 0.6 : 0.01))
    .map((caller, index) => {
      const { item } = draw();
      const own = world.forms.filter(({ team }) => team === caller.team);
      const formOf = caller.form ? own.find(({ id }) => id === caller.form) : own[0];
      const form = (chance(0.99) ? formOf : pick(own)) as Form;
      const plain: SubmissionItem = {
        ...item,
        team_id: caller.team,
        form_id: form.id,
        version: chance(0.99) ? 1 : 2,
        credentials: { ...item.credentials, access_key_hash: hashOf(form.accessKey), ...caller.credentials },
        admitted: false,
        ip_key: chance(0.99) ? `plain ${index} ${pick(["a", "b"])}` : "plain 0 a",
        ip_limit: 3,
        validation: "accepted",
        data: { a: "x" },
        respondent_id: undefined,
        idempotency_key_hash: undefined,
        body_hash: undefined,
        signature_input: undefined,
        signature: undefined,
      };
      return { item: plain, caller, form };
    });
  return drawn.length > 0 ? drawn : [draw()];
}

/** Sorted as the server sorts it. */
const drawList = () =>
  (chance(0.4) ? drawPlainList() : Array.from({ length: pick([1, 1, 3, 8, 32]) }, draw)).sort(
    ({ item: a }, { item: b }) => (a.ip_key < b.ip_key ? -1 : a.ip_key > b.ip_key ? 1 : 0),
  );

/** The caller as the access key and the team of the item let the function find it. */
const knownCaller = ({ item, caller, form }: Drawn): string | null => {
  const isFormFound =
    item.team_id === form.team && item.credentials.access_key_hash === hashOf(form.accessKey);
  return isFormFound && caller.team === item.team_id ? caller.id : null;
};

/** The order in which a list is evaluated: caller by caller. Items without a caller come first. */
function evaluationOrder(list: Drawn[]): Drawn[] {
  const keyOf = (drawn: Drawn) =>
    [knownCaller(drawn), drawn.item.credentials.nonce, drawn.item.idempotency_key_hash]
      .filter(Boolean)
      .join(" ");
  return list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

interface Row {
  outcome: string;
  callerType: string | null;
  callerId: string | null;
  response: object | null;
  limitName: string | null;
  remaining: number | null;
  resetMs: number | null;
  formVersion: number | null;
}

/** Applies the rules of the specification to one submission after another. */
class Reference {
  readonly #times = new Map<string, number[]>();
  readonly #nonces = new Map<string, number>();
  readonly #keys = new Map<string, { hash: string | undefined; response: object; expiresAt: number }>();
  readonly stored = new Set<string>();
  /** Stored submissions per form. */
  readonly #stored = new Map<string, number>();

  #count(key: string, limit: number, windowMs: number) {
    const times = (this.#times.get(key) ?? []).filter((time) => time > now - windowMs);
    const isAllowed = times.length < limit;
    if (isAllowed) times.push(now);
    this.#times.set(key, times);
    const remaining = Math.max(limit - times.length, 0);
    return { isAllowed, remaining, resetMs: Math.max((times[0] as number) + windowMs - now, 1) };
  }

  submit(drawn: Drawn): Row {
    const { item, caller, form } = drawn;
    const row: Row = {
      outcome: "",
      callerType: null,
      callerId: null,
      response: null,
      limitName: null,
      remaining: null,
      resetMs: null,
      formVersion: null,
    };
    const end = (outcome: string) => ({ ...row, outcome });
    if (!item.admitted) {
      const { isAllowed, remaining, resetMs } = this.#count(item.ip_key, item.ip_limit, 60_000);
      Object.assign(row, { limitName: "ip", remaining, resetMs });
      if (!isAllowed) return end("rate_limited");
    }
    if (item.team_id !== form.team || item.credentials.access_key_hash !== hashOf(form.accessKey))
      return end("unauthorized");
    const isKnown = knownCaller(drawn) !== null;
    const { agent } = caller;
    const isSigned = item.credentials.credential === "signature";
    if (isSigned) row.callerType = "agent";
    else if (item.credentials.credential === "api_key") row.callerType = "api_key";
    else if (isKnown) row.callerType = caller.type;
    if (!isKnown) return end(isSigned ? "key_unusable" : "unauthorized");
    row.callerId = caller.id;
    if (isSigned && !item.admitted) {
      const nonce = `${caller.signingKey} ${item.credentials.nonce}`;
      if ((this.#nonces.get(nonce) ?? 0) >= now) return { ...end("nonce_used"), callerId: null };
      this.#nonces.set(nonce, now + 600_000);
    }
    if (caller.type === "anonymous" && caller.form !== form.id) return end("unauthorized");
    if (agent) {
      if (!agent.isActive) return end("agent_inactive");
      if (agent.workspace !== form.workspace) return end("workspace_mismatch");
      if (!agent.grant.canSubmit) return end("missing_scope");
    }
    if (form.status !== "published") return end("form_not_published");
    if (caller.type === "anonymous" && form.settings.anonymous === false) return end("anonymous_not_allowed");
    if (item.partial && caller.type === "api_key") return end("partial_not_allowed");
    const key = item.idempotency_key_hash && [form.id, caller.id, item.idempotency_key_hash].join(" ");
    const known = key ? this.#keys.get(key) : undefined;
    if (known && known.expiresAt >= now)
      return known.hash === item.body_hash
        ? { ...end("replayed"), response: known.response }
        : end("idempotency_key_reused");
    if ((this.#stored.get(form.id) ?? 0) >= (form.settings.max ?? Number.POSITIVE_INFINITY))
      return { ...end("form_closed"), response: { reason: "full" } };
    if (agent && !item.admitted) {
      if (form.settings.challenge && !agent.hasPass) return end("challenge_required");
      const { isAllowed, remaining, resetMs } = this.#count(`agent ${agent.id}`, 1, 5000);
      Object.assign(row, { limitName: "agent", remaining, resetMs });
      if (!isAllowed) {
        this.#times.get(item.ip_key)?.pop();
        return end("rate_limited");
      }
    }
    const isValidated =
      item.validation === "malformed" || (item.validation !== "pending" && item.version === 1);
    if (!isValidated) return { ...end("admitted"), formVersion: item.version === 1 ? null : 1 };
    if (item.validation === "malformed") {
      // Only what reached validation counts for the agent.
      if (agent) this.#times.get(`agent ${agent.id}`)?.pop();
      if (row.limitName === "agent") row.remaining = (row.remaining ?? 0) + 1;
      return end("malformed");
    }
    const bound = agent?.grant.respondent ?? null;
    if (agent?.grant.isBinding && bound === null) return end("binding_required");
    if (
      agent &&
      bound !== null &&
      (item.respondent_id || agent.grant.isBinding) &&
      item.respondent_id !== bound
    )
      return end("respondent_not_assigned");
    if (item.validation === "rejected") {
      const limit = agent ? item.validation_limit : undefined;
      // A tool's call counts as a dry run while some are left.
      if (agent && limit && this.#count(`validate ${agent.id}`, limit, 60_000).isAllowed) {
        this.#times.get(`agent ${agent.id}`)?.pop();
        if (row.limitName === "agent") row.remaining = (row.remaining ?? 0) + 1;
      }
      return end("rejected");
    }
    const status = item.partial ? "partial" : form.settings.review ? "pending" : "completed";
    const response = { id: item.request_digest ?? "", status, missingRequired: item.missing_required };
    if (key) this.#keys.set(key, { hash: item.body_hash, response, expiresAt: now + 86_400_000 });
    this.stored.add(response.id);
    this.#stored.set(form.id, (this.#stored.get(form.id) ?? 0) + 1);
    return { ...end("stored"), response };
  }
}

/**
 * Submits lists on a clock that stands still.
 * @returns the rows of all lists, and what the tables hold then
 */
async function submitLists(transaction: TransactionSql, lists: SubmissionItem[][], isSet = false) {
  await transaction`select set_config('test.now', ${String(now)}, true)`;
  const rows: Row[] = [];
  for (const items of lists) {
    const list = jsonb(sql, items);
    rows.push(
      ...(await transaction<Row[]>`
        select outcome, caller_type, caller_id, response, limit_name, remaining, reset_ms, form_version
        from ${isSet ? sql`formd.submissions_submit_set(null, ${list})` : sql`formd.submissions_submit(null, ${list})`}`),
    );
  }
  const tables = {
    submissions: await transaction<{ id: string; digest: string }[]>`
        select id, request_digest::text as digest, to_jsonb(s) - 'salt' as row from formd.submissions s
        order by request_digest`,
    counts: await transaction`
      select team_id, form_id, status, sum(total)::int as total from formd.submission_counts group by 1, 2, 3 order by 1, 2, 3`,
    signatures: await transaction`
      select g.* from formd.submission_signatures g join formd.submissions s on s.id = g.submission_id
      order by s.request_digest`,
    nonces: await transaction`select * from formd.nonces order by holder_id, nonce`,
    keys: await transaction`select * from formd.idempotency_keys order by form_id, caller_id, key_hash`,
    limits: await transaction`
      select key, times::text[], counts from formd.rate_limits where cardinality(counts) > 0 order by key`,
  };
  // Each call makes other ids: a submission is known by the digest of its request.
  const digests = new Map(tables.submissions.map(({ id, digest }) => [id, digest]));
  const named = JSON.stringify({ rows: rows.map((row) => ({ ...row })), tables }).replace(
    /[0-9a-f]{8}-[0-9a-f-]{27}/g,
    (id) => digests.get(id)?.replace("\\", "\\\\") ?? id,
  );
  return JSON.parse(named) as { rows: Row[]; tables: typeof tables };
}

const undo = new Error("undo");

/** Runs random lists. @returns the first difference, as a sentence, and the outcomes that occurred */
async function compareLists(count: number) {
  random = randomFrom(1);
  await sql`truncate formd.submissions, formd.submission_signatures, formd.submission_counts, formd.nonces, formd.idempotency_keys, formd.rate_limits`;
  const reference = new Reference();
  const outcomes = new Set<string>();
  for (let round = 0; round < count; round++) {
    now += pick([1, 999, 1000, 4999, 5000, 5001, 20_000, 60_000, 61_000]);
    const list = drawList();
    const order = evaluationOrder(list);
    const items = list.map(({ item }) => item);
    const undone = async (lists: SubmissionItem[][], isSet?: boolean) => {
      let made!: Awaited<ReturnType<typeof submitLists>>;
      await sql
        .begin(async (transaction) => {
          made = await submitLists(transaction, lists, isSet);
          throw undo;
        })
        .catch((error) => {
          if (error !== undo) throw error;
        });
      return made;
    };
    const singly = await undone(order.map(({ item }) => [item]));
    const inSets = await undone([items], true);
    const together = await sql.begin((transaction) => submitLists(transaction, [items]));
    const expected = new Map(order.map((drawn) => [drawn.item, reference.submit(drawn)]));
    for (const [index, item] of items.entries()) {
      const rows = {
        together: together.rows[index],
        inSets: inSets.rows[index],
        singly: singly.rows[order.findIndex((drawn) => drawn.item === item)],
        reference: expected.get(item),
      };
      outcomes.add(rows.together?.outcome ?? "none");
      const texts = Object.values(rows).map((row) => JSON.stringify(row, Object.keys(row ?? {}).sort()));
      if (new Set(texts).size > 1)
        return {
          difference: JSON.stringify({ round, index, size: list.length, rows, item }, null, 1),
          outcomes,
        };
    }
    for (const [name, rows] of Object.entries(together.tables))
      for (const other of [singly, inSets])
        if (JSON.stringify(rows) !== JSON.stringify(other.tables[name as keyof typeof other.tables]))
          return { difference: `round ${round}: table ${name}`, outcomes };
    const ids = together.tables.submissions.map(({ id }: { id: string }) => id);
    if (ids.length !== reference.stored.size || ids.some((id: string) => !reference.stored.has(id)))
      return {
        difference: `round ${round}: other submissions are stored than the reference stores`,
        outcomes,
      };
  }
  return { difference: undefined, outcomes };
}

const every = [
  ...["admitted", "agent_inactive", "anonymous_not_allowed", "binding_required", "challenge_required"],
  ...["form_closed", "form_not_published", "idempotency_key_reused", "key_unusable", "malformed"],
  ...["missing_scope", "nonce_used", "partial_not_allowed", "rate_limited", "rejected", "replayed"],
  ...["respondent_not_assigned", "stored", "unauthorized", "workspace_mismatch"],
];

describe("random lists of submissions", () => {
  test("have the results and leave the tables of one call per item, and those of the reference", async () => {
    const { difference, outcomes } = await compareLists(350);
    expect(difference).toBeUndefined();
    expect([...outcomes].sort()).toEqual(every);
  }, 240_000);

  test.each([
    ["submissions_submit", "or v_team is distinct from v_item.team_id", ""],
    ["submissions_submit", "formd.shared_ip_keys(p_items)", "null::text[]"],
    ["submissions_submit", "v_results[v_position]", "v_results[cardinality(v_results) + 1]"],
    ["submissions_submit", "c.total + excluded.total", "c.total + 1"],
    ["submission_evaluate", "formd.rate_limit_refund(p_item.ip_key)", "1"],
    ["submission_evaluate", "p_item.admitted is not true", "true"],
    ["submission_evaluate", "v_respondent is distinct from p_authorization.respondent_id", "false"],
    ["idempotency_key_find", "i.caller_id = p_result.caller_id", "true"],
    ["idempotency_key_find", "and v_body_hash = p_item.body_hash", ""],
    ["submitter_admit", "v_session_form <> p_form.form_id", "false"],
    ["rate_limit_add", "times[v_first] <= v_now - v_window", "times[v_first] < v_now - v_window"],
    ["submissions_submit_set", "i.version = f.current_version", "true"],
    ["submissions_submit_set", "s.form_id = i.form_id", "true"],
    ["submissions_submit_set", "'agent:submit' = any (g.scopes)", "true"],
    ["submissions_submit_set", "count(distinct i.ip_key) = count(*)", "true"],
    ["submissions_submit_set", "perform formd.rate_limit_refund(v_ip_keys[v_position]);", ""],
    ["submissions_submit_set", "v_refused := v_refused || v_agent_refused;", ""],
    ["submissions_submit_set", "c.total + excluded.total", "c.total + 1"],
    ["nonce_claim", "where nonces.expires_at < v_now", ""],
  ])("would find the mutation of %s: not %s but %j", async (name, from, to) => {
    const [{ text }] = await sql<[{ text: string }]>`
        select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'formd'::regnamespace and proname = ${name}`;
    expect(text).toContain(from);
    await sql.unsafe(text.replaceAll(from, to));
    try {
      // An item that is taken for another team's may also violate a foreign key.
      const { difference } = await compareLists(250).catch((error) => ({ difference: String(error) }));
      expect(difference).toBeString();
    } finally {
      await sql.unsafe(text);
    }
  });
});
