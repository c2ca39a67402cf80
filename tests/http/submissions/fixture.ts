/** Submits, and reads and edits submissions as their owner. */
import { expect } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Reply,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

export const formsPath = "/papi/v1/management/forms";
export const submissionsPath = "/papi/v1/submitter/form/submissions";
export const validationPath = "/papi/v1/submitter/form/validation";

export interface Submission {
  id: string;
  formId: string;
  status: string;
  formVersion: number;
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  respondentId: string | null;
  createdAt: string;
  updatedAt: string;
}
type Which = Pick<Submission, "id" | "formId">;
export type Edit = [fieldId: string, value: unknown];

/** A service, the shared one unless another is given, with two teams, and a form of the first one. */
export async function submissionsFixture(fields: object[], started = service()) {
  const app: Service = await started;
  const [team, other]: [Team, Team] = [await makeTeam(app), await makeTeam(app)];
  const form = await makeForm(app, team, fields);

  /** A call with an API key, the first team's unless told otherwise. */
  const call = (
    method: string,
    path: string,
    { key = team.key, body, headers }: { key?: string; body?: unknown; headers?: object } = {},
  ): Promise<Reply> =>
    ask(app, method, path, {
      headers: { "x-api-key": key, ...headers },
      body,
    });

  /** A form of the first team with the fields of the fixture. */
  const freshForm = (settings?: object) => makeForm(app, team, fields, settings && { settings });
  const byKey = (to: PublishedForm, key = team.key): Record<string, string> => ({
    "x-form-access-key": to.accessKey,
    "x-api-key": key,
  });
  /** The headers of a new agent with a grant for the form. */
  const agentOn = async (to: PublishedForm, ...scopes: string[]): Promise<Record<string, string>> =>
    asAgent(to, await makeAgent(app, team, to, scopes.length ? scopes : undefined));
  const submit = (headers: Record<string, string>, body: unknown, query = "") =>
    ask(app, "POST", submissionsPath + query, { headers, body });
  const validate = (headers: Record<string, string>, body: unknown, query = "") =>
    ask(app, "POST", validationPath + query, { headers, body });
  /** The headers of a new anonymous session of the form. */
  const anonymousOn = async ({ accessKey }: PublishedForm): Promise<Record<string, string>> => {
    const headers = { "x-form-access-key": accessKey };
    const { body } = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers });
    return { ...headers, "x-respondent-token": body.data.token };
  };
  /** Changes settings that count at once, as an owner's patch and its publication would. */
  const putInForce = ({ id }: PublishedForm, settings: object) => {
    const changed = app.database.sql.json(settings as never);
    return app.database.sql`
      update formd.forms set settings = settings || ${changed}, settings_in_force = settings_in_force || ${changed}
      where id = ${id}`;
  };
  const archive = ({ id }: PublishedForm) =>
    app.database.sql`select formd.form_set_archived(${team.id}, '(cli,,)'::formd.actor, ${id}, true)`;
  /** Publishes the draft, after these changes of it. */
  async function publishAnew(of: PublishedForm, ...operations: object[]): Promise<void> {
    if (operations.length > 0) await call("PATCH", `${formsPath}/${of.id}`, { body: { operations } });
    await publishForm(app.database.sql, cliActor, team.id, of.id);
  }

  const read = async (row: Which): Promise<Submission> =>
    (await call("GET", submissionPath(row))).body.data.submission;
  const editsOf = async (row: Which, query = "") =>
    (await call("GET", submissionPath(row, `/edits${query}`))).body.data;

  /** A submission by the team's API key; a partial one by an agent. `data` may be the JSON text itself. */
  async function submitted(
    data: object | string = { a: "x" },
    { to = form, partial = false, by = team }: { to?: PublishedForm; partial?: boolean; by?: Team } = {},
  ): Promise<Submission> {
    const caller = partial ? asAgent(to, await makeAgent(app, by, to)) : byKey(to, by.key);
    const body = typeof data === "string" ? `{"data":${data}}` : { data };
    const reply = await submit(caller, body, `?partial=${partial}`);
    expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
    const { body: got } = await call("GET", submissionPath({ id: reply.body.data.id, formId: to.id }), {
      key: by.key,
    });
    return got.data.submission;
  }

  const patch = (row: Submission, edits: Edit[], options: { key?: string; headers?: object } = {}) =>
    call("PATCH", submissionPath(row), {
      ...options,
      body: {
        expectedUpdatedAt: row.updatedAt,
        edits: edits.map(([fieldId, value]) => ({ fieldId, value })),
      },
    });

  /** Edits that must succeed. */
  async function edited(row: Submission, ...edits: Edit[]): Promise<Submission> {
    const reply = await patch(row, edits);
    expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
    return reply.body.data.submission;
  }
  return {
    ...{ app, team, other, form, freshForm, call, byKey, agentOn, anonymousOn, submit, validate },
    ...{ putInForce, archive, publishAnew, read, editsOf, submitted, patch, edited },
  };
}

/** The path of a submission. */
export const submissionPath = ({ id, formId }: Which, rest = "") =>
  `${formsPath}/${formId}/submissions/${id}${rest}`;

export const statusAndCode = (reply: Reply) => [reply.status, reply.body.code];

/** Field and code of each field error of a 422. */
export const fieldErrorsOf = (reply: Reply) => {
  expect(statusAndCode(reply)).toEqual([422, "validation_failed"]);
  return reply.body.errors.map(({ field, code }: Record<string, string>) => [field, code]);
};

/** Inserts `count` submissions with `bytes` of text each, without the API. */
export async function insertSubmissions(
  { database: { sql } }: Service,
  team: Team,
  form: { id: string },
  count: number,
  bytes: number,
): Promise<void> {
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, ('01800000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'completed', 'api_key', 'owner', ${team.keyId},
      jsonb_build_object('a', n || repeat('x', ${bytes}::int)), now(), now(), now()
    from generate_series(1, ${count}::int) as n`;
}
