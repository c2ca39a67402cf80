/** Sign-in by a connection: the redirect to the identity provider, the return, the provider's logout. */
import { limits } from "../../../limits.ts";
import { readBytes, requireSize } from "../../../platform/http/body.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { admitIp } from "../../../platform/http/rate-limits.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import * as openid from "../../../resources/operators/openid.ts";
import { countFailures, setCookies } from "../../../resources/operators/operator-sessions.ts";
import { connectionPath, connectionUrls } from "../../../resources/operators/sign-in-connections.ts";
import { Submit } from "../../ui/controls.tsx";
import { redirect } from "../../ui/page.tsx";
import { home, ownPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { PostForm, refusedBy } from "../frame/layout.tsx";
import { onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { findSession, type Session } from "../frame/session.ts";
import { signInPage } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";
import { signInText } from "./words.ts";

const idOf = ({ params }: Context) => uuidParam(params as { connection_id: string }, "connection_id");

/** Returns the connection, and the address to which its provider redirects the browser. */
const connectionOf = (context: Context) => {
  const id = idOf(context);
  return { id, redirectUri: connectionUrls(context.deps.config, id).redirectUri };
};

const failedPage = async ({ deps, request, set }: Context, error: unknown) => {
  const refused = refusedBy(request, error);
  const { byFailed } = frameText.signIn;
  const shown = refused.problem?.code === "unauthorized" ? { ...refused, message: byFailed } : refused;
  return await signInPage(deps, set, { refused: shown });
};

const words = signInText.connection;

/**
 * Page that names the account, the team and the provider, before the browser gets the session.
 * @param other the session of another account, which it would replace
 */
const pendingPage = (
  { set }: Context,
  { connection, connectionName, email, teamName }: openid.PendingSession,
  other?: Session,
): string =>
  plainPage(
    set,
    words.title,
    <>
      <p dir="auto">{words.message(connectionName, email, teamName)}</p>
      {other && <p dir="auto">{words.other(other.email, other.teamName)}</p>}
      <PostForm action={`${connectionPath(connection)}/continue`} class="actions">
        <Submit
          name="choice"
          value={other ? "replace" : undefined}
          label={other ? words.replace(email) : frameText.outside.submit}
        />
        {other && <Submit class="quiet" name="choice" value="stay" label={words.stay(other.email)} />}
      </PostForm>
    </>,
  );

export const connectionSignInPages = {
  begin: async (context) => {
    const { deps, request, query, set } = context;
    admitIp(request, "login");
    const asked = { ...connectionOf(context), next: ownPath(query.next), isFresh: query.again === "true" };
    try {
      const { location, cookie } = await openid.beginSignIn(deps, request, asked);
      setCookies(set, [cookie]);
      return redirect(set, location);
    } catch (error) {
      return await failedPage(context, error);
    }
  },
  finish: async (context) => {
    const { deps, request, set } = context;
    const connection = connectionOf(context);
    // The state that it uses up has counted; a forged one sends no request.
    const finish = () => openid.finishSignIn(deps, request, connection);
    try {
      const { cookie, ...pending } = await countFailures(deps, request, "sign-in-return", finish);
      setCookies(set, [cookie]);
      // The session's cookie does not come with a redirect from another site; the next click brings it.
      return pendingPage(context, pending);
    } catch (error) {
      return await failedPage(context, error);
    }
  },
  continue: onPlainPost(
    {
      find: () => undefined,
      page: (context, _, { problem }) => failedPage(context, problem),
    },
    async ({ values, data: _, ...context }) => {
      const { deps, request, set } = context;
      const pending = await openid.pendingSession(deps, request, idOf(context));
      const session = await findSession(deps, request);
      const isOther =
        session !== null && (session.connectionId !== pending.connection || session.email !== pending.email);
      const choice = values.get("choice");
      if (isOther && choice !== "replace" && choice !== "stay") return pendingPage(context, pending, session);
      const settle = choice === "stay" ? openid.refuseSession : openid.takeSession;
      setCookies(set, await settle(deps, request, pending));
      return redirect(set, choice === "stay" ? home : pending.next);
    },
  ),
  endByProvider: async (context) => {
    const { deps, request, set } = context;
    requireSize(request, limits.body.maxSmallBytes);
    const values = parseForm(request, await readBytes(request, limits.body.maxSmallBytes));
    set.headers["cache-control"] = "no-store";
    await openid.endByProvider(deps, request, idOf(context), values.get("logout_token") ?? "");
    return "";
  },
} satisfies Handlers;
