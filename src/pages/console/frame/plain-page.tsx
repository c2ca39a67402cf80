/** Pages for people without a session: a heading, the reason of a refused post, and the content. */
import type { ComponentChildren } from "preact";
import { limits } from "../../../limits.ts";
import type { Config } from "../../../platform/config.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { readLogin } from "../../../resources/operators/operator-sessions.ts";
import { MessagePage, respondWithPage } from "../../ui/page.tsx";
import type { Context, Handler } from "./context.ts";
import { type ConsoleForm, readForm } from "./form.tsx";
import { AfterRefusal, type Refused, refusedBy } from "./layout.tsx";
import { frameText } from "./words.ts";

/** @param refused post that leads to the page, with the status of the response */
export function plainPage(
  set: Context["set"],
  title: string,
  children: ComponentChildren,
  refused?: Refused,
): string {
  if (refused?.problem) set.status = refused.problem.status;
  return respondWithPage(set, {
    title: `${title} · ${frameText.product}`,
    lang: frameText.lang,
    busy: frameText.busy,
    children: (
      <MessagePage heading={title} product={frameText.product}>
        <AfterRefusal refused={refused} heading={frameText.correct}>
          {children}
        </AfterRefusal>
      </MessagePage>
    ),
  });
}

interface PlainRules<Found, Data> {
  /** Finds the subject of the page, such as an invitation. If it throws, nothing is shown again. */
  find: (context: Context, values: URLSearchParams) => Found | Promise<Found>;
  form?: (found: Found) => ConsoleForm<Data> | undefined;
  page: (context: Context, found: Found, refused: Refused) => string | Promise<string>;
  maxBytes?: (config: Config) => number;
}

interface PlainPost<Found, Data> extends Context {
  found: Found;
  values: URLSearchParams;
  data: Data;
}

/**
 * Handles a form post without a session, which counts as a sign-in. A refused post shows its page again, with
 * the reason and the entered values.
 */
export const onPlainPost =
  <Found, Data>(
    { find, form: formOf, page, maxBytes = () => limits.body.maxSmallBytes }: PlainRules<Found, Data>,
    perform: (post: PlainPost<Found, Data>) => Promise<string>,
  ): Handler =>
  async (context) => {
    const { deps, request } = context;
    const values = parseForm(request, await readLogin(deps, request, maxBytes(deps.config)));
    const found = await find(context, values);
    const form = formOf?.(found);
    try {
      return await perform({ ...context, found, values, data: (form && readForm(form, values)) as Data });
    } catch (error) {
      const refused = refusedBy(request, error, values, form);
      // The link has been used meanwhile, as by a second click: its form could not be sent again.
      if (refused.problem.code === "not_found") throw refused.problem;
      return await page(context, found, refused);
    }
  };

/** Elysia has null for a token that is not UTF-8. */
export const linkToken = ({ params }: Context): string => params.token ?? "";
