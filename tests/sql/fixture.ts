import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "../../src/db.ts";
import { database, makeTeam, type Service } from "../setup.ts";

/** A database with a team in it, and a superuser's connections for calling functions directly. No server. */
export async function ground() {
  const on = { database: await database() } as Service;
  return { on, sql: on.database.sql, team: await makeTeam(on) };
}

/** What a call is refused with: the API's code, the sentence, and the members beside them. */
export interface Refusal {
  code: string;
  detail: string;
  extras: Record<string, unknown>;
}

/** The refusal that a call ends in; any other end is an error. */
export async function refusal(call: PromiseLike<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    const { code, message, detail, hint } = error as {
      code: string;
      message: string;
      detail: string;
      hint?: string;
    };
    if (code !== "ZFORM") throw error;
    return { code: message, detail, extras: hint ? JSON.parse(hint) : {} };
  }
  throw new Error("it was not refused");
}

/** Calls in parallel, each on a connection of its own. */
export async function inParallel<T>(
  url: string,
  count: number,
  call: (sql: Sql, index: number) => Promise<T>,
): Promise<T[]> {
  const sql = connect(url, { poolSize: Math.min(count, 40), prepare: true });
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => call(sql, index)));
  } finally {
    await sql.end();
  }
}

export const newIds = (count: number): string[] => Array.from({ length: count }, () => uuidv7());

/** Bytes that stand for a secret's hash. */
export const hashOf = (text: string): Uint8Array => new TextEncoder().encode(text);
