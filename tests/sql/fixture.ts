import { v7 as uuidv7 } from "uuid";
import { parseSecret, sha256 } from "../../src/auth/secret.ts";
import { connect, type Sql } from "../../src/db.ts";
import { toByteaText } from "../../src/submit/request.ts";
import { database, makeTeam, type PublishedForm, type Service, type Team } from "../setup.ts";

/** A database with a team in it, and a superuser's connections for calling functions directly. No server. */
export async function sqlFixture() {
  const app = { database: await database() } as Service;
  return { app, sql: app.database.sql, team: await makeTeam(app) };
}

/** What a call is refused with: the API's code, the sentence, and the members beside them. */
export interface RaisedProblem {
  code: string;
  detail: string;
  extras: Record<string, unknown>;
}

/** The refusal that a call ends in; any other end is an error. */
export async function raisedProblem(call: PromiseLike<unknown>): Promise<RaisedProblem> {
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

/** A submission, as formd.submissions_receive takes it in its list: an accepted one by the team's API key, from an address of its own, unless said otherwise. */
export interface NewSubmission {
  id?: string;
  form: PublishedForm;
  version?: number | null;
  verdict?: "accept" | "reject" | "malformed";
  data?: object | null;
  partial?: boolean;
  token?: string;
  idempotencyKey?: string;
  body?: string;
  ip?: string;
}

/** What becomes of one. */
export interface SubmitResult {
  outcome: string;
  status: string | null;
  answer: { id: string } | null;
}

/** Submits a list at once, as the service does. */
export async function submitAll(sql: Sql, team: Team, list: NewSubmission[]): Promise<SubmitResult[]> {
  const items = list.map((asked) => {
    const { id = uuidv7(), version = 1, verdict = "accept", data = { a: "x" }, partial = false } = asked;
    const { form, hash } = parseSecret("fdf", asked.form.accessKey);
    return {
      form,
      access_key_hash: toByteaText(hash),
      credential: asked.token ? "session" : "api_key",
      credential_hash: toByteaText(sha256(asked.token ?? team.key)),
      version,
      ip_bucket: asked.ip ?? `submit:ip:${id}`,
      ip_limit: 30,
      id,
      verdict,
      data: verdict === "accept" ? data : undefined,
      partial,
      missing: partial ? ["a"] : [],
      errors: verdict === "reject" ? [{ code: "required" }] : undefined,
      idempotency_key: asked.idempotencyKey,
      body_hash: asked.idempotencyKey && toByteaText(sha256(asked.body ?? "")),
    };
  });
  return await sql<
    SubmitResult[]
  >`select * from formd.submissions_receive(${team.id}, ${sql.json(items as never)})`;
}

/** Submits one. */
export async function submit(sql: Sql, team: Team, asked: NewSubmission): Promise<SubmitResult> {
  const [answered] = await submitAll(sql, team, [asked]);
  return answered as SubmitResult;
}
