// stacks: one
/** The page of a form whose options have limits: what is full is shown as that, and cannot be chosen. */
import { describe, expect, test } from "bun:test";
import { submissionCount } from "../../expect.ts";
import { pageFixture } from "./fixture.ts";

const { app, published, get, post, send } = await pageFixture();

const few = [
  { value: "mon", label: "Monday", limit: 1 },
  { value: "tue", label: "Tuesday", limit: 2 },
  "wed",
];
const day = { id: "day", type: "select", label: "Day", options: few };
const fields = [
  day,
  { id: "slot", type: "select", label: "Slot", options: [...few, ..."abcdefgh"], default: "mon" },
  { id: "extras", type: "multi_select", label: "Extras", options: few },
];
/** The texts of the controls that cannot be chosen. */
const disabled = (html: string) =>
  [/<input(?=[^>]* disabled)[^>]*><label[^>]*>([^<]*)/g, /<option(?=[^>]* disabled)[^>]*>([^<]*)/g].flatMap(
    (control) => [...html.matchAll(control)].map(([, label]) => label),
  );

describe("an option that is full", () => {
  test("is disabled with a note, as a button, a box and an entry of a list, and is not chosen by default", async () => {
    const form = await published(fields);
    const { text } = await get(form);
    expect(disabled(text)).toEqual([]);
    expect(text).toMatch(/<option value="mon" selected>/);
    expect((await post(form, { day: "mon", slot: "mon", extras: ["mon", "tue"] })).status).toBe(303);
    expect((await post(form, { day: "wed", slot: "a", extras: "tue" })).status).toBe(303);
    const { text: later } = await get(form);
    expect(disabled(later)).toEqual(["Monday (full)", "Monday (full)", "Tuesday (full)", "Monday (full)"]);
    expect(later).not.toMatch(/<option value="mon" selected/);
  });

  test("is announced while it has few places left, and the number is that of the moment", async () => {
    const form = await published(fields);
    const announced = async () =>
      [...(await get(form)).text.matchAll(/\w+ \(\d+ places? left\)/g)].map(([label]) => label);
    const both = ["Monday (1 place left)", "Tuesday (2 places left)"];
    expect(await announced()).toEqual([...both, ...both, ...both]);
    await post(form, { day: "mon", slot: "tue" });
    expect(await announced()).toEqual([
      "Tuesday (2 places left)",
      both[0],
      "Tuesday (1 place left)",
      ...both,
    ] as string[]);
    const german = await published(fields, { language: "de" });
    expect((await get(german)).text).toContain("Tuesday (noch 2 Plätze)");
    const unlimited = await published([{ ...day, options: ["mon", { value: "tue", limit: 11 }] }]);
    expect((await get(unlimited)).text).not.toContain("left)");
  });

  test("is in the language of the page", async () => {
    const form = await published(fields, { language: "de" });
    await post(form, { day: "mon" });
    expect(disabled((await get(form)).text)).toEqual(["Monday (ausgebucht)"]);
    const { status, text } = await post(form, { day: "mon" });
    expect([status, text]).toEqual([
      422,
      expect.stringContaining("Day: Eine gewählte Option ist ausgebucht."),
    ]);
  });

  test("which was free when the page was read comes back with a message; nothing else is lost, nothing stored", async () => {
    const form = await published(fields);
    await post(form, { day: "mon" });
    const { status, text } = await post(form, { day: "mon", slot: "b", extras: "wed" });
    expect([status, disabled(text)]).toEqual([422, ["Monday (full)"]]);
    expect(text).toContain(
      '<a href="#day.3d1">Day: an option that you chose is full. Choose another one.</a>',
    );
    expect(text).toMatch(/<option value="b" selected>/);
    expect(text).toMatch(/<input[^>]* name="extras" value="wed" checked/);
    expect(await submissionCount(app, form)).toBe(1);
  });

  test("is found at its step, and by the submit at the end", async () => {
    const more = [
      { id: "next", type: "page_break", label: "Next" },
      { id: "note", type: "text", label: "Note" },
    ];
    const form = await published([day, ...more], { layout: "steps" });
    await post(form, { day: "mon" });
    const refused = await send(await get(form), { day: "mon" });
    expect([refused.status, disabled(refused.text)]).toEqual([422, ["Monday (full)"]]);
    const second = await send(refused, { day: "tue" });
    expect(second.text).toContain("Note");
    for (let n = 0; n < 2; n++) await post(form, { day: "tue" });
    const last = await send(await send(second, { note: "n" }));
    expect([last.status, disabled(last.text)]).toEqual([422, ["Monday (full)", "Tuesday (full)"]]);
    expect(await submissionCount(app, form)).toBe(3);
  });
});
