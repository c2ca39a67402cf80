import { beforeAll, describe, expect, test } from "bun:test";
import {
  type Agent,
  asAgent,
  ask,
  formd,
  makeAgent,
  makeForm,
  makeKey,
  makeTeam,
  makeWorkspace,
  type PublishedForm,
  type Reply,
  type Service,
  service,
  type Team,
} from "../../setup.ts";
import {
  askSigned,
  digestOf,
  type Key,
  makeSigner,
  type Recipe,
  send,
  signed,
  unsigned,
} from "../../signing.ts";

const issuePath = "/papi/v1/submitter/form/challenges";
const answerPath = (id: string) => `/papi/v1/submitter/challenges/${id}/responses`;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const nowhere = "01900000-0000-7000-8000-000000000000";

let on: Service;
let team: Team;
let form: PublishedForm;
/** Nothing in it can be asked about. */
let bare: PublishedForm;

beforeAll(async () => {
  on = await service({ FEATURE_AGENT_SIGNING: "true", CHALLENGE_PASS_MINUTES: "7" });
  team = await makeTeam(on);
  form = await makeForm(on, team, [
    { id: "note", type: "text", label: "Note" },
    { id: "email", type: "email", label: "E-mail", validation: { allowedDomains: ["example.org"] } },
  ]);
  bare = await makeForm(on, team, [
    { id: "note", type: "text", label: "Note" },
    { id: "agree", type: "boolean", label: "Agree" },
  ]);
}, 60_000);

interface Caller extends Agent {
  key: Key;
}
const caller = async (to = form, scopes?: string[]): Promise<Caller> => {
  const agent = await makeAgent(on, team, to, scopes);
  return { ...agent, key: await makeSigner(on, team, agent.id) };
};
const brief = ({ status, body }: Reply) => (status === 200 ? "ok" : `${status} ${body.code}`);
const issue = (headers: Record<string, string>, body: unknown = {}) =>
  ask(on, "POST", issuePath, { headers, body });
const challenge = async (who: Agent, to = form) => (await issue(asAgent(to, who))).body.data;
const respond = (
  who: { key: Key },
  id: string,
  answer: unknown,
  { to = form as PublishedForm | null, recipe = {} as Recipe, ip = "" } = {},
) => askSigned(on, answerPath(id), { key: who.key, form: to, body: { answer }, recipe, ...(ip && { ip }) });
const right = "ada@example.org";
const identity = (method: string, to: string, body: object = {}) =>
  ask(on, method, `/papi/v1/identity/agents/${to}`, {
    headers: { "x-api-key": team.key },
    ...(method !== "GET" && { body }),
  });

