// stacks: one
/** Forms whose questions depend on others, by the official MCP client. */
import { describe, expect, test } from "bun:test";
import type { Answer } from "../../mcp-client.ts";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { call, type Json, mcpFixture, submitTool } from "./fixture.ts";

const { app, team, agentOf, connectAgent, submitRound } = await mcpFixture();

const text = (id: string, rest: object = {}) => ({ id, type: "text", label: id.toUpperCase(), ...rest });
const connectTo = async (form: PublishedForm, answer?: Answer) =>
  await connectAgent(await agentOf(undefined, form), answer);

/** Fills in the forms that it is asked for, each with the values of the next round. */
function rounds(...contents: object[]) {
  const asked: { ids: string[]; required: string[]; message: string; mode: string }[] = [];
  const answer: Answer = ({ requestedSchema, message, mode = "form" }) => {
    const ids = Object.keys(requestedSchema?.properties ?? {});
    asked.push({ ids, required: requestedSchema?.required ?? [], message, mode });
    return { action: "accept", content: contents[asked.length - 1] ?? {} };
  };
  return { asked, answer };
}

const stored = async ({ id }: PublishedForm) =>
  (await app.database.sql<{ data: object }[]>`select data from formd.submissions where form_id = ${id}`).map(
    ({ data }) => data,
  );

describe("a form with conditions", () => {
  const fields = [
    { id: "kind", type: "select", label: "Kind", options: ["person", "company"], required: true },
    text("vat", { showIf: "data.kind == 'company'", required: true, description: "As on invoices." }),
    text("note", { showIf: "has(data.vat)" }),
    { id: "price", type: "number", label: "Price" },
    { id: "total", type: "number", label: "Total", compute: "data.price * 2.0" },
    text("approval", { requireIf: "data.total > 10.0" }),
  ];

  test("says in its tool when a field is asked for, and which value is calculated", async () => {
    const client = await connectTo(await makeForm(app, team, fields));
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name.startsWith("submit_")) as Json;
    const descriptionOf = (id: string) => tool.inputSchema.properties[id].description;
    expect(descriptionOf("vat")).toContain("Asked when kind is");
    expect(descriptionOf("note")).toContain("Asked when vat has a value.");
    expect(descriptionOf("approval")).toContain("Required when total is more than 10.");
    expect(descriptionOf("total")).toContain("Calculated by the server");
    expect(tool.inputSchema.allOf).toBeUndefined();
  });

  test("asks again for fields that a value makes applicable, also for optional ones, and stores all values", async () => {
    const form = await makeForm(app, team, fields);
    const { asked, answer } = rounds({ kind: "company" }, { vat: "DE1" }, { note: "Thanks" });
    const client = await connectTo(form, answer);
    const result = await call(client, await submitTool(client), { price: 2 });
    expect(result.structuredContent).toMatchObject({ status: "completed" });
    expect(asked.map(({ ids, required }) => [ids, required])).toEqual([
      [["kind"], ["kind"]],
      [["vat"], ["vat"]],
      [["note"], []],
    ]);
    expect(asked.map(({ message }) => message)).toEqual([
      expect.stringContaining("requires more values."),
      expect.stringContaining("requires more values."),
      expect.stringContaining("has more questions."),
    ]);
    expect(await stored(form)).toEqual([{ kind: "company", vat: "DE1", note: "Thanks", price: 2, total: 4 }]);
  });

  test("asks no question twice, and takes no value that it has not asked for", async () => {
    const form = await makeForm(app, team, fields);
    const { asked, answer } = rounds({ kind: "company", price: 99 }, {}, { vat: "late" });
    const client = await connectTo(form, answer);
    const result = await call(client, await submitTool(client), {});
    expect(asked).toHaveLength(2);
    expect(result.structuredContent).toMatchObject({
      code: "validation_failed",
      errors: [{ field: "vat", code: "required" }],
    });
  });

  test("stores no value that another value makes inapplicable", async () => {
    const form = await makeForm(app, team, [
      text("a", { required: true }),
      text("b", { showIf: "!has(data.a)", required: true }),
    ]);
    const { asked, answer } = rounds({ a: "1", b: "2" });
    const client = await connectTo(form, answer);
    await call(client, await submitTool(client), {});
    expect(asked.map(({ ids }) => ids)).toEqual([["a", "b"]]);
    expect(await stored(form)).toEqual([{ a: "1" }]);
  });

  const ids = ["f1", "f2", "f3", "f4", "f5", "f6", "f7"];
  const chain = ids.map((id, index) =>
    text(id, { required: true, ...(index > 0 && { showIf: `has(data.${ids[index - 1]})` }) }),
  );
  const contents = ids.map((id) => ({ [id]: "x" }));

  test.each([true, false])(
    "asks in five rounds at most, then on its page, if there is one: %p",
    async (enabled) => {
      const form = await makeForm(app, team, chain, { settings: { page: { enabled } } });
      const { asked, answer } = rounds(...contents);
      const client = await connectTo(form, answer);
      const { structuredContent } = await call(client, await submitTool(client), {});
      const pages = enabled ? ["url"] : [];
      expect(asked.map(({ mode, ids: [id] }) => id ?? mode)).toEqual([
        "f1",
        "f2",
        "f3",
        "f4",
        "f5",
        ...pages,
      ]);
      if (enabled) expect(structuredContent.status).toBe("handed_over");
      else expect(structuredContent.errors).toMatchObject([{ field: "f6", code: "required" }]);
      expect(await stored(form)).toEqual([]);
    },
  );

  test("is refused once the grant is gone between two rounds", async () => {
    const form = await makeForm(app, team, fields);
    const agent = await agentOf(undefined, form);
    const round = async (retry?: object) =>
      (await submitRound(agent, { formId: form.id, data: {} }, retry)).result;
    const { requestState } = await round();
    await app.database.sql`delete from formd.grants where agent_id = ${agent.id}`;
    const inputResponses = { values: { action: "accept", content: { kind: "company" } } };
    expect((await round({ requestState, inputResponses })).structuredContent.code).toBe("no_grant");
    expect(await stored(form)).toEqual([]);
  });

  test("shows the owner's examples, without those of a draft that says otherwise", async () => {
    const held = {
      name: "A person",
      data: { kind: "person" },
      expect: { valid: true, applicable: ["kind", "price", "total", "approval"] },
    };
    const form = await makeForm(app, team, fields, { settings: { examples: [held] } });
    const client = await connectTo(form);
    const { structuredContent } = await call(client, "form_get", { formId: form.id });
    expect(structuredContent.examples).toEqual([held]);
    const ofDraft = { name: "Later", data: {}, expect: { valid: true } };
    await app.database.sql`
      update formd.forms set settings_in_force = jsonb_set(settings_in_force, '{examples}', ${app.database.sql.json([held, ofDraft])})
      where team_id = ${team.id} and id = ${form.id}`;
    expect((await call(client, "form_get", { formId: form.id })).structuredContent.examples).toEqual([held]);
    const plain = await connectTo(await makeForm(app, team, [text("a")]));
    const listed = (await call(plain, "forms_list")).structuredContent.forms as Json[];
    expect(
      (await call(plain, "form_get", { formId: listed[0].id })).structuredContent.examples,
    ).toBeUndefined();
  });
});
