/** The audit of actions: `/papi/v1/management/audit`, and of one form `…/forms/{form_id}/audit`. */
import { Elysia } from "elysia";
import { nearest } from "../../fields/nearest.ts";
import { limits } from "../../limits.ts";
import { withApiKeyOrOperator } from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { type Operation, operation } from "../../platform/http/operation.ts";
import { addQueryWarning } from "../../platform/http/query-warnings.ts";
import {
  CountedPagination,
  cursorNotes,
  parseQuery,
  splitAsked,
  timeNotes,
  uuidParam,
} from "../../platform/http/shapes.ts";
import { auditRows } from "./audit.ts";
import { AuditEvent, AuditQuery, eventJson, recordedKinds } from "./shapes.ts";

const listOperation = {
  tag: "management",
  security: [{ apiKey: ["forms:read"] }, { operatorSession: [] }],
  query: {
    shape: AuditQuery,
    notes: {
      kind: "Only events of this kind, such as `form.published`.",
      actorId: "Only acts of this operator or API key.",
      objectId: "Only acts on this object: a form, an agent, a submission, …",
      ...timeNotes,
      ...cursorNotes,
    },
  },
  response: {
    description: `A page of events. With two filters or more it has looked at ${limits.page.maxLookedAt} of each: it may have fewer than \`limit\`, and go on.`,
    members: { events: [AuditEvent], pagination: CountedPagination },
    example: { events: [examples.auditEvent], pagination: examples.countedPagination },
  },
} as const satisfies Partial<Operation>;

const codes = ["unauthorized", "missing_scope", "insufficient_workspace_role"] as const;

/** Warns of a kind that no event has, since its list is empty. */
function warnOfKind(request: Request, kind: string | undefined): void {
  if (kind === undefined || recordedKinds.includes(kind)) return;
  const near = nearest(kind, recordedKinds);
  const message = `No event has this kind${near ? `: is ${near} meant?` : "."}`;
  addQueryWarning(request, { path: "kind", message, ...(near && { nearest: near }) });
}

export const auditRoute = (deps: Deps) => {
  const list = (request: Request, query: Record<string, unknown>, readForm: () => string | null) =>
    pageOf(deps, request, withApiKeyOrOperator(deps, request, { scope: "forms:read" }), ({ team, actor }) => {
      const formId = readForm();
      const { page, filters } = splitAsked(parseQuery(query, AuditQuery));
      warnOfKind(request, filters.kind);
      const rows = auditRows(deps.sql, { team, actor }, { ...filters, formId });
      const { maxCounted } = limits.page;
      return { name: "events", page, filters, maxCounted, item: eventJson(deps.sql), rows };
    });
  return new Elysia({ name: "/papi/v1/management/audit" })
    .get(
      "/papi/v1/management/audit",
      ({ request, query }) => list(request, query, () => null),
      operation({
        ...listOperation,
        id: "listAudit",
        summary: "Read the team's audit",
        description:
          "Every act on the team's forms, keys, agents, grants, operators and submissions, newest first. An operator needs a role in every workspace of the team.",
        codes,
      }),
    )
    .get(
      "/papi/v1/management/forms/:form_id/audit",
      ({ request, params, query }) => list(request, query, () => uuidParam(params, "form_id")),
      operation({
        ...listOperation,
        id: "listFormAudit",
        summary: "Read a form's audit",
        description:
          "The acts on the form, its access keys, its submissions and the grants on it, newest first.",
        codes: [...codes, "not_found"],
      }),
    );
};
