/** Re-authentication before a risky action: the password or a passkey, if it was given too long ago. */
import type { ComponentChildren } from "preact";
import { limits } from "../../../limits.ts";
import { pathOf, rawQueryOf } from "../../../platform/http/request-context.ts";
import { provePasskey } from "../../../resources/operators/passkeys.ts";
import { provePassword } from "../../../resources/operators/passwords.ts";
import {
  type Act,
  type PasskeyRule,
  type ProofRule,
  type ProvedAct,
  proofs,
} from "../../../resources/operators/proofs.ts";
import { ErrorSummary, Notice } from "../../ui/controls.tsx";
import { connectionHref, ownPath, refererOf } from "./addresses.ts";
import type { Context } from "./context.ts";
import {
  PasskeyButton,
  PasswordInput,
  passkeyProofField,
  proofField,
  secretFields,
} from "./credential-inputs.tsx";
import { type ConsolePage, HiddenFields, PostForm } from "./layout.tsx";
import { LinkLine } from "./parts.tsx";
import type { Session } from "./session.ts";
import { frameText } from "./words.ts";

const words = frameText.proof;

/** Characters of a subject in the heading. */
const maxNameLength = 80;

/** Names of the fields with the id of the operator who was asked, and with the page of the form. */
const operatorField = "formd.operator";
const backField = "formd.back";

const isProofStale = ({ proofSeconds }: Session): boolean =>
  proofSeconds > limits.operatorSession.proofMinutes * 60;

/** True if the rule requires a passkey, and it was last used too long ago, or never. */
const needsPasskey = (session: Session, rule: PasskeyRule | undefined): boolean =>
  isRuled(session, rule) &&
  !(session.passkeySeconds !== null && session.passkeySeconds < limits.passkey.stepUpMinutes * 60);

const isRuled = (
  { workspaces, hasPasskey, isPasskeyAsked }: Session,
  rule: PasskeyRule | undefined,
): boolean => {
  if (rule === "own") return hasPasskey && isPasskeyAsked;
  return rule === "always" || (rule === "asked" && workspaces.some(({ requiresPasskey }) => requiresPasskey));
};

interface ProofPost extends Pick<Context, "deps" | "request"> {
  session: Session;
  values: URLSearchParams;
}

/** A post whose act asks for a proof. */
interface AskingPost extends ProofPost {
  /** The act as a question, with its subject. */
  title: string;
  /** The reason why this act asks, where its name does not say it. */
  reason: string | undefined;
  /** The page of the form, to which "Cancel" leads. */
  back: string;
}

/** The form is shown again without them, once the proof is given. */
function keptOf(values: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams(values);
  for (const name of secretFields) kept.delete(name);
  return kept;
}

/** The form of a post once more, without its secrets, and with the fields of a proof. */
const SameForm = ({ post, children }: { post: AskingPost; children: ComponentChildren }) => (
  <PostForm action={pathOf(post.request) + rawQueryOf(post.request)} class="stacked">
    <HiddenFields fields={keptOf(post.values)} />
    <HiddenFields fields={{ [operatorField]: post.session.operator, [backField]: post.back }} />
    {children}
  </PostForm>
);

/** Page in place of an act, which it names. @param notice about an earlier attempt */
const proofPage = (
  { title, reason, back }: AskingPost,
  message: string,
  children: ComponentChildren,
  notice?: ComponentChildren,
): ConsolePage => ({
  title,
  status: 403,
  content: (
    <>
      {notice}
      <h1 dir="auto">{title}</h1>
      {reason && <p>{reason}</p>}
      <p>{message}</p>
      {children}
      <LinkLine href={back} label={words.cancel} />
    </>
  ),
});

/** Page that sends the same form again with a passkey, or shows how to get one. */
const passkeyPage = (post: AskingPost, wrong?: string) => {
  const { hasPasskey } = post.session;
  return proofPage(
    post,
    hasPasskey ? words.passkeyMessage : words.passkeyMissing,
    hasPasskey ? (
      <SameForm post={post}>
        <PasskeyButton name={passkeyProofField} label={frameText.passkeys.prove} isOnly />
      </SameForm>
    ) : (
      <LinkLine class="button" href="/console/account/passkeys" label={frameText.passkeys.add} />
    ),
    wrong && <Notice kind="error">{wrong}</Notice>,
  );
};

