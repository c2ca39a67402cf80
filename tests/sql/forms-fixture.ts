/** Forms by the SQL functions that make, change and publish them. */
import type { Sql } from "../../src/platform/database/db.ts";
import { sqlFixture } from "./fixture.ts";

export interface Form {
  id: string;
  status: string;
  currentVersion: number;
  schema: { fields: { id: string }[] };
  settings: object;
  createdAt: Date;
  updatedAt: Date;
}

export const field = (id: string, more = {}) => ({ id, type: "text", label: id, ...more });

export const idsOf = (form: Form) => form.schema.fields.map(({ id }) => id);

export async function formsFixture() {
  const { app, sql, team } = await sqlFixture();

  async function create(fields: object[] = [], name = "Form"): Promise<Form> {
    const [form] = await sql<[Form]>`
      select * from formd.form_create(${team.id}, '(cli,,)'::formd.actor, null, ${name}, null, ${sql.json({ fields } as never)})`;
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

  return { app, sql, team, create, patch, publish, read };
}
