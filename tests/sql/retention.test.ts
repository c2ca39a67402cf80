// stacks: one months citus gate
/** A rule deletes what is older, and nothing else; what is held stays; nothing is counted twice. */
import { describe, expect, test } from "bun:test";
import { connect, jsonb, type Sql } from "../../src/platform/database/db.ts";
import type { Logger } from "../../src/platform/log.ts";
import { expireSubmissions, purging } from "../../src/platform/ops/purge.ts";
import { makeForm } from "../setup.ts";
import { submit } from "./fixture.ts";
import { daysAgo, retentionFixture } from "./retention-fixture.ts";

const { app, sql, team, admin, ruled, aged, idsOf, hold, release, dueOf, recount } = await retentionFixture();
const logged: object[] = [];
const log = { info: () => {}, warn: (fact: object) => logged.push(fact) } as unknown as Logger;

describe("the calendar", () => {
  test.each([
    ["P1D", "2027-03-01T00:00:00Z", "2027-02-28T00:00:00.000Z"],
    ["P2W", "2027-03-01T00:00:00Z", "2027-02-15T00:00:00.000Z"],
    // A submission of 31 January stays through February: its month ends where the next one begins.
    ["P1M", "2027-02-28T23:59:59Z", "2027-01-28T23:59:59.000Z"],
    ["P1M", "2027-03-01T00:00:00Z", "2027-02-01T00:00:00.000Z"],
    ["P1M", "2027-03-31T12:00:00Z", "2027-02-28T12:00:00.000Z"],
    // A year after 29 February.
    ["P1Y", "2029-02-28T12:00:00Z", "2028-02-28T12:00:00.000Z"],
    ["P1Y", "2029-03-01T00:00:00Z", "2028-03-01T00:00:00.000Z"],
    ["P1Y", "2028-02-29T12:00:00Z", "2027-02-28T12:00:00.000Z"],
    ["P20Y", "2027-01-01T00:00:00Z", "2007-01-01T00:00:00.000Z"],
  ])(
    "%s at %s deletes what is from before %s, whatever the session's time zone",
    async (time, at, cutoff) => {
      for (const zone of ["UTC", "Europe/Berlin", "America/St_Johns"]) {
        const [row] = await sql.begin(async (each) => {
          await each`select set_config('timezone', ${zone}, true)`;
          return await each<[{ cutoff: Date }]>`
          select formd.retention_cutoff(${jsonb(sql, { deleteAfter: time })}, ${at}) as cutoff`;
        });
        expect(row.cutoff.toISOString()).toBe(cutoff);
      }
    },
  );
});

