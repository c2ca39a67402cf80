/** A browser without a script, on a page in several languages. */
import type { Service } from "../../setup.ts";
import { decoded, type Page, postForm } from "./fixture.ts";

export const langOf = ({ text }: Pick<Page, "text">): string => /<html lang="([^"]*)"/.exec(text)?.[1] ?? "";

/** The entries that a browser sends for the form of a page (HTML, "Constructing the entry list"). */
export function controlsIn(html: string): [name: string, value: string][] {
  const shown = html.replaceAll(/<fieldset class="dependent"[^>]* disabled(?:[^>]*)>.*?<\/fieldset>/gs, "");
  const controls =
    /<(input)((?:[^>"]|"[^"]*")*)>|<(textarea)([^>]*)>\n?(.*?)<\/textarea>|<(select)([^>]*)>(.*?)<\/select>/gs;
  const attribute = (text: string, name: string) =>
    new RegExp(`(?:^|\\s)${name}(?:="([^"]*)")?(?=[\\s/]|$)`).exec(text);
  const valueIn = (text: string) => decoded(attribute(text, "value")?.[1] ?? "");
  return [...shown.matchAll(controls)].flatMap((found): [string, string][] => {
    const [, , input, , area, text = "", , select, options = ""] = found;
    const attributes = input ?? area ?? select ?? "";
    const name = decoded(attribute(attributes, "name")?.[1] ?? "");
    if (name === "" || attribute(attributes, "disabled")) return [];
    if (area !== undefined) return [[name, decoded(text).replaceAll(/\r?\n/g, "\r\n")]];
    if (select !== undefined) {
      const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, each = ""]) => each);
      return [[name, valueIn(all.find((each) => attribute(each, "selected")) ?? all[0] ?? "")]];
    }
    const type = attribute(attributes, "type")?.[1] ?? "text";
    if (type === "file" || (/checkbox|radio/.test(type) && !attribute(attributes, "checked"))) return [];
    return [[name, valueIn(attributes)]];
  });
}

/** Presses the button of a language, with what was entered. */
export async function switchTo(
  app: Pick<Service, "url">,
  { text, hidden }: Pick<Page, "text" | "hidden">,
  tag: string,
  entered: readonly (readonly [name: string, value: string | File])[] = [],
): Promise<Page> {
  const button = new RegExp(`formaction="([^"]*)" name="formd.switch" value="${tag}"`).exec(text);
  if (!button) throw new Error(`The page has no button of ${tag}.`);
  const names = new Set(entered.map(([name]) => name));
  const entries = [
    ...hidden.filter(([name]) => !names.has(name)),
    ...entered,
    ["formd.switch", tag] as const,
  ];
  const path = decoded(button[1] ?? "");
  const hasFiles = text.includes('enctype="multipart/form-data"');
  if (!hasFiles) return await postForm(app, path, new URLSearchParams(entries as [string, string][]));
  const body = new FormData();
  for (const [name, value] of entries) body.append(name, value);
  return await postForm(app, path, body);
}
