// stacks: one deno
import { beforeAll, describe, expect, test } from "bun:test";
import { unknownId } from "../expect.ts";
import { ask, makeKey, makeTeam, type Service, service, type Team } from "../setup.ts";
import { head, raw } from "./raw-http.ts";

const forms = "/papi/v1/management/forms";
let app: Service;
let team: Team;
let key: { "x-api-key": string };

beforeAll(async () => {
  app = await service({ MAX_BODY_BYTES: "65536" });
  team = await makeTeam(app);
  key = { "x-api-key": team.key };
});

/** A POST of these bytes as a form to create, with the team's key unless told otherwise. */
const create = (body: unknown, headers: Record<string, string> = key) =>
  ask(app, "POST", forms, { body, headers });

describe("the size of a body", () => {
  const paths = [
    ["POST", forms],
    ["PATCH", `${forms}/${unknownId}`],
    ["POST", "/papi/v1/auth/token"],
    ["POST", "/papi/v1/submitter/form/submissions"],
    ["POST", "/papi/v1/submitter/form/validation"],
    ["POST", "/papi/v1/identity/agents"],
    ["POST", "/console/login"],
  ];

  test.each(paths)(
    "%s %s: a large Content-Length is 413 before a byte of the body, a type or a credential is looked at",
    async (method, path) => {
      for (const length of ["65537", "200000000", "99999999999"]) {
        const reply = await raw(app, head(`${method} ${path}`, { "Content-Length": length }));
        expect([length, reply.status, reply.text && JSON.parse(reply.text).code]).toEqual([
          length,
          413,
          "payload_too_large",
        ]);
      }
    },
  );

  test.each(paths)("%s %s: a large body without Content-Length is 413 too", async (method, path) => {
    const chunk = `4000\r\n${"{".repeat(0x4000)}\r\n`;
    const reply = await raw(
      app,
      head(`${method} ${path}`, { "Transfer-Encoding": "chunked" }),
      chunk.repeat(5),
    );
    expect([reply.status, JSON.parse(reply.text).code]).toEqual([413, "payload_too_large"]);
  });

  test.each([
    ["POST", forms, 401],
    ["POST", "/papi/v1/identity/agents", 401],
    ["POST", "/papi/v1/submitter/form/submissions", 401],
    ["POST", "/papi/v1/submitter/form/validation", 401],
    ["POST", "/papi/v1/submitter/form/challenges", 401],
    ["POST", "/mcp", 401],
    ["POST", "/console/new-form", 401],
    ["POST", "/f/nothing", 404],
  ] as const)(
    "%s %s: a large body is not waited for, when the caller has no valid credential",
    async (method, path, status) => {
      const type = path.startsWith("/papi") ? "application/json" : "application/x-www-form-urlencoded";
      const sent = { "content-type": type, "content-length": "60000", authorization: "Bearer none" };
      expect((await raw(app, head(`${method} ${path}`, sent), "a")).status).toBe(status);
    },
  );

  test.each(paths)("%s %s: a body that is cut into too many chunks is 400", async (method, path) => {
    const chunked = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
    const reply = await raw(app, head(`${method} ${path}`, chunked), "1\r\n{\r\n".repeat(10_000));
    expect([reply.status, JSON.parse(reply.text).error]).toEqual([
      400,
      "The body may arrive in at most 512 chunks and 2 more per KiB.",
    ]);
  });

  test("a body of exactly the limit is taken, also in chunks", async () => {
    const body = JSON.stringify({ name: "A", description: "" }).padEnd(65536);
    expect((await create(body)).status).toBe(200);
    const chunks = [body.slice(0, 9), body.slice(9)]
      .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      .join("");
    const reply = await raw(
      app,
      head(`POST ${forms}`, { ...key, "Content-Type": "application/json", "Transfer-Encoding": "chunked" }),
      `${chunks}0\r\n\r\n`,
    );
    expect(reply.status).toBe(200);
  });
});

describe("the content type", () => {
  test.each([
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "APPLICATION/JSON",
    "application/json ; x=y",
    "application/vnd.x+json",
    "application/merge-patch+json; a=b",
  ])("%s is taken", async (type) =>
    expect((await create({ name: "A" }, { ...key, "content-type": type })).status).toBe(200),
  );

  test.each([
    "text/plain",
    "text/json",
    "application/jsonp",
    "application/json-seq",
    "application/xml",
    "multipart/form-data",
    "application/+json",
    "json",
    "application/json, text/html",
    "x application/json",
  ])("%s is 415", async (type) => {
    const { status, body } = await create({ name: "A" }, { ...key, "content-type": type });
    expect([status, body.code]).toEqual([415, "invalid_content_type"]);
  });

  test("none at all is 415", async () => {
    for (const type of [{}, { "Content-Type": "" }]) {
      const reply = await raw(
        app,
        head(`POST ${forms}`, { ...key, ...type, "Content-Length": "12" }),
        '{"name":"A"}',
      );
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([415, "invalid_content_type"]);
    }
  });
});

