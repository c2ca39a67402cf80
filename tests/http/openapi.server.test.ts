// stacks: one
/**
 * The OpenAPI document. `bun run openapi` records it in tests/openapi.json, which every exchange of the
 * black-box tests is held against.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import {
  asAgent,
  ask,
  freePort,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  root,
  type Service,
  server,
  service,
  type Team,
  temporaryFolder,
} from "../setup.ts";
import { generateTypes, tour } from "./generated-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document; what is expected of it says its shape
type Json = any;

const file = join(root, "tests/openapi.json");
const run = promisify(execFile);
const bin = (name: string) => join(root, "node_modules/.bin", name);
const baseUrl = "https://forms.example.org";

let app: Service;
let team: Team;
let document: Json;

/** A server that has an address of its own knows the one it listens at as well. */
async function documentWith(environment: Record<string, string>): Promise<Json> {
  const PORT = String(await freePort());
  const settings = { BASE_URL: baseUrl, ALLOWED_HOSTS: `127.0.0.1:${PORT}`, PORT, ...environment };
  const other = await server({ DATABASE_URL: app.database.url, ...settings });
  // Not by ask, which holds the exchange against the recorded document.
  const reply = await fetch(`${other.url}/papi/v1/openapi.json`);
  const body = await reply.json();
  await other.stop();
  expect([reply.status, reply.headers.get("content-type")]).toEqual([
    200,
    expect.stringMatching(/^application\/json\b/),
  ]);
  return body;
}

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  document = await documentWith({});
  if (!process.env.FORMD_RECORD) return;
  writeFileSync(file, JSON.stringify(document));
  await run(bin("biome"), ["format", "--config-path=.ci/lint.json", "--write", file], { cwd: root });
});

const operations = (): Json[] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ ...operation, method, path })),
  );

/**
 * Specification, "Endpoints" and "General rules"; the last of each area, and the console's, are additions.
 */
