/** Re-authentication before a risky action: the password or a passkey, if it was given too long ago. */
import type { ComponentChildren } from "preact";
import { limits } from "../../../limits.ts";
import { pathOf, rawQueryOf } from "../../../platform/http/request-context.ts";
import { provePasskey } from "../../../resources/operators/passkeys.ts";
import { provePassword } from "../../../resources/operators/passwords.ts";
import { ErrorSummary, Notice } from "../../ui/controls.tsx";
import { connectionHref, refererOf } from "./addresses.ts";
import type { Context } from "./context.ts";
import { PasskeyButton, PasswordInput } from "./credential-inputs.tsx";
import { type ConsolePage, HiddenFields, PostForm } from "./layout.tsx";
import { LinkLine } from "./parts.tsx";
import type { Session } from "./session.ts";
import { frameText } from "./words.ts";

const words = frameText.proof;

/** Names of the fields with the password, or with the passkey's response. */
const proofField = "formd.password";
const passkeyProofField = "formd.passkey";

const isProofStale = ({ provedAt }: Session): boolean =>
  Date.now() - provedAt.getTime() > limits.operatorSession.proofMinutes * 60_000;

/**
 * Actions that require a passkey. `asked`: if a workspace of the team requires passkeys. `own`, for a
 * person's own passkeys: if there is one and a workspace anywhere requires passkeys, since a password must
 * not replace it. `always`: for the setting of a workspace that requires passkeys.
 */
export type PasskeyRule = "asked" | "own" | "always";

/** True if the rule requires a passkey, and it was last used too long ago, or never. */
const needsPasskey = (session: Session, rule: PasskeyRule | undefined): boolean =>
  isRuled(session, rule) &&
  !(session.passkeyAt && Date.now() - session.passkeyAt.getTime() < limits.passkey.stepUpMinutes * 60_000);

const isRuled = (
  { workspaces, hasPasskey, isPasskeyAsked }: Session,
  rule: PasskeyRule | undefined,
): boolean => {
  if (rule === "own") return hasPasskey && isPasskeyAsked;
  return rule === "always" || (rule === "asked" && workspaces.some(({ requiresPasskey }) => requiresPasskey));
};

/** Page in place of a risky action. @param notice about an earlier attempt */
const proofPage = (
  title: string,
  message: string,
  children: ComponentChildren,
  notice?: ComponentChildren,
): ConsolePage => ({
  title,
  status: 403,
  content: (
    <>
      {notice}
      <h1>{title}</h1>
      <p>{message}</p>
      {children}
    </>
  ),
});

interface ProofPost extends Pick<Context, "deps" | "request"> {
  session: Session;
  values: URLSearchParams;
}

const actionOf = (request: Request) => pathOf(request) + rawQueryOf(request);

/** Page that sends the same form again with a passkey, or shows how to get one. */
const passkeyPage = ({ request, session: { hasPasskey }, values }: ProofPost, wrong?: string) =>
  proofPage(
    words.passkeyTitle,
    hasPasskey ? words.passkeyMessage : words.passkeyMissing,
    hasPasskey ? (
      <PostForm action={actionOf(request)} class="stacked">
        <HiddenFields fields={values} />
        <PasskeyButton name={passkeyProofField} label={frameText.passkeys.prove} isOnly />
      </PostForm>
    ) : (
      <LinkLine class="button" href="/console/account/passkeys" label={frameText.passkeys.add} />
    ),
    wrong && <Notice kind="error">{wrong}</Notice>,
  );

/** Page that leads to re-authentication at the identity provider, for a person without a password. */
const providerProofPage = (connection: string, next: string) => {
  const href = connectionHref(connection, { again: "true", next });
  const link = <LinkLine class="button" href={href} label={frameText.signIn.title} />;
  return proofPage(words.providerTitle, words.providerMessage, link);
};

interface WrongProof {
  /** Message on a passkey. */
  passkey?: string;
  /** Sentence at the password. */
  password?: string;
}

/** Page that sends the same form again with the password or a passkey. */
const passwordPage = (
  { request, session: { hasPasskey }, values }: ProofPost,
  { passkey, password }: WrongProof = {},
) =>
  proofPage(
    words.title,
    words.message,
    <PostForm action={actionOf(request)} class="stacked">
      <HiddenFields fields={values} />
      <PasswordInput
        name={proofField}
        label={frameText.signIn.password}
        autocomplete="current-password"
        error={password}
        autofocus={password === undefined}
      />
      <button type="submit">{words.submit}</button>
      {hasPasskey && <PasskeyButton name={passkeyProofField} label={frameText.passkeys.prove} />}
    </PostForm>,
    password ? (
      <ErrorSummary heading={frameText.correct} errors={[[proofField, password]]} />
    ) : (
      passkey && <Notice kind="error">{passkey}</Notice>
    ),
  );

/** @returns the page that asks for the password or a passkey; undefined when it was given */
export async function requireProof(
  post: ProofPost,
  rule: { isRisky: boolean; passkey?: PasskeyRule | undefined },
): Promise<ConsolePage | undefined> {
  const { deps, request, session, values } = post;
  const password = values.get(proofField);
  const passkey = values.get(passkeyProofField);
  values.delete(proofField);
  values.delete(passkeyProofField);
  // Not a value of the form: shapes may refuse names that they do not know.
  values.delete("csrf");
  const isPasskey = needsPasskey(session, rule.passkey);
  if (!isPasskey && !(rule.isRisky && isProofStale(session))) return undefined;
  if (passkey) {
    if (await provePasskey(deps, request, session, passkey)) return undefined;
    const wrong = words.wrongPasskey;
    return isPasskey ? passkeyPage(post, wrong) : passwordPage(post, { passkey: wrong });
  }
  if (isPasskey) return passkeyPage(post);
  if (session.connectionId !== null) return providerProofPage(session.connectionId, refererOf(request));
  if (password === null) return passwordPage(post);
  return (await provePassword(deps, request, session, password))
    ? undefined
    : passwordPage(post, { password: words.wrong });
}
