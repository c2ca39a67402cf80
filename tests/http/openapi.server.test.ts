// stacks: one
/**
 * The OpenAPI document. `bun run openapi` records it in tests/openapi.json, which every exchange of the
 * black-box tests is held against.
 */
import { describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { invite } from "../invite.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  root,
  server,
  service,
  temporaryFolder,
} from "../setup.ts";
import { generateTypes, tour } from "./generated-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document; what is expected of it says its shape
type Json = any;

const file = join(root, "tests/openapi.json");
const run = promisify(execFile);
const bin = (name: string) => join(root, "node_modules/.bin", name);
const baseUrl = "https://forms.example.org";

const app = await service();
const team = await makeTeam(app);

/** Asks by the shortest Host: a router may look for the path behind a longer one only. */
async function documentWith(environment: Record<string, string>): Promise<Json> {
  const settings = { BASE_URL: baseUrl, ALLOWED_HOSTS: "a", ...environment };
  const other = await server({ DATABASE_URL: app.database.url, ...settings });
  // Not by ask, which holds the exchange against the recorded document.
  const reply = await fetch(`${other.url}/papi/v1/openapi.json`, { headers: { host: "a" } });
  const body = await reply.json();
  await other.stop();
  expect([reply.status, reply.headers.get("content-type")?.split(";")[0]]).toEqual([200, "application/json"]);
  return body;
}

const document = await documentWith({});
if (process.env.FORMD_RECORD) {
  writeFileSync(file, JSON.stringify(document));
  await run(bin("biome"), ["format", "--config-path=.ci/lint.json", "--write", file], { cwd: root });
}

const operations = (): Json[] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ ...operation, method, path })),
  );

describe("GET /papi/v1/openapi.json", () => {
  test("it is the recorded document: bun run openapi records a change", () => {
    expect(document).toEqual(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);
  });

  test("it is OpenAPI 3.1, version v1, and has the URL of the settings", () => {
    const told = { openapi: "3.1.0", info: { version: "v1" }, servers: [{ url: baseUrl }] };
    expect(document).toMatchObject(told);
  });

  test("every route has a name that a generated client can use, and no other route has", () => {
    const names = operations().map(({ operationId }) => operationId);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$|^log(in|out)$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("every operation has a summary, an area, its callers, and every status with its codes", () => {
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

test("each operation of a patch is a schema with a title, its op first, and a request example", () => {
  const { schemas } = document.components;
  const listed = schemas.FormDiffRequest.properties.operations.items.anyOf.map(
    ({ $ref }: { $ref: string }) => schemas[$ref.split("/").at(-1) ?? ""],
  );
  const titles = ["addField", "moveField", "removeField", "setMeta", "updateField"];
  expect(listed.map(({ title }: Json) => title).toSorted()).toEqual(titles);
  const { examples } = operation("patchForm").requestBody.content["application/json"];
  for (const {
    title,
    properties,
    examples: [example],
  } of listed) {
    expect(Object.entries(properties)[0]).toEqual(["op", { const: title }]);
    expect(examples[title].value.operations).toEqual([example]);
  }
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
    token: await invite(app.database.sql, team, form),
  };
  const { submission } = (await ask(app, "GET", path("getSubmission", params), { headers: key })).body.data;

  /** Headers by operation, and members of the body that only this server knows. */
  const calls: Record<string, { headers: Record<string, string>; own?: object }> = {
    createForm: { headers: key },
    importForm: { headers: key },
    patchForm: { headers: key },
    patchSubmission: { headers: key, own: { expectedUpdatedAt: submission.updatedAt } },
    createWebhook: { headers: key },
    patchWebhook: { headers: key },
    replayWebhook: { headers: key },
    holdForm: { headers: admin },
    createInvitations: { headers: admin },
    holdSubmission: { headers: admin },
    createAgent: { headers: key },
    createKey: { headers: key, own: { expiresAt: new Date(Date.now() + 60_000).toISOString() } },
    login: { headers: {}, own: { email: team.operator.email, password: team.operator.password } },
    createToken: { headers: {}, own: { clientSecret: agent.secret } },
    callMcp: { headers: { ...key, accept: "application/json, text/event-stream" } },
    createAccessToken: { headers: {}, own: { client_id: agent.id, client_secret: agent.secret } },
    createAnonymousSession: { headers: { "x-form-access-key": form.accessKey } },
    createChallenge: { headers: session },
    validateSubmission: { headers: session },
    createSubmission: { headers: session },
    submitFormPage: { headers: { accept: "application/json" } },
    submitInvitedPage: { headers: { accept: "application/json" } },
    // Without its draft: that never refuses a submission.
    submitDraftPage: { headers: { accept: "application/json" } },
    // Last, since these take the page, agent:submit, the sessions and the secret away.
    applyForm: { headers: key },
    putGrant: { headers: key, own: { formId: form.id } },
    patchAgent: { headers: key },
    rotateAgentSecret: { headers: key },
  };
  // A decision is based on a submission as it is then, a response to a challenge is signed, a file is no
  // JSON, a link has its token, and this server sends no reminders: no example can be any of them.
  const withBody = operations()
    .filter(({ requestBody }) => requestBody)
    .map(({ operationId }) => operationId);
  expect(withBody.filter((id) => !calls[id])).toEqual([
    "reviewSubmission",
    "remindInvitations",
    "uploadFile",
    "changeSubmittedPage",
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
 * A typed client knows each type's rules: `@ts-expect-error` fails the compilation of a line without an
 * error.
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
  const strictest = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
  const compilerOptions = {
    ...{ target: "ESNext", module: "Preserve", moduleResolution: "Bundler", lib: ["ESNext", "DOM"] },
    ...{ types: ["bun-types"], noEmit: true, ...strictest },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const checked = await run(bin("tsc"), ["-p", folder]).catch(({ stdout }) => ({ stdout }));
  expect(checked.stdout).toBe("");

  const theirs = await makeTeam(app);
  const form = await makeForm(app, theirs, [{ id: "n", type: "integer", label: "N", required: true }]);
  const cookie = await makeOperator(app, theirs, "editor");
  const published = { FORM: form.id, ACCESS_KEY: form.accessKey };
  const env = {
    PATH: process.env.PATH ?? "",
    BASE: app.url,
    API_KEY: theirs.key,
    COOKIE: cookie,
    ...published,
  };
  const { stdout } = await run(process.execPath, [join(folder, "tour.ts")], { env });
  expect(JSON.parse(stdout)).toEqual({ values: [31], deleted: true });
});
