// stacks: one
/** Sharing a form: its page online, the address, the code, links; what the pill at its title says. */
import { beforeAll, describe, expect, test } from "bun:test";
import { ask, makeForm, makeOperator, type Service, type Team } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let admin: Browser;
let viewer: Browser;
beforeAll(async () => {
  ({ app, team, admin, viewer } = await consoleFixture());
});

type Form = Awaited<ReturnType<typeof makeForm>>;
const question = { id: "a", type: "text", label: "A" };
const pathOf = ({ id }: Pick<Form, "id">) => `/console/forms/${id}`;
const seen = async ({ id }: Pick<Form, "id">) => {
  const { body } = await ask(app, "GET", `/papi/v1/management/forms/${id}`, {
    headers: { "x-api-key": team.key },
  });
  return { updatedAt: body.data.form.updatedAt as string };
};
const pillOf = (html: string) =>
  /<h1[^>]*>[^<]*<\/h1><span class="badge [a-z]+">([^<]*)<\/span>/.exec(html)?.[1];
const online = { page: { enabled: true } };
const addressIn = (html: string) => /<code>(http[^<]*\/f\/[^<]*)<\/code>/.exec(html)?.[1] ?? "";

describe("Share", () => {
  test("puts the page online with one button, which anyone can open then, and takes it offline", async () => {
    const form = await makeForm(app, team, [question]);
    const before = await admin.get(`${pathOf(form)}/share`);
    expect([pillOf(before.html), textOf(before).includes("Put the page online")]).toEqual(["Offline", true]);
    expect(addressIn(before.html)).toBe("");
    expectRedirect(
      await admin.post(`${pathOf(form)}/share/online`, await seen(form)),
      `${pathOf(form)}/share`,
    );
    const { html } = await admin.get(`${pathOf(form)}/share`);
    expect(pillOf(html)).toBe("Online");
    const address = addressIn(html);
    expect((await fetch(address, { headers: { accept: "text/html" } })).status).toBe(200);
    expect(html).toContain(`data-copy="${address}"`);
    await admin.post(`${pathOf(form)}/share/offline`, {});
    expect(pillOf((await admin.get(`${pathOf(form)}/share`)).html)).toBe("Offline");
    expect((await fetch(address, { headers: { accept: "text/html" } })).status).toBe(404);
  });

  test("is where publishing ends, and says that a draft is to be published first", async () => {
    const { body } = await ask(app, "POST", "/papi/v1/management/forms", {
      headers: { "x-api-key": team.key },
      body: { name: "New", schema: { fields: [question] } },
    });
    const form: Pick<Form, "id"> = body.data.form;
    const draft = await admin.get(`${pathOf(form)}/share`);
    expect([pillOf(draft.html), textOf(draft).includes("Publish it first")]).toEqual(["Draft", true]);
    expect((await admin.post(`${pathOf(form)}/share/online`, await seen(form))).status).toBe(409);
    expectRedirect(await admin.post(`${pathOf(form)}/publish`, await seen(form)), `${pathOf(form)}/share`);
    const published = await admin.get(`${pathOf(form)}/publish`);
    expect(textOf(published)).toContain("Nothing to publish.");
    expect(published.html).not.toContain("Publish version");
  });

  test("does not put online what was changed since the page was opened", async () => {
    const form = await makeForm(app, team, [question]);
    const stale = await seen(form);
    await admin.post(`${pathOf(form)}/field/new`, { type: "text", label: "B" });
    const refused = await admin.post(`${pathOf(form)}/share/online`, stale);
    expect([refused.status, pillOf(refused.html)]).toEqual([409, "Offline"]);
  });

  test("shows a viewer the address without a button, and refuses the act", async () => {
    const form = await makeForm(app, team, [question], { settings: online });
    const { html } = await viewer.get(`${pathOf(form)}/share`);
    expect([addressIn(html) !== "", html.includes('method="post"')]).toEqual([true, false]);
    for (const act of ["online", "offline"])
      expect((await viewer.post(`${pathOf(form)}/share/${act}`, {})).status).toBe(403);
    const stranger = new Browser(
      app,
      await makeOperator(app, await consoleFixture().then((it) => it.team), "admin"),
    );
    expect((await stranger.get(`${pathOf(form)}/share`)).status).toBe(404);
  });

  test("makes a link that fills in the questions that allow it, and no sensitive one", async () => {
    const fields = [
      { ...question, id: "city", label: "City", prefill: true },
      { ...question, id: "iban", label: "IBAN", prefill: true, sensitive: true },
      question,
    ];
    const form = await makeForm(app, team, fields, { settings: online });
    const query = new URLSearchParams({ "fill.city": 'Köln & "Bonn"', "fill.iban": "DE1", "fill.a": "x" });
    const { html } = await admin.get(`${pathOf(form)}/share?${query}`);
    const link = [...html.matchAll(/<code>([^<]*\?city=[^<]*)<\/code>/g)].map(([, found = ""]) => found);
    expect(link).toHaveLength(1);
    expect(link[0]).toEndWith("?city=K%C3%B6ln+%26+%22Bonn%22");
    const page = await fetch(link[0] ?? "", { headers: { accept: "text/html" } });
    expect(await page.text()).toContain('value="Köln &amp; &quot;Bonn&quot;"');
    const long = await admin.get(`${pathOf(form)}/share?fill.city=${"x".repeat(4000)}`);
    expect([long.status, textOf(long).includes("The address is longer than")]).toEqual([200, true]);
  });

  test("gives code for a site once sites are named, with the form's name as text", async () => {
    const form = await makeForm(app, team, [question], { settings: online });
    expect(textOf(await admin.get(`${pathOf(form)}/share`))).toContain("First name the sites");
    const page = { enabled: true, embedOrigins: ["https://a.example"] };
    const embedded = await makeForm(app, team, [question], { settings: { page } });
    await ask(app, "PATCH", `/papi/v1/management/forms/${embedded.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", name: 'The "big" day' }] },
    });
    const shown = await admin.get(`${pathOf(embedded)}/share`);
    expect(textOf(shown)).toContain(
      `<iframe src="${addressIn(shown.html)}?embed" title="The &quot;big&quot; day"`,
    );
    expect(textOf(shown)).toContain(`src="${new URL(addressIn(shown.html)).origin}/f/embed.js"`);
  });
});

test("the pill says whether people can fill in the form, and why not", async () => {
  const year = new Date().getUTCFullYear() + 1;
  const states: [object, string][] = [
    [{ availability: { opensAt: `${year}-06-01T09:00:00Z` } }, `Opens 1 Jun ${year}`],
    [
      { availability: { opensAt: `${year}-05-31T22:00:00Z`, timeZone: "Europe/Berlin" } },
      `Opens 1 Jun ${year}`,
    ],
    [{ availability: { closesAt: "2020-01-01T00:00:00Z" } }, "Closed"],
    [{ anonymous: { enabled: false } }, "Offline"],
    [{ availability: { maxSubmissions: 1 } }, "Online"],
  ];
  for (const [settings, pill] of states) {
    const form = await makeForm(app, team, [question], { settings: { ...online, ...settings } });
    expect(pillOf((await admin.get(pathOf(form))).html)).toBe(pill);
    if (pill !== "Online") continue;
    await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
      body: { data: { a: "One" } },
    });
    expect(pillOf((await admin.get(pathOf(form))).html)).toBe("Full");
    await admin.post(`${pathOf(form)}/archive`, {});
    expect(pillOf((await admin.get(pathOf(form))).html)).toBe("Archived");
  }
});
