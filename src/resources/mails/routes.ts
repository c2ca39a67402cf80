/** Mails of a form: `/papi/v1/management/forms/{form_id}/mails`. */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { successResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { cursorResponse } from "../../platform/http/responses.ts";
import { cursorNotes, parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { invitationRoutes } from "../invitations/routes.ts";
import { mailList, resendQuery } from "./mails.ts";
import { FormMail, MailListQuery, MailResend } from "./shapes.ts";

const path = "/papi/v1/management/forms/:form_id/mails";
const scope = "submissions:read";
const common = { tag: "management", security: apiKeySecurity(scope) } as const;
const codes = [...ownerCodes, "not_found"] as const;

/** Mails, and the invitations, whose mails are among them. */
export const mailRoutes = (deps: Deps) =>
  new Elysia({ name: path })
    .use(invitationRoutes(deps))
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKey(deps, request, scope), (caller) =>
          mailList(deps, caller, uuidParam(params, "form_id"), parseQuery(query, MailListQuery)),
        ),
      operation({
        ...common,
        id: "listFormMails",
        summary: "List the mails of a form",
        description: `Those of the last ${limits.mail.lifetimeDays} days, newest first. A mail of a submission is listed once a server has taken it up, usually within a second. The total counts at most 1,000 from the page's first one on.`,
        query: { shape: MailListQuery, notes: cursorNotes },
        response: cursorResponse(
          "A page of mails.",
          "mails",
          FormMail,
          examples.formMail,
          examples.fullCursorPagination,
        ),
        codes: [...codes],
      }),
    )
    .post(
      `${path}/:mail_id/resend`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        const sent = await run((caller) =>
          resendQuery(deps, caller, uuidParam(params, "form_id"), uuidParam(params, "mail_id")),
        );
        return successResponse(request, sent);
      },
      operation({
        ...common,
        id: "resendFormMail",
        summary: "Send a mail of a form again",
        description:
          "Whatever became of it. It goes to whom it went to, with the same Message-ID. Where the server sends no mail it is a conflict.",
        response: { description: "It is due.", data: MailResend, example: { id: examples.ids.mail } },
        codes: [...codes, "conflict"],
      }),
    );
