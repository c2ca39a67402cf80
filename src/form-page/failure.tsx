/** Why there is no form, or why it was not sent: in plain words, with what was entered where that may be sent again. */

import type { Closed } from "../auth/submitter.ts";
import { contextOf, pathOf } from "../http/request-context.ts";
import { formScriptAsset, formStyleAsset } from "../pages/assets.ts";
import { respondWithPage } from "../pages/page.tsx";
import type { Problem } from "../problem.ts";
import { textFor, textIn } from "./text.ts";
import { embedding, type Visit, wantsJson } from "./visit.ts";

/** The status of a problem's page is that of the API, except that an archived form is gone. */
function failurePage(
  set: { headers: Record<string, unknown> },
  visit: Visit,
  { code, status, extras }: Problem,
): string {
  const { request, language, title, posted } = visit;
  const text = language === undefined ? textFor(request) : textIn(language);
  const { heading, message } =
    ((code === "form_closed" && text.closed(extras as Closed)) || text.failures[code]) ??
    text.failures[status < 500 ? "bad_request" : "internal_error"];
  const canRetry = status === 429 || status >= 500;
  const seconds = typeof extras.retryAfter === "number" ? extras.retryAfter : undefined;
  const props = {
    title: heading,
    lang: text.lang,
    style: formStyleAsset,
    script: formScriptAsset,
    children: (
      <main id="main" class="failure">
        {title && (
          <p class="quiet" dir="auto">
            {title}
          </p>
        )}
        <h1>{heading}</h1>
        <p>{message}</p>
        {seconds !== undefined && <p>{text.wait(seconds)}</p>}
        {canRetry && posted && (
          <form method="post" action={pathOf(request)}>
            {[...posted].map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <p>{text.kept}</p>
            <button type="submit">{text.retry}</button>
          </form>
        )}
        {canRetry && !posted && (
          <p>
            <a class="button" href={pathOf(request)}>
              {text.retry}
            </a>
          </p>
        )}
        {status >= 500 && (
          <p class="quiet">
            {text.request} <code>{contextOf(request).requestId}</code>
          </p>
        )}
      </main>
    ),
  };
  return respondWithPage(set, props, embedding(visit));
}

/** From here on an error of this request has a page in the words and the language of the form. */
export function beginVisit(request: Request): Visit {
  const visit: Visit = { request };
  if (!wantsJson(request)) contextOf(request).errorPage = (set, problem) => failurePage(set, visit, problem);
  return visit;
}
