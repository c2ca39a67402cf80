import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableOf, withPart } from "../../../.ci/docs.ts";
import { importSources } from "../../../src/resources/forms/import/sources.ts";
import { convertAll, corpusOf } from "../../import-corpus.ts";

const page = join(import.meta.dir, "../../../docs/owners/import.md");
const corpora = importSources.map(([name, source]) => ({
  ...{ name, title: source.title },
  documents: corpusOf(name).filter(({ document }) => source.recognizes(document)),
}));
const known = corpora.filter(({ documents }) => documents.length > 0);
const head = ["source", "documents", "questions outside of lists", "kept", "in lists"];

test.skipIf(known.length === 0)(
  "docs/owners/import.md has the shares of each source: `bun run docs` writes them",
  () => {
    const rows = known.map(({ name, title, documents }) => {
      const { fields, leftOut, items } = convertAll(name, documents);
      const listed = items.filter(
        ({ severity, code }) => severity === "left_out" && code === "repeat",
      ).length;
      const [outside, kept] = [fields - listed, fields - leftOut];
      return [title, documents.length, outside, `${Math.floor((100 * kept) / outside)} %`, listed].map(
        String,
      );
    });
    const text = readFileSync(page, "utf8");
    const written = withPart(text, "shares of imports", tableOf(head, rows));
    if (process.env.FORMD_RECORD) writeFileSync(page, written);
    else expect(text).toBe(written);
  },
);
