/** An error of the API as a page, which has no envelope. */
import { contextOf, pathOf } from "../../platform/http/request-context.ts";
import type { Problem } from "../../problem.ts";
import { MessagePage, respondWithPage } from "./page.tsx";

/** Whether a request is for a page, whose errors are pages as well. */
export const wantsPage = (request: Request): boolean =>
  /^\/(?:console|setup|f|developer)(?:\/|$)/.test(pathOf(request)) &&
  /\btext\/html\b/.test(request.headers.get("accept") ?? "");

const isConsole = (request: Request): boolean => pathOf(request).startsWith("/console");

const headings: Record<number, string> = {
  403: "You may not do this",
  404: "There is no such page",
  409: "This has changed in the meantime",
  413: "This is too large",
  429: "Too many requests",
  503: "The service is not available right now",
};

/** The page of a problem; the request id finds its line in the log. */
export const errorPage = (
  set: { headers: Record<string, unknown> },
  { status, message }: Problem,
  request: Request,
): string => {
  const heading = headings[status] ?? (status < 500 ? "This request is not valid" : "Something went wrong");
  return respondWithPage(set, {
    title: `${heading} · formd`,
    children: (
      <MessagePage heading={heading}>
        <p>{message}</p>
        {isConsole(request) && (
          <p>
            <a href="/console">To the console</a>
          </p>
        )}
        <p class="quiet">
          Request <code>{contextOf(request).requestId}</code>
        </p>
      </MessagePage>
    ),
  });
};
