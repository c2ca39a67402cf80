/** The page of a form in a browser: what tests enter, send and see. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Sent } from "./field-cases.ts";

/**
 * Enters values, also those that a control would not let pass: such as an older browser or a changed page
 * sends.
 */
export const enterAll = (page: Page, sent: Sent) =>
  page.evaluate((pairs) => {
    const form = document.forms[0] as HTMLFormElement;
    const used = new Set<Element>();
    for (const [name, text] of pairs) {
      const named = [...form.elements].filter(
        (each) => (each as HTMLInputElement).name === name && !used.has(each),
      ) as HTMLInputElement[];
      const control =
        named.find((each) => ["radio", "checkbox"].includes(each.type) && each.value === text) ?? named[0];
      if (!control) throw new Error(`no control for ${name}`);
      used.add(control);
      if (control.matches("select")) {
        const list = control as unknown as HTMLSelectElement;
        if (![...list.options].some((option) => option.value === text)) list.add(new Option(text, text));
      } else if (["radio", "checkbox"].includes(control.type)) {
        // Two radio buttons that are both sent.
        if (used.size > 1 && control.type === "radio" && named.length < 2) control.type = "checkbox";
        control.checked = true;
      } else if (!["textarea", "hidden"].includes(control.type)) control.type = "text";
      control.value = text;
    }
  }, sent);

/** Does what sends a page. @returns the status of the response. */
export const statusAfter = async (page: Page, act: () => Promise<unknown>) => {
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.request().method() === "POST"),
    page.waitForEvent("load"),
    act(),
  ]);
  return response.status();
};

export const submitPage = (page: Page) =>
  statusAfter(page, () => page.locator("form button[type=submit]:visible:not(.link)").first().click());

/** Presses the button at the end, and waits for the page after a submission. */
export const sendToEnd = (page: Page) =>
  Promise.all([page.waitForURL(/\/sent\?/), page.locator("form > button[type=submit]").click()]);

export interface ErrorLink {
  target: string;
  text: string;
  faults: string[];
}

/** Asserts the rules for a page with errors. @returns the links of its summary. */
export async function expectErrorPage(page: Page, title = "Error: "): Promise<ErrorLink[]> {
  // `autofocus` acts with the first frame, which may come after the page has loaded.
  await page.locator("#summary:focus").waitFor();
  expect(await page.title()).toStartWith(title);
  const links = await page.evaluate(() => {
    const summary = document.querySelector("main > :not(.languages)");
    if (summary?.id !== "summary") throw new Error(`the summary is not first: ${summary?.outerHTML}`);
    return [...summary.querySelectorAll("a")].map((link): ErrorLink => {
      const id = decodeURIComponent(link.hash.slice(1));
      const text = link.textContent ?? "";
      const target = document.getElementById(id);
      const describedBy = ({ id }: Element) => target?.closest(`[aria-describedby~="${CSS.escape(id)}"]`);
      // The link names the field before the sentence that stands at it, which may be isolated from the name.
      const plain = (text: string | null) => (text ?? "").toLowerCase().replaceAll(/[\u2068\u2069]/g, "");
      const messages = [...document.querySelectorAll("p.error")].filter((each) =>
        plain(text).endsWith(plain(each.textContent)),
      );
      const message = messages.find(describedBy) ?? messages[0];
      const described = message && describedBy(message);
      const marked = '[aria-invalid="true"]';
      const checks: [boolean, string][] = [
        [target?.matches("input, select, textarea") ?? false, `${id} is no control`],
        [message !== undefined, `no message at the field: ${text}`],
        [described != null, `${id} is not described by the message`],
        [
          described != null && (described.matches(marked) || described.querySelector(marked) !== null),
          `${id} is not marked as invalid`,
        ],
      ];
      return { target: id, text, faults: checks.filter(([holds]) => !holds).map(([, fault]) => fault) };
    });
  });
  expect(links.flatMap(({ faults }) => faults)).toEqual([]);
  expect(new Set(links.map(({ text }) => text)).size).toBe(links.length);
  return links;
}

/**
 * Returns the values of the controls. A date picker shows no day that does not exist; its attribute has it.
 */
export const entered = (page: Page): Promise<Sent> =>
  page.evaluate(() =>
    [...(document.forms[0] as HTMLFormElement).elements].flatMap((each): [string, string][] => {
      const control = each as HTMLInputElement;
      const isChoice = control.type === "radio" || control.type === "checkbox";
      const text = control.value || (control.getAttribute("value") ?? "");
      if (!control.name || control.name.startsWith("formd.") || text === "") return [];
      return isChoice && !control.checked ? [] : [[control.name, text]];
    }),
  );
