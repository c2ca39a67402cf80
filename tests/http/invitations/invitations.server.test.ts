// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome, unknownId, until } from "../../expect.ts";
import { mailServer } from "../../mail-server.ts";
import { ask, makeForm, makeKey, makeOperator, makeTeam, service, tablesWith } from "../../setup.ts";

const refused = new Set<string>();
const mails = await mailServer({}, ({ to }: { to: string[] }) =>
  to.some((each) => refused.has(each)) ? { status: 550 } : undefined,
);
const app = await service({ ...mails.settings, RATE_LIMIT_MANAGEMENT_PER_MINUTE: "100000" });
const { sql } = app.database;
const team = await makeTeam(app);
const { key } = await makeKey(app, team, "invitations:manage");

const fields = [
  { id: "name", type: "text", label: "Name", prefill: true, validation: { maxLength: 20 } },
  { id: "code", type: "hidden", label: "Code", prefill: true },
  { id: "city", type: "text", label: "City" },
];
const newForm = () => makeForm(app, team, fields, { settings: { page: { enabled: true } } });
const path = (form: { id: string }, rest = "") => `/papi/v1/management/forms/${form.id}/invitations${rest}`;
const call = (method: string, to: string, body?: unknown) =>
  ask(app, method, to, { headers: { "x-api-key": key }, body });
const invite = (form: { id: string }, invitations: object[], send?: boolean) =>
  call("POST", path(form), { invitations, ...(send && { send }) });
const list = async (form: { id: string }, query = "") => (await call("GET", path(form, query))).body.data;
let people = 0;
const newAddress = () => `Guest${++people}@town.example`;
const rewind = (form: { id: string }, days: number) =>
  sql`update formd.invitations set last_mailed_at = last_mailed_at - make_interval(days => ${days}) where form_id = ${form.id}`;

