/** Account → Password: a person's own. */
import { limits } from "../../limits.ts";
import { toSql } from "../../platform/auth/actor.ts";
import { sessionSecretOf } from "../../platform/auth/operator-session.ts";
import { hashPasswordInTurn, makeSalt } from "../../platform/auth/password.ts";
import { validatePassword } from "../../platform/auth/password-rules.ts";
import { parseSecret } from "../../platform/auth/secret.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { hashOwnPassword } from "../../resources/operators/passwords.ts";
import { onGet, onPost } from "./handler.ts";
import type { Page } from "./layout.tsx";
import { NewPage } from "./new-page.tsx";
import { PasswordInput } from "./password-input.tsx";
import { Refusal } from "./text/words.ts";
import { text } from "./text.ts";

const words = text.password;
const path = "/console/account/password";

/** A new password; the address beside it is for password managers, which store both. */
export const NewPassword = ({ email }: { email: string }) => (
  <>
    <input type="text" name="username" autocomplete="username" value={email} readonly hidden />
    <PasswordInput
      name="password"
      label={words.new}
      hint={words.newHint(limits.operator.minPasswordLength)}
      autocomplete="new-password"
    />
  </>
);

const passwordPage = (email: string, message?: string): Page => ({
  title: words.title,
  section: "account",
  content: (
    <NewPage
      title={words.title}
      message={message}
      intro={words.intro}
      action={path}
      submit={words.submit}
      cancel="/console/account"
    >
      <PasswordInput name="current" label={words.current} autocomplete="current-password" />
      <NewPassword email={email} />
    </NewPage>
  ),
});

export const passwordPages = (deps: Deps) => ({
  read: onGet(deps, async ({ session }) => passwordPage(session.email)),
  change: onPost(
    deps,
    async ({ request, session, values, actor }) => {
      const { sql, config } = deps;
      const password = values.get("password") ?? "";
      validatePassword(password, session.email);
      const { team, hash } = parseSecret("fdo", sessionSecretOf(config, request));
      const current = await hashOwnPassword(deps, request, { team, hash }, values.get("current") ?? "");
      const salt = makeSalt();
      const chosen = await hashPasswordInTurn(password, salt, "known");
      const { isChanged } = oneRow(
        await sql<{ isChanged: boolean }[]>`
          select formd.operator_change_password(
            p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${hash}, p_password_hash => ${current},
            p_salt => ${salt}, p_hash => ${chosen}) as is_changed`,
      );
      if (!isChanged) throw new Refusal("bad_request", words.wrong);
      return "/console/account?changed=password";
    },
    async ({ session, message }) => passwordPage(session.email, message),
  ),
});