describe("a rule", () => {
  test("deletes older submissions and keeps newer ones; counters, audit and erasures are updated", async () => {
    const form = await ruled({ deleteAfter: "P90D" });
    const old = [await aged(form, 91), await aged(form, 400)];
    const young = [await aged(form, 88), await aged(form, 0)];
    expect(await dueOf(form)).toEqual({ due: 2, held: 0, source: "form" });
    await expireSubmissions(sql, log);
    expect(await idsOf(form)).toEqual(young.toSorted());
    await recount(form);
    expect(await dueOf(form)).toMatchObject({ due: 0 });
    const events = await sql`
      select object_id, actor_type, actor_id, details from formd.audit_events
      where form_id = ${form.id} and kind = 'submission.deleted' order by object_id`;
    expect([...events]).toEqual(
      old.toSorted().map((id) => ({
        objectId: id,
        actorType: "retention",
        actorId: null,
        details: { fieldIds: ["a"] },
      })),
    );
    const erasures = await sql`
      select submission_id, actor_type from formd.submission_erasures where form_id = ${form.id} order by 1`;
    expect(erasures.map(({ submissionId }) => submissionId)).toEqual(old.toSorted());
    expect(logged).toEqual([]);
  });

  test("takes the files along; those of what is held stay", async () => {
    const form = await ruled({ deleteAfter: "P90D" });
    const [old, held] = [await aged(form, 91), await aged(form, 91)];
    await hold(sql, form, held);
    for (const submission of [old, held])
      await sql`
        insert into formd.files (team_id, form_id, id, field_id, submission_id, state, uploader, name, size, type, sha256, created_at)
        values (${team.id}, ${form.id}, ${submission}, 'cv', ${submission}, 'claimed', 'api_key:', 'Ada.pdf', 10, 'text/plain',
          sha256('a'), now())`;
    await expireSubmissions(sql, log);
    const files = await sql`
      select id, state, name, sha256 is null as is_blank, expires_at is not null as is_due from formd.files
      where form_id = ${form.id}`;
    expect(files.toSorted((a) => (a.id === old ? -1 : 1))).toEqual([
      { id: old, state: "deleted", name: "", isBlank: true, isDue: true },
      { id: held, state: "claimed", name: "Ada.pdf", isBlank: false, isDue: false },
    ]);
  });

  test("from completion counts from there, and what is not completed from its last change", async () => {
    const form = await ruled({ deleteAfter: "P30D", from: "completed" });
    const [late, , stale] = [await aged(form, 60), await aged(form, 60), await aged(form, 60)];
    const at = daysAgo(10);
    await sql`update formd.submissions set completed_at = ${at} where form_id = ${form.id} and id = ${late}`;
    await sql`
      update formd.submissions set status = 'pending', completed_at = null, updated_at = ${at}
      where form_id = ${form.id} and id = ${stale}`;
    await sql`select formd.submission_counts_repair(${team.id}, ${form.id})`;
    await expireSubmissions(sql, log);
    expect(await idsOf(form)).toEqual([late, stale].toSorted());
    await recount(form);
  });

  test("of the team holds for forms that have none, and the form's own goes before it", async () => {
    const [plain, own] = [await ruled(null), await ruled({ deleteAfter: "P1Y" })];
    const [gone, kept] = [await aged(plain, 40), await aged(own, 40)];
    const set = (rule: object | null) =>
      sql`select formd.team_set_retention(${team.id}, ${admin}, ${rule && jsonb(sql, rule)}::jsonb)`;
    await set({ deleteAfter: "P30D" });
    expect([await dueOf(plain), await dueOf(own)]).toEqual([
      { due: 1, held: 0, source: "team" },
      { due: 0, held: 0, source: "form" },
    ]);
    await expireSubmissions(sql, log);
    await set(null);
    expect(await idsOf(plain)).not.toContain(gone);
    expect(await idsOf(own)).toEqual([kept]);
    expect(await dueOf(plain)).toMatchObject({ source: null });
  });

  test("frees the options with a limit that a deleted submission had chosen", async () => {
    const options = [{ value: "x", limit: 1 }];
    const limited = [{ id: "a", type: "select", label: "A", options }];
    const form = await makeForm(app, team, limited, { settings: { retention: { deleteAfter: "P1D" } } });
    await aged(form, 2);
    expect((await submit(sql, team, { form })).outcome).toBe("option_full");
    await expireSubmissions(sql, log);
    expect((await submit(sql, team, { form })).outcome).toBe("stored");
  });

  test("goes on after what it may not delete, also in steps of one", async () => {
    const form = await ruled({ deleteAfter: "P1D" });
    const ids: string[] = [];
    for (let days = 9; days > 2; days--) ids.push(await aged(form, days));
    await hold(sql, form, ids[0] as string);
    await hold(sql, form, ids[3] as string);
    expect(await expireSubmissions(sql, log, 1)).toBe(5);
    expect(await idsOf(form)).toEqual([ids[0] as string, ids[3] as string]);
    expect(await dueOf(form)).toEqual({ due: 0, held: 2, source: "form" });
  });

  test("deletes each submission once, also when several servers run it", async () => {
    const form = await ruled({ deleteAfter: "P1D" });
    for (let n = 0; n < 60; n++) await aged(form, 3);
    const servers = Array.from({ length: 4 }, () =>
      connect(app.database.url, { poolSize: 1, prepare: false }),
    );
    const totals = await Promise.all(servers.map((server) => expireSubmissions(server, log, 7)));
    for (const server of servers) await server.end();
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(60);
    expect(await idsOf(form)).toEqual([]);
    await recount(form);
    const [{ events }] = await sql<[{ events: number }]>`
      select count(*)::integer as events from formd.audit_events
      where form_id = ${form.id} and kind = 'submission.deleted'`;
    expect(events).toBe(60);
  });
});

