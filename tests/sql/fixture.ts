import { v7 as uuidv7 } from "uuid";
import { parseSecret, sha256 } from "../../src/platform/auth/secret.ts";
import { connect, jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { toProblem } from "../../src/problem.ts";
import type { Role } from "../../src/resources/operators/roles.ts";
import type { SubmissionItem } from "../../src/resources/submit/submit.ts";
import {
  addOperator,
  database,
  makeTeam,
  type PublishedForm,
  type Service,
  type Team,
  waitForLocks,
} from "../setup.ts";

/** A database with a team in it, and a superuser's connections for calling functions directly. No server. */
export async function sqlFixture() {
  const app = { database: await database() } as Service;
  await waitForLocks(app.database);
  const { sql } = app.database;
  const team = await makeTeam(app);

  /** An agent whose client id and secret are its id. */
  async function register({ id: of } = team): Promise<string> {
    const id = uuidv7();
    await sql`select from formd.agent_create(${of}, '(cli,,)', null, ${id}, 'Agent', ${id}, 'fda_x', ${hashOf(id)})`;
    return id;
  }

  /** The id of an operator with a role. */
  const join = async (role: Role, workspace = team.workspace, { id: of } = team): Promise<string> =>
    (await addOperator(app, of, workspace, role)).id;

  return { app, sql, team, register, join };
}

/** The code of the problem that a call ends in. */
export const codeOf = async (call: PromiseLike<unknown>): Promise<string> => (await raisedProblem(call)).code;

/** A `formd.actor` as text: an operator, or an API key. */
export const actorText = (operator: string | null) => (operator ? `(operator,${operator},)` : "(api_key,,)");

/** Problem raised by a call: the API's code, the sentence, and the members beside them. */
export interface RaisedProblem {
  code: string;
  detail: string;
  extras: Record<string, unknown>;
}

/** The problem that a call ends in; any other end is an error. */
export async function raisedProblem(call: PromiseLike<unknown>): Promise<RaisedProblem> {
  try {
    await call;
  } catch (error) {
    if ((error as { code: string }).code !== "ZFORM") throw error;
    const { code, message, extras } = toProblem(error);
    return { code, detail: message, extras };
  }
  throw new Error("it was not refused");
}

/** Returns `done` if the call succeeds, and otherwise the code of its problem. */
export const endOf = async <T>(call: PromiseLike<unknown>, done: T): Promise<T | string> =>
  await call.then(
    () => done,
    ({ message }: Error) => message,
  );

/** Calls in parallel, each on a connection of its own. */
export async function inParallel<T>(
  url: string,
  count: number,
  call: (sql: Sql, index: number) => PromiseLike<T>,
): Promise<T[]> {
  const sql = connect(url, { poolSize: Math.min(count, 40), prepare: false });
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => call(sql, index)));
  } finally {
    await sql.end();
  }
}

export const newIds = (count: number): string[] => Array.from({ length: count }, () => uuidv7());

/** Bytes that stand for a secret's hash. */
export const hashOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * One submission: accepted, by the team's API key and from a client IP of its own, unless given otherwise.
 */
export interface NewSubmission {
  form: PublishedForm;
  token?: string;
  idempotencyKey?: string;
  body?: string;
  /** Members of the item that are to be others. */
  item?: Partial<SubmissionItem>;
}

/** A row of formd.submissions_submit. */
export interface SubmitResult {
  limitName: string;
  remaining: number;
  outcome: string;
  response: { id: string; status: string } | null;
  formVersion: number | null;
  formSchema: object | null;
}

/** An item as the server makes it, with the credentials of `team`. */
export function submissionItem(
  team: Team,
  { form: { accessKey }, token, idempotencyKey, body = "", item = {} }: NewSubmission,
): SubmissionItem {
  const { form, hash } = parseSecret("fdf", accessKey);
  const { validation = "accepted", partial = false } = item;
  return {
    team_id: team.id,
    form_id: form,
    version: 1,
    credentials: {
      access_key_hash: toByteaText(hash),
      credential: token ? "session" : "api_key",
      credential_hash: toByteaText(sha256(token ?? team.key)),
      key_id: undefined,
      nonce: undefined,
      nonce_expires_at: undefined,
    },
    admitted: false,
    ip_key: `submit:ip:${uuidv7()}`,
    ip_limit: 30,
    validation,
    data: validation === "accepted" ? { a: "x" } : undefined,
    metadata: undefined,
    respondent_id: undefined,
    partial,
    missing_required: partial ? ["a"] : [],
    idempotency_key_hash: idempotencyKey && toByteaText(sha256(idempotencyKey)),
    body_hash: idempotencyKey && toByteaText(sha256(body)),
    request_digest: toByteaText(sha256(body)),
    signature_input: undefined,
    signature: undefined,
    declared_agent: undefined,
    validation_limit: undefined,
    ...item,
  };
}

/**
 * Submits a list at once, as the server does, with the credentials of `team`; `of` null: each item names its
 * own team.
 */
export async function submitAll(
  sql: Sql,
  team: Team,
  list: NewSubmission[],
  of: string | null = team.id,
): Promise<SubmitResult[]> {
  const items = list.map((each) => submissionItem(team, each));
  if (of === null)
    return await sql<SubmitResult[]>`
      select * from formd.submissions_submit_set(p_team => null, p_items => ${jsonb(sql, items)})`;
  return await sql<SubmitResult[]>`
    select * from formd.submissions_submit(p_team => ${of}, p_items => ${jsonb(sql, items)})`;
}

/** Submits one. */
export async function submit(sql: Sql, team: Team, submission: NewSubmission): Promise<SubmitResult> {
  const [result] = await submitAll(sql, team, [submission]);
  return result as SubmitResult;
}

/** Submits one that must be stored. @param at dates it back. @returns its id */
export async function store(sql: Sql, team: Team, submission: NewSubmission, at?: Date): Promise<string> {
  const { outcome, response } = await submit(sql, team, submission);
  if (outcome !== "stored" || !response) throw new Error(`The submission is ${outcome}.`);
  if (at === undefined) return response.id;
  const id = uuidv7({ msecs: at.getTime() });
  await sql`
    update formd.submissions
    set id = ${id}, created_at = ${at}, updated_at = ${at}, completed_at = case when completed_at is not null then ${at}::timestamptz end
    where team_id = ${team.id} and form_id = ${submission.form.id} and id = ${response.id}`;
  return id;
}
