import { describe, expect, test } from "bun:test";
import { outcome, timestamp, unknownId } from "../../expect.ts";
import { asAgent, ask, formd, makeAgent, makeForm, makeKey, makeTeam, makeWorkspace } from "../../setup.ts";
import { askSigned } from "../../signing.ts";
import { challengesFixture, issuePath } from "./fixture.ts";

const { app, team, form, bare, caller, issue, challenge, respond, identity } = await challengesFixture();

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
          expiresAt: expect.stringMatching(timestamp),
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

  test("takes an empty object or nothing: another body opens no challenge, and a stranger is not told", async () => {
    const agent = await caller();
    const headers = asAgent(form, agent);
    const asks = (body: string, more: Record<string, string> = {}) =>
      ask(app, "POST", issuePath, {
        headers: { "content-type": "application/json", ...headers, ...more },
        body,
      });
    expect([
      outcome(await asks("{")),
      outcome(await asks("[]")),
      outcome(await asks('{"fieldId":"email"}')),
      outcome(await asks("{}", { "content-type": "text/plain" })),
      outcome(await asks(JSON.stringify({ note: "x".repeat(20_000) }))),
      outcome(await asks("{", { "x-respondent-token": "fds_none" })),
    ]).toEqual([
      "400 invalid_body",
      "400 invalid_body",
      "400 invalid_body",
      "415 invalid_content_type",
      "413 payload_too_large",
      "401 unauthorized",
    ]);
    const open = [];
    for (let i = 0; i < 5; i++) open.push((await ask(app, "POST", issuePath, { headers })).status);
    expect(open).toEqual([200, 200, 200, 200, 200]);
  });

  test("draws among all checkable fields", async () => {
    const ids = ["a", "b", "c"];
    const wide = await makeForm(
      app,
      team,
      ids.map((id) => ({ id, type: "date", label: id })),
    );
    const seen = new Set<string>();
    for (let i = 0; i < 40 && seen.size < 3; i++)
      seen.add((await challenge(await makeAgent(app, team, wide), wide)).fieldId);
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
      const asked = await makeForm(app, team, [{ id: "f", label: 'Say "so"', ...field }]);
      const { prompt, fieldId } = await challenge(await makeAgent(app, team, asked), asked);
      expect(fieldId).toBe("f");
      for (const part of ['"f"', '"Say \\"so\\""', kind, '{"answer": …}']) expect(prompt).toContain(part);
      expect(prompt).not.toMatch(secrets);
    },
  );

  test("any grant will do; the body may be empty, an object, or nothing that is read", async () => {
    for (const scope of ["agent:read", "agent:validate", "agent:submit"])
      expect(outcome(await issue(asAgent(form, await caller(form, [scope]))))).toBe("ok");
    const who = await caller();
    expect(outcome(await issue(asAgent(form, who), undefined))).toBe("ok");
    expect(outcome(await askSigned(app, issuePath, { key: who.key, form, body: undefined }))).toBe("ok");
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
        "x-api-key": (await makeKey(app, team, "forms:read")).key,
      }),
      "403 agent_required",
    ],
    [
      "an anonymous session",
      async () => {
        const { data } = (
          await ask(app, "POST", "/papi/v1/auth/anonymous", {
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
        const archived = await makeForm(app, team, [{ id: "d", type: "date", label: "D" }]);
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
    expect([outcome(sixth), sixth.headers.get("ratelimit-policy")]).toEqual([
      "429 rate_limited",
      '"open-challenges";q=5;w=120',
    ]);
    const least = Math.floor(120 - (performance.now() - begun) / 1000);
    expect(Number(sixth.headers.get("retry-after"))).toBeWithin(least, 121);
    const another = await makeForm(app, team, [{ id: "d", type: "date", label: "D" }]);
    await identity("POST", `${who.id}/grants`, { formId: another.id, scopes: ["agent:read"] });
    expect(outcome(await issue(asAgent(another, who)))).toBe("ok");
  });

  test("an address asks thirty times a minute, and answers as often", async () => {
    const ip = "192.0.2.77";
    for (let left = 29; left >= 0; left--) {
      const reply = await ask(app, "POST", issuePath, { ip, headers: { "x-form-access-key": "none" } });
      expect([outcome(reply), reply.headers.get("ratelimit")]).toEqual([
        "401 unauthorized",
        expect.stringMatching(new RegExp(`^"ip";r=${left};`)),
      ]);
    }
    const reply = await ask(app, "POST", issuePath, { ip, headers: asAgent(form, await caller()) });
    expect([outcome(reply), Number(reply.headers.get("retry-after")) > 0]).toEqual([
      "429 rate_limited",
      true,
    ]);
    const who = await caller();
    for (let i = 0; i < 30; i++)
      expect(outcome(await respond(who, unknownId, 1, { ip }))).toBe("404 not_found");
    expect(outcome(await respond(who, unknownId, 1, { ip }))).toBe("429 rate_limited");
  });
});

describe("settings.challenge.required", () => {
  test("lets an agent submit once it has passed, until the pass expires", async () => {
    const gated = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }], {
      settings: { challenge: { required: true } },
    });
    const who = await caller(gated);
    const submit = async () => {
      await app.database.sql`delete from formd.rate_limits`;
      return outcome(
        await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
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
    await app.database.sql`update formd.challenge_passes set expires_at = now() where agent_id = ${who.id}`;
    expect(await submit()).toBe("403 challenge_required");
  });
});