describe("the job", () => {
  /** The names of the functions that a job calls, each told before its call. */
  const telling = (tell: (name: string) => void) =>
    ((texts: TemplateStringsArray, ...values: never[]) => {
      tell(/formd\.(\w+)/.exec(texts.join(""))?.[1] ?? "");
      return sql(texts, ...values);
    }) as unknown as Sql;
  /** A form with a rule: one step deletes one of its submissions. */
  const slow = async () => {
    const options = [{ value: "x", limit: 9 }];
    const form = await makeForm(app, team, [{ id: "a", type: "select", label: "A", options }], {
      settings: { retention: { deleteAfter: "P1D" } },
    });
    for (let days = 3; days < 6; days++) await aged(form, days);
    return form;
  };

  test("makes months before it deletes by rules, and runs once at a time", async () => {
    const form = await slow();
    const called: string[] = [];
    const { run } = purging(
      telling((name) => called.push(name)),
      log,
    );
    await Promise.all([run(), run()]);
    expect(called.filter((name) => !["submissions_expire", "retention_next"].includes(name))).toEqual([
      ...["expired_purge", "partition_make", "retention_forms"],
    ]);
    expect(await idsOf(form)).toEqual([]);
    await run();
    expect(called.filter((name) => name === "partition_make")).toHaveLength(2);
  });

  test("locks nothing where all stay, and leaves a rule that deletes nothing alone for an hour", async () => {
    const form = await ruled({ deleteAfter: "P1D" });
    const held = [await aged(form, 5), await aged(form, 3)];
    for (const id of held) await hold(sql, form, id);
    const called: string[] = [];
    const asleep = new Map<string, number>();
    const run = async () => {
      called.length = 0;
      await expireSubmissions(
        telling((name) => called.push(name)),
        log,
        100,
        undefined,
        asleep,
      );
      return called.filter((name) => name !== "retention_forms");
    };
    expect(await run()).toContain("retention_next");
    expect(called).not.toContain("submissions_expire");
    expect(Math.min(...asleep.values())).toBeGreaterThan(Date.now() + 59 * 60_000);
    expect(Math.max(...asleep.values())).toBeLessThanOrEqual(Date.now() + 60 * 60_000);
    await release(form, held[0] as string);
    expect(await run()).toEqual([]);
    // A changed rule counts at the next run.
    await sql`
      update formd.forms set settings_in_force = settings_in_force || '{"retention": {"deleteAfter": "P4D"}}' where id = ${form.id}`;
    expect(await run()).toEqual(["retention_next", "submissions_expire", "retention_next"]);
    expect(await idsOf(form)).toEqual([held[1] as string]);
    // A rule that has deleted something is looked at again, and sleeps once it has not.
    expect(await run()).toEqual(["retention_next"]);
    await release(form, held[1] as string);
    await sql`
      update formd.forms set settings_in_force = settings_in_force || '{"retention": {"deleteAfter": "P2D"}}' where id = ${form.id}`;
    for (const rule of asleep.keys()) asleep.set(rule, Date.now() - 1);
    await run();
    expect(await idsOf(form)).toEqual([]);
  });

  test("finds what is due among held ones and those that were completed lately, in looks of any length", async () => {
    const form = await ruled({ deleteAfter: "P2D", from: "completed" });
    const ids: string[] = [];
    for (let days = 20; days > 0; days--) ids.push(await aged(form, days));
    const late = ids.filter((_, n) => n % 3 === 1);
    await sql`update formd.submissions set completed_at = now(), updated_at = now() where id in ${sql(late)}`;
    const held = ids.filter((_, n) => n % 5 < 2);
    for (const id of held) await hold(sql, form, id);
    const due = ids.slice(0, 19).filter((id) => !late.includes(id) && !held.includes(id));
    for (const limit of [1, 2, 7, 100]) {
      const found: string[] = [];
      for (let after: string | null = null; ; ) {
        const [next]: { isDue: boolean | null; lastId: string | null }[] = await sql<
          { isDue: boolean | null; lastId: string | null }[]
        >`
          select is_due, last_id from formd.retention_next(${team.id}, ${form.id}, ${after}, ${limit})`;
        if (next?.isDue === null) break;
        after = next?.lastId ?? null;
        if (!next?.isDue) continue;
        after = ids[ids.indexOf(after ?? "") + 1] as string;
        found.push(after);
      }
      expect([limit, found]).toEqual([limit, due]);
    }
    await expireSubmissions(sql, log);
    expect(await idsOf(form)).toEqual(ids.filter((id) => !due.includes(id)));
    await recount(form);
  });

  test("ends after the step in which it is stopped", async () => {
    const form = await slow();
    const called: string[] = [];
    const { run, stop } = purging(
      telling((name) => {
        called.push(name);
        if (name === "submissions_expire") stop();
      }),
      log,
    );
    await run();
    expect(called.filter((name) => name === "submissions_expire")).toHaveLength(1);
    await run();
    expect(called.at(-1)).toBe("submissions_expire");
    await expireSubmissions(sql, log);
    expect(await idsOf(form)).toEqual([]);
  });
});

describe("effects of a patch on the rule in effect", () => {
  /** "P1Y" or "P1Y completed", which names the instant. */
  const ruleOf = (text: string | null) => {
    const [deleteAfter, from] = text?.split(" ") ?? [];
    return deleteAfter ? { deleteAfter, ...(from && { from }) } : null;
  };
  const settingsOf = (text: string | null) => jsonb(sql, text ? { retention: ruleOf(text) } : {});

  test.each([
    ["a first rule waits", null, "P1D", null],
    ["a shorter time waits", "P1Y", "P11M", "P1Y"],
    ["a longer time counts at once", "P11M", "P1Y", "P1Y"],
    ["a month more counts at once", "P10M", "P11M", "P11M"],
    ["367 days are longer than any year", "P1Y", "P367D", "P367D"],
    // PostgreSQL compares a year as 360 days and a month as 30.
    ["361 days wait for a year", "P1Y", "P361D", "P1Y"],
    ["31 days wait for a month", "P1M", "P31D", "P1M"],
    ["a month waits for 28 days", "P28D", "P1M", "P28D"],
    ["a longer time from an earlier instant waits", "P30D completed", "P31D created", "P30D completed"],
    ["the same instant may be named or not", "P30D", "P31D created", "P31D created"],
    ["removing it waits", "P1Y", null, "P1Y"],
    ["another beginning waits", "P1Y completed", "P1Y", "P1Y completed"],
  ])("%s", async (_, published, current, expected) => {
    const [row] = await sql<[{ rule: object | null }]>`
      select formd.settings_in_force(${settingsOf(published)}, ${settingsOf(current)}) -> 'retention' as rule`;
    expect(row.rule).toEqual(ruleOf(expected));
  });
});
