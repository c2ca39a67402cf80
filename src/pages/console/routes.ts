/**
 * The console, which operators see at `/console`: every address and its handler. A new page is a file of
 * handlers (./frame/handler.ts) in a room, a line here, and an entry in ./frame/layout.tsx if the navigation
 * shows it.
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
import { webhooksPages } from "./automation/webhooks.tsx";
import { holdPages } from "./form/holds.tsx";
import { accessKeysPages } from "./forms/access-keys.tsx";
import { chartsPages } from "./forms/charts.tsx";
import { formFilePages } from "./forms/file.ts";
import { formsPages } from "./forms/forms.tsx";
import { importPages } from "./forms/import.tsx";
import { mailsPages } from "./forms/mails.tsx";
import { morePages } from "./forms/more.tsx";
import { newFormPages } from "./forms/new-form.tsx";
import { previewPages } from "./forms/preview.ts";
import { publishPages } from "./forms/publish.tsx";
import { replacePages } from "./forms/replace.tsx";
import { settingsPages } from "./forms/settings.tsx";
import { sharePages } from "./forms/share.tsx";
import type { Context, Handler, Routes } from "./frame/context.ts";
import { frameText } from "./frame/words.ts";
import { invitationListPages } from "./invitations/invitations.tsx";
import { invitePages } from "./invitations/invite.tsx";
import { connectionsPages } from "./people/connections.tsx";
import { operatorsPages } from "./people/operators.tsx";
import { personPages } from "./people/person.tsx";
import { workspacesPages } from "./people/workspaces.tsx";
import { questionPages } from "./questions/question-pages.ts";
import { connectionSignInPages } from "./sign-in/connection-sign-in.tsx";
import { doorPage } from "./sign-in/door.tsx";
import { invitationPages } from "./sign-in/invitation.tsx";
import { forgotPasswordPages, resetPasswordPages } from "./sign-in/lost-password.tsx";
import { setupPages } from "./sign-in/setup.tsx";
import { signInPages } from "./sign-in/sign-in.tsx";
import { unsubscribePages } from "./sign-in/unsubscribe.tsx";
import { answersPages } from "./submissions/answers.tsx";
import { deleteSubmissionsPages } from "./submissions/delete-submissions.tsx";
import { submissionEditPages } from "./submissions/edit.tsx";
import { reviewPages } from "./submissions/review.tsx";
import { submissionPages } from "./submissions/submission.tsx";
import { submissionsPages } from "./submissions/submissions.tsx";
import { translationFilePages } from "./translations/csv.tsx";
import { languagesPages } from "./translations/languages.tsx";
import { translatePages } from "./translations/translate.tsx";

/** Every address of the console with its handler. */
const routes: Routes = {
  // Forms
  "GET /console": formsPages.list,
  "GET /console/welcome": newFormPages.welcome,
  "GET /console/new-form": newFormPages.page,
  "POST /console/new-form": newFormPages.create,
  "GET /console/new-form/import": importPages.page,
  "POST /console/new-form/import": importPages.read,
  "POST /console/new-form/import/create": importPages.create,
  "GET /console/forms/:form_id/access-keys": accessKeysPages.list,
  "POST /console/forms/:form_id/access-keys": accessKeysPages.create,
  "POST /console/forms/:form_id/access-keys/revoke": accessKeysPages.revoke,
  "POST /console/forms/:form_id/archive": publishPages.archive,
  "GET /console/forms/:form_id/charts": chartsPages.page,
  "POST /console/forms/:form_id/copy": publishPages.copy,
  "GET /console/forms/:form_id/file": formFilePages.download,
  "GET /console/forms/:form_id/mails": mailsPages.page,
  "POST /console/forms/:form_id/mails/:mail_id/resend": mailsPages.resend,
  "GET /console/forms/:form_id/more": morePages.page,
  "GET /console/forms/:form_id/poster": sharePages.poster,
  "GET /console/forms/:form_id/preview": previewPages.page,
  "POST /console/forms/:form_id/preview": previewPages.submit,
  "POST /console/forms/:form_id/preview/steps": previewPages.step,
  "GET /console/forms/:form_id/publish": publishPages.page,
  "POST /console/forms/:form_id/publish": publishPages.publish,
  "POST /console/forms/:form_id/publish-settings": publishPages.publishSettings,
  "GET /console/forms/:form_id/replace": replacePages.page,
  "POST /console/forms/:form_id/replace": replacePages.plan,
  "POST /console/forms/:form_id/replace/apply": replacePages.apply,
  "POST /console/forms/:form_id/restore": publishPages.restore,
  "GET /console/forms/:form_id/settings": settingsPages.page,
  "POST /console/forms/:form_id/settings": settingsPages.save,
  "POST /console/forms/:form_id/settings/close": settingsPages.close,
  "POST /console/forms/:form_id/settings/open": settingsPages.open,
  "POST /console/forms/:form_id/settings/unknown": settingsPages.removeUnknown,
  "GET /console/forms/:form_id/share": sharePages.page,
  "POST /console/forms/:form_id/share/address": sharePages.useAddress,
  "POST /console/forms/:form_id/share/feed": sharePages.makeFeed,
  "POST /console/forms/:form_id/share/feed/end": sharePages.endFeed,
  "POST /console/forms/:form_id/share/offline": sharePages.takeOffline,
  "POST /console/forms/:form_id/share/online": sharePages.putOnline,
  "POST /console/forms/:form_id/share/site": sharePages.addSite,
  // People who are invited to fill in a form
  "GET /console/forms/:form_id/invitations": invitationListPages.list,
  "POST /console/forms/:form_id/invitations": invitePages.create,
  "POST /console/forms/:form_id/invitations/check": invitePages.check,
  "POST /console/forms/:form_id/invitations/links": invitePages.links,
  "POST /console/forms/:form_id/invitations/remind": invitationListPages.remind,
  "POST /console/forms/:form_id/invitations/revoke": invitationListPages.revoke,
  // Languages and translations
  "GET /console/forms/:form_id/languages": languagesPages.page,
  "POST /console/forms/:form_id/languages": languagesPages.change,
  "GET /console/forms/:form_id/translate": translatePages.page,
  "POST /console/forms/:form_id/translate": translatePages.save,
  "GET /console/forms/:form_id/translate.csv": translationFilePages.download,
  "POST /console/forms/:form_id/translate/import": translationFilePages.read,
  // Holds of a form and its submissions
  "POST /console/forms/:form_id/hold": holdPages.place,
  "POST /console/forms/:form_id/release": holdPages.release,
  "POST /console/forms/:form_id/submissions/:submission_id/hold": holdPages.place,
  "POST /console/forms/:form_id/submissions/:submission_id/release": holdPages.release,
  // Questions
  "GET /console/forms/:form_id": questionPages.page,
  "POST /console/forms/:form_id/field": questionPages.save,
  "POST /console/forms/:form_id/field/copy": questionPages.copy,
  "POST /console/forms/:form_id/field/move": questionPages.move,
  "POST /console/forms/:form_id/field/new": questionPages.add,
  "POST /console/forms/:form_id/field/remove": questionPages.remove,
  "POST /console/forms/:form_id/field/restore": questionPages.restore,
  "POST /console/forms/:form_id/field/several": questionPages.addSeveral,
  "POST /console/forms/:form_id/text": questionPages.saveText,
  // Submissions and their review
  "GET /console/forms/:form_id/answers": answersPages.page,
  "GET /console/forms/:form_id/review": reviewPages.queue,
  "GET /console/forms/:form_id/review/several": reviewPages.several,
  "POST /console/forms/:form_id/review/several": reviewPages.decideSeveral,
  "GET /console/forms/:form_id/submissions": submissionsPages.list,
  "GET /console/forms/:form_id/submissions/:submission_id": submissionPages.page,
  "POST /console/forms/:form_id/submissions/:submission_id/delete": submissionPages.remove,
  "GET /console/forms/:form_id/submissions/:submission_id/edit": submissionEditPages.page,
  "POST /console/forms/:form_id/submissions/:submission_id/edit": submissionEditPages.save,
  "GET /console/forms/:form_id/submissions/:submission_id/files/:file_id": submissionPages.file,
  "POST /console/forms/:form_id/submissions/:submission_id/review": reviewPages.decide,
  "GET /console/forms/:form_id/submissions/delete": deleteSubmissionsPages.question,
  "POST /console/forms/:form_id/submissions/delete": deleteSubmissionsPages.remove,
  "GET /console/forms/:form_id/submissions/export": submissionsPages.export,
  "POST /console/forms/:form_id/submissions/export": submissionsPages.exportProved,
  // People
  "GET /console/connections": connectionsPages.list,
  "POST /console/connections/change": connectionsPages.change,
  "GET /console/connections/new": connectionsPages.newPage,
  "POST /console/connections/new": connectionsPages.create,
  "POST /console/connections/remove": connectionsPages.remove,
  "GET /console/operators": operatorsPages.list,
  "POST /console/operators": operatorsPages.invite,
  "POST /console/operators/end-invitation": operatorsPages.endInvitation,
  "GET /console/operators/new": operatorsPages.newPage,
  "POST /console/operators/passkeys": operatorsPages.setPasskeys,
  "POST /console/operators/publishing": operatorsPages.setPublishing,
  "POST /console/operators/remove": operatorsPages.remove,
  "POST /console/operators/reset-link": operatorsPages.makeResetLink,
  "POST /console/operators/role": operatorsPages.changeRole,
  "GET /console/person": personPages.page,
  "POST /console/person": personPages.find,
  "POST /console/person/erase": personPages.erase,
  "POST /console/person/export": personPages.export,
  "GET /console/workspaces": workspacesPages.list,
  "GET /console/workspaces/new": workspacesPages.newPage,
  "POST /console/workspaces/new": workspacesPages.create,
  "POST /console/workspaces/rename": workspacesPages.rename,
  "POST /console/workspaces/retention": workspacesPages.setRetention,
  // Automation
  "GET /console/agents": agentsPages.list,
  "GET /console/agents/:agent_id": agentPages.page,
  "POST /console/agents/:agent_id/grants": agentPages.grant,
  "POST /console/agents/:agent_id/grants/remove": agentPages.removeGrant,
  "POST /console/agents/:agent_id/keys": agentPages.addKey,
  "POST /console/agents/:agent_id/keys/revoke": agentPages.revokeKey,
  "POST /console/agents/:agent_id/rename": agentPages.rename,
  "POST /console/agents/:agent_id/revoke": agentPages.revoke,
  "POST /console/agents/:agent_id/rotate": agentPages.rotate,
  "POST /console/agents/:agent_id/status": agentPages.setStatus,
  "GET /console/agents/new": agentsPages.newPage,
  "POST /console/agents/new": agentsPages.create,
  "GET /console/api-keys": apiKeysPages.list,
  "POST /console/api-keys": apiKeysPages.create,
  "GET /console/api-keys/new": apiKeysPages.newPage,
  "POST /console/api-keys/revoke": apiKeysPages.revoke,
  "GET /console/webhooks": webhooksPages.list,
  "GET /console/webhooks/:webhook_id": webhookPages.page,
  "POST /console/webhooks/:webhook_id": webhookPages.save,
  "POST /console/webhooks/:webhook_id/delete": webhookPages.remove,
  "GET /console/webhooks/:webhook_id/deliveries/:event_id": webhookPages.delivery,
  "POST /console/webhooks/:webhook_id/deliveries/:event_id/replay": webhookPages.sendAgain,
  "POST /console/webhooks/:webhook_id/replay": webhookPages.replay,
  "POST /console/webhooks/:webhook_id/rotate": webhookPages.rotate,
  "POST /console/webhooks/:webhook_id/status": webhookPages.setStatus,
  "POST /console/webhooks/:webhook_id/test": webhookPages.sendTest,
  "GET /console/webhooks/new": webhooksPages.newPage,
  "POST /console/webhooks/new": webhooksPages.create,
  // Account
  "GET /console/account": accountPages.page,
  "POST /console/account/language": accountPages.chooseLanguage,
  "POST /console/account/mails": accountPages.chooseMails,
  "GET /console/account/passkeys": passkeysPages.page,
  "POST /console/account/passkeys": passkeysPages.add,
  "POST /console/account/passkeys/new": passkeysPages.newPage,
  "POST /console/account/passkeys/remove": passkeysPages.remove,
  "POST /console/account/passkeys/rename": passkeysPages.rename,
  "GET /console/account/password": passwordPages.page,
  "POST /console/account/password": passwordPages.change,
  "POST /console/account/session": accountPages.endSession,
  "POST /console/sign-out": accountPages.signOut,
  "POST /console/sign-out-everywhere": accountPages.signOutEverywhere,
  "POST /console/team": accountPages.switchTeam,
  // Audit
  "GET /console/audit": auditPages.page,
  // Without a session
  "GET /console/forgot-password": forgotPasswordPages.page,
  "POST /console/forgot-password": forgotPasswordPages.send,
  "GET /console/invitation/:token": invitationPages.page,
  "POST /console/invitation/:token": invitationPages.accept,
  "GET /console/reset/:token": resetPasswordPages.page,
  "POST /console/reset/:token": resetPasswordPages.reset,
  "GET /console/sign-in": signInPages.page,
  "POST /console/sign-in": signInPages.signIn,
  "GET /console/sign-in/:connection_id": connectionSignInPages.begin,
  "GET /console/sign-in/:connection_id/callback": connectionSignInPages.finish,
  "POST /console/sign-in/:connection_id/continue": connectionSignInPages.continue,
  "POST /console/sign-in/:connection_id/logout": connectionSignInPages.endByProvider,
  "POST /console/sign-in/passkey": signInPages.passkeyOptions,
  "GET /mail/unsubscribe/:token": unsubscribePages.page,
  "POST /mail/unsubscribe/:token": unsubscribePages.unsubscribe,
  "GET /setup/:token": setupPages.page,
  "POST /setup/:token": setupPages.complete,
};

/**
 * Runs the handler in the language of its reader, also for its errors. It names its parameters: Elysia reads
 * the body of a request for a handler that could use it.
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

/** The handler of `/` for browsers. */
export const consoleDoor = (deps: Deps) => localized(deps, doorPage(deps));

export function consolePages(deps: Deps): Elysia {
  const app = new Elysia({ name: "/console/pages" });
  for (const [route, handle] of Object.entries(routes)) {
    const [method = "", path = ""] = route.split(" ");
    app.route(method, path, localized(deps, handle));
  }
  return app as unknown as Elysia;
}
