// stacks: one deno gate
/** Bodies as they arrive. What is JSON, and what can be stored of it, tests/unit/body.test.ts asks. */
import { describe, expect, test } from "bun:test";
import { unknownId } from "../expect.ts";
import { ask, makeKey, makeTeam, service } from "../setup.ts";
import { head, raw } from "./raw-http.ts";

const forms = "/papi/v1/management/forms";
const app = await service({ MAX_BODY_BYTES: "65536" });
const team = await makeTeam(app);
const key = { "x-api-key": team.key };

/** A POST of these bytes as a form to create, with the team's key unless told otherwise. */
const create = (body: unknown, headers: Record<string, string> = key) =>
  ask(app, "POST", forms, { body, headers });
const json = { "Content-Type": "application/json" };
const chunked = { "Transfer-Encoding": "chunked" };

describe.each([
  `POST ${forms}`,
  `PATCH ${forms}/${unknownId}`,
  "POST /papi/v1/auth/token",
  "POST /papi/v1/submitter/form/submissions",
  "POST /papi/v1/submitter/form/validation",
  "POST /papi/v1/identity/agents",
  "POST /console/login",
])("the size of a body: %s", (route) => {
  test("a large Content-Length is 413 before a byte of the body, a type or a credential is looked at", async () => {
    for (const length of ["65537", "200000000", "99999999999"]) {
      const { status, text } = await raw(app, head(route, { "Content-Length": length }));
      expect([length, status, text && JSON.parse(text).code]).toEqual([length, 413, "payload_too_large"]);
    }
  });

  test("a large body without Content-Length is 413 too, and one in too many chunks 400", async () => {
    const chunk = `4000\r\n${"{".repeat(0x4000)}\r\n`;
    const large = await raw(app, head(route, chunked), chunk.repeat(5));
    expect([large.status, JSON.parse(large.text).code]).toEqual([413, "payload_too_large"]);
    const cut = await raw(app, head(route, { ...json, ...chunked }), "1\r\n{\r\n".repeat(10_000));
    expect([cut.status, JSON.parse(cut.text).error]).toEqual([
      400,
      "The body may arrive in at most 512 chunks and 2 more per KiB.",
    ]);
  });
});

test.each([
  [forms, 401],
  ["/papi/v1/identity/agents", 401],
  ["/papi/v1/submitter/form/submissions", 401],
  ["/papi/v1/submitter/form/validation", 401],
  ["/papi/v1/submitter/form/challenges", 401],
  ["/mcp", 401],
  ["/console/new-form", 401],
  ["/f/nothing", 404],
])(
  "POST %s: a large body is not waited for, when the caller has no valid credential",
  async (path, status) => {
    const type = path.startsWith("/papi") ? "application/json" : "application/x-www-form-urlencoded";
    const sent = { "content-type": type, "content-length": "60000", authorization: "Bearer none" };
    expect((await raw(app, head(`POST ${path}`, sent), "a")).status).toBe(status);
  },
);

