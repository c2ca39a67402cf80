// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome, timestamp, unknownId } from "../../expect.ts";
import { asAgent, ask, formd, makeForm } from "../../setup.ts";
import { digestOf, type Key, send, signed, unsigned } from "../../signing.ts";
import { answerPath, challengesFixture } from "./fixture.ts";

const { app, team, form, bare, caller, challenge, respond, identity } = await challengesFixture();
const right = "ada@example.org";

describe("POST /papi/v1/submitter/challenges/{challenge_id}/responses", () => {
  test("a right response passes, once", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    const before = Date.now();
    const { status, body } = await respond(who, challengeId, right);
    const data = { passed: true, passExpiresAt: expect.stringMatching(timestamp) };
    expect([status, body]).toEqual([200, { apiVersion: "v1", data }]);
    expect(Math.abs(Date.parse(body.data.passExpiresAt) - before - 7 * 60_000)).toBeLessThan(5_000);
    expect(outcome(await respond(who, challengeId, right))).toBe("400 bad_request");
  });

  test("three wrong responses fail the challenge for good", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    for (const left of [
      { remainingAttempts: 2 },
      { remainingAttempts: 1 },
      { remainingAttempts: 0, failedAt: true },
    ])
      expect((await respond(who, challengeId, "nobody@example.com")).body.data).toEqual({
        passed: false,
        ...left,
      });
    expect(outcome(await respond(who, challengeId, right))).toBe("403 challenge_failed");
  });

  test("an expired challenge takes no response", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    await app.database.sql`update formd.challenges set expires_at = now() where id = ${challengeId}`;
    expect(outcome(await respond(who, challengeId, right))).toBe("403 challenge_expired");
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
  /** Sends this text as the body, signed. */
  const sendText = (key: Key, id: string, body: string, type = "application/json", to = form) => {
    const request = { ...unsigned(app, answerPath(id), to, {}), body };
    request.headers = { ...request.headers, "content-type": type, "content-digest": digestOf(body) };
    return send(app, signed(key, request));
  };
  const first = { passed: false, remainingAttempts: 2 };
  test.each(wrong)("%s is wrong", async (_title, field, answer) => {
    const asked = await makeForm(app, team, [{ id: "f", label: "F", ...field }]);
    const who = await caller(asked);
    const { challengeId } = await challenge(who, asked);
    const literal = typeof answer === "string" && /^["9]/.test(answer) ? answer : JSON.stringify(answer);
    const { body } = await sendText(who.key, challengeId, `{"answer":${literal}}`, undefined, asked);
    expect(body.data).toEqual(first);
  });

  test("a body that is not a response is rejected and counts no attempt", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    for (const [body, type, expected] of [
      ["{}", "application/json", "400 invalid_body"],
      ["[]", "application/json", "400 invalid_body"],
      ["{", "application/json", "400 invalid_body"],
      ['{"answer":1}', "text/plain", "415 invalid_content_type"],
      [JSON.stringify({ answer: "x".repeat(16_384) }), "application/json", "413 payload_too_large"],
    ] as const)
      expect(outcome(await sendText(who.key, challengeId, body, type))).toBe(expected);
    expect((await respond(who, challengeId, "wrong")).body.data).toEqual(first);
  });

  test("takes a signature only: a token, an API key or nothing is signature_required", async () => {
    const who = await caller();
    const { challengeId } = await challenge(who);
    for (const headers of [{}, asAgent(form, who), { "x-api-key": team.key }]) {
      const reply = await ask(app, "POST", answerPath(challengeId), { headers, body: { answer: right } });
      expect(outcome(reply)).toBe("403 signature_required");
    }
    const bad = await respond(who, challengeId, right, { recipe: { values: { "@method": "GET" } } });
    expect(outcome(bad)).toBe("401 unauthorized");
    expect((await respond(who, challengeId, right)).body.data.passed).toBe(true);
  });

  test("the access key may stay away; one that is sent must be covered, and be this form's", async () => {
    const who = await caller();
    const answer = async (options: Parameters<typeof respond>[3]) =>
      outcome(await respond(who, (await challenge(who)).challengeId, right, options));
    const uncovered = { components: ["@method", "@authority", "@path", "content-digest"] };
    const wrongKey = { ...form, accessKey: `${form.accessKey.slice(0, -3)}AAA` };
    expect(await answer({ to: null })).toBe("ok");
    expect(await answer({ recipe: uncovered })).toBe("401 unauthorized");
    expect(await answer({ to: bare })).toBe("404 not_found");
    expect(await answer({ to: wrongKey })).toBe("401 unauthorized");
    expect(outcome(await respond(who, "x", right))).toBe("400 bad_request");
    expect(outcome(await respond(who, unknownId, right, { to: null }))).toBe("401 unauthorized");
  });

  test("another agent's signature is not_found with a grant on the form, no_grant without", async () => {
    const { challengeId } = await challenge(await caller());
    const stranger = await caller(bare);
    for (const to of [form, null]) {
      expect(outcome(await respond(await caller(), challengeId, right, { to }))).toBe("404 not_found");
      expect(outcome(await respond(stranger, challengeId, right, { to }))).toBe("403 no_grant");
    }
  });

  test("agent and grant are read live: disabled is agent_inactive, without its grant no_grant", async () => {
    const [disabled, bereft] = [await caller(), await caller()];
    const [one, two] = [await challenge(disabled), await challenge(bereft)];
    await identity("PATCH", disabled.id, { status: "disabled" });
    const [{ id }] = (await identity("GET", `${bereft.id}/grants`)).body.data.grants;
    await identity("DELETE", `${bereft.id}/grants/${id}`);
    expect(outcome(await respond(disabled, one.challengeId, right))).toBe("403 agent_inactive");
    expect(outcome(await respond(bereft, two.challengeId, right))).toBe("403 no_grant");
  });

  test("validates by the version that was asked about, though the form has a newer one", async () => {
    const moving = await makeForm(app, team, [{ id: "f", type: "select", label: "F", options: ["old"] }]);
    const who = await caller(moving);
    const { challengeId } = await challenge(who, moving);
    await ask(app, "PATCH", `/papi/v1/management/forms/${moving.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "updateField", fieldId: "f", set: { options: ["new"] } }] },
    });
    await formd(["form", "publish", moving.id], { DATABASE_URL: app.database.ownerUrl });
    expect((await respond(who, challengeId, "new", { to: moving })).body.data.passed).toBe(false);
    expect((await respond(who, challengeId, "old", { to: moving })).body.data.passed).toBe(true);
  });
});
