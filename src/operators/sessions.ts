/** An operator's session: `/console/login` and `/console/logout`. @module */
import { type } from "arktype";
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { requireCsrfSafe, requireSameOrigin, sessionCookie } from "../auth/credentials.ts";
import { hashPassword } from "../auth/password.ts";
import { makeSecret, nilUuid, parseSecret } from "../auth/secret.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { assertShape, isJson, parseBody, readBytes } from "../http/body.ts";
import { success } from "../http/envelope.ts";
import { rateLimited, rateLimitHeaders } from "../http/rate-limits.ts";
import { rateLimitKeyOf } from "../http/request-context.ts";
import { Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";

/** `teamId` is for a person with roles in several teams: a session is for one, by default the one that was joined first. */
const LoginRequest = type({
  email: type.string.atMostLength(limits.operator.maxEmailLength),
  password: type.string.atMostLength(limits.operator.maxPasswordLength),
  "teamId?": Uuid,
});

export const consoleSessions = (deps: Deps) => {
  const { sql, config } = deps;
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${config.BASE_URL.startsWith("https:") ? "; Secure" : ""}`;
  return new Elysia({ name: "/console" })
    .post("/console/login", async ({ request, set }) => {
      const bytes = await readBytes(request, config.MAX_BODY_BYTES);
      await countLogin(deps, request, set.headers);
      requireSameOrigin(deps, request);
      const { email, password, teamId = null } = loginOf(request, bytes);
      const [{ salt }] = await sql<[{ salt: string | null }]>`select formd.operator_salt(${email}) as salt`;
      const hash = await hashPassword(password, salt);
      const [{ team }] = await sql<
        [{ team: string | null }]
      >`select formd.operator_team(${email}, ${teamId}) as team`;
      const cookie = makeSecret("fdo", team ?? nilUuid);
      const lifetime = `${limits.operatorSession.lifetimeHours} hours`;
      const session = oneRow(
        await sql<{ operatorId: string | null; expiresAt: Date }[]>`
          select s.* from (select) as always
          left join formd.operator_login(${team ?? nilUuid}, ${email}, ${hash}, ${uuidv7()}, ${cookie.hash}, ${lifetime}) as s on true`,
      );
      if (session.operatorId === null) throw new Problem("unauthorized", "E-mail or password is wrong.");
      set.headers["set-cookie"] =
        `formd_session=${cookie.secret}; Max-Age=${limits.operatorSession.lifetimeHours * 3600}${attributes}`;
      return success({ operatorId: session.operatorId, teamId: team, expiresAt: session.expiresAt });
    })
    .post("/console/logout", async ({ request, set }) => {
      requireCsrfSafe(deps, request);
      const { team, hash } = parseSecret("fdo", sessionCookie(request));
      await sql`select formd.operator_logout(${team}, ${hash})`;
      set.headers["set-cookie"] = `formd_session=; Max-Age=0${attributes}`;
      return success({ loggedOut: true });
    });
};

/** Counts a login of this address. @throws {Problem} `rate_limited`. */
async function countLogin(
  { sql, config }: Deps,
  request: Request,
  headers: Record<string, unknown>,
): Promise<void> {
  const bucketLimit = config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
  const [taken] = await sql<[{ allowed: boolean; remaining: number; resetMs: number }]>`
    select * from formd.rate_limit_take(${`login:ip:${rateLimitKeyOf(request)}`}, ${bucketLimit}, ${limits.rateLimit.windowMs})`;
  const rate = { bucket: "ip", bucketLimit, ...limits.rateLimit, ...taken };
  if (!taken.allowed) throw rateLimited(rate);
  Object.assign(headers, rateLimitHeaders(rate));
}

/** JSON, or the fields of a form post. @throws {Problem} `invalid_content_type`, `invalid_body`. */
function loginOf(request: Request, bytes: Uint8Array): typeof LoginRequest.infer {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "");
  if (isJson(request) || !isForm) return parseBody(request, bytes, LoginRequest);
  return assertShape(
    Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes))),
    LoginRequest,
    "invalid_body",
  );
}
