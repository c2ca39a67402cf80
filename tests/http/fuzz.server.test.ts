// stacks: one deno
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { body, rarely } from "../fuzz-bodies.ts";
import { generatedCases, seed } from "../generated.ts";
import { asAgent, ask, makeAgent, makeForm, makeTeam, permissive, service } from "../setup.ts";

const bodies = generatedCases(12_000, 1_000);
const atOnce = 16;

/**
 * Every code that a caller of these routes can earn, with its status (specification, "Codes", and its
 * additions).
 */
const statuses: Record<string, number> = {
  bad_request: 400,
  invalid_body: 400,
  unauthorized: 401,
  agent_required: 403,
  anonymous_not_allowed: 403,
  partial_not_allowed: 403,
  respondent_not_assigned: 403,
  signature_required: 403,
  tenant_mismatch: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  invalid_content_type: 415,
  idempotency_key_reused: 422,
  validation_failed: 422,
};

const validation = { pattern: "^\\p{L}+$", maxLength: 80 };
const fields = [
  { id: "name", type: "text", label: "Name", required: true, validation },
  { id: "age", type: "integer", label: "Age" },
  { id: "mail", type: "email", label: "Mail" },
  { id: "tags", type: "multi_select", label: "Tags", options: ["a", "b"] },
  { id: "home", type: "address", label: "Home" },
  { id: "grid", type: "matrix", label: "Grid", rows: ["r"], columns: ["c"] },
  { id: "any", type: "x-anything", label: "Anything" },
  { id: "__proto__", type: "text", label: "Proto" },
  { id: "constructor", type: "text", label: "Constructor" },
];

const limits = ["RATE_LIMIT_MANAGEMENT_PER_MINUTE", "RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE"];
const app = await service({ ...permissive, ...Object.fromEntries(limits.map((name) => [name, "1000000"])) });
const team = await makeTeam(app);
const form = await makeForm(app, team, fields);
const agent = await makeAgent(app, team, form);

const some = fc.constantFrom;

/** One of some values, that many times as often as others. */
const often = <T>(weight: number, ...values: T[]) => ({ weight, arbitrary: some(...values) });
const oddTypes = [
  ...["application/json; charset=utf-16", "application/json;;;=", "application/problem+json"],
  ...["text/plain", "APPLICATION/JSON", "multipart/form-data", "application/jsonp", ""],
  "application/x-www-form-urlencoded",
];
const contentType = fc.oneof(often(12, "application/json"), often(1, ...oddTypes));
const submissions = "/papi/v1/submitter/form/submissions";
const queries = ["?partial=true", "?partial=%00", "?__proto__=1&partial=1"];
const otherPaths = [
  ...["/papi/v1/submitter/form/challenges", "/papi/v1/auth/token", "/papi/v1/auth/anonymous"],
  ...["/papi/v1/management/forms", "/papi/v1/identity/agents"],
];

/** A request about to be sent; the credentials are good, so that it is the body that decides. */
interface Shot {
  path: string;
  credential: "key" | "none";
  body: Uint8Array;
  headers: Record<string, string>;
}

const shot: fc.Arbitrary<Shot> = fc.record({
  path: fc.oneof(
    often(10, "/papi/v1/submitter/form/validation"),
    often(8, submissions),
    often(1, ...queries.map((query) => submissions + query)),
    often(1, ...otherPaths),
  ),
  credential: fc.oneof(often(20, "key" as const), often(1, "none" as const)),
  body,
  headers: fc
    .tuple(contentType, rarely(fc.string({ unit: some("a", "~", " ", ";", '"', "é"), maxLength: 300 })))
    .map(([type, idempotency]) => ({
      "content-type": type,
      ...(idempotency !== null && { "idempotency-key": idempotency }),
    })),
});

