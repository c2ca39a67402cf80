/**
 * The console, which operators see at `/console`. A new page is a file of handlers (./handler.ts), each by
 * its address, a line here, and an entry in ./layout.tsx if the navigation shows it.
 */
import { Elysia } from "elysia";
import type { Deps } from "../../platform/deps.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { errorPage, wantsPage } from "../ui/error-page.tsx";
import { inLanguageOf, withLanguage } from "../ui/language.ts";
import { accessKeysPages } from "./access-keys.tsx";
import { accountPages } from "./account.tsx";
import { agentPages } from "./agent.tsx";
import { agentsPages } from "./agents.tsx";
import { answersPages } from "./answers.tsx";
import { apiKeysPages } from "./api-keys.tsx";
import { auditPages } from "./audit.tsx";
import { bulkReviewPages } from "./bulk-review.tsx";
import { chartsPages } from "./charts.tsx";
import { choosePasswordPages } from "./choose-password.tsx";
import { connectionSignInPages } from "./connection-sign-in.tsx";
import { connectionsPages } from "./connections.tsx";
import type { Context, Handler, Routes } from "./context.ts";
import { deleteSubmissionsPages } from "./delete-submissions.tsx";
import { fieldActs } from "./field-acts.ts";
import { forgotPasswordPages } from "./forgot-password.tsx";
import { formsPages } from "./forms.tsx";
import { holdPages } from "./holds.tsx";
import { mailsPages } from "./mails.tsx";
import { operatorsPages } from "./operators.tsx";
import { passkeysPages } from "./passkeys.tsx";
import { passwordPages } from "./password.tsx";
import { personPages } from "./person.tsx";
import { previewPages } from "./preview.ts";
import { publishPages } from "./publish.tsx";
import { reviewPages } from "./review.tsx";
import { settingsPages } from "./settings.tsx";
import { setupPages } from "./setup.tsx";
import { sharePages } from "./share.tsx";
import { signInPages } from "./sign-in.tsx";
import { submissionPages } from "./submission.tsx";
import { submissionsPages } from "./submissions.tsx";
import { text } from "./text.ts";
import { unsubscribePages } from "./unsubscribe.tsx";
import { webhookPages } from "./webhook.tsx";
import { webhookDeliveryPages } from "./webhook-delivery.tsx";
import { webhooksPages } from "./webhooks.tsx";
import { workspacesPages } from "./workspaces.tsx";

const pages: Routes = {
  ...accessKeysPages,
  ...accountPages,
  ...agentPages,
  ...agentsPages,
  ...answersPages,
  ...apiKeysPages,
  ...auditPages,
  ...bulkReviewPages,
  ...chartsPages,
  ...choosePasswordPages,
  ...connectionSignInPages,
  ...connectionsPages,
  ...deleteSubmissionsPages,
  ...fieldActs,
  ...forgotPasswordPages,
  ...formsPages,
  ...holdPages,
  ...mailsPages,
  ...operatorsPages,
  ...passkeysPages,
  ...passwordPages,
  ...personPages,
  ...previewPages,
  ...publishPages,
  ...reviewPages,
  ...settingsPages,
  ...setupPages,
  ...sharePages,
  ...signInPages,
  ...submissionPages,
  ...submissionsPages,
  ...unsubscribePages,
  ...webhookDeliveryPages,
  ...webhookPages,
  ...webhooksPages,
  ...workspacesPages,
};

/**
 * The handler in the language of its reader, in which also its errors are told. It names what it takes:
 * Elysia reads the body of a request for a handler that could use it.
 */
const localized =
  (deps: Deps, handle: Handler) =>
  ({ request, params, query, set }: Omit<Context, "deps">) =>
    inLanguageOf(request, () => {
      if (wantsPage(request))
        contextOf(request).errorPage = withLanguage((set, problem) => errorPage(set, problem, request, text));
      return handle({ deps, request, params, query, set });
    });

export function consolePages(deps: Deps): Elysia {
  const app = new Elysia({ name: "/console/pages" });
  for (const [route, handle] of Object.entries(pages)) {
    const [method = "", path = ""] = route.split(" ");
    app.route(method, path, localized(deps, handle));
  }
  return app as unknown as Elysia;
}
