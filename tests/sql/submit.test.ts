// stacks: one months citus oldest gate
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { SubmitterCredentials } from "../../src/platform/auth/submitter.ts";
import type { Sql } from "../../src/platform/database/db.ts";
import type { SubmissionItem } from "../../src/resources/submit/submit.ts";
import type { ValidationItem } from "../../src/resources/submit/validate.ts";
import { makeAgent, makeForm, type PublishedForm } from "../setup.ts";
import {
  inParallel,
  type NewSubmission,
  type SubmitResult,
  sqlFixture,
  submitAll,
  submit as submitOne,
} from "./fixture.ts";
import { totalsOf } from "./submissions-fixture.ts";

const { app, sql, team } = await sqlFixture();
const freshForm = () => makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
const form = await freshForm();

/** One submit, to the form unless another is named. */
const submit = (each: Sql, submission: Partial<NewSubmission> = {}) =>
  submitOne(each, team, { form, ...submission });

/**
 * A misspelt member would be null in SQL. The compiler holds these lists to the interfaces, the test to the
 * types.
 */
const credentials: Record<keyof SubmitterCredentials, 1> = {
  ...{ access_key_hash: 1, credential: 1, credential_hash: 1, key_id: 1, nonce: 1, nonce_expires_at: 1 },
  ...{ draft_hash: 1, invitation_hash: 1, claim_hash: 1 },
};
const validation: Record<keyof ValidationItem, 1> = {
  ...{ team_id: 1, form_id: 1, version: 1, credentials: 1, ip_key: 1, ip_limit: 1, agent_limit: 1 },
};
const submission: Record<keyof SubmissionItem, 1> = {
  ...{ team_id: 1, form_id: 1, version: 1, credentials: 1, admitted: 1, ip_key: 1, ip_limit: 1 },
  ...{ validation: 1, data: 1, metadata: 1, respondent_id: 1, partial: 1, missing_required: 1 },
  ...{ idempotency_key_hash: 1, body_hash: 1, request_digest: 1 },
  ...{ signature_input: 1, signature: 1, declared_agent: 1, validation_limit: 1 },
};
const members = {
  submitter_credentials: credentials,
  validation_item: validation,
  submission_item: submission,
};

test.each(Object.entries(members))("the members of a %s are the columns of the type", async (type, names) => {
  const columns = await sql<{ name: string }[]>`
    select attname::text as name from pg_attribute
    where attrelid = ${`formd.${type}`}::regclass and attnum > 0 and not attisdropped`;
  expect(Object.keys(names).sort()).toEqual(columns.map(({ name }) => name).sort());
});

