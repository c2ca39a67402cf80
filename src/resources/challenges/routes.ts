/** Challenges test whether an agent knows a field's rules (specification, "Submitter" and "Challenge"). */
import { randomInt } from "node:crypto";
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { type CompiledForm, compile, type Field } from "../../fields/compile.ts";
import { isRecord } from "../../fields/definition.ts";
import { isEmptyInParts } from "../../fields/values.ts";
import { limits } from "../../limits.ts";
import { isSigned } from "../../platform/auth/http-signature.ts";
import { nilUuid, parseSecret } from "../../platform/auth/secret.ts";
import {
  authorizationCodes,
  credentialsArgument,
  noteKeys,
  problemFor,
  readSubmitterRequest,
  requireWithinLimit,
  type SubmitterRequest,
  type SubmitterResult,
  sessionSecurity,
  signatureCredentials,
  signatureSecurity,
} from "../../platform/auth/submitter.ts";
import {
  logRefusedSignature,
  signatureRefused,
  verifySignature,
} from "../../platform/auth/verify-signature.ts";
import { rowOf, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertBody, parseBody, parseJson, RequestBody, requireSize } from "../../platform/http/body.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { admitIp } from "../../platform/http/rate-limits.ts";
import { uuidParam } from "../../platform/http/shapes.ts";
import { Problem, problemFromSql, requireClientProblem } from "../../problem.ts";
import { type CompiledVersion, withPublishedVersion } from "../submit/versions.ts";
import { Challenge, ChallengeIssueRequest, ChallengeRespondRequest, ChallengeResult } from "./shapes.ts";

interface ResponseRow extends SubmitterResult {
  passExpiresAt: Date | null;
  remainingAttempts: number | null;
}

/** A pending challenge, with the fields of its form version. */
interface PendingChallenge {
  teamId: string;
  formId: string;
  fieldId: string;
  fields: unknown[];
}

const { maxSmallBytes } = limits.body;
const createPath = "/papi/v1/submitter/form/challenges";
const respondPath = "/papi/v1/submitter/challenges/:challenge_id/responses";

export const challengeRoutes = (deps: Deps) =>
  new Elysia({ name: createPath })
    .post(
      createPath,
      async ({ request }) => {
        const submitter = await readSubmitterRequest(deps, request, "challenge");
        const fault = faultOf(submitter);
        const result = await withPublishedVersion(submitter.form, (published, admitted) =>
          create(deps, submitter, published, { admitted, isFaulty: fault !== undefined }),
        );
        noteKeys(deps, submitter, result);
        requireWithinLimit(request, result);
        if (fault && result.outcome === "no_checkable_field") throw fault;
        if (result.outcome !== "issued") throw await problemFor(deps, submitter, result.outcome);
        const { challenge, expiresAt } = result;
        const { maxAttempts } = limits.challenge;
        return success({ ...challenge, type: "schema", expiresAt, maxAttempts });
      },
      operation({
        id: "createChallenge",
        tag: "challenge",
        summary: "Ask for a challenge",
        description: `A question about the rules of one of the form's fields, for agents; valid for ${limits.challenge.lifetimeMs / 60_000} minutes and ${limits.challenge.maxAttempts} responses. An agent has at most ${limits.challenge.maxOpen} open challenges per form.`,
        security: [sessionSecurity, signatureSecurity],
        body: {
          shape: ChallengeIssueRequest,
          optional: true,
          examples: { plain: { summary: "The only one", value: {} } },
        },
        response: {
          description: "The challenge.",
          data: Challenge,
          example: {
            challengeId: examples.ids.challenge,
            type: "schema",
            prompt: 'Send any value that the form would accept in its field "email".',
            fieldId: "email",
            expiresAt: "2026-11-20T09:02:00.123Z",
            maxAttempts: limits.challenge.maxAttempts,
          },
        },
        codes: [...authorizationCodes, "agent_required", "no_checkable_field", "payload_too_large"],
        limits: [ipLimit("RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE")],
      }),
    )
    .post(
      respondPath,
      async ({ request, params }) => {
        const ipKey = admitIp(request, "challenge-answer");
        requireSize(request, maxSmallBytes);
        const id = uuidParam(params, "challenge_id");
        if (!deps.config.FEATURE_AGENT_SIGNING || !isSigned(request)) throw new Problem("signature_required");
        const { problem, ...result } = await respond(deps, request, id, ipKey);
        requireWithinLimit(request, result);
        if (result.outcome === "malformed" && problem) throw problem;
        if (logRefusedSignature(deps, request, result.outcome) || result.outcome === "unauthorized")
          throw signatureRefused(request, { accessKeyIsOptional: true });
        return success(challengeResult(result));
      },
      operation({
        id: "respondToChallenge",
        tag: "challenge",
        summary: "Respond to a challenge",
        description:
          "Signed requests only, by the agent that requested the challenge. `x-form-access-key` is optional; when it is sent, the signature must cover it. A right value earns a pass, which a form with `settings.challenge.required` requires on submit.",
        security: [{ requestSignature: [] }, signatureSecurity],
        body: {
          shape: ChallengeRespondRequest,
          examples: { email: { summary: "An e-mail address", value: { answer: "ada@example.org" } } },
        },
        response: {
          description: "Whether it was right.",
          data: ChallengeResult,
          example: { passed: true, passExpiresAt: "2026-11-20T09:11:00.123Z" },
        },
        codes: [
          "unauthorized",
          "agent_inactive",
          "no_grant",
          "signature_required",
          "challenge_expired",
          "challenge_failed",
          "not_found",
        ],
        limits: [ipLimit("RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE")],
      }),
    );

