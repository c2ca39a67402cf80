// stacks: one
import { beforeAll, expect, test } from "bun:test";
import { ask, makeForm, makeTeam, makeWorkspace, type Service, type Team } from "../../setup.ts";
import { type Browser, expectRedirect, secretOf, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let admin: Browser;
beforeAll(async () => {
  ({ app, team, admin } = await consoleFixture());
});

test("an access key is made and revoked on the form's page", async () => {
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const path = `/console/forms/${form.id}/access-keys`;
  const key = secretOf(await admin.post(path, {}));
  const status = async () =>
    (
      await ask(app, "POST", "/papi/v1/submitter/form/validation", {
        headers: { "x-form-access-key": key, "x-api-key": team.key },
        body: { data: {} },
      })
    ).status;
  const before = await status();
  const id = /name="key" value="([\w-]+)"/.exec((await admin.get(path)).html)?.[1] ?? "";
  expectRedirect(await admin.post(`${path}/revoke`, { key: id }), path);
  expect(await status()).toBe(401);
  expect(before).not.toBe(401);
  expect((await admin.post(`${path}/revoke`, { key: "x" })).status).toBe(400);
});

test("an API key is made with scopes and revoked, by an admin of every workspace", async () => {
  const made = await admin.post("/console/api-keys", { name: "<i>", scopes: "forms:read" });
  const key = secretOf(made);
  const status = async () =>
    (await ask(app, "GET", "/papi/v1/management/forms", { headers: { "x-api-key": key } })).status;
  expect(await status()).toBe(200);
  const page = await admin.get("/console/api-keys");
  expect([page.html.includes(key), page.html.includes("&lt;i>")]).toEqual([false, true]);
  const id = /Revoke &lt;i>….*?name="key" value="([\w-]+)"/s.exec(page.html)?.[1] ?? "";
  expectRedirect(await admin.post("/console/api-keys/revoke", { key: id }), "/console/api-keys");
  expect(await status()).toBe(401);
  const wrong = await admin.post("/console/api-keys", { name: "x", scopes: "all" });
  expect([wrong.status, wrong.html.includes('value="x"')]).toEqual([400, true]);

  const other = await makeTeam(app);
  const ofOther = await browserOf(app, other, "admin");
  const toNew = 'href="/console/api-keys/new"';
  expect((await ofOther.get("/console/api-keys")).html).toContain(toNew);
  expect((await ofOther.get("/console/api-keys/new")).html).toContain('action="/console/api-keys"');
  await makeWorkspace(app, other);
  expect((await ofOther.get("/console/api-keys")).html).not.toContain(toNew);
  expect((await ofOther.post("/console/api-keys", { name: "x", scopes: "forms:read" })).status).toBe(403);
});

test("keys are listed by the page, newest first, and counted to a bound", async () => {
  const own = await makeTeam(app);
  const form = await makeForm(app, own, []);
  const browser = await browserOf(app, own, "admin");
  // More than are counted; the hashes are of no secret.
  await app.database.sql`
    insert into formd.form_access_keys (team_id, form_id, id, key_prefix, key_hash, created_at)
    select ${own.id}, ${form.id}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'fdf_' || n, int4send(n), now()
    from generate_series(1, 10050) as n`;
  await app.database.sql`
    insert into formd.api_keys (team_id, id, name, scopes, key_prefix, key_hash, created_at)
    select ${own.id}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'key ' || n, '{forms:read}', 'fdk_' || n, int4send(n), now()
    from generate_series(1, 60) as n`;
  const lists: [
    path: string,
    prefix: string,
    pages: [page: string, shown: [number, number], position: string][],
  ][] = [
    [
      `/console/forms/${form.id}/access-keys`,
      "fdf_",
      [
        ["1", [50, 10_050], "Page 1 of at least 200"],
        ["3", [50, 9951], "Page 3 of 202"],
        ["202", [1, 1], "Page 202 of 202"],
      ],
    ],
    [
      "/console/api-keys",
      "fdk_",
      [
        ["1", [50, 60], "Page 1 of 2"],
        ["2", [11, 11], "Page 2 of 2"],
      ],
    ],
  ];
  for (const [path, prefix, pages] of lists)
    for (const [page, [count, first], position] of pages) {
      const shown = await browser.get(`${path}?page=${page}`);
      const keys = [...shown.html.matchAll(new RegExp(`<code>${prefix}([^<]*)…`, "g"))].map(([, key]) => key);
      expect([path, page, keys.length, keys.includes(String(first))]).toEqual([path, page, count, true]);
      expect(textOf(shown)).toContain(position);
    }
  const past = await browser.get("/console/api-keys?page=9");
  expect(past.html).toContain('<a href="/console/api-keys?page=2" rel="prev"');
  expect(textOf(past)).not.toMatch(/Page \d/);
  expect((await browser.get("/console/api-keys?page=0")).status).toBe(400);
});

test("a key may end: never, by a choice, or on a day; the list says when, and what was used", async () => {
  const own = await makeTeam(app);
  const form = await makeForm(app, own, []);
  const browser = await browserOf(app, own, "admin");
  const accessKeys = `/console/forms/${form.id}/access-keys`;
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  const apiKey = { name: "Ends", scopes: "forms:read" };
  const lastsUntil = Date.parse(day) / 86_400_000 + 1 - Date.now() / 86_400_000;
  const choices: [choice: Record<string, string>, inDays: number | null][] = [
    [{}, null],
    [{ ends: "never", endsOn: day }, null],
    [{ ends: "30" }, 30],
    [{ ends: "90" }, 90],
    [{ ends: "365" }, 365],
    [{ ends: "date", endsOn: day }, lastsUntil],
    [{ ends: "date", endsOn: day, timeZone: "Pacific/Kiritimati" }, lastsUntil - 14 / 24],
  ];
  const ends = async (table: string) =>
    (
      await app.database.sql.unsafe<{ days: number | null }[]>(
        `select extract(epoch from expires_at - now())::float8 / 86400 as days from formd.${table}
         where team_id = '${own.id}' order by id desc limit 1`,
      )
    )[0]?.days;
  for (const [choice, inDays] of choices) {
    secretOf(await browser.post(accessKeys, choice));
    secretOf(await browser.post("/console/api-keys", { ...apiKey, ...choice }));
    for (const table of ["form_access_keys", "api_keys"]) {
      const days = await ends(table);
      if (inDays === null) expect(days).toBeNull();
      else expect(Math.abs((days ?? 0) - inDays)).toBeLessThan(0.01);
    }
  }
  const refused = [
    ...[{ ends: "date" }, { ends: "date", endsOn: "2026-02-30" }, { ends: "toString" }, { ends: "7" }],
    ...[
      { ends: "date", endsOn: "2020-01-01" },
      { ends: "date", endsOn: "9999-12-31" },
      { ends: "date", endsOn: day, timeZone: "Mars" },
    ],
  ];
  for (const choice of refused)
    for (const [path, values] of [
      [accessKeys, choice],
      ["/console/api-keys", { ...apiKey, ...choice }],
    ] as const) {
      const shown = await browser.post(path, values);
      expect([choice, shown.status, shown.html.includes('role="alert"')]).toEqual([choice, 400, true]);
      const { endsOn = "" } = choice as { endsOn?: string };
      expect(shown.html).toContain(endsOn && `value="${endsOn}"`);
    }
  await app.database.sql`
    update formd.api_keys set created_at = now() - interval '9 days', expires_at = now() - interval '1 day'
    where id = (select id from formd.api_keys where team_id = ${own.id} order by id desc limit 1)`;
  const list = textOf(await browser.get("/console/api-keys"));
  expect(list).toContain("Expired");
  expect(list.match(/never used · ends/g)).toHaveLength(4);
  expect(list.match(/never used · ended/g)).toHaveLength(1);
  expect(textOf(await browser.get(accessKeys)).match(/· ends/g)).toHaveLength(5);
});
