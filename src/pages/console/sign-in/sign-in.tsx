/** Signing in: `/console/sign-in`, and what it does for a form whose session has ended. */
import { requireSameOrigin } from "../../../platform/auth/csrf.ts";
import type { Deps } from "../../../platform/deps.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { parseForm, parseFormFields } from "../../../platform/http/form-body.ts";
import { admitIp } from "../../../platform/http/rate-limits.ts";
import { openSession, readLogin, setCookies } from "../../../resources/operators/operator-sessions.ts";
import { openPasskeySession, signInOptions } from "../../../resources/operators/passkeys.ts";
import { LoginRequest } from "../../../resources/operators/shapes.ts";
import { ownPath, redirect, resumeField } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { plainPage, problemIn } from "../frame/plain-page.tsx";
import { maxSignInBytes, passkeyField, signInPage } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";

type Set = Context["set"];

/**
 * The way back to a form whose session has ended. It sends the values to where the form does, which shows the
 * form and saves nothing.
 */
const resumePage = (set: Set, action: string, values: URLSearchParams): string =>
  plainPage(
    set,
    frameText.resume.title,
    <>
      <p>{frameText.resume.message}</p>
      <form method="post" action={action}>
        <input type="hidden" name={resumeField} value="true" />
        {[...values].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{frameText.resume.submit}</button>
      </form>
    </>,
  );

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

export const signInPages = {
  /** What the browser is asked for a passkey with, as JSON; for the script of a page. */
  passkeyOptions: async ({ deps, request, set }) => {
    admitIp(request, "login");
    requireSameOrigin(deps, request);
    set.headers["content-type"] = "application/json";
    set.headers["cache-control"] = "no-store";
    return JSON.stringify(await signInOptions(deps, request));
  },
  page: ({ deps, query, set }) => signInPage(deps, set, { next: ownPath(query.next) }),
  signIn: async ({ deps, request, set }) => {
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
} satisfies Handlers;
