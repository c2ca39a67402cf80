// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { cliActor } from "../../src/platform/auth/actor.ts";
import type { Sql } from "../../src/platform/database/db.ts";
import { publishSettings } from "../../src/resources/forms/publish.ts";
import { addOperator, makeAgent, makeForm, makeTeam, type PublishedForm, type Team } from "../setup.ts";
import { inParallel, raisedProblem, sqlFixture, submitAll } from "./fixture.ts";

const { app, sql } = await sqlFixture();
let team: Team;

const notify = { recipients: ["a@town.example", "b@town.example"] };
const formWith = (settings: object) =>
  makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }], { settings });
async function ownTeam(settings: object = { notify }) {
  team = await makeTeam(app);
  return await formWith(settings);
}
const submit = (form: PublishedForm, count = 1) =>
  submitAll(
    sql,
    team,
    Array.from({ length: count }, () => ({ form })),
  );

interface Claim {
  id: string;
  kind: string;
  attempt: number;
  address: string | null;
}
const claim = (limit = 100, { lease = 60, max = 2000, each = sql } = {}) =>
  each<Claim[]>`
    select id, kind, attempt, address from formd.mail_claim(
      p_team => ${team.id}, p_limit => ${limit}, p_lease_seconds => ${lease}, p_max_per_day => ${max})`;
const settle = ({ id, attempt }: Claim, state: string, error: string | null = null) => sql`
  select formd.mail_settle(
    p_team => ${team.id}, p_id => ${id}, p_attempt => ${attempt}, p_state => ${state}, p_error => ${error})`;
const rows = () =>
  sql<
    { id: string; kind: string; state: string; attempts: number; wait: number; lastError: string | null }[]
  >`
    select id, kind, state, attempts, extract(epoch from due_at - clock_timestamp())::float8 as wait, last_error
    from formd.mails where team_id = ${team.id} order by id`;
const makeDue = () => sql`update formd.mails set due_at = now() where team_id = ${team.id} and state = 'due'`;

describe("a mail", () => {
  test("is recorded with the submission or not at all, for each recipient, and not where nobody listens", async () => {
    const form = await ownTeam();
    const silent = await formWith({});
    await submit(silent, 3);
    expect(await sql`select from formd.webhook_batches where team_id = ${team.id}`).toHaveLength(0);
    await sql
      .begin(async (transaction) => {
        await submitAll(transaction as unknown as Sql, team, [{ form }]);
        throw new Error("rolled back");
      })
      .catch(() => {});
    expect(await claim()).toHaveLength(0);
    await submit(form);
    await submit(form, 3);
    await submitAll(sql, team, [{ form }, { form: silent }]);
    const claims = await claim();
    expect(claims).toHaveLength(10);
    expect([...new Set(claims.map(({ address }) => address))].sort()).toEqual(notify.recipients);
  });

  test("is leased by one server at a time, and again when its lease runs out, as another attempt", async () => {
    const form = await ownTeam();
    await submit(form, 10);
    await claim(0);
    const all = await inParallel(app.database.ownerUrl, 4, async (each) => await claim(5, { each }));
    const ids = all.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const left of await claim()) ids.push(left.id);
    expect(new Set(ids).size).toBe(20);
    expect(await claim()).toHaveLength(0);
    await makeDue();
    const again = await claim();
    expect(new Set(again.map(({ attempt }) => attempt))).toEqual(new Set([2]));
    const [first] = again;
    if (!first) throw new Error("nothing was leased");
    // The late result of the first lease: only a success counts.
    await settle({ ...first, attempt: 1 }, "failed", "late");
    expect((await rows()).find(({ id }) => id === first.id)).toMatchObject({ state: "due" });
    await settle({ ...first, attempt: 1 }, "sent");
    expect((await rows()).find(({ id }) => id === first.id)).toMatchObject({ state: "sent" });
  });

  test("is tried again with growing delays for a day, then it has failed with the last reason", async () => {
    const form = await ownTeam({ notify: { recipients: ["a@town.example"] } });
    await submit(form);
    for (const delay of [60, 300, 900, 3600, 7200, 7200]) {
      await makeDue();
      const [leased] = await claim();
      await settle(leased as Claim, "due", "The mail server refused the mail (4.7.1).");
      const [row] = await rows();
      expect(row?.wait).toBeGreaterThan(delay - 10);
      expect(row?.wait).toBeLessThan(delay * 1.1 + 1);
    }
    await sql`update formd.mails set due_at = now(), gives_up_at = now() where team_id = ${team.id}`;
    expect(await claim()).toHaveLength(0);
    expect(await rows()).toMatchObject([
      { state: "failed", lastError: "The mail server refused the mail (4.7.1)." },
    ]);
  });

  test("of a team over its limit waits, and the team's turn passes to the next", async () => {
    const form = await ownTeam();
    await submit(form, 3);
    expect(await claim(100, { max: 4 })).toHaveLength(4);
    const due = await sql<{ team: string }[]>`
      select team from formd.mail_due_after(p_after => null, p_limit => 10000) as team`;
    expect(due.map(({ team }) => team)).not.toContain(team.id);
    const waiting = (await rows()).filter(({ attempts }) => attempts === 0);
    expect(waiting.map(({ wait }) => wait > 80_000)).toEqual([true, true]);
  });

  test("to an operator is for one with a role in the form's workspace", async () => {
    await ownTeam();
    const other = await makeTeam(app);
    const form = await formWith({ notify: { recipients: [team.operator.id, other.operator.id] } });
    await submit(form);
    expect((await claim()).map(({ address }) => address).sort()).toEqual([team.operator.email, null].sort());
  });
});

