/** Renders a mail as plain text, and as HTML for both colour schemes, from a width of 320 px. */
import { renderToString } from "preact-render-to-string";
import { directionOf } from "../../fields/languages.ts";

/** A part of a mail. A text has one or more lines. */
export type LetterPart =
  | Paragraph
  /** A link on a line of its own. */
  | { link: string; label: string }
  | { values: { label: string; value: string }[] };

interface Paragraph {
  paragraph: string;
  /** Language of the text (BCP 47), if it is not that of the mail. */
  lang?: string | undefined;
}

export interface Letter {
  /** BCP 47. */
  lang: string;
  /** Language of the heading, if it is another. */
  headingLang?: string | undefined;
  heading: string;
  parts: LetterPart[];
  /** The reason for the mail, and how to unsubscribe. */
  footer: LetterPart[];
}

/** Normalizes line ends, which in a value can be of any system. */
const linesOf = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

const partText = (part: LetterPart): string => {
  if ("paragraph" in part) return part.paragraph;
  if ("link" in part) return `${part.label}:\n${part.link}`;
  return part.values
    .map(({ label, value }) => `${label}:\n${linesOf(value).replaceAll(/^/gm, "  ")}`)
    .join("\n\n");
};

/** "-- " begins a signature, which mail programs tell from the text (RFC 3676, section 4.3). */
export const renderText = ({ heading, parts, footer }: Letter): string =>
  [heading, ...parts.map(partText), ["-- ", ...footer.map(partText)].join("\n")].join("\n\n");

/** Mail programs drop unknown rules. Only the colours of the dark scheme depend on them. */
const styles = `:root{color-scheme:light dark}
body{margin:0;padding:16px;background:#fff;color:#1d2521;font:16px/1.5 system-ui,sans-serif}
main{max-width:600px;margin:0 auto;overflow-wrap:anywhere}
h1{font-size:20px;line-height:1.3}
p,dd{white-space:pre-line}
dt{font-weight:600;margin-top:12px}
dd{margin:0}
a{color:#24513b}
a.act{display:inline-block;padding:10px 16px;border-radius:6px;background:#24513b;color:#fff;text-decoration:none}
footer{margin-top:32px;padding-top:8px;border-top:1px solid #c9d1cc;font-size:14px;color:#4b5650}
@media (prefers-color-scheme:dark){body{background:#151a17;color:#e6ebe8}a{color:#8fd0ac}
a.act{background:#8fd0ac;color:#0d1a13}footer{border-color:#3a443e;color:#a9b4ae}}`;

/** Each line begins on the side of the mail, also a value in letters of the other direction. */
const rtlStyles = "h1,p,dt,dd{text-align:right}";

const PartHtml = ({ part, isSmall = false }: { part: LetterPart; isSmall?: boolean }) => {
  if ("paragraph" in part)
    return (
      <p lang={part.lang} dir="auto">
        {part.paragraph}
      </p>
    );
  if ("link" in part)
    return (
      <p>
        <a class={isSmall ? undefined : "act"} href={part.link}>
          {part.label}
        </a>
      </p>
    );
  return (
    <dl>
      {part.values.map(({ label, value }) => (
        <>
          <dt dir="auto">{label}</dt>
          <dd dir="auto">{linesOf(value)}</dd>
        </>
      ))}
    </dl>
  );
};

export const renderHtml = ({ lang, heading, headingLang, parts, footer }: Letter): string => {
  const isRtl = directionOf(lang) === "rtl";
  return `<!doctype html>${renderToString(
    <html lang={lang} dir={isRtl ? "rtl" : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{heading}</title>
        {/* The text is a constant of this file. */}
        <style>{styles + (isRtl ? rtlStyles : "")}</style>
      </head>
      <body>
        <main>
          <h1 lang={headingLang} dir="auto">
            {heading}
          </h1>
          {parts.map((part) => (
            <PartHtml part={part} />
          ))}
          <footer>
            {footer.map((part) => (
              <PartHtml part={part} isSmall />
            ))}
          </footer>
        </main>
      </body>
    </html>,
  )}`;
};
