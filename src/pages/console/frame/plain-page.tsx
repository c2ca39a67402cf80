/** Pages for people without a session: a heading, why something was refused, and what to do. */
import type { ComponentChildren } from "preact";
import { requireClientProblem } from "../../../problem.ts";
import { Notice } from "../../ui/controls.tsx";
import { MessagePage, respondWithPage } from "../../ui/page.tsx";
import type { Context } from "./context.ts";
import { frameText } from "./words.ts";

type Set = Context["set"];

/** @param message why something was refused */
export const plainPage = (set: Set, title: string, children: ComponentChildren, message?: string): string =>
  respondWithPage(set, {
    title: `${title} · ${frameText.product}`,
    lang: frameText.lang,
    children: (
      <MessagePage heading={title} product={frameText.product}>
        {message && <Notice kind="error">{message}</Notice>}
        {children}
      </MessagePage>
    ),
  });

/** Why something was refused, whose status the response gets. @throws the error, when it is the server's. */
export function shownProblem(set: Set, error: unknown) {
  const problem = requireClientProblem(error);
  set.status = problem.status;
  return { code: problem.code, message: frameText.errors.sentence(problem) };
}

/** {@link shownProblem} for an act; undefined when it was carried out. */
export const problemIn = (set: Set, act: () => Promise<unknown>) =>
  act().then(
    () => undefined,
    (error: unknown) => shownProblem(set, error),
  );

/** Elysia has null for a token that is not UTF-8. */
export const linkToken = ({ token }: Context["params"]): string => token ?? "";
