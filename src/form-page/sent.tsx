/** After a submission: a page that may be reloaded, since it sends nothing. */
import { formScriptAsset, formStyleAsset } from "../pages/assets.ts";
import { respondWithPage } from "../pages/page.tsx";
import { Paragraphs, titleOf } from "./page.tsx";
import type { PublishedPage } from "./read.ts";
import { textIn } from "./text.ts";
import { embedding } from "./visit.ts";

/** @param reference the submission's id */
export function respondWithThanks(
  set: { headers: Record<string, unknown> },
  page: PublishedPage,
  reference: string | undefined,
): string {
  const text = textIn(page.settings.language);
  const props = {
    title: `${text.sent.heading} · ${titleOf(page)}`,
    lang: text.lang,
    style: formStyleAsset,
    script: formScriptAsset,
    children: (
      <main id="main" class="sent">
        <p class="quiet" dir="auto">
          {titleOf(page)}
        </p>
        <h1>{text.sent.heading}</h1>
        <Paragraphs text={page.settings.thankYou || text.sent.message} />
        {reference && (
          <p class="quiet">
            {text.sent.reference}: <code>{reference}</code>
          </p>
        )}
      </main>
    ),
  };
  return respondWithPage(set, props, embedding(page.settings));
}
