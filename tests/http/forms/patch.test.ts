// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { unknownId } from "../../expect.ts";
import { ask, makeForm, makeTeam, type Reply, type Service, service, type Team } from "../../setup.ts";

const path = "/papi/v1/management/forms";
let app: Service;
let team: Team;
let headers: { "x-api-key": string };

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  headers = { "x-api-key": team.key };
});

type Op = Record<string, unknown>;
const patch = (id: string, operations: unknown, more: object = {}) =>
  ask(app, "PATCH", `${path}/${id}`, { headers, body: { operations, ...more } });
const get = async (id: string) => (await ask(app, "GET", `${path}/${id}`, { headers })).body.data.form;
/** A draft with fields of these ids. */
const draft = async (...ids: string[]): Promise<string> =>
  (
    await ask(app, "POST", path, {
      headers,
      body: {
        name: "A",
        description: "D",
        schema: { fields: ids.map((id) => ({ id, type: "text", label: id })) },
      },
    })
  ).body.data.form.id;
const idsOf = ({ body }: Reply) => body.data?.form.schema.fields.map(({ id }: { id: string }) => id).join("");
/** The result of these operations on the fields a, b, c. */
const applied = async (...operations: Op[]) => await patch(await draft("a", "b", "c"), operations);
const expectProblem = (reply: Reply, status: number, code: string, operation?: number) => {
  expect([reply.status, reply.body.code]).toEqual([status, code]);
  if (operation !== undefined) expect(reply.body.error).toContain(`operations[${operation}]`);
};

describe("addField", () => {
  const d = { id: "d", type: "text", label: "D" };
  test.each<[Op, string]>([
    [{}, "abcd"],
    [{ index: 0 }, "dabc"],
    [{ index: 2 }, "abdc"],
    [{ index: 3 }, "abcd"],
    [{ index: 4 }, "abcd"],
    [{ index: 9007199254740992 }, "abcd"],
    [{ afterFieldId: "a" }, "adbc"],
    [{ afterFieldId: "c" }, "abcd"],
    [{ toIndex: 0, fieldId: "a", set: 7, name: 1 }, "abcd"],
  ])("%j results in %s", async (where, order) => {
    expect(idsOf(await applied({ op: "addField", field: d, ...where }))).toBe(order);
  });

  test("an existing id is 409 with the current version, an unknown afterFieldId 404", async () => {
    const taken = await applied({ op: "addField", field: d }, { op: "addField", field: { id: "b" } });
    expectProblem(taken, 409, "conflict", 1);
    expect(taken.body.current).toEqual({ currentVersion: 0 });
    expectProblem(await applied({ op: "addField", field: d, afterFieldId: "x" }), 404, "not_found", 0);
    expectProblem(await applied({ op: "addField", field: d, afterFieldId: "d" }), 404, "not_found", 0);
  });

  test.each<[string, Op]>([
    ["no field", {}],
    ["a field that is an array", { field: [] }],
    ["a field without id", { field: { label: "x" } }],
    ["an empty id", { field: { id: "" } }],
    ["an id of 129 characters", { field: { id: "x".repeat(129) } }],
    ["an id that is no text", { field: { id: 7 } }],
    ["index and afterFieldId", { field: d, index: 0, afterFieldId: "a" }],
    ["a negative index", { field: d, index: -1 }],
    ["half an index", { field: d, index: 0.5 }],
    ["an index as text", { field: d, index: "0" }],
    ["an index of null", { field: d, index: null }],
    ["an afterFieldId that is no text", { field: d, afterFieldId: 0 }],
  ])("%s is invalid_body", async (_, operation) => {
    expectProblem(await applied({ op: "addField", ...operation }), 400, "invalid_body");
  });
});