const routes: Record<string, string> = {
  "GET /management/forms": "listForms",
  "POST /management/forms": "createForm",
  "GET /management/forms/{form_id}": "getForm",
  "PATCH /management/forms/{form_id}": "patchForm",
  "GET /management/forms/{form_id}/mails": "listFormMails",
  "POST /management/forms/{form_id}/mails/{mail_id}/resend": "resendFormMail",
  "GET /management/forms/{form_id}/submissions": "listSubmissions",
  "GET /management/forms/{form_id}/submissions/{submission_id}": "getSubmission",
  "PATCH /management/forms/{form_id}/submissions/{submission_id}": "patchSubmission",
  "DELETE /management/forms/{form_id}/submissions/{submission_id}": "deleteSubmission",
  "GET /management/forms/{form_id}/submissions/export": "exportSubmissions",
  "GET /management/forms/{form_id}/submissions/{submission_id}/edits": "listSubmissionEdits",
  "GET /management/forms/{form_id}/submissions/{submission_id}/files/{file_id}": "downloadFile",
  "GET /management/forms/{form_id}/submissions/{submission_id}/receipt": "getReceipt",
  "GET /submitter/receipts/{submission_id}": "getOwnReceipt",
  "GET /receipt-keys": "listReceiptKeys",
  "GET /receipts/{team_id}": "getReceiptKeys",
  "POST /management/webhooks": "createWebhook",
  "GET /management/webhooks": "listWebhooks",
  "GET /management/webhooks/{webhook_id}": "getWebhook",
  "PATCH /management/webhooks/{webhook_id}": "patchWebhook",
  "DELETE /management/webhooks/{webhook_id}": "deleteWebhook",
  "POST /management/webhooks/{webhook_id}/rotate-secret": "rotateWebhookSecret",
  "POST /management/webhooks/{webhook_id}/test": "testWebhook",
  "POST /management/webhooks/{webhook_id}/replay": "replayWebhook",
  "GET /management/webhooks/{webhook_id}/deliveries": "listWebhookDeliveries",
  "GET /management/webhooks/{webhook_id}/deliveries/{event_id}": "getWebhookDelivery",
  "POST /identity/agents": "createAgent",
  "GET /identity/agents": "listAgents",
  "GET /identity/agents/{agent_id}": "getAgent",
  "PATCH /identity/agents/{agent_id}": "patchAgent",
  "DELETE /identity/agents/{agent_id}": "deleteAgent",
  "POST /identity/agents/{agent_id}/rotate-secret": "rotateAgentSecret",
  "DELETE /identity/agents/{agent_id}/sessions": "deleteAgentSessions",
  "GET /identity/agents/{agent_id}/grants": "listGrants",
  "POST /identity/agents/{agent_id}/grants": "putGrant",
  "DELETE /identity/agents/{agent_id}/grants/{grant_id}": "deleteGrant",
  "GET /identity/agents/{agent_id}/keys": "listKeys",
  "POST /identity/agents/{agent_id}/keys": "createKey",
  "DELETE /identity/agents/{agent_id}/keys/{key_id}": "deleteKey",
  "POST /auth/token": "createToken",
  "POST /auth/anonymous": "createAnonymousSession",
  "GET /auth/altcha": "createAltchaChallenge",
  "POST /submitter/form/validation": "validateSubmission",
  "POST /submitter/form/files": "uploadFile",
  "POST /submitter/form/submissions": "createSubmission",
  "POST /submitter/form/challenges": "createChallenge",
  "POST /submitter/challenges/{challenge_id}/responses": "respondToChallenge",
  "GET /submitter/form": "getPublishedForm",
  "POST /console/login": "login",
  "POST /console/logout": "logout",
  "GET /.well-known/oauth-protected-resource/mcp": "getProtectedResourceMetadata",
  "GET /.well-known/oauth-authorization-server": "getAuthorizationServerMetadata",
  "POST /oauth/token": "createAccessToken",
  "POST /mcp": "callMcp",
  "GET /.well-known/http-message-signatures-directory": "getKeyDirectory",
  "GET /.well-known/security.txt": "getSecurityText",
  "GET /f/{id}": "getFormPage",
  "POST /f/{id}": "submitFormPage",
  "GET /f/{id}/steps": "getFormSteps",
  "POST /f/{id}/steps": "sendFormStep",
  "GET /f/{id}/sent": "getSentPage",
  "GET /f/embed.js": "getEmbedScript",
  "GET /f/look.css": "getLook",
  "GET /docs": "getReference",
  "GET /openapi.json": "getDocument",
  "GET /management/audit": "listAudit",
  "POST /management/forms/{form_id}/submissions/{submission_id}/review": "reviewSubmission",
  "GET /management/forms/{form_id}/audit": "listFormAudit",
  "GET /management/forms/{form_id}/retention": "getRetention",
  "POST /management/forms/{form_id}/hold": "holdForm",
  "DELETE /management/forms/{form_id}/hold": "releaseForm",
  "POST /management/forms/{form_id}/submissions/{submission_id}/hold": "holdSubmission",
  "DELETE /management/forms/{form_id}/submissions/{submission_id}/hold": "releaseSubmission",
};

