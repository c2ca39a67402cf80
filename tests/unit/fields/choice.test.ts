import { describe, expect, test } from "bun:test";
import { codes, issues, json, leastCpuMs } from "./fixture.ts";

const options = ["red", { value: "green", label: "Green" }];

describe("select", () => {
  test.each(["select", "dropdown", "radio", "single_choice"])(
    "%s accepts one option's value, not its label",
    (type) => {
      expect(codes({ type, options }, "red")).toEqual([]);
      expect(codes({ type, options }, "green")).toEqual([]);
      expect(codes({ type, options }, "Green")).toEqual(["invalid_option"]);
      expect(codes({ type, options }, "Red")).toEqual(["invalid_option"]);
      expect(codes({ type, options }, "__proto__")).toEqual(["invalid_option"]);
      for (const value of [1, true, ["red"], { value: "red" }]) {
        expect(codes({ type, options }, value)).toEqual(["type_mismatch"]);
      }
    },
  );

  test("the issue lists the options", () => {
    expect(issues({ type: "select", options }, "blue")).toMatchObject([
      { code: "invalid_option", constraint: "options", expected: ["red", "green"] },
    ]);
  });

  test("with allowOther any text will do, and still no number", () => {
    expect(codes({ type: "select", options, allowOther: true }, "mauve")).toEqual([]);
    expect(codes({ type: "select", options, allowOther: true }, 7)).toEqual(["type_mismatch"]);
  });

  test("options may be numbers, which text does not stand for", () => {
    const sizes = [{ value: 1, label: "One" }, { value: 2 }];
    expect(codes({ type: "select", options: sizes }, 2)).toEqual([]);
    expect(codes({ type: "select", options: sizes }, 3)).toEqual(["invalid_option"]);
    expect(codes({ type: "select", options: sizes }, "2")).toEqual(["type_mismatch"]);
    expect(codes({ type: "select", options: sizes, allowOther: true }, "large")).toEqual([]);
  });
});

describe("multi_select and ranking", () => {
  const abc = ["a", "b", "c"];
  test.each(["multi_select", "checkboxes", "multiple_choice", "tags", "ranking"])(
    "%s accepts distinct options",
    (type) => {
      expect(codes({ type, options: abc }, ["c", "a"])).toEqual([]);
      expect(codes({ type, options: abc }, ["a", "x"])).toEqual(["invalid_option"]);
      expect(codes({ type, options: abc }, ["a", "a"])).toEqual(["duplicate_item"]);
      for (const value of ["a", { a: true }, [1], [["a"]], [null]]) {
        expect(codes({ type, options: abc }, value)).toEqual(["type_mismatch"]);
      }
    },
  );

  test("each rule reports once and names the first wrong item", () => {
    const found = issues({ type: "tags", options: abc, maxItems: 3 }, ["a", "x", "y", "x"]);
    expect(found.map(({ code, constraint }) => [code, constraint])).toEqual([
      ["invalid_option", "options[1]"],
      ["duplicate_item", "uniqueItems[3]"],
      ["max_items", "maxItems"],
    ]);
  });

  test("item counts are bounded; an empty list counts as absent", () => {
    const definition = { type: "multi_select", options: abc, validation: { minItems: 2, maxItems: 2 } };
    expect(codes(definition, ["a"])).toEqual(["min_items"]);
    expect(codes(definition, ["a", "b"])).toEqual([]);
    expect(codes(definition, ["a", "b", "c"])).toEqual(["max_items"]);
    expect(codes(definition, [])).toEqual([]);
    expect(codes({ ...definition, required: true }, [])).toEqual(["required"]);
  });

  test("rankAll wants every option; repeating one does not stand for another", () => {
    const definition = { type: "ranking", options: abc, validation: { rankAll: true } };
    expect(codes(definition, ["b", "a", "c"])).toEqual([]);
    expect(codes(definition, ["b", "a"])).toEqual(["incomplete_ranking"]);
    expect(codes(definition, ["b", "a", "a"])).toEqual(["duplicate_item", "incomplete_ranking"]);
  });

  test("100,000 items against 5,000 options take less than a second", () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `o${i}`);
    const items = Array.from({ length: 100_000 }, (_, i) => `o${i % 5_000}`);
    const ms = leastCpuMs(1_000, () =>
      expect(codes({ type: "tags", options: many }, items)).toEqual(["duplicate_item"]),
    );
    expect(ms).toBeLessThan(1_000);
  });
});

describe("matrix", () => {
  const matrix = {
    type: "matrix",
    rows: ["speed", { id: "price", label: "Price" }],
    columns: ["good", { id: "bad" }],
  };
  test.each([
    [{ speed: "good" }],
    [{ speed: "good", price: ["good", "bad"] }],
    [{ speed: "bad", price: null }],
  ])("accepts %j", (value) => expect(codes(matrix, value)).toEqual([]));

  test.each([["good"], [["good"]], [{ speed: 1 }], [{ speed: { good: true } }], [{ speed: [1] }]])(
    "%j is no matrix",
    (value) => expect(codes(matrix, value)).toEqual(["type_mismatch"]),
  );

  test("rows, columns and repeats are named by the row", () => {
    const found = issues(matrix, { colour: "good", speed: "fair", price: ["bad", "bad"] });
    expect(found.map(({ code, constraint, expected }) => [code, constraint, expected])).toEqual([
      ["invalid_option", "rows.colour", ["speed", "price"]],
      ["invalid_option", "columns.speed", ["good", "bad"]],
      ["duplicate_item", "uniqueItems.price", true],
    ]);
  });

  test("all faults come at once, each with its row; of unknown rows at most 20, with the one that is meant", () => {
    const found = issues(matrix, { Speed: "good", speed: 7, price: "none" });
    expect(found.map(({ code, constraint, message }) => [code, constraint, message])).toEqual([
      ["type_mismatch", "rows.speed", "A row has the id of a column, or a list of them."],
      ["invalid_option", "rows.Speed", 'There is no row "Speed": is speed meant?'],
      ["invalid_option", "columns.price", "Every row must have one of the columns."],
    ]);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${"x".repeat(99)}${i}`, "good"]));
    const named = issues(matrix, many);
    expect(named).toHaveLength(20);
    expect(named[0]?.constraint).toBe(`rows.${"x".repeat(64)}`);
  });

  test("allRows lists the rows without a value; a blank value is none", () => {
    const all = { ...matrix, validation: { allRows: true } };
    expect(codes(all, { speed: "good", price: ["bad"] })).toEqual([]);
    expect(issues(all, { speed: "good", price: [] })).toMatchObject([
      { code: "incomplete_matrix", expected: ["price"] },
    ]);
    expect(codes({ ...all, required: true }, { speed: "", price: [] })).toEqual(["required"]);
  });

  test("a row may be called __proto__", () => {
    const odd = { type: "matrix", rows: ["__proto__", "constructor"], columns: ["x"], allRows: true };
    expect(codes(odd, json('{"__proto__":"x","constructor":"x"}'))).toEqual([]);
    expect(codes(odd, json('{"__proto__":"y","constructor":"x"}'))).toEqual(["invalid_option"]);
    expect(codes(odd, {})).toEqual([]);
    expect(codes(odd, json('{"__proto__":"x"}'))).toEqual(["incomplete_matrix"]);
  });
});
