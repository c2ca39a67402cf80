/** Retention: `/papi/v1/management/forms/{form_id}/retention`. */
import { Elysia } from "elysia";
import { ownerCodes } from "../../platform/auth/api-key.ts";
import { withApiKeyOrOperator } from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { resourceResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { operation } from "../../platform/http/operation.ts";
import { uuidParam } from "../../platform/http/shapes.ts";
import { retentionQuery } from "./retention.ts";
import { Retention } from "./shapes.ts";

const path = "/papi/v1/management/forms/:form_id/retention";
const scope = "submissions:read";

export const retentionRoute = (deps: Deps) =>
  new Elysia({ name: path }).get(
    path,
    async ({ request, params }) => {
      const { run } = withApiKeyOrOperator(deps, request, { scope });
      const found = await run((caller) => retentionQuery(deps.sql, caller, uuidParam(params, "form_id")));
      return resourceResponse(request, "retention", found);
    },
    operation({
      id: "getRetention",
      tag: "management",
      summary: "Read what is deleted when",
      description:
        "The rule of the form or of its team, what it deletes within a day, and what is held. A rule is `settings.retention` of the form.",
      security: [{ apiKey: [scope] }, { operatorSession: [] }],
      response: {
        description: "The rule and its next deletions.",
        members: { retention: Retention },
        example: {
          retention: {
            rule: { deleteAfter: "P90D", from: "created" },
            source: "form",
            dueBy: examples.times.updatedAt,
            due: 12,
            held: 1,
            holds: [examples.hold],
          },
        },
      },
      codes: [...ownerCodes, "not_found", "insufficient_workspace_role"],
    }),
  );
