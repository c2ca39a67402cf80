/** Counts the changes of a form's settings, and shows their look in the page beside them. */
import { isColour, readableAccent } from "../../resources/forms/accent.ts";

const find = <E extends Element>(selector: string, within: ParentNode = document) =>
  within.querySelector<E>(selector) as E;
const form = find<HTMLFormElement>("form.settings");
const frame = find<HTMLIFrameElement>("[data-look]");
const bar = find<HTMLElement>(".save-bar");
const control = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
const themes = [...form.querySelectorAll<HTMLInputElement>("[data-accent]")];
const shown = new URLSearchParams(control("shown").value);
const accent = control("theme.accent");

/** Returns the settings of which a text differs from the one that the page showed first. */
function changes(): Set<string> {
  const entered = new FormData(form);
  const textsOf = (name: string) =>
    entered.getAll(name).map((value) => (value instanceof File ? value.name : value));
  const names = [...form.elements].map((each) => (each as HTMLInputElement).name);
  const changed = names.filter((name) => {
    if (name === "" || /^(?:csrf|shown|formd\.|theme\.name$)/.test(name)) return false;
    return textsOf(name).join("\n").replaceAll("\r\n", "\n") !== shown.getAll(name).join("\n");
  });
  return new Set(changed.map((name) => name.replace(/\.(?:time|alt|remove)$|(?<=^retention)\..*/, "")));
}

function count(): void {
  const { size } = changes();
  bar.toggleAttribute("data-dirty", size > 0);
  const { one = "", several = "" } = bar.dataset;
  find("p", bar).textContent = size === 0 ? "" : size === 1 ? one : several.replace("{n}", String(size));
  find<HTMLElement>("a", bar).hidden = size === 0;
}

/** Colour picker, which the text box follows, and which follows it. */
const picker = Object.assign(document.createElement("input"), {
  type: "color",
  ariaLabel: accent.dataset.colour ?? "",
});
accent.after(picker);

/** Help about a colour that is hard to read, with a button that takes the nearest one. */
const help = Object.assign(document.createElement("p"), { className: "hint", role: "status" });
const take = Object.assign(document.createElement("button"), { type: "button", className: "quiet small" });
take.textContent = accent.dataset.use ?? "";
picker.after(help);

/** Returns the colour that the page can have. Undefined: the text is none. */
function readableColour(): string | undefined {
  const colour = accent.value.trim();
  const readable = isColour(colour) ? readableAccent(colour) : undefined;
  picker.value = isColour(colour) ? colour.toLowerCase() : (themes[0]?.dataset.accent ?? "#000000");
  // The text box has the change.
  picker.defaultValue = picker.value;
  const isHard = readable !== undefined && readable !== colour.toLowerCase();
  help.replaceChildren(
    ...(isHard ? [`${accent.dataset.contrast?.replace("{colour}", readable)} `, take] : []),
  );
  take.value = readable ?? "";
  return readable;
}

/** Gives the page in the frame the look of the controls. */
function show(): void {
  const colour = readableColour();
  const page = frame.contentDocument;
  if (!page?.head) return;
  const given = Object.entries({
    accent: colour,
    corners: control("theme.corners").value,
    scheme: control("theme.scheme").value,
  }).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const sheet =
    page.querySelector<HTMLLinkElement>("link[href^='/f/look.css']") ??
    Object.assign(page.createElement("link"), { rel: "stylesheet" });
  const href = `/f/look.css?${new URLSearchParams(given)}`;
  if (given.length === 0) sheet.remove();
  else if (sheet.getAttribute("href") !== href) {
    sheet.setAttribute("href", href);
    page.head.append(sheet);
  }
  for (const name of ["cover", "logo"]) showPicture(page, name);
}

/** Addresses of chosen pictures, by their names. */
const pictures = new Map<string, string>();

function showPicture(page: Document, name: string): void {
  const src = pictures.get(name);
  const image = page.querySelector<HTMLImageElement>(`img.${name}`);
  const removed = control(`theme.${name}.remove`)?.checked === true;
  if (image) image.hidden = removed;
  if (removed || src === undefined) return;
  const drawn = image ?? Object.assign(page.createElement("img"), { className: name });
  drawn.src = src;
  if (!image) page.querySelector(name === "cover" ? ".logo, h1" : "h1")?.before(drawn);
}

/** Returns the picture of a file, redrawn with fewer pixels until it has at most this many bytes. */
async function shrunk(file: File, maxBytes: number): Promise<File> {
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  for (let width = Math.min(bitmap.width, 1600); width >= 64; width = Math.floor(width * 0.8)) {
    canvas.width = width;
    canvas.height = Math.max(1, Math.round((bitmap.height * width) / bitmap.width));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/webp", 0.8));
    if (blob && blob.size <= maxBytes) return new File([blob], file.name, { type: blob.type });
  }
  return file;
}

const urlOf = (file: File) =>
  new Promise<string>((done) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(String(reader.result)));
    reader.readAsDataURL(file);
  });

for (const part of form.querySelectorAll<HTMLElement>("[data-picture]")) {
  const input = find<HTMLInputElement>("[type='file']", part);
  input.addEventListener("change", async () => {
    const [chosen] = input.files ?? [];
    const maxBytes = Number(part.dataset.maxBytes);
    const name = part.dataset.picture as string;
    pictures.delete(name);
    if (!chosen) return;
    // A file that is no picture stays: the server says so.
    const file = chosen.size > maxBytes ? await shrunk(chosen, maxBytes).catch(() => chosen) : chosen;
    if (file !== chosen) {
      const files = new DataTransfer();
      files.items.add(file);
      input.files = files.files;
    }
    pictures.set(name, await urlOf(file));
    show();
  });
}

/** Sets an input and says so, as if it had been typed. */
function enter(input: HTMLInputElement, value: string): void {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

picker.addEventListener("input", (event) => {
  event.stopPropagation();
  enter(accent, picker.value);
});
take.addEventListener("click", () => {
  enter(accent, take.value);
  accent.focus();
});
form.addEventListener("input", ({ target }) => {
  const { accent: colour, corners } = (target as HTMLElement).dataset;
  if (colour !== undefined) {
    accent.value = colour;
    control("theme.corners").value = corners ?? "";
  } else if (target === accent || target === control("theme.corners"))
    for (const theme of themes)
      theme.checked =
        theme.dataset.accent === accent.value.toLowerCase() &&
        theme.dataset.corners === control("theme.corners").value;
  count();
  show();
});
form.addEventListener("change", count);
frame.addEventListener("load", show);
count();
show();
