import { describe, expect, test } from "bun:test";
import { codes, issues } from "./fixture.ts";

describe("number and integer", () => {
  test.each([0, -0, -1, 1.5, 1e300, 5e-324, Number.MAX_SAFE_INTEGER])("number accepts %d", (value) => {
    expect(codes({ type: "number" }, value)).toEqual([]);
  });

  test.each([["30"], [true], [[1]], [{ n: 1 }], [Number.POSITIVE_INFINITY], [Number.NaN]])(
    "neither accepts %p",
    (value) => {
      expect(codes({ type: "number" }, value)).toEqual(["type_mismatch"]);
      expect(codes({ type: "integer" }, value)).toEqual(["type_mismatch"]);
    },
  );

  test("an integer has no fraction, however it is written", () => {
    for (const value of [0, -7, 1.0, 1e3]) expect(codes({ type: "integer" }, value)).toEqual([]);
    for (const value of [1.5, -0.1, 1e-3])
      expect(codes({ type: "integer" }, value)).toEqual(["type_mismatch"]);
  });

  test("bounds are inclusive", () => {
    const definition = { type: "number", validation: { minimum: 0, maximum: 10 } };
    for (const value of [0, 10, 0.5]) expect(codes(definition, value)).toEqual([]);
    expect(codes(definition, -0.001)).toEqual(["min_value"]);
    expect(codes(definition, 10.001)).toEqual(["max_value"]);
  });

  test.each([
    [0.3, 0.1],
    [1.1, 0.1],
    [19.99, 0.01],
    [0.0075, 0.0001], // JSON-Schema-Test-Suite, multipleOf: "by small number"
    [1e-7, 1e-8],
    [-0.6, 0.2],
    [1e308, 0.5],
    [12_391_239_123, 1e-8], // JSON-Schema-Test-Suite, multipleOf: "small multiple of large integer"
    [0, 7],
    [4.5, 1.5],
  ])("%d is a multiple of %d", (value, multipleOf) => {
    expect(codes({ type: "number", multipleOf }, value)).toEqual([]);
  });

  test.each([
    [0.25, 0.1],
    [0.00751, 0.0001], // JSON-Schema-Test-Suite, multipleOf: "by small number"
    [35, 1.5],
    [7, 2],
    [1e-8, 1e-7],
    [19.995, 0.01],
  ])("%d is no multiple of %d", (value, multipleOf) => {
    expect(codes({ type: "number", multipleOf }, value)).toEqual(["step"]);
  });

  test("every violated bound is reported", () => {
    expect(issues({ type: "integer", minimum: 10, multipleOf: 5 }, 3)).toMatchObject([
      { code: "min_value", constraint: "minimum", expected: 10 },
      { code: "step", constraint: "multipleOf", expected: 5 },
    ]);
  });
});

describe("rating", () => {
  test.each([
    ["rating", 1, 5],
    ["scale", 1, 5],
    ["nps", 0, 10],
  ])("%s runs from %d to %d unless set", (type, least, most) => {
    expect(codes({ type }, least)).toEqual([]);
    expect(codes({ type }, most)).toEqual([]);
    expect(codes({ type }, least - 1)).toEqual(["min_value"]);
    expect(codes({ type }, most + 1)).toEqual(["max_value"]);
    expect(codes({ type }, least + 0.5)).toEqual(["type_mismatch"]);
    expect(codes({ type }, "3")).toEqual(["type_mismatch"]);
    expect(codes({ type, validation: { maximum: 20 } }, 20)).toEqual([]);
  });
});

describe("boolean and consent", () => {
  test.each(["boolean", "checkbox", "yes_no", "toggle", "consent", "legal", "terms"])(
    "%s accepts true and false only",
    (type) => {
      expect(codes({ type }, true)).toEqual([]);
      expect(codes({ type }, false)).toEqual([]);
      for (const value of ["true", 1, 0, "yes", [true]])
        expect(codes({ type }, value)).toEqual(["type_mismatch"]);
    },
  );

  test("a required consent must be given; a required boolean may be false", () => {
    expect(codes({ type: "consent", required: true }, false)).toEqual(["not_accepted"]);
    expect(codes({ type: "consent", required: true }, true)).toEqual([]);
    expect(codes({ type: "consent", required: true }, null)).toEqual(["required"]);
    expect(codes({ type: "boolean", required: true }, false)).toEqual([]);
  });
});
