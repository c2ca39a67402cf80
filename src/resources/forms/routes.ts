/** Forms: `/papi/v1/management/forms` (specification, "Management"). */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { apiKeyOf, apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import { authenticateIn } from "../../platform/auth/authenticate.ts";
import { jsonb } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { resourceResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { memberResponse, pageResponse } from "../../platform/http/responses.ts";
import { parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { patchedForm } from "./forms.ts";
import { createFormReader } from "./read.ts";
import { Form, FormCreateRequest, FormDiffRequest, FormListQuery, FormWithPublished } from "./shapes.ts";

const path = "/papi/v1/management/forms";

export const formRoutes = (deps: Deps) => {
  const { sql } = deps;
  const json = jsonOf(sql, Form);
  const readForm = createFormReader(deps);
  return new Elysia({ name: path })
    .get(
      path,
      ({ request, query }) =>
        pageOf(deps, request, withApiKey(deps, request, "forms:read"), ({ team }) => {
          const { workspaceId = null, ...page } = parseQuery(query, FormListQuery);
          return {
            name: "forms",
            page,
            item: json,
            rows: ({ limit, offset, below }) => sql`
              formd.form_list(p_team => ${team}, p_workspace => ${workspaceId},
                p_limit => ${limit}, p_offset => ${offset}, p_below => ${below})`,
          };
        }),
      operation({
        id: "listForms",
        tag: "management",
        summary: "List forms",
        description:
          "The team's forms, newest first, without `settings.page.theme.logo`: a form that is read alone has it.",
        security: apiKeySecurity("forms:read"),
        query: { shape: FormListQuery, notes: { workspaceId: "Only forms of this workspace." } },
        response: pageResponse("A page of forms.", "forms", Form, examples.form, examples.pagination),
        codes: ownerCodes,
      }),
    )
    .post(
      path,
      async ({ request }) => {
        const { run } = withApiKey(deps, request, "forms:write");
        const created = await run(({ team, actor, bytes }) => {
          const form = parseBody(request, bytes, FormCreateRequest, "bad_request");
          return sql`
            select ${json} from formd.form_create(p_team => ${team}, p_actor => ${actor}, p_id => ${uuidv7()},
              p_workspace => ${form.workspaceId ?? null}, p_name => ${form.name},
              p_description => ${form.description ?? null}, p_schema => ${jsonb(sql, form.schema ?? { fields: [] })})`;
        });
        return resourceResponse(request, "form", created);
      },
      operation({
        id: "createForm",
        tag: "management",
        summary: "Create a form",
        description:
          "A draft. A person publishes it, in the console or with `formd form publish`; no route of this API does.",
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
        response: memberResponse("The draft.", "form", Form, examples.form),
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    )
    .get(
      `${path}/:form_id`,
      async ({ request, params }) => {
        const toCredential = () => apiKeyOf(deps, request, "forms:read");
        const { form } = await authenticateIn(deps, request, toCredential, (credential) =>
          readForm(credential, params.form_id),
        );
        uuidParam(params, "form_id");
        return resourceResponse(request, "form", form);
      },
      operation({
        id: "getForm",
        tag: "management",
        summary: "Read a form",
        description:
          "With its draft schema, settings and `currentVersion`. `settings` are as the last patch left them, `publishedSettings` as a person published them.",
        security: apiKeySecurity("forms:read"),
        response: memberResponse("The form.", "form", FormWithPublished, examples.formWithPublished),
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:form_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, "forms:write");
        const form = await run(({ team, actor, bytes }) => {
          const id = uuidParam(params, "form_id");
          const changes = parseBody(request, bytes, FormDiffRequest, "bad_request");
          return sql`select ${json} from ${patchedForm(sql, { team, actor }, id, changes)}`;
        });
        return resourceResponse(request, "form", form);
      },
      operation({
        id: "patchForm",
        tag: "management",
        summary: "Edit a form's draft",
        description:
          "Operations apply in order, all or none. The published version stays as it is until the next publish; `currentVersion` does not change. Settings that close, require or restrict act at once; those that open, loosen or redirect wait for the next publish.",
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
        response: memberResponse("The form with its new draft.", "form", Form, examples.form),
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    );
};
