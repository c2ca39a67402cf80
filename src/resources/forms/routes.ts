/** Forms: `/papi/v1/management/forms` (specification, "Management"). */
import { Elysia } from "elysia";
import { apiKeyOf, apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import { authenticateIn, type Caller, type Credential } from "../../platform/auth/authenticate.ts";
import { createBatcher } from "../../platform/database/batch.ts";
import { jsonb, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { cursorResponse } from "../../platform/http/responses.ts";
import { cursorNotes, isUuid, parseQuery, splitAsked, uuidParam } from "../../platform/http/shapes.ts";
import { progressRoute } from "../progress/routes.ts";
import { formFileRoutes } from "./file-routes.ts";
import { type AskedForm, askedFormOf, formResponse, formResponseOf } from "./form-response.ts";
import { patchedForm } from "./forms.ts";
import { formImportRoute } from "./import/routes.ts";
import {
  Form,
  FormCreateRequest,
  FormDiffRequest,
  FormListQuery,
  FormQuery,
  FormWithPublished,
} from "./shapes.ts";
import { draftOf, templateNamed } from "./templates.ts";

const path = "/papi/v1/management/forms";

/** The draft that a request begins: of its template, with what the request has itself. */
const draftAsked = ({ template, language, ...own }: typeof FormCreateRequest.infer) => ({
  ...{ name: "", description: null, schema: { fields: [] }, settings: null, workspaceId: null },
  ...(template && draftOf(templateNamed(template, language))),
  ...own,
});

const draftNotes =
  "`warnings`: unknown names, which have no effect. Publishing refuses them in fields and in known groups of settings.";

const draftQuery = {
  shape: FormQuery,
  notes: {
    problems:
      "`true`: with `problems`, what publishing would refuse. `warnings` name the languages in which texts are missing, too.",
  },
};

export const formRoutes = (deps: Deps) => {
  const { sql } = deps;
  const [json, jsonOfOne] = [jsonOf(Form)(sql), jsonOf(FormWithPublished)(sql)];
  const readForm = createFormReader(deps);
  return new Elysia({ name: path })
    .use(formFileRoutes(deps))
    .use(formImportRoute(deps))
    .use(progressRoute(deps))
    .get(
      path,
      ({ request, query }) =>
        pageOf(deps, request, withApiKey(deps, request, "forms:read"), ({ team }) => {
          const { page, filters } = splitAsked(parseQuery(query, FormListQuery));
          return {
            ...{ name: "forms", page, filters, item: json },
            rows: ({ limit, offset, after, order }) => sql`
              formd.form_list(p_team => ${team}, p_workspace => ${filters.workspaceId ?? null},
                p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order})`,
          };
        }),
      operation({
        id: "listForms",
        tag: "management",
        summary: "List forms",
        description:
          "The team's forms, newest first, without `logo` and `cover` of `settings.page.theme`: a form that is read alone has them.",
        security: apiKeySecurity("forms:read"),
        query: {
          shape: FormListQuery,
          notes: { workspaceId: "Only forms of this workspace.", ...cursorNotes },
        },
        response: cursorResponse("A page of forms.", "forms", Form, examples.form),
        codes: ownerCodes,
      }),
    )
    .post(
      path,
      async ({ request, query }) => {
        const { run } = withApiKey(deps, request, "forms:write");
        let asked: AskedForm = {};
        const created = await run(({ team, actor, bytes }) => {
          asked = askedFormOf(query);
          const draft = draftAsked(parseBody(request, bytes, FormCreateRequest, "bad_request"));
          return sql`
            select ${jsonOfOne} from formd.form_create(p_team => ${team}, p_actor => ${actor},
              p_workspace => ${draft.workspaceId}, p_name => ${draft.name}, p_description => ${draft.description},
              p_schema => ${jsonb(sql, draft.schema)}, p_settings => ${draft.settings && jsonb(sql, draft.settings)})`;
        });
        return formResponse(deps, request, created, asked);
      },
      operation({
        id: "createForm",
        tag: "management",
        summary: "Create a form",
        description: `A draft, which only a person publishes: at \`publishUrl\`, or with \`formd form publish\`. ${draftNotes}`,
        security: apiKeySecurity("forms:write"),
        query: draftQuery,
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
            template: {
              summary: "From a template",
              value: { template: "event-registration", language: "de" },
            },
          },
        },
        response: formResponseOf("The draft."),
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    )
    .get(
      `${path}/:form_id`,
      async ({ request, params, query }) => {
        const toCredential = () => apiKeyOf(deps, request, "forms:read");
        const { form, drafts } = await authenticateIn(deps, request, toCredential, (credential) =>
          readForm(credential, params.form_id),
        );
        uuidParam(params, "form_id");
        return formResponse(deps, request, form, { ...askedFormOf(query), drafts });
      },
      operation({
        id: "getForm",
        tag: "management",
        summary: "Read a form",
        description: `\`schema\` is the draft. \`settings\` are as the last patch left them, \`publishedSettings\` as a person published them. ${draftNotes}`,
        security: apiKeySecurity("forms:read"),
        query: draftQuery,
        response: formResponseOf("The form."),
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:form_id`,
      async ({ request, params, query }) => {
        const { run } = withApiKey(deps, request, "forms:write");
        let asked: AskedForm = {};
        const form = await run(({ team, actor, bytes }) => {
          const id = uuidParam(params, "form_id");
          const changes = parseBody(request, bytes, FormDiffRequest, "bad_request");
          asked = { ...askedFormOf(query), operations: changes.operations };
          return sql`select ${jsonOfOne} from ${patchedForm(sql, { team, actor }, id, changes)}`;
        });
        return formResponse(deps, request, form, asked);
      },
      operation({
        id: "patchForm",
        tag: "management",
        summary: "Edit a form's draft",
        description:
          "Operations apply in order, all or none. The published version stays as it is until the next publish; `currentVersion` does not change. Settings that close, require or restrict act at once; those that open, loosen or redirect wait for the next publish.",
        security: apiKeySecurity("forms:write"),
        query: draftQuery,
        body: {
          shape: FormDiffRequest,
          examples: {
            ...Object.fromEntries(
              Object.entries(examples.formOperations).map(([op, each]) => [
                op,
                { summary: op, value: { operations: [each] } },
              ]),
            ),
            expected: {
              summary: "Several, if no other version was published",
              value: {
                operations: [examples.formOperations.updateField, examples.formOperations.moveField],
                expectedVersion: examples.form.currentVersion,
              },
            },
          },
        },
        response: formResponseOf("The form with its new draft."),
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    );
};

/** Forms per call: a draft may have 512 KiB. */
const maxItems = 16;

/** The form as JSON; null: the caller is not allowed, or the form does not exist. */
interface FormRow extends Caller {
  form: string | null;
  /** Open drafts of respondents. Null: none, and none can be saved. */
  drafts: number | null;
}

/**
 * Makes the function that reads a form for an API key. Requests that arrive while calls are in progress share
 * the next one: a round trip takes more than twice the CPU of reading a form. A list is sorted by API key,
 * which is then authenticated once.
 * @returns a function of an API key and the id in the path
 */
function createFormReader({ sql, isDistributed }: Deps) {
  const json = jsonOf(FormWithPublished, { prefix: "(form)." })(sql);
  const read = createBatcher(
    (team, items: { team_id: string; key_hash: string; form_id: string | null }[]) => sql<FormRow[]>`
      select outcome, caller_id, remaining, reset_ms, case when (form).id is not null then ${json} end as form, drafts
      from formd.forms_read(p_team => ${team}, p_items => ${jsonb(sql, items)})`,
    ({ key_hash }) => key_hash,
    { isDistributed, maxItems },
  );
  return ({ team, hash }: Credential, form: string): Promise<FormRow> =>
    read({ team_id: team, key_hash: toByteaText(hash), form_id: isUuid(form) ? form : null }, 0);
}
