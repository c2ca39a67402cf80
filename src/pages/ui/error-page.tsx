/** An error of the API as a page, which has no envelope. */
import { contextOf, pathOf } from "../../platform/http/request-context.ts";
import type { Problem } from "../../problem.ts";
import { MessagePage, respondWithPage } from "./page.tsx";

/** Whether a request is for a page, whose errors are pages as well. */
export const wantsPage = (request: Request): boolean =>
  /^\/(?:console|setup|f|developer)(?:\/|$)/.test(pathOf(request)) &&
  /\btext\/html\b/.test(request.headers.get("accept") ?? "");

const isConsole = (request: Request): boolean => pathOf(request).startsWith("/console");

export interface ErrorWords {
  lang: string;
  errors: {
    headings: Readonly<Record<number, string>>;
    invalid: string;
    failed: string;
    toConsole: string;
    request: string;
    sentence: (problem: Pick<Problem, "code" | "message">) => string;
  };
}

export const errorWords = {
  lang: "en",
  errors: {
    headings: {
      403: "You may not do this",
      404: "There is no such page",
      409: "This has changed in the meantime",
      413: "This is too large",
      429: "Too many requests",
      503: "The service is not available right now",
    },
    invalid: "This request is not valid",
    failed: "Something went wrong",
    toConsole: "To the console",
    request: "Request",
    sentence: ({ message }) => message,
  },
} satisfies ErrorWords;

/** The page of a problem; the request id finds its line in the log. */
export const errorPage = (
  set: { headers: Record<string, unknown> },
  problem: Problem,
  request: Request,
  { lang, errors }: ErrorWords = errorWords,
): string => {
  const { status } = problem;
  const heading = errors.headings[status] ?? (status < 500 ? errors.invalid : errors.failed);
  return respondWithPage(set, {
    title: `${heading} · formd`,
    lang,
    children: (
      <MessagePage heading={heading}>
        <p>{errors.sentence(problem)}</p>
        {isConsole(request) && (
          <p>
            <a href="/console">{errors.toConsole}</a>
          </p>
        )}
        <p class="quiet">
          {errors.request} <code>{contextOf(request).requestId}</code>
        </p>
      </MessagePage>
    ),
  });
};
