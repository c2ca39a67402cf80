import { beforeAll, describe, expect, test } from "bun:test";
import { ask, makeForm, type PublishedForm, permissive, type Service, type Team } from "../../setup.ts";
import { askSigned, makeSigningAgent } from "../../signing.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let browser: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, editor: browser, viewer } = await consoleFixture(permissive));
});

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "count", type: "integer", label: "Count" },
  { id: "topics", type: "multi_select", label: "Topics", options: ["a", "b"] },
  { id: "csrf", type: "text", label: "A field with the name of a hidden one" },
  { id: "home", type: "address", label: "Home" },
  { id: "yes", type: "boolean", label: "Yes?" },
];

const submit = async (form: PublishedForm, data: object): Promise<string> => {
  const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data },
  });
  return reply.body.data.id;
};
const read = async (form: PublishedForm, id: string) => {
  const path = `/papi/v1/management/forms/${form.id}/submissions/${id}`;
  return (await ask(app, "GET", path, { headers: { "x-api-key": team.key } })).body.data?.submission;
};
const pathOf = (form: PublishedForm, id = "") => `/console/forms/${form.id}/submissions${id && `/${id}`}`;
const value = (id: string, part?: string) => [id, ...(part ? [part] : [])].join(".");

describe("the table of submissions", () => {
  test("the names of the API's filters are none of the page's", async () => {
    const form = await makeForm(app, team, fields);
    for (const path of [pathOf(form), pathOf(form, "export")])
      expect((await browser.get(`${path}?format=csv&createdAfter=infinity`)).status).toBe(200);
  });

  test("shows values as text, newest first, and finds them by its filters", async () => {
    const form = await makeForm(app, team, fields);
    expect(textOf(await browser.get(pathOf(form)))).toContain("There is no submission yet.");
    await submit(form, { name: "<script>alert(1)</script>" });
    await submit(form, { name: "Second", topics: ["a", "b"], home: { city: "Bern" } });
    const page = await browser.get(pathOf(form));
    expect(page.html).not.toContain("<script>alert");
    expect(textOf(page)).toMatch(/Second .*a, b.*<script>alert\(1\)<\/script>/);
    const today = new Date().toISOString().slice(0, 10);
    const count = async (query: string) => {
      const { status, html } = await browser.get(`${pathOf(form)}?${query}`);
      return status === 200 ? html.split('scope="row"').length - 1 : status;
    };
    expect(await count("state=accepted&after=&before=&agentId=&respondentId=")).toBe(2);
    expect(await count("state=waiting")).toBe(0);
    expect(await count(`after=${today}`)).toBe(2);
    expect(await count(`before=${today}`)).toBe(0);
    expect(await count("after=0001-01-01&before=9999-12-31&timeZone=Pacific/Kiritimati")).toBe(2);
    expect(await count("before=9999-12-31&timeZone=Etc/GMT%2B12")).toBe(2);
    expect(await count(`agentId=${team.id}`)).toBe(0);
    expect(await count("page=2")).toBe(0);
    for (const wrong of ["state=x", "after=2026-02-30", "agentId=x", "page=0"])
      expect(await count(wrong)).toBe(400);
  });

  test("finds answers by what people read of them, by each filter, and the export follows", async () => {
    const form = await makeForm(app, team, [
      { id: "name", type: "text", label: "Name" },
      {
        id: "size",
        type: "select",
        label: "T-shirt",
        options: [
          { value: "m", label: "Medium" },
          { value: "l", label: "Large" },
        ],
      },
      { id: "tags", type: "multi_select", label: "Tags", options: ["x", "y"] },
      { id: "vegan", type: "boolean", label: "Vegan" },
      { id: "age", type: "integer", label: "Age" },
      { id: "day", type: "date", label: "Day" },
    ]);
    await submit(form, { name: "Ada", size: "m", tags: ["x"], vegan: true, age: 36, day: "2026-05-01" });
    await submit(form, {
      name: "Charles",
      size: "l",
      tags: ["x", "y"],
      vegan: false,
      age: 79,
      day: "2026-06-01",
    });
    const names = async (query: string) => {
      const { html } = await browser.get(`${pathOf(form)}?${query}`);
      return ["Ada", "Charles"].filter((name) => html.includes(`<bdi>${name}</bdi>`)).join();
    };
    for (const [query, found] of [
      ["q=ada", "Ada"],
      ["q=large", "Charles"],
      ["q=nothing+such", ""],
      ["value.size=m", "Ada"],
      ["value.tags=x", "Ada,Charles"],
      ["value.tags=y&q=char", "Charles"],
      ["value.vegan=false", "Charles"],
      ["value.age.from=40", "Charles"],
      ["value.age.from=30&value.age.to=40", "Ada"],
      ["value.day.to=2026-05-31", "Ada"],
      ["value.size=unknown&value.age.from=x", "Ada,Charles"],
    ] as const)
      expect([query, await names(query)]).toEqual([query, found]);
    const file = await browser.get(`${pathOf(form)}/export?format=csv&value.size=m`);
    expect([file.html.includes("Ada"), file.html.includes("Charles")]).toEqual([true, false]);
  });

  test("the answers have a bar for each choice, which leads to the submissions with it", async () => {
    const form = await makeForm(app, team, [
      { id: "size", type: "select", label: "T-shirt", options: [{ value: "m", label: "Medium" }, "l"] },
      { id: "stars", type: "rating", label: "Stars" },
      { id: "age", type: "integer", label: "Age" },
      { id: "note", type: "textarea", label: "Note" },
    ]);
    const path = `/console/forms/${form.id}/answers`;
    expect(textOf(await viewer.get(path))).toContain("No one has answered yet.");
    await submit(form, { size: "m", stars: 4, age: 20, note: "<b>first</b>" });
    await submit(form, { size: "m", stars: 5, age: 40, note: "second" });
    await submit(form, { size: "l", age: 30 });
    const page = await viewer.get(path);
    expect(textOf(page)).toMatch(/T-shirt Medium 2 \(67%\) l 1 \(33%\) All 3 answered/);
    expect(textOf(page)).toMatch(/Age Least 20 Median 30 Greatest 40 All 3 answered/);
    expect(textOf(page)).toMatch(/Note second <b>first<\/b> 2 answered, 1 did not/);
    const hrefs = [...page.html.matchAll(/href="([^"]*submissions\?[^"]*)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    const found = async (name: string) =>
      (await viewer.get(hrefs.find((href) => href.includes(name)) ?? "")).html.split('scope="row"').length -
      1;
    expect([await found("value.size=m"), await found("value.stars.from=4")]).toEqual([2, 1]);
  });

  test("the answers say how many places of an option with a limit are taken, rejected submissions included", async () => {
    const options = [{ value: "mon", label: "Monday", limit: 10 }, { value: "tue", limit: 0 }, "wed"];
    const form = await makeForm(app, team, [{ id: "day", type: "select", label: "Day", options }]);
    for (const day of ["mon", "mon", "wed", "mon"]) await submit(form, { day });
    const { sql } = app.database;
    await sql`
      update formd.submissions set review_decision = 'rejected'
      where id = (select min(id::text)::uuid from formd.submissions where form_id = ${form.id})`;
    expect(textOf(await viewer.get(`/console/forms/${form.id}/answers`))).toContain(
      "Day Monday 2 (67%) 3 of 10 places taken tue 0 (0%) 0 of 0 places taken wed 1 (33%) All 3 answered",
    );
  });

  test("is exported with its filters, to those with a session", async () => {
    const form = await makeForm(app, team, fields);
    await submit(form, { name: "Ada" });
    const csv = await viewer.get(`${pathOf(form)}/export?format=csv`);
    expect(csv.headers.get("content-disposition")).toContain("attachment");
    expect(csv.html).toContain("Ada");
    expect((await viewer.get(`${pathOf(form)}/export?format=jsonl&state=waiting`)).html).toBe("");
    expect((await new Browser(app).get(`${pathOf(form)}/export?format=csv`)).status).toBe(401);
  });
});

describe("one submission", () => {
  test("is edited by the form's own controls; values keep their types, and only what differs is an edit", async () => {
    const form = await makeForm(app, team, fields);
    const id = await submit(form, {
      name: "Ada",
      count: 1,
      topics: ["a"],
      csrf: "c",
      home: { city: "Bern" },
      yes: true,
    });
    const page = await browser.get(`${pathOf(form, id)}/edit`);
    const updatedAt = /name="formd.updatedAt" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const entered = {
      "formd.updatedAt": updatedAt,
      [value("name")]: "Ada",
      [value("count")]: "12",
      [value("topics")]: ["a", "b"],
      "%63srf": "c",
      [value("home", "city")]: "Genf",
      [value("yes")]: "false",
    };
    expectRedirect(await browser.post(`${pathOf(form, id)}/edit`, entered), pathOf(form, id));
    const { data } = await read(form, id);
    expect(data).toEqual({
      name: "Ada",
      count: 12,
      topics: ["a", "b"],
      csrf: "c",
      home: { city: "Genf" },
      yes: false,
    });
    const detail = textOf(await browser.get(pathOf(form, id)));
    // Headed by the first text, its history in the words of the questions, its state one pill.
    expect(detail).toMatch(/Back to the submissions Ada Accepted Name .*Count: 1 → 12/);
    expect(detail).not.toContain("Name: Ada");

    const stale = await browser.post(`${pathOf(form, id)}/edit`, { ...entered, [value("name")]: "Mine" });
    expect([stale.status, stale.html.includes('value="Mine"'), textOf(stale).includes("Genf")]).toEqual([
      409,
      true,
      true,
    ]);
  });

  test("of hidden fields is edited as well, apart from the others; each keeps its type where the text is one", async () => {
    const form = await makeForm(app, team, [
      { id: "name", type: "text", label: "Name" },
      { id: "source", type: "hidden", label: "Source", validation: { maxLength: 10 } },
      ...["count", "vip", "lines", "small", "crlf", "cr"].map((id) => ({ id, type: "hidden", label: id })),
      { id: "given", type: "hidden", label: "Given", prefill: true },
    ]);
    const unexact = { small: 1e-7, crlf: "a\r\nb", cr: "a\rb" };
    const data = { name: "Ada", source: "mail", count: 7, vip: true, lines: "a\nb", given: "g", ...unexact };
    const id = await submit(form, data);
    const open = async () => {
      const { html } = await browser.get(`${pathOf(form, id)}/edit`);
      return { html, updatedAt: /name="formd.updatedAt" value="([^"]+)"/.exec(html)?.[1] ?? "" };
    };
    const save = async (values: object) =>
      await browser.post(`${pathOf(form, id)}/edit`, {
        "formd.updatedAt": (await open()).updatedAt,
        name: "Ada",
        ...values,
      });
    const { html } = await open();
    expect(html).toMatch(/<legend>Hidden questions<\/legend>.*name="source"/s);
    expect(html.match(/name="given"/g)).toHaveLength(1);
    expect(html).toMatch(/<textarea[^>]*name="cr"/);
    const sent = { small: "1e-7", crlf: "a\r\nb", cr: "a\r\nb" };
    const as = { source: "mail", count: "7", vip: "true", lines: "a\r\nb", given: "g", ...sent };
    for (const [entered, stored] of [
      [as, data],
      [{}, data],
      [
        { ...as, name: "Bo" },
        { ...data, name: "Bo" },
      ],
      [
        { ...as, count: "8", vip: "false", given: "" },
        { name: "Ada", source: "mail", count: 8, vip: false, lines: "a\nb", ...unexact },
      ],
      [
        { count: "many", vip: "", source: "web", small: "2", crlf: "a\r\nc", cr: "ab" },
        { name: "Ada", source: "web", count: "many", lines: "a\nb", small: 2, crlf: "a\nc", cr: "ab" },
      ],
    ] as const) {
      expectRedirect(await save(entered), pathOf(form, id));
      expect((await read(form, id)).data).toEqual(stored);
    }
    const wrong = await save({ source: "more than ten" });
    expect([wrong.status, wrong.html.match(/aria-invalid="true"/g)?.length]).toEqual([422, 1]);
  });

  test("keeps what was not changed, where a control cannot send the value exactly as it is stored", async () => {
    const form = await makeForm(app, team, [
      { id: "name", type: "text", label: "Name" },
      { id: "tiny", type: "number", label: "Tiny" },
      { id: "line", type: "text", label: "Line" },
      { id: "lines", type: "textarea", label: "Lines" },
      { id: "agreed", type: "consent", label: "Agreed" },
      { id: "topics", type: "multi_select", label: "Topics", options: ["a", "b"], allowOther: true },
      { id: "at", type: "datetime", label: "At" },
      { id: "exact", type: "datetime", label: "Exact" },
    ]);
    const data = {
      name: "Ada",
      tiny: 1e-7,
      line: "a\r\nb",
      lines: "\ra\r\nb",
      agreed: false,
      topics: ["y", "b", "z", "a"],
      at: "2026-11-20T09:00:00.000Z",
      exact: "2026-11-20T09:00:00.123456Z",
    };
    const id = await submit(form, data);
    const { html } = await browser.get(`${pathOf(form, id)}/edit`);
    expect(html).toMatch(/value="2026-11-20T09:00".*value="2026-11-20T09:00:00.123456Z"/s);
    // As a browser sends the controls of this page.
    const sent = {
      name: "Bo",
      tiny: "1e-7",
      line: "ab",
      lines: "\r\na\r\nb",
      topics: ["a", "b"],
      "topics.other": "y",
      "at.local": "2026-11-20T09:00",
      "at.zone": "Z",
      exact: data.exact,
    };
    const save = async (values: object) => {
      const { updatedAt } = await read(form, id);
      const edited = await browser.post(`${pathOf(form, id)}/edit`, {
        "formd.updatedAt": updatedAt,
        ...sent,
        ...values,
      });
      expectRedirect(edited, pathOf(form, id));
      return (await read(form, id)).data;
    };
    expect(await save({})).toEqual({ ...data, name: "Bo" });
    expect(await save({ lines: "ab", agreed: "true" })).toEqual({
      ...data,
      name: "Bo",
      lines: "ab",
      agreed: true,
    });
  });

  test("a wrong value is named beside its field, and nothing is saved", async () => {
    const form = await makeForm(app, team, fields);
    const id = await submit(form, { name: "Ada" });
    const page = await browser.get(`${pathOf(form, id)}/edit`);
    const updatedAt = /name="formd.updatedAt" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const wrong = { "formd.updatedAt": updatedAt, [value("name")]: "", [value("count")]: "many" };
    const reply = await browser.post(`${pathOf(form, id)}/edit`, wrong);
    expect(reply.status).toBe(422);
    expect(reply.html.match(/aria-invalid="true"/g)).toHaveLength(2);
    expect((await read(form, id)).data).toEqual({ name: "Ada" });
  });

  test("of a signed request has the facts of its signature, which another has not", async () => {
    const form = await makeForm(app, team, fields);
    const { key } = await makeSigningAgent(app, team, form);
    const sent = await askSigned(app, "/papi/v1/submitter/form/submissions", {
      key,
      form,
      body: { data: { name: "Ada" } },
    });
    const page = textOf(await browser.get(pathOf(form, sent.body.data.id)));
    expect(page).toMatch(new RegExp(`Signed by the key\\s+${key.id} .*Signature-Input .*keyid="${key.id}"`));
    const unsigned = await submit(form, { name: "Ada" });
    expect(textOf(await browser.get(pathOf(form, unsigned)))).not.toContain("Signature-Input");
  });

  test("is deleted, and then is no page", async () => {
    const form = await makeForm(app, team, fields);
    const id = await submit(form, { name: "Ada" });
    expectRedirect(await browser.post(`${pathOf(form, id)}/delete`, {}), pathOf(form));
    expect((await browser.get(pathOf(form, id))).status).toBe(404);
  });

  test("a viewer reads it, and can neither edit nor delete it", async () => {
    const form = await makeForm(app, team, fields);
    const id = await submit(form, { name: "Ada" });
    const { status, html } = await viewer.get(pathOf(form, id));
    expect([status, /method="post"/.test(html)]).toEqual([200, false]);
    const { updatedAt } = await read(form, id);
    const edit = { "formd.updatedAt": updatedAt, [value("name")]: "Eve" };
    expect((await viewer.post(`${pathOf(form, id)}/edit`, edit)).status).toBe(403);
    expect((await viewer.post(`${pathOf(form, id)}/delete`, {})).status).toBe(403);
  });
});

describe("review", () => {
  test("the queue is decided one by one, and what was rejected can be reopened", async () => {
    const form = await makeForm(app, team, fields, { settings: { review: { required: true } } });
    const path = `/console/forms/${form.id}/review`;
    expect(textOf(await browser.get(path))).toContain("Nothing waits for a review.");
    const names = ["first", "second", "third"];
    const ids: string[] = [];
    for (const name of names) ids.push(await submit(form, { name }));
    const [first = "", second = ""] = ids;
    expect(textOf(await browser.get("/console"))).toContain("3");
    const page = await browser.get(`${path}?page=2`);
    expect(textOf(page)).toMatch(/3 waiting.*Page 2 of 3.*second/);
    const updatedAt = /name="updatedAt" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    const decide = (id: string, fields: Record<string, string>) =>
      browser.post(`${pathOf(form, id)}/review`, { reason: "", ...fields });
    expectRedirect(await decide(second, { decision: "approve", updatedAt, next: "2" }), `${path}?page=2`);
    expect((await read(form, second)).status).toBe("completed");
    const stale = await decide(second, { decision: "reject", updatedAt });
    expect([stale.status, stale.html.includes('role="alert"')]).toEqual([409, true]);
    expect(textOf(await browser.get(`${path}?page=2`))).toContain("first");

    const rejected = { decision: "reject", updatedAt: (await read(form, first)).updatedAt, reason: "<no>" };
    expectRedirect(await decide(first, rejected), pathOf(form, first));
    const shown = await browser.get(pathOf(form, first));
    expect([textOf(shown).includes("<no>"), textOf(shown).includes("Rejected")]).toEqual([true, true]);
    const rows = async (state: string) =>
      (await browser.get(`${pathOf(form)}?state=${state}`)).html.split('scope="row"').length - 1;
    expect([await rows("waiting"), await rows("rejected")]).toEqual([1, 1]);
    await decide(first, { decision: "reopen", updatedAt: (await read(form, first)).updatedAt });
    expect([await rows("waiting"), await rows("rejected")]).toEqual([2, 0]);

    expect((await viewer.get(path)).html).not.toContain('method="post"');
    const { updatedAt: now } = await read(form, first);
    const refused = await viewer.post(`${pathOf(form, first)}/review`, {
      decision: "approve",
      updatedAt: now,
      reason: "",
    });
    expect(refused.status).toBe(403);
    expect((await decide(first, { decision: "destroy", updatedAt: now })).status).toBe(400);
  });
});
