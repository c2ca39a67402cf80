/** The errors of the API: each code with its status and message, and the meaning of database errors. */
import { type MessageKey, messages, type Said, sentenceIn } from "./messages.ts";

/** Code → HTTP status and default message (specification, "Codes"). */
export const problemCodes = {
  bad_request: [400, "The request is not valid for this route."],
  invalid_body: [400, "The body does not have the shape that this route expects."],
  no_checkable_field: [400, "The form has no field with a rule that a challenge can ask about."],
  unauthorized: [401, "A valid credential is required."],
  agent_inactive: [403, "The agent is disabled or revoked."],
  agent_required: [403, "This route is for agents only."],
  anonymous_not_allowed: [403, "The form does not allow anonymous sessions."],
  binding_required: [403, "The grant requires a bound respondent, and none is bound."],
  captcha_failed: [403, "The CAPTCHA verification failed."],
  captcha_required: [403, "The form requires a CAPTCHA. Send its token as captchaToken."],
  challenge_expired: [403, "The challenge has expired. Request a new one."],
  challenge_failed: [403, "The challenge has failed. Request a new one."],
  challenge_required: [403, "The form requires a challenge pass. Pass a challenge, then submit."],
  csrf_rejected: [
    403,
    "A change with a session cookie requires a JSON content type and this server's own origin.",
  ],
  declared_agent_refused: [403, "The page of the form is for people. An agent submits by the API."],
  form_closed: [403, "The form does not accept submissions now."],
  form_not_published: [403, "The form is not published."],
  insufficient_workspace_role: [403, "The operator's role in the workspace does not allow this."],
  missing_scope: [403, "The credential lacks the required scope."],
  no_grant: [403, "The agent has no grant on this form."],
  passkey_required: [
    403,
    "A workspace of the operator asks for a passkey before this: do it in the console, or use a passkey there just before.",
  ],
  password_required: [
    403,
    "The operator gave the password too long ago for this: sign in again at /console/login, then repeat it.",
  ],
  partial_not_allowed: [403, "An API key cannot submit with partial=true."],
  respondent_binding_requires_session: [403, "Only an operator can bind a respondent; an API key cannot."],
  respondent_not_assigned: [403, "The grant is bound to another respondent."],
  signature_required: [403, "This route requires a signed request."],
  storage_full: [403, "The files of the team have no more room."],
  submit_not_grantable_by_api_key: [403, "Only an operator can grant agent:submit; an API key cannot."],
  tenant_mismatch: [403, "The credential and the form belong to different teams."],
  workspace_mismatch: [403, "The agent and the form are in different workspaces."],
  not_found: [404, "The resource was not found."],
  method_not_allowed: [405, "This route does not allow this method."],
  conflict: [409, "The resource has changed since the version that the request is based on."],
  held: [409, "The submission is held: neither it nor a file of it can be deleted."],
  cursor_expired: [410, "The changes since this cursor are no longer kept: read the list anew."],
  gone: [410, "The resource was deleted."],
  payload_too_large: [413, "The body is larger than this server accepts."],
  invalid_content_type: [415, "The body must have the content type application/json."],
  idempotency_key_reused: [422, "The Idempotency-Key was used with a different body."],
  validation_failed: [422, "The data does not satisfy the rules of the form."],
  rate_limited: [429, "Too many requests. Retry after the time in Retry-After."],
  internal_error: [500, "Internal server error. The request id identifies it in the server's log."],
  captcha_unavailable: [503, "The CAPTCHA cannot be verified right now."],
  unavailable: [503, "The service cannot reach its database right now."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ProblemCode = keyof typeof problemCodes;

interface ProblemOptions {
  /** Replaces the code's default message. */
  message?: string | undefined;
  /** Key of the message, for the console's own words: `say`. */
  said?: Said;
  /** Additional members of the envelope: `errors`, `current`. */
  extras?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The error behind the problem: it is logged, and never returned. */
  cause?: unknown;
}

/** An error of the API: thrown anywhere, turned into the error envelope by the app. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly said: Said | undefined;
  readonly extras: Record<string, unknown>;
  readonly headers: Record<string, string>;

  /** @param options the message, or options with it */
  constructor(code: ProblemCode, options: string | ProblemOptions = {}) {
    const given: ProblemOptions = typeof options === "string" ? { message: options } : options;
    super(given.message ?? problemCodes[code][1], { cause: given.cause });
    this.name = "Problem";
    this.code = code;
    this.status = problemCodes[code][0];
    this.said = given.said;
    this.extras = given.extras ?? {};
    this.headers = given.headers ?? {};
  }
}

/** A 503. @param retrySeconds time after which the client should retry */
export const unavailable = (message: string, retrySeconds: number, cause?: unknown): Problem =>
  new Problem("unavailable", { message, headers: { "retry-after": String(retrySeconds) }, cause });

/** SQLSTATEs of values that PostgreSQL rejects. They came from the caller and passed our own checks. */
const inputSqlStates = new Set(["22003", "22007", "22008", "22021", "22P02", "22P05", "54000", "54001"]);

/** Checks whether PostgreSQL rejected a value of the caller. Such an error's message quotes it. */
const isInputError = (error: unknown): boolean =>
  inputSqlStates.has((error as { code?: string } | null)?.code ?? "");

/** Checks for a transaction that others aborted (serialization, deadlock, limits added): try again. */
export const isRetryable = (error: unknown): boolean =>
  ["40001", "40P01"].includes((error as { code?: string } | null)?.code ?? "");

const unavailableCodes = new RegExp(
  `^(?:${[
    "08...", // connection exceptions
    "28...|3D000", // the login or the database is not there, as while a password is changed
    "53...", // out of connections, memory, disk
    "57P0.", // shutting down, crashed, starting up
    "57014", // statement_timeout
    "55P03", // lock_timeout
    "25P03", // idle_in_transaction_session_timeout
    "25006", // read-only: a failover has left us on the standby
    "CONNECT_TIMEOUT",
    "CONNECTION_(?:CLOSED|ENDED|DESTROYED)",
    "ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH",
    "ERR_SOCKET_CLOSED", // written to while it was closing, on Bun
    "TLS_REFUSED", // a server without TLS has taken the place of one with
    "ENOTFOUND|EAI_AGAIN", // name service: in a container network a stopped database has no name
  ].join("|")})$`,
);

/** Checks for a database that is down or overloaded (503). SQLSTATEs: PostgreSQL, appendix A. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (error instanceof SuppressedError) return isUnavailable(error.suppressed);
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // A Citus worker died while it executed or committed. This has no SQLSTATE of its own.
  if (code === "XX000")
    return /server closed the connection unexpectedly|^could not commit transaction .*active node$/.test(
      message,
    );
  // The Unix socket does not exist. Any other missing file is a different error.
  if (code === "ENOENT") return syscall === "connect";
  return code !== undefined && unavailableCodes.test(code);
}

/** The SQLSTATE of `raise_problem`: message = code, detail = key, hint = values and extras as JSON. */
export const raisedSqlState = "ZFORM";

/** The problem of an outcome or a raised code. An unknown code is a bug, and is logged. */
export const problemFromSql = (code: string, options?: ProblemOptions): Problem =>
  Object.hasOwn(problemCodes, code)
    ? new Problem(code as ProblemCode, options)
    : new Problem("internal_error", { cause: new Error(`SQL returned the unknown code "${code}".`) });

/** Converts an error to a problem. `cause` is for the log. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, message, detail, hint } = (error ?? {}) as Record<string, string | undefined>;
  if (code === raisedSqlState) {
    const { values, extras } = JSON.parse(hint ?? "{}") as { values: unknown; extras: Problem["extras"] };
    const said: Said = { key: detail as MessageKey, values };
    return problemFromSql(message ?? "", { message: sentenceIn(messages, said), said, extras });
  }
  if (isUnavailable(error) || isRetryable(error))
    return new Problem("unavailable", {
      // Class 53, insufficient resources: the database can be reached.
      message: code?.startsWith("53")
        ? "The database has run out of disk, memory or connections."
        : undefined,
      headers: { "retry-after": "1" },
      cause: error,
    });
  return new Problem(isInputError(error) ? "invalid_body" : "internal_error", { cause: error });
}

/** The problem that the caller may see. @throws the error itself if its status is 5xx: it is logged. */
export function requireClientProblem(error: unknown): Problem {
  const problem = toProblem(error);
  if (problem.status >= 500) throw error;
  return problem;
}

/** An error for the log: PostgreSQL's fields, without parameters or text that quotes a value. */
export function errorForLog(error: unknown) {
  const { name, message, code, routine, where, stack } = error as Error &
    Record<"code" | "routine" | "where", string | undefined>;
  if (!isInputError(error)) return { name, message, code, where, stack };
  return {
    name,
    code,
    routine,
    where: where?.split("\n").filter((line) => /^(?:PL\/pgSQL|SQL) function /.test(line)),
  };
}
