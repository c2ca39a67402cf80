/** Handlers of pages: who is asking, what the page shows, and what a form post does. */

import { type Actor, actorOf } from "../auth/actor.ts";
import type { Deps } from "../deps.ts";
import { RequestBody } from "../http/body.ts";
import { parseForm } from "../http/form-body.ts";
import { admitIp } from "../http/rate-limits.ts";
import { pathOf, rawQueryOf } from "../http/request-context.ts";
import { countLogin } from "../operators/sessions.ts";
import { respondWithPage } from "../pages/page.tsx";
import { Problem, requireClientProblem } from "../problem.ts";
import { documentOf, type Page } from "./layout.tsx";
import { requireOwnForm, requireSession, type Session } from "./session.ts";
import {
  home,
  outsidePage,
  ownPath,
  readKept,
  redirect,
  resumeField,
  signInPage,
  signInPath,
} from "./sign-in.tsx";
import { text } from "./text.ts";

/** What Elysia gives a handler, as far as it is used here. */
interface Context {
  request: Request;
  params: Record<string, string>;
  query: Record<string, string | undefined>;
  set: { status?: number | string; headers: Record<string, unknown> };
}

/** What a page is made from. */
export interface View {
  request: Request;
  session: Session;
  params: Record<string, string>;
  query: Record<string, string | undefined>;
}

/** A form post. */
export interface Act extends View {
  values: URLSearchParams;
  actor: Actor;
  setCookie: (cookie: string) => void;
}

/** A form post that was not carried out. */
export interface Retry extends Act {
  message: string;
  /** Absent: the operator has signed in again in the meantime, and nothing has been tried. */
  problem?: Problem;
}

/** A page. Without a session the operator is asked to sign in first, and then sees it. */
export const show =
  (deps: Deps, render: (view: View) => Promise<Page>) =>
  async ({ request, params, query, set }: Context): Promise<string> => {
    const session = await requireSession(deps, request).catch(unauthorizedToNull);
    if (session) return respond(set, await render({ request, session, params, query }), session);
    const here = pathOf(request) + rawQueryOf(request);
    // A link from elsewhere comes without the cookie, which is SameSite=Strict. The next click is from here, and brings it.
    if (request.headers.get("sec-fetch-site") === "cross-site") return outsidePage(set, here);
    return redirect(set, here === home ? signInPath : `${signInPath}?next=${encodeURIComponent(here)}`);
  };

/** The parameters of a query that have a value: a form sends empty ones as well. */
export const filterQuery = (query: View["query"]): Record<string, string> =>
  Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** A file, which only an operator with a session may have. */
export const stream =
  (deps: Deps, respond: (view: View, headers: Record<string, unknown>) => Promise<Response>) =>
  async ({ request, params, query, set }: Context): Promise<Response> => {
    const session = await requireSession(deps, request);
    return await respond({ request, session, params, query }, set.headers);
  };

/**
 * A form post.
 *
 * @param perform returns where to go next, or a page that is shown this once (it has a secret)
 * @param retry the form with what was entered, when the act is refused; without it the refusal has a page of its own
 */
export const act =
  (deps: Deps, perform: (act: Act) => Promise<string | Page>, retry?: (retry: Retry) => Promise<Page>) =>
  async ({ request, params, query, set }: Context): Promise<string> => {
    const body = new RequestBody(request, deps.config.MAX_BODY_BYTES);
    const session = await requireSession(deps, request).catch(unauthorizedToNull);
    if (!session) {
      admitIp(request, "login");
      await countLogin(deps, request);
      return await askToSignIn(deps, request, set, retry !== undefined);
    }
    const values = parseForm(request, await body.read());
    const setCookie = (cookie: string) => {
      set.headers["set-cookie"] = cookie;
    };
    const actor = actorOf(request, "operator", session.operator);
    const view = { request, session, params, query, values, actor, setCookie };
    if (retry && values.has(resumeField))
      return respond(set, await retry({ ...view, message: text.resume.notice }), session);
    requireOwnForm(deps, request, session, values.get("csrf") ?? "");
    try {
      const done = await perform(view);
      return typeof done === "string" ? redirect(set, done) : respond(set, done, session);
    } catch (error) {
      const problem = requireClientProblem(error);
      if (!retry) throw problem;
      set.status = problem.status;
      return respond(set, await retry({ ...view, problem, message: problem.message }), session);
    }
  };

const unauthorizedToNull = (error: unknown): null => {
  if (error instanceof Problem && error.code === "unauthorized") return null;
  throw error;
};

/** The sign-in page for a form whose session has ended, with its values when the form can be shown again and they fit. */
async function askToSignIn(
  { config }: Deps,
  request: Request,
  set: Context["set"],
  canShowAgain: boolean,
): Promise<string> {
  const next = pathOf(request) + rawQueryOf(request);
  const values = canShowAgain ? await readKept(config, request, next) : undefined;
  return signInPage(
    set,
    values
      ? { status: 401, next, values, message: text.signIn.endedInForm }
      : { status: 401, next: refererOf(request), message: text.signIn.ended },
  );
}

/** The page that a form was on. */
const refererOf = (request: Request): string => {
  const url = URL.parse(request.headers.get("referer") ?? "");
  return ownPath(url && url.pathname + url.search);
};

function respond(set: Context["set"], page: Page, session: Session): string {
  if (page.status) set.status = page.status;
  return respondWithPage(set, documentOf(page, session));
}
