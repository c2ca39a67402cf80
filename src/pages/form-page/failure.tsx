/** The page of a problem. It keeps the entered values where they may be sent again. */
import type { Closed } from "../../platform/auth/submitter.ts";
import type { Deps } from "../../platform/deps.ts";
import { contextOf, pathOf, rawQueryOf } from "../../platform/http/request-context.ts";
import type { Problem } from "../../problem.ts";
import { parsePageId } from "../../resources/forms/page-address.ts";
import { formScriptAsset, formStyleAsset } from "../ui/assets.ts";
import { respondWithPage } from "../ui/page.tsx";
import { documentLanguage, languageHeaders, pageMark, textWithoutForm } from "./language.ts";
import { linkFailure } from "./links.ts";
import { Paragraphs } from "./page.tsx";
import type { Asked, HeldLink, Posted, Shown } from "./page-request.ts";
import { embedding, isEmbedded, wantsJson } from "./page-request.ts";
import { textForRequest } from "./text/text.ts";
import { Footer, Logo, lookOf } from "./theme.tsx";

/** Texts of the form's owner for a closed or full form. After a post they come with the problem's message. */
const ownTexts = { not_open: undefined, closed: "closedText", full: "fullText" } as const;

/** Renders the page of a problem. Its status is the API's, except that an archived form is gone. */
function failurePage(
  set: { headers: Record<string, unknown> },
  problem: Problem,
  request: Request,
  posted: Posted | undefined,
  shown: Shown | undefined,
): string {
  const { code, status, extras } = problem;
  const { settings = {}, timeZone, title } = shown ?? {};
  const isOffline = code === "not_found" && shown?.isOffline === true;
  const isKnown = shown && (shown.languages ?? shown.settings.language) !== undefined;
  const text = isKnown ? shown.text : shown?.title ? textForRequest(request) : textWithoutForm(request);
  const { heading, message } =
    (linkFailure(request, problem, shown, text) ||
      (code === "form_closed" && text.closed(extras as Closed, timeZone)) ||
      (isOffline ? text.offline : text.failures[code])) ??
    text.failures[status < 500 ? "bad_request" : "internal_error"];
  const name =
    code === "form_closed" && extras.change === undefined
      ? ownTexts[(extras as Closed).reason]
      : isOffline
        ? ("offlineText" as const)
        : undefined;
  const own = name && settings[name]?.trim();
  const address = pathOf(request) + rawQueryOf(request);
  const canRetry = status === 429 || status >= 500;
  const seconds = typeof extras.retryAfter === "number" ? extras.retryAfter : undefined;
  const props = {
    title: heading,
    ...documentLanguage(text),
    style: formStyleAsset,
    ...lookOf(settings, isEmbedded(request)),
    script: formScriptAsset,
    children: (
      <>
        <main id="main" class="failure">
          <Logo settings={settings} />
          {title && (
            <p class="quiet" dir="auto" {...(shown && pageMark(shown, "title"))}>
              {title}
            </p>
          )}
          <h1>{heading}</h1>
          {own && <Paragraphs text={own} mark={shown && pageMark(shown, name)} />}
          {(!own || request.method === "POST") && <p>{message}</p>}
          {seconds !== undefined && <p>{text.wait(seconds)}</p>}
          {canRetry && posted && (
            <form method="post" action={address}>
              {[...posted.values].map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <p>{text.kept}</p>
              <button type="submit">{text.retry}</button>
            </form>
          )}
          {canRetry && !posted && (
            <p>
              <a class="button" href={address}>
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
        <Footer settings={settings} text={text} />
      </>
    ),
  };
  Object.assign(set.headers, shown && languageHeaders(shown));
  return respondWithPage(set, props, embedding(settings));
}

/** Sets the page for later problems of this request, from the data known so far. A program gets JSON. */
export function setFailurePage(request: Request, posted?: Posted, shown?: Shown): void {
  if (!wantsJson(request))
    contextOf(request).errorPage = (set, problem) => failurePage(set, problem, request, posted, shown);
}

/** @param id the form's id in addresses, or its alias */
export function beginPageRequest(deps: Deps, request: Request, id: string, link?: HeldLink): Asked {
  setFailurePage(request);
  const [form, token] = [id, link?.token ?? ""].map(encodeURIComponent);
  const action = link ? `/f/${form}/${link.use}/${token}` : `/f/${form}`;
  return { deps, request, action, address: parsePageId(id) ?? id, link };
}
