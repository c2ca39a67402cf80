/** What one client IP may do at a page in a minute, and the page when nothing can be stored. */
import { beforeAll, expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { makeForm, makeTeam, type Service, service } from "../../setup.ts";
import { postForm } from "./fixture.ts";

let limited: Service;
beforeAll(async () => {
  limited = await service({ RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "2" });
});

test("a request for an alias of no form counts as one for a page: at the limit it is 429, whether the page or a submission was wanted", async () => {
  const from = { "x-forwarded-for": "10.9.8.6" };
  const read = async (index: number) =>
    (await fetch(`${limited.url}/f/none-${index}`, { headers: from })).status;
  const send = async () => (await postForm(limited, "/f/none", { name: "Ada" }, from)).status;
  const { requestsPerMinute } = limits.formPage;
  const reads = await Promise.all(Array.from({ length: requestsPerMinute }, (_, index) => read(index)));
  expect(new Set(reads)).toEqual(new Set([404]));
  expect([await read(0), await read(1)]).toEqual([429, 429]);
  expect([await send(), await send(), await send(), await send()]).toEqual([404, 404, 429, 429]);
});

test("too many requests: a page with the wait, 429, which keeps what was entered, also while the server refuses by itself", async () => {
  const owner = await makeTeam(limited);
  const form = await makeForm(
    limited,
    owner,
    [{ id: "first_name", type: "text", label: "First name", required: true }],
    {
      settings: { page: { enabled: true, language: "de" } },
    },
  );
  const path = pagePathOf({ team: owner.id, form: form.id });
  const from = { "x-forwarded-for": "10.9.8.7", "accept-language": "de-CH, en;q=0.5" };
  for (let time = 0; time < 2; time++)
    expect((await postForm(limited, path, { first_name: "Ada" }, from)).status).toBe(303);
  for (let time = 0; time < 2; time++) {
    const { status, headers, text } = await postForm(
      limited,
      path,
      { first_name: "Zoë", "formd.key": "k" },
      from,
    );
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
    expect(text).toContain('<html lang="de"');
    expect(text).toMatch(/In \d+ Sekunden können Sie es noch einmal versuchen/);
    expect(text).toContain('<input type="hidden" name="first_name" value="Zoë"');
    expect(text).toContain('<input type="hidden" name="formd.key" value="k"');
  }
  const { sql } = limited.database;
  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  await sql.unsafe(`alter database ${name} connection limit 0`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and usename = 'formd'`;
  const away = await postForm(
    limited,
    path,
    { first_name: "Zoë", "formd.key": "k" },
    { "accept-language": "en" },
  );
  const reading = await fetch(limited.url + path, { headers: { accept: "text/html" } });
  await sql.unsafe(`alter database ${name} connection limit -1`);
  expect([away.status, reading.status]).toEqual([503, 503]);
  expect(away.text).toContain('<html lang="en"');
  expect(away.text).toContain('<input type="hidden" name="first_name" value="Zoë"');
  expect(away.text).toContain("Try again");
  expect(await reading.text()).toContain(`href="${path}"`);
});
