import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyValue } from "../../arbitrary.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

/** Bodies in all; the whole number that is promised runs where there is time for it: FORMD_FUZZ=50000. */
const bodies = Number(process.env.FORMD_FUZZ ?? 6_000);
const atOnce = 16;

/** Every code that a caller of these routes can earn, with its status (specification, "Codes", and its additions). */
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

const fields = [
  {
    id: "name",
    type: "text",
    label: "Name",
    required: true,
    validation: { pattern: "^\\p{L}+$", maxLength: 80 },
  },
  { id: "age", type: "integer", label: "Age" },
  { id: "mail", type: "email", label: "Mail" },
  { id: "tags", type: "multi_select", label: "Tags", options: ["a", "b"] },
  { id: "home", type: "address", label: "Home" },
  { id: "grid", type: "matrix", label: "Grid", rows: ["r"], columns: ["c"] },
  { id: "any", type: "x-anything", label: "Anything" },
  { id: "__proto__", type: "text", label: "Proto" },
  { id: "constructor", type: "text", label: "Constructor" },
];

let on: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;

beforeAll(async () => {
  on = await service({
    RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "1000000",
    RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "1000000",
    RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1000000",
    RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE: "1000000",
  });
  team = await makeTeam(on);
  form = await makeForm(on, team, fields);
  agent = await makeAgent(on, team, form);
}, 60_000);

const some = fc.constantFrom;
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const quoted = (key: string) => JSON.stringify(key);

/** JSON values as text, since the interesting ones have no JavaScript value. */
const broken = some(
  ...[
    "01",
    "+1",
    ".5",
    "1.",
    "NaN",
    "Infinity",
    "-",
    "0x10",
    "undefined",
    "'x'",
    "tru",
    "1_000",
    "/**/1",
    "1,",
    "[1,]",
  ],
  ...['"\\x"', '"\\u12"', '"\u0000"', '"\n"', '"\t"', '"', '"\\', '{"a":1,}', "{,}", '{"a"}', "[}"],
);
const odd = some(
  ...["9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740992.5"],
  ...[
    "9007199254740993e0",
    "1e400",
    "-1e400",
    "1e-400",
    "1E308",
    "123456789012345678901234567890",
    "-0",
    "0.1e1",
  ],
  ...[
    "[1e999]",
    '{"a":[9007199254740993]}',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ud83d"',
  ],
  ...['{"\\u0000":1}', '{"\\udfff":1}', '["\\ud800"]', '{"__proto__":{"polluted":1}}', '{"__proto__":null}'],
  ...['{"constructor":{"prototype":{"polluted":1}}}', '{"toString":null,"valueOf":1}', '{"a":1,"a":2}'],
);
const plain = fc.oneof(
  some(
    '"Ada"',
    "36",
    '"ada@example.org"',
    '["a"]',
    '{"country":"DE"}',
    '{"r":"c"}',
    '"\\ud83d\\ude00"',
    "1.5",
    '"\\u007f\\uffff"',
  ),
  anyValue.map((value) => JSON.stringify(value)),
);
const literal = fc.oneof(
  { weight: 12, arbitrary: plain },
  { weight: 4, arbitrary: odd },
  { weight: 1, arbitrary: broken },
);
const known = [
  "name",
  "age",
  "mail",
  "tags",
  "home",
  "grid",
  "any",
  "any",
  "any",
  "__proto__",
  "constructor",
];
const key = fc.oneof(
  { weight: 8, arbitrary: some(...known) },
  { weight: 1, arbitrary: some("hasOwnProperty", "toString", "", " ", "7", "data") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
);
const members = fc
  .array(fc.tuple(key, literal), { maxLength: 4 })
  .map(
    (pairs) => `{${['"name":"Ada"', ...pairs.map(([name, value]) => `${quoted(name)}:${value}`)].join(",")}}`,
  );
const metadata = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: members },
  { weight: 1, arbitrary: literal },
  {
    weight: 1,
    arbitrary: some('{"respondentId":7}', '{"respondentId":"x"}', '{"__proto__":{"respondentId":1}}'),
  },
);
const request = fc.tuple(members, metadata, rarely(members)).map(([data, about, more]) => {
  const rest = `${about === null ? "" : `,"metadata":${about}`}${more === null ? "" : `,"__proto__":${more}`}`;
  return `{"data":${data}${rest}}`;
});
const nested = fc
  .tuple(some(5, 29, 30, 31, 32, 33, 500, 50_000), fc.boolean(), fc.boolean())
  .map(([depth, lists, whole]) => {
    const deep = lists
      ? "[".repeat(depth) + "]".repeat(depth)
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    return whole ? deep : `{"data":{"any":${deep}}}`;
  });
