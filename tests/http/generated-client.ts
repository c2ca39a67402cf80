import { join } from "node:path";
import { root, run } from "../setup.ts";

/** For Node's loader: openapi-typescript builds on the compiler's API, which TypeScript 7 no longer has. */
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const resolve = `export const resolve = (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context);`;
const typescript5 = dataUrl(
  `import { register } from "node:module"; register(${JSON.stringify(dataUrl(resolve))});`,
);

/** @param source the OpenAPI document: a file or a URL @param target the file of types */
export const generateTypes = (source: string, target: string) => {
  const generator = join(root, "node_modules/openapi-typescript/bin/cli.js");
  return run("node", ["--import", typescript5, generator, source, "-o", target]);
};

/**
 * The quick tour as a client generated from the document takes it; written beside the generated types,
 * type-checked, then run.
 */
export const tour = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

const { BASE = "", API_KEY = "", COOKIE = "", FORM = "", ACCESS_KEY = "" } = process.env;
const owner = createClient<paths>({ baseUrl: BASE, headers: { "x-api-key": API_KEY } });
const person = createClient<paths>({ baseUrl: BASE, headers: { cookie: COOKIE } });
const form = { path: { form_id: FORM } };

/** The data of a response; a problem is an Error of the document's shape. */
function got<T extends { data: unknown }>(answer: { data?: T; error?: components["schemas"]["Error"] }): T["data"] {
  if (answer.data) return answer.data.data;
  throw new Error(answer.error?.code + ": " + answer.error?.error);
}

const { forms, pagination } = got(await owner.GET("/papi/v1/management/forms", { params: { query: { limit: 5 } } }));
if (pagination.total !== 1 || forms[0]?.status !== "published") throw new Error("one published form");

const { form: draft } = got(await owner.POST("/papi/v1/management/forms", {
  body: { name: "Draft", schema: { fields: [{ id: "q", type: "text", label: "?" }] } },
}));
const { form: patched } = got(await owner.PATCH("/papi/v1/management/forms/{form_id}", {
  params: { path: { form_id: draft.id } },
  body: { operations: [{ op: "addField", field: { id: "r" } }, { op: "moveField", fieldId: "r", toIndex: 0 }], expectedVersion: 0 },
}));
if (patched.schema.fields[0]?.id !== "r") throw new Error("the field has moved");

const agent = got(await owner.POST("/papi/v1/identity/agents", { body: { name: "Tourist" } }));
const path = { agent_id: agent.id };
got(await person.POST("/papi/v1/identity/agents/{agent_id}/grants", {
  params: { path },
  body: { formId: FORM, scopes: ["agent:read", "agent:validate", "agent:submit"] },
}));

const { token } = got(await createClient<paths>({ baseUrl: BASE }).POST("/papi/v1/auth/token", { body: { clientSecret: agent.secret } }));
const submitter = createClient<paths>({
  baseUrl: BASE,
  headers: { "x-form-access-key": ACCESS_KEY, "x-respondent-token": token },
});
const { form: published } = got(await submitter.GET("/papi/v1/submitter/form"));
if (published.version !== 1) throw new Error("version 1");

const verdict = got(await submitter.POST("/papi/v1/submitter/form/validation", { body: { data: { n: "30" } } }));
if (verdict.errors[0]?.code !== "type_mismatch") throw new Error("a number is no text");

const { id } = got(await submitter.POST("/papi/v1/submitter/form/submissions", {
  params: { query: { partial: false }, header: { "idempotency-key": "tour" } },
  body: { data: { n: 30 } },
}));
const one = { path: { form_id: FORM, submission_id: id } };
const { submission } = got(await owner.GET("/papi/v1/management/forms/{form_id}/submissions/{submission_id}", { params: one }));
const edited = got(await owner.PATCH("/papi/v1/management/forms/{form_id}/submissions/{submission_id}", {
  params: one,
  body: { expectedUpdatedAt: submission.updatedAt, edits: [{ fieldId: "n", value: 31 }] },
}));
const stale = await owner.PATCH("/papi/v1/management/forms/{form_id}/submissions/{submission_id}", {
  params: one,
  body: { expectedUpdatedAt: submission.updatedAt, edits: [{ fieldId: "n", value: 32 }] },
});
if (stale.error?.code !== "conflict" || stale.error.current?.updatedAt !== edited.submission.updatedAt) throw new Error("a conflict");

const { submissions } = got(await owner.GET("/papi/v1/management/forms/{form_id}/submissions", {
  params: { ...form, query: { status: "completed", agentId: agent.id } },
}));
const { deleted } = got(await owner.DELETE("/papi/v1/management/forms/{form_id}/submissions/{submission_id}", { params: one }));
console.log(JSON.stringify({ values: submissions.flatMap((each) => ("deleted" in each ? [] : [each.data.n])), deleted }));
`;
