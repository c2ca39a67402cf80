/** An error of the API as a page, which has no envelope. */
import { contextOf, pathOf } from "../../platform/http/request-context.ts";
import { type Problem, type ProblemCode, problemCodes } from "../../problem.ts";
import { MessagePage, respondWithPage } from "./page.tsx";

/** True if a request is for a page. Its errors are pages as well. */
export const wantsPage = (request: Request): boolean =>
  /^\/(?:$|(?:console|setup|mail|f|developer)(?:\/|$))/.test(pathOf(request)) &&
  /\btext\/html\b/.test(request.headers.get("accept") ?? "");

/** True for a page of the console, or of a link that it mails: these have the reader's language. */
export const isOfConsole = (request: Request): boolean =>
  /^\/(?:$|(?:console|setup|mail)(?:\/|$))/.test(pathOf(request));

/** Members of a problem that a page uses. Without `said` the sentence depends on the code alone. */
export type SaidProblem = Pick<Problem, "code" | "message"> & Partial<Pick<Problem, "said">>;

interface ErrorWords {
  lang: string;
  errors: {
    headings: Readonly<Record<number, string>>;
    invalid: string;
    failed: string;
    toConsole: string;
    request: string;
    sentence: (problem: SaidProblem) => string;
  };
}

const codes: Readonly<Partial<Record<ProblemCode, string>>> = {
  bad_request: "This request is not valid here.",
  invalid_body: "The data does not have the expected format. Reload the page and try again.",
  csrf_rejected: "This was not sent from a page of this server. Reload the page and try again.",
  insufficient_workspace_role: "Your role in the workspace does not allow this.",
  passkey_required: "This requires your passkey.",
  password_required: "This requires your password again.",
  not_found: "This does not exist or has been deleted.",
  internal_error:
    "An error occurred on the server. The person who runs it can find it in the log by the number of the request.",
  method_not_allowed: "This address is for reading only.",
  conflict: "This has changed in the meantime.",
  gone: "This was deleted.",
  validation_failed: "Some answers do not follow the rules of the form.",
  rate_limited: "Too many requests. Wait a moment, then try again.",
};

export const noAddress = "Check the address.";

export const errorWords = {
  lang: "en",
  errors: {
    headings: {
      403: "This is not allowed",
      404: "There is nothing at this address",
      409: "This has changed in the meantime",
      413: "This is too large",
      429: "Too many requests",
      503: "The service is not available right now",
    },
    invalid: "This request is not valid",
    failed: "Something went wrong",
    toConsole: "To the console",
    request: "Request",
    sentence: ({ code, message, said }) =>
      said?.key === "route_missing"
        ? noAddress
        : (message === problemCodes[code][1] && codes[code]) || message,
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
      <MessagePage product="formd" heading={heading}>
        <p>{errors.sentence(problem)}</p>
        {pathOf(request).startsWith("/console") && (
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
