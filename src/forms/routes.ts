/** Forms: `/papi/v1/management/forms` (specification, "Management"). @module */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { apiKeySecurity, ownerCodes, requireApiKey } from "../auth/credentials.ts";
import type { Deps } from "../deps.ts";
import { parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { operation } from "../http/operation.ts";
import { offsetOf, Pagination, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { Form, FormCreateRequest, FormDiffRequest, FormListQuery } from "./shapes.ts";

/** A row of formd.forms. */
export interface FormRow {
  id: string;
  name: string;
  description: string | null;
  schema: { fields: Record<string, unknown>[] };
  settings: Record<string, unknown>;
  status: "draft" | "published" | "archived";
  currentVersion: number;
  teamId: string;
  workspaceId: string;
  createdAt: Date;
  updatedAt: Date;
}

/** The Form of the specification; `schema` is the draft. */
export const formOf = (row: FormRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  schema: row.schema,
  settings: row.settings,
  status: row.status,
  currentVersion: row.currentVersion,
  teamId: row.teamId,
  workspaceId: row.workspaceId,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const path = "/papi/v1/management/forms";

export const forms = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path })
    .get(
      path,
      async ({ request, query }) => {
        const { team } = await requireApiKey(deps, request, "forms:read");
        const page = parseQuery(query, FormListQuery);
        const within = page.workspaceId ? sql`and workspace_id = ${page.workspaceId}` : sql``;
        const rows = await sql<(FormRow & { total: number })[]>`
        select f.*, t.total
        from (select count(*)::int as total from formd.forms where team_id = ${team} ${within}) t
        left join (select * from formd.forms where team_id = ${team} ${within} order by id desc limit ${page.limit} offset ${offsetOf(page)}) f on true
        order by f.id desc`;
        const { items, pagination } = toPage(rows, page);
        return success({ forms: items.map(formOf), pagination });
      },
      operation({
        id: "listForms",
        tag: "management",
        summary: "List forms",
        description: "The team's forms, newest first.",
        security: apiKeySecurity("forms:read"),
        query: { shape: FormListQuery, notes: { workspaceId: "Only forms of this workspace." } },
        response: {
          description: "A page of forms.",
          members: { forms: [Form], pagination: Pagination },
          example: { forms: [examples.form], pagination: examples.pagination },
        },
        codes: ownerCodes,
      }),
    )
    .post(
      path,
      async ({ request }) => {
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team } = await requireApiKey(deps, request, "forms:write");
        const {
          name,
          description = null,
          schema = { fields: [] },
          workspaceId = null,
        } = parseBody(request, bytes, FormCreateRequest);
        const [form] = await sql<[FormRow]>`
        select * from formd.form_create(${team}, ${uuidv7()}, ${workspaceId}, ${name}, ${description}, ${sql.json(schema as never)})`;
        return success({ form: formOf(form) });
      },
      operation({
        id: "createForm",
        tag: "management",
        summary: "Create a form",
        description: "A draft. A person publishes it; no route of this API does.",
        security: apiKeySecurity("forms:write"),
        body: {
          shape: FormCreateRequest,
          examples: {
            fields: {
              summary: "With fields",
              value: {
                name: examples.form.name,
                description: examples.form.description,
                schema: examples.form.schema,
              },
            },
            empty: { summary: "A name only", value: { name: "Newsletter" } },
          },
        },
        response: { description: "The draft.", members: { form: Form }, example: { form: examples.form } },
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    )
    .get(
      `${path}/:form_id`,
      async ({ request, params }) => {
        const { team } = await requireApiKey(deps, request, "forms:read");
        const [form] = await sql<
          FormRow[]
        >`select * from formd.forms where team_id = ${team} and id = ${uuidParam(params, "form_id")}`;
        if (!form) throw new Problem("not_found", "There is no such form.");
        return success({ form: formOf(form) });
      },
      operation({
        id: "getForm",
        tag: "management",
        summary: "Read a form",
        description: "With its draft schema, settings and `currentVersion`.",
        security: apiKeySecurity("forms:read"),
        response: { description: "The form.", members: { form: Form }, example: { form: examples.form } },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:form_id`,
      async ({ request, params }) => {
        const bytes = await readBytes(request, config.MAX_BODY_BYTES);
        const { team } = await requireApiKey(deps, request, "forms:write");
        const id = uuidParam(params, "form_id");
        const { operations, expectedVersion = null } = parseBody(request, bytes, FormDiffRequest);
        const [form] = await sql<
          [FormRow]
        >`select * from formd.form_patch(${team}, ${id}, ${sql.json(operations as never)}, ${expectedVersion})`;
        return success({ form: formOf(form) });
      },
      operation({
        id: "patchForm",
        tag: "management",
        summary: "Edit a form's draft",
        description:
          "Operations apply in order, all or none. What is published stays as it is until the next publish, and `currentVersion` does not move.",
        security: apiKeySecurity("forms:write"),
        body: {
          shape: FormDiffRequest,
          examples: {
            add: {
              summary: "Add a field and rename the form",
              value: {
                operations: [
                  { op: "addField", field: { id: "phone", type: "phone", label: "Phone" } },
                  { op: "setMeta", name: "Contact us" },
                ],
              },
            },
          },
        },
        response: {
          description: "The form with its new draft.",
          members: { form: Form },
          example: { form: examples.form },
        },
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    );
};
