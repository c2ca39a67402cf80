/** Shapes of the console's queries. */
import { type } from "arktype";
import { dayKey } from "../../../fields/formats.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { PageQuery, Uuid } from "../../../platform/http/shapes.ts";
import { isTimeZone, momentAt } from "../../../resources/forms/time-zones.ts";

export const ListQuery = PageQuery.pick("page");

const Flag = type("'true' | 'false'").pipe((text) => text === "true");

/** Page of a workspace's list. Default: the first workspace that the operator may see. */
export const WorkspaceQuery = ListQuery.and({ "workspace?": Uuid });

export const FormsQuery = ListQuery.and({ archived: Flag.default("false") });

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
export const DaysFilter = type({ "after?": Day, "before?": Day, "timeZone?": TimeZone });

export const ChartsQuery = type({ days: type("'30' | '90'").pipe(Number).default("30") });

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

export const DeliveriesQuery = ListQuery.and({ "state?": "'due' | 'delivered' | 'failed'" });