describe("a list of invitations", () => {
  test("is made whole: links that are shown once, and neither they nor an address in any table", async () => {
    const form = await newForm();
    const email = newAddress();
    const made = await invite(form, [{ label: "Ada", email, values: { name: "Ada", code: "x" } }, {}]);
    expect(outcome(made)).toBe("ok");
    const [first, second] = made.body.data.invitations;
    expect(first.link).toMatch(/\/f\/[\w-]{43}\/i\/[\w-]{22}$/);
    expect(second).toMatchObject({ label: null, email: null });
    for (const secret of [first.link.slice(-22), email, email.toLowerCase()])
      expect(await tablesWith(sql, secret)).toEqual([]);
    const { invitations, counts, pagination } = await list(form);
    expect(invitations.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect(invitations[1]).toMatchObject({
      email,
      label: "Ada",
      state: "open",
      mails: 0,
      lastMailedAt: null,
    });
    expect(counts).toEqual({ open: 2, submitted: 0, revoked: 0, mailed: 0 });
    expect(pagination).toMatchObject({ total: 2, next: null, isTotalExact: true });
  });

  test("is refused with the position of the one that cannot be made, and nothing is made", async () => {
    const form = await newForm();
    const bad: [object, string][] = [
      [{ values: { city: "Bonn" } }, "prefill"],
      [{ values: { none: 1 } }, "prefill"],
      [{ values: { name: "x".repeat(21) } }, "rules"],
      [{ values: { code: "x".repeat(16_384) } }, "too large"],
      [{ email: "none" }, "email"],
      [{ language: "fr" }, "language"],
      [{ expiresat: "2027-06-30T22:00:00Z" }, "unknown member (expiresat)"],
      [{ expiresAt: new Date(Date.now() - 1000).toISOString() }, "future"],
      [{ expiresAt: new Date(Date.now() + 731 * 86_400_000).toISOString() }, "far"],
    ];
    for (const [entry, words] of bad) {
      const reply = await invite(form, [{}, { label: "good" }, entry]);
      expect([words, reply.status, reply.body.code, reply.body.invitation]).toEqual([
        words,
        400,
        "bad_request",
        2,
      ]);
      expect(reply.body.error).toContain(words);
    }
    expect((await invite(form, [{ label: 7 }])).body.error).toContain("invitations[0].label");
    expect((await invite(form, [{ respondentId: unknownId }])).body.code).toBe(
      "respondent_binding_requires_session",
    );
    expect((await list(form)).pagination.total).toBe(0);
    const [draft] = await sql<[{ id: string }]>`
      select id from formd.form_create(${team.id}, '(cli,,)', null, 'Draft', null, '{"fields": []}')`;
    expect((await invite(draft, [{}])).body.code).toBe("conflict");
  });

  test("binds a respondent by an operator alone, who is then named", async () => {
    const form = await newForm();
    const cookie = await makeOperator(app, team, "editor");
    const respondent = unknownId.replace(/.$/, "7");
    const headers = { cookie, origin: app.url, "content-type": "application/json" };
    const bind = () =>
      ask(app, "POST", path(form), { headers, body: { invitations: [{}, { respondentId: respondent }] } });
    expect((await bind()).body).toMatchObject({ code: "bad_request", invitation: 1 });
    await sql`
      insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
      values (${team.id}, ${respondent}, 'https://id.example.org', 'ada', now(), now())`;
    const made = await bind();
    expect(made.status).toBe(200);
    const isNamed = async () => {
      const [row] = await sql`select formd.respondent_is_named(${team.id}, ${respondent}) as named`;
      return row?.named;
    };
    expect(await isNamed()).toBe(true);
    const viewer = { ...headers, cookie: await makeOperator(app, team, "viewer") };
    expect((await ask(app, "GET", path(form), { headers: viewer })).status).toBe(200);
    expect((await ask(app, "POST", path(form, "/remind"), { headers: viewer, body: {} })).status).toBe(403);
    const id = made.body.data.invitations[1].id;
    expect((await ask(app, "DELETE", path(form, `/${id}`), { headers: viewer })).status).toBe(403);
    expect((await call("DELETE", path(form, `/${id}`))).body.data).toEqual({ id, state: "revoked" });
    expect(await isNamed()).toBe(false);
  });

  test("is searched by an address, or by a part of a label, page by page", async () => {
    const form = await newForm();
    const email = newAddress();
    const entries = Array.from({ length: 30 }, (_, index) => ({
      label: index % 3 ? "Other" : `Team ${index}`,
    }));
    await invite(form, [{ email, label: "Team x" }, ...entries, { email: email.toUpperCase() }]);
    const byAddress = await list(form, `?q=${encodeURIComponent(email)}`);
    expect(byAddress.invitations.map(({ email }: { email: string }) => email.toLowerCase())).toEqual(
      Array(2).fill(email.toLowerCase()),
    );
    const labels: string[] = [];
    let cursor = "";
    do {
      const page = await list(form, `?q=tEAM&limit=4${cursor}`);
      labels.push(...page.invitations.map(({ label }: { label: string }) => label));
      if (cursor) expect(page.counts).toBeNull();
      cursor = page.pagination.next && `&cursor=${page.pagination.next}`;
    } while (cursor);
    expect(labels).toEqual([...[27, 24, 21, 18, 15, 12, 9, 6, 3, 0].map((n) => `Team ${n}`), "Team x"]);
    expect((await list(form, "?state=submitted")).invitations).toEqual([]);
  });
});

describe("mails", () => {
  test("go to the addresses, with the link, and one click unsubscribes from the form for good", async () => {
    const form = await newForm();
    const email = newAddress();
    const { body } = await invite(form, [{ email, label: "Ada" }, { label: "no address" }], true);
    const { mail, source } = await mails.next(email);
    expect(mail.subject).toBe("Invitation: Test");
    expect(mail.text).toContain(body.data.invitations[0].link);
    expect(source).toContain("List-Unsubscribe=One-Click");
    await until(async () => (await list(form)).counts.mailed === 1);
    const [, link = ""] = /List-Unsubscribe: <([^>]+)>/.exec(source.replaceAll(/\r?\n[ \t]/g, "")) ?? [];
    await fetch(app.url + new URL(link).pathname, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect((await list(form)).invitations[1]).toMatchObject({ unsubscribed: true, mails: 1 });
    await invite(form, [{ email: email.toLowerCase() }], true);
    expect((await list(form)).invitations[0]).toMatchObject({ unsubscribed: true, mails: 0 });
    await rewind(form, 5);
    expect((await call("POST", path(form, "/remind"), { notRemindedFor: "P3D" })).body.data.reminded).toBe(0);
    const mailed = (
      await ask(app, "GET", `/papi/v1/management/forms/${form.id}/mails`, {
        headers: { "x-api-key": team.key },
      })
    ).body.data.mails;
    expect(mailed).toMatchObject([{ kind: "invitation", submissionId: null }]);
  });

  test("of reminders: after a day and what is asked for, four in all, and not to an address that bounced", async () => {
    const form = await newForm();
    const [email, other] = [newAddress(), newAddress()];
    refused.add(other);
    await invite(form, [{ email }, { email: other }], true);
    await mails.next(email);
    await until(async () => (await list(form)).invitations[0].bounced);
    const remind = async (notRemindedFor?: string) =>
      (await call("POST", path(form, "/remind"), { notRemindedFor })).body.data.reminded;
    expect(await remind()).toBe(0);
    await rewind(form, 2);
    expect(await remind("P3D")).toBe(0);
    for (const expected of [1, 1, 1, 0]) {
      expect(await remind("P2D")).toBe(expected);
      if (expected) expect((await mails.next(email)).mail.subject).toBe("Reminder: Test");
      await rewind(form, 2);
    }
    expect((await list(form)).invitations[1]).toMatchObject({ mails: 4, bounced: false });
  });

  test("are dropped once the invitation is revoked, which leaves nothing of the person", async () => {
    const form = await newForm();
    const [email, marker] = [newAddress(), "marker-81c0aa"];
    const made = await invite(form, [{ email, label: marker, values: { name: marker } }]);
    const [{ id }] = made.body.data.invitations;
    await sql.begin(async (transaction) => {
      await transaction`select formd.invitations_remind(${team.id}, '(cli,,)', ${form.id}, '1 day', 100, null)`;
      await transaction`select formd.invitation_revoke(${team.id}, '(cli,,)', ${form.id}, ${id})`;
    });
    expect((await call("DELETE", path(form, `/${id}`))).body.data).toEqual({ id, state: "revoked" });
    expect(await tablesWith(sql, marker)).toEqual([]);
    await until(async () => {
      const [mail] = await sql`select state from formd.mails where form_id = ${form.id}`;
      return mail?.state === "dropped";
    });
    const [row] = await sql`select * from formd.invitations where id = ${id}`;
    expect(row).toMatchObject({ label: null, sealedEmail: null, emailHash: null, prefill: null });
    expect((await call("DELETE", path(form, `/${unknownId}`))).body.code).toBe("not_found");
  });
});

test("without a master key no address is taken, and without a mail server nothing is sent", async () => {
  const plain = await service({ FORMD_SECRET_KEY: "" });
  const of = await makeTeam(plain);
  const form = await makeForm(plain, of, fields);
  const headers = { "x-api-key": (await makeKey(plain, of, "invitations:manage")).key };
  const post = (rest: string, body: object) => ask(plain, "POST", path(form, rest), { headers, body });
  expect((await post("", { invitations: [{}] })).status).toBe(200);
  expect((await post("", { invitations: [{ email: newAddress() }] })).body.code).toBe("unavailable");
  expect((await post("", { invitations: [{}], send: true })).body.code).toBe("conflict");
  expect((await post("/remind", {})).body.code).toBe("conflict");
  const { body } = await ask(plain, "GET", path(form, "?q=a@example.org"), { headers });
  expect(body.data.invitations).toEqual([]);
});