const large = some<() => string>(
  () => `{"data":{${quoted("k".repeat(100_000))}:1}}`,
  () => `{"data":{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join(",")}}}`,
  () => `{"data":{"name":"${"é".repeat(20_000)}"}}`,
  () => `{"data":{"name":"${"\\ud800".repeat(5_000)}"}}`,
  () => `{"data":{"tags":[${'"a",'.repeat(20_000)}"b"]}}`,
  () => `{"data":{"age":${"9".repeat(20_000)}}}`,
  () => `{"data":{},"metadata":{"m":"${"x".repeat(16_400)}"}}`,
  () => `{"data":{"any":"${" ".repeat(1_048_577)}"}}`,
).map((make) => make());

const text = fc.oneof(
  { weight: 60, arbitrary: request },
  { weight: 5, arbitrary: literal },
  { weight: 5, arbitrary: nested },
  { weight: 1, arbitrary: large },
);
const truncated = fc
  .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([whole, part]) => bytesOf(whole.slice(0, Math.floor(whole.length * part))));
const flipped = fc.tuple(request, fc.nat(), fc.nat(255)).map(([whole, at, byte]) => {
  const bytes = bytesOf(whole);
  bytes[at % bytes.length] = byte;
  return bytes;
});
const misencoded = fc
  .tuple(request, some<BufferEncoding>("utf16le", "latin1", "base64"))
  .map(
    ([whole, as]) =>
      new Uint8Array(
        as === "base64" ? Buffer.from(Buffer.from(whole).toString("base64")) : Buffer.from(whole, as),
      ),
  );
const marked = fc
  .tuple(
    some([0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0]),
    request,
  )
  .map(([bytes, whole]) => new Uint8Array([...bytes, ...bytesOf(whole)]));
const body = fc.oneof(
  { weight: 20, arbitrary: text.map(bytesOf) },
  { weight: 3, arbitrary: truncated },
  { weight: 2, arbitrary: flipped },
  { weight: 1, arbitrary: misencoded },
  { weight: 1, arbitrary: marked },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constant("application/json") },
  {
    weight: 1,
    arbitrary: some(
      "application/json; charset=utf-16",
      "application/problem+json",
      "text/plain",
      "application/json;;;=",
      "APPLICATION/JSON",
      "multipart/form-data",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "",
    ),
  },
);

/** A request about to be sent; the credentials are good, so that it is the body that decides. */
interface Shot {
  path: string;
  credential: "agent" | "key" | "none";
  body: Uint8Array;
  headers: Record<string, string>;
}

