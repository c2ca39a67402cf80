// stacks: one
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { oneRow, type Sql } from "../../../src/platform/database/db.ts";
import { publishForm, publishSettings } from "../../../src/resources/forms/publish.ts";
import { outcome, unknownId, until } from "../../expect.ts";
import { mailServer } from "../../mail-server.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeKey,
  makeOperator,
  makeTeam,
  permissive,
  server,
  tablesWith,
} from "../../setup.ts";
import { Browser } from "../console/browser.ts";
import { mailsFixture } from "./fixture.ts";

setDefaultTimeout(120_000);

let fixture: Awaited<ReturnType<typeof mailsFixture>>;
beforeAll(async () => {
  fixture = await mailsFixture();
});

let people = 0;
const newAddress = () => `owner${++people}@town.example`;
const stateOf = async (form: { id: string }) => (await fixture.listOf(form)).map(({ state }) => state);
const makeDueIn = (sql: Sql, { id }: { id: string }) =>
  sql`update formd.mails set due_at = now() where form_id = ${id} and state = 'due'`;
const makeDue = (form: { id: string }) => makeDueIn(fixture.app.database.sql, form);

describe("a notice", () => {
  test("goes to each recipient within seconds, with a link that carries no credential, and no value", async () => {
    const { formWith, submit, mails, listOf } = fixture;
    const [first, second] = [newAddress(), newAddress()];
    const form = await formWith({ notify: { recipients: [first, second] } });
    const id = await submit(form, { name: "Ada Lovelace", email: "ada@example.org" });
    const [one, two] = [await mails.next(first), await mails.next(second)];
    expect(one.to).toEqual([first]);
    expect(one.mail.text).toContain(`/console/forms/${form.id}/submissions/${id}\n`);
    expect(one.source).not.toContain("Lovelace");
    expect(one.mail.messageId).not.toBe(two.mail.messageId as string);
    await until(async () => (await stateOf(form)).every((state) => state === "sent"));
    expect(await listOf(form)).toEqual(
      [1, 2].map(() =>
        expect.objectContaining({ kind: "notice", submissionId: id, attempts: 1, lastError: null }),
      ),
    );
  });

  test("has the values on demand, never a sensitive one, and what was erased is not in it", async () => {
    const { formWith, submit, mails, call, app } = fixture;
    const to = newAddress();
    const form = await formWith({ notify: { recipients: [to], include: "values" } });
    await publishSettings(app.database.sql, cliActor, fixture.team.id, form.id);
    await submit(form, { name: "Ada\r\nBcc: <b>x</b>", email: "ada@example.org", pin: "4711-secret" });
    const { mail, source } = await mails.next(to);
    expect(mail.text).toContain("Your name:\n  Ada\n  Bcc: <b>x</b>");
    expect(mail.html).toContain("&lt;b>x&lt;/b>");
    expect(mail.bcc).toBeUndefined();
    expect(source).not.toContain("4711");
    const { sql } = app.database;
    const erased = await submit(form, { name: "marker-3f9c" });
    await call("DELETE", `${form.id}/submissions/${erased}`);
    await until(async () => !(await stateOf(form)).includes("due"));
    const rows = await sql`select * from formd.mails m where m.form_id = ${form.id}`;
    expect(JSON.stringify(rows)).not.toMatch(/marker-3f9c|owner\d+@/);
  });

  test("has values to an address only once a person has published that; to operators at once", async () => {
    const { formWith, set, submit, mails, app, team, listOf } = fixture;
    const { sql } = app.database;
    const [first, second] = [newAddress(), newAddress()];
    const form = await formWith({ notify: { recipients: [first] } });
    expect(outcome(await set(form, { notify: { include: "values" } }))).toBe("ok");
    await submit(form, { name: "Lovelace" });
    expect((await mails.next(first)).source).not.toContain("Lovelace");
    await publishSettings(sql, cliActor, team.id, form.id);
    const recipients = [first, second, team.operator.id];
    expect(outcome(await set(form, { notify: { recipients } }))).toBe("ok");
    await submit(form, { name: "Lovelace" });
    expect((await mails.next(first)).source).toContain("Lovelace");
    await until(async () => (await listOf(form)).filter(({ state }) => state !== "due").length === 3);
    expect(mails.taken.filter((one) => one.to.includes(second))).toEqual([]);
    await publishSettings(sql, cliActor, team.id, form.id);
    await submit(form, { name: "Lovelace" });
    expect((await mails.next(second)).source).toContain("Lovelace");
    const own = await formWith({ notify: { recipients: [team.operator.id], include: "values" } });
    const [{ settingsInForce } = {}] = await sql`
      select settings_in_force from formd.forms where team_id = ${team.id} and id = ${own.id}`;
    expect(settingsInForce).toMatchObject({ notify: { recipients: [team.operator.id], include: "values" } });
  });

  test("is not sent for a submission that was deleted before: the mail is dropped, and the list says why", async () => {
    const { formWith, submit, mails, call, app, listOf } = fixture;
    const to = newAddress();
    const form = await formWith({ notify: { recipients: [to], when: "daily", include: "values" } });
    const { sql } = app.database;
    const id = await submit(form, { name: "marker-77aa" });
    await until(async () => (await listOf(form)).length);
    await sql`
      update formd.mails set kind = 'notice', subject_id = ${id}, digest_at = null where form_id = ${form.id}`;
    await call("DELETE", `${form.id}/submissions/${id}`);
    await makeDue(form);
    await until(async () => (await stateOf(form)).every((state) => state !== "due"));
    expect(await listOf(form)).toMatchObject([
      { state: "dropped", lastError: "The submission was deleted." },
    ]);
    expect(mails.taken.filter(({ source }) => source.includes("marker-77aa"))).toEqual([]);
  });

  test("is in the language of the person, else in that of the form's page", async () => {
    const { formWith, submit, mails, app, team } = fixture;
    const { sql } = app.database;
    const address = `amt-${team.id.slice(-6)}@town.example`;
    const page = { language: "de" };
    await submit(await formWith({ page, notify: { recipients: [address] } }));
    expect((await mails.next(address)).mail.subject).toBe("Neue Einsendung: Test");
    await makeOperator(app, team, "viewer");
    const { id } = oneRow(
      await sql<{ id: string }[]>`
        select operator_id as id from formd.operator_sessions where team_id = ${team.id} order by id desc limit 1`,
    );
    const person = oneRow(
      await sql<{ operatorId: string; email: string }[]>`
        update formd.operators set language = 'en' where id = ${id} returning id as operator_id, email`,
    );
    await submit(await formWith({ page, notify: { recipients: [person.operatorId] } }));
    await until(() =>
      mails.taken.some(
        ({ to, mail }) => to.includes(person.email) && mail.subject === "New submission: Test",
      ),
    );
  });

  test("to a person goes to the person's address as long as there is a role", async () => {
    const { formWith, submit, mails, app, team, listOf } = fixture;
    const { sql } = app.database;
    const cookie = await makeOperator(app, team, "viewer");
    const [person] = await sql<{ operatorId: string; email: string }[]>`
      select operator_id, (select email from formd.operators o where o.id = operator_id) as email
      from formd.operator_sessions where team_id = ${team.id} order by id desc limit 1`;
    expect(cookie).not.toBe("");
    const form = await formWith({ notify: { recipients: [person?.operatorId] } });
    await submit(form);
    const isNotice = ({ to, mail }: (typeof mails.taken)[number]) =>
      to.includes(person?.email ?? "") && mail.subject?.startsWith("New submission");
    await until(() => mails.taken.some(isNotice));
    await sql`delete from formd.workspace_roles where operator_id = ${person?.operatorId ?? ""}`;
    await submit(form);
    await until(async () => (await stateOf(form)).includes("dropped"));
    expect((await listOf(form))[0]).toMatchObject({ lastError: "The recipient has left, or was taken out." });
  });

  test("waits when the team has sent its mails of the day, and another team's does not", async () => {
    const limited = await mailsFixture(fixture.mails, { MAIL_MAX_PER_DAY: "2" });
    const to = newAddress();
    const form = await limited.formWith({ notify: { recipients: [to] } });
    for (const name of ["a", "b", "c"]) await limited.submit(form, { name });
    await until(async () => {
      const rows = await limited.listOf(form);
      return rows.filter(({ state }) => state === "sent").length === 2 && rows.length === 3;
    });
    const waiting = (await limited.listOf(form, "?state=due"))[0] as { dueAt: string };
    await until(
      async () =>
        Date.parse(((await limited.listOf(form, "?state=due"))[0] as { dueAt: string }).dueAt) >
        Date.now() + 3_600_000,
    );
    expect(waiting).toMatchObject({ attempts: 0 });
  });
});

