/** A refused form post, as its page shows it: the summary, and the mark at the control. */
import { expect } from "bun:test";
import type { Shown } from "./browser.ts";

/** Start tags with an attribute that has a value. */
const tagsWith = (html: string, attribute: string, value: string): string[] =>
  (html.match(/<\w+[^>]*>/g) ?? []).filter((tag) => attributeOf(tag, attribute) === value);

const attributeOf = (tag: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];

/** The number of parts around a tag that are folded, and not open. */
function foldedAround(html: string, tag: string): number {
  const around: string[] = [];
  for (const [part] of html.slice(0, html.indexOf(tag)).matchAll(/<details[^>]*>|<\/details>/g))
    if (part === "</details>") around.pop();
    else around.push(part);
  return around.filter((part) => !/ open[ >]/.test(part)).length;
}

/** The values that the controls of a page show, each with its name: `name=value`. */
async function shownIn(html: string): Promise<string[]> {
  const shown: [name: string | null, value: string][] = [];
  let select: string | null = null;
  const push = (element: HTMLRewriterTypes.Element) =>
    void shown.push([element.getAttribute("name"), element.getAttribute("value") ?? ""]);
  const rewriter = new HTMLRewriter()
    .on("input:not([type=checkbox]):not([type=radio]), input[checked], button", { element: push })
    .on("select", {
      element: (element) => {
        select = element.getAttribute("name");
      },
    })
    .on("option[selected]", {
      element: (element) => void shown.push([select, element.getAttribute("value") ?? ""]),
    })
    .on("textarea", {
      element: (element) => void shown.push([element.getAttribute("name"), ""]),
      text: ({ text }) => {
        const last = shown.at(-1);
        if (last) last[1] += text;
      },
    });
  await new Response(rewriter.transform(new Response(html)).body).text();
  return shown.map(([name, value]) => `${name}=${value.trim()}`);
}

/**
 * Expects one error on top of the page, with a link to its control. The control, or the group of those of its
 * name, is marked as invalid and names the sentence; it is not folded away. What else was entered is still
 * there.
 *
 * @param entered all that was sent; passwords, files and hidden fields are not looked for
 * @returns the sentence
 */
export async function expectMarked(
  { html }: Shown,
  name: string,
  entered: Record<string, string | string[]> = {},
): Promise<string> {
  const main = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  const [before = "", summary = "", ...others] = main.split('<div class="summary"');
  expect(others).toEqual([]);
  expect(before).not.toMatch(/<form|role="alert"/);
  const links = [...summary.matchAll(/<li><a href="#([^"]+)">([^<]+)<\/a>/g)];
  expect(links).toHaveLength(1);
  const [[, id = "", sentence = ""] = []] = links;
  const [control = "", ...doubles] = tagsWith(main, "id", id);
  expect([id, control !== "", doubles]).toEqual([id, true, []]);
  expect([id, foldedAround(main, control)]).toEqual([id, 0]);
  const named = tagsWith(main, "name", name);
  const isGroup = attributeOf(control, "name") === undefined;
  expect(control).toMatch(isGroup ? /^<fieldset|role="group"/ : ` name="${name}"`);
  const marked = isGroup ? named : [control];
  expect(marked.map((tag) => attributeOf(tag, "aria-invalid"))).toEqual(marked.map(() => "true"));
  expect(attributeOf(control, "aria-describedby")?.split(" ")).toContain(`${id}-error`);
  expect(main).toContain(`id="${id}-error" dir="auto">${sentence}</p>`);
  const shown = await shownIn(main);
  for (const [key, values] of Object.entries(entered)) {
    const tags = tagsWith(main, "name", key);
    if (tags.length > 0 && tags.every((tag) => /type="(?:hidden|file|password)"/.test(tag))) continue;
    for (const value of [values].flat()) expect(shown).toContain(`${key}=${value.trim()}`);
  }
  return sentence;
}
