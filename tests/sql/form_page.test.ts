import { expect, test } from "bun:test";
import { makeForm, type PublishedForm } from "../setup.ts";
import { inParallel, type NewSubmission, sqlFixture, submit, submitAll } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const fields = [{ id: "a", type: "text", label: "A" }];
const enabled = { page: { enabled: true } };
const form = await makeForm(app, team, fields, { settings: enabled });

const read = async (of: PublishedForm, { version = null as number | null, ip = "", limit = 120 } = {}) => {
  const [row] = await sql`
    select * from formd.form_page_read(p_team => ${team.id}, p_form => ${of.id}, p_version => ${version},
      p_ip_key => ${ip || null}, p_ip_limit => ${limit})`;
  return row;
};

const noSecrets = { access_key_hash: undefined, credential_hash: undefined };
const noSignature = { key_id: undefined, nonce: undefined, nonce_expires_at: undefined };
/** A submission from a page with this key. */
const fromPage = (key: string | undefined, item: NewSubmission["item"] = {}): NewSubmission => ({
  form,
  ...(key && { idempotencyKey: key }),
  item: { credentials: { credential: "page", ...noSecrets, ...noSignature }, ...item },
});
const sessions = async () =>
  (await sql<{ count: number }[]>`select count(*)::int from formd.sessions where form_id = ${form.id}`)[0]
    ?.count ?? 0;

test("the page of a form has its published version, without a schema that the server holds", async () => {
  expect(await read(form)).toMatchObject({
    outcome: "allowed",
    name: "Test",
    formVersion: 1,
    formSchema: { fields },
  });
  expect(await read(form, { version: 1 })).toMatchObject({
    outcome: "allowed",
    formVersion: 1,
    formSchema: null,
  });
  expect(await read(form, { version: 7 })).toMatchObject({ formVersion: 1, formSchema: { fields } });
});

test("a page that is off has no details; a problem comes with the settings, for the language of its page", async () => {
  const off = await makeForm(app, team, fields, { settings: { page: { language: "de" } } });
  expect(await read(off)).toMatchObject({ outcome: "not_found", settings: null, formVersion: null });
  const settings = { ...enabled, anonymous: { enabled: false } };
  const closed = await makeForm(app, team, fields, { settings });
  expect(await read(closed)).toMatchObject({
    outcome: "anonymous_not_allowed",
    settings: { ...enabled, captcha: { enabled: false }, closed: null },
    name: null,
  });
});

test("beyond the rate limit nothing is read", async () => {
  const two = { ip: "form-page:ip:busy", limit: 2 };
  const outcomes = [await read(form, two), await read(form, two), await read(form, two)];
  expect(outcomes.map((row) => row?.outcome)).toEqual(["allowed", "allowed", "rate_limited"]);
  expect(outcomes[2]).toMatchObject({ settings: null, remaining: 0 });
});

test("submissions with one key are one submission of one session, also at once and in one list", async () => {
  const before = await sessions();
  const [first, second] = await submitAll(sql, team, [fromPage("one"), fromPage("one")]);
  const others = await inParallel(app.database.ownerUrl, 10, (each) => submit(each, team, fromPage("one")));
  expect(first?.outcome).toBe("stored");
  for (const each of [second, ...others]) {
    expect(each).toMatchObject({ outcome: "replayed", response: { id: first?.response?.id ?? "" } });
  }
  const parallel = await inParallel(app.database.ownerUrl, 10, (each) => submit(each, team, fromPage("two")));
  expect(parallel.map(({ outcome }) => outcome).sort()).toEqual([...Array(9).fill("replayed"), "stored"]);
  expect(await sessions()).toBe(before + 2);
});

test("without a key each submission has a session; a refused one has none", async () => {
  const before = await sessions();
  const results = await submitAll(sql, team, [
    fromPage(undefined),
    fromPage(undefined),
    fromPage("bad", { validation: "rejected" }),
    fromPage("old", { version: 7 }),
  ]);
  expect(results.map(({ outcome }) => outcome)).toEqual(["stored", "stored", "rejected", "admitted"]);
  expect(await sessions()).toBe(before + 2);
});

test("where a CAPTCHA is required, a page submits only what was admitted before", async () => {
  const [id] = [form.id];
  await sql`update formd.forms set settings_in_force = settings || '{"captcha": {"enabled": true}}' where id = ${id}`;
  const outcomes = [
    await submit(sql, team, fromPage(undefined)),
    await submit(sql, team, fromPage(undefined, { admitted: true })),
  ];
  await sql`update formd.forms set settings_in_force = settings where id = ${id}`;
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(["captcha_required", "stored"]);
});
