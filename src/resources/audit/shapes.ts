import { type } from "arktype";
import { limits } from "../../limits.ts";
import { actorTypes, requestIdJson } from "../../platform/auth/actor.ts";
import { documented } from "../../platform/http/documented.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { CursorQuery, JsonObject, QueryMoment, Timestamp, Uuid } from "../../platform/http/shapes.ts";
import { type AuditKind, leastRoles } from "../operators/roles.ts";

export const AuditQuery = CursorQuery.and({
  "kind?": type.string.atMostLength(limits.audit.maxKindLength),
  "actorId?": Uuid,
  "objectId?": Uuid,
  "createdAfter?": QueryMoment,
  "createdBefore?": QueryMoment,
}).onUndeclaredKey("delete");

export const AuditEvent = documented(
  type({
    id: Uuid,
    kind: "string",
    formId: Uuid.or("null"),
    object: { type: "string", id: Uuid },
    actor: { type: type.enumerated(...actorTypes), id: Uuid.or("null") },
    requestId: "string | null",
    clientRequestId: "string | null",
    details: JsonObject,
    createdAt: Timestamp,
  }),
  {
    text: "An act: who did what, when. Written in the transaction of the act; no role may update or delete it.",
    members: {
      kind: "Such as `form.published`: the object's type and what was done.",
      formId: "Of an act on a form, its access keys, its submissions or a grant on it.",
      actor:
        "`cli`: a person at a terminal. `system`: the server itself. `retention`: the rule by which a submission was deleted. Only these three have no id.",
      requestId: "Identifies the request in the server's log; null for a command.",
      clientRequestId: "The `x-request-id` that the client sent; null: none.",
      details: `What the kind has to tell, such as \`before\` and \`after\`. An API key without the scope \`audit:read\` gets no \`email\` of an operator. Beyond ${limits.audit.maxDetailsBytes / 1024} KiB only \`omittedBytes\`.`,
    },
  },
);

/** Kinds of actions without a role in the table of roles: on oneself, by the server, at a terminal. */
const withoutRole = [
  ...(["form.recipient_left", "form.submissions_dropped"] as const),
  ...(["operator.email_changed", "operator.password_changed", "operator.sign_in_failed"] as const),
  ...(["passkey.registered", "passkey.removed", "passkey.renamed"] as const),
  ...(["session.operator_ended", "session.operator_started", "session.person_named"] as const),
  ...(["file.infected", "respondent.erased", "team.created"] as const),
];

/** Every kind of event; an edit of a submission is in the submission's history. */
export type RecordedKind = Exclude<AuditKind, "submission.edited"> | (typeof withoutRole)[number];
export const recordedKinds: readonly string[] = [
  ...Object.keys(leastRoles).filter((kind) => kind !== "submission.edited"),
  ...withoutRole,
];

export const eventJson = jsonOf(AuditEvent, {
  computed: {
    object: "json_build_object('type', object_type, 'id', object_id)",
    actor: "json_build_object('type', actor_type, 'id', actor_id)",
    ...requestIdJson(),
  },
});
