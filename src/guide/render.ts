/** Markdown as a page's body. */
import { Marked } from "marked";

const marked = new Marked({
  renderer: {
    /** A heading links to itself, by an id made of its words. */
    heading({ tokens, depth, text }) {
      const id = text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
    },
  },
});

/** @param markdown of ours: raw HTML in it stays */
export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false });

export const style = `h2 { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding-top: 1rem; }
h1 a, h2 a, h3 a { text-decoration: none; }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .75rem 1rem; border-radius: .4rem; background: color-mix(in srgb, currentColor 8%, transparent); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td code { overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; }`;
