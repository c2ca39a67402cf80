/** Shapes of the console's queries. */
import { type } from "arktype";
import { dayKey } from "../../../fields/formats.ts";
import { limits } from "../../../limits.ts";
import { apiKeyScopes } from "../../../platform/auth/api-key.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { DateTime, Name, PageQuery, Uuid } from "../../../platform/http/shapes.ts";
import { isTimeZone, momentAt } from "../../../resources/forms/time-zones.ts";
import { agentScopes } from "../../../resources/grants/shapes.ts";
import { roles } from "../../../resources/operators/roles.ts";
import { type Filters, Provenance, SubmissionFileQuery } from "../../../resources/submissions/shapes.ts";
import { WebhookPatchRequest } from "../../../resources/webhooks/shapes.ts";

export const ListQuery = PageQuery.pick("page");

const Flag = type("'true' | 'false'").pipe((text) => text === "true");

/** The page of a list of a workspace; without one, of the first that the operator may see. */
export const WorkspaceQuery = ListQuery.and({ "workspace?": Uuid });

export const FormsQuery = ListQuery.and({ archived: Flag.default("false") });

/** What is named: new, or by another name; and where. */
export const Named = type({ name: Name });
export const NamedIn = Named.and({ workspace: Uuid });

const Day = type("string")
  .narrow((text) => dayKey(text) !== undefined)
  .describe("a day such as 2026-11-20");

const TimeZone = type("string").narrow(isTimeZone).describe("a time zone such as Europe/Berlin");
const Zoned = type({ timeZone: TimeZone });

/** The time zone of a form post: UTC in a browser without scripts. @throws {Problem} `bad_request`. */
export function zoneIn(values: URLSearchParams): string {
  const timeZone = values.get("timeZone") ?? "UTC";
  return assertShape({ timeZone }, Zoned, "bad_request").timeZone;
}

/** The days of a list, in the time zone in which its reader sees times: UTC in a browser without scripts. */
const DaysFilter = type({ "after?": Day, "before?": Day, "timeZone?": TimeZone });

const SubmissionsFilter = DaysFilter.and({
  "state?": "'waiting' | 'accepted' | 'rejected' | 'incomplete'",
  "agentId?": Uuid,
  "respondentId?": Uuid,
  "provenance?": Provenance,
  "until?": DateTime,
  "q?": type.string.atMostLength(limits.submissionSearch.maxTextLength),
});

export const ChartsQuery = type({ days: type("'30' | '90'").pipe(Number).default("30") });

/** Without other names, since those of the API's filters may be among them. */
export const SubmissionsQuery = ListQuery.and(SubmissionsFilter)
  .and({ "order?": "'oldest'" })
  .onUndeclaredKey("delete");

export const FilterQuery = SubmissionsFilter.onUndeclaredKey("delete");

export const ChosenSubmissions = Uuid.array().atMostLength(limits.submission.maxDeletes);

/** What is deleted: those that were chosen, or else the newest of those that the filters leave. */
export const DeletedSubmissions = type({
  left: type(/^[1-9]\d{0,5}$/).pipe(Number),
  until: DateTime,
  submissions: ChosenSubmissions,
});

export const ExportQuery = SubmissionsFilter.and(SubmissionFileQuery).onUndeclaredKey("delete");

/**
 * The times of the API, which are exclusive: from the beginning of the first day to the beginning of the
 * last.
 */
export const timesOf = ({ after, before, timeZone = "UTC" }: typeof DaysFilter.infer) => {
  const startOf = (day: string) => Date.parse(momentAt(day, "00:00", timeZone) ?? "");
  return {
    ...(after && { createdAfter: new Date(startOf(after) - 1) }),
    ...(before && { createdBefore: new Date(startOf(before)) }),
  };
};

/** The states that people tell submissions apart by, as filters of the API. */
const states = {
  waiting: { review: "open" },
  accepted: { status: "completed" },
  rejected: { review: "rejected" },
  incomplete: { status: "partial" },
} as const;

/** The filters of the API, without the search. `until` is where an earlier one has ended. */
export const filtersOf = ({
  after,
  before,
  timeZone,
  until,
  state,
  q: _,
  ...others
}: typeof SubmissionsFilter.infer): Filters => ({
  ...timesOf({ ...(after && { after }), ...(before && { before }), ...(timeZone && { timeZone }) }),
  ...(until && { createdBefore: until }),
  ...(state && states[state]),
  ...others,
});

export const AgentState = type({ status: "'active' | 'disabled'" });

const someOf = <const Name extends string>(names: readonly Name[], most: number) =>
  type
    .enumerated(...names)
    .array()
    .atLeastLength(1)
    .atMostLength(most);

export const GrantForm = type({
  form: Uuid,
  scopes: someOf(agentScopes, limits.grant.maxScopes),
  respondent: Uuid.or("''"),
});

export const NewApiKey = type({ name: Name, scopes: someOf(apiKeyScopes, apiKeyScopes.length) });

export const WebhookForm = WebhookPatchRequest.pick("url", "eventTypes", "payload").required();
export const NewWebhookForm = WebhookForm.and({ workspaceId: Uuid, formId: Uuid.or("''") });
export const WebhookState = type({ status: "'active' | 'paused'" });
export const DeliveriesQuery = ListQuery.and({ "state?": "'due' | 'delivered' | 'failed'" });
export const ReplayForm = type({ from: "Date", to: "Date" }).describe("two moments");

/** Who is meant by a search for a person's data. */
export const PersonChoice = type({ respondent: Uuid }).or({
  form: Uuid,
  field: type.string.atLeastLength(1).atMostLength(500),
  value: type(/\S/).atMostLength(limits.submissionSearch.maxTextLength),
});

export const NewOperatorForm = type({ email: "string", workspace: Uuid, role: type.enumerated(...roles) });
export const OperatorChoice = type({ email: "string", operator: Uuid, workspace: Uuid });
export const InvitationChoice = type({ invitation: Uuid, workspace: Uuid });
export const OperatorRemoval = type({ email: "string", workspace: Uuid, "operator?": Uuid });

export const AuditFilter = ListQuery.and(DaysFilter).and({
  "kind?": type.string.atMostLength(100),
  "formId?": Uuid,
  "actorId?": Uuid,
  "objectId?": Uuid,
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

/** Submissions whose decision is taken back, each if nothing has changed it since. */
export const UndoneReviews = type({
  decision: "'undo'",
  ids: type(/^[0-9a-f-]{36}(?: [0-9a-f-]{36})*$/)
    .pipe((ids) => ids.split(" "))
    .to(Uuid.array().atMostLength(limits.submission.maxReviews)),
  until: DateTime.pipe((at) => at.toISOString()),
});

export const ReviewForm = type({
  decision: "'approve' | 'reject' | 'reopen' | 'undo'",
  reason: type.string.atMostLength(limits.submission.maxReasonLength),
  updatedAt: DateTime,
  "next?": /^[1-9]\d{0,8}$/,
});
