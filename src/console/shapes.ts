/** Shapes of the console's queries. */
import { type } from "arktype";
import { apiKeyScopes } from "../auth/api-key.ts";
import { dayKey } from "../fields/formats.ts";
import { agentScopes } from "../grants/shapes.ts";
import { DateTime, Name, PageQuery, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { roles } from "../operators/roles.ts";
import type { Filters } from "../submissions/shapes.ts";
import { WebhookPatchRequest } from "../webhooks/shapes.ts";

/** The page of a list. */
export const ListQuery = PageQuery.pick("page");

const Flag = type("'true' | 'false'").pipe((text) => text === "true");

/** The page of a list of a workspace; without one, of the first that the operator may see. */
export const WorkspaceQuery = ListQuery.and({ "workspace?": Uuid });

export const FormsQuery = ListQuery.and({ archived: Flag.default("false") });

export const NewFormRequest = type({ name: Name, workspace: Uuid });

const Day = type("string")
  .narrow((text) => dayKey(text) !== undefined)
  .describe("a day such as 2026-11-20");

const SubmissionsFilter = type({
  "status?": "'pending' | 'completed' | 'partial'",
  "review?": "'open' | 'rejected'",
  "after?": Day,
  "before?": Day,
  "agentId?": Uuid,
  "respondentId?": Uuid,
});

/** The days of charts. */
export const ChartsQuery = type({ days: type("'30' | '90'").pipe(Number).default("30") });

/** Without other names, since those of the API's filters may be among them. */
export const SubmissionsQuery = ListQuery.and(SubmissionsFilter).onUndeclaredKey("delete");

export const ExportQuery = SubmissionsFilter.and({ format: "'csv' | 'jsonl'" }).onUndeclaredKey("delete");

/** The times of the API, which are exclusive: from the beginning of the first day to the beginning of the last. */
export const timesOf = ({ after, before }: { after?: string; before?: string }) => ({
  ...(after && { createdAfter: new Date(Date.parse(`${after}T00:00:00.000Z`) - 1) }),
  ...(before && { createdBefore: new Date(`${before}T00:00:00.000Z`) }),
});

/** The filters of the API. */
export const filtersOf = ({ after, before, ...others }: typeof SubmissionsFilter.infer): Filters => ({
  ...timesOf({ ...(after && { after }), ...(before && { before }) }),
  ...others,
});

export const NewAgentRequest = NewFormRequest;
export const AgentName = type({ name: Name });
export const AgentState = type({ status: "'active' | 'disabled'" });

export const GrantForm = type({
  form: Uuid,
  scopes: type
    .enumerated(...agentScopes)
    .array()
    .atLeastLength(1)
    .atMostLength(limits.grant.maxScopes),
  respondent: Uuid.or("''"),
});

export const NewApiKey = type({
  name: Name,
  scopes: type
    .enumerated(...apiKeyScopes)
    .array()
    .atLeastLength(1)
    .atMostLength(apiKeyScopes.length),
});

export const WebhookForm = WebhookPatchRequest.pick("url", "eventTypes", "payload").required();
export const NewWebhookForm = WebhookForm.and({ workspaceId: Uuid, formId: Uuid.or("''") });
export const WebhookState = type({ status: "'active' | 'paused'" });
export const DeliveriesQuery = ListQuery.and({ "state?": "'due' | 'delivered' | 'failed'" });
export const ReplayForm = type({ from: "Date", to: "Date" }).describe("two moments");

export const NewOperatorForm = type({ email: "string", workspace: Uuid, role: type.enumerated(...roles) });
export const OperatorRemoval = type({ email: "string", workspace: Uuid });

export const AuditFilter = ListQuery.and({
  "kind?": type.string.atMostLength(100),
  "formId?": Uuid,
  "actorId?": Uuid,
  "objectId?": Uuid,
  "after?": Day,
  "before?": Day,
});

export const SetupForm = type({
  email: "string",
  password: type.string.atMostLength(limits.operator.maxPasswordLength),
  team: Name,
  workspace: Name,
});

/** A submission and when it was changed last, as a check box has them. */
const ReviewedItem = type(/^[0-9a-f-]{36} \S{10,40}$/)
  .pipe((item) => ({ id: item.slice(0, 36), updatedAt: item.slice(37) }))
  .to({ id: Uuid, updatedAt: DateTime.pipe((at) => at.toISOString()) });

export const BulkReviewForm = type({
  decision: "'approve' | 'reject'",
  reason: type.string.atMostLength(limits.submission.maxReasonLength),
  submissions: ReviewedItem.array().atLeastLength(1).atMostLength(limits.submission.maxReviews),
});

export const ReviewForm = type({
  decision: "'approve' | 'reject' | 'reopen'",
  reason: type.string.atMostLength(limits.submission.maxReasonLength),
  updatedAt: DateTime,
  "next?": /^[1-9]\d{0,8}$/,
});