describe(`POST ${issuePath}`, () => {
  test("asks about a checkable field, for two minutes and three answers", async () => {
    const before = Date.now();
    const { status, body, headers } = await issue(asAgent(form, await caller()));
    expect([status, body]).toEqual([
      200,
      {
        apiVersion: "v1",
        data: {
          challengeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: "schema",
          prompt: expect.stringContaining('"email"'),
          fieldId: "email",
          expiresAt: expect.stringMatching(moment),
          maxAttempts: 3,
        },
      },
    ]);
    expect(Math.abs(Date.parse(body.data.expiresAt) - before - 120_000)).toBeLessThan(5_000);
    expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([
      '"ip";r=29;t=60',
      '"ip";q=30;w=60',
    ]);
  });

  test("draws among all checkable fields", async () => {
    const ids = ["a", "b", "c"];
    const wide = await makeForm(
      on,
      team,
      ids.map((id) => ({ id, type: "date", label: id })),
    );
    const seen = new Set<string>();
    for (let i = 0; i < 40 && seen.size < 3; i++)
      seen.add((await challenge(await makeAgent(on, team, wide), wide)).fieldId);
    expect([...seen].sort()).toEqual(ids);
  });

  const prompts: [field: object, kind: string, secrets: RegExp][] = [
    [{ type: "text", minLength: 41, maxLength: 42, pattern: "^q+$" }, "JSON string", /41|42|q\+/],
    [{ type: "number", minimum: 4101, maximum: 4202 }, "JSON number", /4101|4202/],
    [{ type: "integer", multipleOf: 41 }, "JSON number without a fraction", /41/],
    [{ type: "nps" }, "JSON number without a fraction", /10/],
    [{ type: "select", options: ["zebra", "okapi"] }, "one of its options", /zebra|okapi/],
    [
      { type: "multi_select", options: ["zebra", "okapi"], minItems: 2 },
      "JSON array of some of its options",
      /zebra|okapi|2/,
    ],
    [
      { type: "ranking", options: ["zebra", "okapi"] },
      "JSON array of its options, the first one first",
      /zebra|okapi/,
    ],
    [{ type: "date", minimum: "2041-01-01" }, "JSON string", /2041/],
    [{ type: "email", allowedDomains: ["zebra.example"] }, "JSON string", /zebra/],
    [{ type: "address", requiredParts: ["postalCode"] }, "JSON object", /postal/i],
    [{ type: "matrix", rows: ["zebra"], columns: ["okapi"] }, "JSON object", /zebra|okapi/],
    [{ type: "hidden", maxLength: 41 }, "JSON string, number, true or false", /41/],
  ];
  test.each(prompts)(
    "%j: the prompt names the field and the kind of JSON value, and no constraint",
    async (field, kind, secrets) => {
      const asked = await makeForm(on, team, [{ id: "f", label: 'Say "so"', ...field }]);
      const { prompt, fieldId } = await challenge(await makeAgent(on, team, asked), asked);
      expect(fieldId).toBe("f");
      for (const part of ['"f"', '"Say \\"so\\""', kind, '{"answer": …}']) expect(prompt).toContain(part);
      expect(prompt).not.toMatch(secrets);
    },
  );

  test("any grant will do; the body may be empty, an object, or nothing that is read", async () => {
    for (const scope of ["agent:read", "agent:validate", "agent:submit"])
      expect(brief(await issue(asAgent(form, await caller(form, [scope]))))).toBe("ok");
    const who = await caller();
    expect(brief(await issue(asAgent(form, who), undefined))).toBe("ok");
    expect(brief(await askSigned(on, issuePath, { key: who.key, form, body: undefined }))).toBe("ok");
  });

  const refusals: [title: string, headers: () => Promise<Record<string, string>>, expected: string][] = [
    ["nobody", async () => ({ "x-form-access-key": form.accessKey }), "401 unauthorized"],
    [
      "an unknown access key",
      async () => ({ ...asAgent(form, await caller()), "x-form-access-key": `${form.accessKey}x` }),
      "401 unauthorized",
    ],
    [
      "an API key",
      async () => ({ "x-form-access-key": form.accessKey, "x-api-key": team.key }),
      "403 agent_required",
    ],
    [
      "an API key without a scope",
      async () => ({
        "x-form-access-key": form.accessKey,
        "x-api-key": (await makeKey(on, team, "forms:read")).key,
      }),
      "403 agent_required",
    ],
    [
      "an anonymous session",
      async () => {
        const { data } = (
          await ask(on, "POST", "/papi/v1/auth/anonymous", {
            headers: { "x-form-access-key": form.accessKey },
          })
        ).body;
        return asAgent(form, data);
      },
      "403 agent_required",
    ],
    ["an agent without a grant", async () => asAgent(form, await caller(form, [])), "403 no_grant"],
    [
      "an agent of another workspace",
      async () => {
        const elsewhere = await makeForm(on, team, [], { workspaceId: await makeWorkspace(on, team) });
        return asAgent(form, await makeAgent(on, team, elsewhere, []));
      },
      "403 workspace_mismatch",
    ],
    [
      "an agent of another team",
      async () => {
        const other = await makeTeam(on);
        return asAgent(form, await makeAgent(on, other, await makeForm(on, other, [])));
      },
      "403 tenant_mismatch",
    ],
    [
      "a disabled agent",
      async () => {
        const who = await caller();
        await identity("PATCH", who.id, { status: "disabled" });
        return asAgent(form, who);
      },
      "403 agent_inactive",
    ],
    [
      "a form that nothing can be asked about",
      async () => asAgent(bare, await caller(bare)),
      "400 no_checkable_field",
    ],
    ["such a form and no grant on it", async () => asAgent(bare, await caller(bare, [])), "403 no_grant"],
    [
      "an archived form",
      async () => {
        const archived = await makeForm(on, team, [{ id: "d", type: "date", label: "D" }]);
        const who = await caller(archived);
        await formd(["form", "archive", archived.id], { DATABASE_URL: on.database.ownerUrl });
        return asAgent(archived, who);
      },
      "403 form_not_published",
    ],
  ];
  test.each(refusals)("%s", async (_title, headers, expected) => {
    expect(brief(await issue(await headers()))).toBe(expected);
  });

  test("an agent has five open on a form; the sixth waits, on another form it does not", async () => {
    const who = await caller();
    for (let i = 0; i < 5; i++) expect(brief(await issue(asAgent(form, who)))).toBe("ok");
    const sixth = await issue(asAgent(form, who));
    expect([brief(sixth), sixth.headers.get("ratelimit-policy")]).toEqual([
      "429 rate_limited",
      '"open-challenges";q=5;w=120',
    ]);
    expect(Number(sixth.headers.get("retry-after"))).toBeWithin(100, 121);
    const another = await makeForm(on, team, [{ id: "d", type: "date", label: "D" }]);
    await identity("POST", `${who.id}/grants`, { formId: another.id, scopes: ["agent:read"] });
    expect(brief(await issue(asAgent(another, who)))).toBe("ok");
  });

  test("an address asks thirty times a minute, and answers as often", async () => {
    const ip = "192.0.2.77";
    for (let left = 29; left >= 0; left--) {
      const reply = await ask(on, "POST", issuePath, { ip, headers: { "x-form-access-key": "none" } });
      expect([brief(reply), reply.headers.get("ratelimit")]).toEqual([
        "401 unauthorized",
        expect.stringMatching(new RegExp(`^"ip";r=${left};`)),
      ]);
    }
    const reply = await ask(on, "POST", issuePath, { ip, headers: asAgent(form, await caller()) });
    expect([brief(reply), Number(reply.headers.get("retry-after")) > 0]).toEqual(["429 rate_limited", true]);
    const who = await caller();
    for (let i = 0; i < 30; i++) expect(brief(await respond(who, nowhere, 1, { ip }))).toBe("404 not_found");
    expect(brief(await respond(who, nowhere, 1, { ip }))).toBe("429 rate_limited");
  });
});

