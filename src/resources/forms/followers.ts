/**
 * `/feed/{token}`: a feed (Atom, RFC 4287) of the submissions of a form, for one operator. It has references,
 * times and links to the console, and no values: feed readers store it.
 */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { makeSecret, parseSecret, sha256 } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { operation } from "../../platform/http/operation.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { emptyUnlessUtf8 } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { referenceOf } from "../submit/reference.ts";
import type { FormKey } from "./shapes.ts";

const { maxEntries, requestsPerMinute } = limits.followers;

/** Makes the address of the actor's feed, in place of the one before. @throws {Problem} `not_found`. */
export async function makeNewsFeed(
  sql: Sql,
  actor: Actor,
  baseUrl: string,
  { teamId, id }: FormKey,
): Promise<string> {
  const { secret, hash } = makeSecret("fdn", teamId, id);
  await sql`
    select formd.form_feed_make(p_team => ${teamId}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_hash => ${hash})`;
  return `${baseUrl}/feed/${secret}`;
}

/** Ends the actor's feed of a form. Idempotent. @throws {Problem} `not_found`. */
export async function endNewsFeed(sql: Sql, actor: Actor, { teamId, id }: FormKey): Promise<void> {
  await sql`select formd.form_feed_end(p_team => ${teamId}, p_actor => ${toSql(sql, actor)}, p_form => ${id})`;
}

/** Notes that an operator has seen the newest submission of a form. */
export async function markSeen(sql: Sql, operator: string, { teamId, id }: FormKey): Promise<void> {
  await sql`select formd.form_seen_mark(p_team => ${teamId}, p_form => ${id}, p_operator => ${operator})`;
}

/** Feeds that are listed. */
const maxListed = 100;

export interface OwnFeed {
  id: string;
  name: string;
  feedMadeAt: Date;
}

/** The forms of a team of which an operator has a news feed, by the newest address. */
export const listNewsFeeds = (sql: Sql, { team, operator }: Record<"team" | "operator", string>) =>
  sql<OwnFeed[]>`
    select f.id, f.name, w.feed_made_at
    from formd.form_followers w join formd.forms f on f.team_id = w.team_id and f.id = w.form_id
    where w.team_id = ${team} and w.operator_id = ${operator} and w.feed_made_at is not null
    order by w.feed_made_at desc limit ${maxListed}`;

interface NewsRow {
  outcome: string;
  name: string;
  madeAt: Date;
  submissions: { id: string; at: string }[];
  remaining: number;
  resetMs: number;
}

/** A text in XML, without the characters that XML has none for. */
const escaped = (text: string) =>
  text
    .replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, " ")
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** @param form path of the form in the console, as an address */
function atomOf({ name, madeAt, submissions }: NewsRow, form: string, id: string): string {
  const title = escaped(name);
  const updated = new Date(submissions[0]?.at ?? madeAt).toISOString();
  const entries = submissions.map(({ id: submission, at }) => {
    const time = new Date(at).toISOString();
    return `<entry><id>urn:uuid:${submission}</id><title>${title}: ${referenceOf(submission)}</title><updated>${time}</updated><link href="${form}/submissions/${submission}"/></entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:uuid:${id}</id><title>${title}</title><updated>${updated}</updated><author><name>formd</name></author><link href="${form}/submissions"/>
${entries.join("\n")}
</feed>
`;
}

/** @throws {Problem} `rate_limited`; `not_found` unless the address is in use. */
async function readNewsFeed(sql: Sql, baseUrl: string, request: Request, token: string): Promise<string> {
  const ipKey = admitIp(request, "feed");
  const { team, form, hash } = parseSecret("fdn", token);
  const row = await rowOf(sql<NewsRow[]>`
    select * from formd.form_feed_read(p_team => ${team}, p_form => ${form}, p_hash => ${hash},
      p_ip_key => ${ipKey}, p_ip_limit => ${requestsPerMinute}, p_limit => ${maxEntries})`);
  requireRateLimit(request, row.outcome, { limitName: "ip", maxRequests: requestsPerMinute, ...row });
  if (row.outcome !== "allowed") throw new Problem("not_found");
  return atomOf(row, `${baseUrl}/console/forms/${form}`, form);
}

const path = "/feed/:token";
const mediaType = "application/atom+xml";

export const newsFeedRoute = ({ sql, config }: Deps) =>
  new Elysia({ name: path }).onTransform(emptyUnlessUtf8("token")).get(
    path,
    async ({ request, params, set }) => {
      const feed = await readNewsFeed(sql, config.BASE_URL, request, params.token);
      const etag = `"${Buffer.from(sha256(feed)).toString("base64url", 0, 12)}"`;
      Object.assign(set.headers, { etag, "cache-control": "private, no-cache" });
      if (request.headers.get("if-none-match")?.includes(etag)) {
        set.status = 304;
        return "";
      }
      set.headers["content-type"] = `${mediaType}; charset=utf-8`;
      return feed;
    },
    operation({
      id: "getNewsFeed",
      tag: "page",
      summary: "Read a news feed of a form",
      description: `The newest submissions of a form, at most ${maxEntries}, for the feed reader of one operator: references, times and links to the console, no answers. The console makes the address, which is a secret, and it ends with the operator's role. With \`If-None-Match\` it is a 304 while nothing is new.`,
      security: [{}],
      response: {
        description: "An Atom feed (RFC 4287).",
        media: { [mediaType]: { schema: { type: "string" } } },
      },
      codes: ["not_found"],
      limits: [{ scope: "ip", seconds: limits.rateLimit.windowMs / 1000, requests: requestsPerMinute }],
    }),
  );