test("what was erased before its mails are sent is in none of them, and in no table", async () => {
  let isDown = true;
  const mails = await mailServer({}, () => (isDown ? { status: 451 } : undefined));
  const { formWith, app, team, call, listOf, set } = await mailsFixture(mails, permissive);
  const { sql } = app.database;
  const marker = "marker-5b17e0";
  const recipients = [newAddress()];
  const form = await formWith({
    notify: { recipients, include: "values" },
    copy: { field: "email", include: "values", receipt: true },
  });
  await publishForm(sql, cliActor, team.id, form.id);
  const submitAs = async () => {
    const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: asAgent(form, await makeAgent(app, team, form)),
      body: {
        data: { name: marker, email: `${marker}@example.org`, pin: marker },
        metadata: { note: marker },
      },
    });
    expect(outcome(reply)).toBe("ok");
    return reply.body.data.id as string;
  };
  const id = await submitAs();
  await until(async () => (await listOf(form)).filter(({ lastError }) => lastError).length === 2);
  expect(await tablesWith(sql, marker)).toEqual(["submissions"]);
  expect(outcome(await set(form, { notify: { when: "hourly", include: "link" } }))).toBe("ok");
  await submitAs();
  await until(async () => (await listOf(form)).some(({ kind }) => kind === "digest"));
  for (const { id } of (await call("GET", `${form.id}/submissions`)).body.data.submissions)
    expect(outcome(await call("DELETE", `${form.id}/submissions/${id}`))).toBe("ok");
  expect(await tablesWith(sql, marker)).toEqual([]);
  isDown = false;
  await makeDueIn(sql, form);
  await until(async () => (await listOf(form)).every(({ state }) => state !== "due"));
  expect((await listOf(form)).filter(({ submissionId }) => submissionId === id)).toMatchObject(
    [1, 2].map(() => ({ state: "dropped", lastError: "The submission was deleted." })),
  );
  // The digest is sent: it has a number, and no value.
  expect(mails.taken.map(({ mail }) => mail.subject)).toEqual(["1 new submission: Test"]);
  expect(mails.taken.filter(({ source }) => source.includes(marker))).toEqual([]);
});