describe("GET /papi/v1/openapi.json", () => {
  test("it is the recorded document: bun run openapi records a change", () => {
    expect(document).toEqual(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);
  });

  test("it is OpenAPI 3.1, version v1, and names the address that the settings name", () => {
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { version: "v1" },
      servers: [{ url: baseUrl }],
    });
  });

  test("it has every route of the specification, by a name that a generated client can use", () => {
    const named = operations().map(({ method, path, operationId }) => [
      `${method.toUpperCase()} ${path.replace("/papi/v1", "")}`,
      operationId,
    ]);
    expect(Object.fromEntries(named)).toEqual(routes);
  });

  test("every operation says what it is, of which area, who may call it, and every status with its codes", () => {
    for (const operation of operations()) {
      expect(operation.summary).toBeString();
      expect(document.tags.map(({ name }: Json) => name)).toContain(operation.tags[0]);
      expect(operation.security.length).toBeGreaterThan(0);
      expect(Object.keys(operation.responses)).toContainValues(["200", "400", "500", "503"]);
      for (const [status, { $ref, headers }] of Object.entries<Json>(operation.responses)) {
        if (status === "200") continue;
        if (status === "303") {
          expect(headers.location).toBeDefined();
          continue;
        }
        const { content } = document.components.responses[$ref.replace("#/components/responses/", "")];
        const { schema, examples } = content["application/json"];
        expect(schema.properties.code.enum.length).toBeGreaterThan(0);
        expect(Object.keys(examples)).toEqual(schema.properties.code.enum);
      }
    }
  });

  test("the limits are those of the settings", async () => {
    const set = await documentWith({ RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "7" });
    expect(set.paths["/papi/v1/submitter/form/submissions"].post["x-ratelimit"]).toEqual([
      { scope: "agent", seconds: 5, requests: 1 },
      { scope: "ip", seconds: 60, requests: 7, setting: "RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE" },
    ]);
  });

  test("redocly finds neither an error nor a warning, in the examples neither", async () => {
    const { stdout } = await run(bin("redocly"), ["lint", "--format=json", file], {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    const { totals, problems } = JSON.parse(stdout);
    expect([problems, totals.errors, totals.warnings]).toEqual([[], 0, 0]);
  });
});

test("every request example is taken, with the ids and secrets of a live server in it", async () => {
  const form = await makeForm(app, team, Object.values(createForm().fields.value.schema.fields), {
    settings: { page: { enabled: true } },
  });
  const agent = await makeAgent(app, team, form);
  const key = { "x-api-key": team.key };
  const admin = { cookie: await makeOperator(app, team, "admin"), origin: app.url };
  const session = asAgent(form, agent);
  const path = (id: string, params: Record<string, string>) =>
    operation(id).path.replace(/\{(\w+)\}/g, (_: string, name: string) => params[name]);
  const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: asAgent(form, await makeAgent(app, team, form)),
    body: operation("createSubmission").requestBody.content["application/json"].examples.good.value,
  });
  const webhook = await ask(app, "POST", "/papi/v1/management/webhooks", {
    headers: key,
    body: operation("createWebhook").requestBody.content["application/json"].examples.thin.value,
  });
  const params = {
    form_id: form.id,
    agent_id: agent.id,
    submission_id: submitted.body.data.id,
    webhook_id: webhook.body.data.webhook.id,
    id: pagePathOf({ team: team.id, form: form.id }).replace("/f/", ""),
  };
  const {
    body: {
      data: { submission },
    },
  } = await ask(app, "GET", path("getSubmission", params), { headers: key });

  /** By operation: its headers, and what of the body is this server's own. */
  const calls: Record<string, { headers: Record<string, string>; own?: object }> = {
    createForm: { headers: key },
    patchForm: { headers: key },
    patchSubmission: { headers: key, own: { expectedUpdatedAt: submission.updatedAt } },
    createWebhook: { headers: key },
    patchWebhook: { headers: key },
    replayWebhook: { headers: key },
    holdForm: { headers: admin },
    holdSubmission: { headers: admin },
    createAgent: { headers: key },
    createKey: { headers: key, own: { expiresAt: new Date(Date.now() + 60_000).toISOString() } },
    login: { headers: {}, own: { email: team.operator.email, password: team.operator.password } },
    createToken: { headers: {}, own: { clientSecret: agent.secret } },
    callMcp: { headers: { ...key, accept: "application/json, text/event-stream" } },
    createAccessToken: {
      headers: {},
      own: { client_id: agent.id, client_secret: agent.secret },
    },
    createAnonymousSession: { headers: { "x-form-access-key": form.accessKey } },
    createChallenge: { headers: session },
    validateSubmission: { headers: session },
    createSubmission: { headers: session },
    submitFormPage: { headers: { accept: "application/json" } },
    // Last, since these take agent:submit, the sessions and the secret away.
    putGrant: { headers: key, own: { formId: form.id } },
    patchAgent: { headers: key },
    rotateAgentSecret: { headers: key },
  };
  // A decision is based on a submission as it is then, a response to a challenge is signed, and a file is no
  // JSON: no example can be any of them.
  const withBody = operations()
    .filter(({ requestBody }) => requestBody)
    .map(({ operationId }) => operationId);
  expect(withBody.filter((id) => !calls[id])).toEqual([
    "reviewSubmission",
    "uploadFile",
    "respondToChallenge",
  ]);

  for (const [id, { headers, own }] of Object.entries(calls)) {
    const { method, requestBody } = operation(id);
    const [media = "", { examples }] = Object.entries<Json>(requestBody.content)[0] ?? [];
    for (const { summary, value } of Object.values<Json>(examples)) {
      const sent = { ...value, ...own };
      const body = media === "application/json" ? sent : String(new URLSearchParams(sent));
      const reply = await ask(app, method.toUpperCase(), path(id, params), {
        headers: { "content-type": media, ...headers },
        body,
      });
      expect([id, summary, reply.status, reply.body.code]).toEqual([id, summary, 200, undefined]);
    }
  }
});

