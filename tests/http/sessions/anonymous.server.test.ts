// stacks: one deno
import { afterAll, describe, expect, test } from "bun:test";
import { outcome, until } from "../../expect.ts";
import { asAgent, ask, formd, makeForm, makeTeam, type PublishedForm, server, service } from "../../setup.ts";

const path = "/papi/v1/auth/anonymous";
const secret = "captcha-secret-of-ours";
const providers = ["turnstile", "hcaptcha", "recaptcha"] as const;

/** Requests that the provider received, and its responses by token. */
let asked: { method: string; type: string | null; fields: Record<string, string> }[] = [];
const answers: Record<string, () => Response | Promise<Response>> = {
  good: () => Response.json({ success: true, hostname: "forms.example" }),
  "500": () => new Response("down", { status: 500 }),
  "429": () => new Response("slow down", { status: 429 }),
  "400": () => Response.json({ success: false }, { status: 400 }),
  "500 with success": () => Response.json({ success: true }, { status: 503 }),
  redirect: () => Response.redirect(`${provider.url}elsewhere`),
  html: () => new Response("<p>success</p>"),
  empty: () => new Response(""),
  null: () => Response.json(null),
  list: () => Response.json([true]),
  text: () => Response.json("true"),
  truthy: () => Response.json({ success: "true" }),
  one: () => Response.json({ success: 1 }),
  nothing: () => Response.json({}),
  slow: () => new Promise((resolve) => setTimeout(() => resolve(Response.json({ success: true })), 15_000)),
};
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const fields = Object.fromEntries(new URLSearchParams(await request.text()));
    asked.push({ method: request.method, type: request.headers.get("content-type"), fields });
    const token = fields.response ?? "";
    if (token.startsWith("codes:"))
      return Response.json({ success: false, "error-codes": JSON.parse(token.slice(6)) });
    return answers[token]?.() ?? Response.json({ success: false, "error-codes": ["invalid-input-response"] });
  },
});
afterAll(() => provider.stop(true));

const app = await service({ ANONYMOUS_SESSION_MINUTES: "11" });
/** A server that asks a provider, on the same database. */
const asking = (name: string, url = `${provider.url}verify`) =>
  server({
    ...{ DATABASE_URL: app.database.url, CAPTCHA_PROVIDER: name },
    ...{ CAPTCHA_SECRET: secret, CAPTCHA_VERIFY_URL: url },
  });
const by = {
  turnstile: await asking("turnstile"),
  hcaptcha: await asking("hcaptcha"),
  recaptcha: await asking("recaptcha"),
};
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
const guarded = await makeForm(app, team, [], { settings: { captcha: { enabled: true } } });

/** Opens a session; of a form, with its access key. */
const start = (accessKey: string, body?: unknown, { at = by.turnstile as { url: string }, ip = "" } = {}) => {
  asked = [];
  return ask(at, "POST", path, { headers: { "x-form-access-key": accessKey }, body, ...(ip && { ip }) });
};
const open = (to: PublishedForm, captchaToken?: unknown, at: { url: string } = by.turnstile) =>
  start(to.accessKey, captchaToken === undefined ? undefined : { captchaToken }, { at });
