// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { ask, makeTeam, type Reply, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const headers = { "x-api-key": (await makeTeam(app)).key };

type Op = Record<string, unknown>;
/** The result of these operations on a draft with the name A and the description D. */
const applied = async (...operations: Op[]): Promise<Reply> => {
  const { body } = await ask(app, "POST", path, { headers, body: { name: "A", description: "D" } });
  return await ask(app, "PATCH", `${path}/${body.data.form.id}`, { headers, body: { operations } });
};
const expectProblem = ({ status, body }: Reply, code: string) =>
  expect([status, body.code]).toEqual([400, code]);

describe("setMeta", () => {
  test("changes the given members and nothing else", async () => {
    for (const [operation, expected] of [
      [{ name: "B" }, ["B", "D", true]],
      [{ description: "E" }, ["A", "E", true]],
      [{ description: null }, ["A", null, true]],
      [{ description: "" }, ["A", "", true]],
      [{ settings: { anonymous: { enabled: false } } }, ["A", "D", false]],
      [{ name: "B", description: "E", settings: {} }, ["B", "E", true]],
    ] as const) {
      const { name, description, settings } = (await applied({ op: "setMeta", ...operation })).body.data.form;
      expect([name, description, settings.anonymous.enabled]).toEqual([...expected]);
    }
  });

  test.each(["", " ", "\t\n", "\u00a0"])("the name %j is empty: bad_request", async (name) => {
    const reply = await applied({ op: "setMeta", description: "x" }, { op: "setMeta", name });
    expectProblem(reply, "bad_request");
    expect(reply.body.error).toContain("operations[1]");
  });

  test.each<Op>([
    {},
    { name: null },
    { name: ["B"] },
    { description: {} },
    { settings: null },
    { settings: [] },
  ])("%j is invalid_body", async (operation) => {
    expectProblem(await applied({ op: "setMeta", ...operation }), "invalid_body");
  });

  const wrong: [setting: string, values: unknown[]][] = [
    ["captcha", [true, []]],
    ["captcha.enabled", ["true", 1]],
    ["anonymous.enabled", [{}]],
    ["challenge.required", ["no"]],
    ["review.required", [0]],
    ["page.enabled", ["on"]],
    ["page.title", ["x".repeat(201)]],
    ["page.layout", ["wizard"]],
    ["page.language", ["fr"]],
    ["page.redirectUrl", ["javascript:alert(1)", "/thanks"]],
    // A path, a default port, the end of a directive, and all.
    [
      "page.embedOrigins",
      ["https://a.example", ["https://a.example/b"], ["https://a.example:443"], ["https://a;b"], ["*"]],
    ],
    ["page.alias", ["Contact", "contact-", "a".repeat(41), "a/b"]],
    ["availability.opensAt", ["2026-11-20T09:00:00"]],
    ["availability.closesAt", ["2026-11-20"]],
    ["availability.maxSubmissions", [0, 1.5, "5"]],
  ];
  test.each(wrong)("settings.%s is checked: another value is invalid_body", async (name, values) => {
    for (const value of values) {
      const settings = name.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      expect([value, outcome(await applied({ op: "setMeta", settings }))]).toEqual([
        value,
        "400 invalid_body",
      ]);
    }
  });

  test("page and availability are stored as given, and null removes their members", async () => {
    const page = {
      enabled: true,
      title: "Contact us",
      introduction: "We answer within a day.",
      layout: "steps",
      submitLabel: "Send",
      thankYou: "Thank you.",
      redirectUrl: "https://www.example.org/thanks?a=1#b",
      language: "de",
      embedOrigins: ["https://www.example.org", "http://localhost:3000"],
    };
    const availability = {
      opensAt: "2026-11-20T09:00:00+01:00",
      closesAt: "2027-11-20T09:00:00Z",
      maxSubmissions: 500,
    };
    const set = { op: "setMeta", settings: { page, availability } };
    expect((await applied(set)).body.data.form.settings).toMatchObject({ page, availability });
    const removed = { op: "setMeta", settings: { page: { title: null }, availability: null } };
    const { title, ...others } = page;
    const { settings } = (await applied(set, removed)).body.data.form;
    expect([settings.page, settings.availability]).toEqual([others, undefined]);
  });

  test.each([
    [{ opensAt: "2026-11-20T09:00:00Z", closesAt: "2026-11-20T09:00:00Z" }],
    [{ opensAt: "2026-11-20T09:00:00Z" }, { closesAt: "2026-11-20T09:59:59+01:00" }],
    [{ closesAt: "2026-11-20T09:00:00Z" }, { opensAt: "2027-01-01T00:00:00Z" }],
  ])("opensAt is before closesAt, also of two patches: %j", async (...patches) => {
    const reply = await applied(
      ...patches.map((availability) => ({ op: "setMeta", settings: { availability } })),
    );
    expectProblem(reply, "bad_request");
    expect(reply.body.error).toBe(
      `operations[${patches.length - 1}]: settings.availability: opensAt must be before closesAt.`,
    );
  });

  test("21 embed origins are too many: bad_request", async () => {
    const page = { embedOrigins: Array(21).fill("https://a.example") };
    expectProblem(await applied({ op: "setMeta", settings: { page } }), "bad_request");
  });

  test("an instant that PostgreSQL does not hold is refused", async () => {
    const availability = { opensAt: "2026-11-20T09:00:00+23:00" };
    const reply = await applied({ op: "setMeta", settings: { availability } });
    expectProblem(reply, "bad_request");
    expect(reply.body.error).toContain("settings.availability");
  });

  // RFC 7396, appendix A. A patch of null removes the member x.
  test.each<[unknown, unknown, unknown]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, undefined],
    [{ a: "foo" }, "bar", "bar"],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 1 }, [null, { b: null }], [null, { b: null }]],
  ])("settings are merged: %j with %j is %j", async (target, change, result) => {
    const settings = (x: unknown) => ({ op: "setMeta", settings: { x } });
    const { body } = await applied(settings(target), settings(change));
    expect(body.data.form.settings.x).toEqual(result);
    expect(body.data.form.settings.captcha).toEqual({ enabled: false });
  });

  test("settings of one request have at most 128 KiB and 1,000 values; more are rejected before they are merged", async () => {
    const members = (count: number, value: unknown = 1) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
    const set = (settings: object) => ({ op: "setMeta", settings });
    expect((await applied(set(members(1000)))).status).toBe(200);
    expect((await applied(set({ a: "x".repeat(128 * 1024 - 200) }))).status).toBe(200);
    for (const operations of [
      [set(members(1001))],
      [set(members(500)), set(members(501))],
      [set({ deep: { deeper: [members(998)] } })],
      [set(members(20_000))],
      [set(members(50_000, null))],
      [set({ a: "x".repeat(128 * 1024) })],
      Array.from({ length: 3 }, () => set({ a: "x".repeat(60 * 1024) })),
    ]) {
      const reply = await applied(...operations);
      expectProblem(reply, "bad_request");
      expect(reply.body.error).toMatch(/^settings: at most (?:128 KiB|1000 values) in one request\.$/);
    }
  });

  test("unknown settings are kept, beside and inside the known ones", async () => {
    const reply = await applied(
      { op: "setMeta", settings: { theme: { dark: true }, captcha: { siteKey: "k" }, constructor: 1 } },
      {
        op: "setMeta",
        settings: { captcha: { enabled: true }, review: null, challenge: { required: null } },
      },
    );
    expect(reply.body.data.form.settings).toEqual({
      theme: { dark: true },
      constructor: 1,
      anonymous: { enabled: true },
      captcha: { enabled: true, siteKey: "k" },
      challenge: {},
    });
  });
});
