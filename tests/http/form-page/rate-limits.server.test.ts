/** Rate limits of a page per client IP and minute, and the page when nothing can be stored. */
import { expect, test } from "bun:test";
import { makeTeam, service } from "../../setup.ts";
import { formsOf } from "./fixture.ts";

const app = await service({ RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "2" });
const { published, get, post, pathOf } = formsOf(app, await makeTeam(app));

const fields = [{ id: "first_name", type: "text", label: "First name", required: true }];

test("a client IP may read 120 pages a minute, and a request for an alias of no form counts as one: at the limit it is 429, whether the page or a submission was wanted", async () => {
  const from = { accept: "text/html", "x-forwarded-for": "10.9.8.6" };
  const form = await published(fields);
  const read = (index: number) => get(index % 2 ? form : `/f/none-${index}`, from);
  const send = async () => (await post("/f/none", { first_name: "Ada" }, from)).status;
  // More than the limit at once, so that none passes beside another.
  const pages = await Promise.all(Array.from({ length: 125 }, (_, index) => read(index)));
  const statuses = pages.map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect(new Set(statuses)).toEqual(new Set([200, 404, 429]));
  for (const { status, text } of [await read(0), await read(1)])
    expect([status, text]).toEqual([429, expect.stringContaining("Please wait a moment")]);
  expect([await send(), await send(), await send(), await send()]).toEqual([404, 404, 429, 429]);
});

test("too many requests: a page with the wait, 429, which keeps what was entered, also while the server refuses by itself", async () => {
  const form = await published(fields, { language: "de" });
  const entered = { first_name: "Zoë", "formd.key": "k" };
  const from = { "x-forwarded-for": "10.9.8.7", "accept-language": "de-CH, en;q=0.5" };
  for (let time = 0; time < 2; time++)
    expect((await post(form, { first_name: "Ada" }, from)).status).toBe(303);
  for (let time = 0; time < 2; time++) {
    const { status, headers, text, hidden } = await post(form, entered, from);
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
    expect(text).toContain('<html lang="de"');
    expect(text).toMatch(/In \d+ Sekunden können Sie es noch einmal versuchen/);
    expect(hidden).toEqual(Object.entries(entered));
  }
  const arabic = await post(`${pathOf(form)}?lang=ar`, entered, from);
  expect([arabic.status, arabic.hidden]).toEqual([429, Object.entries(entered)]);
  expect(arabic.text).toContain('<html lang="ar" dir="rtl"');
  const { sql } = app.database;
  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  await sql.unsafe(`alter database ${name} connection limit 0`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and usename = 'formd'`;
  const away = await post(form, entered, { "accept-language": "en" });
  const reading = await get(form);
  await sql.unsafe(`alter database ${name} connection limit -1`);
  expect([away.status, reading.status]).toEqual([503, 503]);
  expect(away.text).toContain('<html lang="en"');
  expect(away.text).toContain("Try again");
  expect(away.hidden).toEqual(Object.entries(entered));
  expect(reading.text).toContain(`href="${pathOf(form)}"`);
});
