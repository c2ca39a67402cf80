// stacks: one months citus gate

import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { limits } from "../../src/limits.ts";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { makeForm, type PublishedForm } from "../setup.ts";
import { inParallel, type NewSubmission, sqlFixture, submit, submitAll } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const fields = [{ id: "a", type: "text", label: "A" }];
const settingsOf = (resume: object) => ({ page: { enabled: true, resume } });
const formWith = (resume: object = { enabled: true }) =>
  makeForm(app, team, fields, { settings: settingsOf(resume) });
const form = await formWith();

interface Saved {
  outcome: string;
  updatedAt: Date;
}
interface Draft {
  token?: string;
  expected?: Date | null;
  sealed?: Buffer;
  ip?: string;
}
const newToken = () => randomBytes(16).toString("base64url");
const save = async (
  of: PublishedForm,
  { token = newToken(), expected = null, sealed = randomBytes(40), ip = newToken() }: Draft = {},
  each: Sql = sql,
): Promise<Saved> => {
  const [row] = await each<[Saved]>`
    select outcome, updated_at from formd.page_draft_save(p_team => ${team.id}, p_form => ${of.id},
      p_token_hash => ${sha256(token)}, p_expected => ${expected}, p_sealed => ${sealed}, p_uploads => '{}',
      p_uploaders => '{}', p_ip_key => ${`page-draft:ip:${ip}`})`;
  return row;
};
const open = async (of: PublishedForm, token: string) => {
  const [row] = await sql`
    select * from formd.page_draft_open(p_team => ${team.id}, p_form => ${of.id}, p_version => 1,
      p_ip_key => null, p_ip_limit => 0, p_token_hash => ${sha256(token)})`;
  return row;
};
const tokensOf = async ({ id }: PublishedForm) =>
  (
    await sql<
      { hash: string }[]
    >`select encode(token_hash, 'hex') as hash from formd.page_drafts where form_id = ${id}`
  ).map(({ hash }) => hash);
const hashOf = (token: string) => Buffer.from(sha256(token)).toString("hex");
/** A page's submission, from a draft. */
const fromDraft = (
  token: string,
  key: string,
  item: NewSubmission["item"] = {},
  of = form,
): NewSubmission => ({
  form: of,
  idempotencyKey: key,
  item: {
    credentials: {
      credential: "page",
      draft_hash: toByteaText(sha256(token)),
      access_key_hash: undefined,
      credential_hash: undefined,
      key_id: undefined,
      nonce: undefined,
      nonce_expires_at: undefined,
    },
    ...item,
  },
});

describe("saving", () => {
  test("keeps a draft to the end of a day, for the days of the form", async () => {
    for (const [resume, days] of [
      [{ enabled: true }, limits.resume.defaultDays],
      [{ enabled: true, days: 1 }, 1],
      [{ enabled: true, days: limits.resume.maxDays }, limits.resume.maxDays],
    ] as const) {
      const of = await formWith(resume);
      const token = newToken();
      expect((await save(of, { token })).outcome).toBe("saved");
      const { expiresAt } = (await open(of, token)) as { expiresAt: Date };
      const left = (expiresAt.getTime() - Date.now()) / 86_400_000;
      expect([expiresAt.getTime() % 86_400_000, left >= days - 0.001 && left <= days + 1]).toEqual([0, true]);
    }
  });

  test("of 40 at once that show the same time, one is saved and the others are told; times never repeat", async () => {
    const token = newToken();
    const { updatedAt } = await save(form, { token });
    const results = await inParallel(app.database.ownerUrl, 40, (each) =>
      save(form, { token, expected: updatedAt }, each),
    );
    const outcomes = results.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual([...Array(39).fill("conflict"), "saved"]);
    expect(new Set(results.map(({ updatedAt }) => updatedAt.getTime())).size).toBe(1);
    expect(results[0]?.updatedAt.getTime()).toBeGreaterThan(updatedAt.getTime());
  });

  test("a form that is off, offline, closed or full of drafts takes none; an unknown one is not made", async () => {
    const off = await formWith({ enabled: false });
    expect((await save(off)).outcome).toBe("resume_off");
    const offline = await makeForm(app, team, fields, { settings: { page: { resume: { enabled: true } } } });
    expect((await save(offline)).outcome).toBe("not_found");
    const closed = await makeForm(app, team, fields, {
      settings: { ...settingsOf({ enabled: true }), availability: { closesAt: "2020-01-01T00:00:00Z" } },
    });
    expect((await save(closed)).outcome).toBe("form_closed");
    expect((await save(form, { expected: new Date(0) })).outcome).toBe("not_found");
    const full = await formWith();
    await sql`
      insert into formd.page_drafts (team_id, form_id, token_hash, sealed, updated_at, expires_at)
      select ${team.id}, ${full.id}, sha256(int4send(n)), '', now(), now() + interval '1 day'
      from generate_series(1, ${limits.resume.maxOpen - 1}) n`;
    const token = newToken();
    const last = await save(full, { token });
    expect([last.outcome, (await save(full)).outcome]).toEqual(["saved", "too_many"]);
    expect((await save(full, { token, expected: last.updatedAt })).outcome).toBe("saved");
  });

  test("is limited per client: new ones, and saves of one that exists", async () => {
    const ip = newToken();
    const outcomes: string[] = [];
    for (let i = 0; i <= limits.resume.newPerHour; i++) outcomes.push((await save(form, { ip })).outcome);
    expect(outcomes.filter((each) => each === "saved")).toHaveLength(limits.resume.newPerHour);
    expect(outcomes.at(-1)).toBe("rate_limited");
    const token = newToken();
    let { updatedAt, outcome } = await save(form, { token });
    for (let i = 0; i < limits.resume.savesPerHour; i++)
      ({ updatedAt } = await save(form, { token, ip, expected: updatedAt }));
    ({ outcome } = await save(form, { token, ip, expected: updatedAt }));
    expect(outcome).toBe("rate_limited");
  });
});

