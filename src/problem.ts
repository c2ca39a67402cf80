/**
 * What goes wrong, in one place: every code of the API with its HTTP status, and what a database error means to a caller.
 *
 * @module
 */
import { isUnavailable } from "./db.ts";

/** Code → HTTP status and the sentence that is said when there is nothing better to say (specification, "Codes"). */
export const problemCodes = {
  bad_request: [400, "The request is not one that this route takes."],
  invalid_body: [400, "The body is not what this route takes."],
  no_checkable_field: [400, "The form has no field whose rules could be asked about."],
  unauthorized: [401, "A valid credential is required."],
  agent_inactive: [403, "The agent is disabled or revoked."],
  agent_required: [403, "Only an agent can do this."],
  anonymous_not_allowed: [403, "The form takes no anonymous sessions."],
  binding_required: [403, "The grant requires a respondent, and none is bound to it."],
  captcha_failed: [403, "The CAPTCHA was not passed."],
  captcha_required: [403, "The form requires a CAPTCHA; send captchaToken."],
  challenge_expired: [403, "The challenge has expired; ask for another."],
  challenge_failed: [403, "The challenge was failed; ask for another."],
  challenge_required: [403, "The form requires a challenge pass; pass a challenge, then submit."],
  csrf_rejected: [403, "A change by cookie needs a JSON content type and this site's own origin."],
  form_not_published: [403, "The form is not published."],
  insufficient_workspace_role: [403, "The operator's role in the workspace does not allow this."],
  missing_scope: [403, "The credential lacks the scope that this takes."],
  no_grant: [403, "The agent has no grant on this form."],
  partial_not_allowed: [403, "partial=true is for agents and respondents, not for API keys."],
  respondent_binding_requires_session: [403, "A respondent is bound by an operator, not by an API key."],
  respondent_not_assigned: [403, "The grant is bound to another respondent."],
  signature_required: [403, "This takes a signed request."],
  submit_not_grantable_by_api_key: [403, "agent:submit is granted by an operator, not by an API key."],
  tenant_mismatch: [403, "The credential and the form belong to different teams."],
  workspace_mismatch: [403, "The form is in another workspace than the agent."],
  not_found: [404, "There is nothing here."],
  method_not_allowed: [405, "This route does not take that method."],
  conflict: [409, "What the request builds on has changed."],
  payload_too_large: [413, "The body is larger than this server takes."],
  invalid_content_type: [415, "The body must be sent as application/json."],
  idempotency_key_reused: [422, "The Idempotency-Key was used with another body."],
  validation_failed: [422, "The data does not satisfy the form."],
  rate_limited: [429, "Too many requests; retry after the time in Retry-After."],
  internal_error: [500, "Something went wrong on our side; the request id finds it in the log."],
  captcha_unavailable: [503, "The CAPTCHA cannot be verified right now."],
  unavailable: [503, "The service cannot reach its database right now."],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type ProblemCode = keyof typeof problemCodes;

export interface ProblemOptions {
  /** Replaces the code's own sentence. */
  message?: string | undefined;
  /** Members of the envelope beside its own: `errors`, `current`. */
  extras?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An error of the API: thrown anywhere, turned into the error envelope by the app. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly extras: Record<string, unknown>;
  readonly headers: Record<string, string>;

  /** `options` may be the message alone. */
  constructor(code: ProblemCode, options: string | ProblemOptions = {}) {
    const {
      message,
      extras = {},
      headers = {},
    } = typeof options === "string" ? { message: options } : options;
    super(message ?? problemCodes[code][1]);
    this.name = "Problem";
    this.code = code;
    this.status = problemCodes[code][0];
    this.extras = extras;
    this.headers = headers;
  }
}

/** SQLSTATEs of values that PostgreSQL cannot take: our own check let them through, yet the caller sent them. */
const inputSqlStates = new Set(["22003", "22021", "22P02", "22P05", "54000", "54001"]);

/** SQLSTATEs of a transaction that lost against another one (serialization failure, deadlock): nothing happened, try again. */
const retryableSqlStates = new Set(["40001", "40P01"]);

/** The SQLSTATE of a refusal by one of our SQL functions: an answer, not a fault of the database. */
export const raisedSqlState = "ZFORM";

/**
 * What an error means to the caller. {@link raisedSqlState} is a refusal by one of our SQL functions (message = code, detail = sentence,
 * hint = extras as JSON); a lost or overloaded database is 503; all else is ours, and stays inside.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, message, detail, hint } = error as {
    code?: unknown;
    message?: string;
    detail?: string;
    hint?: string;
  };
  if (code === raisedSqlState)
    return new Problem(message as ProblemCode, { message: detail, extras: hint ? JSON.parse(hint) : {} });
  if (isUnavailable(error) || retryableSqlStates.has(code as string))
    return new Problem("unavailable", { headers: { "retry-after": "1" } });
  if (typeof code === "string" && inputSqlStates.has(code)) return new Problem("invalid_body");
  return new Problem("internal_error");
}
