/**
 * `/mail/unsubscribe/<token>`: ends the notices of a form. Mail programs send the post by themselves, on one
 * click (RFC 8058); a link that a scanner follows ends nothing.
 */
import { actorOf } from "../../../platform/auth/actor.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { parseUnsubscribeToken, unsubscribe } from "../../../resources/mails/unsubscribe.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { ActionButton } from "../frame/layout.tsx";
import { linkToken, plainPage } from "../frame/plain-page.tsx";
import { signInText } from "./words.ts";

const words = signInText.unsubscribe;

const page = (set: Context["set"], message: string, action?: string): string =>
  plainPage(
    set,
    words.title,
    <>
      <p dir="auto">{message}</p>
      {action && <ActionButton action={action} label={words.title} class="" />}
    </>,
  );

/** @throws {Problem} `not_found`. */
const subscriptionOf = (context: Context) =>
  parseUnsubscribeToken(context.deps.masterKey, linkToken(context));

export const unsubscribePages = {
  page: (context) => {
    subscriptionOf(context);
    return page(context.set, words.message, pathOf(context.request));
  },
  unsubscribe: async (context) => {
    const { deps, request, set } = context;
    const actor = actorOf(request, "anonymous", null);
    return page(set, words.done(await unsubscribe(deps.sql, actor, subscriptionOf(context))));
  },
} satisfies Handlers;
