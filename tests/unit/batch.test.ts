import { describe, expect, test } from "bun:test";
import { Problem } from "../../src/problem.ts";
import { createBatcher } from "../../src/submit/batch.ts";

interface Item {
  ip_key: string;
  name: string;
}

const item = (name: string): Item => ({ ip_key: name, name });
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A function that runs lists, keeps what it was called with, and answers when it is let. */
function recorded(answer: (items: Item[]) => string[]) {
  const calls: { team: string; names: string[] }[] = [];
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const enter = createBatcher(async (team: string, items: Item[]) => {
    calls.push({ team, names: items.map(({ name }) => name) });
    await gate;
    return answer(items);
  });
  return { calls, enter, letGo };
}

const echo = (items: Item[]) => items.map(({ name }) => `did ${name}`);

describe("grouped", () => {
  test("the first go at once, alone; who comes while two calls are under way waits, and goes in one, ordered by address", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const all = ["a", "b", "d", "c", "e"].map((name) => enter("team", item(name), 1));
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b"]]);
    letGo();
    expect(await Promise.all(all)).toEqual(["did a", "did b", "did d", "did c", "did e"]);
    expect(calls.map(({ names }) => names)).toEqual([["a"], ["b"], ["c", "d", "e"]]);
  });

  test("items of two teams never share a call", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const all = Array.from({ length: 12 }, (_, i) => enter(`team${i % 2}`, item(`team${i % 2}-${i}`), 1));
    letGo();
    await Promise.all(all);
    for (const { team, names } of calls) for (const name of names) expect(name).toStartWith(`${team}-`);
  });

  test("a call has at most 64 items and a megabyte of payloads, a single larger one aside", async () => {
    const { calls, enter, letGo } = recorded(echo);
    const all = Array.from({ length: 202 }, (_, i) => enter("team", item(`${i}`), 1));
    const large = [2_000_000, 600_000, 600_000, 100].map((bytes, i) =>
      enter("team", item(`large ${i}`), bytes),
    );
    letGo();
    await Promise.all([...all, ...large]);
    expect(calls.map(({ names }) => names.length)).toEqual([1, 1, 64, 64, 64, 8, 1, 1, 2]);
  });

  test("a team may queue 16 MiB, and all teams 64 MiB: what is beyond is 503, and there is room again when calls end", async () => {
    const { enter, letGo } = recorded(echo);
    const enterAll = (team: string) =>
      Array.from({ length: 19 }, (_, i) => enter(team, item(`${team}${i}`), 1_048_576));
    const all = ["a", "b", "c", "d", "e"].map((team) => Promise.allSettled(enterAll(team)));
    letGo();
    const refused = (await Promise.all(all)).map((ends) =>
      ends.filter(({ status }) => status === "rejected"),
    );
    // Two are in flight, and an item counts a little more than its payload.
    expect(refused.map(({ length }) => length)).toEqual([2, 2, 2, 2, 14]);
    expect(refused.flat()).toEqual(Array(22).fill(expect.objectContaining({ reason: expect.any(Problem) })));
    const again = await Promise.allSettled(enterAll("a"));
    expect(again.filter(({ status }) => status === "fulfilled").length).toBe(17);
  });

  test("an error goes to the item that caused it: the others of its group are run again, one by one", async () => {
    const { calls, enter, letGo } = recorded((items) => {
      if (items.some(({ name }) => name === "bad")) throw failure("22P05");
      return echo(items);
    });
    const all = ["1", "2", "good", "bad", "well"].map((name) => enter("team", item(name), 1));
    letGo();
    const ends = await Promise.allSettled(all);
    expect(ends.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(calls.slice(2).map(({ names }) => names)).toEqual([
      ["bad", "good", "well"],
      ["bad"],
      ["good"],
      ["well"],
    ]);
  });

  test("a database that is away is told to all of a group at once, and nothing is tried again", async () => {
    const { calls, enter, letGo } = recorded(() => {
      throw failure("57P01");
    });
    const all = ["1", "2", "3", "4"].map((name) => enter("team", item(name), 1));
    letGo();
    const ends = await Promise.allSettled(all);
    expect(ends.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(calls.length).toBe(3);
  });

  test("an item that was broken off for the sake of another group is run again, three times in all", async () => {
    let failures = 2;
    const { calls, enter, letGo } = recorded((items) => {
      if (failures-- > 0) throw failure("40P01");
      return echo(items);
    });
    letGo();
    expect(await enter("team", item("a"), 1)).toBe("did a");
    failures = 9;
    await expect(enter("team", item("b"), 1)).rejects.toThrow("40P01");
    expect(calls.length).toBe(6);
  });

  test("a row too few is an error for the item that has none, and no wait without end", async () => {
    const { enter, letGo } = recorded(() => []);
    letGo();
    await expect(enter("team", item("a"), 1)).rejects.toThrow("fewer rows");
  });
});
