import { beforeAll, describe, expect, test } from "bun:test";
import { ask, makeTeam, type Reply, type Service, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
let app: Service;
let headers: { "x-api-key": string };

beforeAll(async () => {
  app = await service();
  headers = { "x-api-key": (await makeTeam(app)).key };
});

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
    const meta = async (operation: Op) => {
      const { name, description, settings } = (await applied({ op: "setMeta", ...operation })).body.data.form;
      return [name, description, settings.anonymous.enabled];
    };
    expect(await meta({ name: "B" })).toEqual(["B", "D", true]);
    expect(await meta({ description: "E" })).toEqual(["A", "E", true]);
    expect(await meta({ description: null })).toEqual(["A", null, true]);
    expect(await meta({ description: "" })).toEqual(["A", "", true]);
    expect(await meta({ settings: { anonymous: { enabled: false } } })).toEqual(["A", "D", false]);
    expect(await meta({ name: "B", description: "E", settings: {} })).toEqual(["B", "E", true]);
  });

  test.each(["", " ", "\t\n", "\u00a0"])("the name %j is empty: bad_request", async (name) => {
    const reply = await applied({ op: "setMeta", description: "x" }, { op: "setMeta", name });
    expectProblem(reply, "bad_request");
    expect(reply.body.error).toContain("operations[1]");
  });

  test.each<[string, Op]>([
    ["nothing", {}],
    ["a name of null", { name: null }],
    ["a name that is no text", { name: ["B"] }],
    ["a description that is no text", { description: {} }],
    ["settings of null", { settings: null }],
    ["settings that are an array", { settings: [] }],
    ["captcha.enabled as text", { settings: { captcha: { enabled: "true" } } }],
    ["captcha.enabled as a number", { settings: { captcha: { enabled: 1 } } }],
    ["captcha as a boolean", { settings: { captcha: true } }],
    ["captcha as an array", { settings: { captcha: [] } }],
    ["anonymous.enabled as an object", { settings: { anonymous: { enabled: {} } } }],
    ["challenge.required as text", { settings: { challenge: { required: "no" } } }],
    ["review.required as a number", { settings: { review: { required: 0 } } }],
  ])("%s is invalid_body", async (_, operation) => {
    expectProblem(await applied({ op: "setMeta", ...operation }), "invalid_body");
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

  test("settings of one request have at most 64 KiB and 1,000 values; more are rejected before they are merged", async () => {
    const members = (count: number, value: unknown = 1) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
    const set = (settings: object) => ({ op: "setMeta", settings });
    expect((await applied(set(members(1000)))).status).toBe(200);
    expect((await applied(set({ a: "x".repeat(64 * 1024 - 200) }))).status).toBe(200);
    for (const operations of [
      [set(members(1001))],
      [set(members(500)), set(members(501))],
      [set({ deep: { deeper: [members(998)] } })],
      [set(members(20_000))],
      [set(members(50_000, null))],
      [set({ a: "x".repeat(64 * 1024) })],
      Array.from({ length: 3 }, () => set({ a: "x".repeat(30 * 1024) })),
    ]) {
      const reply = await applied(...operations);
      expectProblem(reply, "bad_request");
      expect(reply.body.error).toMatch(/^settings: at most (?:64 KiB|1000 values) in one request\.$/);
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
