import { describe, expect, test } from "bun:test";
import { createBatcher } from "../../src/platform/database/batch.ts";
import { Problem } from "../../src/problem.ts";

interface Item {
  team_id: string;
  ip_key: string;
  name: string;
}

const item = (name: string, team_id = "team"): Item => ({ team_id, ip_key: name, name });
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A function that runs lists, records its calls, and returns once it is released. */
function recorded(answer: (items: Item[]) => string[], { isDistributed = false, minBeside = 1 } = {}) {
  const calls: { team: string | null; names: string[] }[] = [];
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const enter = createBatcher(
    async (team, items: Item[]) => {
      calls.push({ team, names: items.map(({ name }) => name) });
      await gate;
      return answer(items);
    },
    ({ ip_key }) => ip_key,
    { isDistributed, minBeside },
  );
  return { calls, enter, letGo };
}

const echo = (items: Item[]) => items.map(({ name }) => `did ${name}`);
const statuses = (ends: PromiseSettledResult<string>[]) => ends.map(({ status }) => status);

/** Enters an item of each name, of one team. */
const enterAll = (enter: (item: Item, bytes: number) => Promise<string>, ...names: string[]) =>
  names.map((name) => enter(item(name), 1));

describe("createBatcher", () => {
  test("the first items are sent at once, each alone; the others wait while two calls are in progress, and share one, sorted by client IP", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const all = enterAll(enter, "a", "b", "d", "c", "e");
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b"]]);
    letGo();
    expect(await Promise.all(all)).toEqual(["did a", "did b", "did d", "did c", "did e"]);
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b"], ["c", "d", "e"]]);
  });

  test("a second call begins beside the first once enough items wait for it; fewer go with the next one", async () => {
    const { calls, enter, letGo } = recorded(echo, { minBeside: 3 });
    const all = enterAll(enter, "a", "b", "c");
    expect(calls.map(({ names }) => names)).toEqual([["a"]]);
    all.push(...enterAll(enter, "d", "e", "f"));
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b", "c", "d"]]);
    letGo();
    await Promise.all(all);
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b", "c", "d"], ["e", "f"]]);
  });

  test("an item waits 50 ms for a call that is in progress, and not for its end", async () => {
    const { calls, enter, letGo } = recorded(echo, { minBeside: 3 });
    const all = ["a", "b"].map((name) => enter(item(name), 1));
    const startedAt = performance.now();
    while (calls.length < 2) await Bun.sleep(1);
    const waited = performance.now() - startedAt;
    expect([waited > 40, waited < 5_000]).toEqual([true, true]);
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b"]]);
    letGo();
    await Promise.all(all);
  });

  test("what a second call leaves behind waits for the first one no longer than 50 ms either", async () => {
    const gates: (() => void)[] = [];
    const enter = createBatcher(
      async (_, items: Item[]) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return echo(items);
      },
      ({ ip_key }) => ip_key,
      { isDistributed: false, minBeside: 2 },
    );
    const all = ["a", "b", "c", "d"].map((name) => enter(item(name), 1));
    expect(gates.length).toBe(2);
    gates[1]?.();
    while (gates.length < 3) await Bun.sleep(1);
    for (const open of gates) open();
    expect((await Promise.all(all)).length).toBe(4);
  });

  test("items of all teams share two calls, and each gets its own row", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const names = Array.from({ length: 40 }, (_, index) => `${index}`);
    const all = names.map((name) => enter(item(name, `team ${name}`), 1));
    letGo();
    expect(await Promise.all(all)).toEqual(names.map((name) => `did ${name}`));
    expect(calls.map(({ team, names }) => `${team} ${names.length}`)).toEqual([
      "null 1",
      "null 1",
      "null 38",
    ]);
  });

  test("of a distributed database a call is one team's, and no team waits for another", async () => {
    const { calls, enter, letGo } = recorded(echo, { isDistributed: true });
    const all = Array.from({ length: 12 }, (_, i) => enter(item(`team${i % 3}-${i}`, `team${i % 3}`), 1));
    expect(calls.length).toBe(6);
    letGo();
    await Promise.all(all);
    for (const { team, names } of calls) for (const name of names) expect(name).toStartWith(`${team}-`);
  });

  test("a batch takes one item of each team in turn: a team with thousands of them delays no other one's beyond the calls in progress", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const many = Array.from({ length: 4000 }, (_, index) => enter(item(`large ${index}`, "large"), 1));
    const few = ["x", "y"].flatMap((team) => [1, 2].map((n) => enter(item(`${team}${n}`, team), 1)));
    letGo();
    await Promise.all(few);
    expect(calls.slice(0, 2).map(({ names }) => names)).toEqual([["large 0"], ["large 1"]]);
    expect(calls[2]?.names.filter((name) => /^[xy]/.test(name))).toEqual(["x1", "x2", "y1", "y2"]);
    expect(calls[2]?.names.length).toBe(64);
    await Promise.all(many);
  });

  test("with more teams than a batch has room for, each has its turn before any has a second one", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const all = Array.from({ length: 3 * 150 }, (_, index) =>
      enter(item(`${index % 150}`, `${index % 150}`), 1),
    );
    letGo();
    await Promise.all(all);
    const first = calls.slice(2, 4).flatMap(({ names }) => names);
    expect([first.length, new Set(first).size]).toEqual([128, 128]);
  });

  test("a call has at most 64 items and a megabyte of payloads, a single larger one aside", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const all = Array.from({ length: 202 }, (_, i) => enter(item(`${i}`), 1));
    const large = [2_000_000, 600_000, 600_000, 100].map((bytes, i) => enter(item(`large ${i}`), bytes));
    letGo();
    await Promise.all([...all, ...large]);
    expect(calls.map(({ names }) => names.length)).toEqual([1, 1, 64, 64, 64, 8, 1, 1, 2]);
  });

  test("a team may queue 16 MiB, and all teams 64 MiB: what is beyond is 503, and there is room again when calls end", async () => {
    const { enter, letGo } = recorded(echo, { isDistributed: true });
    const fill = (team: string) =>
      Promise.allSettled(Array.from({ length: 19 }, (_, i) => enter(item(`${team}${i}`, team), 1_048_576)));
    const all = ["a", "b", "c", "d", "e"].map(fill);
    letGo();
    const isRefused = ({ status }: { status: string }) => status === "rejected";
    const refused = (await Promise.all(all)).map((ends) => ends.filter(isRefused));
    // Two are in progress, and an item counts a little more than its payload.
    expect(refused.map(({ length }) => length)).toEqual([2, 2, 2, 2, 14]);
    expect(refused.flat()).toEqual(Array(22).fill(expect.objectContaining({ reason: expect.any(Problem) })));
    expect((await fill("a")).filter(isRefused)).toHaveLength(2);
  });

  test("a team may queue 4,096 items, and its full queue leaves room for other teams", async () => {
    const { enter, letGo } = recorded(echo);
    const all = Array.from({ length: 2 + 4096 + 3 }, (_, index) => enter(item(`${index}`, "large"), 1));
    const other = enter(item("other", "other"), 1);
    letGo();
    const ends = await Promise.allSettled(all);
    expect(statuses(ends).indexOf("rejected")).toBe(2 + 4096);
    expect(ends.filter(({ status }) => status === "rejected").length).toBe(3);
    expect(await other).toBe("did other");
  });

  test("an error goes to the item that caused it: the others of its batch run again, one by one", async () => {
    const { calls, enter, letGo } = recorded((items) => {
      if (items.some(({ name }) => name === "bad")) throw failure("22P05");
      return echo(items);
    });
    const all = enterAll(enter, "1", "2", "good", "bad", "well");
    letGo();
    expect(statuses(await Promise.allSettled(all)).indexOf("rejected")).toBe(3);
    const tried = calls.slice(2).map(({ names }) => names.join());
    expect(tried).toEqual(["bad,good,well", "bad", "good", "well"]);
    expect((await Promise.allSettled(all)).filter(({ status }) => status === "rejected")).toHaveLength(1);
  });

  test.each(["22P05", "55P03", "57014", "40P01"])(
    "an error %s of one team's item fails no other team's: each team's items run again in a call of their own",
    async (code) => {
      const { calls, enter, letGo } = recorded((items) => {
        if (items.some(({ name }) => name === "bad")) throw failure(code);
        return echo(items);
      });
      const teams = { 1: "x", 2: "x", good: "a", bad: "b", well: "c", fine: "c" };
      const all = Object.entries(teams).map(([name, team]) => enter(item(name, team), 1));
      letGo();
      const ends = statuses(await Promise.allSettled(all));
      expect(Object.keys(teams).filter((_, index) => ends[index] === "rejected")).toEqual(["bad"]);
      const tried = calls.slice(2, 6).map(({ names }) => names.join());
      expect(tried).toEqual(["bad,fine,good,well", "bad", "fine,well", "good"]);
    },
  );

  test("an unavailable database fails all of a batch at once, and nothing is tried again", async () => {
    const { calls, enter, letGo } = recorded(() => {
      throw failure("57P01");
    });
    const all = ["1", "2", "3", "4"].map((name) => enter(item(name, name), 1));
    letGo();
    expect(statuses(await Promise.allSettled(all))).toEqual(Array(4).fill("rejected"));
    expect(calls.length).toBe(3);
  });

  test("an item that PostgreSQL aborted because of a deadlock is run again, three times in all", async () => {
    let failures = 2;
    const { calls, enter, letGo } = recorded((items) => {
      if (failures-- > 0) throw failure("40P01");
      return echo(items);
    });
    letGo();
    expect(await enter(item("a"), 1)).toBe("did a");
    failures = 9;
    await expect(enter(item("b"), 1)).rejects.toThrow("40P01");
    expect(calls.length).toBe(6);
  });

  test("a missing row is an error for the item that has none, and no wait without end", async () => {
    const { enter, letGo } = recorded(() => []);
    letGo();
    await expect(enter(item("a"), 1)).rejects.toThrow("fewer rows");
  });
});
