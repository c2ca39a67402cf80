// stacks: one
/** The page of a form whose options have limits: what is full is shown as that, and cannot be chosen. */
import { beforeAll, describe, expect, test } from "bun:test";
import { submissionCount } from "../../expect.ts";
import { makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

const few = [
  { value: "mon", label: "Monday", limit: 1 },
  { value: "tue", label: "Tuesday", limit: 2 },
  "wed",
];
const many = [...few, ..."abcdefgh"];
const fields = (rest: object = {}) => [
  { id: "day", type: "select", label: "Day", options: few, ...rest },
  { id: "slot", type: "select", label: "Slot", options: many, default: "mon" },
  { id: "extras", type: "multi_select", label: "Extras", options: few },
];
const published = (page: object = {}, list: object[] = fields()) =>
  makeForm(app, team, list, { settings: { page: { enabled: true, ...page } } });

const open = async (form: PublishedForm) => (await getPage(app, pathIn(team, form))).text;
const send = (form: PublishedForm, values: Record<string, string | string[]>, path = "") =>
  postForm(app, pathIn(team, form) + path, { "formd.version": "1", ...values });
/** The texts of the controls that cannot be chosen. */
const disabled = (html: string) => [
  ...[...html.matchAll(/<input(?=[^>]* disabled)[^>]*><label[^>]*>([^<]*)/g)].map(([, label]) => label),
  ...[...html.matchAll(/<option(?=[^>]* disabled)[^>]*>([^<]*)/g)].map(([, label]) => label),
];

describe("an option that is full", () => {
  test("is disabled and says so, as a button, a box and an entry of a list, and is not chosen by default", async () => {
    const form = await published();
    expect(disabled(await open(form))).toEqual([]);
    expect(await open(form)).toMatch(/<option value="mon" selected>/);
    expect((await send(form, { day: "mon", slot: "mon", extras: ["mon", "tue"] })).status).toBe(303);
    expect((await send(form, { day: "wed", slot: "a", extras: "tue" })).status).toBe(303);
    const html = await open(form);
    expect(disabled(html)).toEqual(["Monday (full)", "Monday (full)", "Tuesday (full)", "Monday (full)"]);
    expect(html).not.toMatch(/<option value="mon" selected/);
  });

  test("is in the language of the page", async () => {
    const form = await published({ language: "de" });
    await send(form, { day: "mon" });
    expect(disabled(await open(form))).toEqual(["Monday (ausgebucht)"]);
    const { status, text } = await send(form, { day: "mon" });
    expect([status, text]).toEqual([
      422,
      expect.stringContaining("Bei „Day“ ist eine gewählte Option ausgebucht."),
    ]);
  });

  test("which was free when the page was read comes back with a message; nothing else is lost, nothing stored", async () => {
    const form = await published();
    await send(form, { day: "mon" });
    const { status, text } = await send(form, { day: "mon", slot: "b", extras: "wed" });
    expect(status).toBe(422);
    expect(text).toContain(
      '<a href="#day.3d1">An option that you chose for “Day” is full. Choose another one.</a>',
    );
    expect(disabled(text)).toEqual(["Monday (full)"]);
    expect(text).toMatch(/<option value="b" selected>/);
    expect(text).toMatch(/<input[^>]* name="extras" value="wed" checked/);
    expect(await submissionCount(app, form)).toBe(1);
  });

  test("is found at its step, and by the submit at the end", async () => {
    const form = await published({ layout: "steps" }, [
      ...fields().slice(0, 1),
      { id: "next", type: "page_break", label: "Next" },
      { id: "note", type: "text", label: "Note" },
    ]);
    await send(form, { day: "mon" });
    /** Sends a page with its hidden values. */
    const sendOn = async (html: string, values: Record<string, string>) => {
      const action = /<form[^>]*action="([^"]*)"/.exec(html)?.[1] ?? "";
      const sent = new URLSearchParams(values);
      for (const [, name = "", value = ""] of html.matchAll(
        /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
      ))
        sent.append(name, value);
      return await postForm(app, action, sent);
    };
    const first = await open(form);
    const refused = await sendOn(first, { day: "mon" });
    expect([refused.status, disabled(refused.text)]).toEqual([422, ["Monday (full)"]]);
    const second = await sendOn(refused.text, { day: "tue" });
    expect(second.text).toContain("Note");
    for (let n = 0; n < 2; n++) await send(form, { day: "tue" });
    const check = await sendOn(second.text, { note: "n" });
    const last = await sendOn(check.text, {});
    expect([last.status, disabled(last.text)]).toEqual([422, ["Monday (full)", "Tuesday (full)"]]);
    expect(await submissionCount(app, form)).toBe(3);
  });
});