describe("a mail of a submission that no server sends", () => {
  const listen = () =>
    sql`select formd.webhook_claim(p_team => ${team.id}, p_limit => 1, p_lease_seconds => 60)`;

  test("is recorded as dropped, with the reason, and a mail server that is set up later sends nothing", async () => {
    const form = await ownTeam();
    await submit(form);
    await listen();
    expect(await rows()).toMatchObject(
      [1, 2].map(() => ({ state: "dropped", lastError: expect.stringContaining("SMTP_URL") })),
    );
    expect(await claim()).toHaveLength(0);
    await submit(form);
    expect(await claim()).toHaveLength(2);
  });

  test("counts in the digest of a server that does send", async () => {
    const form = await ownTeam({ notify: { recipients: ["a@town.example"], when: "daily" } });
    await submit(form, 2);
    await listen();
    expect(await rows()).toMatchObject([{ state: "dropped" }]);
    await submit(form, 3);
    await claim();
    expect(await rows()).toMatchObject([{ state: "due", lastError: null }]);
    const [{ submissions }] = await sql<[{ submissions: number }]>`
      select submissions from formd.mails where team_id = ${team.id}`;
    expect(submissions).toBe(5);
  });

  test("has waited for a day when no server has claimed it for so long", async () => {
    const form = await ownTeam();
    await submit(form);
    await sql`
      update formd.webhook_batches set expires_at = ${new Date(Date.now() + 29 * 86_400_000)}
      where team_id = ${team.id}`;
    expect(await claim()).toHaveLength(0);
    expect(await rows()).toMatchObject(
      [1, 2].map(() => ({ state: "dropped", lastError: "It waited for a day." })),
    );
  });
});

test("10,000 submissions are one digest, due soon after its time", async () => {
  const form = await ownTeam({ notify: { recipients: ["a@town.example"], when: "daily" } });
  for (let count = 0; count < 10_000; count += 500) await submit(form, 500);
  await claim(0);
  const digests = await sql<{ submissions: number; wait: number }[]>`
    select submissions, extract(epoch from due_at - digest_at)::integer as wait
    from formd.mails where team_id = ${team.id}`;
  // The day may have ended meanwhile.
  expect(digests.length).toBeLessThanOrEqual(2);
  expect(digests.reduce((sum, { submissions }) => sum + submissions, 0)).toBe(10_000);
  expect(digests[0]?.wait).toBe(30);
  await makeDue();
  expect(await claim()).toHaveLength(digests.length);
});

test.each([
  ["hourly", 1],
  ["daily", 24],
])(
  "a digest (%s) is at the end of the hour or at 6 o'clock UTC, never in the past",
  async (when, maxHours) => {
    await submit(await ownTeam({ notify: { recipients: ["a@town.example"], when } }));
    await claim(0);
    const [row] = await sql<[{ wait: number; at: Date }]>`
    select extract(epoch from digest_at - now())::float8 / 3600 as wait, digest_at as at
    from formd.mails where team_id = ${team.id}`;
    expect(row.wait).toBeGreaterThan(0);
    expect(row.wait).toBeLessThanOrEqual(maxHours);
    expect(row.at.toISOString()).toMatch(when === "daily" ? /T06:00:00\.000Z$/ : /:00:00\.000Z$/);
  },
);

