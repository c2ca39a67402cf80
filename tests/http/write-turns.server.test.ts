// stacks: one months
/** A caller's writes take turns, so that writes that wait for a row leave the connections to others. */
import { expect, test } from "bun:test";
import { until } from "../expect.ts";
import { ask, database, makeForm, makeTeam, server, waitForLocks } from "../setup.ts";

/** A server with few connections, whose statements wait for a lock as long as a test holds it. */
async function smallService() {
  const made = await database();
  await waitForLocks(made);
  return { ...(await server({ DATABASE_URL: made.url, DATABASE_POOL_SIZE: "6" })), database: made };
}

test("writes of one key that wait do not keep the requests of others waiting", async () => {
  const app = await smallService();
  const [busy, other] = [await makeTeam(app), await makeTeam(app)];
  const form = await makeForm(app, busy, []);
  const path = "/papi/v1/management/forms";
  const asBusy = { headers: { "x-api-key": busy.key } };
  const order: string[] = [];
  const [writes] = await app.database.sql.begin(async (sql) => {
    await sql`select from formd.forms where team_id = ${busy.id} and id = ${form.id} for update`;
    const body = { operations: [{ op: "setMeta", name: "Another" }] };
    const writes = Array.from({ length: 20 }, () =>
      ask(app, "PATCH", `${path}/${form.id}`, { ...asBusy, body }).then(({ status }) =>
        order.push(`${status}`),
      ),
    );
    await until(async () => {
      const waiting = await app.database.sql`
        select from pg_stat_activity
        where datname = current_database() and usename = 'formd' and state = 'active' and query like '%form_patch%'`;
      return waiting.length > 0;
    });
    // Were they to wait for a connection, they would wait for the end of this transaction, for which they are
    // waited for.
    const headers = { "x-api-key": other.key };
    expect((await ask(app, "GET", path, { headers })).status).toBe(200);
    const created = await ask(app, "POST", path, { headers, body: { name: "B" } });
    expect(created.body).toMatchObject({ data: { form: { name: "B" } } });
    expect(order).toEqual([]);
    return [writes];
  });
  await Promise.all(writes ?? []);
  expect(order).toEqual(Array(20).fill("200"));
});

test("beyond 200 that wait, a write is refused with 503 and Retry-After", async () => {
  const app = await smallService();
  const busy = await makeTeam(app);
  const form = await makeForm(app, busy, []);
  const replies = await app.database.sql.begin(async (sql) => {
    await sql`select from formd.forms where team_id = ${busy.id} and id = ${form.id} for update`;
    const body = { operations: [{ op: "setMeta", name: "Another" }] };
    const replies = Array.from({ length: 210 }, () =>
      ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, { headers: { "x-api-key": busy.key }, body }),
    );
    const refused = await Promise.any(
      replies.map(async (reply) => {
        const { status, body, headers } = await reply;
        if (status !== 503) throw new Error(`${status}`);
        return [body.code, headers.get("retry-after")];
      }),
    );
    expect(refused).toEqual(["unavailable", "1"]);
    return [replies];
  });
  const statuses = (await Promise.all(replies.flat())).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(202);
  expect(statuses.filter((status) => status === 503)).toHaveLength(8);
});
