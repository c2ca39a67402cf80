// stacks: one deno
/** No name in the definition of a form that has no effect goes without a word. */
import { describe, expect, test } from "bun:test";
import { type FieldKind, fieldTypes } from "../../src/fields/types.ts";
import type { Schema } from "../../src/platform/http/operation.ts";
import { exampleOf } from "../../src/reference/guide/field-types.ts";
import { schemaOf } from "../../src/reference/openapi/schemas.ts";
import { FormSettings } from "../../src/resources/forms/settings.ts";
import { misspelt } from "../misspelt.ts";
import { ask, makeTeam, permissive, type Reply, service } from "../setup.ts";

const app = await service(permissive);
const team = await makeTeam(app);
const headers = { "x-api-key": team.key };
const path = "/papi/v1/management/forms";

const kinds = Object.keys(fieldTypes) as FieldKind[];
const shared = [
  ...["id", "type", "label", "required", "description", "placeholder", "help", "validation", "showIf"],
  ...["requireIf", "compute", "rules", "default", "prefill", "agentHint", "sensitive", "pii", "options"],
];
const known = [...new Set([...shared, ...kinds.flatMap((kind) => Object.keys(exampleOf(kind).field))])];

const create = (fields: object[]) =>
  ask(app, "POST", path, { headers, body: { name: "Silence", schema: { fields } } });
const patch = async (...operations: object[]) => {
  const { body } = await create([{ id: "a", type: "text", label: "A" }]);
  return await ask(app, "PATCH", `${path}/${body.data.form.id}`, { headers, body: { operations } });
};
/** Warnings of a response whose path ends with the name. */
const warned = ({ body }: Reply, name: string) =>
  (body.data?.warnings ?? []).filter(
    ({ path, message }: { path: string; message: string }) =>
      new RegExp(`[.\\["]${name}"?\\]?$`).test(path) && message.includes(name),
  );

describe("a member of a field that is misspelt is warned of", () => {
  test.each(kinds)("%s", async (kind) => {
    const { field } = exampleOf(kind);
    const names = [...new Set([...Object.keys(field), ...shared])].filter((name) => name !== "id");
    const wrong = names.map((name) => [misspelt(name, known), field[name] ?? true] as const);
    const fields = wrong.map(([name, value], index) => ({ ...field, id: `f${index}`, [name]: value }));
    const reply = await create(fields);
    expect(reply.status).toBe(200);
    expect(wrong.map(([name]) => name).filter((name) => warned(reply, name).length === 0)).toEqual([]);
  });

  test.each(kinds)("%s: in validation", async (kind) => {
    const { field } = exampleOf(kind);
    const rules = Object.keys(fieldTypes[kind].constraints);
    const wrong = rules.map((name) => misspelt(name, rules));
    const fields = wrong.map((name, index) => ({ ...field, id: `f${index}`, validation: { [name]: 1 } }));
    const reply = await create(fields);
    expect(wrong.filter((name) => warned(reply, name).length === 0)).toEqual([]);
  });
});

/** Paths of the members of the settings, by their shape. */
function* places(schema: Schema, above: string[] = []): Generator<string[]> {
  const { properties = {} } = schema as { properties?: Record<string, Schema> };
  for (const [name, member] of Object.entries(properties)) {
    yield [...above, name];
    const branches = [member, ...((member.anyOf ?? []) as Schema[])];
    for (const branch of branches) yield* places(branch, [...above, name]);
  }
}
const settings = [...places(schemaOf(FormSettings))];

describe("a setting that is misspelt is warned of", () => {
  test("the groups are found", () => {
    const groups = settings.filter(({ length }) => length === 1).map(([name]) => name);
    expect(groups).toEqual(
      expect.arrayContaining(["page", "captcha", "anonymous", "availability", "review"]),
    );
    expect(settings.length).toBeGreaterThan(30);
  });

  test.each(settings.map((each) => [each.join("."), each] as const))("%s", async (_, place) => {
    const last = place.at(-1) ?? "";
    const above = place.slice(0, -1);
    const beside = settings
      .filter((each) => each.length === place.length && above.every((name, index) => each[index] === name))
      .map((each) => each.at(-1) ?? "");
    const name = misspelt(last, beside);
    const value = above.reduceRight<object>((inner, each) => ({ [each]: inner }), { [name]: true });
    const reply = await patch({ op: "setMeta", settings: value });
    // A group may be told as a wrong shape, since a known member beside the unknown one is missing.
    const isRefused = reply.status === 400 && /is missing|is unknown/.test(reply.body.error);
    expect({ name, isNamed: isRefused || warned(reply, name).length > 0, body: reply.body }).toMatchObject({
      isNamed: true,
    });
  });
});

describe("an argument of an operation that is misspelt is warned of, or refused", () => {
  const field = { id: "b", type: "text", label: "B" };
  test.each([
    [{ op: "setMeta", name: "B", descripton: "x" }, "descripton"],
    [{ op: "addField", field, indx: 0 }, "indx"],
    [{ op: "addField", field, afterField: "a" }, "afterField"],
    [{ op: "updateField", fieldId: "a", set: {}, sets: { label: "B" } }, "sets"],
    [{ op: "removeField", fieldId: "a", field: "a" }, "field"],
    [{ op: "moveField", fieldId: "a", toIndex: 0, index: 0 }, "index"],
  ])("%j", async (operation, name) => {
    const reply = await patch(operation);
    expect([reply.status, warned(reply, name).length]).toEqual([200, 1]);
  });

  test("a required one is missing", async () => {
    const { error } = (await patch({ op: "updateField", field: "a", set: {} })).body;
    expect(error).toBe("operations[0].fieldId is missing: it takes a string.");
  });
});