/** The settings in effect of a form, once a patch has changed the draft's. */
async function inForce({ id }: PublishedForm, settings: object) {
  const operations = sql.json([{ op: "setMeta", settings }] as never);
  await sql`select formd.form_patch(${team.id}, '(cli,,)', ${id}, ${operations}, null, null)`;
  const [row] = await sql<
    [{ settings: { notify: { recipients: string[]; include: string }; copy?: object } }]
  >`
    select settings_in_force as settings from formd.forms where id = ${id}`;
  return row.settings;
}

test("a notification has values for an e-mail address only once a person has published that; for operators at once", async () => {
  const [first = "", second = ""] = notify.recipients;
  const form = await ownTeam({ notify: { recipients: [first] } });
  const operator = team.operator.id;
  const by = async (change: object, of = form) => {
    const { recipients, include } = (await inForce(of, { notify: change })).notify;
    return [include, ...recipients.toSorted()];
  };
  expect(await by({ include: "values" })).toEqual(["link", first]);
  await publishSettings(sql, cliActor, team.id, form.id);
  expect(await by({ recipients: [first, second, operator] })).toEqual(["values", operator, first]);
  await publishSettings(sql, cliActor, team.id, form.id);
  expect(await by({})).toEqual(["values", operator, first, second]);
  const own = await formWith({});
  expect(await by({ recipients: [operator], include: "values" }, own)).toEqual(["values", operator]);
});

describe("a copy", () => {
  const copy = { field: "email" };

  test("is made only where a stranger cannot choose the e-mail address: with a CAPTCHA, or for an agent", async () => {
    const open = await ownTeam({ copy });
    const guarded = await formWith({ copy, captcha: { enabled: true } });
    const agent = await makeAgent(app, team, open);
    await sql`select from formd.webhook_batches_expand(${team.id})`;
    await submit(open);
    await submit(guarded);
    expect(await claim()).toHaveLength(0);
    // Submissions by an anonymous session, and by an agent.
    const store = async (form: PublishedForm, type: string, submitter: string, status = "completed") => {
      const id = uuidv7();
      await sql`
        insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at,
          completed_at, request_digest)
        values (${team.id}, ${form.id}, ${id}, 1, ${status}, ${type}, ${type === "agent" ? "agent" : type === "anonymous" ? "person" : "owner"}, ${submitter}, '{}', now(), now(), ${status === "completed" ? new Date() : null}, null)`;
      await sql`select formd.mail_submissions_record(${team.id}, ${[id]}, ${[form.id]})`;
      return (await claim()).map(({ kind }) => kind);
    };
    expect(await store(open, "anonymous", uuidv7())).toEqual([]);
    expect(await store(guarded, "anonymous", uuidv7())).toEqual(["copy"]);
    expect(await store(open, "agent", agent.id)).toEqual(["copy"]);
    expect(await store(open, "agent", agent.id, "partial")).toEqual([]);
    expect(await store(guarded, "api_key", uuidv7())).toEqual([]);
  });

  test("has the settings that a person has published, whole or not at all; switching it off is in effect at once", async () => {
    const form = await ownTeam({ copy: { field: "email", subject: "Thanks" } });
    const by = async (copy: object | null) => (await inForce(form, { copy })).copy;
    const published = { field: "email", subject: "Thanks" };
    expect(await by({ text: "Buy this", subject: null })).toEqual(published);
    expect(await by(null)).toBeUndefined();
    expect(await by({ field: "other" })).toEqual(published);
    const never = await ownTeam({ notify });
    expect((await inForce(never, { copy: { field: "email", text: "Buy this" } })).copy).toBeUndefined();
  });
});

test("a mail is sent again by editors, and by API keys", async () => {
  const form = await ownTeam();
  await submit(form);
  const [first] = await claim();
  await settle(first as Claim, "sent");
  const resend = (actor: string, id = first?.id ?? "", isMailed = true) =>
    sql`select formd.mail_resend(${team.id}, ${actor}::formd.actor, ${form.id}, ${id}, ${isMailed})`;
  const join = async (role: string) => (await addOperator(app, team.id, team.workspace, role)).id;
  const [viewer, editor] = [await join("viewer"), await join("editor")];
  expect(await raisedProblem(resend(`(operator,${viewer},)`))).toMatchObject({
    code: "insufficient_workspace_role",
  });
  expect(await raisedProblem(resend("(cli,,)", first?.id, false))).toMatchObject({
    code: "conflict",
    detail: expect.stringContaining("SMTP_URL"),
  });
  await resend(`(operator,${editor},)`);
  expect((await rows()).find(({ id }) => id === first?.id)).toMatchObject({ state: "due", attempts: 0 });
  expect(await raisedProblem(resend("(cli,,)", uuidv7()))).toMatchObject({ code: "not_found" });
});
