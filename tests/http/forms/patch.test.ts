// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome, unknownId } from "../../expect.ts";
import { ask, makeForm, makeTeam, type Reply, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const team = await makeTeam(app);
const headers = { "x-api-key": team.key };

type Op = Record<string, unknown>;
const patch = (id: string, operations: unknown, more: object = {}) =>
  ask(app, "PATCH", `${path}/${id}`, { headers, body: { operations, ...more } });
const get = async (id: string) => (await ask(app, "GET", `${path}/${id}`, { headers })).body.data.form;
/** A draft with fields of these ids. */
async function draft(...ids: string[]): Promise<string> {
  const schema = { fields: ids.map((id) => ({ id, type: "text", label: id })) };
  return (await ask(app, "POST", path, { headers, body: { name: "A", description: "D", schema } })).body.data
    .form.id;
}
const idsOf = ({ body }: Reply) => body.data?.form.schema.fields.map(({ id }: { id: string }) => id).join("");
/** The result of these operations on the fields a, b, c. */
const applied = async (...operations: Op[]) => await patch(await draft("a", "b", "c"), operations);
const d = { id: "d", type: "text", label: "D" };

test("operations apply in order, each to the result of the one before; other members are ignored", async () => {
  const reply = await applied(
    { op: "addField", field: { id: "d", label: "old" }, index: 0, fieldId: "a", set: 7, name: 1 },
    { op: "updateField", fieldId: "d", set: { label: "new" } },
    { op: "addField", field: { id: "e" }, afterFieldId: "d" },
    { op: "removeField", fieldId: "a" },
    { op: "addField", field: { id: "a", again: true } },
    { op: "moveField", fieldId: "d", afterFieldId: "a", index: "x", set: 1 },
    { op: "moveField", fieldId: "b", toIndex: 99 },
    { op: "setMeta", name: "1" },
    { op: "setMeta", name: "2" },
  );
  expect([idsOf(reply), reply.body.data.form.name]).toEqual(["ecadb", "2"]);
  expect(reply.body.data.form.schema.fields.slice(2, 4)).toEqual([
    { id: "a", again: true },
    { id: "d", label: "new" },
  ]);
  expect(await get(reply.body.data.form.id)).toMatchObject(reply.body.data.form);
});

test("updateField: members replace, null removes, the others stay; the same id is accepted", async () => {
  const updated = async (set: unknown) =>
    (await applied({ op: "updateField", fieldId: "b", set })).body.data?.form.schema.fields[1];
  expect(await updated({ label: "B", validation: { min: null } })).toEqual({
    id: "b",
    type: "text",
    label: "B",
    validation: { min: null },
  });
  expect(await updated({ type: null, gone: null, id: "b" })).toEqual({ id: "b", label: "b" });
  expect(await updated({})).toEqual({ id: "b", type: "text", label: "b" });
  expect(
    Object.entries((await updated(JSON.parse('{"__proto__": {"x": 1}, "constructor": "y"}'))) ?? {}),
  ).toContainEqual(["__proto__", { x: 1 }]);
});

describe("an operation is refused, by its index", () => {
  test.each<[Op, string]>([
    [{ op: "addField", field: { id: "b" } }, "409 conflict"],
    [{ op: "addField", field: d, afterFieldId: "x" }, "404 not_found"],
    [{ op: "addField", field: d, afterFieldId: "d" }, "404 not_found"],
    [{ op: "updateField", fieldId: "b", set: { id: "z" } }, "400 bad_request"],
    [{ op: "updateField", fieldId: "b", set: { id: "a" } }, "400 bad_request"],
    [{ op: "updateField", fieldId: "b", set: { id: null } }, "400 bad_request"],
    [{ op: "updateField", fieldId: "b", set: { id: 1 } }, "400 bad_request"],
    [{ op: "updateField", fieldId: "b", set: { id: "" } }, "400 bad_request"],
    [{ op: "updateField", fieldId: "z", set: {} }, "404 not_found"],
    [{ op: "updateField", fieldId: "", set: {} }, "404 not_found"],
    [{ op: "updateField", fieldId: "B", set: {} }, "404 not_found"],
    [{ op: "updateField", fieldId: "__proto__", set: {} }, "404 not_found"],
    [{ op: "removeField", fieldId: "z" }, "404 not_found"],
    [{ op: "moveField", fieldId: "z", toIndex: 0 }, "404 not_found"],
    [{ op: "moveField", fieldId: "a", afterFieldId: "z" }, "404 not_found"],
  ])("%j is %s", async (operation, expected) => {
    const reply = await applied({ op: "setMeta", name: "B" }, operation);
    expect([outcome(reply), reply.body.error]).toEqual([expected, expect.stringContaining("operations[1]")]);
    if (reply.status === 409) expect(reply.body.current).toEqual({ currentVersion: 0 });
  });

  const wrong: [op: string, members: Op[]][] = [
    [
      "addField",
      [
        {},
        ...[[], { label: "x" }, { id: "" }, { id: "x".repeat(129) }, { id: 7 }].map((field) => ({ field })),
        { field: d, index: 0, afterFieldId: "a" },
        ...[-1, 0.5, "0", null].map((index) => ({ field: d, index })),
        { field: d, afterFieldId: 0 },
      ],
    ],
    [
      "updateField",
      [
        { fieldId: "b" },
        { set: {} },
        { fieldId: 1, set: {} },
        ...[[], null].map((set) => ({ fieldId: "b", set })),
      ],
    ],
    ["removeField", [{}, { fieldId: null }]],
    [
      "moveField",
      [
        { fieldId: "a" },
        { toIndex: 0 },
        { fieldId: "a", index: 0 },
        ...[-1, 1.5, "1"].map((toIndex) => ({ fieldId: "a", toIndex })),
      ],
    ],
  ];
  test.each(wrong)(
    "%s without what it needs, or with what it does not take, is invalid_body",
    async (op, members) => {
      for (const each of members)
        expect([each, outcome(await applied({ op, ...each }))]).toEqual([each, "400 invalid_body"]);
    },
  );
});

describe(`PATCH ${path}/{form_id}`, () => {
  test("a hundred operations are applied, of a hundred with a bad one none, and 101 are too many", async () => {
    const id = await draft("a");
    const before = await get(id);
    const good: Op[] = Array.from({ length: 100 }, (_, i) => ({ op: "addField", field: { id: `n${i}` } }));
    const bad = await patch(id, [...good.slice(1), { op: "explode" }]);
    expect([outcome(bad), bad.body.error]).toEqual([
      "400 invalid_body",
      expect.stringContaining("operations[99]"),
    ]);
    expect(outcome(await patch(id, [...good, { op: "setMeta", name: "B" }]))).toBe("400 bad_request");
    expect(await get(id)).toEqual(before);
    expect((await patch(id, good)).body.data.form.schema.fields).toHaveLength(101);
  });

  test.each<[string, unknown]>([
    ["no operations", {}],
    ["operations that are no array", { operations: { op: "setMeta", name: "B" } }],
    ["an operation that is no object", { operations: ["setMeta"] }],
    ["an operation of null", { operations: [null] }],
    ["no op", { operations: [{ name: "B" }] }],
    ["an unknown op", { operations: [{ op: "renameField", fieldId: "a" }] }],
    ["an op in another case", { operations: [{ op: "SetMeta", name: "B" }] }],
    ["an op of __proto__", '{"operations":[{"__proto__":{"op":"setMeta","name":"B"}}]}'],
    ["expectedVersion as text", { operations: [{ op: "setMeta", name: "B" }], expectedVersion: "0" }],
    ["half an expectedVersion", { operations: [{ op: "setMeta", name: "B" }], expectedVersion: 0.5 }],
  ])("%s is invalid_body", async (_, body) => {
    const reply = await ask(app, "PATCH", `${path}/${await draft("a")}`, { headers, body });
    expect(outcome(reply)).toBe("400 invalid_body");
  });

  test("the order of checks: shape, form, expectedVersion, operations", async () => {
    const id = await draft("a");
    const gone = { op: "removeField", fieldId: "z" };
    const cases: [id: string, operations: Op[], more: object, expected: string][] = [
      [unknownId, [{ op: "explode" }], {}, "400 invalid_body"],
      [unknownId, [], { expectedVersion: 7 }, "404 not_found"],
      [id, [], { expectedVersion: 7 }, "409 conflict"],
      [id, [], {}, "400 bad_request"],
      [id, [gone], { expectedVersion: 7 }, "409 conflict"],
      [id, [gone, { op: "explode" }], {}, "400 invalid_body"],
      [id, [gone, { op: "setMeta", name: "" }], { expectedVersion: 0 }, "404 not_found"],
    ];
    for (const [of, operations, more, expected] of cases)
      expect([operations, outcome(await patch(of, operations, more))]).toEqual([operations, expected]);
  });

  test("expectedVersion: the current version is accepted, any other is 409 with the current one", async () => {
    const { id } = await makeForm(app, team, []);
    const write = (expectedVersion: number) => patch(id, [{ op: "setMeta", name: "B" }], { expectedVersion });
    expect(outcome(await write(1))).toBe("ok");
    for (const expectedVersion of [0, 2, -1, 2147483648, 9007199254740992])
      expect(await write(expectedVersion)).toMatchObject({
        status: 409,
        body: { code: "conflict", current: { currentVersion: 1 } },
      });
  });

  test("an array that exceeds the limit is rejected before its items are checked", async () => {
    const ones = (count: number) => `[${"1,".repeat(count - 1)}1]`;
    const id = await draft("a");
    for (const body of [`{"operations":${ones(102)}}`, `{"operations":${ones(99_000)}}`]) {
      const reply = await ask(app, "PATCH", `${path}/${id}`, { headers, body });
      expect([outcome(reply), reply.body.error]).toEqual([
        "400 bad_request",
        "operations must be at most length 101.",
      ]);
    }
    for (const count of [502, 99_000]) {
      const body = `{"name":"A","schema":{"fields":${ones(count)}}}`;
      const reply = await ask(app, "POST", path, { headers, body });
      expect([outcome(reply), reply.body.error]).toEqual([
        "400 bad_request",
        "schema.fields must be at most length 501.",
      ]);
    }
  });

  test("70,000 members in updateField.set are removed within the statement timeout", async () => {
    const id = await draft("a");
    const set = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`k${index}`, null]));
    const reply = await patch(id, [{ op: "updateField", fieldId: "a", set }]);
    expect(reply.body.data.form.schema.fields).toEqual([{ id: "a", type: "text", label: "a" }]);
  });
});

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
    expect(outcome(reply)).toBe("400 bad_request");
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
    expect(outcome(await applied({ op: "setMeta", ...operation }))).toBe("400 invalid_body");
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
    ["notify.recipients", [["nobody"], ["a@b.example\r\nBcc: c@d.example"], ["Ada <a@b.example>"], [1]]],
    ["notify.when", ["weekly"]],
    ["notify.include", ["all"]],
    ["copy.subject", ["A\r\nBcc: x@y.example", "A\u2028B", "x".repeat(201)]],
    ["copy.field", [""]],
    ["copy.include", ["all"]],
    ["examples", [[{ data: {}, expect: { valid: true } }], [{ name: "A", data: {}, expect: {} }]]],
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
    expect(outcome(reply)).toBe("400 bad_request");
    expect(reply.body.error).toBe(
      `operations[${patches.length - 1}]: settings.availability: opensAt must be before closesAt.`,
    );
  });

  test("of a list with one more than the limit none is taken", async () => {
    const example = { name: "A", data: {}, expect: { valid: true } };
    for (const [settings, expected] of [
      [{ page: { embedOrigins: Array(21).fill("https://a.example") } }, "400 bad_request"],
      [{ notify: { recipients: Array(20).fill("a@b.example"), when: null } }, "ok"],
      [{ notify: { recipients: Array(21).fill("a@b.example") } }, "400 bad_request"],
      [{ examples: Array(51).fill(example) }, "400 bad_request"],
    ] as const) {
      const reply = await applied({ op: "setMeta", settings });
      expect([settings, outcome(reply)]).toEqual([settings, expected]);
      if (expected !== "ok") expect(reply.body.error).toContain(`settings.${Object.keys(settings)[0]}`);
    }
  });

  test("an instant that PostgreSQL does not hold is refused", async () => {
    const availability = { opensAt: "2026-11-20T09:00:00+23:00" };
    const reply = await applied({ op: "setMeta", settings: { availability } });
    expect(outcome(reply)).toBe("400 bad_request");
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

  test("settings of one request have at most 256 KiB and 1,000 values; more are rejected before they are merged", async () => {
    const members = (count: number, value: unknown = 1) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
    const set = (settings: object) => ({ op: "setMeta", settings });
    expect((await applied(set(members(1000)))).status).toBe(200);
    expect((await applied(set({ a: "x".repeat(256 * 1024 - 200) }))).status).toBe(200);
    for (const operations of [
      [set(members(1001))],
      [set(members(500)), set(members(501))],
      [set({ deep: { deeper: [members(998)] } })],
      [set(members(20_000))],
      [set(members(50_000, null))],
      [set({ a: "x".repeat(256 * 1024) })],
      Array.from({ length: 3 }, () => set({ a: "x".repeat(120 * 1024) })),
    ]) {
      const reply = await applied(...operations);
      expect(outcome(reply)).toBe("400 bad_request");
      expect(reply.body.error).toMatch(/^settings: at most (?:256 KiB|1000 values) in one request\.$/);
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
