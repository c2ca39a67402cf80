// stacks: one deno
/** Bytes, plans and hostile files: tests/unit/form-file.test.ts. */
import { expect, test } from "bun:test";
import { outcome, unknownId } from "../../expect.ts";
import { ask, makeForm, makeKey, makeOperator, makeTeam, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const team = await makeTeam(app);
const headers = { "x-api-key": team.key };

const field = (id: string, more = {}) => ({ id, type: "text", label: id, ...more });
const fileOf = (...fields: object[]) => ({ format: "formd/form/1", name: "A", schema: { fields } });
async function create(...fields: object[]) {
  const { body } = await ask(app, "POST", path, { headers, body: { name: "A", schema: { fields } } });
  return body.data.form as { id: string; updatedAt: string };
}
const exported = (id: string, query = "", as = headers) =>
  fetch(`${app.url}${path}/${id}/file${query}`, { headers: as });
const apply = (id: string, body: unknown, query = "", more: Record<string, string> = {}) =>
  ask(app, "POST", `${path}/${id}/file${query}`, { headers: { ...headers, ...more }, body });
const events = (id: string) => app.database.sql`
  select kind, details from formd.audit_events where team_id = ${team.id} and form_id = ${id} and kind <> 'form.created'`;

test("a form is a file, which makes the same form of another; then there are no changes", async () => {
  const source = await create(field("a", { help: null, required: true }), field("b"));
  const operations = [
    { op: "setMeta", name: "Ä/1", description: "D", settings: { page: { alias: "file-a", title: "T" } } },
  ];
  await ask(app, "PATCH", `${path}/${source.id}`, { headers, body: { operations } });
  const response = await exported(source.id);
  expect(response.headers.get("content-type")).toBe("application/vnd.formd.form+json");
  expect(response.headers.get("content-disposition")).toStartWith(`attachment; filename="_`);
  const text = await response.text();
  const { id } = await create(field("b"), field("c"), field("a"));
  const type = { "content-type": "application/vnd.formd.form+json" };
  const done = await apply(id, text, "", type);
  expect(done.body.data.operations.map(({ op }: { op: string }) => op)).toEqual([
    ...["removeField", "updateField", "moveField", "setMeta"],
  ]);
  expect(done.body.data.form.settings.page).toEqual({ title: "T" });
  expect(await (await exported(id)).text()).toBe(text);
  const cookie = await makeOperator(app, team, "viewer");
  const downloaded = await fetch(`${app.url}/console/forms/${id}/file`, { headers: { cookie } });
  expect([downloaded.headers.get("content-type"), await downloaded.text()]).toEqual([
    ...["application/vnd.formd.form+json", text],
  ]);
  const again = await apply(id, text, "", type);
  expect([again.status, again.body.data.operations, again.body.data.form.updatedAt]).toEqual([
    ...[200, [], done.body.data.form.updatedAt],
  ]);
  expect((await events(id)).map(({ kind }) => kind)).toEqual(["form.patched"]);
});

test("a dry run has the operations and the checks, and stores nothing", async () => {
  const { id, updatedAt } = await create(field("a"));
  const { body } = await apply(id, fileOf(field("b")), "?dryRun=true");
  expect(Object.keys(body.data)).toEqual(["operations", "warnings"]);
  expect(body.data.operations).toHaveLength(2);
  const many = fileOf(...Array.from({ length: 501 }, (_, index) => field(`f${index}`)));
  expect(outcome(await apply(id, many, "?dryRun=true"))).toBe("400 bad_request");
  const form = (await ask(app, "GET", `${path}/${id}`, { headers })).body.data.form;
  expect([form.updatedAt, await events(id)]).toEqual([updatedAt, []]);
});

test("500 fields are replaced by 500 others in one apply, and their order is reversed by 499 moves", async () => {
  const fields = (prefix: string) => Array.from({ length: 500 }, (_, index) => field(`${prefix}${index}`));
  const { id } = await create(...fields("a"));
  const others = await apply(id, fileOf(...fields("b")));
  expect([others.status, others.body.data.operations.length]).toEqual([200, 1000]);
  const reversed = await apply(id, fileOf(...fields("b").toReversed()));
  expect([reversed.status, reversed.body.data.operations.length]).toEqual([200, 499]);
  expect(reversed.body.data.form.schema.fields[0].id).toBe("b499");
});

test("a draft that was changed between plan and apply is a conflict; so is another version", async () => {
  const { id, updatedAt } = await create(field("a"));
  const planned = await apply(id, fileOf(field("b")), `?dryRun=true&expectedUpdatedAt=${updatedAt}`);
  expect(planned.status).toBe(200);
  const operations = [{ op: "setMeta", name: "Other" }];
  await ask(app, "PATCH", `${path}/${id}`, { headers, body: { operations } });
  const late = await apply(id, fileOf(field("b")), `?expectedUpdatedAt=${updatedAt}`);
  expect([outcome(late), late.body.current.currentVersion]).toEqual(["409 conflict", 0]);
  expect(outcome(await apply(id, fileOf(field("b")), "?expectedVersion=1"))).toBe("409 conflict");
});

test("of applies and patches at once none is lost: each is applied to the draft it was planned for, or 409", async () => {
  const { id } = await create(field("a"));
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0
        ? apply(id, fileOf(field("a"), field(`f${index}`)))
        : ask(app, "PATCH", `${path}/${id}`, {
            headers,
            body: { operations: [{ op: "addField", field: field(`p${index}`) }] },
          }),
    ),
  );
  const stored = replies.filter(({ status }) => status === 200).length;
  expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect(await events(id)).toHaveLength(stored);
});

test("a version is read with the settings that were published; what is missing, foreign or not allowed is refused", async () => {
  const form = await makeForm(app, team, [field("a")]);
  await ask(app, "PATCH", `${path}/${form.id}`, {
    headers,
    body: { operations: [{ op: "removeField", fieldId: "a" }] },
  });
  const version = await (await exported(form.id, "?version=1")).json();
  expect(version.schema.fields).toEqual([field("a")]);
  const removal = await apply(form.id, { ...version, schema: { fields: [] } }, "?dryRun=true");
  expect(removal.body.data.warnings).toEqual([]);
  const other = await makeTeam(app);
  const reader = { "x-api-key": (await makeKey(app, team, "forms:read")).key };
  const statuses = await Promise.all([
    exported(form.id, "?version=2"),
    exported(form.id, "?version=0"),
    exported(unknownId),
    exported(form.id, "", { "x-api-key": other.key }),
    exported("x"),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([404, 400, 404, 404, 400]);
  expect((await (await exported(form.id, "?version=2")).json()).error).toBe("The form has no version 2.");
  const availability = { opensAt: "2026-01-02T00:00:00Z", closesAt: "2026-01-01T00:00:00Z" };
  const refused = await Promise.all([
    apply(form.id, fileOf(), "", reader),
    apply(unknownId, fileOf()),
    apply(form.id, fileOf(), "", { "x-api-key": other.key }),
    apply(form.id, { ...fileOf(), id: form.id }),
    apply(form.id, { ...fileOf(), name: " " }),
    apply(form.id, { ...fileOf(), settings: { availability } }),
    apply(form.id, fileOf(), "", { "content-type": "text/plain" }),
  ]);
  expect(refused.map(outcome)).toEqual([
    ...["403 missing_scope", "404 not_found", "404 not_found", "400 invalid_body", "400 bad_request"],
    ...["400 bad_request", "415 invalid_content_type"],
  ]);
  expect(refused[5]?.body.error).toStartWith("settings.availability: ");
});
