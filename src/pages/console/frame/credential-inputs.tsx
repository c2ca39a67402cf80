/** Controls for a password, with a button that shows it, as it is easily mistyped, and for a passkey. */
import { limits } from "../../../limits.ts";
import type { RequiredConnection } from "../../../resources/operators/sign-in-connections.ts";
import { passkeysScriptAsset } from "../../ui/assets.ts";
import { Input, type InputProps, Notice } from "../../ui/controls.tsx";
import { connectionHref, home } from "./addresses.ts";
import { type FormControl, formOf, Wrong } from "./form.tsx";
import { LinkLine } from "./parts.tsx";
import { frameText } from "./words.ts";

const words = frameText.password;

/** Names of the fields with a person's proof: the password, or the passkey's response. */
export const proofField = "formd.password";
export const passkeyProofField = "formd.passkey";

/** Names of fields whose values must not appear in another page: people enter them again. */
export const secretFields = [
  "csrf",
  "password",
  "current",
  "clientSecret",
  proofField,
  passkeyProofField,
] as const;

type PasswordProps = Omit<InputProps, "name" | "type" | "required"> & {
  /** The e-mail, for password managers, which store both. Absent: the form asks for it. */
  username?: string | undefined;
};

/** The button needs the script, which shows it. */
export const PasswordInput = ({ username, ...props }: PasswordProps & { name: string }) => (
  <>
    {username && (
      <input type="text" name="username" autocomplete="username" value={username} readonly hidden />
    )}
    <Input {...props} type="password" required />
    <button type="button" class="quiet small" data-show={words.show} data-hide={words.hide} hidden>
      {words.show}
    </button>
  </>
);

/** Note that the person signs in by a connection, in place of or above a password that will be refused. */
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

/** A password as it was entered: spaces are a part of it. */
export const passwordInput = (props: PasswordProps): FormControl<string> => ({
  draw: (name) => <PasswordInput {...props} name={name} />,
  read: (values, name) => {
    const entered = values.get(name) ?? "";
    const { maxPasswordLength: max } = limits.operator;
    if (entered.length > max) return new Wrong(frameText.controls.tooLong(props.label, max));
    return entered === "" ? new Wrong(frameText.controls.missing(props.label)) : entered;
  },
});

export const newPassword = (username?: string): FormControl<string> => {
  const hint = words.newHint(limits.operator.minPasswordLength);
  return passwordInput({ label: words.new, hint, autocomplete: "new-password", username });
};

/** Problems of a new password, for `about` of a form. */
export const aboutPassword = {
  password_common: "password",
  password_is_email: "password",
  password_monotonous: "password",
  password_too_long: "password",
  password_too_short: "password",
} as const;

export const newPasswordForm = ({ email }: { email: string }) =>
  formOf({ password: newPassword(email) }, { about: aboutPassword });

/** Path from which the script fetches the options of a passkey request. */
const passkeyOptionsPath = "/console/sign-in/passkey";

interface PasskeyProps {
  name: string;
  label: string;
  options?: object;
  isOnly?: boolean;
}

/**
 * @param name of the field for the browser's response
 * @param options to make a passkey with; without them, an existing passkey is asked for
 * @param isOnly true if the form has no other button
 */
export const PasskeyButton = ({ name, label, options, isOnly = options !== undefined }: PasskeyProps) => (
  <div class="passkey">
    <input type="hidden" name={name} />
    <button
      type="button"
      class={isOnly ? undefined : "quiet"}
      data-passkey={options ? "create" : "get"}
      data-options={options && JSON.stringify(options)}
      data-from={options ? undefined : passkeyOptionsPath}
      hidden
    >
      {label}
    </button>
    <p class="needs-script quiet">{frameText.passkeys.needsScript}</p>
    <p role="alert" data-message={frameText.passkeys.failed} />
    <script type="module" src={passkeysScriptAsset.path} />
  </div>
);