describe("a body", () => {
  test.each([
    ["no JSON", "{"],
    ["another shape", {}],
    ["another type", "<a/>"],
  ])("%s without a key is 401", async (_, body) => {
    expect((await create(body, {})).body.code).toBe("unauthorized");
    expect((await create(body, { "content-type": "text/plain" })).body.code).toBe("unauthorized");
    expect(
      (await create(body, { "x-api-key": (await makeKey(app, team, "forms:read")).key })).body.code,
    ).toBe("missing_scope");
  });

  const bytes = (...parts: (string | number[])[]) =>
    new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part)] : part)));
  test.each<[string, string | Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["white space", "  \n"],
    ["truncated JSON", '{"name":"A'],
    ["JSON and more", '{"name":"A"}{}'],
    ["a trailing comma", '{"name":"A",}'],
    ["a comment", '{"name":"A"/**/}'],
    ["NaN", '{"name":"A","schema":{"fields":[],"x":NaN}}'],
    ["invalid UTF-8", bytes('{"name":"', [0xc3, 0x28], '"}')],
    ["an overlong encoding", bytes('{"name":"', [0xc0, 0x80], '"}')],
    ["a surrogate in UTF-8", bytes('{"name":"', [0xed, 0xa0, 0x80], '"}')],
    ["UTF-16", new Uint8Array(Buffer.from('{"name":"A"}', "utf16le"))],
    ["null", "null"],
    ["an array", "[]"],
    ["a string", '"A"'],
    ["a number", "1"],
    ["U+0000 in text", '{"name":"a\\u0000b"}'],
    ["U+0000 in a key", '{"name":"A","schema":{"fields":[{"id":"a","\\u0000":1}]}}'],
    ["a high surrogate alone", '{"name":"\\ud83d"}'],
    ["a low surrogate alone", '{"name":"\\uDE00 x"}'],
    ["a lone surrogate in a key", '{"name":"A","schema":{"fields":[],"\\udfff":1}}'],
  ])("%s is 400 invalid_body", async (_, body) => {
    const reply = await create(body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_body"]);
  });

  test("an array is no body either where each member may be left out", async () => {
    const path = "/papi/v1/identity/agents";
    const { body } = await ask(app, "POST", path, { headers: key, body: { name: "A" } });
    const reply = await ask(app, "POST", `${path}/${body.data.id}/rotate-secret`, { headers: key, body: [] });
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_body"]);
  });

  test("what is stored comes back: astral characters, escapes, a byte order mark before the JSON", async () => {
    const reply = await create(
      bytes([0xef, 0xbb, 0xbf], '{"name":"\\ud83d\\ude00 \u{1f600} \\u0001 \\\\u0000"}'),
    );
    expect([reply.status, reply.body.data?.form.name]).toEqual([200, "\u{1f600} \u{1f600} \u0001 \\u0000"]);
  });

  const nested = (levels: number) =>
    `{"name":"A","schema":{"fields":[],"x":${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}}}`;
  test("32 levels are taken, 33 and a hundred thousand are not; brackets in text are no levels", async () => {
    expect((await create(nested(32))).status).toBe(200);
    for (const body of [nested(33), nested(30_000), "[".repeat(60_000), '{"a":'.repeat(10_000)])
      expect((await create(body)).body).toMatchObject({
        code: "invalid_body",
        error: expect.stringContaining("32"),
      });
    expect((await create({ name: '"[{'.repeat(60), description: "[".repeat(99) })).status).toBe(200);
  });

  const withNumber = (literal: string) =>
    create(`{"name":"A","schema":{"fields":[{"id":"n","x":{"y":[${literal}]}}]}}`);
  test.each([
    "0",
    "-0.0",
    "0.1",
    "1e-7",
    "1e2",
    "9007199254740992",
    "-9007199254740992",
    "9007199254740992.0",
    "123456789.123456789",
    "1e15",
  ])("the number %s is kept", async (literal) => {
    const { body } = await withNumber(literal);
    expect(body.data?.form.schema.fields[0].x.y[0]).toBe(Number(literal) || 0);
  });
  test.each([
    "9007199254740993",
    "-9007199254740993",
    "9007199254740993.0",
    "1e16",
    "1e400",
    "-1E400",
    "123456789012345678901234567890",
    "0.9007199254740993e16",
  ])("the number %s is refused, never rounded, and the message says where it is", async (literal) =>
    expect((await withNumber(literal)).body).toMatchObject({
      code: "invalid_body",
      error: expect.stringContaining("schema.fields[0].x.y[0]"),
    }),
  );

  test("__proto__ as a key pollutes nothing and is kept", async () => {
    const { body } = await create(
      '{"name":"A","schema":{"fields":[{"id":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}]}}',
    );
    expect(JSON.stringify(body.data.form.schema.fields)).toContain('"__proto__":{"polluted":1}');
    expect(
      JSON.stringify((await ask(app, "GET", forms, { headers: key })).body.data.pagination),
    ).not.toContain("polluted");
  });

  test("the message names the path of the first fault", async () => {
    expect((await create({ name: "A", schema: { fields: [{ id: "a" }, {}] } })).body.error).toContain(
      "schema.fields[1].id",
    );
    expect((await create({ description: 1 })).body.error).toMatch(/name|description/);
  });
});
