/** A control for a password, which a button shows: who cannot see it mistypes it. */

import { limits } from "../../../limits.ts";
import type { RequiredConnection } from "../../../resources/operators/sign-in-connections.ts";
import { Input, type InputProps, Notice } from "../../ui/controls.tsx";
import { connectionHref, home } from "./addresses.ts";
import { LinkLine } from "./parts.tsx";
import { frameText } from "./words.ts";

const words = frameText.password;

/** The script shows the button, which needs it. */
export const PasswordInput = (props: Omit<InputProps, "type" | "required">) => (
  <>
    <Input {...props} type="password" required />
    <button type="button" class="quiet small" data-show={words.show} data-hide={words.hide} hidden>
      {words.show}
    </button>
  </>
);

/** In place of a new password, or above one, that will be refused: the connection by which one signs in. */
export const SignsInBy = ({ by }: { by: RequiredConnection }) =>
  by ? (
    <Notice kind="info">
      <p dir="auto">{words.refused(by.name)}</p>
      <LinkLine
        class="button quiet"
        href={connectionHref(by.id, { next: home })}
        dir="auto"
        label={frameText.signIn.by(by.name)}
      />
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
