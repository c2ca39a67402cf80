// stacks: one
/** The page of a form that requires a CAPTCHA, for each provider. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Challenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import {
  makeForm,
  type PublishedForm,
  permissive,
  type Server,
  type Service,
  server,
  type Team,
} from "../../setup.ts";
import { getPage, pageFixture, postForm } from "./fixture.ts";

/** The name of the token, and the only site in the policy. */
const providers = [
  ["turnstile", "formd.captcha", /https:\/\/challenges\.cloudflare\.com/],
  ["hcaptcha", "h-captcha-response", /https:\/\/(?:\*\.)?hcaptcha\.com/],
  [
    "recaptcha",
    "g-recaptcha-response",
    /https:\/\/(?:www\.google|recaptcha\.google|www\.gstatic)\.com\/recaptcha\//,
  ],
] as const;

let asked: string[] = [];
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const token = new URLSearchParams(await request.text()).get("response") ?? "";
    asked.push(token);
    if (token === "down") return new Response("", { status: 500 });
    return Response.json(token === "good" ? { success: true } : { success: false, "error-codes": [] });
  },
});
afterAll(() => provider.stop(true));

let app: Service;
const by: Record<string, Server> = {};
let team: Team;
let form: PublishedForm;
let path: string;
beforeAll(async () => {
  ({ app, team } = await pageFixture({ ...permissive, CAPTCHA_PROVIDER: "altcha" }));
  for (const [name] of providers)
    by[name] = await server({
      ...permissive,
      DATABASE_URL: app.database.url,
      CAPTCHA_PROVIDER: name,
      CAPTCHA_SECRET: "secret-of-ours",
      CAPTCHA_SITE_KEY: "site-key",
      CAPTCHA_VERIFY_URL: `${provider.url}verify`,
    });
  form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name", required: true }], {
    settings: { page: { enabled: true, language: "de" }, captcha: { enabled: true } },
  });
  path = pagePathOf({ team: team.id, form: form.id });
});

const at = (name: string) => by[name] as Server;
const get = (of: Pick<Service, "url">, headers?: Record<string, string>) => getPage(of, path, headers);
const stored = async () =>
  (await app.database.sql`select data from formd.submissions where form_id = ${form.id}`).length;
const solved = async () => {
  const challenge = (await (await fetch(`${app.url}/papi/v1/auth/altcha`)).json()) as Challenge;
  return btoa(JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }));
};

describe.each(providers)("%s", (name, field, site) => {
  test("its widget is on the page, and the policy names no other site", async () => {
    const { status, policy, text } = await get(at(name));
    expect(status).toBe(200);
    expect(text).toContain('data-sitekey="site-key"');
    expect(text).toMatch(/<script src="https:\/\/[^"]*"/);
    expect(text).not.toContain("secret-of-ours");
    expect(policy.match(/https:\S+/g)?.filter((source) => !site.test(source))).toEqual([]);
    expect(policy).toMatch(new RegExp(`script-src 'self' ${site.source}`));
  });

  test("a good token stores the submission, and is verified once", async () => {
    const before = await stored();
    asked = [];
    const sent = await postForm(at(name), path, { name: "Ada", [field]: "good" });
    expect([sent.status, asked, await stored()]).toEqual([303, ["good"], before + 1]);
  });

  test("without a token or with a bad one the form is shown again, with what was entered", async () => {
    const before = await stored();
    for (const token of ["", "bad"]) {
      const { status, text } = await postForm(at(name), path, { name: "Grace", [field]: token });
      expect(status).toBe(403);
      expect(text).toContain("Das Formular wurde nicht gesendet");
      expect(text).toContain('value="Grace"');
      expect(text).toContain('data-sitekey="site-key"');
    }
    const down = await postForm(at(name), path, { name: "Grace", [field]: "down" });
    expect([down.status, down.text]).toEqual([503, expect.stringContaining('value="Grace"')]);
    expect(await stored()).toBe(before);
  });
});

describe("altcha", () => {
  test("everything is from our own site, under the usual policy", async () => {
    const { policy, text } = await get(app);
    expect(policy).not.toContain("https:");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(text).toContain('data-altcha="/papi/v1/auth/altcha"');
    expect(text).toMatch(/<noscript>.*nur mit JavaScript/);
    const [, script = ""] = /src="(\/assets\/altcha-[^"]*)"/.exec(text) ?? [];
    expect((await fetch(app.url + script)).headers.get("content-type")).toBe(
      "text/javascript; charset=utf-8",
    );
  });

  test("a solution stores one submission; the same page sent again finds it, another page is refused", async () => {
    const before = await stored();
    const values = {
      name: "Ada",
      "formd.version": "1",
      "formd.key": "once",
      "formd.captcha": await solved(),
    };
    const first = await postForm(app, path, values);
    const again = await postForm(app, path, values);
    expect([first.status, again.headers.get("location")]).toEqual([303, first.headers.get("location")]);
    expect((await postForm(app, path, { ...values, "formd.key": "other" })).status).toBe(403);
    expect(await stored()).toBe(before + 1);
  });

  test("of a form that is not valid the solution is spent as well, and the page has the errors", async () => {
    const values = { name: "", "formd.captcha": await solved() };
    expect((await postForm(app, path, values)).text).toContain('href="#name"');
    expect((await postForm(app, path, { ...values, name: "Ada" })).status).toBe(403);
  });

  test("a page for programs says which CAPTCHA is required, and by which name it is sent", async () => {
    const { text } = await get(app, { accept: "application/json" });
    expect(JSON.parse(text).data.submit.captcha).toEqual({ provider: "altcha", name: "formd.captcha" });
  });
});

test("a server that has no provider, or no site key, has no page for the form: 503", async () => {
  const bare = await server({ DATABASE_URL: app.database.url });
  const keyless = await server({
    DATABASE_URL: app.database.url,
    CAPTCHA_PROVIDER: "turnstile",
    CAPTCHA_SECRET: "secret-of-ours",
  });
  for (const each of [bare, keyless])
    expect(await get(each)).toMatchObject({
      status: 503,
      text: expect.stringContaining("gerade nicht gesendet"),
    });
});
