/** Files that take so much data out that their link may ask for a proof. */
import type { Act } from "../../../resources/operators/proofs.ts";
import type { Handler } from "./context.ts";
import { onPost, type PageContext, respond, viewOf } from "./handler.ts";
import { requireProof, takeProof } from "./reauthentication.tsx";
import { requireSession } from "./session.ts";

/**
 * A file that may need a proof: by its link, or by the form of the page that asks for it.
 * @param isAsked true: it needs the proof of the act
 * @param nameOf names the subject on that page
 */
export const provedStream = (
  act: Act,
  isAsked: (view: PageContext) => Promise<boolean>,
  nameOf: (view: PageContext) => Promise<string>,
  respondWith: (view: PageContext, headers: Record<string, unknown>) => Promise<Response>,
): { get: Handler; post: Handler } => ({
  get: async (context) => {
    const { deps, request, set } = context;
    const session = await requireSession(deps, request);
    const view = viewOf(context, session);
    const values = new URLSearchParams();
    const name = () => nameOf(view);
    const asked =
      (await isAsked(view)) && (await requireProof({ ...view, values }, takeProof(values), act, name));
    return asked ? respond(set, asked, session) : await respondWith(view, set.headers);
  },
  post: (context) => onPost({ act, nameOf }, (post) => respondWith(post, context.set.headers))(context),
});