describe("sending", () => {
  test("deletes the draft with the submission: 200 parallel sends from it are all stored", async () => {
    const token = newToken();
    await save(form, { token });
    const results = await inParallel(app.database.ownerUrl, 200, (each, index) =>
      submit(each, team, fromDraft(token, `send-${index}`)),
    );
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["stored"]));
    expect(await tokensOf(form)).not.toContain(hashOf(token));
  });

  test("that is refused keeps it, and what another one does not name stays", async () => {
    const [kept, other] = [newToken(), newToken()];
    await save(form, { token: kept });
    await save(form, { token: other });
    const refused = await submit(sql, team, fromDraft(kept, newToken(), { validation: "rejected" }));
    expect(refused.outcome).toBe("rejected");
    const elsewhere = await formWith();
    expect((await submit(sql, team, fromDraft(kept, newToken(), {}, elsewhere))).outcome).toBe("stored");
    await submit(sql, team, fromDraft(other, newToken()));
    const tokens = await tokensOf(form);
    expect([tokens.includes(hashOf(kept)), tokens.includes(hashOf(other))]).toEqual([true, false]);
  });

  test("lists with the same drafts in other orders, and saves of them, do not wait for each other", async () => {
    const tokens = Array.from({ length: 4 }, newToken);
    for (let round = 0; round < 5; round++) {
      const drafts = await Promise.all(tokens.map((token) => save(form, { token })));
      const results = await inParallel(app.database.ownerUrl, 12, async (each, index) => {
        if (index % 3 === 2) {
          const token = tokens[index % 4] ?? "";
          return [await save(form, { token, expected: drafts[index % 4]?.updatedAt ?? null }, each)];
        }
        const order = index % 2 === 0 ? tokens : tokens.toReversed();
        return await submitAll(
          each,
          team,
          order.map((token, at) => fromDraft(token, `list-${round}-${index}-${at}`)),
        );
      });
      const outcomes = new Set(results.flat().map(({ outcome }) => outcome));
      expect([...outcomes].filter((each) => !["stored", "saved", "not_found"].includes(each))).toEqual([]);
      await sql`delete from formd.page_drafts where form_id = ${form.id}`;
    }
  });
});

describe("the end", () => {
  test("an ended draft does not open, is saved no more, and goes in portions", async () => {
    const of = await formWith();
    const token = newToken();
    const { updatedAt } = await save(of, { token });
    expect((await open(of, token))?.sealed).not.toBeNull();
    await sql`update formd.page_drafts set expires_at = now() - interval '1 second' where form_id = ${of.id}`;
    expect((await open(of, token))?.sealed).toBeNull();
    expect((await save(of, { token, expected: updatedAt })).outcome).toBe("not_found");
    await sql`
      insert into formd.page_drafts (team_id, form_id, token_hash, sealed, updated_at, expires_at)
      select ${team.id}, ${of.id}, sha256(int4send(n)), '', now(), now() - interval '1 day' from generate_series(1, 399) n`;
    const left: number[] = [];
    for (let i = 0; i < 3; i++) {
      const rows = await sql<{ name: string; work: number }[]>`select * from formd.expired_purge(5000)`;
      left.push(rows.find(({ name }) => name === "page_drafts")?.work ?? -1);
    }
    expect([left.slice(0, 2), (await tokensOf(of)).length]).toEqual([[5000, 5000], 0]);
  });

  test("the number of open drafts is exact up to its bound, and null where there are none", async () => {
    const count = async (of: PublishedForm) => {
      const items = [{ team_id: team.id, key_hash: toByteaText(sha256(team.key)), form_id: of.id }];
      const [row] = await sql<[{ drafts: number | null }]>`
        select drafts from formd.forms_read(p_team => ${team.id}, p_items => ${sql.json(items)})`;
      return row.drafts;
    };
    const [on, off] = [await formWith(), await formWith({ enabled: false })];
    expect([await count(on), await count(off)]).toEqual([0, null]);
    for (const of of [on, off])
      await sql`
        insert into formd.page_drafts (team_id, form_id, token_hash, sealed, updated_at, expires_at)
        select ${team.id}, ${of.id}, sha256(int4send(n)), '', now(), now() + interval '1 day'
        from generate_series(1, ${of === on ? 1_200 : 7}) n`;
    expect([await count(on), await count(off)]).toEqual([limits.resume.maxCounted, 7]);
  });
});