describe("updateField", () => {
  const updated = async (set: unknown) =>
    (await applied({ op: "updateField", fieldId: "b", set })).body.data?.form.schema.fields[1];
  test("members replace, null removes, the others stay; the same id is accepted", async () => {
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

  test("another id is bad_request, an unknown field not_found, a missing argument invalid_body", async () => {
    for (const id of ["z", "a", null, 1, ""])
      expectProblem(await applied({ op: "updateField", fieldId: "b", set: { id } }), 400, "bad_request", 0);
    for (const fieldId of ["z", "", "B", "0", "__proto__"])
      expectProblem(await applied({ op: "updateField", fieldId, set: {} }), 404, "not_found", 0);
    for (const operation of [
      { fieldId: "b" },
      { set: {} },
      { fieldId: 1, set: {} },
      { fieldId: "b", set: [] },
      { fieldId: "b", set: null },
    ])
      expectProblem(await applied({ op: "updateField", ...operation }), 400, "invalid_body");
  });
});

describe("removeField and moveField", () => {
  test.each<[Op, string]>([
    [{ op: "removeField", fieldId: "b" }, "ac"],
    [{ op: "moveField", fieldId: "a", toIndex: 0 }, "abc"],
    [{ op: "moveField", fieldId: "a", toIndex: 1 }, "bac"],
    [{ op: "moveField", fieldId: "a", toIndex: 2 }, "bca"],
    [{ op: "moveField", fieldId: "a", toIndex: 99 }, "bca"],
    [{ op: "moveField", fieldId: "c", toIndex: 0 }, "cab"],
    [{ op: "moveField", fieldId: "c", afterFieldId: "a" }, "acb"],
    [{ op: "moveField", fieldId: "a", afterFieldId: "c" }, "bca"],
    [{ op: "moveField", fieldId: "a", afterFieldId: "a" }, "abc"],
    [{ op: "moveField", fieldId: "c", toIndex: 0, index: "x", set: 1 }, "cab"],
  ])("%j results in %s", async (operation, order) => expect(idsOf(await applied(operation))).toBe(order));

  test("an unknown field is not_found, a missing or wrong argument invalid_body", async () => {
    expectProblem(await applied({ op: "removeField", fieldId: "z" }), 404, "not_found", 0);
    expectProblem(await applied({ op: "moveField", fieldId: "z", toIndex: 0 }), 404, "not_found", 0);
    expectProblem(await applied({ op: "moveField", fieldId: "a", afterFieldId: "z" }), 404, "not_found", 0);
    for (const operation of [
      { op: "removeField" },
      { op: "removeField", fieldId: null },
      { op: "moveField", fieldId: "a" },
      { op: "moveField", toIndex: 0 },
      { op: "moveField", fieldId: "a", index: 0 },
      { op: "moveField", fieldId: "a", toIndex: -1 },
      { op: "moveField", fieldId: "a", toIndex: 1.5 },
      { op: "moveField", fieldId: "a", toIndex: "1" },
    ])
      expectProblem(await applied(operation), 400, "invalid_body");
  });

  test("ids such as __proto__, 0 and a quotation mark are found, moved and removed", async () => {
    for (const id of ["__proto__", "constructor", "0", "-1", '"', "{b}", " "]) {
      const form = await draft("a", id, "b");
      expect(
        idsOf(
          await patch(form, [
            { op: "moveField", fieldId: id, toIndex: 0 },
            { op: "addField", field: { id: "x" }, afterFieldId: id },
          ]),
        ),
      ).toBe(`${id}xab`);
      expect(idsOf(await patch(form, [{ op: "removeField", fieldId: id }]))).toBe("xab");
    }
  });
});

describe(`PATCH ${path}/{form_id}`, () => {
  test("operations apply in order, each to the result of the one before", async () => {
    const reply = await applied(
      { op: "addField", field: { id: "d", label: "old" }, index: 0 },
      { op: "updateField", fieldId: "d", set: { label: "new" } },
      { op: "addField", field: { id: "e" }, afterFieldId: "d" },
      { op: "removeField", fieldId: "a" },
      { op: "addField", field: { id: "a", again: true } },
      { op: "moveField", fieldId: "d", afterFieldId: "a" },
      { op: "setMeta", name: "1" },
      { op: "setMeta", name: "2" },
    );
    expect([idsOf(reply), reply.body.data.form.name]).toEqual(["ebcad", "2"]);
    expect(reply.body.data.form.schema.fields.slice(3)).toEqual([
      { id: "a", again: true },
      { id: "d", label: "new" },
    ]);
    expect(await get(reply.body.data.form.id)).toMatchObject(reply.body.data.form);
  });

  test("a hundred operations whose last one fails change nothing, a hundred valid ones are applied, 101 are too many", async () => {
    const id = await draft("a");
    const before = await get(id);
    const good: Op[] = Array.from({ length: 99 }, (_, i) =>
      i % 9
        ? { op: "addField", field: { id: `n${i}` }, index: i % 4 }
        : { op: "setMeta", name: `N${i}`, settings: { i } },
    );
    for (const bad of [
      { op: "removeField", fieldId: "z" },
      { op: "addField", field: { id: "a" } },
      { op: "setMeta", name: " " },
      { op: "explode" },
    ]) {
      expect((await patch(id, [...good, bad])).body.error).toContain("operations[99]");
      expect(await get(id)).toEqual(before);
    }
    expectProblem(await patch(id, [...good, ...good.slice(0, 2)]), 400, "bad_request");
    expect(
      (await patch(id, [...good, { op: "moveField", fieldId: "a", toIndex: 0 }])).body.data.form.schema
        .fields,
    ).toHaveLength(89);
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
    expectProblem(
      await ask(app, "PATCH", `${path}/${await draft("a")}`, { headers, body }),
      400,
      "invalid_body",
    );
  });

  test("the order of checks: shape, form, expectedVersion, operations", async () => {
    const id = await draft("a");
    expectProblem(await patch(unknownId, [{ op: "explode" }]), 400, "invalid_body");
    expectProblem(await patch(unknownId, [], { expectedVersion: 7 }), 404, "not_found");
    expectProblem(await patch(id, [], { expectedVersion: 7 }), 409, "conflict");
    expectProblem(await patch(id, []), 400, "bad_request");
    expectProblem(
      await patch(id, [{ op: "removeField", fieldId: "z" }], { expectedVersion: 7 }),
      409,
      "conflict",
    );
    expectProblem(
      await patch(id, [{ op: "removeField", fieldId: "z" }, { op: "explode" }]),
      400,
      "invalid_body",
    );
    expectProblem(
      await patch(
        id,
        [
          { op: "removeField", fieldId: "z" },
          { op: "setMeta", name: "" },
        ],
        { expectedVersion: 0 },
      ),
      404,
      "not_found",
      0,
    );
  });

  test("expectedVersion: the current version is accepted any number of times, others are 409 with the current one", async () => {
    const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    for (const name of ["one", "two"])
      expect(
        (await patch(id, [{ op: "setMeta", name }], { expectedVersion: 1 })).body.data.form,
      ).toMatchObject({ name, currentVersion: 1 });
    for (const expectedVersion of [0, 2, -1, 2147483648, 9007199254740992])
      expect(await patch(id, [{ op: "setMeta", name: "three" }], { expectedVersion })).toMatchObject({
        status: 409,
        body: { code: "conflict", current: { currentVersion: 1 } },
      });
    expect((await get(id)).name).toBe("two");
  });

  test("a published form stays published while its draft changes; an archived form is 409", async () => {
    const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const { status, currentVersion, schema, updatedAt } = (
      await patch(id, [{ op: "removeField", fieldId: "a" }])
    ).body.data.form;
    expect([status, currentVersion, schema]).toEqual(["published", 1, { fields: [] }]);
    const [version] = await app.database.sql`select schema from formd.form_versions where form_id = ${id}`;
    expect(version?.schema.fields).toHaveLength(1);
    const later = (await patch(id, [{ op: "setMeta", name: "A" }])).body.data.form.updatedAt;
    expect(later > updatedAt).toBe(true);
    await app.database.sql`select formd.form_set_archived(${team.id}, '(cli,,)'::formd.actor, ${id}, true)`;
    const archived = await patch(id, [{ op: "setMeta", name: "B" }]);
    expectProblem(archived, 409, "conflict");
    expect(archived.body.current).toEqual({ currentVersion: 1 });
  });

  test("the limits of a schema apply to a growing draft: 500 fields, 512 KiB", async () => {
    const add = (from: number, count: number, extra = {}) =>
      Array.from({ length: count }, (_, i) => ({ op: "addField", field: { id: `n${from + i}`, ...extra } }));
    const id = await draft();
    for (let from = 0; from < 500; from += 100) expect((await patch(id, add(from, 100))).status).toBe(200);
    expectProblem(await patch(id, add(500, 1)), 400, "bad_request");
    expect(
      (await patch(id, [...add(500, 1), { op: "removeField", fieldId: "n7" }])).body.data.form.schema.fields,
    ).toHaveLength(500);
    const heavy = await draft("a");
    const grow = () =>
      patch(heavy, [{ op: "addField", field: { id: crypto.randomUUID(), x: "x".repeat(300 * 1024) } }]);
    expect((await grow()).status).toBe(200);
    expectProblem(await grow(), 400, "bad_request");
  });

  test("an array that exceeds the limit is rejected before its items are checked", async () => {
    const ones = (count: number) => `[${"1,".repeat(count - 1)}1]`;
    const id = await draft("a");
    for (const body of [`{"operations":${ones(102)}}`, `{"operations":${ones(99_000)}}`]) {
      const reply = await ask(app, "PATCH", `${path}/${id}`, { headers, body });
      expectProblem(reply, 400, "bad_request");
      expect(reply.body.error).toBe("operations must be at most length 101.");
    }
    for (const count of [502, 99_000]) {
      const body = `{"name":"A","schema":{"fields":${ones(count)}}}`;
      const reply = await ask(app, "POST", path, { headers, body });
      expectProblem(reply, 400, "bad_request");
      expect(reply.body.error).toBe("schema.fields must be at most length 501.");
    }
  });

  test("70,000 members in updateField.set are removed within the statement timeout", async () => {
    const id = await draft("a");
    const set = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`k${index}`, null]));
    const reply = await patch(id, [{ op: "updateField", fieldId: "a", set }]);
    expect(reply.body.data.form.schema.fields).toEqual([{ id: "a", type: "text", label: "a" }]);
  });

  test("fifty concurrent patches: the result has all of every accepted one and nothing of a rejected one", async () => {
    const id = await draft("a", "b");
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const pair: Op[] = [
          { op: "addField", field: { id: `x${i}` }, ...(i % 2 && { index: 0 }) },
          { op: "addField", field: { id: `y${i}` }, afterFieldId: `x${i}` },
        ];
        return patch(id, i % 5 ? pair : [...pair, { op: "addField", field: { id: i % 2 ? "a" : "once" } }], {
          expectedVersion: 0,
        });
      }),
    );
    const accepted = replies.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]));
    // Forty without the third operation, and the first one that adds the id "once".
    expect(accepted).toHaveLength(41);
    const ids: string[] = (await get(id)).schema.fields.map((field: { id: string }) => field.id);
    expect(ids.filter((each) => each.startsWith("x")).sort()).toEqual(accepted.map((i) => `x${i}`).sort());
    for (const i of accepted) expect(ids[ids.indexOf(`x${i}`) + 1]).toBe(`y${i}`);
    expect(ids).toHaveLength(2 + 2 * 41 + 1);
  });
});
