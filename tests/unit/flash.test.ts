import { expect, test } from "bun:test";
import { maxAddressLength, signInHref } from "../../src/pages/console/frame/addresses.ts";
import { canUndo, cutText, readFlash, withFlash } from "../../src/pages/console/frame/flash.ts";
import type { Session } from "../../src/pages/console/frame/session.ts";

const session = { csrf: "secret" } as Session;
const path = "/console/forms/1";

/** The flash message of the page after an action, whose address every server takes. */
const flashOf = (text: string, undo?: string, to = path) => {
  const address = withFlash(session, { to, text, ...(undo && { undo: undoOf(undo) }) });
  expect(address.length).toBeLessThanOrEqual(maxAddressLength);
  return readFlash(session, URL.parse(address, "http://h")?.searchParams.get("report") ?? undefined);
};
const undoOf = (definition: string) => ({ action: `${path}/field/restore`, fields: { definition } });

const characters = {
  ...{ ascii: "a", umlaut: "ä", ideograph: "字", emoji: "😀", family: "👩‍👩‍👧", control: "\u0000" },
  ...{ quote: '"', surrogate: "\ud800", accents: `e${"\u0301".repeat(2_000)}` },
};
test.each(Object.entries(characters))("a text of many of %s is cut between characters", (_, character) => {
  const { text = "" } = flashOf(character.repeat(6_200), "x") ?? {};
  expect(text).toEndWith("…");
  expect(text.slice(0, -1)).toBe(character.repeat((text.length - 1) / character.length));
  expect(text.length).toBeGreaterThan(character.length > 100 ? 0 : 100);
});

test("a text that fits is whole", () => {
  expect(flashOf("“ä” saved.")).toEqual({ text: "“ä” saved." });
  expect(cutText("abcd", 6)).toBe("abcd");
  expect(cutText("abcdefg", 7)).toBe("ab…");
});

test("an undo is omitted where it does not fit, measured as the address has it", () => {
  expect(flashOf("Saved.", "ä".repeat(1_000))?.undo).toEqual(undoOf("ä".repeat(1_000)));
  for (const definition of ["ä".repeat(2_000), "\u0000".repeat(700), '"'.repeat(2_000)]) {
    expect(canUndo(undoOf(definition))).toBe(false);
    expect(flashOf("Saved.", definition)).toEqual({ text: "Saved." });
  }
});

test("an undo that fits has the longest text, and the longest id in the address, beside it", () => {
  const definition = "u".repeat(2_600 - JSON.stringify(undoOf("")).length);
  expect(canUndo(undoOf(definition))).toBe(true);
  const to = `${path}?${new URLSearchParams({ at: "字".repeat(128), saved: new Date(0).toISOString() })}`;
  expect(flashOf("t".repeat(9_000), definition, to)?.undo).toEqual(undoOf(definition));
});

test("the query of a page is omitted where it does not fit", () => {
  const query = new URLSearchParams({ q: "字".repeat(1_000) });
  expect(withFlash(session, { to: `${path}?${query}#a`, text: "Saved." })).toMatch(
    /^\/console\/forms\/1\?report=[\w.-]+#a$/,
  );
});

test("the sign-in leads to the page, without a query that is too long", () => {
  expect(signInHref(`${path}?edit=a`)).toBe("/console/sign-in?next=%2Fconsole%2Fforms%2F1%3Fedit%3Da");
  expect(signInHref(`${path}?${new URLSearchParams({ q: "字".repeat(500) })}`)).toBe(
    "/console/sign-in?next=%2Fconsole%2Fforms%2F1",
  );
  expect(signInHref(`/console/${"字".repeat(6_000)}`)).toBe("/console/sign-in?next=%2Fconsole");
});
