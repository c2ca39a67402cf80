/** Account → Password: a person's own. */
import { listPasskeys } from "../../../resources/operators/passkeys.ts";
import { changePassword } from "../../../resources/operators/passwords.ts";
import { requiredConnection } from "../../../resources/operators/sign-in-connections.ts";
import type { Handlers } from "../frame/context.ts";
import { aboutPassword, newPassword, passwordInput, SignsInBy } from "../frame/credential-inputs.tsx";
import { Controls, checkbox, formOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { newItemPage } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";

const words = frameText.password;
const path = "/console/account/password";

const passwordForm = ({ session: { email } }: Pick<PageContext, "session">, passkeys: string[] = []) => {
  const label = words.removePasskeys(passkeys.join(", "));
  return formOf(
    {
      current: passwordInput({ label: words.current, autocomplete: "current-password" }),
      password: newPassword(email),
      removePasskeys: checkbox({ label, hint: words.removePasskeysHint, checked: true }),
    },
    { about: { current_password_wrong: "current", ...aboutPassword } },
  );
};

async function passwordPage(view: PageContext) {
  const { email, team, operator } = view.session;
  const required = await requiredConnection(view.deps.sql, email, team, operator);
  const passkeys = (await listPasskeys(view.deps.sql, operator)).map(({ name }) => name);
  const form = passwordForm(view, passkeys);
  // Without a passkey there is nothing to choose; one that is added meanwhile goes as well.
  const isAsked = passkeys.length > 0;
  const fields = isAsked ? {} : { removePasskeys: "true" };
  const names = ["current", "password", ...(isAsked ? (["removePasskeys"] as const) : [])] as const;
  const children = [<SignsInBy by={required} />, <Controls of={form} names={names} />];
  const page = { title: words.title, intro: words.intro, submit: words.submit, cancel: "/console/account" };
  return newItemPage("account", { ...page, action: path, fields, children });
}

export const passwordPages = {
  page: onGet(passwordPage),
  change: onPost(
    // It may remove passkeys, which a stolen password must not.
    { act: "account.password_changed", form: (post) => passwordForm(post), retry: passwordPage },
    async ({ deps, request, session, data, actor, setCookie }) => {
      const given = { current: data.current, chosen: data.password, keepsPasskeys: !data.removePasskeys };
      const { cookie, sessions, passkeys } = await changePassword(deps, request, actor, session, given);
      setCookie(cookie);
      return { to: "/console/account", text: `${words.changed}. ${words.ended(sessions, passkeys)}` };
    },
  ),
} satisfies Handlers;
