/** Erasure: nothing that a person has sent stays in any table. */
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { createLog } from "../../../src/platform/log.ts";
import { expireSubmissions } from "../../../src/platform/ops/purge.ts";
import { outcome, until } from "../../expect.ts";
import { run } from "../../setup/process.ts";
import { formd, permissive, service, settingsFor, tablesWith, workerPorts } from "../../setup.ts";
import { local, receiver } from "../webhooks/receiver.ts";
import { submissionsFixture } from "./fixture.ts";

/** In every text that the person or the reviewer sends, and nowhere else. */
const marker = "Ada-Lovelace-1815";
const respondentId = randomUUID();
const fields = [{ id: "name", type: "text", label: "Name" }];
const fixture = await submissionsFixture(fields, service({ ...permissive, ...local }));
const { app, team, freshForm, agentOn, call } = fixture;
const form = await freshForm({ review: { required: true } });

/** Each by an agent of its own, since an agent submits once in 5 seconds. */
const submit = async (key: string, data: object = { name: marker }, respondent: string = respondentId) => {
  const headers = {
    ...(await agentOn(form)),
    ...{ "idempotency-key": `${marker}-${key}`, "user-agent": marker, "accept-language": marker },
    ...{ referer: `https://example.org/${marker}`, "x-request-id": marker },
  };
  const metadata = { ...(respondent && { respondentId: respondent }), note: marker, language: marker };
  return await fixture.submit(headers, { data, metadata });
};
const manage = (method: string, to: string, body?: object) =>
  call(method, `/papi/v1/management${to}`, { body });

test("what a person sent is in no table and no dump after a deletion, formd erase and a rule", async () => {
  const failing = await receiver(({ text }) => [500, {}, text]);
  const succeeding = await receiver(({ text }) => [200, {}, text]);
  let answer = () => {};
  const waits = new Promise<void>((resolve) => (answer = resolve));
  const late = await receiver(async ({ text }) => {
    await waits;
    return [500, {}, text];
  });
  const eventTypes = ["created", "updated", "reviewed", "deleted"].map((each) => `submission.${each}`);
  for (const { url } of [failing, succeeding, late])
    expect(outcome(await manage("POST", "/webhooks", { url, payload: "full", eventTypes }))).toBe("ok");

  expect(outcome(await submit("refused", { [marker]: marker }))).toStartWith("422");
  const stored = await submit("deleted");
  expect(outcome(stored)).toBe("ok");
  const rows = [stored, await submit("erased"), await submit("expired", { name: marker }, "")].map(
    ({ body }) => body.data.id as string,
  );
  for (const id of rows) {
    const path = `/forms/${form.id}/submissions/${id}`;
    const expectedUpdatedAt = async () => (await manage("GET", path)).body.data.submission.updatedAt;
    const edited = await manage("PATCH", path, {
      expectedUpdatedAt: await expectedUpdatedAt(),
      edits: [{ fieldId: "name", value: `${marker} edited` }],
    });
    expect(outcome(edited)).toBe("ok");
    const reviewed = await manage("POST", `${path}/review`, {
      decision: "reject",
      reason: `${marker}: passport expired`,
      expectedUpdatedAt: await expectedUpdatedAt(),
    });
    expect(outcome(reviewed)).toBe("ok");
  }
  const { sql } = app.database;
  const kept = async () => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::int from formd.webhook_attempts where team_id = ${team.id} and response_start like ${`%${marker}%`}`;
    return count;
  };
  // Failures of three events of each submission: created, updated, reviewed.
  await until(async () => (await kept()) >= 6 && late.received.length > 0 && succeeding.received.length >= 9);
  expect(await tablesWith(app.database.sql, marker)).toEqual([
    "submission_edits",
    "submissions",
    "webhook_attempts",
  ]);

  expect(outcome(await manage("DELETE", `/forms/${form.id}/submissions/${rows[0]}`))).toBe("ok");
  const erase = ["erase", "--respondent", respondentId, "--confirm", "--json"];
  expect((await formd(erase, settingsFor(app.database))).code).toBe(0);
  // Sets a retention rule whose time is already over for a new submission.
  await sql`
    update formd.forms set settings_in_force = settings_in_force || '{"retention": {"deleteAfter": "P-1D"}}'
    where id = ${form.id}`;
  expect(await expireSubmissions(sql, createLog("silent"))).toBe(1);
  const inFlight = late.received.length;
  answer();
  await until(async () => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::int from formd.webhook_attempts a join formd.webhooks w using (team_id)
      where team_id = ${team.id} and w.id = a.webhook_id and w.url = ${late.url}`;
    return count >= inFlight;
  });
  expect(await tablesWith(app.database.sql, marker)).toEqual([]);

  // pg_dump reads servers of its major version and older ones, and of a cluster the coordinator alone.
  const program = "/usr/lib/postgresql/15/bin/pg_dump";
  const [{ version }] = await sql<[{ version: number }]>`
    select current_setting('server_version_num')::int as version`;
  if (version < 160_000 && workerPorts.length === 0 && existsSync(program)) {
    const dump = await run(program, ["--dbname", app.database.ownerUrl]);
    expect(dump.stdout).toContain(rows[0] as string);
    expect(dump.stdout).not.toContain(marker);
  }
});