/**
 * Page for a person without a password: the identity provider in another tab, and the same form again once it
 * has been there. The new session's cookie comes with that form, so that nothing of it is stored meanwhile.
 */
const providerProofPage = (post: AskingPost, connection: string, isRepeated: boolean) => {
  const href = connectionHref(connection, { again: "true", next: post.back });
  return proofPage(
    post,
    words.providerMessage,
    <>
      <LinkLine class="button" href={href} target="_blank" label={words.provider} />
      <SameForm post={post}>
        <button type="submit" class="quiet">
          {words.submit}
        </button>
      </SameForm>
    </>,
    isRepeated && <Notice kind="error">{words.notYet}</Notice>,
  );
};

interface WrongProof {
  /** Message on a passkey. */
  passkey?: string;
  /** Sentence at the password. */
  password?: string;
}

/** Page that sends the same form again with the password or a passkey. */
const passwordPage = (post: AskingPost, { passkey, password }: WrongProof = {}) => {
  return proofPage(
    post,
    words.message,
    <SameForm post={post}>
      <PasswordInput
        name={proofField}
        label={frameText.signIn.password}
        autocomplete="current-password"
        error={password}
        autofocus={password === undefined}
      />
      <button type="submit">{words.submit}</button>
      {post.session.hasPasskey && <PasskeyButton name={passkeyProofField} label={frameText.passkeys.prove} />}
    </SameForm>,
    password ? (
      <ErrorSummary heading={frameText.correct} errors={[[proofField, password]]} />
    ) : (
      passkey && <Notice kind="error">{passkey}</Notice>
    ),
  );
};

interface GivenProof {
  password: string | null;
  passkey: string | null;
  operator: string | null;
  back: string | null;
}

/** Takes the proof out of the values of a post, and the token: shapes refuse names that they do not know. */
export function takeProof(values: URLSearchParams): GivenProof {
  const given = {
    password: values.get(proofField),
    passkey: values.get(passkeyProofField),
    operator: values.get(operatorField),
    back: values.get(backField),
  };
  for (const name of [proofField, passkeyProofField, operatorField, backField, "csrf"]) values.delete(name);
  return given;
}

/** True if the act needs a proof that the session does not have. */
const lacksProof = (session: Session, { isRecent, passkey }: ProofRule): boolean =>
  needsPasskey(session, passkey) || (isRecent === true && isProofStale(session));

/**
 * Checks the proof that an act needs. Who has signed in to another account meanwhile is asked again: the page
 * was for the first one's act.
 * @param nameOf text that names the subject
 * @returns the page that asks for the password or a passkey; undefined when it was given
 */
export async function requireProof(
  post: ProofPost,
  { password, passkey, operator, back }: GivenProof,
  act: Act,
  nameOf: () => string | undefined | Promise<string | undefined> = () => undefined,
): Promise<ConsolePage | undefined> {
  const { deps, request, session } = post;
  const rule: ProofRule = proofs[act];
  const isOther = operator !== null && operator !== session.operator;
  if (!isOther && !lacksProof(session, rule)) return undefined;
  const isPasskey = needsPasskey(session, rule.passkey);
  const subject = [...((await nameOf()) ?? "")];
  const name =
    subject.length > maxNameLength ? `${subject.slice(0, maxNameLength).join("")}…` : subject.join("");
  const asking = {
    ...post,
    title: words.title(words.acts[act as ProvedAct], name),
    reason: act === "form.redirected" ? words.redirected : undefined,
    back: back === null ? refererOf(request) : ownPath(back),
  };
  if (passkey && !isOther) {
    if (await provePasskey(deps, request, session, passkey)) return undefined;
    const wrong = words.wrongPasskey;
    return isPasskey ? passkeyPage(asking, wrong) : passwordPage(asking, { passkey: wrong });
  }
  if (isPasskey) return passkeyPage(asking);
  if (session.connectionId !== null)
    return providerProofPage(asking, session.connectionId, operator !== null && !isOther);
  if (password === null || isOther) return passwordPage(asking);
  return (await provePassword(deps, request, session, password))
    ? undefined
    : passwordPage(asking, { password: words.wrong });
}
