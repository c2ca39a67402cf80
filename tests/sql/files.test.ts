// stacks: one months citus gate
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/platform/database/db.ts";
import { jsonb } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { hashOf, inParallel, sqlFixture, submissionItem } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const form = await makeForm(app, team, [{ id: "cv", type: "upload", label: "CV" }]);

/** An upload of ten bytes that nothing has claimed. @returns its id */
async function upload(state: string, ago: string, uploader = "api_key:"): Promise<string> {
  const id = uuidv7();
  await sql`
    insert into formd.files (team_id, form_id, id, field_id, state, uploader, name, size, type, sha256, created_at, expires_at)
    values (${team.id}, ${form.id}, ${id}, 'cv', ${state}, ${uploader}, 'a.txt', 10, 'text/plain', ${hashOf("a".repeat(32))},
      now(), clock_timestamp() - ${ago}::interval)`;
  await sql`select formd.file_bytes_add(${team.id}, 10, 10)`;
  return id;
}
const bytes = async () =>
  (await sql<{ bytes: string }[]>`select bytes from formd.file_totals where team_id = ${team.id}`)[0]?.bytes;
const expire = async (each: Sql) =>
  (await each<{ id: string }[]>`select id from formd.files_expire(3)`).map(({ id }) => id);
const remove = (ids: string[], each = sql) => each`select formd.files_remove(${team.id}, ${form.id}, ${ids})`;

test("of many sweeps at once each expired upload is taken by one, and none that is still to be claimed", async () => {
  const expired = await Promise.all(Array.from({ length: 8 }, () => upload("uploaded", "1 minute")));
  const kept = await upload("uploaded", "-1 minute");
  const taken = (await inParallel(app.database.ownerUrl, 6, expire)).flat();
  while (taken.length < expired.length) taken.push(...(await expire(sql)));
  expect(taken.sort()).toEqual(expired.sort());
  expect(await expire(sql)).toEqual([]);
  await inParallel(app.database.ownerUrl, 4, (each) => remove(expired, each));
  expect(await bytes()).toBe("10");
  await remove([kept]);
  expect(await bytes()).toBe("10");
});

test("what a sweep took and did not finish is taken again, without its name", async () => {
  const id = await upload("uploaded", "1 minute");
  expect(await expire(sql)).toEqual([id]);
  const [row] = await sql`select state, name from formd.files where team_id = ${team.id} and id = ${id}`;
  expect(row).toMatchObject({ state: "deleted", name: "" });
  await sql`update formd.files set expires_at = now() - interval '1 second' where team_id = ${team.id} and id = ${id}`;
  expect(await expire(sql)).toEqual([id]);
});

test.each([
  ["1 millisecond", "upload_not_found"],
  ["-1 minute", "stored"],
])("an upload that expired %s ago, before any sweep, is %s", async (ago, outcome) => {
  const id = await upload("uploaded", ago, `api_key:${team.keyId}`);
  const item = submissionItem(team, { form, item: { data: { cv: [{ id }] } } });
  const [result] = await sql<{ outcome: string }[]>`
    select outcome from formd.submission_submit_files(${team.id}, ${jsonb(sql, item)}, ${jsonb(sql, [{ id, field: "cv" }])})`;
  expect(result?.outcome).toBe(outcome);
});
