import { describe, expect, test } from "bun:test";
import { type } from "arktype";
import { isExact } from "../../src/fields/values.ts";
import { limits } from "../../src/limits.ts";
import { isJson, isStorable, parseBody, parseJson, readBytes } from "../../src/platform/http/body.ts";
import { BodyBudget, type BodyReservation } from "../../src/platform/http/body-budget.ts";
import { contexts } from "../../src/platform/http/request-context.ts";
import { Problem } from "../../src/problem.ts";
import { until } from "../expect.ts";
import { words } from "./fields/fixture.ts";

const request = (contentType: string | null = "application/json") =>
  new Request("http://localhost", {
    ...(contentType !== null && { headers: { "content-type": contentType } }),
  });
const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJson(request(), bytes(text));

const problemOf = (act: () => unknown): Problem => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return error as Problem;
  }
  throw new Error("it was taken");
};

test("isJson reads the media type or its suffix, in any case and with any parameters", () => {
  for (const type of [
    ...["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json ; x=y"],
    ...["application/json;charset=latin1", "application/problem+json", "application/vnd.api+json; v=1"],
  ])
    expect([type, isJson(request(type))]).toEqual([type, true]);
  for (const type of [
    ...[null, "", "json", "text/json", "text/plain", "application/xml", "multipart/form-data"],
    ...["application/jsonp", "application/json-seq", "application/+json", "x application/json"],
    ...["application/json, text/plain", "application/x-www-form-urlencoded"],
  ])
    expect([type, isJson(request(type))]).toEqual([type, false]);
});