describe("submissions_submit", () => {
  test("200 at once, half of them rolled back: the counters say what is there", async () => {
    const counted = await freshForm();
    // Every fourth is partial, which takes an agent: one each.
    const tokens: string[] = [];
    for (let i = 0; i < 50; i++) tokens.push((await makeAgent(app, team, counted)).token);
    await inParallel(app.database.ownerUrl, 200, (each, index) =>
      each
        .begin(async (inner) => {
          const token = index % 4 === 0 && tokens[index / 4];
          const submission = token ? { form: counted, token, item: { partial: true } } : { form: counted };
          expect((await submit(inner as unknown as Sql, submission)).outcome).toBe("stored");
          if (index % 4 === 0 ? index % 8 : index % 2) await inner`select 1 / 0`;
        })
        .catch((error) => expect(error.code).toBe("22012")),
    );
    expect(await totalsOf(sql, counted)).toEqual({ completed: 50, partial: 25 });
  });

  test.each([
    ["one body stores one row, and all get its result", "replayed", () => "same"],
    ["20 bodies stores one row, and the others are told that it is taken", "idempotency_key_reused", String],
  ] as const)("one Idempotency-Key sent 20 times at once with %s", async (_, refused, bodyOf) => {
    const { completed = 0 } = await totalsOf(sql, form);
    const answers = await inParallel(app.database.ownerUrl, 20, (each, index) =>
      submit(each, { idempotencyKey: `twins: ${refused}`, body: bodyOf(index) }),
    );
    const outcomes = answers.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual([...Array(19).fill(refused), "stored"].toSorted());
    const told = answers.flatMap(({ response }) => (response ? JSON.stringify(response) : []));
    expect([told.length, new Set(told).size]).toEqual([refused === "replayed" ? 20 : 1, 1]);
    expect(await totalsOf(sql, form)).toMatchObject({ completed: completed + 1 });
  });

  test("concurrent submits with an Idempotency-Key lock no form: they make no multixact and wait for no change of it", async () => {
    const own = await freshForm();
    const lockerOf = async ({ id }: PublishedForm) =>
      (await sql<[{ xmax: string }]>`select xmax::text from formd.forms where id = ${id}`)[0].xmax;
    const before = await lockerOf(own); // the transaction that locked the row last, or a multixact of several
    await inParallel(app.database.ownerUrl, 4, (each, index) =>
      each.begin(async (inner) => {
        const { outcome } = await submitOne(inner as unknown as Sql, team, {
          form: own,
          idempotencyKey: `form ${index}`,
        });
        expect(outcome).toBe("stored");
        expect(await lockerOf(own)).toBe(before);
      }),
    );
    await sql.begin(async (changing) => {
      await changing`select from formd.forms where team_id = ${team.id} and id = ${own.id} for no key update`;
      const after = { form: own, idempotencyKey: "while the form is being changed" };
      expect((await submitOne(sql, team, after)).outcome).toBe("stored");
    });
  });

  test("an agent's twins at once: one is stored, and the others get its response, however often an agent may submit", async () => {
    const { token } = await makeAgent(app, team, form);
    const answers = await inParallel(app.database.ownerUrl, 8, (each) =>
      submit(each, { token, idempotencyKey: "an agent's twins", body: "same" }),
    );
    expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual([
      ...Array(7).fill("replayed"),
      "stored",
    ]);
  });

  test("an Idempotency-Key whose first call was rolled back is free again", async () => {
    await sql
      .begin(async (inner) => {
        await submit(inner as unknown as Sql, { idempotencyKey: "undone" });
        await inner`select 1 / 0`;
      })
      .catch(() => {});
    expect((await submit(sql, { idempotencyKey: "undone" })).outcome).toBe("stored");
  });

  test("an Idempotency-Key with another body is refused, except after a 422; after 24 hours it is new", async () => {
    const once = (body: string, item: Partial<SubmissionItem> = {}) =>
      submit(sql, { idempotencyKey: "once", body, item });
    const rejected = { validation: "rejected" } as const;
    expect((await once("1", rejected)).outcome).toBe("rejected");
    expect((await once("2")).outcome).toBe("stored");
    expect((await once("2")).outcome).toBe("replayed");
    expect((await once("1", rejected)).outcome).toBe("idempotency_key_reused");
    const [kept] = await sql`
      select extract(epoch from expires_at - now())::int as seconds from formd.idempotency_keys
      where key_hash = sha256('once')`;
    expect(kept?.seconds).toBeWithin(86_300, 86_401);
    await sql`update formd.idempotency_keys set expires_at = now() - interval '1 second' where key_hash = sha256('once')`;
    expect((await once("3")).outcome).toBe("stored");
  });

  test("what is not validated against the published version is counted and not stored; sent again, it is stored and not counted", async () => {
    const notValidated: Partial<SubmissionItem>[] = [
      { version: undefined },
      { version: 0 },
      { version: 2 },
      { validation: "pending" },
    ];
    for (const item of notValidated) {
      const { token } = await makeAgent(app, team, form);
      const ip_key = `submit:ip:${uuidv7()}`;
      const first = await submit(sql, { token, idempotencyKey: ip_key, item: { ...item, ip_key } });
      const again = { admitted: true, ip_key };
      expect({ outcome: first.outcome, response: first.response }).toEqual({
        outcome: "admitted",
        response: null,
      });
      expect([first.formVersion, first.formSchema]).toEqual(
        "validation" in item ? [null, null] : [1, expect.objectContaining({ fields: expect.anything() })],
      );
      expect((await submit(sql, { token, idempotencyKey: ip_key, item: again })).outcome).toBe("stored");
      expect((await submit(sql, { token, idempotencyKey: ip_key, item: again })).outcome).toBe("replayed");
      const [row] = await sql<
        [{ counts: number[] }]
      >`select counts from formd.rate_limits where key = ${ip_key}`;
      expect(row.counts).toEqual([1]);
    }
  });

  test("every item of a list has an outcome of its own: nothing that a caller can cause raises", async () => {
    const unknown: PublishedForm = { id: form.id, accessKey: form.accessKey.slice(0, -4).concat("AAAA") };
    const list: Partial<NewSubmission>[] = [
      {},
      { form: unknown },
      { token: "fds_none" },
      { item: { validation: "malformed" } },
      { item: { validation: "rejected" } },
      { item: { partial: true } },
      {},
    ];
    const { completed = 0 } = await totalsOf(sql, form);
    const refused = await submit(sql, { form: unknown, item: { version: undefined } });
    // Nothing to compile for a stranger.
    expect([refused.outcome, refused.formSchema]).toEqual(["unauthorized", null]);
    const outcomes = (
      await submitAll(
        sql,
        team,
        list.map((submission) => ({ form, ...submission })),
      )
    ).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([
      "stored",
      "unauthorized",
      "unauthorized",
      "malformed",
      "rejected",
      "partial_not_allowed",
      "stored",
    ]);
    expect(await totalsOf(sql, form)).toMatchObject({ completed: completed + 2 });
  });

  test("twins in one list are one row, and both get its result", async () => {
    const twin = { form, idempotencyKey: "in one list", body: "same" };
    const [first, second] = await submitAll(sql, team, [twin, twin]);
    expect([first?.outcome, second?.outcome]).toEqual(["stored", "replayed"]);
    expect(second?.response).toEqual(first?.response as SubmitResult["response"]);
  });

  test("rejected data of a tool's call counts as a dry run, and beyond their limit as a submit", async () => {
    const agent = await makeAgent(app, team, form);
    const { token } = agent;
    const rejected = { validation: "rejected", validation_limit: 2 } as const;
    const send = async (item: Partial<SubmissionItem>) => {
      const { outcome, limitName, remaining } = await submit(sql, { token, item });
      return [outcome, limitName, remaining];
    };
    expect(await send(rejected)).toEqual(["rejected", "agent", 1]);
    // A large body is admitted, and counted, by an earlier call.
    expect((await send({ ...rejected, validation: "pending" }))[0]).toBe("admitted");
    expect((await send({ ...rejected, admitted: true }))[0]).toBe("rejected");
    const counts = async () =>
      await sql<{ key: string; sum: number }[]>`
        select split_part(key, ':', 1) as key, coalesce((select sum(n) from unnest(counts) n), 0)::int as sum
        from formd.rate_limits where key like ${`%:agent:${agent.id}`} order by key`;
    expect([...(await counts())]).toEqual([
      { key: "submit", sum: 0 },
      { key: "validate", sum: 2 },
    ]);
    expect(await send(rejected)).toEqual(["rejected", "agent", 0]);
    expect(await send(rejected)).toEqual(["rate_limited", "agent", 0]);
    expect((await counts()).map(({ sum }) => sum)).toEqual([1, 2]);
  });

  test("one agent that submits 20 times at once is let through once", async () => {
    const { token } = await makeAgent(app, team, form);
    const answers = await inParallel(app.database.ownerUrl, 20, (each) =>
      submit(each, { token, item: { ip_key: "submit:ip:one" } }),
    );
    expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual([
      ...Array(19).fill("rate_limited"),
      "stored",
    ]);
    // A submission over the agent's rate limit does not count against the client IP.
    const [row] = await sql<
      [{ counts: number[] }]
    >`select counts from formd.rate_limits where key = 'submit:ip:one'`;
    expect(row.counts).toEqual([1]);
  });
});
