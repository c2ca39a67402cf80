/** Handlers of pages and form posts, for operators with a session. */
import { type Actor, actorOf } from "../../../platform/auth/actor.ts";
import { queriesFor } from "../../../platform/auth/authenticate.ts";
import type { CallerQueries } from "../../../platform/database/caller-queries.ts";
import type { Deps } from "../../../platform/deps.ts";
import { isMultipart, parseFormWithFiles } from "../../../platform/files/multipart.ts";
import { RequestBody, unreadBody } from "../../../platform/http/body.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { admitIp } from "../../../platform/http/rate-limits.ts";
import { pathOf, rawQueryOf } from "../../../platform/http/request-context.ts";
import { type Problem, toProblem } from "../../../problem.ts";
import { ownNames } from "../../../resources/forms/page-shapes.ts";
import { countLogin } from "../../../resources/operators/operator-sessions.ts";
import type { Act } from "../../../resources/operators/proofs.ts";
import { isLanguage, setLanguage } from "../../ui/language.ts";
import { redirect, respondWithPage } from "../../ui/page.tsx";
import { home, resumeField, signInHref, signInPath } from "./addresses.ts";
import type { Context, Handler } from "./context.ts";
import { type FlashRedirect, flashParameter, readFlash, withFlash } from "./flash.ts";
import { type ConsoleForm, readForm } from "./form.tsx";
import { type ConsolePage, consoleDocument, type Refused, refusedBy, refusedPage } from "./layout.tsx";
import { requireProof, takeProof } from "./reauthentication.tsx";
import { findSession, isFromOwnPage, requireOwnForm, requireSession, type Session } from "./session.ts";
import { askToSignIn, outsidePage } from "./sign-in-page.tsx";
import { frameText } from "./words.ts";

/** Page context: the request, and the operator's session. */
export interface PageContext extends Omit<Context, "set"> {
  session: Session;
  actor: Actor;
  /** Runs queries of resources for the operator. */
  queries: CallerQueries;
}

/** A form post. */
export interface FormPost<Data = unknown, Found = unknown> extends PageContext {
  values: URLSearchParams;
  /** The values of the rules' form. */
  data: Data;
  /** Result of the rules' `load`. */
  found: Found;
  setCookie: (cookie: string) => void;
}

export function viewOf({ deps, request, params, query }: Context, session: Session): PageContext {
  const actor = actorOf(request, "operator", session.operator);
  const queries = queriesFor(deps.sql, session.team, actor);
  return { deps, request, params, query, session, actor, queries };
}

/** A page. Without a session the operator is asked to sign in first, and then sees it. */
export const onGet =
  (render: (view: PageContext) => ConsolePage | Promise<ConsolePage>): Handler =>
  async (context) => {
    const { deps, request, set } = context;
    const session = await findSession(deps, request);
    const { [flashParameter]: signed, ...query } = context.query;
    if (session) {
      const view = viewOf({ ...context, query }, session);
      const page = await Promise.try(() => render(view)).catch(refusedToPage);
      return respond(set, page, session, { flash: readFlash(session, signed) });
    }
    // Another session does not read the flash message.
    const asked = rawQueryOf(request).replace(new RegExp(`[?&]${flashParameter}=[^&]*$`), "");
    const here = pathOf(request) + asked;
    // A link from elsewhere comes without the cookie, which is SameSite=Strict. The next click is from here,
    // and brings it.
    if (request.headers.get("sec-fetch-site") === "cross-site") return outsidePage(set, here);
    return redirect(set, here === home ? signInPath : signInHref(here));
  };

/** Turns a missing role into a page that shows the operator's roles. Rethrows other errors. */
function refusedToPage(error: unknown): ConsolePage {
  const problem = toProblem(error);
  if (problem.code !== "insufficient_workspace_role") throw error;
  return refusedPage(undefined, frameText.errors.sentence(problem));
}

/** The parameters of a query that have a value: a form sends empty ones as well. */
export const filterQuery = (query: PageContext["query"]): Record<string, string> =>
  Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/**
 * Responds with a file, which requires a session. A text is returned as it is: on Deno a Response of it would
 * have a content type of its own.
 */
export const stream =
  (respond: (view: PageContext, headers: Record<string, unknown>) => Promise<Response | string>): Handler =>
  async (context) =>
    await respond(viewOf(context, await requireSession(context.deps, context.request)), context.set.headers);

/** Names the subject of a post by one of its values, for {@link PostRules.nameOf}. */
export const namedBy =
  (name: string) =>
  ({ values }: Pick<FormPost, "values">): string =>
    values.get(name) ?? "";