test("a body of exactly the limit is taken, also in chunks", async () => {
  const body = JSON.stringify({ name: "A", description: "" }).padEnd(65536);
  expect((await create(body)).status).toBe(200);
  const chunks = [body.slice(0, 9), body.slice(9)].map(
    (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
  );
  const start = head(`POST ${forms}`, { ...key, ...json, ...chunked });
  expect((await raw(app, start, `${chunks.join("")}0\r\n\r\n`)).status).toBe(200);
});

describe("the content type", () => {
  test("of JSON is accepted, another one or a missing one is 415", async () => {
    const patch = { ...key, "content-type": "application/merge-patch+json; a=b" };
    expect((await create({ name: "A" }, patch)).status).toBe(200);
    const { status, body } = await create({ name: "A" }, { ...key, "content-type": "text/plain" });
    expect([status, body.code]).toEqual([415, "invalid_content_type"]);
    for (const type of [{}, { "Content-Type": "" }]) {
      const start = head(`POST ${forms}`, { ...key, ...type, "Content-Length": "12" });
      const reply = await raw(app, start, '{"name":"A"}');
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([415, "invalid_content_type"]);
    }
  });
});

test("a body with a Content-Encoding is 415, whatever it holds, and the response says which is taken", async () => {
  for (const coding of ["gzip", "br", "x-unknown", "identity, gzip"]) {
    const reply = await create({ name: "A" }, { ...key, "content-encoding": coding });
    expect([reply.status, reply.body.code, reply.headers.get("accept-encoding")]).toEqual([
      415,
      "invalid_content_type",
      "identity",
    ]);
  }
  for (const coding of ["identity", "Identity", ""])
    expect((await create({ name: "A" }, { ...key, "content-encoding": coding })).status).toBe(200);
  const plain = await create({ name: "A" }, { ...key, "content-type": "text/plain" });
  expect([plain.status, plain.headers.get("accept-encoding")]).toEqual([415, null]);
});

describe("a body", () => {
  test.each([
    ["no JSON", "{"],
    ["another shape", {}],
    ["another type", "<a/>"],
  ])("%s without a key is 401", async (_, body) => {
    expect((await create(body, {})).body.code).toBe("unauthorized");
    expect((await create(body, { "content-type": "text/plain" })).body.code).toBe("unauthorized");
    const { key } = await makeKey(app, team, "forms:read");
    expect((await create(body, { "x-api-key": key })).body.code).toBe("missing_scope");
  });

  const bytes = (...parts: (string | number[])[]) =>
    new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part)] : part)));
  const deep = (levels: number) =>
    `{"name":"A","schema":{"fields":[],"x":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`;
  const withNumber = (literal: string) =>
    `{"name":"A","schema":{"fields":[{"id":"n","x":{"y":[${literal}]}}]}}`;
  test.each<[string, string | Uint8Array, string]>([
    ["nothing", new Uint8Array(), "The body is not JSON: it is empty."],
    ["no JSON", '{"name":"A"}{}', "The body is not JSON: "],
    ["no UTF-8", bytes('{"name":"', [0xc3, 0x28], '"}'), "The body is not UTF-8."],
    ["an array", "[]", "must be"],
    ["U+0000 in text", '{"name":"a\\u0000b"}', "name holds text that cannot be stored"],
    ["a surrogate in a key", '{"name":"A","schema":{"fields":[],"\\udfff":1}}', "A key has U+0000 or a lone"],
    ["a number that is no double", withNumber("9007199254740993"), "schema.fields[0].x.y[0] holds a number"],
    ["33 levels", deep(33), "The body is nested deeper than 32 levels."],
    ["thousands of levels", "[".repeat(60_000), "The body is nested deeper than 32 levels."],
    ["the first error's path", '{"name":"A","schema":{"fields":[{"id":"a"},{}]}}', "schema.fields[1].id"],
  ])("%s is 400 invalid_body, with the reason", async (_, body, said) => {
    const reply = await create(body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_body"]);
    expect(reply.body.error).toContain(said);
  });

  test("an array is not a body, even if each member is optional", async () => {
    const path = "/papi/v1/identity/agents";
    const { body } = await ask(app, "POST", path, { headers: key, body: { name: "A" } });
    const reply = await ask(app, "POST", `${path}/${body.data.id}/rotate-secret`, { headers: key, body: [] });
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_body"]);
  });

  test("what is stored comes back: characters, escapes, a byte order mark, 32 levels, numbers, __proto__", async () => {
    const name = bytes([0xef, 0xbb, 0xbf], '{"name":"\\ud83d\\ude00 \u{1f600} \\u0001 \\\\u0000"}');
    expect((await create(name)).body.data?.form.name).toBe("\u{1f600} \u{1f600} \u0001 \\u0000");
    expect((await create(deep(32))).status).toBe(200);
    const { body: numbers } = await create(withNumber("-9007199254740992, 1e-7, 123456789.25"));
    const [{ x }] = numbers.data.form.schema.fields;
    expect(x.y).toEqual([-9007199254740992, 1e-7, 123456789.25]);
    const own = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}';
    const { body } = await create(`{"name":"A","schema":{"fields":[{"id":"a",${own}}]}}`);
    expect(JSON.stringify(body.data.form.schema.fields)).toContain('"__proto__":{"polluted":1}');
    const { body: listed } = await ask(app, "GET", forms, { headers: key });
    expect(JSON.stringify(listed.data.pagination)).not.toContain("polluted");
  });
});