/** Changes settings of a form that count at once. */
const set = (to: PublishedForm, settings: object) =>
  ask(app, "PATCH", `/papi/v1/management/forms/${to.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations: [{ op: "setMeta", settings }] },
  });
const validate = async (to: PublishedForm, token: string) => {
  const sent = { headers: asAgent(to, { token }), body: { data: {} } };
  return outcome(await ask(app, "POST", "/papi/v1/submitter/form/validation", sent));
};
const sessions = async () => {
  const [{ count }] = await app.database.sql<[{ count: number }]>`
    select count(*)::int from formd.sessions where form_id = ${guarded.id}`;
  return count;
};

describe(`POST ${path}`, () => {
  test("opens a session of eleven minutes that works on this form only", async () => {
    const before = Date.now();
    const { status, body, headers } = await open(form, undefined, app);
    const { token, expiresAt } = body.data;
    expect([status, body]).toEqual([200, { apiVersion: "v1", data: { token, expiresAt } }]);
    expect(token).toMatch(/^fds_/);
    expect(Math.abs(Date.parse(expiresAt) - before - 11 * 60_000)).toBeLessThan(5_000);
    expect(headers.get("ratelimit")).toBe('"ip";r=29;t=60');
    expect(headers.get("ratelimit-policy")).toBe('"ip";q=30;w=60');
    expect([await validate(form, token), await validate(guarded, token)]).toEqual(["ok", "401 unauthorized"]);
  });

  test("lasts until it expires, and is stored as a hash", async () => {
    const { token } = (await open(form)).body.data;
    const rows = await app.database.sql`select to_jsonb(s) as row from formd.sessions s`;
    expect(JSON.stringify(rows)).not.toContain(token);
    await app.database.sql`update formd.sessions set expires_at = now()`;
    expect(await validate(form, token)).toBe("401 unauthorized");
  });

  test("submits as an anonymous respondent, partially too", async () => {
    const { token } = (await open(form)).body.data;
    const sent = { headers: asAgent(form, { token }), body: { data: {} } };
    for (const query of ["", "?partial=true"]) {
      const reply = await ask(app, "POST", `/papi/v1/submitter/form/submissions${query}`, sent);
      const [row] = await app.database
        .sql`select submitter_type as type from formd.submissions where id = ${reply.body.data.id}`;
      expect([reply.body.data.status, row?.type]).toEqual([query ? "partial" : "completed", "anonymous"]);
    }
  });

  const bodies: [title: string, body: unknown, expected: string][] = [
    ["no body", undefined, "ok"],
    ["an empty object", {}, "ok"],
    ["null for a token", { captchaToken: null }, "ok"],
    ["a token that the form does not ask for", { captchaToken: "good" }, "ok"],
    ["a number for a token", { captchaToken: 7 }, "400 invalid_body"],
    ["too long a token", { captchaToken: "x".repeat(8193) }, "400 invalid_body"],
    ["a list", [], "400 invalid_body"],
    ["no JSON", "captchaToken=good", "400 invalid_body"],
    ["more than 16 KiB", { more: "x".repeat(16_384) }, "413 payload_too_large"],
  ];
  test.each(bodies)("%s, where no CAPTCHA is asked for", async (_title, body, expected) => {
    expect([outcome(await start(form.accessKey, body)), asked.length]).toEqual([expected, 0]);
  });

  const owner = { DATABASE_URL: app.database.ownerUrl };
  const closed: [title: string, accessKey: () => string | Promise<string>, expected: string][] = [
    ["no access key", () => "", "401 unauthorized"],
    ["an unknown access key", () => `${form.accessKey.slice(0, -4)}AAAA`, "401 unauthorized"],
    [
      "a draft",
      async () => {
        const made = { headers: { "x-api-key": team.key }, body: { name: "Draft" } };
        const { id } = (await ask(app, "POST", "/papi/v1/management/forms", made)).body.data.form;
        return JSON.parse((await formd(["access-key", "create", id, "--json"], owner)).stdout).key;
      },
      "403 form_not_published",
    ],
    [
      "an archived form",
      async () => {
        const { id, accessKey } = await makeForm(app, team, []);
        await formd(["form", "archive", id], owner);
        return accessKey;
      },
      "403 form_not_published",
    ],
    [
      "a form that takes none",
      async () => {
        const settings = { anonymous: { enabled: false }, captcha: { enabled: true } };
        return (await makeForm(app, team, [], { settings })).accessKey;
      },
      "403 anonymous_not_allowed",
    ],
  ];
  test.each(closed)(
    "%s is refused before anything else is looked at",
    async (_title, accessKey, expected) => {
      const to = await accessKey();
      for (const body of [{ captchaToken: "good" }, "{"])
        expect(outcome(await start(to, body))).toBe(expected);
    },
  );

  test("an access key in the URL is not read", async () => {
    const reply = await ask(app, "POST", `${path}?x-form-access-key=${form.accessKey}`);
    expect(outcome(reply)).toBe("401 unauthorized");
  });

  test("thirty per client IP and minute", async () => {
    const ip = "192.0.2.91";
    const replies = [];
    const begun = performance.now();
    for (let i = 0; i < 31; i++) replies.push(await start(form.accessKey, undefined, { ip }));
    expect(replies.map(outcome)).toEqual([...Array(30).fill("ok"), "429 rate_limited"]);
    const least = Math.floor(60 - (performance.now() - begun) / 1000);
    expect(Number(replies[30]?.headers.get("retry-after"))).toBeWithin(least, 61);
  });

  test("switching anonymous sessions off ends open ones; switched on, they work again", async () => {
    const one = await makeForm(app, team, []);
    const headers = asAgent(one, (await open(one)).body.data);
    const submitter = "/papi/v1/submitter/form";
    const calls = async () => [
      outcome(await ask(app, "GET", submitter, { headers })),
      outcome(await ask(app, "POST", `${submitter}/validation`, { headers, body: { data: {} } })),
      outcome(await ask(app, "POST", `${submitter}/submissions`, { headers, body: { data: {} } })),
    ];
    expect(await calls()).toEqual(["ok", "ok", "ok"]);
    await set(one, { anonymous: { enabled: false } });
    expect(await calls()).toEqual(Array(3).fill("403 anonymous_not_allowed"));
    await set(one, { anonymous: { enabled: true } });
    expect(await calls()).toEqual(["ok", "ok", "ok"]);
  });
});

describe("a form with CAPTCHA", () => {
  test.each(providers)("%s: a good token opens a session and is verified exactly once", async (name) => {
    const reply = await open(guarded, "good", by[name]);
    expect(outcome(reply)).toBe("ok");
    expect(asked).toEqual([
      {
        method: "POST",
        type: expect.stringMatching(/^application\/x-www-form-urlencoded/),
        fields: { secret, response: "good" },
      },
    ]);
    expect(await validate(guarded, reply.body.data.token)).toBe("ok");
  });

  test("no token is captcha_required, and the provider is not asked", async () => {
    for (const token of [undefined, null, ""])
      expect(outcome(await open(guarded, token))).toBe("403 captcha_required");
    expect(asked).toEqual([]);
  });

  test("counts once in the rate limit of the client IP", async () => {
    expect((await open(guarded, "good")).headers.get("ratelimit")).toBe('"ip";r=29;t=60');
  });

  test("is enforced from the next call on once the owner requires it", async () => {
    const changing = await makeForm(app, team, []);
    expect(outcome(await open(changing))).toBe("ok");
    await set(changing, { captcha: { enabled: true } });
    expect(outcome(await open(changing))).toBe("403 captcha_required");
    await set(changing, { captcha: { enabled: false } });
    expect(outcome(await open(changing))).toBe("ok");
  });

  /** Error codes of each provider's documentation about the token, and about this service. */
  const ofTheToken = {
    turnstile: ["timeout-or-duplicate"],
    hcaptcha: ["expired-input-response", "already-seen-response", "invalid-or-already-seen-response"],
    recaptcha: ["timeout-or-duplicate"],
  };
  const ofUs = {
    turnstile: ["internal-error"],
    hcaptcha: ["sitekey-secret-mismatch", "not-using-dummy-passcode"],
    recaptcha: ["browser-error"],
  };
  test.each(providers)(
    "%s: a rejected token is captcha_failed; an error of the server or the provider is 503",
    async (name) => {
      const before = await sessions();
      const said = async (...codes: string[]) => {
        const reply = await open(guarded, `codes:${JSON.stringify(codes)}`, by[name]);
        return [outcome(reply), Number(reply.headers.get("retry-after")) > 0];
      };
      for (const code of ["missing-input-response", "invalid-input-response", ...ofTheToken[name]])
        expect([code, ...(await said(code))]).toEqual([code, "403 captcha_failed", false]);
      expect(await said()).toEqual(["403 captcha_failed", false]);
      for (const code of ["missing-input-secret", "invalid-input-secret", "bad-request", ...ofUs[name]])
        expect([code, ...(await said(code))]).toEqual([code, "503 captcha_unavailable", true]);
      const both = await said("invalid-input-response", "invalid-input-secret");
      expect(both).toEqual(["503 captcha_unavailable", true]);
      expect(await sessions()).toBe(before);
    },
  );

  const doubtful = Object.keys(answers).filter((token) => !["good", "slow"].includes(token));
  test.each(doubtful)("the provider responds with %s: 503, never a pass", async (token) => {
    const before = await sessions();
    expect(outcome(await open(guarded, token))).toBe("503 captcha_unavailable");
    expect([asked.length, await sessions()]).toEqual([1, before]);
  });

  test("a provider that does not respond in five seconds: 503, never a pass", async () => {
    const [before, started] = [await sessions(), performance.now()];
    expect(outcome(await open(guarded, "slow"))).toBe("503 captcha_unavailable");
    expect(performance.now() - started).toBeWithin(4_500, 15_000);
    expect(await sessions()).toBe(before);
  });

  test("a provider that is not there: 503; none configured: 503", async () => {
    for (const at of [await asking("turnstile", "http://127.0.0.1:1/verify"), app])
      expect(outcome(await open(guarded, "good", at))).toBe("503 captcha_unavailable");
  });

  test("the log says why it could not be verified, and neither token nor our secret", async () => {
    const at = by.turnstile;
    await open(guarded, 'codes:["invalid-input-secret"]', at);
    const saysWhy = (line: string) =>
      line.includes("CAPTCHA cannot be verified") && line.includes("invalid-input-secret");
    await until(() => at.log().split("\n").some(saysWhy));
    expect(at.log()).not.toContain(secret);
  });
});