async function send({ path, credential, body, headers }: Shot): Promise<string | undefined> {
  const apiKey = credential === "none" ? "fdk_none" : team.key;
  const reply = await fetch(app.url + path, {
    method: "POST",
    headers: { ...headers, "x-form-access-key": form.accessKey, "x-api-key": apiKey },
    body: body as BodyInit,
  });
  const answer = await reply.text();
  const wrong = faultOf(reply.status, answer);
  return (
    wrong &&
    `${wrong}: ${path} ${JSON.stringify(headers)} ${Buffer.from(body.slice(0, 300)).toString("latin1")} → ${reply.status} ${answer.slice(0, 300)}`
  );
}

/** Returns the error in a response, such as a missing envelope or a code that does not match its status. */
function faultOf(status: number, answer: string): string | undefined {
  let envelope: Record<string, unknown>;
  try {
    envelope = JSON.parse(answer);
  } catch {
    return "no JSON";
  }
  if (envelope.apiVersion !== "v1") return "no envelope";
  if (status === 200) return "data" in envelope && !("error" in envelope) ? undefined : "no data";
  if (typeof envelope.error !== "string" || envelope.error === "") return "no sentence";
  if (statuses[String(envelope.code)] !== status) return "a code that is not of the table";
  return (status === 422 && envelope.code === "validation_failed") === Array.isArray(envelope.errors)
    ? undefined
    : "errors missing, or out of place";
}

describe("nothing that a caller sends gives a 5xx", () => {
  test(`${bodies} generated bodies each get a code of the table, in the envelope`, async () => {
    const faults: string[] = [];
    for (let sent = 0; sent < bodies && faults.length === 0; sent += 2_000) {
      const shots = fc.sample(shot, { seed: seed + sent, numRuns: Math.min(2_000, bodies - sent) }).values();
      const lanes = Array.from({ length: atOnce }, async () => {
        for (const next of shots) {
          const fault = await send(next);
          if (fault) faults.push(fault);
        }
      });
      await Promise.all(lanes);
    }
    expect({ seed, faults: faults.slice(0, 5) }).toEqual({ seed, faults: [] });
  }, 600_000);

  test("the log knows of no error, and the server is the same as before", async () => {
    expect(app.log()).not.toContain('"level":"error"');
    expect(app.process.exitCode).toBeNull();
    const reply = await ask(app, "POST", "/papi/v1/submitter/form/validation", {
      headers: asAgent(form, agent),
      body: { data: { name: "Ada" } },
    });
    expect(reply.body.data).toEqual({ valid: true, errors: [], warnings: [], missingRequired: [] });
  });

  test.each([
    ["a key of 100,000 characters", `"${"k".repeat(100_000)}":1`, 422],
    ["31 levels in a value, 33 in all", `"any":${"[".repeat(31)}${"]".repeat(31)}`, 400],
    ["30 levels in a value, 32 in all", `"any":${"[".repeat(30)}1${"]".repeat(30)}`, 200],
    ["2^53", '"age":9007199254740992', 200],
    ["2^53 + 1", '"age":9007199254740993', 422],
    ["1e400", '"age":1e400', 422],
    ["a lone surrogate in a value", '"any":"\\ud800"', 422],
    ["U+0000 in a value", '"any":"\\u0000"', 422],
    ["U+0000 in a key", '"\\u0000":1', 400],
    ["fields named __proto__ and constructor", '"__proto__":"x","constructor":"y"', 200],
    ["__proto__ of another type", '"__proto__":{"x":1}', 422],
  ])("%s has the status of its rule", async (_, member, status) => {
    const text = `{"data":{"name":"Ada",${member}}}`;
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    const reply = await ask(app, "POST", submissions, { headers, body: text });
    expect(reply.status).toBe(status);
    if (status !== 200) return;
    const path = `/papi/v1/management/forms/${form.id}/submissions/${reply.body.data.id}`;
    const kept = await ask(app, "GET", path, { headers: { "x-api-key": team.key } });
    const [stored, sent] = [kept.body.data.submission.data, JSON.parse(text).data].map((data) =>
      Object.entries(data).sort(),
    );
    expect(stored).toEqual(sent as [string, unknown][]);
  });
});