test("without a mail server each mail is listed as not sent, with the reason, and sent once it is asked for", async () => {
  const off = await mailsFixture({ ...fixture.mails, settings: {} });
  const to = newAddress();
  const form = await off.formWith({ notify: { recipients: [to] } });
  await off.submit(form);
  await until(async () => (await off.listOf(form)).length);
  const [{ id, lastError } = {}] = await off.listOf(form, "?state=dropped");
  expect(lastError).toContain("The server sends no mail: SMTP_URL");
  const resent = await off.call("POST", `${form.id}/mails/${id}/resend`);
  expect([outcome(resent), resent.body.error]).toEqual(["409 conflict", lastError]);
  const on = await server({ DATABASE_URL: off.app.database.url, ...fixture.mails.settings });
  const again = await ask(on, "POST", `/papi/v1/management/forms/${form.id}/mails/${id}/resend`, {
    headers: { "x-api-key": off.team.key },
  });
  expect(outcome(again)).toBe("ok");
  expect((await fixture.mails.next(to)).mail.messageId).toContain(`${id}@`);
  expect(fixture.mails.taken.filter((one) => one.to.includes(to))).toHaveLength(1);
});

describe("a digest", () => {
  test("is one mail for 300 submissions of an hour, with their number and one-click unsubscribe", async () => {
    const { formWith, submit, mails, app, listOf } = fixture;
    const to = newAddress();
    const form = await formWith({ notify: { recipients: [to], when: "hourly" } });
    await Promise.all(Array.from({ length: 300 }, () => submit(form)));
    await until(async () => (await listOf(form))[0]?.submissions === 300);
    expect(await listOf(form)).toHaveLength(1);
    expect(mails.taken.filter((one) => one.to.includes(to))).toEqual([]);
    await makeDue(form);
    const { mail } = await mails.next(to);
    expect(mail.subject).toStartWith("300 new submissions: ");
    expect(mail.headers.get("list")).toMatchObject({
      unsubscribe: { url: expect.stringContaining("/mail/unsubscribe/") },
    });
    const link = /\((\S+)\)|(https?:\S+unsubscribe\/\S+)/.exec(mail.text ?? "")?.[2] ?? "";
    const path = new URL(link).pathname;
    // A link that is followed asks; a mail program's post ends it.
    expect((await fetch(`${app.url}${path}`)).status).toBe(200);
    const recipients = async () =>
      (await fixture.call("GET", form.id)).body.data.form.settings.notify.recipients;
    expect(await recipients()).toEqual([to]);
    const post = () =>
      fetch(`${app.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "List-Unsubscribe=One-Click",
      });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    expect(await recipients()).toEqual([]);
    const { events } = (
      await ask(app, "GET", `/papi/v1/management/forms/${form.id}/audit?kind=form.recipient_left`, {
        headers: { "x-api-key": fixture.team.key },
      })
    ).body.data;
    expect(events).toHaveLength(1);
    await submit(form);
    await until(
      async () =>
        (await app.database.sql`select from formd.webhook_batches where team_id = ${fixture.team.id}`)
          .length === 0,
    );
    expect(await listOf(form)).toHaveLength(1);
  });

  test("is at the end of the hour or at 6 o'clock UTC, never in the past", async () => {
    const { formWith, submit, app, listOf } = fixture;
    for (const [when, maxHours] of [
      ["hourly", 1],
      ["daily", 24],
    ] as const) {
      const form = await formWith({ notify: { recipients: [newAddress()], when } });
      await submit(form);
      await until(async () => (await listOf(form)).length);
      const [row] = await app.database.sql<{ wait: number; minute: number; hour: number }[]>`
        select extract(epoch from digest_at - now())::float8 / 3600 as wait, extract(minute from digest_at at time zone 'UTC')::int as minute,
          extract(hour from digest_at at time zone 'UTC')::int as hour from formd.mails where form_id = ${form.id}`;
      expect(row?.wait).toBeGreaterThan(0);
      expect(row?.wait).toBeLessThanOrEqual(maxHours);
      expect(row?.minute).toBe(0);
      if (when === "daily") expect(row?.hour).toBe(6);
    }
  });

  test("cannot be ended by a link that this server has not made", async () => {
    for (const token of ["x", "A".repeat(107), "%00", "%", "%ff%fe", `${"A".repeat(106)}=`]) {
      const reply = await fetch(`${fixture.app.url}/mail/unsubscribe/${token}`, { method: "POST" });
      expect([token, reply.status]).toEqual([token, 404]);
    }
  });
});

describe("the list of mails", () => {
  test("is filtered by state, and a mail is sent again with the Message-ID that it had", async () => {
    const { formWith, submit, mails, call, listOf } = fixture;
    const to = newAddress();
    const form = await formWith({ notify: { recipients: [to] } });
    await submit(form);
    const first = await mails.next(to);
    await until(async () => (await listOf(form, "?state=sent")).length === 1);
    expect(await listOf(form, "?state=failed")).toEqual([]);
    const id = (await listOf(form))[0]?.id;
    expect(outcome(await call("POST", `${form.id}/mails/${id}/resend`))).toBe("ok");
    expect((await mails.next(to)).mail.messageId).toBe(first.mail.messageId as string);
  });

  test("is read with submissions:read, of the own team only", async () => {
    const { app, team, formWith, call } = fixture;
    const form = await formWith({});
    const other = await makeTeam(app);
    const { key: weak } = await makeKey(app, team, "forms:read");
    const list = (key: string) => call("GET", `${form.id}/mails`, undefined, key);
    expect(outcome(await list(weak))).toBe("403 missing_scope");
    expect(outcome(await list(other.key))).toBe("404 not_found");
    expect(outcome(await call("GET", `${unknownId}/mails`))).toBe("404 not_found");
    expect(outcome(await call("POST", `${form.id}/mails/${unknownId}/resend`))).toBe("404 not_found");
    expect(outcome(await call("GET", `${form.id}/mails?state=lost`))).toBe("400 bad_request");
  });
});

test("an API key that may not read submissions has none mailed either", async () => {
  const { app, team, call, formWith } = fixture;
  const { key } = await makeKey(app, team, "forms:read", "forms:write");
  const form = await formWith({ review: { required: true } });
  const by = async (notify: object | null, of = key) =>
    outcome(await call("PATCH", form.id, { operations: [{ op: "setMeta", settings: { notify } }] }, of));
  const recipients = [newAddress()];
  expect(await by({ recipients, include: "values" })).toBe("403 missing_scope");
  expect((await call("GET", form.id)).body.data.form.settings).not.toHaveProperty("notify");
  expect(await by({ recipients, include: "link" })).toBe("ok");
  expect(await by({ recipients, include: "values" }, team.key)).toBe("ok");
  // What is as it was is no act of the key; other addresses are.
  expect(await by({ recipients })).toBe("ok");
  expect(await by({ recipients: [newAddress()] })).toBe("403 missing_scope");
  expect(await by(null)).toBe("ok");
});

test("settings.notify is checked: addresses or ids, at most 20, and nothing that would write a header", async () => {
  const { formWith, set } = fixture;
  const form = await formWith({});
  const many = Array.from({ length: 21 }, newAddress);
  for (const notify of [
    { recipients: ["nobody"] },
    { recipients: ["a@b.example\r\nBcc: c@d.example"] },
    { recipients: ["Ada <a@b.example>"] },
    { recipients: many },
    { recipients: [1] },
    { when: "weekly" },
    { include: "all" },
  ])
    expect([notify, outcome(await set(form, { notify }))]).toEqual([notify, expect.stringMatching(/^400 /)]);
  expect(outcome(await set(form, { notify: { recipients: many.slice(1), when: null } }))).toBe("ok");
  expect(outcome(await set(form, { notify: null }))).toBe("ok");
});

test("the page that unsubscribes is one that a browser without a session can use", async () => {
  const { formWith, submit, mails } = fixture;
  const to = newAddress();
  const form = await formWith({ notify: { recipients: [to] } });
  await submit(form);
  const link = /https?:\S+unsubscribe\/\S+/.exec((await mails.next(to)).mail.text ?? "")?.[0] ?? "";
  const path = new URL(link).pathname;
  const browser = new Browser(fixture.app);
  expect((await browser.get(path)).html).toContain(`action="${path}"`);
  expect((await browser.post(path, {})).html).toContain("You get no more notices about the form");
});