const operation = (id: string): Json => operations().find(({ operationId }) => operationId === id);
const createForm = (): Json => operation("createForm").requestBody.content["application/json"].examples;

/**
 * A typed client knows each type's rules: `@ts-expect-error` fails the compilation where there is no error.
 */
const fields = `
import type { components } from "./api.d.ts";
type FormField = components["schemas"]["FormField"];
export const fields: FormField[] = [
  { id: "a", label: "A", type: "text", validation: { minLength: 2 } },
  { id: "b", label: "B", type: "multi_select", options: ["x", { value: 1 }], validation: { maxItems: 2 } },
  // @ts-expect-error no such type
  { id: "c", label: "C", type: "multiselect" },
  // @ts-expect-error no rule of this type
  { id: "d", label: "D", type: "number", validation: { minLength: 2 } },
];
export const body: components["schemas"]["FormCreateRequest"] = { name: "A", schema: { fields } };
`;
test("a client that openapi-typescript and openapi-fetch make of it is sound TypeScript, and takes the tour", async () => {
  const folder = temporaryFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const made = await generateTypes(file, join(folder, "api.d.ts"));
  expect(`${made.stdout}${made.stderr}`.toLowerCase()).not.toContain("warn");
  writeFileSync(join(folder, "tour.ts"), tour);
  writeFileSync(join(folder, "fields.ts"), fields);
  const compilerOptions = {
    target: "ESNext",
    module: "Preserve",
    moduleResolution: "Bundler",
    lib: ["ESNext", "DOM"],
    types: ["bun-types"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const checked = await run(bin("tsc"), ["-p", folder]).catch(({ stdout }) => ({ stdout }));
  expect(checked.stdout).toBe("");

  const theirs = await makeTeam(app);
  const form = await makeForm(app, theirs, [{ id: "n", type: "integer", label: "N", required: true }]);
  const cookie = await makeOperator(app, theirs, "editor");
  const environment = {
    BASE: app.url,
    API_KEY: theirs.key,
    COOKIE: cookie,
    FORM: form.id,
    ACCESS_KEY: form.accessKey,
  };
  const { PATH = "" } = process.env;
  const { stdout } = await run(process.execPath, [join(folder, "tour.ts")], {
    env: { PATH, ...environment },
  });
  expect(JSON.parse(stdout)).toEqual({ values: [31], deleted: true });
});
