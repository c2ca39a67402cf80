/** The password or a passkey once more before a risky act, when it was given too long ago. */
import { limits } from "../../../limits.ts";
import { Notice } from "../../ui/controls.tsx";
import { connectionHref } from "./addresses.ts";
import { type ConsolePage, HiddenFields, PostForm } from "./layout.tsx";
import { LinkLine } from "./parts.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { PasswordInput } from "./password-input.tsx";
import type { Session } from "./session.ts";
import { frameText } from "./words.ts";

/** The names of the fields with the password, or with what a passkey has signed. */
export const proofField = "formd.password";
export const passkeyProofField = "formd.passkey";

export const isProofStale = ({ provedAt }: Session): boolean =>
  Date.now() - provedAt.getTime() > limits.operatorSession.proofMinutes * 60_000;

/**
 * Which acts take a passkey: `asked`, where a workspace of the team asks for one; `own`, on a person's own
 * passkeys, once there is one and a workspace anywhere asks for it: a password must not replace it; `always`,
 * what says whether a workspace asks.
 */
export type PasskeyRule = "asked" | "own" | "always";

/** Whether a passkey must be used now. It was used longer ago than an act may come after it, or never. */
export const needsPasskey = (session: Session, rule: PasskeyRule | undefined): boolean =>
  isRuled(session, rule) &&
  !(session.passkeyAt && Date.now() - session.passkeyAt.getTime() < limits.passkey.stepUpMinutes * 60_000);

const isRuled = (
  { workspaces, hasPasskey, isPasskeyAsked }: Session,
  rule: PasskeyRule | undefined,
): boolean => {
  if (rule === "own") return hasPasskey && isPasskeyAsked;
  return rule === "always" || (rule === "asked" && workspaces.some(({ requiresPasskey }) => requiresPasskey));
};

/** Sends the form again, as it was, with what a passkey has signed; or says how to get one. */
export const passkeyPage = (
  action: string,
  values: URLSearchParams,
  { hasPasskey, message }: { hasPasskey: boolean; message?: string },
): ConsolePage => ({
  title: frameText.proof.passkeyTitle,
  status: 403,
  content: (
    <>
      <h1>{frameText.proof.passkeyTitle}</h1>
      {message && <Notice kind="error">{message}</Notice>}
      <p>{hasPasskey ? frameText.proof.passkeyMessage : frameText.proof.passkeyMissing}</p>
      {hasPasskey ? (
        <PostForm action={action} class="stacked">
          <HiddenFields fields={values} />
          <PasskeyButton name={passkeyProofField} label={frameText.passkeys.prove} isOnly />
        </PostForm>
      ) : (
        <LinkLine class="button" href="/console/account/passkeys" label={frameText.passkeys.add} />
      )}
    </>
  ),
});

/** The way to prove it at the identity provider, for a person who has no password. */
export const providerProofPage = (connection: string, next: string): ConsolePage => ({
  title: frameText.proof.providerTitle,
  status: 403,
  content: (
    <>
      <h1>{frameText.proof.providerTitle}</h1>
      <p>{frameText.proof.providerMessage}</p>
      <LinkLine
        class="button"
        href={connectionHref(connection, { again: "true", next })}
        label={frameText.signIn.submit}
      />
    </>
  ),
});

/** Sends the form again, as it was, with the proof. */
export const proofPage = (
  action: string,
  values: URLSearchParams,
  { hasPasskey, message }: { hasPasskey: boolean; message?: string },
): ConsolePage => ({
  title: frameText.proof.title,
  status: 403,
  content: (
    <>
      <h1>{frameText.proof.title}</h1>
      {message && <Notice kind="error">{message}</Notice>}
      <p>{frameText.proof.message}</p>
      <PostForm action={action} class="stacked">
        <HiddenFields fields={values} />
        <PasswordInput
          name={proofField}
          label={frameText.signIn.password}
          autocomplete="current-password"
          autofocus
        />
        <button type="submit">{frameText.proof.submit}</button>
        {hasPasskey && <PasskeyButton name={passkeyProofField} label={frameText.passkeys.prove} />}
      </PostForm>
    </>
  ),
});
