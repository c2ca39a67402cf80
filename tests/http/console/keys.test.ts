// stacks: one
/** Access keys and API keys: pages of many, as of people, and when one ends. */
import { expect, test } from "bun:test";
import { makeForm, makeTeam, makeWorkspace } from "../../setup.ts";
import { secretOf, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

const { app, sql } = await consoleFixture();
/** A team with a form, and a browser of an admin. */
async function ownTeam() {
  const own = await makeTeam(app);
  const form = await makeForm(app, own, []);
  return {
    own,
    form,
    browser: await browserOf(app, own, "admin"),
    accessKeys: `/console/forms/${form.id}/access-keys`,
  };
}
const apiKeys = "/console/api-keys";

test("API keys are offered and made in a team if one is admin of every workspace", async () => {
  const { own, browser } = await ownTeam();
  const toNew = `href="${apiKeys}/new"`;
  expect((await browser.get(apiKeys)).html).toContain(toNew);
  expect((await browser.get(`${apiKeys}/new`)).html).toContain(`action="${apiKeys}"`);
  await makeWorkspace(app, own);
  const { status, html } = await browser.get(apiKeys);
  expect([status, html.includes(toNew), html.includes("fdk_")]).toEqual([403, false, false]);
});

test("keys and people are listed by the page, newest first, and counted to a bound", async () => {
  const { own, form, browser, accessKeys } = await ownTeam();
  const people = `/console/operators?workspace=${own.workspace}`;
  // More than are counted; the hashes are of no secret.
  await sql`
    insert into formd.form_access_keys (team_id, form_id, id, key_prefix, key_hash, created_at)
    select ${own.id}, ${form.id}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'fdf_' || n, int4send(n), now()
    from generate_series(1, 10050) as n`;
  await sql`
    insert into formd.api_keys (team_id, id, name, scopes, key_prefix, key_hash, created_at)
    select ${own.id}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'key ' || n, '{forms:read}', 'fdk_' || n, int4send(n), now()
    from generate_series(1, 60) as n`;
  await sql`
    with made as (
      insert into formd.operators (id, email, password_salt, password_hash, created_at)
      select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n || '-' || ${own.id} || '@example.org', 'salt', '', now()
      from generate_series(1, 60) as n returning id)
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    select ${own.id}, ${own.workspace}, id, 'editor', now() from made`;
  for (const [path, page, count, first, position] of [
    // The first ones are of the team itself.
    [people, 1, 48, 60, "Page 1 of 2"],
    [people, 2, 12, 12, "Page 2 of 2"],
    [accessKeys, 1, 49, 10_050, "Page 1 of at least 200"],
    [accessKeys, 3, 50, 9951, "Page 3 of 202"],
    [accessKeys, 202, 1, 1, "Page 202 of 202"],
    [apiKeys, 1, 49, 60, "Page 1 of 2"],
    [apiKeys, 2, 11, 11, "Page 2 of 2"],
  ] as const) {
    const shown = await browser.get(`${path}${path === people ? "&" : "?"}page=${page}`);
    const listed = [...shown.html.matchAll(/(?:<code>fd[fk]_|dir="auto">)(\d+)[-…]/g)].map(([, n]) =>
      Number(n),
    );
    expect([path, listed]).toEqual([path, Array.from({ length: count }, (_, index) => first - index)]);
    expect(textOf(shown)).toContain(position);
  }
  const past = await browser.get(`${apiKeys}?page=9`);
  expect(past.html).toContain(`<a href="${apiKeys}?page=2" rel="prev"`);
  expect(textOf(past)).not.toMatch(/Page \d/);
  expect((await browser.get(`${apiKeys}?page=0`)).status).toBe(400);
});

test("a key may end: never, by a choice, or on a day; the list says when, and what was used", async () => {
  const { own, browser, accessKeys } = await ownTeam();
  const [today, dayMs] = [Date.now(), 86_400_000];
  const endsOn = new Date(today + 40 * dayMs).toISOString().slice(0, 10);
  const untilDay = (Date.parse(endsOn) - today) / dayMs + 1;
  const date = { ends: "date", endsOn };
  const make = (path: string, choice: object) =>
    browser.post(path, { ...(path === apiKeys && { name: "Ends", scopes: "forms:read" }), ...choice });
  for (const [choice, inDays] of [
    [{}, null],
    [{ ends: "never", endsOn }, null],
    [{ ends: "30" }, 30],
    [{ ends: "90" }, 90],
    [{ ends: "365" }, 365],
    [date, untilDay],
    [{ ...date, timeZone: " Pacific/Kiritimati " }, untilDay - 14 / 24],
  ] as const)
    for (const [path, table] of [
      [accessKeys, "form_access_keys"],
      [apiKeys, "api_keys"],
    ] as const) {
      expect(secretOf(await make(path, choice))).not.toBe("");
      const [key] = await sql`
        select extract(epoch from expires_at - now())::float8 / 86400 as days from formd.${sql(table)}
        where team_id = ${own.id} order by id desc limit 1`;
      if (inDays === null) expect(key?.days).toBeNull();
      else expect(Math.abs(key?.days - inDays)).toBeLessThan(0.01);
    }
  for (const choice of [
    ...[{ ends: "date" }, { ends: "toString" }, { ends: "7" }, { ...date, timeZone: "Mars" }],
    ...["2026-02-30", "2020-01-01", "9999-12-31"].map((day) => ({ ends: "date", endsOn: day })),
  ])
    for (const path of [accessKeys, apiKeys]) {
      const { status, html } = await make(path, choice);
      expect([choice, status, html.includes('role="alert"')]).toEqual([choice, 400, true]);
      if ("timeZone" in choice) expect(html).toMatch(/ name="timeZone"[^>]* aria-invalid="true"/);
      if ("endsOn" in choice) expect(html).toContain(`value="${choice.endsOn}"`);
    }
  await sql`
    update formd.api_keys set created_at = now() - interval '9 days', expires_at = now() - interval '1 day'
    where id = (select id from formd.api_keys where team_id = ${own.id} order by id desc limit 1)`;
  const list = textOf(await browser.get(apiKeys));
  expect(list).toContain("Expired");
  expect(list.match(/never used · expires/g)).toHaveLength(4);
  expect(list.match(/never used · expired/g)).toHaveLength(1);
  expect(textOf(await browser.get(accessKeys)).match(/· expires/g)).toHaveLength(5);
});
