// stacks: one deno
/** The import by an API key. Conversions are in tests/unit/import. */
import { expect, test } from "bun:test";
import { outcome, unknownId } from "../../expect.ts";
import { ask, makeKey, makeTeam, makeWorkspace, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const team = await makeTeam(app);
const headers = { "x-api-key": team.key };

const field = (id: string, more = {}) => ({ id, type: "text", label: id, ...more });
const fileOf = (fields: object[], more = {}) => ({
  ...{ format: "formd/form/1", name: "A", schema: { fields } },
  ...more,
});
const send = (body: unknown, query = "", more: Record<string, string> = {}) =>
  ask(app, "POST", `${path}/import${query}`, { headers: { ...headers, ...more }, body });
const countForms = async () => {
  const [row] = await app.database.sql`
    select count(*)::integer as forms from formd.forms where team_id = ${team.id}`;
  return row?.forms as number;
};

test("a formd file makes a draft with all of its content, in the workspace that is named", async () => {
  const workspaceId = await makeWorkspace(app, team);
  const settings = { page: { title: "T" }, review: { required: true } };
  const file = fileOf([field("a", { required: true }), { id: "h", type: "heading", label: "H" }], {
    ...{ description: "D", settings },
  });
  const { status, body } = await send(file, `?workspaceId=${workspaceId}`);
  expect([status, body.data.form.status, body.data.form.workspaceId]).toEqual([200, "draft", workspaceId]);
  expect(body.data.report).toEqual({
    ...{ source: "formd", fields: 1, converted: 1, approximated: 0, leftOut: 0, items: [] },
  });
  const exported = await ask(app, "GET", `${path}/${body.data.form.id}/file`, { headers });
  expect(exported.body).toEqual(file);
  const events = await app.database.sql`
    select kind from formd.audit_events where team_id = ${team.id} and form_id = ${body.data.form.id}`;
  expect(events.map(({ kind }) => kind)).toEqual(["form.created"]);
});

test("a dry run has the file and the report, and stores nothing", async () => {
  const before = await countForms();
  const file = fileOf([field("a")]);
  const { status, body } = await send(file, "?dryRun=true&from=formd");
  expect([status, Object.keys(body.data), body.data.file]).toEqual([200, ["file", "report"], file]);
  expect(await countForms()).toBe(before);
});

test("a document of another tool may have a name twice, and values that cannot be stored are items", async () => {
  const document = `{ "type": "object", "type": "object", "properties": {
    "a": { "type": "integer", "maximum": 9223372036854775807 }, "b": { "type": "string", "title": "\\ud800" } } }`;
  const { status, body } = await send(document);
  expect([
    status,
    body.data.report.source,
    body.data.form.schema.fields.map(({ id }: { id: string }) => id),
  ]).toEqual([...[200, "jsonschema", ["a", "b"]]]);
  const items = body.data.report.items as { path: string; code: string }[];
  expect(items.filter(({ code }) => code === "not_accepted").map(({ path }) => path)).toEqual([
    ...["properties.a.maximum", "properties.b.title"],
  ]);
});

test("what belongs to an installation, is no form, or is not allowed makes none", async () => {
  const before = await countForms();
  const reader = { "x-api-key": (await makeKey(app, team, "forms:read")).key };
  const writer = { "x-api-key": (await makeKey(app, team, "forms:write")).key };
  const withSettings = (settings: object) => fileOf([], { settings });
  const refused = await Promise.all([
    send({ a: 1 }),
    send([]),
    send("{"),
    send(fileOf([]), "?from=other"),
    send(fileOf([]), "?dryRun=1"),
    send(fileOf([]), `?workspaceId=${unknownId}`),
    send(fileOf([]), `?dryRun=true&workspaceId=${unknownId}`),
    send(fileOf([]), "?from="),
    send(new Uint8Array([0x50, 0x4b, 3, 4]), "?from=formd", { "content-type": "application/octet-stream" }),
    send(fileOf([field("a"), field("a")])),
    send(fileOf([], { format: "formd/form/2" })),
    send(withSettings({ page: { alias: "x-y" } })),
    send(withSettings({ notify: { recipients: ["a@example.org"] } })),
    send(
      withSettings({ availability: { opensAt: "2026-01-02T00:00:00Z", closesAt: "2026-01-01T00:00:00Z" } }),
    ),
    send(withSettings({ notify: { include: "values" } }), "", writer),
    send(fileOf([]), "", reader),
    send(fileOf([]), "", { "x-api-key": "fdk_x" }),
    send(fileOf([]), "", { "content-type": "text/plain" }),
    send(new Uint8Array([0x50, 0x4b, 3, 4, 0]), "", { "content-type": "application/octet-stream" }),
    send(new Uint8Array(4_194_305), "", { "content-type": "application/octet-stream" }),
    send("x".repeat(1_048_577)),
  ]);
  expect(refused.map(outcome)).toEqual([
    ...["400 bad_request", "400 bad_request", "400 invalid_body", "400 bad_request", "400 bad_request"],
    ...[
      "404 not_found",
      "404 not_found",
      "400 bad_request",
      "400 invalid_body",
      "409 conflict",
      "400 invalid_body",
      "400 invalid_body",
      "400 invalid_body",
    ],
    ...["400 bad_request", "403 missing_scope", "403 missing_scope", "401 unauthorized"],
    ...["415 invalid_content_type", "400 bad_request", "413 payload_too_large", "413 payload_too_large"],
  ]);
  expect(refused[0]?.body.error).toStartWith(
    "The document is not a form of a known kind. The kinds are formd",
  );
  expect(refused[3]?.body.error).toContain('from must be "auto", "formbricks", ');
  expect(refused[13]?.body).not.toHaveProperty("operation");
  expect(await countForms()).toBe(before);
});
