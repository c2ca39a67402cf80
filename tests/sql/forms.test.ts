import { beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { makeForm, makeTeam, type Service, type Team } from "../setup.ts";
import { hashOf, inParallel, newIds, raisedProblem, sqlFixture, submit } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
});

interface Form {
  id: string;
  status: string;
  currentVersion: number;
  schema: { fields: { id: string }[] };
  settings: object;
  createdAt: Date;
  updatedAt: Date;
}

const field = (id: string, more = {}) => ({ id, type: "text", label: id, ...more });

async function create(fields: object[] = [], name = "Form"): Promise<Form> {
  const [form] = await sql<[Form]>`
    select * from formd.form_create(${team.id}, '(cli,,)'::formd.actor, ${uuidv7()}, null, ${name}, null, ${sql.json({ fields } as never)})`;
  return form;
}

async function patch(
  id: string,
  operations: object[],
  expected: number | null = null,
  app: Sql = sql,
): Promise<Form> {
  const [form] = await app<
    [Form]
  >`select * from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${id}, ${app.json(operations as never)}, ${expected}, null)`;
  return form;
}

async function publish({ id, updatedAt }: { id: string; updatedAt: Date }, app: Sql = sql): Promise<Form> {
  const [form] = await app<
    [Form]
  >`select * from formd.form_publish(${team.id}, '(cli,,)'::formd.actor, ${id}, ${updatedAt})`;
  return form;
}

async function read(id: string): Promise<Form> {
  const [form] = await sql<[Form]>`select * from formd.forms where team_id = ${team.id} and id = ${id}`;
  return form;
}

const idsOf = (form: Form) => form.schema.fields.map(({ id }) => id);

describe("form_create", () => {
  test("created_at is the millisecond inside the id", async () => {
    const { id, createdAt, updatedAt } = await create();
    expect(createdAt.getTime()).toBe(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
    expect(updatedAt).toEqual(createdAt);
  });

  test("500 fields are accepted, 501 are not, and no duplicate id", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => field(`f${index}`));
    expect((await create(many(500))).schema.fields.length).toBe(500);
    expect((await raisedProblem(create(many(501)))).code).toBe("bad_request");
    expect((await raisedProblem(create([field("a"), field("b"), field("a")]))).detail).toContain('"a"');
  });

  test("512 KiB of schema are accepted, one byte more is not", async () => {
    const [row] = await sql<
      [{ size: number }]
    >`select octet_length(${sql.json({ fields: [field("a", { help: "" })] })}::jsonb::text) as size`;
    const filled = (size: number) => [field("a", { help: "x".repeat(size - row.size) })];
    await create(filled(524_288));
    expect((await raisedProblem(create(filled(524_289)))).code).toBe("bad_request");
  });
});

