/** Texts of other tools as plain text. Pure. */

/** Characters of the source's text that an item quotes. */
const maxQuoteLength = 200;

/** Cuts a text at a whole character. @param max UTF-16 units, in which the shapes count */
export const shortenText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** Quotes a value of the source in an item. */
export const quote = (value: unknown): string =>
  shortenText(typeof value === "string" ? `“${value}”` : (JSON.stringify(value) ?? ""), maxQuoteLength);

const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " },
};

/** The text of a label or description, which may have tags and references of HTML. */
export const textWithoutMarkup = (value: unknown): string =>
  (typeof value === "string" ? value : typeof value === "number" ? String(value) : "")
    .replace(/<\/(?:p|div|li|h\d)>|<br\s*\/?>/gi, "\n")
    .replace(/<\/?[a-z!][^<>]*>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (all, decimal, hex, name) => {
      if (name) return entities[name.toLowerCase()] ?? all;
      const code = Number.parseInt(decimal ?? hex, decimal ? 10 : 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    })
    .toWellFormed()
    .replaceAll("\0", "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
