/** Invitations of a form: `/papi/v1/management/forms/{form_id}/invitations`. */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { actorOf } from "../../platform/auth/actor.ts";
import { ownerCodes } from "../../platform/auth/api-key.ts";
import { queriesFor } from "../../platform/auth/authenticate.ts";
import { identityWriteCodes, withApiKeyOrOperator } from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { success, successResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation, type Requirement } from "../../platform/http/operation.ts";
import { CountedPagination, cursorNotes, parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import {
  type Asker,
  createInvitations,
  parseSources,
  remindQuery,
  remindRest,
  sourcesQuery,
} from "./create.ts";
import { invitationList, revokeQuery } from "./read.ts";
import {
  FormInvitation,
  InvitationCounts,
  InvitationListQuery,
  InvitationsRequest,
  MadeInvitation,
  Reminded,
  RemindRequest,
  RevokedInvitation,
} from "./shapes.ts";

const path = "/papi/v1/management/forms/:form_id/invitations";
const scope = "invitations:manage";
const common = {
  tag: "management",
  security: [{ apiKey: [scope] }, { operatorSession: [] }] as Requirement[],
} as const;
const { maxPerForm, maxPerRequest, maxMails, mailHours, maxLookedAt } = limits.invitation;

/** Queries for the caller of a request that was authenticated. */
const queriesOf =
  (deps: Deps, request: Request) =>
  ({ teamId, actorType, actorId }: Asker) =>
    queriesFor(deps.sql, teamId, actorOf(request, actorType, actorId));

export const invitationRoutes = (deps: Deps) =>
  new Elysia({ name: path })
    .post(
      path,
      async ({ request, params }) => {
        let body!: typeof InvitationsRequest.infer;
        const { run } = withApiKeyOrOperator(deps, request, { scope });
        const found = await run((caller) => {
          body = parseBody(request, caller.bytes, InvitationsRequest);
          return sourcesQuery(deps, caller, uuidParam(params, "form_id"));
        });
        const sources = { ...parseSources(found), formId: params.form_id };
        const queries = queriesOf(deps, request)(sources);
        return success({ invitations: await createInvitations(deps, queries, sources, body) });
      },
      operation({
        ...common,
        id: "createInvitations",
        summary: "Invite people to a form",
        description: `All of a list of at most ${maxPerRequest}, or none: a \`bad_request\` has the position of one that cannot be made as \`invitation\`. A form has at most ${maxPerForm.toLocaleString("en")}, those that were used, revoked or have expired included until they are purged. The links are in this response only.`,
        body: {
          shape: InvitationsRequest,
          examples: { one: { summary: "Two links", value: examples.invitationsCreation } },
        },
        response: {
          description: "The invitations with their links, in the order of the list.",
          members: { invitations: [MadeInvitation] },
          example: { invitations: [examples.madeInvitation] },
        },
        codes: [
          ...identityWriteCodes,
          "not_found",
          "conflict",
          "respondent_binding_requires_session",
          "unavailable",
        ],
      }),
    )
    .get(
      path,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKeyOrOperator(deps, request, { scope }), (caller) =>
          invitationList(deps, caller, uuidParam(params, "form_id"), parseQuery(query, InvitationListQuery)),
        ),
      operation({
        ...common,
        id: "listInvitations",
        summary: "List the invitations of a form",
        description: "Newest first, without their links.",
        query: {
          shape: InvitationListQuery,
          notes: {
            ...cursorNotes,
            state: "Only invitations in this state. Those that have expired are `open`.",
            q: `An address: only those to it. Any other text: only those with it in the label, whatever the case; ${maxLookedAt} are looked at for a page, which may then have fewer than \`limit\` and go on.`,
          },
        },
        response: {
          description: "A page of invitations.",
          members: {
            invitations: [FormInvitation],
            counts: { orNull: InvitationCounts },
            pagination: CountedPagination,
          },
          example: {
            invitations: [examples.invitation],
            counts: examples.invitationCounts,
            pagination: { ...examples.fullCursorPagination, isTotalExact: true },
          },
        },
        codes: [...ownerCodes, "not_found", "insufficient_workspace_role"],
      }),
    )
    .delete(
      `${path}/:invitation_id`,
      async ({ request, params }) => {
        const { run } = withApiKeyOrOperator(deps, request, { scope });
        const revoked = await run((caller) =>
          revokeQuery(deps, caller, uuidParam(params, "form_id"), uuidParam(params, "invitation_id")),
        );
        return successResponse(request, revoked);
      },
      operation({
        ...common,
        id: "revokeInvitation",
        summary: "Revoke an invitation",
        description:
          "Its link leads nowhere from now on, and its label, address, values and respondent are erased. One that was used stays `submitted`, and its submission stays. Idempotent.",
        response: {
          description: "It is revoked.",
          data: RevokedInvitation,
          example: { id: examples.ids.invitation, state: "revoked" },
        },
        codes: [...identityWriteCodes, "not_found"],
      }),
    )
    .post(
      `${path}/remind`,
      async ({ request, params }) => {
        let body!: typeof RemindRequest.infer;
        const { run } = withApiKeyOrOperator(deps, request, { scope });
        const first = await run((caller) => {
          body = parseBody(request, caller.bytes, RemindRequest);
          return remindQuery(deps, caller, uuidParam(params, "form_id"), body, null);
        });
        const queries = queriesOf(deps, request);
        return success({ reminded: await remindRest(deps, first, queries, params.form_id, body) });
      },
      operation({
        ...common,
        id: "remindInvitations",
        summary: "Mail those who have not responded",
        description: `Each invitation that is open, has an address that accepts mail, and was mailed fewer than ${maxMails} times, the last time more than ${mailHours} hours ago. One that was never mailed gets its first mail.`,
        body: {
          shape: RemindRequest,
          examples: { days: { summary: "After three days", value: { notRemindedFor: "P3D" } } },
        },
        response: {
          description: "The mails are recorded.",
          data: Reminded,
          example: { reminded: 12 },
        },
        codes: [...identityWriteCodes, "not_found", "conflict"],
      }),
    );
