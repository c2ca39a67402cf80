/**
 * `/mail/unsubscribe/<token>`: ends the notices of a form. Mail programs send the post by themselves, on one
 * click (RFC 8058); a link that a scanner follows ends nothing.
 */
import { actorOf } from "../../../platform/auth/actor.ts";
import type { Deps } from "../../../platform/deps.ts";
import { parseUnsubscribeToken, unsubscribe, unsubscribePath } from "../../../resources/mails/unsubscribe.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { plainPage } from "../frame/plain-page.tsx";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { signInText } from "./words.ts";

const words = signInText.unsubscribe;

const page = (set: Context["set"], message: string, action?: string): string =>
  plainPage(
    set,
    words.title,
    <>
      <p dir="auto">{message}</p>
      {action && (
        <form method="post" action={action}>
          <button type="submit">{words.submit}</button>
        </form>
      )}
    </>,
  );

const gone = () => new TranslatedProblem("not_found", words.gone);

/** @param token null: on Deno a path's part that cannot be percent-decoded */
function requireSubscription({ masterKey }: Deps, token: string | null | undefined) {
  const subscription = parseUnsubscribeToken(masterKey, token ?? "");
  if (!subscription) throw gone();
  return subscription;
}

export const unsubscribePages = {
  page: ({ deps, params, set }) => {
    requireSubscription(deps, params.token);
    return page(set, words.message, `${unsubscribePath}/${encodeURIComponent(params.token ?? "")}`);
  },
  unsubscribe: async ({ deps, request, params, set }) => {
    const subscription = requireSubscription(deps, params.token);
    const name = await unsubscribe(deps.sql, actorOf(request, "anonymous", null), subscription);
    if (name === null) throw gone();
    return page(set, words.done(name));
  },
} satisfies Handlers;
