/** Signing in: `/console/sign-in`, and what it does for a form whose session has ended. */
import { limits } from "../../../limits.ts";
import { requireSameOrigin } from "../../../platform/auth/csrf.ts";
import type { Config } from "../../../platform/config.ts";
import type { Deps } from "../../../platform/deps.ts";
import { assertShape, readBytes } from "../../../platform/http/body.ts";
import { parseForm, parseFormFields } from "../../../platform/http/form-body.ts";
import { admitIp } from "../../../platform/http/rate-limits.ts";
import { openSession, readLogin, setCookies } from "../../../resources/operators/operator-sessions.ts";
import {
  arePasskeysPossible,
  openPasskeySession,
  signInOptions,
} from "../../../resources/operators/passkeys.ts";
import { LoginRequest } from "../../../resources/operators/shapes.ts";
import { connectionPath, offeredConnections } from "../../../resources/operators/sign-in-connections.ts";
import { Input } from "../../ui/controls.tsx";
import type { Context, Routes } from "../frame/context.ts";
import { LinkLine } from "../frame/parts.tsx";
import { PasskeyButton } from "../frame/passkey-button.tsx";
import { PasswordInput } from "../frame/password-input.tsx";
import { plainPage, problemIn } from "../frame/plain-page.tsx";
import { text } from "../frame/text.ts";

/** The path of the page; it sends its form there as well. */
export const signInPath = "/console/sign-in";

/** Where the way to a new password is. */
export const forgotPath = "/console/forgot-password";

/**
 * A sign-in with the values of a form whose session has ended. Anyone can send it: this many bytes take at
 * most 4 ms to parse and to show.
 */
const maxKeptBytes = 65_536;

/** What e-mail and password take of them at most: a character is up to 9 bytes in a form post. */
const maxCredentialsBytes = 9 * (limits.operator.maxEmailLength + limits.operator.maxPasswordLength) + 64;

export const home = "/console";

/** The name of the hidden field by which a form is shown again with its values, and nothing is done. */
export const resumeField = "formd.resume";

/** The names of the fields that must not stand in another page. */
const secretFields = ["csrf", "password", "current", "clientSecret", "formd.password", "formd.passkey"];

/** The name of the field with what a passkey has signed. */
const passkeyField = "passkey";

type Set = Context["set"];

/** 303: the browser gets the next page by GET, and a reload sends nothing again. */
export function redirect(set: Set, location: string): string {
  set.status = 303;
  set.headers.location = location;
  return "";
}

interface SignIn {
  /** Where to go afterwards: a page, or what a form whose session has ended was sent to. */
  next?: string | undefined;
  /** The form's fields. */
  values?: URLSearchParams | undefined;
  email?: string;
  message?: string;
  status?: number;
}

/** The link by which a connection's sign-in begins. */
export const connectionHref = (id: string, query: Record<string, string>): string =>
  `${connectionPath(id)}?${new URLSearchParams(query)}`;

export async function signInPage(
  { sql, config }: Deps,
  set: Set,
  { next = home, values, email, message, status }: SignIn,
): Promise<string> {
  const connections = await offeredConnections(sql);
  if (status) set.status = status;
  return plainPage(
    set,
    text.signIn.title,
    <>
      <form method="post" action={signInPath}>
        <input type="hidden" name="next" value={next} />
        {values && <input type="hidden" name="values" value={values.toString()} />}
        <Input
          name="email"
          label={text.signIn.email}
          type="email"
          autocomplete="username"
          value={email}
          autofocus
          required
        />
        <PasswordInput name="password" label={text.signIn.password} autocomplete="current-password" />
        <button type="submit">{text.signIn.submit}</button>
        {arePasskeysPossible(config) && <PasskeyButton name={passkeyField} label={text.passkeys.signIn} />}
      </form>
      {connections.map(({ id, name, emailDomains, isRequired }) => (
        <p key={id}>
          <a class="button quiet" href={connectionHref(id, { next })} dir="auto">
            {text.signIn.by(name)}
          </a>
          {isRequired && <small>{text.signIn.byOnly(emailDomains.join(", "))}</small>}
        </p>
      ))}
      <LinkLine href={forgotPath} label={text.forgotPassword.title} />
    </>,
    message,
  );
}

