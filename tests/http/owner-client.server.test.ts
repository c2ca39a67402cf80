// stacks: one
/** The clients for owners in docs/clients: one scenario, in each language, against a server. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { until } from "../expect.ts";
import {
  ask,
  makeForm,
  makeTeam,
  onCleanup,
  permissive,
  service,
  submitByKey,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";
import { debianPython, type Language, python, runWith, typescript } from "./clients.ts";
import { local, receiver } from "./webhooks/receiver.ts";

const app = await service({ ...permissive, ...local });

/** Programs in both languages, by the name of the scenario. */
const programs: Record<string, Record<Language[0], string>> = {
  forms: {
    TypeScript: `
const [owner, other] = [new Owner(given), new Owner(given)];
const add = (id) => [{ op: "addField", field: { id, type: "text", label: id } }];
const { id, status } = await owner.createForm({ name: "Contact", schema: { fields: [] } });
const seen = [];
const patched = await owner.patchForm(id, async (form) => {
  seen.push(form.schema.fields.map(({ id }) => id));
  if (seen.length === 1) await other.patchForm(id, () => add("theirs"));
  return add("ours");
});
let calls = 0;
const exists = await caught(() => owner.patchForm(id, () => { calls++; return add("ours"); }));
let raced = 0;
const lost = await caught(() => owner.patchForm(id, async () => {
  await other.patchForm(id, () => [{ op: "setMeta", name: "Contact " + ++raced }]);
  return add("last");
}));
const before = (await owner.form(id)).updatedAt;
const same = (await owner.patchForm(id, () => [])).updatedAt;
const names = [];
for (const name of ["B", "C", "D", "E"]) await owner.createForm({ name });
for await (const { name } of owner.forms({ limit: 2 })) names.push(name);
print({
  status, seen, fields: patched.schema.fields.map(({ id }) => id), exists: [exists instanceof FormdError, exists.code, calls],
  lost: [lost.code, raced], isSame: before === same, names, missing: (await caught(() => owner.form(given.missing))).code,
});`,
    Python: `
owner, other = Owner(given["base"], given["apiKey"]), Owner(given["base"], given["apiKey"])
def add(name):
    return [{"op": "addField", "field": {"id": name, "type": "text", "label": name}}]
def ids(form):
    return [field["id"] for field in form["schema"]["fields"]]
form = owner.create_form("Contact", schema={"fields": []})
form_id, seen, calls, raced = form["id"], [], [], []
def ours(form):
    seen.append(ids(form))
    if len(seen) == 1:
        other.patch_form(form_id, lambda _: add("theirs"))
    return add("ours")
patched = owner.patch_form(form_id, ours)
exists = caught(owner.patch_form, form_id, lambda form: calls.append(1) or add("ours"))
def always_late(form):
    raced.append(1)
    other.patch_form(form_id, lambda _: [{"op": "setMeta", "name": f"Contact {len(raced)}"}])
    return add("last")
lost = caught(owner.patch_form, form_id, always_late)
before = owner.form(form_id)["updatedAt"]
same = owner.patch_form(form_id, lambda form: [])["updatedAt"]
for name in "BCDE":
    owner.create_form(name)
print(json.dumps({
    "status": form["status"], "seen": seen, "fields": ids(patched),
    "exists": [isinstance(exists, FormdError), exists.code, len(calls)], "lost": [lost.code, len(raced)],
    "isSame": before == same, "names": [form["name"] for form in owner.forms(limit=2)],
    "missing": caught(owner.form, given["missing"]).code,
}))`,
  },
  submissions: {
    TypeScript: `
const [owner, other] = [new Owner(given), new Owner(given)];
const { formId } = given;
const all = [];
for await (const submission of owner.submissions(formId, { limit: 2 })) all.push(submission);
const pages = [];
for await (const { items, cursor } of owner.readPages("/forms/" + formId + "/submissions", { limit: 3 }))
  pages.push([items.length, cursor !== null]);
const [newest, second, ...rest] = all;
const edit = (value) => [{ fieldId: "note", value }];
const seen = [];
const edited = await owner.editSubmission(formId, newest.id, async ({ data }) => {
  seen.push(data.note);
  if (seen.length === 1) await other.editSubmission(formId, newest.id, () => edit("theirs"));
  return edit(data.note + "!");
});
const invalid = await caught(() => owner.editSubmission(formId, newest.id, () => edit(5)));
const stale = await caught(() => owner.reviewSubmission(newest, "approve"));
const approved = await owner.reviewSubmission(edited, "approve");
const rejected = await owner.reviewSubmission(second, "reject", "Sent twice.");
const changes = [];
for await (const { oldValue, newValue } of owner.edits(formId, newest.id)) changes.push([oldValue, newValue]);
await owner.deleteSubmission(formId, rest[0].id);
const gone = await caught(() => owner.submission(formId, rest[0].id));
await owner.exportTo(given.file, formId, { format: "csv" });
const lost = await caught(() => owner.exportTo(given.file + "-no", given.missing, { format: "csv" }));
const warned = [];
const onWarning = ({ message }) => warned.push(message);
const cut = await caught(() => new Owner({ ...given, base: given.cutting, onWarning }).exportTo(given.file + "-cut", formId, { format: "csv" }));
print({
  notes: all.map(({ data }) => data.note), pages, seen, edited: edited.data.note, invalid: invalid.code,
  stale: [stale.code, typeof stale.body.current.updatedAt], reviewed: [approved.status, rejected.review.reason],
  changes, gone: gone.code, lost: lost.code, cut: cut instanceof Error, warned,
});`,
    Python: `
import http.client
owner, other = Owner(given["base"], given["apiKey"]), Owner(given["base"], given["apiKey"])
form_id, seen = given["formId"], []
found = list(owner.submissions(form_id, limit=2))
pages = [[len(items), cursor is not None] for items, cursor in owner.read_pages(f"/forms/{form_id}/submissions", limit=3)]
newest, second, *rest = found
def edit(value):
    return [{"fieldId": "note", "value": value}]
def ours(submission):
    seen.append(submission["data"]["note"])
    if len(seen) == 1:
        other.edit_submission(form_id, newest["id"], lambda _: edit("theirs"))
    return edit(submission["data"]["note"] + "!")
edited = owner.edit_submission(form_id, newest["id"], ours)
invalid = caught(owner.edit_submission, form_id, newest["id"], lambda _: edit(5))
stale = caught(owner.review_submission, newest, "approve")
approved = owner.review_submission(edited, "approve")
rejected = owner.review_submission(second, "reject", "Sent twice.")
changes = [[each["oldValue"], each["newValue"]] for each in owner.edits(form_id, newest["id"])]
owner.delete_submission(form_id, rest[0]["id"])
gone = caught(owner.submission, form_id, rest[0]["id"])
owner.export_to(given["file"], form_id, format="csv")
lost = caught(lambda: owner.export_to(given["file"] + "-no", given["missing"], format="csv"))
warned = []
try:
    Owner(given["cutting"], given["apiKey"], on_warning=lambda warning: warned.append(warning["message"])).export_to(given["file"] + "-cut", form_id, format="csv")
    cut = False
except http.client.IncompleteRead:
    cut = True
print(json.dumps({
    "notes": [each["data"]["note"] for each in found], "pages": pages, "seen": seen, "edited": edited["data"]["note"],
    "invalid": invalid.code, "stale": [stale.code, "string" if isinstance(stale.body["current"]["updatedAt"], str) else ""],
    "reviewed": [approved["status"], rejected["review"]["reason"]], "changes": changes, "gone": gone.code,
    "lost": lost.code, "cut": cut, "warned": warned,
}))`,
  },
  webhooks: {
    TypeScript: `
const owner = new Owner(given);
const made = [];
for (const url of given.urls) made.push(await owner.createWebhook({ url, eventTypes: ["form.published", "submission.created"] }));
const urls = [];
for await (const { url } of owner.webhooks({ limit: 2 })) urls.push(url);
await owner.deleteWebhook(made[1].webhook.id);
const left = [];
for await (const { id } of owner.webhooks()) left.push(id);
print({ urls, left: left.length, ids: made.map(({ webhook }) => webhook.id), secrets: made[0].secrets });`,
    Python: `
owner = Owner(given["base"], given["apiKey"])
made = [owner.create_webhook(url, ["form.published", "submission.created"]) for url in given["urls"]]
urls = [webhook["url"] for webhook in owner.webhooks(limit=2)]
owner.delete_webhook(made[1]["webhook"]["id"])
print(json.dumps({
    "urls": urls, "left": len(list(owner.webhooks())), "ids": [each["webhook"]["id"] for each in made],
    "secrets": made[0]["secrets"],
}))`,
  },
  verify: {
    TypeScript: `
const said = async ([headers, text, secret]) =>
  (await caught(() => verifyWebhook(new Headers(headers), text, secret)))?.message ?? "ok";
print(await Promise.all(given.cases.map(said)));`,
    Python: `
said = lambda each: str(caught(verify_webhook, each[0], each[1].encode(), each[2]) or "ok")
print(json.dumps([said(each) for each in given["cases"]]))`,
  },
  waits: {
    TypeScript: `
const taken = [];
const owner = new Owner({ ...given, onWarning: (warning) => taken.push(warning) });
const { name } = await owner.form(given.formId);
const created = await caught(() => owner.createForm({ name: "A" }));
const late = await caught(() => new Owner({ ...given, maxWaitSeconds: 0 }).form(given.formId));
print({ name, taken, created: [created.status, created.code], late: late.message });`,
    Python: `
taken = []
owner = Owner(given["base"], given["apiKey"], on_warning=taken.append)
name = owner.form(given["formId"])["name"]
created = caught(owner.create_form, "A")
late = caught(Owner(given["base"], given["apiKey"], max_wait_seconds=0).form, given["formId"])
print(json.dumps({"name": name, "taken": taken, "created": [created.status, created.code], "late": str(late)}))`,
  },
  broken: {
    TypeScript: `
const owner = new Owner({ ...given, maxWaitSeconds: 1.5 });
const said = [];
for (const id of given.ids) said.push((await caught(() => owner.form(id))).message);
print(said);`,
    Python: `
owner = Owner(given["base"], given["apiKey"], max_wait_seconds=1.5)
print(json.dumps([str(caught(owner.form, each)) for each in given["ids"]]))`,
  },
  silent: {
    TypeScript: `
const owner = new Owner({ ...given, timeoutSeconds: 1, maxWaitSeconds: 0 });
const failed = [];
for (const id of ["silent", "stalls"]) failed.push((await caught(() => owner.form(id))).name === "TimeoutError");
failed.push((await caught(() => owner.exportTo(given.file, "silent", {}))).name === "TimeoutError");
await Promise.all([1, 2].map(() => owner.exportTo(given.file, "trickles", { format: "csv" })));
print(failed);`,
    Python: `
from concurrent.futures import ThreadPoolExecutor
owner = Owner(given["base"], given["apiKey"], timeout_seconds=1, max_wait_seconds=0)
is_late = lambda error: isinstance(error, OSError) and "timed out" in str(error)
failed = [is_late(caught(owner.form, each)) for each in ("silent", "stalls")]
failed.append(is_late(caught(owner.export_to, given["file"], "silent")))
with ThreadPoolExecutor() as pool:
    list(pool.map(lambda _: owner.export_to(given["file"], "trickles", format="csv"), range(2)))
print(json.dumps(failed))`,
  },
};

