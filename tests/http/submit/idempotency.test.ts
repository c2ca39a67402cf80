import { describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import { makeKey } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

const fixture = await submissionsFixture([{ id: "name", type: "text", label: "Name", required: true }]);
const { app, team, freshForm, byKey, agentOn, putInForce, archive } = fixture;
const { sql } = app.database;
const submit = (headers: Record<string, string>, key: string | undefined, body: unknown = ada) =>
  fixture.submit({ ...headers, ...(key !== undefined && { "idempotency-key": key }) }, body);
const ada = { data: { name: "Ada" } };

// Concurrent calls with one key, and one body or several, are tested in tests/sql/submit.test.ts.
describe("Idempotency-Key on submit", () => {
  test("the same body again gets the same response: no second row, and no wait for the agent's rate limit", async () => {
    const form = await freshForm();
    const headers = await agentOn(form);
    const first = await submit(headers, "order-1");
    expect(outcome(first)).toBe("ok");
    for (let again = 0; again < 3; again++) {
      const reply = await submit(headers, "order-1");
      expect([reply.status, reply.body]).toEqual([200, first.body]);
    }
    expect(outcome(await submit(headers, undefined))).toBe("429 rate_limited");
    expect(outcome(await submit(headers, "order-2"))).toBe("429 rate_limited");
    expect(await submissionCount(app, form)).toBe(1);
  });

  test("another body, to the byte, is idempotency_key_reused, and the first response stays", async () => {
    const form = await freshForm();
    const first = await submit(byKey(form), "k", '{"data":{"name":"Ada"}}');
    for (const body of [
      '{"data":{"name":"Bob"}}',
      '{"data":{"name":"Ada"} }',
      '{"data":{}}',
      '{"data":{"name":"Ada"},"metadata":{}}',
    ]) {
      expect(outcome(await submit(byKey(form), "k", body))).toBe("422 idempotency_key_reused");
    }
    expect((await submit(byKey(form), "k", '{"data":{"name":"Ada"}}')).body).toEqual(first.body);
    expect(await submissionCount(app, form)).toBe(1);
  });

  test("a 422 does not keep its key: it is validated anew, and a corrected body is stored under the same key", async () => {
    const form = await freshForm();
    const wrong = { data: { name: 7, nick: 1 } };
    const first = await submit(byKey(form), "k", wrong);
    expect(outcome(first)).toBe("422 validation_failed");
    const again = await submit(byKey(form), "k", wrong);
    expect([again.status, again.body]).toEqual([422, first.body]);
    const stored = await submit(byKey(form), "k");
    expect(outcome(stored)).toBe("ok");
    expect(outcome(await submit(byKey(form), "k", wrong))).toBe("422 idempotency_key_reused");
    expect((await submit(byKey(form), "k")).body).toEqual(stored.body);
    expect(await submissionCount(app, form)).toBe(1);
  });

  test("no other problem keeps its key: the key is free for the next try", async () => {
    const form = await freshForm();
    const headers = await agentOn(form);
    expect(outcome(await submit(headers, undefined))).toBe("ok");
    expect(outcome(await submit(headers, "k"))).toBe("429 rate_limited");
    await sql`delete from formd.rate_limits where key like 'submit:agent:%'`;
    expect(outcome(await submit(headers, "k"))).toBe("ok");
    expect(outcome(await submit(byKey(form), "m", "{"))).toBe("400 invalid_body");
    expect(outcome(await submit(byKey(form), "m"))).toBe("ok");
    await putInForce(form, { challenge: { required: true } });
    const gated = await agentOn(form);
    expect(outcome(await submit(gated, "c"))).toBe("403 challenge_required");
    await putInForce(form, { challenge: { required: false } });
    expect(outcome(await submit(gated, "c"))).toBe("ok");
  });

  test("a key belongs to one caller on one form", async () => {
    const [one, two] = [await freshForm(), await freshForm()];
    const { key } = await makeKey(app, team, "submissions:write");
    const callers = [byKey(one), byKey(two), byKey(one, key), await agentOn(one), await agentOn(one)];
    const ids = new Set<string>();
    for (const headers of callers) {
      const reply = await submit(headers, "shared", { data: { name: `caller ${ids.size}` } });
      expect(outcome(reply)).toBe("ok");
      ids.add(reply.body.data.id);
    }
    expect([ids.size, await submissionCount(app, one), await submissionCount(app, two)]).toEqual([5, 4, 1]);
  });

  test("replay comes after credentials, grant and form, and before the challenge gate", async () => {
    const form = await freshForm();
    const headers = await agentOn(form);
    const send = () => submit(headers, "k");
    const first = await send();
    await putInForce(form, { challenge: { required: true } });
    expect((await send()).body).toEqual(first.body);
    await archive(form);
    expect(outcome(await send())).toBe("403 form_not_published");
    await sql`update formd.forms set status = 'published', archived_at = null where id = ${form.id}`;
    await sql`update formd.grants set scopes = '{agent:read}' where team_id = ${team.id} and form_id = ${form.id}`;
    expect(outcome(await send())).toBe("403 missing_scope");
    await sql`delete from formd.grants where team_id = ${team.id} and form_id = ${form.id}`;
    expect(outcome(await send())).toBe("403 no_grant");
    await sql`update formd.sessions set expires_at = now() where team_id = ${team.id}`;
    expect(outcome(await send())).toBe("401 unauthorized");
  });

  const keys: [title: string, key: string, expected: string][] = [
    ["of 255 characters is taken", "k".repeat(255), "ok"],
    ["of 256 characters is refused", "k".repeat(256), "400 bad_request"],
    ["of any printable characters is taken", "'; -- \"{}%$\\", "ok"],
    ["with other than ASCII characters is refused, as a tool refuses it", "caf\u00e9", "400 bad_request"],
  ];
  test.each(keys)("a key %s", async (_title, key, expected) => {
    const form = await freshForm();
    const replies = [await submit(byKey(form), key), await submit(byKey(form), key)];
    expect(replies.map(outcome)).toEqual([expected, expected]);
    expect(await submissionCount(app, form)).toBe(expected === "ok" ? 1 : 0);
  });
});
