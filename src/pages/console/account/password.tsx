/** Account → Password: a person's own. */
import { changePassword } from "../../../resources/operators/passwords.ts";
import {
  type RequiredConnection,
  requiredConnection,
} from "../../../resources/operators/sign-in-connections.ts";
import type { Handlers } from "../frame/context.ts";
import { Controls, formOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, useSession } from "../frame/layout.tsx";
import { NewPage } from "../frame/parts.tsx";
import { aboutPassword, newPassword, passwordInput, SignsInBy } from "../frame/password-input.tsx";
import { frameText } from "../frame/words.ts";

const words = frameText.password;
const path = "/console/account/password";

const passwordForm = ({ session: { email } }: Pick<PageContext, "session">) =>
  formOf(
    {
      current: passwordInput({ label: words.current, autocomplete: "current-password" }),
      password: newPassword(email),
    },
    { about: { current_password_wrong: "current", ...aboutPassword } },
  );

const Password = ({ required }: { required: RequiredConnection }) => (
  <NewPage
    title={words.title}
    intro={words.intro}
    action={path}
    submit={words.submit}
    cancel="/console/account"
  >
    <SignsInBy by={required} />
    <Controls of={passwordForm({ session: useSession() })} />
  </NewPage>
);

async function passwordPage({ deps, session: { email, team, operator } }: PageContext): Promise<ConsolePage> {
  const required = await requiredConnection(deps.sql, email, team, operator);
  return { title: words.title, section: "account", content: <Password required={required} /> };
}

export const passwordPages = {
  page: onGet(passwordPage),
  change: onPost(
    { form: passwordForm, retry: passwordPage },
    async ({ deps, request, session, data, actor }) => {
      const given = { current: data.current, chosen: data.password };
      await changePassword(deps, request, actor, session, given);
      return { to: "/console/account", text: words.changed };
    },
  ),
} satisfies Handlers;