const missing = "01990000-0000-7000-8000-000000000000";

describe.each([typescript, python])("the client for owners in %s", (...language) => {
  const check = language[0] === "Python" ? testRequiring(debianPython) : test;
  const run = (scenario: string, given: object) =>
    runWith(
      language,
      ["formd-owner", "Owner", "FormdError", "verifyWebhook"],
      programs[scenario]?.[language[0]] ?? "",
      {
        base: app.url,
        ...given,
      },
    );

  check(
    "patches a form: once more after another edit, not after a conflict of its own, at most six times",
    async () => {
      const { key } = await makeTeam(app);
      expect(await run("forms", { apiKey: key, missing })).toEqual({
        status: "draft",
        seen: [[], ["theirs"]],
        fields: ["theirs", "ours"],
        exists: [true, "conflict", 1],
        lost: ["conflict", 6],
        isSame: true,
        names: ["E", "D", "C", "B", "Contact 6"],
        missing: "not_found",
      });
    },
  );

  check(
    "reads, edits, decides on, deletes and exports submissions; a broken export leaves no file",
    async () => {
      const team = await makeTeam(app);
      const settings = { review: { required: true } };
      const form = await makeForm(app, team, [{ id: "note", type: "text", label: "Note" }], { settings });
      for (const note of ["1", "2", "3", "4", "5"]) await submitByKey(app, team, form, { note });
      const folder = temporaryFolder();
      const file = join(folder, "submissions.csv");
      const given = { apiKey: team.key, formId: form.id, missing, file, cutting: await cuttingServer() };
      expect(await run("submissions", given)).toEqual({
        notes: ["5", "4", "3", "2", "1"],
        pages: [
          [3, true],
          [2, false],
        ],
        seen: ["5", "theirs"],
        edited: "theirs!",
        invalid: "validation_failed",
        stale: ["conflict", "string"],
        reviewed: ["completed", "Sent twice."],
        changes: [
          ["theirs", "theirs!"],
          ["5", "theirs"],
        ],
        gone: "not_found",
        lost: "not_found",
        cut: true,
        warned: ['It "has" no effect.', "Nor this."],
      });
      const path = `/papi/v1/management/forms/${form.id}/submissions/export?format=csv`;
      const { body } = await ask(app, "GET", path, { headers: { "x-api-key": team.key } });
      expect(readFileSync(file, "utf8")).toBe(body);
      expect(body.trimEnd().split("\r\n").length).toBe(5);
      expect(readdirSync(folder)).toEqual(["submissions.csv"]);
    },
  );

  check("makes webhooks, lists them page by page, and verifies what they send", async () => {
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "note", type: "text", label: "Note" }]);
    const at = await receiver();
    const urls = [at.url, `${at.url}/b`, `${at.url}/c`];
    const { secrets, ids, ...rest } = await run("webhooks", { apiKey: team.key, urls });
    expect(rest).toEqual({ urls: urls.toReversed(), left: 2 });
    expect(new Set(ids).size).toBe(3);
    await submitByKey(app, team, form, { note: "1" });
    await until(() => at.received.length > 1);
    const sent = (at.received as unknown as { headers: Record<string, string>; text: string }[]).map(
      ({ headers, text }) => [headers, text] as const,
    );
    const cases = sent.flatMap(([headers, text]) => [
      [headers, text, secrets.secret],
      [headers, text, secrets.publicKey],
      [headers, `${text} `, secrets.secret],
    ]);
    const results: string[] = await run("verify", { cases });
    // One of the two events is of the first webhook, the other is signed with another secret.
    const wrong = "No signature in webhook-signature is by this secret.";
    expect([results.slice(0, 3), results.slice(3)].toSorted()).toEqual([
      [wrong, wrong, wrong],
      ["ok", "ok", wrong],
    ]);
  });

  check("waits as it is told, hands on warnings, and creates nothing twice", async () => {
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "note", type: "text", label: "Note" }]);
    const warning = { path: "settings.captcha.enabled", message: "It has no effect.", nearest: "required" };
    const asked: string[] = [];
    // Imitates a server that is busy twice, then responds with a warning, and is away from then on.
    using proxy = Bun.serve({
      port: 0,
      async fetch({ url, method, headers }) {
        asked.push(method);
        const busy = {
          error: "Busy.",
          code: asked.length === 1 ? "rate_limited" : "unavailable",
          apiVersion: "v1",
        };
        const status = asked.length === 1 ? 429 : 503;
        if (asked.length !== 3) return Response.json(busy, { status, headers: { "retry-after": "1" } });
        const body = await (await fetch(app.url + new URL(url).pathname, { headers })).json();
        return Response.json({ ...body, data: { ...body.data, warnings: [warning] } });
      },
    });
    const given = { base: `http://localhost:${proxy.port}`, apiKey: team.key, formId: form.id };
    expect(await run("waits", given)).toEqual({
      name: "Test",
      taken: [warning],
      created: [503, "unavailable"],
      late: "503 unavailable: Busy.",
    });
    expect(asked).toEqual(["GET", "GET", "GET", "POST", "GET"]);
  });

  check("waits no longer than told for a silent server; two exports at once mix in no file", async () => {
    const line = "id,note\r\n";
    // Imitates servers that hang: before a response, within it, and a slow one that does not.
    using hanging = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch({ url }) {
        if (url.includes("silent")) return new Promise<Response>(() => {});
        return new Response(async function* () {
          yield '{"data":';
          if (url.includes("stalls")) await new Promise(() => {});
          for (let lines = 0; lines < 4; lines++) {
            await Bun.sleep(400);
            yield line;
          }
        } as unknown as ReadableStream);
      },
    });
    const folder = temporaryFolder();
    const file = join(folder, "submissions.csv");
    const begin = performance.now();
    const base = `http://localhost:${hanging.port}`;
    expect(await run("silent", { base, apiKey: "fdk_", file })).toEqual([true, true, true]);
    expect(performance.now() - begin).toBeLessThan(15_000);
    expect(readFileSync(file, "utf8")).toBe(`{"data":${line.repeat(4)}`);
    expect(readdirSync(folder)).toEqual(["submissions.csv"]);
    hanging.stop(true);
  });

  check(
    "takes whatever a server sends for an error, waits 1 s at least, keeps ids in place, follows no redirect",
    async () => {
      const sent: Record<string, [body: string, status: number, retryAfter?: string]> = {
        null: ["null", 200],
        text: ['"data"', 200],
        list: ["[]", 500],
        cut: ['{"data":{"form"', 200],
        at_once: ["{}", 429, "0"],
        negative: ["{}", 503, "-5"],
        never: ["{}", 429, "1".repeat(400)],
        square: ["{}", 429, "\u00b2"],
      };
      const asked: string[] = [];
      // Imitates servers that are not formd, and a broken one.
      using other = Bun.serve({
        port: 0,
        fetch({ url }) {
          const path = new URL(url).pathname.replace("/papi/v1/management/forms/", "");
          asked.push(path);
          if (path === "away") return Response.redirect("/papi/v1/management/forms/elsewhere");
          const [body, status, retryAfter] = sent[path] ?? ["{}", 404];
          return new Response(body, { status, headers: retryAfter ? { "retry-after": retryAfter } : {} });
        },
      });
      const ids = [...Object.keys(sent), "away", "../webhooks/a?b#c"];
      const said = await run("broken", { base: `http://localhost:${other.port}`, apiKey: "fdk_", ids });
      const noJson = "not_json: The response is not of formd: it is no JSON.";
      expect(said.slice(0, 4)).toEqual([200, 200, 500, 200].map((status) => `${status} ${noJson}`));
      expect(said.slice(4).map((each: string) => each.slice(0, 4))).toEqual(
        [429, 503, 429, 429, 302, 404].map((n) => `${n} `),
      );
      const timesOf = (path: string) => asked.filter((each) => each === path).length;
      expect(["at_once", "negative", "never", "square"].map(timesOf)).toEqual([2, 2, 1, 2]);
      expect(asked).not.toContain("elsewhere");
      expect(asked.at(-1)).toBe("..%2Fwebhooks%2Fa%3Fb%23c");
    },
  );
});

/** A server that closes the connection within a response. @returns its address */
async function cuttingServer(): Promise<string> {
  const warning = String.raw`warning: 299 formd "It \"has\" no effect.", 299 formd "Nor this."`;
  const headers = ["HTTP/1.1 200 OK", "content-type: text/csv", warning, "transfer-encoding: chunked"];
  const beginning = `${headers.join("\r\n")}\r\n\r\n4\r\nid,n\r\n`;
  const cut = createServer((socket) =>
    socket.on("error", () => {}).once("data", () => socket.end(beginning)),
  );
  await new Promise<void>((resolve) => cut.listen(0, "127.0.0.1", resolve));
  onCleanup(async () => {
    cut.close();
  });
  return `http://127.0.0.1:${(cut.address() as { port: number }).port}`;
}
