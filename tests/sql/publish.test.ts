// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { endOf, inParallel, raisedProblem } from "./fixture.ts";
import { type Form, field, formsFixture } from "./forms-fixture.ts";

const { app, sql, team, create, patch, publish, read } = await formsFixture();

describe("form_publish", () => {
  test("a draft that changed while it was being checked is not published", async () => {
    const checked = await create([field("a")]);
    await patch(checked.id, [{ op: "addField", field: field("b") }]);
    expect((await raisedProblem(publish(checked))).code).toBe("conflict");
    expect((await read(checked.id)).currentVersion).toBe(0);
  });

  test("of ten concurrent publishes of one draft one succeeds", async () => {
    const draft = await create([field("a")]);
    const ends = await inParallel(app.database.ownerUrl, 10, (each) =>
      endOf(publish(draft, each), "published"),
    );
    expect(ends.toSorted()).toEqual([...Array(9).fill("conflict"), "published"]);
    expect((await read(draft.id)).currentVersion).toBe(1);
  });

  test("while patches go on, only a checked draft is published", async () => {
    const { id } = await create([field("a")]);
    await inParallel(app.database.ownerUrl, 24, async (each, index) => {
      if (index % 2)
        return void (await patch(id, [{ op: "addField", field: field(`f${index}`) }], null, each));
      const checked = await read(id);
      await publish(checked, each).then(
        async ({ currentVersion }) => {
          const [frozen] = await sql<[{ schema: object }]>`
            select schema from formd.form_versions where form_id = ${id} and version = ${currentVersion}`;
          expect(frozen.schema).toEqual(checked.schema);
        },
        ({ message }) => expect(message).toBe("conflict"),
      );
    });
    const versions = await sql<
      { version: number }[]
    >`select version from formd.form_versions where form_id = ${id} order by version`;
    expect(versions.map(({ version }) => version)).toEqual(
      Array.from({ length: (await read(id)).currentVersion }, (_, index) => index + 1),
    );
  });

  test("a version holds the lists written out, and the draft that it was made of", async () => {
    const draft = await create([field("a", { type: "select", options: "countries" })]);
    const written = { fields: [field("a", { type: "select", options: ["DE", "FR"] })] };
    const of = (schema: object | null, updatedAt = draft.updatedAt) => sql<[Form]>`
      select * from formd.form_publish(${team.id}, '(cli,,)'::formd.actor, ${draft.id}, ${updatedAt},
        p_schema => ${sql.json(schema as never)})`;
    const large = { fields: [field("a", { options: "x".repeat(524_288) })] };
    expect((await raisedProblem(of(large))).code).toBe("bad_request");
    const [published] = await of(written);
    expect(published.schema).toEqual(draft.schema);
    const [version] = await sql`
      select schema, draft_schema from formd.form_versions where form_id = ${draft.id} and version = 1`;
    expect(version).toEqual({ schema: written, draftSchema: draft.schema });
    const [plain] = await sql`
      select draft_schema from formd.form_versions where form_id = ${(await publish(await create([]))).id}`;
    expect(plain).toEqual({ draftSchema: null });
  });

  test("a published version does not change with the draft", async () => {
    const form = await publish(await create([field("a")]));
    await patch(form.id, [{ op: "removeField", fieldId: "a" }]);
    const [frozen] = await sql<
      [{ schema: object }]
    >`select schema from formd.form_versions where form_id = ${form.id}`;
    expect(frozen.schema).toEqual({ fields: [field("a")] });
  });
});

describe("form_set_archived", () => {
  const archive = async (id: string, archived: boolean) => {
    const [form] = await sql<
      [Form]
    >`select * from formd.form_set_archived(${team.id}, '(cli,,)'::formd.actor, ${id}, ${archived})`;
    return form;
  };

  test("an archived form accepts no patch and no publish; restored it has its former status", async () => {
    const draft = await create([field("a")]);
    const published = await publish(await create([field("a")]));
    for (const { id, status } of [draft, published]) {
      const archived = await archive(id, true);
      expect(archived.status).toBe("archived");
      expect(await read(id)).toMatchObject({ ...archived, archivedAt: archived.updatedAt });
      expect(await raisedProblem(patch(id, [{ op: "setMeta", name: "x" }]))).toMatchObject({
        code: "conflict",
        extras: { current: { currentVersion: archived.currentVersion } },
      });
      expect((await raisedProblem(publish(archived))).code).toBe("conflict");
      expect((await archive(id, false)).status).toBe(status);
      expect(await read(id)).toMatchObject({ status, archivedAt: null });
    }
  });

  test("is idempotent", async () => {
    const { id } = await create();
    expect(await archive(id, true)).toEqual(await archive(id, true));
    expect(await archive(id, false)).toEqual(await archive(id, false));
  });
});
