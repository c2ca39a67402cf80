/**
 * The console, which operators see at `/console`: each page and each form post, with its handler. A new page
 * is a file of handlers (./handler.ts), a line here, and an entry in ./layout.tsx if the navigation shows
 * it.
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
import type { Handler } from "./context.ts";
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

function pagesOf(deps: Deps): readonly [method: "GET" | "POST", path: string, handler: Handler][] {
  const setup = setupPages(deps);
  const signIn = signInPages(deps);
  const connection = connectionSignInPages(deps);
  const account = accountPages(deps);
  const password = passwordPages(deps);
  const passkeys = passkeysPages(deps);
  const links = choosePasswordPages(deps);
  const forgot = forgotPasswordPages(deps);
  const unsubscribe = unsubscribePages(deps);
  const forms = formsPages(deps);
  const field = fieldActs(deps);
  const preview = previewPages(deps);
  const settings = settingsPages(deps);
  const publishing = publishPages(deps);
  const sharing = sharePages(deps);
  const submissions = submissionsPages(deps);
  const deletion = deleteSubmissionsPages(deps);
  const submission = submissionPages(deps);
  const holds = holdPages(deps);
  const answers = answersPages(deps);
  const review = reviewPages(deps);
  const bulkReview = bulkReviewPages(deps);
  const charts = chartsPages(deps);
  const accessKeys = accessKeysPages(deps);
  const mails = mailsPages(deps);
  const agents = agentsPages(deps);
  const agent = agentPages(deps);
  const apiKeys = apiKeysPages(deps);
  const webhooks = webhooksPages(deps);
  const webhook = webhookPages(deps);
  const delivery = webhookDeliveryPages(deps);
  const operators = operatorsPages(deps);
  const workspaces = workspacesPages(deps);
  const connections = connectionsPages(deps);
  const person = personPages(deps);
  const audit = auditPages(deps);
  return [
    ["GET", "/setup/:token", setup.form],
    ["POST", "/setup/:token", setup.complete],
    ["GET", "/console/welcome", setup.done],
    ["GET", "/console/sign-in", signIn.form],
    ["POST", "/console/sign-in", signIn.signIn],
    ["POST", "/console/sign-in/passkey", signIn.passkeyOptions],
    ["GET", "/console/sign-in/:connection_id", connection.begin],
    ["GET", "/console/sign-in/:connection_id/callback", connection.finish],
    ["POST", "/console/sign-in/:connection_id/logout", connection.logout],
    ["GET", "/mail/unsubscribe/:token", unsubscribe.ask],
    ["POST", "/mail/unsubscribe/:token", unsubscribe.unsubscribe],
    ["GET", "/console/forgot-password", forgot.form],
    ["POST", "/console/forgot-password", forgot.send],
    ["GET", "/console/account", account.read],
    ["GET", "/console/account/password", password.read],
    ["POST", "/console/account/password", password.change],
    ["GET", "/console/account/passkeys", passkeys.list],
    ["POST", "/console/account/passkeys/new", passkeys.newPasskey],
    ["POST", "/console/account/passkeys", passkeys.add],
    ["POST", "/console/account/passkeys/rename", passkeys.rename],
    ["POST", "/console/account/passkeys/remove", passkeys.remove],
    ["POST", "/console/account/session", account.endSession],
    ["POST", "/console/account/language", account.setLanguage],
    ["POST", "/console/account/mails", account.setMails],
    ["GET", "/console/invitation/:token", links.invitation],
    ["POST", "/console/invitation/:token", links.accept],
    ["GET", "/console/reset/:token", links.reset],
    ["POST", "/console/reset/:token", links.choose],
    ["POST", "/console/team", account.switchTeam],
    ["POST", "/console/sign-out", account.signOut],
    ["POST", "/console/sign-out-everywhere", account.signOutEverywhere],
    ["GET", "/console", forms.list],
    ["GET", "/console/new-form", forms.newForm],
    ["POST", "/console/new-form", forms.create],
    ["GET", "/console/forms/:form_id", field.read],
    ["POST", "/console/forms/:form_id/field", field.update],
    ["POST", "/console/forms/:form_id/field/new", field.create],
    ["POST", "/console/forms/:form_id/field/several", field.several],
    ["POST", "/console/forms/:form_id/field/move", field.move],
    ["POST", "/console/forms/:form_id/field/copy", field.copy],
    ["POST", "/console/forms/:form_id/field/remove", field.remove],
    ["POST", "/console/forms/:form_id/field/restore", field.restore],
    ["GET", "/console/forms/:form_id/preview", preview.read],
    ["POST", "/console/forms/:form_id/preview", preview.send],
    ["POST", "/console/forms/:form_id/preview/steps", preview.step],
    ["GET", "/console/forms/:form_id/settings", settings.read],
    ["POST", "/console/forms/:form_id/settings/logo", settings.logo],
    ["POST", "/console/forms/:form_id/settings/page", settings.page],
    ["POST", "/console/forms/:form_id/settings/opening", settings.opening],
    ["POST", "/console/forms/:form_id/settings/rules", settings.rules],
    ["POST", "/console/forms/:form_id/settings/retention", settings.retention],
    ["POST", "/console/forms/:form_id/settings/close", settings.close],
    ["POST", "/console/forms/:form_id/settings/open", settings.open],
    ["GET", "/console/forms/:form_id/publish", publishing.read],
    ["POST", "/console/forms/:form_id/publish", publishing.publish],
    ["POST", "/console/forms/:form_id/publish-settings", publishing.publishSettings],
    ["GET", "/console/forms/:form_id/share", sharing.read],
    ["POST", "/console/forms/:form_id/share/online", sharing.putOnline],
    ["POST", "/console/forms/:form_id/share/offline", sharing.takeOffline],
    ["POST", "/console/forms/:form_id/copy", publishing.copy],
    ["POST", "/console/forms/:form_id/archive", publishing.archive],
    ["POST", "/console/forms/:form_id/restore", publishing.restore],
    ["GET", "/console/forms/:form_id/submissions", submissions.list],
    ["GET", "/console/forms/:form_id/submissions/export", submissions.download],
    ["GET", "/console/forms/:form_id/submissions/delete", deletion.ask],
    ["POST", "/console/forms/:form_id/submissions/delete", deletion.remove],
    ["GET", "/console/forms/:form_id/submissions/:submission_id", submission.read],
    ["GET", "/console/forms/:form_id/submissions/:submission_id/files/:file_id", submission.file],
    ["GET", "/console/forms/:form_id/submissions/:submission_id/edit", submission.edit],
    ["POST", "/console/forms/:form_id/submissions/:submission_id/edit", submission.update],
    ["POST", "/console/forms/:form_id/submissions/:submission_id/delete", submission.remove],
    ["POST", "/console/forms/:form_id/submissions/:submission_id/hold", holds.placeOnSubmission],
    ["POST", "/console/forms/:form_id/submissions/:submission_id/release", holds.releaseSubmission],
    ["POST", "/console/forms/:form_id/hold", holds.placeOnForm],
    ["POST", "/console/forms/:form_id/release", holds.releaseForm],
    ["GET", "/console/forms/:form_id/answers", answers.read],
    ["GET", "/console/forms/:form_id/review", review.queue],
    ["POST", "/console/forms/:form_id/submissions/:submission_id/review", review.decide],
    ["GET", "/console/forms/:form_id/review/several", bulkReview.list],
    ["POST", "/console/forms/:form_id/review/several", bulkReview.decide],
    ["GET", "/console/forms/:form_id/charts", charts.read],
    ["GET", "/console/forms/:form_id/mails", mails.read],
    ["POST", "/console/forms/:form_id/mails", mails.update],
    ["POST", "/console/forms/:form_id/mails/:mail_id/resend", mails.resend],
    ["GET", "/console/forms/:form_id/access-keys", accessKeys.list],
    ["POST", "/console/forms/:form_id/access-keys", accessKeys.create],
    ["POST", "/console/forms/:form_id/access-keys/revoke", accessKeys.revoke],
    ["GET", "/console/agents", agents.list],
    ["GET", "/console/agents/new", agents.newAgent],
    ["POST", "/console/agents/new", agents.create],
    ["GET", "/console/agents/:agent_id", agent.read],
    ["POST", "/console/agents/:agent_id/rename", agent.rename],
    ["POST", "/console/agents/:agent_id/status", agent.setStatus],
    ["POST", "/console/agents/:agent_id/revoke", agent.revoke],
    ["POST", "/console/agents/:agent_id/rotate", agent.rotateSecret],
    ["POST", "/console/agents/:agent_id/grants", agent.grant],
    ["POST", "/console/agents/:agent_id/grants/remove", agent.removeGrant],
    ["POST", "/console/agents/:agent_id/keys", agent.addKey],
    ["POST", "/console/agents/:agent_id/keys/revoke", agent.revokeKey],
    ["GET", "/console/api-keys", apiKeys.list],
    ["GET", "/console/api-keys/new", apiKeys.newKey],
    ["POST", "/console/api-keys", apiKeys.create],
    ["POST", "/console/api-keys/revoke", apiKeys.revoke],
    ["GET", "/console/webhooks", webhooks.list],
    ["GET", "/console/webhooks/new", webhooks.newWebhook],
    ["POST", "/console/webhooks/new", webhooks.create],
    ["GET", "/console/webhooks/:webhook_id", webhook.read],
    ["POST", "/console/webhooks/:webhook_id", webhook.update],
    ["POST", "/console/webhooks/:webhook_id/status", webhook.setStatus],
    ["POST", "/console/webhooks/:webhook_id/test", webhook.test],
    ["POST", "/console/webhooks/:webhook_id/rotate", webhook.rotateSecret],
    ["POST", "/console/webhooks/:webhook_id/replay", webhook.replay],
    ["POST", "/console/webhooks/:webhook_id/delete", webhook.remove],
    ["GET", "/console/webhooks/:webhook_id/deliveries/:event_id", delivery.read],
    ["POST", "/console/webhooks/:webhook_id/deliveries/:event_id/replay", delivery.replay],
    ["GET", "/console/operators", operators.list],
    ["GET", "/console/operators/new", operators.newOperator],
    ["POST", "/console/operators", operators.add],
    ["POST", "/console/operators/remove", operators.remove],
    ["POST", "/console/operators/reset-link", operators.makeResetLink],
    ["POST", "/console/operators/end-invitation", operators.endInvitation],
    ["POST", "/console/operators/publishing", operators.setPublishing],
    ["POST", "/console/operators/passkeys", operators.setPasskeys],
    ["GET", "/console/workspaces", workspaces.list],
    ["GET", "/console/workspaces/new", workspaces.newWorkspace],
    ["POST", "/console/workspaces/new", workspaces.create],
    ["POST", "/console/workspaces/rename", workspaces.rename],
    ["POST", "/console/workspaces/retention", workspaces.retention],
    ["GET", "/console/connections", connections.list],
    ["GET", "/console/connections/new", connections.newConnection],
    ["POST", "/console/connections/new", connections.create],
    ["POST", "/console/connections/change", connections.change],
    ["POST", "/console/connections/remove", connections.remove],
    ["GET", "/console/person", person.read],
    ["POST", "/console/person", person.find],
    ["POST", "/console/person/export", person.download],
    ["POST", "/console/person/erase", person.erase],
    ["GET", "/console/audit", audit.list],
  ];
}

/**
 * The handler in the language of its reader, in which also its errors are told. It names what it takes:
 * Elysia reads the body of a request for a handler that could use it.
 */
const localized =
  (handle: Handler): Handler =>
  ({ request, params, query, set }) =>
    inLanguageOf(request, () => {
      if (wantsPage(request))
        contextOf(request).errorPage = withLanguage((set, problem) => errorPage(set, problem, request, text));
      return handle({ request, params, query, set });
    });

export function consolePages(deps: Deps): Elysia {
  const app = new Elysia({ name: "/console/pages" });
  for (const [method, path, handler] of pagesOf(deps)) app.route(method, path, localized(handler));
  return app as unknown as Elysia;
}