const shot: fc.Arbitrary<Shot> = fc.record({
  path: fc.oneof(
    { weight: 10, arbitrary: fc.constant("/papi/v1/submitter/form/validation") },
    { weight: 8, arbitrary: fc.constant("/papi/v1/submitter/form/submissions") },
    {
      weight: 1,
      arbitrary: some(
        "/papi/v1/submitter/form/submissions?partial=true",
        "/papi/v1/submitter/form/submissions?partial=%00",
        "/papi/v1/submitter/form/submissions?__proto__=1&partial=1",
      ),
    },
    {
      weight: 1,
      arbitrary: some(
        "/papi/v1/submitter/form/challenges",
        "/papi/v1/auth/token",
        "/papi/v1/auth/anonymous",
        "/papi/v1/management/forms",
        "/papi/v1/identity/agents",
      ),
    },
  ),
  credential: fc.oneof(
    { weight: 20, arbitrary: fc.constant("key" as const) },
    { weight: 1, arbitrary: fc.constant("none" as const) },
  ),
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
  const reply = await fetch(on.url + path, {
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

/** What is wrong with an answer, if anything is: no envelope, or a code that is not for its status. */
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
  test(`${bodies} generated bodies are each answered with a code of the table, in the envelope`, async () => {
    const seed = Number(process.env.FORMD_FUZZ_SEED ?? Date.now() % 2 ** 31);
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
    expect(on.log()).not.toContain('"level":"error"');
    expect(on.process.exitCode).toBeNull();
    const reply = await ask(on, "POST", "/papi/v1/submitter/form/validation", {
      headers: asAgent(form, agent),
      body: { data: { name: "Ada" } },
    });
    expect(reply.body.data).toEqual({ valid: true, errors: [], warnings: [], missingRequired: [] });
  });

  test.each([
    ["a key of 100,000 characters", `{"data":{"name":"Ada","${"k".repeat(100_000)}":1}}`, 422],
    [
      "31 levels in a value, 33 in all",
      `{"data":{"name":"Ada","any":${"[".repeat(31)}${"]".repeat(31)}}}`,
      400,
    ],
    [
      "30 levels in a value, 32 in all",
      `{"data":{"name":"Ada","any":${"[".repeat(30)}1${"]".repeat(30)}}}`,
      200,
    ],
    ["2^53", '{"data":{"name":"Ada","age":9007199254740992}}', 200],
    ["2^53 + 1", '{"data":{"name":"Ada","age":9007199254740993}}', 422],
    ["1e400", '{"data":{"name":"Ada","age":1e400}}', 422],
    ["a lone surrogate in a value", '{"data":{"name":"Ada","any":"\\ud800"}}', 422],
    ["U+0000 in a value", '{"data":{"name":"Ada","any":"\\u0000"}}', 422],
    ["U+0000 in a key", '{"data":{"name":"Ada","\\u0000":1}}', 400],
    [
      "fields named __proto__ and constructor",
      '{"data":{"name":"Ada","__proto__":"x","constructor":"y"}}',
      200,
    ],
    ["__proto__ of another type", '{"data":{"name":"Ada","__proto__":{"x":1}}}', 422],
  ])("%s is judged as what it is", async (_, text, status) => {
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    const reply = await ask(on, "POST", "/papi/v1/submitter/form/submissions", { headers, body: text });
    expect(reply.status).toBe(status);
    if (status !== 200) return;
    const kept = await ask(
      on,
      "GET",
      `/papi/v1/management/forms/${form.id}/submissions/${reply.body.data.id}`,
      { headers: { "x-api-key": team.key } },
    );
    const [stored, sent] = [kept.body.data.submission.data, JSON.parse(text).data].map((data) =>
      Object.entries(data).sort(),
    );
    expect(stored).toEqual(sent as [string, unknown][]);
  });
});

describe("patterns that hang engines", () => {
  const noise = Array.from({ length: 10_000 }, (_, i) =>
    ((i * 2_654_435_761) >>> 13) % 2 === 0 ? "a" : "b",
  ).join("");
  const patterns: [pattern: string, text: string][] = [
    ["^(a+)+$", `${"a".repeat(9_999)}!`],
    ["^(a|a?)+$", `${"a".repeat(9_999)}!`],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(10_000)],
    ["(a*)*(a*)*(a*)*b", "a".repeat(10_000)],
    ["^(?:(?:a{1,9}){1,9}){1,9}$", `${"a".repeat(1_000)}!`],
    ["^(.*a){20}$", `${"a".repeat(9_000)}!`],
    ["[ab]*a[ab]{240}$", noise.slice(0, 4_000)],
    ["(a|b)*a(a|b){330}$", noise.slice(0, 1_000)],
  ];

  test("take no request over 100 ms on the longest value, and other requests go on meanwhile", async () => {
    const slow: [string, number][] = [];
    for (const [pattern, text] of patterns) {
      const guarded = await makeForm(on, team, [
        { id: "f", type: "text", label: "F", validation: { pattern } },
      ]).catch(() => undefined);
      if (!guarded) continue; // refused at publishing: no value meets it
      const headers = asAgent(guarded, await makeAgent(on, team, guarded));
      const submit = async () => {
        const started = performance.now();
        const replies = [
          ask(on, "POST", "/papi/v1/submitter/form/validation", { headers, body: { data: { f: text } } }),
          ...Array.from({ length: 5 }, () => ask(on, "GET", "/healthz")),
        ];
        const [judged, ...others] = await Promise.all(replies);
        expect([judged?.status, ...others.map(({ status }) => status)]).toEqual([
          200, 200, 200, 200, 200, 200,
        ]);
        return performance.now() - started;
      };
      await submit(); // compiles the form
      const times = [await submit(), await submit(), await submit()];
      slow.push([pattern, Math.min(...times)]);
    }
    expect(slow.length).toBeGreaterThan(5);
    expect(slow.filter(([, ms]) => ms > 100)).toEqual([]);
  }, 30_000);
});
