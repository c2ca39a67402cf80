/** Holds: `/papi/v1/management/forms/{form_id}/hold`, and `…/submissions/{submission_id}/hold`. */
import { Elysia } from "elysia";
import { identityWriteCodes, withOperator } from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { resourceResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { operation } from "../../platform/http/operation.ts";
import { memberResponse } from "../../platform/http/responses.ts";
import { uuidParam } from "../../platform/http/shapes.ts";
import { placeQuery, releaseQuery } from "./holds.ts";
import { Hold, HoldRequest } from "./shapes.ts";

const ofForm = "/papi/v1/management/forms/:form_id/hold";
const ofSubmission = "/papi/v1/management/forms/:form_id/submissions/:submission_id/hold";

const common = { tag: "management", security: [{ operatorSession: [] }] } as const;
const codes = identityWriteCodes.filter((code) => code !== "missing_scope");
const body = {
  shape: HoldRequest,
  examples: { hold: { summary: "For a case", value: { reason: examples.hold.reason } } },
};
const admin = "By an operator with the role of admin in the form's workspace.";
const formHold = { ...examples.hold, submissionId: null };

const subjectOf = (params: { form_id: string; submission_id?: string }) => ({
  form: uuidParam(params, "form_id"),
  submission:
    "submission_id" in params ? uuidParam(params as { submission_id: string }, "submission_id") : null,
});

export const holdRoutes = (deps: Deps) => {
  const { sql } = deps;
  const place = async ({ request, params }: { request: Request; params: { form_id: string } }) => {
    const { run } = withOperator(deps, request);
    const hold = await run(({ team, actor, bytes }) =>
      placeQuery(sql, { team, actor, ...subjectOf(params) }, parseBody(request, bytes, HoldRequest).reason),
    );
    return resourceResponse(request, "hold", hold);
  };
  const release = async ({ request, params }: { request: Request; params: { form_id: string } }) => {
    const { run } = withOperator(deps, request);
    const hold = await run(({ team, actor }) => releaseQuery(sql, { team, actor, ...subjectOf(params) }));
    return resourceResponse(request, "hold", hold);
  };
  return new Elysia({ name: ofForm })
    .post(
      ofForm,
      place,
      operation({
        ...common,
        id: "holdForm",
        summary: "Hold all submissions of a form",
        description: `Those that it has and those that will come: no one and no rule deletes them (409 \`held\`) until the hold is released. ${admin}`,
        body,
        response: memberResponse("The hold.", "hold", Hold, formHold),
        codes: [...codes, "not_found", "conflict"],
      }),
    )
    .delete(
      ofForm,
      release,
      operation({
        ...common,
        id: "releaseForm",
        summary: "Release the hold on a form",
        description: `Submissions that are held by themselves stay held. ${admin}`,
        response: memberResponse("The hold that was released.", "hold", Hold, formHold),
        codes: [...codes, "not_found"],
      }),
    )
    .post(
      ofSubmission,
      place,
      operation({
        ...common,
        id: "holdSubmission",
        summary: "Hold a submission",
        description: `No one and no rule deletes it (409 \`held\`) until the hold is released. ${admin}`,
        body,
        response: memberResponse("The hold.", "hold", Hold, examples.hold),
        codes: [...codes, "not_found", "conflict"],
      }),
    )
    .delete(
      ofSubmission,
      release,
      operation({
        ...common,
        id: "releaseSubmission",
        summary: "Release the hold on a submission",
        description: `It stays held while its form is. ${admin}`,
        response: memberResponse("The hold that was released.", "hold", Hold, examples.hold),
        codes: [...codes, "not_found"],
      }),
    );
};