describe("POST /papi/v1/submitter/challenges/{challenge_id}/responses", () => {
  test("a right answer passes, once", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    const before = Date.now();
    const { status, body } = await respond(who, challengeId, right);
    expect([status, body]).toEqual([
      200,
      { apiVersion: "v1", data: { passed: true, passExpiresAt: expect.stringMatching(moment) } },
    ]);
    expect(Math.abs(Date.parse(body.data.passExpiresAt) - before - 7 * 60_000)).toBeLessThan(5_000);
    expect(brief(await respond(who, challengeId, right))).toBe("400 bad_request");
  });

  test("three wrong answers fail it for good", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    const answers = [];
    for (let i = 0; i < 3; i++)
      answers.push((await respond(who, challengeId, "nobody@example.com")).body.data);
    expect(answers).toEqual([
      { passed: false, remainingAttempts: 2 },
      { passed: false, remainingAttempts: 1 },
      { passed: false, remainingAttempts: 0, failedAt: true },
    ]);
    for (const answer of [right, "wrong"])
      expect(brief(await respond(who, challengeId, answer))).toBe("403 challenge_failed");
  });

  test("an expired one takes no answer", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    await on.database.sql`update formd.challenges set expires_at = now() where id = ${challengeId}`;
    expect(brief(await respond(who, challengeId, right))).toBe("403 challenge_expired");
  });

  test("fifty wrong answers at once count three", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    const replies = await Promise.all(Array.from({ length: 50 }, () => respond(who, challengeId, "wrong")));
    const counted = replies.filter(({ status }) => status === 200).map(({ body }) => body.data);
    expect(counted.map(({ remainingAttempts }) => remainingAttempts).sort()).toEqual([0, 1, 2]);
    expect(counted.filter(({ failedAt }) => failedAt)).toEqual([
      { passed: false, remainingAttempts: 0, failedAt: true },
    ]);
    expect(replies.filter((reply) => brief(reply) === "403 challenge_failed").length).toBe(47);
  });

  const wrong: [title: string, field: object, answer: unknown][] = [
    ["null", { type: "email" }, null],
    ["the empty text", { type: "text", maxLength: 9 }, ""],
    ["blanks", { type: "text", maxLength: 9 }, " \t\n"],
    ["an empty array", { type: "multi_select", options: ["a"] }, []],
    ["an empty object", { type: "address" }, {}],
    ["an address of empty parts", { type: "address" }, { city: "", line1: " " }],
    ["a matrix of empty rows", { type: "matrix", rows: ["r"], columns: ["c"] }, { r: null }],
    ["a text with U+0000", { type: "text", maxLength: 9 }, "a\0b"],
    ["half of a surrogate pair", { type: "text", maxLength: 9 }, '"\\ud800"'],
    ["a number that a double would round", { type: "number", minimum: 0 }, "9007199254740993"],
    ["a value of another type", { type: "text", maxLength: 9 }, 7],
    ["text for a number", { type: "number", minimum: 0 }, "7"],
  ];
  test.each(wrong)("%s is wrong", async (_title, field, answer) => {
    const asked = await makeForm(on, team, [{ id: "f", label: "F", ...field }]);
    const who = await caller(asked);
    const { challengeId } = await challenge(who, asked);
    const literal = typeof answer === "string" && /^["9]/.test(answer) ? answer : JSON.stringify(answer);
    const request = { ...unsigned(on, answerPath(challengeId), asked, {}), body: `{"answer":${literal}}` };
    request.headers["content-digest"] = digestOf(request.body);
    expect((await send(on, signed(who.key, request))).body.data).toEqual({
      passed: false,
      remainingAttempts: 2,
    });
  });

  test("a body that is no answer is refused and counts no attempt", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    for (const [body, type, expected] of [
      ["{}", "application/json", "400 invalid_body"],
      ["[]", "application/json", "400 invalid_body"],
      ["{", "application/json", "400 invalid_body"],
      ['{"answer":1}', "text/plain", "415 invalid_content_type"],
    ] as const) {
      const request = { ...unsigned(on, answerPath(challengeId), form, {}), body };
      request.headers = { ...request.headers, "content-type": type, "content-digest": digestOf(body) };
      expect(brief(await send(on, signed(who.key, request)))).toBe(expected);
    }
    expect((await respond(who, challengeId, "wrong")).body.data).toEqual({
      passed: false,
      remainingAttempts: 2,
    });
  });

  test("takes a signature only: a token, an API key or nothing is signature_required", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    for (const headers of [{}, asAgent(form, who), { "x-api-key": team.key }])
      expect(
        brief(await ask(on, "POST", answerPath(challengeId), { headers, body: { answer: right } })),
      ).toBe("403 signature_required");
    const bad = await respond(who, challengeId, right, { recipe: { values: { "@method": "GET" } } });
    expect(brief(bad)).toBe("401 unauthorized");
    expect((await respond(who, challengeId, right)).body.data.passed).toBe(true);
  });

  test("the access key may stay away; one that is sent must be covered, and be this form's", async () => {
    const who = await caller();
    const answer = async (options: Parameters<typeof respond>[3]) =>
      brief(await respond(who, (await challenge(who)).challengeId, right, options));
    expect(await answer({ to: null })).toBe("ok");
    expect(
      await answer({ recipe: { components: ["@method", "@authority", "@path", "content-digest"] } }),
    ).toBe("401 unauthorized");
    expect(await answer({ to: bare })).toBe("404 not_found");
    expect(await answer({ to: { ...form, accessKey: `${form.accessKey.slice(0, -3)}AAA` } })).toBe(
      "401 unauthorized",
    );
    expect(brief(await respond(who, "x", right))).toBe("400 bad_request");
    expect(brief(await respond(who, nowhere, right, { to: null }))).toBe("401 unauthorized");
  });

  test("another agent's signature is not_found with a grant on the form, no_grant without", async () => {
    const { challengeId } = await challenge(await caller());
    const stranger = await caller(bare);
    for (const to of [form, null]) {
      expect(brief(await respond(await caller(), challengeId, right, { to }))).toBe("404 not_found");
      expect(brief(await respond(stranger, challengeId, right, { to }))).toBe("403 no_grant");
    }
  });

  test("agent and grant are read live: disabled is agent_inactive, without its grant no_grant", async () => {
    const [disabled, bereft] = [await caller(), await caller()];
    const [one, two] = [await challenge(disabled), await challenge(bereft)];
    await identity("PATCH", disabled.id, { status: "disabled" });
    const [{ id }] = (await identity("GET", `${bereft.id}/grants`)).body.data.grants;
    await identity("DELETE", `${bereft.id}/grants/${id}`);
    expect([
      brief(await respond(disabled, one.challengeId, right)),
      brief(await respond(bereft, two.challengeId, right)),
    ]).toEqual(["403 agent_inactive", "403 no_grant"]);
  });

  test("judges by the version that was asked about, though the form has moved on", async () => {
    const moving = await makeForm(on, team, [{ id: "f", type: "select", label: "F", options: ["old"] }]);
    const who = await caller(moving);
    const { challengeId } = await challenge(who, moving);
    await ask(on, "PATCH", `/papi/v1/management/forms/${moving.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "updateField", fieldId: "f", set: { options: ["new"] } }] },
    });
    await formd(["form", "publish", moving.id], { DATABASE_URL: on.database.ownerUrl });
    expect((await respond(who, challengeId, "new", { to: moving })).body.data.passed).toBe(false);
    expect((await respond(who, challengeId, "old", { to: moving })).body.data.passed).toBe(true);
  });
});

describe("settings.challenge.required", () => {
  test("lets an agent submit once it has passed, until the pass expires", async () => {
    const gated = await makeForm(on, team, [{ id: "email", type: "email", label: "E-mail" }], {
      settings: { challenge: { required: true } },
    });
    const who = await caller(gated);
    const submit = async () => {
      await on.database.sql`delete from formd.rate_limits`;
      return brief(
        await ask(on, "POST", "/papi/v1/submitter/form/submissions", {
          headers: asAgent(gated, who),
          body: { data: {} },
        }),
      );
    };
    expect(await submit()).toBe("403 challenge_required");
    const { challengeId } = await challenge(who, gated);
    await respond(who, challengeId, "wrong", { to: gated });
    expect(await submit()).toBe("403 challenge_required");
    await respond(who, challengeId, "ada@example.com", { to: gated });
    expect([await submit(), await submit()]).toEqual(["ok", "ok"]);
    await on.database.sql`update formd.challenge_passes set expires_at = now() where agent_id = ${who.id}`;
    expect(await submit()).toBe("403 challenge_required");
  });
});
