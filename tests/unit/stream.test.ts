import { afterEach, describe, expect, jest, test } from "bun:test";
import type { Deps } from "../../src/platform/deps.ts";
import { BodyBudget } from "../../src/platform/http/body-budget.ts";
import { contexts } from "../../src/platform/http/request-context.ts";
import { encodeText, joined, partsBelow, type Span, streamOf } from "../../src/platform/http/stream.ts";

/** A stream of these parts, and what it logs. */
function stream(parts: () => AsyncGenerator<Uint8Array<ArrayBuffer>, void>, timeoutMs = 60_000) {
  const lines: [level: string, requestId: string, message: string][] = [];
  const line = (level: string) => (fields: { requestId: string }, message: string) =>
    lines.push([level, fields.requestId, message]);
  const log = { warn: line("warn"), error: line("error") } as unknown as Deps["log"];
  const request = new Request("http://localhost/");
  const empty = { clientIp: "", rateLimitKey: "", startedAt: 0, headers: {} };
  contexts.set(request, { ...empty, requestId: "req-1", body: new BodyBudget(0).reserve("") });
  return { reader: streamOf(log, request, parts(), timeoutMs).getReader(), lines };
}

async function* count(state: { made: number; ended: boolean }) {
  try {
    while (true) yield encodeText(String(state.made++));
  } finally {
    state.ended = true;
  }
}

describe("streamOf", () => {
  afterEach(() => void jest.useRealTimers());

  test("nothing is read before the reader asks", async () => {
    const state = { made: 0, ended: false };
    const { reader } = stream(() => count(state));
    await Bun.sleep(5);
    expect(state.made).toBe(0);
    await reader.read();
    await Bun.sleep(5);
    expect(state.made).toBe(1);
    await reader.cancel();
  });

  test("a reader that reads nothing for the time is disconnected, with a warning", async () => {
    const state = { made: 0, ended: false };
    jest.useFakeTimers();
    const { reader, lines } = stream(() => count(state), 20);
    await reader.read();
    jest.advanceTimersByTime(19);
    expect(lines).toEqual([]);
    jest.advanceTimersByTime(1);
    await expect(reader.read()).rejects.toBeString();
    expect(state.ended).toBe(true);
    expect(lines).toEqual([["warn", "req-1", expect.stringContaining("read nothing for 20 ms")]]);
  });

  test("a reader that goes on reading is not, however slow it is in all", async () => {
    jest.useFakeTimers();
    const { reader, lines } = stream(() => count({ made: 0, ended: false }), 40);
    for (let n = 0; n < 5; n++) {
      expect(new TextDecoder().decode((await reader.read()).value)).toBe(String(n));
      jest.advanceTimersByTime(39);
    }
    await reader.cancel();
    expect(lines).toEqual([]);
  });

  test("a part that fails ends the stream with an error, and the log has it with the request's id", async () => {
    const { reader, lines } = stream(async function* () {
      yield encodeText("a");
      throw new Error("secret of the database");
    });
    await reader.read();
    const failure = await reader.read().catch((error) => error);
    expect(failure).toBeString();
    expect(failure).not.toContain("secret");
    expect(lines).toEqual([["error", "req-1", "A response was aborted."]]);
  });

  test("a reader that hangs up ends the parts and logs nothing, in mid-read as well", async () => {
    const state = { made: 0, ended: false };
    jest.useFakeTimers();
    const { reader, lines } = stream(() => count(state), 10);
    await reader.read();
    await reader.cancel();
    expect(state.ended).toBe(true);
    const query = Promise.withResolvers<void>();
    const slow = stream(async function* () {
      await query.promise;
      yield encodeText("a");
    }, 10);
    void slow.reader.read();
    const cancelled = slow.reader.cancel();
    query.resolve();
    await cancelled;
    jest.advanceTimersByTime(10);
    expect([...lines, ...slow.lines]).toEqual([]);
  });
});

describe("partsBelow", () => {
  const ids = Array.from({ length: 7 }, (_, index) => String(9 - index));
  /** Two items per query, as if the rest did not fit. */
  const read = async ({ limit, after }: Span) => {
    const found = ids.filter((id) => id < (after ?? "")).slice(0, Math.min(limit, 2));
    return { bytes: encodeText(found.join("")), count: found.length, last: found.at(-1) ?? null };
  };

  test.each([
    ["all below", "9", 100, ["87", "65", "43"]],
    ["no more than asked for", "9", 3, ["87", "6"]],
    ["none", "3", 5, []],
  ])("%s", async (_, below, limit, expected) => {
    const parts: string[] = [];
    for await (const bytes of partsBelow(below, limit, read)) parts.push(new TextDecoder().decode(bytes));
    expect(parts).toEqual(expected);
  });
});

test("the start of a response counts among the parts that wait: with 16 MiB of them no other part is read until it is taken", async () => {
  const slow = joined(new Uint8Array(16_777_216 + 65_536), (async function* () {})());
  await slow.next();
  let isRead = false;
  const next = partsBelow("1", 1, async () => {
    isRead = true;
    return { bytes: encodeText("a"), count: 1, last: null };
  }).next();
  await Bun.sleep(250);
  expect(isRead).toBe(false);
  await slow.return();
  expect((await next).value).toEqual(encodeText("a"));
});
