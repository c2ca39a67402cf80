/** Sign-in by a connection: the redirect to the identity provider, the return, the provider's logout. */
import { limits } from "../../../limits.ts";
import { readBytes, requireSize } from "../../../platform/http/body.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { admitIp } from "../../../platform/http/rate-limits.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { beginSignIn, endByProvider, finishSignIn } from "../../../resources/operators/openid.ts";
import { countLogin, setCookies } from "../../../resources/operators/operator-sessions.ts";
import { connectionUrls } from "../../../resources/operators/sign-in-connections.ts";
import { redirect } from "../../ui/page.tsx";
import { ownPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { refusedBy } from "../frame/layout.tsx";
import { outsidePage, signInPage } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";

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

export const connectionSignInPages = {
  begin: async (context) => {
    const { deps, request, query, set } = context;
    // The server sends a request to the identity provider.
    admitIp(request, "login");
    await countLogin(deps, request);
    const asked = { ...connectionOf(context), next: ownPath(query.next), isFresh: query.again === "true" };
    try {
      const { location, cookie } = await beginSignIn(deps, request, asked);
      setCookies(set, [cookie]);
      return redirect(set, location);
    } catch (error) {
      return await failedPage(context, error);
    }
  },
  finish: async (context) => {
    const { deps, request, set } = context;
    // Only failures count: the redirect to the provider has been counted.
    admitIp(request, "sign-in-return");
    const connection = connectionOf(context);
    try {
      const { next, cookies } = await finishSignIn(deps, request, connection);
      setCookies(set, cookies);
      // The session's cookie does not come with a redirect from another site; the next click brings it.
      return outsidePage(set, next, frameText.signIn.signedIn);
    } catch (error) {
      await countLogin(deps, request);
      return await failedPage(context, error);
    }
  },
  endByProvider: async (context) => {
    const { deps, request, set } = context;
    // Only failures count: a provider ends sessions of many people from one client IP.
    admitIp(request, "provider-logout");
    requireSize(request, limits.body.maxSmallBytes);
    const values = parseForm(request, await readBytes(request, limits.body.maxSmallBytes));
    set.headers["cache-control"] = "no-store";
    try {
      await endByProvider(deps, request, idOf(context), values.get("logout_token") ?? "");
    } catch (error) {
      await countLogin(deps, request);
      throw error;
    }
    return "";
  },
} satisfies Handlers;
