/** Account → Password: a person's own. */
import { changePassword } from "../../../resources/operators/passwords.ts";
import { requiredConnection } from "../../../resources/operators/sign-in-connections.ts";
import type { Handlers } from "../frame/context.ts";
import { aboutPassword, newPassword, passwordInput, SignsInBy } from "../frame/credential-inputs.tsx";
import { Controls, formOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { newItemPage } from "../frame/parts.tsx";
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

async function passwordPage(view: PageContext) {
  const { email, team, operator } = view.session;
  const required = await requiredConnection(view.deps.sql, email, team, operator);
  const children = [<SignsInBy by={required} />, <Controls of={passwordForm(view)} />];
  const { title, intro, submit } = words;
  return newItemPage("account", { title, intro, submit, cancel: "/console/account", action: path, children });
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
