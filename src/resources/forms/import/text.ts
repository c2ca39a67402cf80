/** Texts of other tools as plain text. Pure. */

/** Characters of the source's text that an item quotes. */
const maxQuoteLength = 200;

/** Label of a step without a title, of what comes after another one. */
export const noTitle = "…";

/** Cuts a text at a whole character. @param max UTF-16 units, in which the shapes count */
export const shortenText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** The beginning of a value as JSON: at least one character more than is quoted, if there are as many. */
function beginningOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maxQuoteLength));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  let text = "";
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (text.length > maxQuoteLength) break;
    if (member === undefined) continue;
    text += `${text && ","}${Array.isArray(value) ? "" : `${beginningOf(name)}:`}${beginningOf(member)}`;
  }
  return Array.isArray(value) ? `[${text}]` : `{${text}}`;
}

/** Quotes a value of the source in an item. */
export const quote = (value: unknown): string =>
  shortenText(
    typeof value === "string" ? `“${value.slice(0, maxQuoteLength)}”` : beginningOf(value),
    maxQuoteLength,
  );

/** Names of characters in HTML: U+00A0 to U+00FF in their order, then others by the character. */
const latin =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
  micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig
  Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash
  Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc
  euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml
  yacute thorn yuml`.split(/\s+/);
const entities: ReadonlyMap<string, string> = new Map([
  ...latin.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...Object.entries({
    ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", ndash: "–", mdash: "—", hellip: "…", bull: "•" },
    ...{ lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", lsaquo: "‹", rsaquo: "›" },
    ...{ euro: "€", trade: "™", larr: "←", rarr: "→", le: "≤", ge: "≥", ne: "≠", minus: "−", infin: "∞" },
    ...{ oelig: "œ", OElig: "Œ", scaron: "š", Scaron: "Š", check: "✓", ensp: " ", emsp: " ", thinsp: " " },
  }),
]);

/** Markdown that begins and ends beside a word: `a * b`, `2*3*4` and `snake_case` have none. */
const markdown: readonly (readonly [RegExp, string])[] = [
  [/!\[([^[\]\n]*)\]\([^()\s]*\)/g, "$1"],
  [/(?<!\\)\[([^[\]\n]+)\]\(([^()\s]+)\)/g, "$1 ($2)"],
  [/^#{1,6} (?!of )/gm, ""],
  [/(?<![\\`])`([^`\n]+)`(?!`)/g, "$1"],
  [/(?<![\\~])~~(?=[^\s~])([^~\n]+)(?<=\S)~~(?!~)/g, "$1"],
  ...[1, 2].map(() => [/(?<![\w*\\])([*_]{1,3})(?![\s)*_])([^*_\n]+)(?<![\s\\])\1(?![\w*])/g, "$2"] as const),
  [/\\([\\*_`~#[\]])/g, "$1"],
];

/** Matches markup, and spaces that go. Of two million choices most have none. */
const markup = /[<&*_`~#[\\\0\ud800-\udfff]|[^\S ]| {2}|^ | $/;

/** The text of a label or description, which may have tags and references of HTML, and Markdown. */
export const textWithoutMarkup = (value: unknown): string => {
  const given = typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
  if (!markup.test(given)) return given;
  const text = given
    .replace(/<(style|script)\b[^<>]*>[^<]*(?:<(?!\/?\1\b)[^<]*)*<\/\1\s*>/gi, "")
    .replace(/<\/(?:p|div|li|h\d)>|<br\s*\/?>/gi, "\n")
    .replace(/<((?:https?:|mailto:)[^<>\s]+)>/gi, "$1")
    .replace(/<\/?[a-z!][^<>]*>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]\w{1,7}));/gi, (all, decimal, hex, name) => {
      if (name) return entities.get(name) ?? entities.get(name.toLowerCase()) ?? all;
      const code = Number.parseInt(decimal ?? hex, decimal ? 10 : 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    })
    .toWellFormed()
    .replaceAll("\0", "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
  return markdown.reduce((known, [pattern, plain]) => known.replace(pattern, plain), text).trim();
};
