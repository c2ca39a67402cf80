/** Signing in: `/console/sign-in`, also for a form whose session has ended. */
import { requireSameOrigin } from "../../../platform/auth/csrf.ts";
import { parseFormFields } from "../../../platform/http/form-body.ts";
import { admitIp } from "../../../platform/http/rate-limits.ts";
import { openSession, setCookies } from "../../../resources/operators/operator-sessions.ts";
import { openPasskeySession, signInOptions } from "../../../resources/operators/passkeys.ts";
import { Submit } from "../../ui/controls.tsx";
import { redirect } from "../../ui/page.tsx";
import { home, ownPath, resumeField, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { type DataOf, readForm } from "../frame/form.tsx";
import { HiddenFields, PostForm } from "../frame/layout.tsx";
import { onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { maxSignInBytes, passkeyField, signInForm, signInPage } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";

/**
 * Page that leads back to a form whose session has ended. It sends the values to the address of the form,
 * which shows the form and saves nothing.
 */
const resumePage = (set: Context["set"], action: string, values: URLSearchParams): string =>
  plainPage(
    set,
    frameText.resume.title,
    <>
      <p>{frameText.resume.message}</p>
      <PostForm action={action}>
        <HiddenFields fields={{ [resumeField]: "true" }} />
        <HiddenFields fields={values} />
        <Submit label={frameText.resume.submit} />
      </PostForm>
    </>,
  );

type Login = DataOf<ReturnType<typeof signInForm>>;

/** Opens a session and sets its cookie. @throws {Problem} as {@link openSession}. */
const startSession = async ({ deps, request, set }: Context, login: Login, isNewPassword = false) =>
  setCookies(set, (await openSession(deps, request, login, { toOldestTeam: true, isNewPassword })).cookies);

/**
 * Signs in with a password that was just chosen, which stays if the sign-in fails, such as by a rate limit.
 * @returns whether the person is signed in
 */
export const trySignIn = (context: Context, login: Login): Promise<boolean> =>
  startSession(context, login, true).then(
    () => true,
    () => false,
  );

/** {@link trySignIn}, and the next page, or the sign-in page if it fails. */
export const signInAfter = async (context: Context, login: Login, next = home): Promise<string> =>
  redirect(context.set, (await trySignIn(context, login)) ? next : `${signInPath}?next=${next}`);

const keptIn = (values: URLSearchParams) =>
  values.has("values") ? parseFormFields(values.get("values") ?? "") : undefined;

export const signInPages = {
  /** Returns the options of a passkey request as JSON, for the script of a page. */
  passkeyOptions: async ({ deps, request, set }) => {
    admitIp(request, "login");
    requireSameOrigin(deps, request);
    set.headers["content-type"] = "application/json";
    set.headers["cache-control"] = "no-store";
    return JSON.stringify(await signInOptions(deps, request));
  },
  page: ({ deps, query, set }) => signInPage(deps, set, { next: ownPath(query.next) }),
  signIn: onPlainPost(
    {
      find: (_, values) => ({ next: ownPath(values.get("next")), kept: keptIn(values) }),
      page: ({ deps, set }, found, refused) => signInPage(deps, set, { ...found, refused }),
      maxBytes: maxSignInBytes,
    },
    async ({ found: { next, kept }, values, data: _, ...context }) => {
      const { deps, request, set } = context;
      const passkey = values.get(passkeyField);
      if (passkey) setCookies(set, await openPasskeySession(deps, request, passkey));
      else await startSession(context, readForm(signInForm(), values));
      return kept ? resumePage(set, next, kept) : redirect(set, next);
    },
  ),
} satisfies Handlers;
