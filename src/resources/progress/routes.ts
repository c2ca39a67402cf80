/** Progress of respondents: `/papi/v1/management/forms/{form_id}/progress`. */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { ownerCodes } from "../../platform/auth/api-key.ts";
import { withApiKeyOrOperator } from "../../platform/auth/caller.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import { operation } from "../../platform/http/operation.ts";
import { parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { firstOf, type ProgressRow, progressOf } from "./progress.ts";
import { Progress, ProgressQuery } from "./shapes.ts";

const path = "/papi/v1/management/forms/:form_id/progress";
const scope = "forms:read";

export const progressRoute = (deps: Deps) =>
  new Elysia({ name: path }).get(
    path,
    async ({ request, params, query }) => {
      let [first, days] = [0, 0];
      const row = await withApiKeyOrOperator(deps, request, { scope }).read<ProgressRow>(
        ({ team, actor }) => {
          days = parseQuery(query, ProgressQuery).days;
          first = firstOf(days);
          return deps.sql`
          select * from formd.progress_read(p_team => ${team}, p_actor => ${actor},
            p_form => ${uuidParam(params, "form_id")}, p_first_day => ${first})`;
        },
      );
      return success({ progress: progressOf(row, first, days) });
    },
    operation({
      id: "getProgress",
      tag: "management",
      summary: "Read how far people get",
      description:
        "Numbers of the form's page, without previews and programs. They come some seconds late. Nothing is kept of a visitor.",
      security: [{ apiKey: [scope] }, { operatorSession: [] }],
      query: {
        shape: ProgressQuery,
        notes: { days: `The last days, today included. At most ${limits.statistics.keptDays} are kept.` },
      },
      response: {
        description: "The numbers.",
        members: { progress: Progress },
        example: {
          progress: {
            totals: { opened: 120, begun: 80, sent: 64, medianSeconds: 214 },
            steps: [
              { step: 1, label: null, reached: 120 },
              { step: 2, label: "Your visit", reached: 74 },
              { step: 3, label: null, reached: 66 },
            ],
            versions: [{ version: 1, opened: 120, begun: 80, sent: 64 }],
            days: [{ day: "2026-11-20", opened: 120, begun: 80, sent: 64 }],
          },
        },
      },
      codes: [...ownerCodes, "not_found", "insufficient_workspace_role"],
    }),
  );
