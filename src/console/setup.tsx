/** The first start: `/setup/<token>` makes the first operator, team and workspace, and an example form with a submission. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { hashPasswordInTurn, makeSalt } from "../auth/password.ts";
import { jsonb } from "../db.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import * as examples from "../http/examples.ts";
import { parseForm } from "../http/form-body.ts";
import { contextOf } from "../http/request-context.ts";
import { emptyUnlessUtf8 } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { validateCredentials } from "../operators/operators.ts";
import { readLogin } from "../operators/sessions.ts";
import { Input, Notice } from "../pages/controls.tsx";
import { MessagePage, respondWithPage } from "../pages/page.tsx";
import { Problem, requireClientProblem } from "../problem.ts";
import { isSetupOpen, isSetupToken } from "./setup-link.ts";
import { SetupForm } from "./shapes.ts";
import { home, redirect, signInPath, startSession } from "./sign-in.tsx";
import { text } from "./text.ts";

const words = text.setup;
const path = "/setup/:token";

interface Setup {
  token: string;
  values: URLSearchParams;
  message?: string;
}

const setupPage = (set: { headers: Record<string, unknown> }, { token, values, message }: Setup): string =>
  respondWithPage(set, {
    title: `${words.title} · ${text.product}`,
    lang: text.lang,
    children: (
      <MessagePage heading={words.title} product={text.product}>
        {message && <Notice kind="error">{message}</Notice>}
        <p>{words.message}</p>
        <form method="post" action={`/setup/${encodeURIComponent(token)}`}>
          <Input
            name="email"
            label={text.signIn.email}
            type="email"
            autocomplete="username"
            value={values.get("email") ?? ""}
            required
          />
          <Input
            name="password"
            label={text.signIn.password}
            hint={words.passwordHint(limits.operator.minPasswordLength)}
            type="password"
            autocomplete="new-password"
            required
          />
          <Input
            name="team"
            label={words.team}
            hint={words.teamHint}
            value={values.get("team") ?? ""}
            required
          />
          <Input
            name="workspace"
            label={text.workspace}
            hint={words.workspaceHint}
            value={values.get("workspace") ?? words.workspaceDefault}
            required
          />
          <button type="submit">{words.submit}</button>
        </form>
      </MessagePage>
    ),
  });

/** @throws {Problem} `not_found` for a link that is no longer, or never was, one. */
async function requireSetupLink({ sql, masterKey }: Deps, token: string): Promise<void> {
  if (!isSetupToken(masterKey, token) || !(await isSetupOpen(sql)))
    throw new Problem("not_found", words.gone);
}

/** @throws {Problem} `bad_request`; `not_found` when there is an operator. */
async function completeSetup({ sql }: Deps, request: Request, values: URLSearchParams): Promise<void> {
  const { email, password, team, workspace } = assertShape(
    Object.fromEntries(values),
    SetupForm,
    "bad_request",
  );
  validateCredentials({ email, password });
  const salt = makeSalt();
  const hash = await hashPasswordInTurn(password, salt);
  const { name, description, schema } = examples.form;
  await sql`
    select formd.setup_complete(
      p_team => ${uuidv7()}, p_request_id => ${contextOf(request).requestId}, p_name => ${team}, p_workspace => ${uuidv7()},
      p_workspace_name => ${workspace}, p_operator => ${uuidv7()}, p_email => ${email}, p_salt => ${salt}, p_hash => ${hash},
      p_form => ${uuidv7()}, p_example => ${jsonb(sql, { name, description, schema })}, p_submission => ${uuidv7()},
      p_data => ${jsonb(sql, examples.submission.data)})`;
}

export const setup = (deps: Deps) =>
  new Elysia({ name: path })
    .onTransform(emptyUnlessUtf8("token"))
    .get(path, async ({ params: { token }, set }) => {
      await requireSetupLink(deps, token);
      return setupPage(set, { token, values: new URLSearchParams() });
    })
    .post(path, async ({ request, params: { token }, set }) => {
      // The token first: it costs one digest, and without one nothing else is done.
      if (!isSetupToken(deps.masterKey, token)) throw new Problem("not_found", words.gone);
      const values = parseForm(request, await readLogin(deps, request, limits.body.maxSmallBytes));
      await requireSetupLink(deps, token);
      try {
        await completeSetup(deps, request, values);
      } catch (error) {
        const { status, message } = requireClientProblem(error);
        set.status = status;
        return setupPage(set, { token, values, message });
      }
      // The operator exists whatever fails here, such as a limit of sign-ins, and this link is gone.
      const next = await startSession(deps, request, set, values).then(
        () => home,
        () => signInPath,
      );
      return redirect(set, next);
    });
