/**
 * The first start: `/setup/<token>` makes the first operator, team and workspace, and an example form with a
 * submission.
 */

import { recordedRequestId } from "../../../platform/auth/actor.ts";
import type { Deps } from "../../../platform/deps.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { Name } from "../../../platform/http/shapes.ts";
import { firstForm } from "../../../resources/forms/form-view.ts";
import { completeSetup, requireSetupToken } from "../../../resources/operators/setup-link.ts";
import { Notice, Submit } from "../../ui/controls.tsx";
import { pageHref } from "../form/form.tsx";
import { isOnline } from "../form/form-state.tsx";
import { home } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { aboutPassword, newPassword } from "../frame/credential-inputs.tsx";
import { formOf, textInput } from "../frame/form.tsx";
import { onGet, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, PostForm, type Refused } from "../frame/layout.tsx";
import { linkToken, onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { emailInput } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";
import { signInAfter } from "./sign-in.tsx";
import { signInText } from "./words.ts";

const words = signInText.setup;
const donePath = "/console/welcome";

const form = () =>
  formOf(
    {
      email: emailInput(),
      password: newPassword(),
      team: textInput({ label: words.team, hint: words.teamHint, shape: Name, required: true }),
      workspace: textInput({
        label: frameText.workspace,
        hint: words.workspaceHint,
        value: words.workspaceDefault,
        shape: Name,
        required: true,
      }),
    },
    { about: { email_invalid: "email", ...aboutPassword } },
  );

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

const donePage = ({ config }: Deps, example: string | undefined): ConsolePage => ({
  title: words.doneTitle,
  content: (
    <>
      <h1>{words.doneTitle}</h1>
      <p>{words.done}</p>
      {config.AGENT_CREDENTIALS === "api-key" && (
        <Notice kind="info">
          <p>{words.agents}</p>
          <p>
            {words.agentsFix} <code>AGENT_CREDENTIALS=operator</code>
          </p>
        </Notice>
      )}
      <p>
        {example && (
          <a class="button" href={example}>
            {words.seeExample}
          </a>
        )}{" "}
        <a class={example ? "button quiet" : "button"} href={home}>
          {words.doneSubmit}
        </a>
      </p>
    </>
  ),
});

/** The page of the team's first form, which the set-up has put online. */
async function examplePage({ deps: { sql }, session }: PageContext): Promise<string | undefined> {
  const form = await firstForm(sql, session);
  return form && isOnline(form) ? pageHref(form) : undefined;
}

const requireLink = (context: Context) => requireSetupToken(context.deps.sql, linkToken(context));

export const setupPages = {
  page: async (context) => setupPage(context, await requireLink(context)),
  complete: onPlainPost({ find: requireLink, form, page: setupPage }, async ({ data, ...context }) => {
    await completeSetup(context.deps.sql, recordedRequestId(context.request), linkToken(context), data);
    return await signInAfter(context, data, donePath);
  }),
  welcome: onGet(async (view) => donePage(view.deps, await examplePage(view))),
} satisfies Handlers;
