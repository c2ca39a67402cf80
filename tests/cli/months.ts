/** Databases that were divided months ago, for the tests of `formd partition`. */
import { expect } from "bun:test";
import type { Partition } from "../../src/platform/database/partitions.ts";
import { divideSince } from "../setup/months.ts";
import {
  type Database,
  database,
  formd,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  settingsFor,
  type Team,
} from "../setup.ts";
import { store } from "../sql/fixture.ts";
import { examined, orderly } from "./examined.ts";

const fields = [{ id: "a", type: "text", label: "A", required: true }];

/** A month before this one: how it is written, and a time in it. */
export function month(ago: number) {
  const now = new Date();
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 2));
  return { text: at.toISOString().slice(0, 7), msecs: at.getTime() };
}
export const suffix = (ago: number) => month(ago).text.replace("-", "_");

export async function command<T>(database: Database, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await formd([...args, "--json"], settingsFor(database));
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as T;
}

export const refused = async (database: Database, ...args: string[]) => {
  const { code, stderr } = await formd(args, settingsFor(database));
  expect(code).not.toBe(0);
  return stderr;
};

export const listed = async (database: Database) =>
  (await command<{ partitions: Partition[] }>(database, "partition", "list")).partitions;

export const checks = async (database: Database) => (await examined(orderly(database))).wrong;

/** Rows and counters of a form, which are equal in each status. */
export async function total({ sql }: Database, team: Team, form: PublishedForm): Promise<number> {
  const rows = await sql<{ counted: number; total: number }[]>`
    select counted::int, total::int from formd.submission_recount(${team.id}, ${form.id})`;
  expect(rows.map(({ total }) => total)).toEqual(rows.map(({ counted }) => counted));
  return rows.reduce((sum, { total }) => sum + total, 0);
}

/** A database that was divided three months ago. @param others: tables that were divided at another time */
export async function divided(others: Record<string, number> = {}) {
  const db = await database();
  const { sql } = db;
  await divideSince(db, 3, others);
  const app = { database: db } as Service;
  const team = await makeTeam(app);
  const form = await makeForm(app, team, fields);
  const storeAgo = (ago: number) => store(sql, team, { form }, new Date(month(ago).msecs));
  return { db, sql, team, form, store: storeAgo };
}
