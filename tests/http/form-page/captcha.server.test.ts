// stacks: one
/** The page of a form that requires a CAPTCHA, for each provider. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { type Challenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { submissionCount } from "../../expect.ts";
import { invite } from "../../invite.ts";
import { permissive, type Server, server } from "../../setup.ts";
import { getPage, pageFixture, postForm } from "./fixture.ts";
import { controlsIn, langOf, switchTo } from "./languages.ts";

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

const { app, team, published, pathOf, get, post, send } = await pageFixture({
  ...permissive,
  CAPTCHA_PROVIDER: "altcha",
});
const form = await published(
  [{ id: "name", type: "text", label: "Name", required: true }],
  { language: "de" },
  { captcha: { enabled: true } },
);
const path = pathOf(form);
const beside = (settings: Record<string, string>) => server({ DATABASE_URL: app.database.url, ...settings });
const withSecret = (name: string) => ({ CAPTCHA_PROVIDER: name, CAPTCHA_SECRET: "secret-of-ours" });
const verified = { CAPTCHA_SITE_KEY: "site-key", CAPTCHA_VERIFY_URL: `${provider.url}verify` };
const servers = await Promise.all(
  providers.map(([name]) => beside({ ...permissive, ...withSecret(name), ...verified })),
);

let before = 0;
/** Number of submissions that a test has stored. */
const stored = async () => (await submissionCount(app, form)) - before;
beforeEach(async () => {
  before = await submissionCount(app, form);
  asked = [];
});

describe.each(providers.map((each, index) => [...each, servers[index] as Server] as const))(
  "%s",
  (_, field, site, at) => {
    test("its widget is on the page, and the policy names no other site", async () => {
      const { status, policy, text } = await getPage(at, path);
      expect(status).toBe(200);
      expect(text).toContain('data-sitekey="site-key"');
      expect(text).toMatch(/<script src="https:\/\/[^"]*"/);
      expect(text).not.toContain("secret-of-ours");
      expect(policy.match(/https:\S+/g)?.filter((source) => !site.test(source))).toEqual([]);
      expect(policy).toMatch(new RegExp(`script-src 'self' ${site.source}`));
    });

    test("a good token stores the submission, and is verified once", async () => {
      const sent = await postForm(at, path, { name: "Ada", [field]: "good" });
      expect([sent.status, asked, await stored()]).toEqual([303, ["good"], 1]);
    });

    test("without a token or with a bad one the form is shown again, with what was entered", async () => {
      for (const token of ["", "bad"]) {
        const { status, text } = await postForm(at, path, { name: "Grace", [field]: token });
        expect(status).toBe(403);
        for (const shown of ["Das Formular wurde nicht gesendet", 'value="Grace"', 'data-sitekey="site-key"'])
          expect(text).toContain(shown);
      }
      const down = await postForm(at, path, { name: "Grace", [field]: "down" });
      expect([down.status, down.text]).toEqual([503, expect.stringContaining('value="Grace"')]);
      expect(await stored()).toBe(0);
    });
  },
);

describe("altcha", () => {
  const solved = async () => {
    const challenge = (await (await fetch(`${app.url}/papi/v1/auth/altcha`)).json()) as Challenge;
    return btoa(JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }));
  };

  test("everything is from our own site, under the usual policy", async () => {
    const { policy, text } = await get(form);
    expect(policy).not.toContain("https:");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(text).toContain('data-altcha="/papi/v1/auth/altcha"');
    expect(text).toMatch(/<noscript>.*braucht JavaScript/);
    const [, script = ""] = /src="(\/assets\/altcha-[^"]*)"/.exec(text) ?? [];
    expect((await get(script)).headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  });

  test("a solution stores one submission; the same page sent again finds it, another page is refused", async () => {
    const own = { "formd.version": "1", "formd.key": "once", "formd.captcha": await solved() };
    const values = { name: "Ada", ...own };
    const [first, again] = [await post(form, values), await post(form, values)];
    expect([first.status, again.headers.get("location")]).toEqual([303, first.headers.get("location")]);
    const other = await post(form, { ...values, "formd.key": "other" });
    expect([other.status, other.text]).toEqual([403, expect.stringContaining('value="Ada"')]);
    expect(await stored()).toBe(1);
  });

  test("of a form that is not valid the solution is spent as well, and the page has the errors", async () => {
    const values = { name: "", "formd.captcha": await solved() };
    expect((await post(form, values)).text).toContain('href="#name"');
    expect((await post(form, { ...values, name: "Ada" })).status).toBe(403);
  });

  test("the button of another language needs no solution, shows the control anew, and spends none", async () => {
    const several = await published(
      [{ id: "name", type: "text", label: "Name" }],
      {},
      { captcha: { enabled: true }, languages: ["en", "de"] },
    );
    const solution = await solved();
    const page = await switchTo(app, await get(several), "de", [
      ["name", "Ada"],
      ["formd.captcha", solution],
    ]);
    expect([page.status, langOf(page), page.hidden]).toEqual([
      200,
      "de",
      expect.arrayContaining([["formd.language", "de"]]),
    ]);
    expect(page.text).toContain('data-altcha="/papi/v1/auth/altcha"');
    expect(page.text).not.toContain(solution);
    expect(new Map(controlsIn(page.text)).get("name")).toBe("Ada");
    const own = [...page.hidden.filter(([name]) => name !== "formd.captcha"), ["name", "Ada"]];
    const refused = await postForm(app, page.action, new URLSearchParams(own as [string, string][]));
    expect([refused.status, langOf(refused)]).toEqual([403, "de"]);
    const sent = new URLSearchParams([...own, ["formd.captcha", solution]] as [string, string][]);
    expect((await postForm(app, page.action, sent)).status).toBe(303);
  });

  test("a page is saved without a solution, which the draft does not keep; its link's page needs one", async () => {
    const fields = [{ id: "name", type: "text", label: "Name", required: true }];
    const settings = { captcha: { enabled: true }, invitations: { anonymous: true } };
    const savable = await published(fields, { access: "invited", resume: { enabled: true } }, settings);
    const link = `${pathOf(savable)}/i/${await invite(app.database.sql, team, savable)}`;
    const solution = await solved();
    const { hidden } = await get(link);
    const entered = [...hidden, ["name", "Ada"], ["formd.captcha", solution], ["formd.save", "1"]];
    const saved = await post(`${link}/steps`, new URLSearchParams(entered as [string, string][]));
    const page = await get((saved.headers.get("location") ?? "").replace(/\/saved$/, ""));
    expect([saved.status, page.status, page.text.includes("data-altcha=")]).toEqual([303, 200, true]);
    expect([page.text.includes('value="Ada"'), page.text.includes(solution)]).toEqual([true, false]);
    expect((await send(page, { name: "Ada" })).status).toBe(403);
    const sent = await send(page, { name: "Ada", "formd.captcha": solution });
    expect([sent.status, await submissionCount(app, savable)]).toEqual([303, 1]);
  });

  test("a page for programs says which CAPTCHA is required, and by which name it is sent", async () => {
    const { text } = await get(form, { accept: "application/json" });
    expect(JSON.parse(text).data.submit.captcha).toEqual({ provider: "altcha", name: "formd.captcha" });
  });
});

test.each([{}, withSecret("turnstile")])(
  "a server that has no provider, or no site key, has no page for the form: 503, %j",
  async (settings) => {
    const { status, text } = await getPage(await beside(settings), path);
    expect([status, text]).toEqual([503, expect.stringContaining("gerade nicht gesendet")]);
  },
);
