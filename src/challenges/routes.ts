/** Challenges: does an agent know a field's rules? (Specification, "Submitter" and "Challenge".) @module */
import { randomInt } from "node:crypto";
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { isSigned } from "../auth/http-signature.ts";
import { nilUuid, parseSecret } from "../auth/secret.ts";
import { logSignatureRefusal, verifySignature } from "../auth/verify-signature.ts";
import type { Deps } from "../deps.ts";
import { type CompiledForm, compile, type Field } from "../fields/compile.ts";
import { isEmptyInParts } from "../fields/values.ts";
import { assertShape, parseJson, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { ipLimit, operation } from "../http/operation.ts";
import { type RateLimitState, rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
import { uuidParam } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem, problemFromSql } from "../problem.ts";
import {
  authorizationCodes,
  type CompiledVersion,
  callerArguments,
  problemFor,
  readSubmitterRequest,
  type SubmitterRequest,
  sessionSecurity,
  signatureSecurity,
  type VersionedResult,
  withCurrentVersion,
} from "../submit/request.ts";
import { promptOf } from "./prompt.ts";
import { Challenge, ChallengeRespondRequest, ChallengeResult } from "./shapes.ts";

/** What a response is judged by: the challenge's field in the version that it was issued for. */
interface Asked {
  teamId: string;
  formId: string;
  fieldId: string;
  schema: { fields: unknown[] };
}

/** A row of formd.challenge_answer. */
interface Answered extends RateLimitState {
  outcome: string;
  passExpiresAt: Date | null;
  remainingAttempts: number | null;
}

const issuePath = "/papi/v1/submitter/form/challenges";
const answerPath = "/papi/v1/submitter/challenges/:challenge_id/responses";

export const challenges = (deps: Deps) =>
  new Elysia({ name: issuePath })
    .post(
      issuePath,
      async ({ request, set }) => {
        const call = await readSubmitterRequest(deps, request);
        const { outcome, expiresAt, challenge, ...rate } = await withCurrentVersion(call, (published) =>
          issue(deps, call, published),
        );
        if (outcome === "rate_limited") throw rateLimited(rate);
        Object.assign(set.headers, rateLimitHeaders(rate));
        if (outcome !== "issued") throw await problemFor(deps, call, outcome);
        return success({
          ...challenge,
          type: "schema",
          expiresAt,
          maxAttempts: limits.challenge.maxAttempts,
        });
      },
      operation({
        id: "createChallenge",
        tag: "challenge",
        summary: "Ask for a challenge",
        description: `A question about the rules of one of the form's fields, for agents; valid for ${limits.challenge.lifetimeMs / 60_000} minutes and ${limits.challenge.maxAttempts} responses. An agent has at most ${limits.challenge.maxOpen} open challenges per form.`,
        security: [sessionSecurity, signatureSecurity],
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
      answerPath,
      async ({ request, params, set }) => {
        const bytes = await readBytes(request, deps.config.MAX_BODY_BYTES);
        const id = uuidParam(params, "challenge_id");
        if (!deps.config.FEATURE_AGENT_SIGNING || !isSigned(request)) throw new Problem("signature_required");
        const { problem, ...answered } = await answer(deps, request, bytes, id);
        if (answered.outcome === "rate_limited") throw rateLimited(answered);
        Object.assign(set.headers, rateLimitHeaders(answered));
        if (answered.outcome === "malformed" && problem) throw problem;
        if (logSignatureRefusal(deps, request, answered.outcome)) throw new Problem("unauthorized");
        return success(resultOf(answered));
      },
      operation({
        id: "respondToChallenge",
        tag: "challenge",
        summary: "Answer a challenge",
        description:
          "Signed requests only, by the agent that was asked. `x-form-access-key` may be left out; when it is sent, the signature covers it. A right answer earns a pass, which a form with `settings.challenge.required` asks for on submit.",
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

/** Draws a field to ask about and makes the one call that decides everything else. */
async function issue(deps: Deps, call: SubmitterRequest, published: CompiledVersion | undefined) {
  const { sql, config } = deps;
  const field = published && pickRandomField(published.form);
  const challenge = {
    challengeId: uuidv7(),
    fieldId: field?.id ?? null,
    prompt: field ? promptOf(field) : null,
  };
  const [row] = await sql<[VersionedResult & RateLimitState & { expiresAt: Date }]>`
    select * from formd.challenge_issue(${callerArguments(deps, call)}, ${published?.version ?? null},
      ${`challenge:ip:${rateLimitKeyOf(call.request)}`}, ${config.RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE},
      ${challenge.challengeId}, ${challenge.fieldId}, ${challenge.prompt})`;
  return { ...row, challenge };
}

/** Any of the fields whose rules can be asked about. */
function pickRandomField(form: CompiledForm): Field | undefined {
  const { checkable } = form;
  return checkable.length === 0 ? undefined : form.field(checkable[randomInt(checkable.length)] ?? "");
}

/**
 * Judges an answer and has it counted. The challenge names the form; an access key that is sent as well must name the same one.
 * Three round trips at most: the challenge, the public key if this process has not seen it, the answer.
 */
async function answer(deps: Deps, request: Request, bytes: Uint8Array, id: string) {
  const { sql, config } = deps;
  const accessKey = request.headers.get("x-form-access-key");
  const [asked] = await sql<Asked[]>`
    select c.team_id, c.form_id, c.field_id, v.schema
    from formd.challenges c
    join formd.form_versions v on v.team_id = c.team_id and v.form_id = c.form_id and v.version = c.form_version
    where c.id = ${id}`;
  const route =
    accessKey === null
      ? { team: asked?.teamId ?? nilUuid, form: asked?.formId ?? nilUuid, hash: null }
      : parseSecret("fdf", accessKey);
  const proof = await verifySignature(deps, request, bytes, route.team, true);
  const reading = judge(request, bytes, asked);
  const [row] = await sql<[Answered]>`
    select * from formd.challenge_answer(${route.team}, ${route.form}, ${id}, ${proof?.keyId ?? null}, ${proof?.nonce ?? null},
      ${proof?.nonceExpiresAt ?? null}, ${`challenge-answer:ip:${rateLimitKeyOf(request)}`}, ${config.RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE},
      ${route.hash}, ${reading.verdict}, ${`${config.CHALLENGE_PASS_MINUTES} minutes`})`;
  return { ...row, ...reading };
}

/** An answer is right when it is a value that the field's own rules accept; an empty one never is. */
function judge(
  request: Request,
  bytes: Uint8Array,
  asked: Asked | undefined,
): { verdict: "right" | "wrong" | "malformed"; problem?: Problem } {
  try {
    const { value, unstorable } = parseJson(request, bytes);
    const { answer } = assertShape(value, ChallengeRespondRequest, "invalid_body");
    if (!asked || unstorable.length > 0 || isEmptyInParts(answer)) return { verdict: "wrong" };
    return {
      verdict: compile(asked.schema).validateField(asked.fieldId, answer).length === 0 ? "right" : "wrong",
    };
  } catch (error) {
    if (error instanceof Problem) return { verdict: "malformed", problem: error };
    throw error;
  }
}

/** The respond result of the specification. @throws {Problem} for every outcome that is none. */
function resultOf({ outcome, passExpiresAt, remainingAttempts }: Answered) {
  if (outcome === "passed") return { passed: true, passExpiresAt };
  if (outcome === "wrong") return { passed: false, remainingAttempts };
  if (outcome === "exhausted") return { passed: false, remainingAttempts, failedAt: true };
  if (outcome === "bad_request") throw new Problem("bad_request", "The challenge was passed before.");
  throw problemFromSql(outcome);
}
