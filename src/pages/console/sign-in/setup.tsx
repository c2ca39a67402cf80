/** The first start: `/setup/<token>` makes the first operator, team and workspace. */

import { recordedRequestId } from "../../../platform/auth/actor.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { Name } from "../../../platform/http/shapes.ts";
import { toProblem } from "../../../problem.ts";
import {
  completeSetup,
  readInstallation,
  requireSetupToken,
} from "../../../resources/operators/setup-link.ts";
import { Submit } from "../../ui/controls.tsx";
import { welcomePath } from "../frame/addresses.ts";
import type { Context, Handler, Handlers } from "../frame/context.ts";
import { aboutPassword, newPassword } from "../frame/credential-inputs.tsx";
import { formOf, textInput } from "../frame/form.tsx";
import { PostForm, type Refused } from "../frame/layout.tsx";
import { LinkLine } from "../frame/parts.tsx";
import { linkToken, onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { emailInput } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";
import { signInAfter } from "./sign-in.tsx";
import { signInText } from "./words.ts";

const words = signInText.setup;

const form = () =>
  formOf(
    {
      team: textInput({ label: words.team, hint: words.teamHint, shape: Name, required: true }),
      email: emailInput(),
      password: newPassword(),
    },
    { about: { email_invalid: "email", ...aboutPassword } },
  );

/**
 * Responds when the link is used up: the account exists, as after a second click. No session begins. The
 * front page says to anyone that the server is set up.
 */
function existsPage(set: Context["set"]): string {
  set.status = 404;
  return plainPage(
    set,
    words.exists,
    <>
      <p>{words.existsHint}</p>
      <LinkLine class="button" href={welcomePath} label={frameText.signIn.title} />
    </>,
  );
}

/** Responds with {@link existsPage} in place of a page that is not found, if an operator exists. */
const orExists =
  (handle: Handler): Handler =>
  async (context) => {
    try {
      return await handle(context);
    } catch (error) {
      if (toProblem(error).code !== "not_found") throw error;
      if (!(await readInstallation(context.deps.sql)).isSetUp) throw error;
      return existsPage(context.set);
    }
  };

const setupPage = ({ request, set }: Context, _: unknown, refused?: Refused): string =>
  plainPage(
    set,
    words.title,
    <>
      <p>{words.message}</p>
      <PostForm action={pathOf(request)} form={form()}>
        <Submit label={words.submit} />
      </PostForm>
    </>,
    refused,
  );

const requireLink = (context: Context) => requireSetupToken(context.deps.sql, linkToken(context));

export const setupPages = {
  page: orExists(async (context) => setupPage(context, await requireLink(context))),
  complete: orExists(
    onPlainPost({ find: requireLink, form, page: setupPage }, async ({ data, ...context }) => {
      const { deps, request } = context;
      const names = { ...data, workspace: words.workspaceName };
      await completeSetup(deps.sql, recordedRequestId(request), linkToken(context), names);
      return await signInAfter(context, data, welcomePath);
    }),
  ),
} satisfies Handlers;
