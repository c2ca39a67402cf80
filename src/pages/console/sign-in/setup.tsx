/**
 * The first start: `/setup/<token>` makes the first operator, team and workspace, and an example form with a
 * submission.
 */
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { contextOf } from "../../../platform/http/request-context.ts";
import { firstForm } from "../../../resources/forms/form-view.ts";
import { readLogin } from "../../../resources/operators/operator-sessions.ts";
import { completeSetup, isSetupToken } from "../../../resources/operators/setup-link.ts";
import { EnteredContext, Input, Notice } from "../../ui/controls.tsx";
import { pageHref } from "../form/form.tsx";
import { isOnline } from "../form/form-state.tsx";
import { home, redirect, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { onGet, parseValues, type View } from "../frame/handler.ts";
import type { ConsolePage } from "../frame/layout.tsx";
import { PasswordInput } from "../frame/password-input.tsx";
import { linkToken, plainPage, problemIn } from "../frame/plain-page.tsx";
import { SetupForm } from "../frame/shapes.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { frameText } from "../frame/words.ts";
import { startSession } from "./sign-in.tsx";
import { signInText } from "./words.ts";

const words = signInText.setup;
/** The set-up's last page. */
const donePath = "/console/welcome";

interface Setup {
  token: string;
  values: URLSearchParams;
  message?: string;
}

const setupPage = (set: Context["set"], { token, values, message }: Setup): string =>
  plainPage(
    set,
    words.title,
    <>
      <p>{words.message}</p>
      <form method="post" action={`/setup/${encodeURIComponent(token)}`}>
        <EnteredContext.Provider value={values}>
          <Input name="email" label={frameText.signIn.email} type="email" autocomplete="username" required />
          <PasswordInput
            name="password"
            label={frameText.signIn.password}
            hint={words.passwordHint(limits.operator.minPasswordLength)}
            autocomplete="new-password"
          />
          <Input name="team" label={words.team} hint={words.teamHint} required />
          <Input
            name="workspace"
            label={frameText.workspace}
            hint={words.workspaceHint}
            value={words.workspaceDefault}
            required
          />
        </EnteredContext.Provider>
        <button type="submit">{words.submit}</button>
      </form>
    </>,
    message,
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
async function examplePage({ deps: { sql }, session }: View): Promise<string | undefined> {
  const form = await firstForm(sql, session);
  return form && isOnline(form) ? pageHref(form) : undefined;
}

/** @throws {Problem} `not_found` for a link that is no longer, or never was, one. */
async function requireSetupLink({ sql }: Deps, token: string): Promise<void> {
  if (!(await isSetupToken(sql, token))) throw new TranslatedProblem("not_found", words.gone);
}

export const setupPages = {
  page: async ({ deps, params, set }) => {
    const token = linkToken(params);
    await requireSetupLink(deps, token);
    return setupPage(set, { token, values: new URLSearchParams() });
  },
  complete: async ({ deps, request, params, set }) => {
    const token = linkToken(params);
    const values = parseForm(request, await readLogin(deps, request, limits.body.maxSmallBytes));
    await requireSetupLink(deps, token);
    const problem = await problemIn(set, async () =>
      completeSetup(deps.sql, contextOf(request).requestId, token, parseValues(values, SetupForm)),
    );
    if (problem) return setupPage(set, { token, values, message: problem.message });
    // The operator exists whatever fails here, such as a limit of sign-ins, and this link is gone.
    const next = await startSession(deps, request, set, values, true).then(
      () => donePath,
      () => `${signInPath}?next=${donePath}`,
    );
    return redirect(set, next);
  },
  welcome: onGet(async (view) => donePage(view.deps, await examplePage(view))),
} satisfies Handlers;
