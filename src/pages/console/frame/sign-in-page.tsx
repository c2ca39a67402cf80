/** The page on which people sign in, also with the values of a form whose session has ended. */
import { limits } from "../../../limits.ts";
import type { Config } from "../../../platform/config.ts";
import type { Deps } from "../../../platform/deps.ts";
import { isMultipart, parseFormWithFiles } from "../../../platform/files/multipart.ts";
import { readBytes } from "../../../platform/http/body.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { pathOf, rawQueryOf } from "../../../platform/http/request-context.ts";
import { Problem } from "../../../problem.ts";
import { arePasskeysPossible } from "../../../resources/operators/passkeys.ts";
import { offeredConnections } from "../../../resources/operators/sign-in-connections.ts";
import { Submit } from "../../ui/controls.tsx";
import { connectionHref, forgotPath, home, refererOf, signInPath } from "./addresses.ts";
import type { Context } from "./context.ts";
import { PasskeyButton, passwordInput, secretFields } from "./credential-inputs.tsx";
import { formOf, textInput } from "./form.tsx";
import { HiddenFields, PostForm, type Refused, refusedBy } from "./layout.tsx";
import { LinkLine } from "./parts.tsx";
import { plainPage } from "./plain-page.tsx";
import { frameText } from "./words.ts";

/**
 * Limit of a sign-in with the values of a form whose session has ended. Anyone can send it: this many bytes
 * take at most 4 ms to parse and to show.
 */
const maxKeptBytes = 65_536;

/** Part of the limit for e-mail and password: a character is up to 9 bytes in a form post. */
const maxCredentialsBytes = 9 * (limits.operator.maxEmailLength + limits.operator.maxPasswordLength) + 64;

export const passkeyField = "passkey";

export const emailInput = (autofocus = false) =>
  textInput({
    label: frameText.signIn.email,
    type: "email",
    autocomplete: "username",
    autofocus,
    atMost: limits.operator.maxEmailLength,
    required: true,
  });

/** Without `about`: the message must not reveal whether the e-mail or the password is wrong. */
export const signInForm = () =>
  formOf({
    email: emailInput(true),
    password: passwordInput({ label: frameText.signIn.password, autocomplete: "current-password" }),
  });

interface SignIn {
  /** Next address: a page, or the address to which a form was sent whose session has ended. */
  next?: string;
  kept?: URLSearchParams | undefined;
  refused?: Refused;
}

export async function signInPage(
  { sql, config }: Deps,
  set: Context["set"],
  { next = home, kept, refused }: SignIn,
): Promise<string> {
  const connections = await offeredConnections(sql);
  return plainPage(
    set,
    frameText.signIn.title,
    <>
      <PostForm action={signInPath} form={signInForm()}>
        <HiddenFields fields={{ next, ...(kept && { values: kept.toString() }) }} />
        <Submit label={frameText.signIn.title} />
        {arePasskeysPossible(config) && (
          <PasskeyButton name={passkeyField} label={frameText.passkeys.signIn} />
        )}
      </PostForm>
      {connections.map(({ id, name, emailDomains, isRequired }) => (
        <p key={id}>
          <a class="button quiet" href={connectionHref(id, { next })} dir="auto">
            {frameText.signIn.by(name)}
          </a>
          {isRequired && <small>{frameText.signIn.byOnly(emailDomains.join(", "))}</small>}
        </p>
      ))}
      <LinkLine href={forgotPath} label={frameText.signIn.forgotten} />
    </>,
    refused,
  );
}

export const maxSignInBytes = ({ MAX_BODY_BYTES }: Config) => Math.min(maxKeptBytes, MAX_BODY_BYTES);

interface Kept {
  values: URLSearchParams;
  /** True: a file was chosen. No page can show it again. */
  hadFile: boolean;
}

/**
 * Returns a form's fields, without {@link secretFields} and files. All of them or none: a form that is shown
 * again without a field would delete its value.
 *
 * @returns undefined when they would not fit into the sign-in, which encodes them a second time; a body that
 * is too large is not read
 * @throws {Problem} as {@link readBytes} and {@link parseForm}.
 */
async function readKept(config: Config, request: Request, next: string): Promise<Kept | undefined> {
  const maxBytes = maxSignInBytes(config) - maxCredentialsBytes;
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= maxBytes)) return undefined;
  const files = new Set<string>();
  const body = await readBytes(request, maxBytes);
  const values = isMultipart(request)
    ? await parseFormWithFiles(request, body, files)
    : parseForm(request, body);
  for (const name of [...secretFields, ...files]) values.delete(name);
  const sent = new URLSearchParams({ next, values: values.toString() });
  return sent.toString().length <= maxBytes ? { values, hadFile: files.size > 0 } : undefined;
}

/**
 * Responds with the sign-in page to a form whose session has ended. The page keeps the values if the form can
 * be shown again and they fit.
 */
export async function askToSignIn(
  deps: Deps,
  request: Request,
  set: Context["set"],
  canShowAgain: boolean,
): Promise<string> {
  const next = pathOf(request) + rawQueryOf(request);
  const kept = canShowAgain ? await readKept(deps.config, request, next) : undefined;
  const ended = refusedBy(request, new Problem("unauthorized"));
  const from = refererOf(request);
  return await signInPage(
    deps,
    set,
    kept
      ? { next, kept: kept.values, refused: { ...ended, message: endedInForm(kept) } }
      : // A page that asked for the password is no page of its own.
        { next: from === next ? home : from, refused: { ...ended, message: frameText.signIn.ended } },
  );
}

const endedInForm = ({ hadFile }: Kept): string =>
  hadFile ? frameText.signIn.endedWithFile : frameText.signIn.endedInForm;

/** Page after a link from another site, which came without the cookie. */
export const outsidePage = (set: Context["set"], href: string): string =>
  plainPage(
    set,
    frameText.outside.title,
    <>
      <p>{frameText.outside.message}</p>
      <LinkLine class="button" href={href} label={frameText.outside.submit} />
    </>,
  );
