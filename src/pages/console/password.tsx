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
import { requiredConnection } from "../../resources/operators/sign-in-connections.ts";
import { Notice } from "../ui/controls.tsx";
import { onGet, onPost, type View } from "./handler.ts";
import type { Page } from "./layout.tsx";
import { NewPage } from "./new-page.tsx";
import { PasswordInput } from "./password-input.tsx";
import type { Session } from "./session.ts";
import { connectionHref, home } from "./sign-in.tsx";
import { Refusal } from "./text/words.ts";
import { text } from "./text.ts";

const words = text.password;
const path = "/console/account/password";

type Required = Awaited<ReturnType<typeof requiredConnection>>;

/**
 * Above a new password that will be refused.
 * @param by the connection by which the address must sign in
 * @param next where to go afterwards
 */
export const SignsInBy = ({ by, next = home }: { by: Required; next?: string }) =>
  by ? (
    <Notice kind="info">
      <p dir="auto">{words.refused(by.name)}</p>
      <p>
        <a href={connectionHref(by.id, { next })} dir="auto">
          {text.signIn.by(by.name)}
        </a>
      </p>
    </Notice>
  ) : null;

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

const passwordPage = ({ session: { email } }: View, required: Required): Page => ({
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

const requiredOf = ({ sql }: Deps, { email, team }: Session) => requiredConnection(sql, email, team);

export const passwordPages = (deps: Deps) => ({
  read: onGet(deps, async (view) => passwordPage(view, await requiredOf(deps, view.session))),
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
    async (retry) => passwordPage(retry, await requiredOf(deps, retry.session)),
  ),
});
