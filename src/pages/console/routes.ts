/**
 * The console, which operators see at `/console`. A new page is a file of handlers (./handler.ts), each by
 * its address, a line here, and an entry in ./layout.tsx if the navigation shows it.
 */
import { Elysia } from "elysia";
import type { Deps } from "../../platform/deps.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { errorPage, wantsPage } from "../ui/error-page.tsx";
import { inLanguageOf, withLanguage } from "../ui/language.ts";
import { accountPages } from "./account/account.tsx";
import { passkeysPages } from "./account/passkeys.tsx";
import { passwordPages } from "./account/password.tsx";
import { auditPages } from "./audit/audit.tsx";
import { agentPages } from "./automation/agent.tsx";
import { agentsPages } from "./automation/agents.tsx";
import { apiKeysPages } from "./automation/api-keys.tsx";
import { webhookPages } from "./automation/webhook.tsx";
import { webhookDeliveryPages } from "./automation/webhook-delivery.tsx";
import { webhooksPages } from "./automation/webhooks.tsx";
import { holdPages } from "./form/holds.tsx";
import { accessKeysPages } from "./forms/access-keys.tsx";
import { chartsPages } from "./forms/charts.tsx";
import { formsPages } from "./forms/forms.tsx";
import { mailsPages } from "./forms/mails.tsx";
import { previewPages } from "./forms/preview.ts";
import { publishPages } from "./forms/publish.tsx";
import { settingsPages } from "./forms/settings.tsx";
import { sharePages } from "./forms/share.tsx";
import type { Context, Handler, Routes } from "./frame/context.ts";
import { frameText } from "./frame/words.ts";
import { connectionsPages } from "./people/connections.tsx";
import { operatorsPages } from "./people/operators.tsx";
import { personPages } from "./people/person.tsx";
import { workspacesPages } from "./people/workspaces.tsx";
import { fieldActs } from "./questions/field-acts.ts";
import { choosePasswordPages } from "./sign-in/choose-password.tsx";
import { connectionSignInPages } from "./sign-in/connection-sign-in.tsx";
import { forgotPasswordPages } from "./sign-in/forgot-password.tsx";
import { setupPages } from "./sign-in/setup.tsx";
import { signInPages } from "./sign-in/sign-in.tsx";
import { unsubscribePages } from "./sign-in/unsubscribe.tsx";
import { answersPages } from "./submissions/answers.tsx";
import { bulkReviewPages } from "./submissions/bulk-review.tsx";
import { deleteSubmissionsPages } from "./submissions/delete-submissions.tsx";
import { reviewPages } from "./submissions/review.tsx";
import { submissionPages } from "./submissions/submission.tsx";
import { submissionsPages } from "./submissions/submissions.tsx";

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
        contextOf(request).errorPage = withLanguage((set, problem) =>
          errorPage(set, problem, request, frameText),
        );
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
