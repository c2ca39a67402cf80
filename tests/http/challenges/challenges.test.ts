import { describe, expect, test } from "bun:test";
import { outcome, timestamp, unknownId } from "../../expect.ts";
import { asAgent, ask, formd, makeAgent, makeForm, makeKey, makeTeam, makeWorkspace } from "../../setup.ts";
import { askSigned } from "../../signing.ts";
import { challengesFixture, issuePath } from "./fixture.ts";

const { app, team, form, bare, caller, issue, challenge, respond, identity } = await challengesFixture();
const date = { id: "d", type: "date", label: "D" };

describe(`POST ${issuePath}`, () => {
  test("asks about a checkable field, for two minutes and three responses", async () => {
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
          expiresAt: expect.stringMatching(timestamp),
          maxAttempts: 3,
        },
      },
    ]);
    expect(Math.abs(Date.parse(body.data.expiresAt) - before - 120_000)).toBeLessThan(5_000);
    expect(headers.get("ratelimit")).toBe('"ip";r=29;t=60');
    expect(headers.get("ratelimit-policy")).toBe('"ip";q=30;w=60');
  });

  test("takes an empty object or nothing: another body opens no challenge, and a stranger gets no details", async () => {
    const agent = await caller();
    const headers = asAgent(form, agent);
    const bodies: [body: string, more: Record<string, string>, expected: string][] = [
      ["{", {}, "400 invalid_body"],
      ["[]", {}, "400 invalid_body"],
      ['{"fieldId":"email"}', {}, "400 invalid_body"],
      ["{}", { "content-type": "text/plain" }, "415 invalid_content_type"],
      [JSON.stringify({ note: "x".repeat(20_000) }), {}, "413 payload_too_large"],
      ["{", { "x-respondent-token": "fds_none" }, "401 unauthorized"],
    ];
    for (const [body, more, expected] of bodies)
      expect([body, outcome(await issue({ ...headers, ...more }, body))]).toEqual([body, expected]);
    for (let i = 0; i < 5; i++) expect(outcome(await ask(app, "POST", issuePath, { headers }))).toBe("ok");
  });

  test("draws among all checkable fields", async () => {
    const ids = ["a", "b", "c"];
    const dates = ids.map((id) => ({ id, type: "date", label: id }));
    const wide = await makeForm(app, team, dates);
    const seen = new Set<string>();
    for (let i = 0; i < 40 && seen.size < 3; i++)
      seen.add((await challenge(await makeAgent(app, team, wide), wide)).fieldId);
    expect([...seen].sort()).toEqual(ids);
  });

  const options = ["zebra", "okapi"];
  const prompts: [field: object, kind: string, secrets: RegExp][] = [
    [{ type: "text", minLength: 41, maxLength: 42, pattern: "^q+$" }, "JSON string", /41|42|q\+/],
    [{ type: "number", minimum: 4101, maximum: 4202 }, "JSON number", /4101|4202/],
    [{ type: "integer", multipleOf: 41 }, "JSON number without a fraction", /41/],
    [{ type: "nps" }, "JSON number without a fraction", /10/],
    [{ type: "select", options }, "one of its options", /zebra|okapi/],
    [{ type: "multi_select", options, minItems: 2 }, "JSON array of some of its options", /zebra|okapi|2/],
    [{ type: "ranking", options }, "JSON array of its options, the first one first", /zebra|okapi/],
    [{ type: "date", minimum: "2041-01-01" }, "JSON string", /2041/],
    [{ type: "email", allowedDomains: ["zebra.example"] }, "JSON string", /zebra/],
    [{ type: "address", requiredParts: ["postalCode"] }, "JSON object", /postal/i],
    [{ type: "matrix", rows: ["zebra"], columns: ["okapi"] }, "JSON object", /zebra|okapi/],
    [{ type: "hidden", maxLength: 41 }, "JSON string, number, true or false", /41/],
  ];
  test.each(prompts)(
    "%j: the prompt names the field and the kind of JSON value, and no constraint",
    async (field, kind, secrets) => {
      const asked = await makeForm(app, team, [{ id: "f", label: 'Say "so"', ...field }]);
      const { prompt, fieldId } = await challenge(await makeAgent(app, team, asked), asked);
      expect(fieldId).toBe("f");
      for (const part of ['"f"', '"Say \\"so\\""', kind, '{"answer": …}']) expect(prompt).toContain(part);
      expect(prompt).not.toMatch(secrets);
    },
  );

  test("any grant will do; a signature does as well", async () => {
    for (const scope of ["agent:read", "agent:validate", "agent:submit"])
      expect(outcome(await issue(asAgent(form, await caller(form, [scope]))))).toBe("ok");
    const who = await caller();
    expect(outcome(await askSigned(app, issuePath, { key: who.key, form, body: undefined }))).toBe("ok");
  });

  const withKey = (more: Record<string, string>) => ({ "x-form-access-key": form.accessKey, ...more });
  type Headers = Record<string, string>;
  const refusals: [title: string, headers: () => Headers | Promise<Headers>, expected: string][] = [
    ["nobody", () => withKey({}), "401 unauthorized"],
    [
      "an unknown access key",
      async () => asAgent({ ...form, accessKey: `${form.accessKey}x` }, await caller()),
      "401 unauthorized",
    ],
    ["an API key", () => withKey({ "x-api-key": team.key }), "403 agent_required"],
    [
      "an API key without a scope",
      async () => withKey({ "x-api-key": (await makeKey(app, team, "forms:read")).key }),
      "403 agent_required",
    ],
    [
      "an anonymous session",
      async () => {
        const { body } = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers: withKey({}) });
        return asAgent(form, body.data);
      },
      "403 agent_required",
    ],
    ["an agent without a grant", async () => asAgent(form, await caller(form, [])), "403 no_grant"],
    [
      "an agent of another workspace",
      async () => {
        const elsewhere = await makeForm(app, team, [], { workspaceId: await makeWorkspace(app, team) });
        return asAgent(form, await makeAgent(app, team, elsewhere, []));
      },
      "403 workspace_mismatch",
    ],
    [
      "an agent of another team",
      async () => {
        const other = await makeTeam(app);
        return asAgent(form, await makeAgent(app, other, await makeForm(app, other, [])));
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
        const archived = await makeForm(app, team, [date]);
        const who = await caller(archived);
        await formd(["form", "archive", archived.id], { DATABASE_URL: app.database.ownerUrl });
        return asAgent(archived, who);
      },
      "403 form_not_published",
    ],
  ];
  test.each(refusals)("%s", async (_title, headers, expected) => {
    expect(outcome(await issue(await headers()))).toBe(expected);
  });

  test("an agent has five open on a form; the sixth waits, on another form it does not", async () => {
    const who = await caller();
    const begun = performance.now();
    for (let i = 0; i < 5; i++) expect(outcome(await issue(asAgent(form, who)))).toBe("ok");
    const sixth = await issue(asAgent(form, who));
    expect(outcome(sixth)).toBe("429 rate_limited");
    expect(sixth.headers.get("ratelimit-policy")).toBe('"open-challenges";q=5;w=120');
    const least = Math.floor(120 - (performance.now() - begun) / 1000);
    expect(Number(sixth.headers.get("retry-after"))).toBeWithin(least, 121);
    const another = await makeForm(app, team, [date]);
    await identity("POST", `${who.id}/grants`, { formId: another.id, scopes: ["agent:read"] });
    expect(outcome(await issue(asAgent(another, who)))).toBe("ok");
  });

  test("a client IP asks thirty times per minute, and responds as often", async () => {
    const ip = "192.0.2.77";
    for (let left = 29; left >= 0; left--) {
      const reply = await ask(app, "POST", issuePath, { ip, headers: { "x-form-access-key": "none" } });
      expect(outcome(reply)).toBe("401 unauthorized");
      expect(reply.headers.get("ratelimit")).toStartWith(`"ip";r=${left};`);
    }
    const reply = await ask(app, "POST", issuePath, { ip, headers: asAgent(form, await caller()) });
    expect(outcome(reply)).toBe("429 rate_limited");
    expect(Number(reply.headers.get("retry-after"))).toBePositive();
    const who = await caller();
    const answers = async () => outcome(await respond(who, unknownId, 1, { ip }));
    for (let i = 0; i < 30; i++) expect(await answers()).toBe("404 not_found");
    expect(await answers()).toBe("429 rate_limited");
  });
});

describe("settings.challenge.required", () => {
  test("lets an agent submit once it has passed, until the pass expires", async () => {
    const settings = { challenge: { required: true } };
    const gated = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }], { settings });
    const who = await caller(gated);
    const submit = async () => {
      await app.database.sql`delete from formd.rate_limits`;
      const sent = { headers: asAgent(gated, who), body: { data: {} } };
      return outcome(await ask(app, "POST", "/papi/v1/submitter/form/submissions", sent));
    };
    expect(await submit()).toBe("403 challenge_required");
    const { challengeId } = await challenge(who, gated);
    await respond(who, challengeId, "wrong", { to: gated });
    expect(await submit()).toBe("403 challenge_required");
    await respond(who, challengeId, "ada@example.com", { to: gated });
    expect([await submit(), await submit()]).toEqual(["ok", "ok"]);
    await app.database.sql`update formd.challenge_passes set expires_at = now() where agent_id = ${who.id}`;
    expect(await submit()).toBe("403 challenge_required");
  });
});