/** Checks before a form post, and the page that is shown if it is refused. */
export interface PostRules<Data = unknown, Found = unknown> {
  /** Reads the subject of the post, for its form and for the action. */
  load?: (view: PageContext) => Promise<Found>;
  /** The form that is sent. It is made for each post if its words or choices depend on the reader. */
  form?:
    | ConsoleForm<Data>
    | ((post: FormPost<unknown, Found>) => ConsoleForm<Data> | Promise<ConsoleForm<Data>>);
  /**
   * The page of the form, when the post is refused. {@link useRefused} has the reason and the entered values.
   * Absent: the problem has a page of its own.
   */
  retry?: (post: FormPost) => ConsolePage | Promise<ConsolePage>;
  /** The act, which says what proof it needs; a function where the values or the subject decide. */
  act: Act | ((post: FormPost<unknown, Found>) => Act);
  /** Text that names the subject on the page that asks for the proof. Absent: the act says enough. */
  nameOf?: (post: FormPost<unknown, Found>) => string | Promise<string>;
  /** True if the post may have a file. The file is lost when the post is refused, its texts are not. */
  hasFile?: boolean;
  /** Bytes of the body, if the file may be larger than `MAX_BODY_BYTES`. */
  maxBytes?: number;
  /** The problem of a larger one, which `retry` shows without values. Absent: it has a page of its own. */
  tooLarge?: () => Problem;
}

/**
 * Handles a form post.
 * @param perform returns the next address, with or without a flash message, a page that is shown this once
 * (it has a secret), or a file
 */
export const onPost =
  <Data, Found>(
    {
      act,
      nameOf,
      load,
      form: formOf,
      retry,
      hasFile = false,
      maxBytes = 0,
      tooLarge,
    }: PostRules<Data, Found>,
    perform: (post: FormPost<Data, Found>) => Promise<string | FlashRedirect | ConsolePage | Response>,
  ): Handler =>
  async (context) => {
    const { deps, request, set } = context;
    const setCookie = (cookie: string) => {
      set.headers["set-cookie"] = cookie;
    };
    const viewFor = (session: Session, values = new URLSearchParams()) => ({
      ...viewOf(context, session),
      ...{ values, data: undefined, found: undefined, setCookie },
    });
    const max = Math.max(deps.config.MAX_BODY_BYTES, maxBytes);
    const excess = Number(request.headers.get("content-length")) > max ? tooLarge : undefined;
    const body = excess ? unreadBody : new RequestBody(request, max);
    const session = await findSession(deps, request);
    if (!session) {
      admitIp(request, "login");
      await countLogin(deps, request);
      return await askToSignIn(deps, request, set, retry !== undefined && isOwn(deps, request));
    }
    if (excess && retry) {
      const refused = refusedBy(request, excess());
      set.status = refused.problem.status;
      return respond(set, await retry(viewFor(session)), session, { refused });
    }
    const parse = hasFile && isMultipart(request) ? parseFormWithFiles : parseForm;
    const values = await parse(request, await body.read());
    const view = viewFor(session, values);
    let form: ConsoleForm<Data> | undefined;
    const again = async (render: NonNullable<typeof retry>, refused: Refused) =>
      respond(set, await render(view), session, { refused });
    // The page that it comes from wrote its numbers and days in this language, and gets them back in it.
    const written = values.get(ownNames.language);
    if (isLanguage(written)) setLanguage(written);
    values.delete(ownNames.language);
    // Another value than "true" is from a button that shows more of the form.
    if (retry && values.has(resumeField))
      return await again(retry, {
        path: pathOf(request),
        values,
        errors: {},
        message: values.get(resumeField) === "true" ? frameText.resume.notice : "",
      });
    requireOwnForm(deps, request, session, values.get("csrf") ?? "");
    const proof = takeProof(values);
    try {
      const post = { ...view, found: (await load?.(view)) as Found };
      const asked = await requireProof(post, proof, typeof act === "string" ? act : act(post), () =>
        nameOf?.(post),
      );
      if (asked) return respond(set, asked, session);
      form = typeof formOf === "function" ? await formOf(post) : formOf;
      const done = await perform({ ...post, data: (form && readForm(form, values)) as Data });
      if (typeof done === "string") return redirect(set, done);
      if (done instanceof Response) return done;
      return "to" in done ? redirect(set, withFlash(session, done)) : respond(set, done, session);
    } catch (error) {
      const refused = refusedBy(request, error, values, form);
      if (!retry) throw refused.problem;
      set.status = refused.problem.status;
      return await again(retry, refused).catch((notShown: unknown) => {
        // The post's reason says more, such as the role that is missing.
        throw toProblem(notShown).code === refused.problem.code ? refused.problem : notShown;
      });
    }
  };

/** True if a page of this server sent the form. Another site's form is not shown after the sign-in. */
function isOwn(deps: Deps, request: Request): boolean {
  try {
    return isFromOwnPage(deps, request);
  } catch {
    return false;
  }
}

/** Responds with a page of the console. @param before what the page comes after */
export function respond(
  set: Context["set"],
  page: ConsolePage,
  session: Session,
  before?: Parameters<typeof consoleDocument>[2],
): string {
  if (page.status) set.status = page.status;
  return respondWithPage(set, consoleDocument(page, session, before), page.policy);
}
