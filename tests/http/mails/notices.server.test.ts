// stacks: one
import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import type { Sql } from "../../../src/platform/database/db.ts";
import { publishForm, publishSettings } from "../../../src/resources/forms/publish.ts";
import { referenceOf } from "../../../src/resources/submit/reference.ts";
import { outcome, unknownId, until } from "../../expect.ts";
import { mailServer } from "../../mail-server.ts";
import { addOperator, asAgent, ask, makeAgent, makeKey, permissive, tablesWith } from "../../setup.ts";
import { Browser, expectPage } from "../console/browser.ts";
import { mailsFixture } from "./fixture.ts";

const { app, team, mails, call, set, formWith, submit, listOf } = await mailsFixture();

let people = 0;
const newAddress = () => `owner${++people}@town.example`;
const stateOf = async (form: { id: string }) => (await listOf(form)).map(({ state }) => state);
const makeDueIn = (sql: Sql, { id }: { id: string }) =>
  sql`update formd.mails set due_at = now() where form_id = ${id} and state = 'due'`;
const makeDue = (form: { id: string }) => makeDueIn(app.database.sql, form);

describe("a notification", () => {
  test("goes to each recipient within seconds, with a link that carries no credential, and no value that nobody has published", async () => {
    const [first, second] = [newAddress(), newAddress()];
    const form = await formWith({ notify: { recipients: [first, second] } });
    expect(outcome(await set(form, { notify: { include: "values" } }))).toBe("ok");
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
    const to = newAddress();
    const form = await formWith({ notify: { recipients: [to], include: "values" } });
    await publishSettings(app.database.sql, cliActor, team.id, form.id);
    await submit(form, { name: "Ada\r\nBcc: <b>x</b>", email: "ada@example.org", pin: "4711-unspeakable" });
    const { mail, source } = await mails.next(to);
    expect(mail.text).toContain("Your name:\n  Ada\n  Bcc: <b>x</b>");
    expect(mail.html).toContain("&lt;b>x&lt;/b>");
    expect(mail.bcc).toBeUndefined();
    expect(source).not.toContain("unspeakable");
    const { sql } = app.database;
    const erased = await submit(form, { name: "marker-3f9c" });
    await call("DELETE", `${form.id}/submissions/${erased}`);
    await until(async () => !(await stateOf(form)).includes("due"));
    const rows = await sql`select * from formd.mails m where m.form_id = ${form.id}`;
    expect(JSON.stringify(rows)).not.toMatch(/marker-3f9c|owner\d+@/);
  });

  test("names the address in a published field for its reader to write to, with the values, and never a sensitive one", async () => {
    const to = newAddress();
    const include = "values";
    const form = await formWith({ notify: { recipients: [to], include } });
    const { sql } = app.database;
    const publish = () => publishSettings(sql, cliActor, team.id, form.id);
    const replyTo = async (data: object) => {
      await submit(form, data);
      return (await mails.next(to)).mail.replyTo?.value.map(({ address }) => address);
    };
    const ada = { name: "Ada", email: "ada@example.org" };
    await publish();
    await set(form, { notify: { replyTo: "email" } });
    expect(await replyTo(ada)).toBeUndefined();
    await publish();
    expect(await replyTo(ada)).toEqual(["ada@example.org"]);
    expect(await replyTo({ name: "Ada" })).toBeUndefined();
    await set(form, { notify: { include: "link" } });
    expect(await replyTo(ada)).toBeUndefined();
    for (const field of ["name", "none", "pin"]) {
      await set(form, { notify: { replyTo: field } });
      await expect(publish()).rejects.toThrow(`answers to notices go to "${field}" (notify.replyTo)`);
    }
  });

  test("is in the language of the person, else in the language of the form's page", async () => {
    const address = `amt-${team.id.slice(-6)}@town.example`;
    const page = { language: "de" };
    const german = await submit(await formWith({ page, notify: { recipients: [address] } }));
    expect((await mails.next(address)).mail.subject).toBe(`Neue Einsendung ${referenceOf(german)}: Test`);
    const { id, email } = await addOperator(app, team.id, team.workspace, "viewer");
    await app.database.sql`update formd.operators set language = 'en' where id = ${id}`;
    const english = await submit(await formWith({ page, notify: { recipients: [id] } }));
    expect((await mails.next(email)).mail.subject).toBe(`New submission ${referenceOf(english)}: Test`);
  });

  test("to a person goes to the person's e-mail address as long as there is a role", async () => {
    const { id, email } = await addOperator(app, team.id, team.workspace, "viewer");
    const form = await formWith({ notify: { recipients: [id] } });
    await submit(form);
    await mails.next(email);
    await app.database.sql`delete from formd.workspace_roles where operator_id = ${id}`;
    await submit(form);
    await until(async () => (await stateOf(form)).includes("dropped"));
    expect((await listOf(form))[0]).toMatchObject({ lastError: "The recipient has left, or was taken out." });
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
  // Waits for the try of the copy: a mail that is being sent when its submission is deleted is sent.
  await until(async () => {
    const mails = await listOf(form);
    return (
      mails.some(({ kind }) => kind === "digest") &&
      mails.every(({ kind, lastError }) => kind === "digest" || lastError)
    );
  });
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
  expect(mails.taken.map(({ mail }) => mail.subject)).toEqual([
    expect.stringMatching(/^1 new submission: Test, \w+ \d+, \d{4}/),
  ]);
  expect(mails.taken.filter(({ source }) => source.includes(marker))).toEqual([]);
});

test("without a mail server each mail is listed as not sent, with the reason", async () => {
  const off = await mailsFixture({ ...mails, settings: {} });
  const form = await off.formWith({ notify: { recipients: [newAddress()] } });
  await off.submit(form);
  await until(async () => (await off.listOf(form)).length);
  const [{ id, lastError } = {}] = await off.listOf(form, "?state=dropped");
  expect(lastError).toContain("The server sends no mail: SMTP_URL");
  const resent = await off.call("POST", `${form.id}/mails/${id}/resend`);
  expect([outcome(resent), resent.body.error]).toEqual(["409 conflict", lastError]);
});

describe("a digest", () => {
  test("is one mail for the submissions of an hour, with their number and one-click unsubscribe", async () => {
    const to = newAddress();
    const form = await formWith({ notify: { recipients: [to], when: "hourly" } });
    await Promise.all(Array.from({ length: 3 }, () => submit(form)));
    await until(async () => (await listOf(form))[0]?.submissions === 3);
    expect(await listOf(form)).toHaveLength(1);
    expect(mails.taken.filter((one) => one.to.includes(to))).toEqual([]);
    await makeDue(form);
    const { mail } = await mails.next(to);
    expect(mail.subject).toStartWith("3 new submissions: ");
    expect(mail.headers.get("list")).toMatchObject({
      unsubscribe: { url: expect.stringContaining("/mail/unsubscribe/") },
    });
    const link = /\((\S+)\)|(https?:\S+unsubscribe\/\S+)/.exec(mail.text ?? "")?.[2] ?? "";
    const path = new URL(link).pathname;
    // A link that is followed asks, also without a session; a mail program's post ends it.
    const browser = new Browser(app);
    expect((await browser.get(path)).html).toContain(`action="${path}"`);
    const recipients = async () => (await call("GET", form.id)).body.data.form.settings.notify.recipients;
    // The ids of this link with a signature that is not this server's.
    const bytes = Buffer.from(path.split("/").at(-1) ?? "", "base64url");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const forged = `${app.url}/mail/unsubscribe/${bytes.toString("base64url")}`;
    expect((await fetch(forged, { method: "POST" })).status).toBe(404);
    expect(await recipients()).toEqual([to]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const oneClick = { method: "POST", headers, body: "List-Unsubscribe=One-Click" };
    expect((await fetch(`${app.url}${path}`, oneClick)).status).toBe(200);
    expect(await recipients()).toEqual([]);
    expect((await browser.post(path, {})).html).toContain("You get no more e-mails about submissions to");
    const { events } = (
      await ask(app, "GET", `/papi/v1/management/forms/${form.id}/audit?kind=form.recipient_left`, {
        headers: { "x-api-key": team.key },
      })
    ).body.data;
    expect(events).toHaveLength(1);
    await submit(form);
    await until(
      async () =>
        (await app.database.sql`select from formd.webhook_batches where team_id = ${team.id}`).length === 0,
    );
    expect(await listOf(form)).toHaveLength(1);
  });

  test("cannot be ended by a link that this server has not made", async () => {
    for (const token of ["x", "A".repeat(107), "%00", "%", "%ff%fe", `${"A".repeat(106)}=`]) {
      const reply = await fetch(`${app.url}/mail/unsubscribe/${token}`, { method: "POST" });
      expect([token, reply.status]).toEqual([token, 404]);
      // A person who opens it reads a page, and a program JSON.
      expect(reply.headers.get("content-type")).toContain("application/json");
      const page = await new Browser(app).get(`/mail/unsubscribe/${token}`, { "accept-language": "de" });
      expectPage(page, 404, /lang="de"/, "Dieser Link gehört nicht zu diesem Server.");
    }
  });
});

describe("the list of mails", () => {
  test("is filtered by state, and a mail is sent again with the Message-ID that it had", async () => {
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

  test("is of a form that there is, in a state that there is", async () => {
    const form = await formWith({});
    expect(outcome(await call("GET", `${unknownId}/mails`))).toBe("404 not_found");
    expect(outcome(await call("POST", `${form.id}/mails/${unknownId}/resend`))).toBe("404 not_found");
    expect(outcome(await call("GET", `${form.id}/mails?state=lost`))).toBe("400 bad_request");
  });
});

test("an API key that may not read submissions has none mailed either", async () => {
  const { key } = await makeKey(app, team, "forms:read", "forms:write");
  const form = await formWith({ review: { required: true } });
  const by = async (notify: object | null, of = key) =>
    outcome(await call("PATCH", form.id, { operations: [{ op: "setMeta", settings: { notify } }] }, of));
  const recipients = [newAddress()];
  expect(await by({ recipients, include: "values" })).toBe("403 missing_scope");
  expect((await call("GET", form.id)).body.data.form.settings).not.toHaveProperty("notify");
  expect(await by({ recipients, include: "link" })).toBe("ok");
  expect(await by({ recipients, include: "values" }, team.key)).toBe("ok");
  // An unchanged setting needs no scope; new recipients do.
  expect(await by({ recipients })).toBe("ok");
  expect(await by({ recipients: [newAddress()] })).toBe("403 missing_scope");
  expect(await by(null)).toBe("ok");
});
