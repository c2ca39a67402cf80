/** Account → Password: a person's own. */
import type { Deps } from "../../../platform/deps.ts";
import { changePassword } from "../../../resources/operators/passwords.ts";
import {
  type RequiredConnection,
  requiredConnection,
} from "../../../resources/operators/sign-in-connections.ts";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, type View } from "../frame/handler.ts";
import type { ConsolePage } from "../frame/layout.tsx";
import { NewPage } from "../frame/new-page.tsx";
import { NewPassword, PasswordInput, SignsInBy } from "../frame/password-input.tsx";
import type { Session } from "../frame/session.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { frameText } from "../frame/words.ts";

const words = frameText.password;
const path = "/console/account/password";

const passwordPage = ({ session: { email } }: View, required: RequiredConnection): ConsolePage => ({
  title: words.title,
  section: "account",
  content: (
    <NewPage
      title={words.title}
      intro={words.intro}
      action={path}
      submit={words.submit}
      cancel="/console/account"
    >
      <SignsInBy by={required} />
      <PasswordInput name="current" label={words.current} autocomplete="current-password" />
      <NewPassword email={email} />
    </NewPage>
  ),
});

const requiredOf = ({ sql }: Deps, { email, team, operator }: Session) =>
  requiredConnection(sql, email, team, operator);

export const passwordPages = {
  page: onGet(async (view) => passwordPage(view, await requiredOf(view.deps, view.session))),
  change: onPost(
    { retry: async (retry) => passwordPage(retry, await requiredOf(retry.deps, retry.session)) },
    async ({ deps, request, session, values, actor }) => {
      const given = { current: values.get("current") ?? "", chosen: values.get("password") ?? "" };
      const isChanged = await changePassword(deps, request, actor, session, given);
      if (!isChanged) throw new TranslatedProblem("bad_request", words.wrong);
      return { to: "/console/account", text: words.changed };
    },
  ),
} satisfies Handlers;