describe("form_patch", () => {
  test("50 concurrent patches are all applied, each with an updated_at of its own", async () => {
    const { id } = await create();
    const patched = await inParallel(app.database.ownerUrl, 50, (each, index) =>
      patch(id, [{ op: "addField", field: field(`f${index}`) }], 0, each),
    );
    const inOrder = patched.toSorted((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime());
    expect(inOrder.map((form) => form.schema.fields.length)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(new Set(inOrder.map(({ updatedAt }) => updatedAt.getTime())).size).toBe(50);
    expect(new Set(idsOf(await read(id))).size).toBe(50);
  });

  test("updated_at increases also when the clock was set back", async () => {
    const { id } = await create();
    const ahead = new Date(Date.now() + 3_600_000);
    await sql`update formd.forms set updated_at = ${ahead} where id = ${id}`;
    expect((await patch(id, [{ op: "setMeta", name: "Later" }])).updatedAt.getTime()).toBe(
      ahead.getTime() + 1,
    );
  });

  test("if one operation is rejected none is applied, and the problem has its index", async () => {
    const form = await create([field("a")]);
    const refused = await raisedProblem(
      patch(form.id, [
        { op: "setMeta", name: "Other" },
        { op: "removeField", fieldId: "a" },
        { op: "removeField", fieldId: "a" },
      ]),
    );
    expect(refused).toMatchObject({ code: "not_found", extras: { operation: 2 } });
    expect(await read(form.id)).toMatchObject(form);
  });

  test("another version than expected is a conflict with the current one", async () => {
    const form = await create([field("a")]);
    await publish(form);
    const conflict = await raisedProblem(patch(form.id, [{ op: "setMeta", name: "Other" }], 0));
    expect(conflict).toMatchObject({ code: "conflict", extras: { current: { currentVersion: 1 } } });
    expect((await patch(form.id, [{ op: "setMeta", name: "Other" }], 1)).currentVersion).toBe(1);
  });

  test("a submit with an Idempotency-Key and a new session do not wait for a patch in progress", async () => {
    const form = await makeForm(app, team, [field("a")]);
    await sql.begin(async (patching) => {
      await patch(form.id, [{ op: "setMeta", name: "Later" }], null, patching as unknown as Sql);
      await inParallel(app.database.ownerUrl, 1, async (other) => {
        await other`set lock_timeout = '1s'`;
        const { outcome } = await submit(other, team, { form, idempotencyKey: "once" });
        expect(outcome).toBe("stored");
        await other`
          insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
          values (${team.id}, ${uuidv7()}, 'anonymous', ${form.id}, ${hashOf("token")}, now(), now())`;
      });
    });
  });

  test.each<[object, string[]]>([
    [{ op: "addField", field: field("x") }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), index: 0 }, ["x", "a", "b", "c"]],
    [{ op: "addField", field: field("x"), index: 99 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), index: 2 ** 53 }, ["a", "b", "c", "x"]],
    [{ op: "addField", field: field("x"), afterFieldId: "a" }, ["a", "x", "b", "c"]],
    [{ op: "moveField", fieldId: "a", toIndex: 2 }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "a", toIndex: 99 }, ["b", "c", "a"]],
    [{ op: "moveField", fieldId: "c", toIndex: 0 }, ["c", "a", "b"]],
    [{ op: "moveField", fieldId: "a", afterFieldId: "b" }, ["b", "a", "c"]],
    [{ op: "moveField", fieldId: "a", afterFieldId: "a" }, ["a", "b", "c"]],
    [{ op: "removeField", fieldId: "b" }, ["a", "c"]],
    [{ op: "updateField", fieldId: "b", set: { label: "B", id: "b" } }, ["a", "b", "c"]],
  ])("%j", async (operation, ids) => {
    const { id } = await create(["a", "b", "c"].map((name) => field(name)));
    expect(idsOf(await patch(id, [operation]))).toEqual(ids);
  });

  test("another team's form is not found", async () => {
    const { id } = await create();
    const [foreign] = newIds(1);
    expect(
      (
        await raisedProblem(
          sql`select formd.form_patch(${foreign as string}, '(cli,,)'::formd.actor, ${id}, '[{"op": "setMeta"}]', null, null)`,
        )
      ).code,
    ).toBe("not_found");
  });
});

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
      publish(draft, each).then(
        () => "published",
        ({ message }) => message,
      ),
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
      expect((await raisedProblem(patch(id, [{ op: "setMeta", name: "x" }]))).code).toBe("conflict");
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

describe("forms_read", () => {
  const keyHash = (text: string) => toByteaText(sha256(text));

  test("each item of a list is read with its own API key, in its own team", async () => {
    const other = await makeTeam(app);
    const [form, theirs] = [await create(), await makeForm(app, other, [])];
    const submitOnly = `fdk_${uuidv7()}`;
    await sql`select formd.api_key_create(${team.id}, '(cli,,)'::formd.actor, ${uuidv7()}, 'Submits', '{submissions:write}', 'fdk', ${sha256(submitOnly)})`;
    const own = { team_id: team.id, key_hash: keyHash(team.key), form_id: form.id };
    const their = { team_id: other.id, key_hash: keyHash(other.key), form_id: theirs.id };
    const list = [
      [own, "allowed", form.id],
      [{ ...own, form_id: theirs.id }, "allowed", null],
      [own, "allowed", form.id],
      [their, "allowed", theirs.id],
      [{ ...their, key_hash: own.key_hash }, "unauthorized", null],
      [{ ...own, key_hash: keyHash(submitOnly) }, "missing_scope", null],
      [{ ...own, key_hash: keyHash("unknown") }, "unauthorized", null],
      [{ ...own, form_id: null }, "allowed", null],
    ] as const;
    const rows = await sql<{ outcome: string; id: string | null }[]>`
      select outcome, (form).id from formd.forms_read(p_team => null, p_items => ${jsonb(
        sql,
        list.map(([item]) => item),
      )})`;
    expect(rows.map(({ outcome, id }) => [outcome, id])).toEqual(
      list.map(([, outcome, id]) => [outcome, id]),
    );
  });
});