describe("parseJson", () => {
  test("content type comes before the bytes", () => {
    expect(problemOf(() => parseJson(request("text/plain"), bytes("{"))).code).toBe("invalid_content_type");
  });

  test.each([
    ...["", " ", " \n", "{", '{"a":"A', "{}{}", "nul", "{'a':1}", "[1,]", '{"a":1,}', '{"a":1/**/}', "01"],
    ...["NaN", "\u00a0{}", '{\0"\0a\0"\0:\x001\0}\0'],
  ])("%p is not JSON", (text) => {
    expect(problemOf(() => parse(text)).code).toBe("invalid_body");
  });

  test.each(["ff", "22c08022", "22eda08022", "22e28222", "22c32822"])(
    "bytes that are not UTF-8: %s",
    (hex) => {
      const text = new Uint8Array(Buffer.from(hex, "hex"));
      expect(problemOf(() => parseJson(request(), text)).message).toBe("The body is not UTF-8.");
    },
  );

  test("a byte order mark is passed over", () => {
    expect(parse("\ufeff{}").value).toEqual({});
  });

  test("brackets in strings, escaped quotes included, are no nesting", () => {
    expect(parse(JSON.stringify({ a: `\\"${"[".repeat(100)}`, '"[[': "\\" })).value).toBeTruthy();
  });

  test.each<[string, string]>([
    ["[", "]"],
    ['{"a":', "}"],
  ])("32 levels of %p are taken, 33 are not, nor are a million", (open, close) => {
    const nested = (levels: number) =>
      open.repeat(levels - 1) + (open === "[" ? "[]" : "{}") + close.repeat(levels - 1);
    expect(() => parse(nested(limits.body.maxDepth))).not.toThrow();
    for (const levels of [limits.body.maxDepth + 1, 1_000_000])
      expect(problemOf(() => parse(nested(levels))).message).toBe(
        "The body is nested deeper than 32 levels.",
      );
  });

  test("values are counted at every level, empty arrays and objects once; brackets and commas in strings are none", () => {
    const { maxValues } = limits.body;
    const listOf = (item: string, count: number) => `[${Array(count).fill(item).join(" , ")}]`;
    const perItem: [item: string, values: number][] = [
      ["1", 1],
      ['"[,{"', 1],
      ["[ ]", 1],
      ["{\n}", 1],
      ["[1]", 2],
      ['{"a":[{}, []]}', 4],
    ];
    for (const [item, values] of perItem) {
      const most = Math.floor((maxValues - 1) / values);
      expect(() => parse(listOf(item, most))).not.toThrow();
      expect(problemOf(() => parse(listOf(item, most + 1))).message).toBe(
        "The body has more than 100000 values.",
      );
    }
  });

  test("what is closed again does not count for depth", () => {
    expect(() => parse(`[${Array(1000).fill("[[]]").join(",")}]`)).not.toThrow();
  });

  test("__proto__ and constructor are keys like any other", () => {
    const { value } = parse('{"__proto__": {"a": 1}, "constructor": 2}') as { value: object };
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  const isKept = (literal: string) => parse(`{"a": ${literal}}`).unstorable.length === 0;
  test("numbers that a double holds are kept", () => {
    const literals =
      "0 -0.0 0.1 1e-7 1e2 1e-400 1e15 123456789.123456789 9007199254740991.0 -9007199254740992 9007199254740992.0";
    expect(words(literals).filter((literal) => !isKept(literal))).toEqual([]);
  });
  test("other numbers are not, and none is rounded", () => {
    const literals =
      "9007199254740993 -9007199254740993 9007199254740993.0 9007199254740992.5 0.9007199254740993e16 1e16 1e400 -1E400";
    expect(words(literals).filter(isKept)).toEqual([]);
  });
  test.each<[string, (string | number)[][]]>([
    ['{"a": [1, {"b": 12345678901234567890}]}', [["a", 1, "b"]]],
    ['{"a": "12345678901234567890"}', []],
    ["[1e999, 2e999]", [[0], [1]]],
    ['{"__proto__": {"x": 1e999}}', [["__proto__", "x"]]],
    ['{"a": 1e999, "a": 1}', []], // the last one of a name counts
  ])("numbers that a double cannot hold are found: %s", (text, paths) => {
    expect(parse(text).unstorable).toEqual(paths.map((path) => ({ path, code: "type_mismatch" })));
  });

  test("a body with 2^53, which takes a second look, may have 20,000 values; any other may have 100,000", () => {
    const list = (count: number, item: string) => `{"a": [${Array(count).fill(item).join(",")}]}`;
    expect(parse(list(19_990, "9007199254740992")).unstorable).toEqual([]);
    expect(problemOf(() => parse(list(20_000, "9007199254740992"))).code).toBe("invalid_body");
    expect(parse(list(99_990, "1e1")).unstorable).toEqual([]);
  });

  test.each<[string, (string | number)[][]]>([
    ['{"a": "\\u0000"}', [["a"]]],
    ['{"a": "x\\ud800"}', [["a"]]],
    ['{"a": "\\udc00\\ud800"}', [["a"]]],
    ['{"a": "\\ud83d\\ude00"}', []],
    ['{"a": ["ok", "\\uDFFF"]}', [["a", 1]]],
    ['{"a": "\\\\u0000"}', []],
  ])("text that jsonb cannot hold is found: %s", (text, paths) => {
    expect(parse(text).unstorable).toEqual(paths.map((path) => ({ path, code: "format" })));
  });

  test.each(['{"\\u0000": 1}', '{"a": [{"\\ud800": null}]}'])(
    "a key that cannot be stored spoils the body: %s",
    (text) => {
      expect(problemOf(() => parse(text)).code).toBe("invalid_body");
    },
  );
});

test("isExact accepts the literals that a double holds", () => {
  const exact = words("9007199254740991 9007199254740992 -9007199254740992 1e-999");
  expect(exact.filter((literal) => !isExact(Number(literal), literal))).toEqual([]);
  expect(["9007199254740993", "1e999"].filter((literal) => isExact(Number(literal), literal))).toEqual([]);
});

test("isStorable accepts the values that jsonb stores", () => {
  const texts = ["", "é😀", "\uffff", "a\0b", "\ud800", "\udc00a"];
  expect(texts.filter(isStorable)).toEqual(["", "é😀", "\uffff"]);
});

describe("json", () => {
  const Shape = type({ name: "string", "list?": "number[]" });
  const said = (text: string) => problemOf(() => parseBody(request(), bytes(text), Shape)).message;

  test("an error is named by its path", () => {
    expect(said('{"name": 1}')).toStartWith("name must be");
    expect(said('{"name": "a", "list": [1, "b"]}')).toStartWith("list[1] must be");
    expect(said("[]")).toContain("must be");
    for (const text of ["1", "null", '"A"']) expect(said(text)).toStartWith("The body must be");
  });

  test("what cannot be kept is named by its path", () => {
    expect(said('{"name": "\\u0000"}')).toStartWith("name holds text that cannot be stored");
    expect(said('{"name": "a", "list": [1e999]}')).toStartWith("list[0] holds a number");
    expect(said("1e999")).toStartWith("The body must be");
  });
});

describe("readBytes", () => {
  const body = (
    data: BodyInit,
    headers: Record<string, string> = {},
    reservation = new BodyBudget(1_000_000).reserve(""),
  ) => {
    const init = { method: "POST", body: data, headers, duplex: "half" } as RequestInit;
    const request = new Request("http://localhost", init);
    const empty = { requestId: "", clientIp: "", rateLimitKey: "", startedAt: 0, headers: {} };
    contexts.set(request, { ...empty, body: reservation });
    return request;
  };

  /** A body of unknown length, which notes how much of it was asked for. */
  function endless() {
    const state = { sent: 0, cancelled: false };
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          state.sent += 1000;
          controller.enqueue(new Uint8Array(1000));
        },
        cancel() {
          state.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { state, stream };
  }

  test("as many bytes as are allowed are taken, one more is not", async () => {
    expect((await readBytes(body("x".repeat(10)), 10)).length).toBe(10);
    expect(await readBytes(body("x".repeat(11)), 10).catch(({ code }) => code)).toBe("payload_too_large");
  });

  test("a Content-Length beyond the limit is refused without reading", async () => {
    const { state, stream } = endless();
    expect(await readBytes(body(stream, { "content-length": "11" }), 10).catch(({ code }) => code)).toBe(
      "payload_too_large",
    );
    expect(state.sent).toBe(0);
  });

  test("a body without a length is read no further than the limit, and let go", async () => {
    const { state, stream } = endless();
    expect(await readBytes(body(stream), 2500).catch(({ code }) => code)).toBe("payload_too_large");
    expect(state).toEqual({ sent: 3000, cancelled: true });
  });

  test("a missing body has no bytes; chunks come together in their order", async () => {
    expect(await readBytes(new Request("http://localhost"), 10)).toEqual(new Uint8Array());
    const chunks = new ReadableStream({
      start(controller) {
        for (const each of [[1], [2, 3], [], [4]]) controller.enqueue(new Uint8Array(each));
        controller.close();
      },
    });
    expect(await readBytes(body(chunks), 10)).toEqual(new Uint8Array([1, 2, 3, 4]));
  });

  describe("together with the bodies of other requests", () => {
    /** A client that declares 120,000 bytes and sends some of them. */
    const stalled = (reservation: BodyReservation, sent = 0) => {
      const start = (controller: ReadableStreamDefaultController) =>
        sent > 0 && controller.enqueue(new Uint8Array(sent));
      return body(new ReadableStream({ start }), { "content-length": "120000" }, reservation);
    };
    const read = (request: Request) => readBytes(request, 200_000).catch(({ code }) => code);

    test("large ones take three quarters of the budget, and one client half of that; small ones find room", async () => {
      const budget = new BodyBudget(1_000_000);
      const large = ["a", "a", "a", "b", "b", "b"].map((client) => budget.reserve(client));
      for (const reservation of large) void read(stalled(reservation));
      expect(budget.bytes).toBe(720_000);
      expect(await read(stalled(budget.reserve("c")))).toBe("unavailable");
      large[5]?.release();
      expect(await read(stalled(budget.reserve("a")))).toBe("unavailable");
      const small = budget.reserve("a");
      expect(await read(body("x".repeat(100), { "content-length": "100" }, small))).toHaveLength(100);
      expect(budget.bytes).toBe(600_100);
      for (const reservation of [...large, small]) reservation.release();
      expect(budget.bytes).toBe(0);
    });

    test("one without a length counts as it arrives", async () => {
      const budget = new BodyBudget(1_000_000);
      const reservation = budget.reserve("a");
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(new Uint8Array(40_000));
      void read(body(new ReadableStream({ start }), {}, reservation));
      await until(() => budget.bytes === 40_000);
      reservation.release();
    });

    test("the bodies with less than 16 KiB in the last second give way, the longest wait first", async () => {
      const budget = new BodyBudget(1_000_000);
      const codes = ["a", "b", "c", "d", "e", "f"].map((client, index) =>
        read(stalled(budget.reserve(client), index === 0 ? 16_384 : 16_383)),
      );
      await Bun.sleep(10);
      expect(await read(stalled(budget.reserve("g")))).toBe("unavailable");
      await Bun.sleep(1_100);
      for (const client of ["g", "h"]) void read(stalled(budget.reserve(client)));
      expect(await Promise.all([codes[1], codes[2]])).toEqual(["unavailable", "unavailable"]);
      expect(await Promise.race([codes[0], codes[3], "is read"])).toBe("is read");
      expect(budget.bytes).toBe(720_000);
    });

    test("a client gives way to itself, and keeps no room of others", async () => {
      const budget = new BodyBudget(1_000_000);
      const codes = [1, 2, 3].map(() => read(stalled(budget.reserve("a"))));
      await Bun.sleep(1_100);
      void read(stalled(budget.reserve("a")));
      expect(await codes[0]).toBe("unavailable");
      expect(budget.bytes).toBe(360_000);
    });

    test("one that gave way takes no room, and its response none either", async () => {
      const budget = new BodyBudget(1_000_000);
      const reservation = budget.reserve("a");
      reservation.begin(120_000).catch(() => {});
      reservation.interrupt(new Problem("unavailable"));
      expect(budget.bytes).toBe(0);
      reservation.release();
      expect(budget.bytes).toBe(0);
    });
  });
});