const maxSignInBytes = ({ MAX_BODY_BYTES }: Config) => Math.min(maxKeptBytes, MAX_BODY_BYTES);

/**
 * A form's fields, without {@link secretFields}. All of them or none: a form that is
 * shown again without a field would delete what it says.
 *
 * @returns undefined when they would not fit into the sign-in, which encodes them a second time; a body that
 * is too large is not read
 * @throws {Problem} what {@link readBytes} and {@link parseForm} throw.
 */
export async function readKept(
  config: Config,
  request: Request,
  next: string,
): Promise<URLSearchParams | undefined> {
  const maxBytes = maxSignInBytes(config) - maxCredentialsBytes;
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= maxBytes)) return undefined;
  const values = parseForm(request, await readBytes(request, maxBytes));
  for (const name of secretFields) values.delete(name);
  const sent = new URLSearchParams({ next, values: values.toString() });
  return sent.toString().length <= maxBytes ? values : undefined;
}

/**
 * After a link from another site, which came without the cookie.
 * @param words of a page that knows more of where the person comes from
 */
export const outsidePage = (
  set: Set,
  href: string,
  words: { title: string; message: string } = text.outside,
): string =>
  plainPage(
    set,
    words.title,
    <>
      <p>{words.message}</p>
      <LinkLine class="button" href={href} label={text.outside.submit} />
    </>,
  );

/**
 * The way back to a form whose session has ended. It sends the values to where the form does, which shows the
 * form and saves nothing.
 */
const resumePage = (set: Set, action: string, values: URLSearchParams): string =>
  plainPage(
    set,
    text.resume.title,
    <>
      <p>{text.resume.message}</p>
      <form method="post" action={action}>
        <input type="hidden" name={resumeField} value="true" />
        {[...values].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{text.resume.submit}</button>
      </form>
    </>,
  );

/** A path of the console; anything else, such as another site's URL, is the first page. */
export const ownPath = (path: string | null | undefined): string =>
  path && /^\/console(?:[/?]|$)/.test(path) && !/[\\\s]/.test(path) ? path : home;

/**
 * Opens a session for the passkey, or the e-mail and password, of a form, and sets its cookie.
 * @throws {Problem} what {@link openSession} and {@link openPasskeySession} throw.
 */
export async function startSession(
  deps: Deps,
  request: Request,
  set: Set,
  values: URLSearchParams,
  isNewAccount = false,
): Promise<void> {
  const passkey = values.get(passkeyField);
  if (passkey) return setCookies(set, await openPasskeySession(deps, request, passkey));
  const credentials = { email: values.get("email"), password: values.get("password") };
  const login = assertShape(credentials, LoginRequest, "invalid_body");
  const { cookies } = await openSession(deps, request, login, { toOldestTeam: true, isNewAccount });
  setCookies(set, cookies);
}

export const signInPages: Routes = {
  /** What the browser is asked for a passkey with, as JSON; for the script of a page. */
  "POST /console/sign-in/passkey": async ({ deps, request, set }) => {
    admitIp(request, "login");
    requireSameOrigin(deps, request);
    set.headers["content-type"] = "application/json";
    set.headers["cache-control"] = "no-store";
    return JSON.stringify(await signInOptions(deps, request));
  },
  "GET /console/sign-in": ({ deps, query, set }) => signInPage(deps, set, { next: ownPath(query.next) }),
  "POST /console/sign-in": async ({ deps, request, set }) => {
    const values = parseForm(request, await readLogin(deps, request, maxSignInBytes(deps.config)));
    const next = ownPath(values.get("next"));
    const kept = values.has("values") ? parseFormFields(values.get("values") ?? "") : undefined;
    const problem = await problemIn(set, () => startSession(deps, request, set, values));
    if (problem) {
      const email = values.get("email") ?? "";
      return await signInPage(deps, set, { next, values: kept, email, message: problem.message });
    }
    return kept ? resumePage(set, next, kept) : redirect(set, next);
  },
};