/** The question of a challenge: the field, the kind of JSON value, and the request format. */
const promptOf = ({ id, label, kind, fieldType }: Field): string =>
  `Send any value that the form would accept in its field ${JSON.stringify(id)} (${JSON.stringify(label)}, of type ${kind}): ${fieldType.hint}, as {"answer": …}. It must satisfy every rule of the field.`;

/** Picks a field, and calls the SQL function that does everything else. */
async function create(
  deps: Deps,
  { team, form, credentials, ipKey }: SubmitterRequest,
  published: CompiledVersion | undefined,
  { admitted, isFaulty }: { admitted: boolean; isFaulty: boolean },
) {
  const { sql, config } = deps;
  // Without a field the call only authorizes the caller, who then gets the problem of the body.
  const field = published && !isFaulty ? pickRandomField(published.form) : undefined;
  const challenge = {
    challengeId: uuidv7(),
    fieldId: field?.id ?? null,
    prompt: field ? promptOf(field) : null,
  };
  const row = await rowOf(sql<(SubmitterResult & { expiresAt: Date })[]>`
    select (c.result).*, c.expires_at
    from formd.challenge_create(p_team => ${team}, p_form => ${form}, ${credentialsArgument(deps, credentials)},
      p_version => ${published?.version ?? null}, p_admitted => ${admitted}, p_ip_key => ${ipKey},
      p_ip_limit => ${config.RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE}, p_id => ${challenge.challengeId},
      p_field_id => ${challenge.fieldId}, p_prompt => ${challenge.prompt}) as c`);
  return { ...row, challenge };
}

/** The problem of the optional body, if it has one. A large body is not read. */
function faultOf({ request, body: { isLarge, bytes } }: SubmitterRequest): Problem | undefined {
  if (isLarge) return new Problem("payload_too_large", `The body may have at most ${maxSmallBytes} bytes.`);
  try {
    if (bytes?.length) parseBody(request, bytes, ChallengeIssueRequest);
  } catch (error) {
    return requireClientProblem(error);
  }
}

function pickRandomField(form: CompiledForm): Field | undefined {
  const { checkable } = form;
  return checkable.length === 0 ? undefined : form.field(checkable[randomInt(checkable.length)] ?? "");
}

/** Validates a response and counts it, in at most three round trips. An access key must name its form. */
async function respond(deps: Deps, request: Request, id: string, ipKey: string) {
  const { sql, config } = deps;
  const body = new RequestBody(request, maxSmallBytes);
  const bytes = await body.read();
  const accessKey = request.headers.get("x-form-access-key");
  const [challenge] = await sql<PendingChallenge[]>`
    select c.team_id, c.form_id, c.field_id, v.schema -> 'fields' as fields
    from formd.challenges c
    join formd.form_versions v on v.team_id = c.team_id and v.form_id = c.form_id and v.version = c.form_version
    where c.id = ${id}`;
  const { team, form, hash } =
    accessKey === null
      ? { team: challenge?.teamId ?? nilUuid, form: challenge?.formId ?? nilUuid, hash: undefined }
      : parseSecret("fdf", accessKey);
  const signature = await verifySignature(deps, request, body, team, { accessKeyIsOptional: true });
  const { validation, problem } = validate(request, bytes, signature ? challenge : undefined);
  const credentials = { access_key_hash: hash && toByteaText(hash), ...signatureCredentials(signature) };
  const row = await rowOf(sql<ResponseRow[]>`
    select (r.result).*, r.pass_expires_at, r.remaining_attempts
    from formd.challenge_respond(p_team => ${team}, p_form => ${form}, p_challenge => ${id}, ${credentialsArgument(deps, credentials)},
      p_ip_key => ${ipKey}, p_ip_limit => ${config.RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE},
      p_validation => ${validation}, p_pass_lifetime => ${`${config.CHALLENGE_PASS_MINUTES} minutes`}) as r`);
  return { ...row, problem };
}

/**
 * Validates a value: it is right if the rules of the field accept it, and it is not empty. Only this field is
 * compiled, and only for a verified signature (else there is no `challenge` here): a large form takes 200 ms.
 */
function validate(
  request: Request,
  bytes: Uint8Array,
  challenge: PendingChallenge | undefined,
): { validation: "right" | "wrong" | "malformed"; problem?: Problem } {
  try {
    const { value, unstorable } = parseJson(request, bytes);
    const { answer } = assertBody(value, ChallengeRespondRequest);
    if (!challenge || unstorable.length > 0 || isEmptyInParts(answer)) return { validation: "wrong" };
    const field = challenge.fields.find((each) => isRecord(each) && each.id === challenge.fieldId);
    const issues = compile({ fields: [field] }).validateField(challenge.fieldId, answer);
    return { validation: issues.length === 0 ? "right" : "wrong" };
  } catch (error) {
    if (error instanceof Problem) return { validation: "malformed", problem: error };
    throw error;
  }
}

/** The result as the specification defines it. @throws {Problem} for every other outcome. */
function challengeResult({ outcome, passExpiresAt, remainingAttempts }: ResponseRow) {
  if (outcome === "passed") return { passed: true, passExpiresAt };
  if (outcome === "wrong") return { passed: false, remainingAttempts };
  if (outcome === "exhausted") return { passed: false, remainingAttempts, failedAt: true };
  if (outcome === "bad_request") throw new Problem("bad_request", "The challenge was passed before.");
  throw problemFromSql(outcome);
}
