/** An operator's session: `/console/login` and `/console/logout`. @module */
import { type } from "arktype";
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import type { Deps } from "../app.ts";
import { refuseForeignOrigin, refuseForgery, sessionCookie } from "../auth/credentials.ts";
import { derive } from "../auth/password.ts";
import { makeSecret, nilTeam, routeOf } from "../auth/secret.ts";
import { limits } from "../config.ts";
import { isJson, json, readBytes, shaped } from "../http/body.ts";
import { ok } from "../http/envelope.ts";
import { rateHeaders, rateLimited } from "../http/rate-limits.ts";
import { Uuid } from "../http/shapes.ts";
import { addressOf } from "../http/request-context.ts";
import { Problem } from "../problem.ts";

/** `teamId` is for a person with roles in several teams: a session is for one, by default the one that was joined first. */
const LoginRequest = type({ email: "string <= 320", password: "string <= 1024", "teamId?": Uuid });

export const consoleSessions = (deps: Deps) => {
  const { sql, config } = deps;
  const attributes = `; Path=/; HttpOnly; SameSite=Strict${config.BASE_URL.startsWith("https:") ? "; Secure" : ""}`;
  return new Elysia({ name: "/console" })
    .post("/console/login", async ({ request, set }) => {
      const bytes = await readBytes(request, config.MAX_BODY_BYTES);
      await takeLogin(deps, request, set.headers);
      refuseForeignOrigin(deps, request);
      const { email, password, teamId = null } = loginOf(request, bytes);
      const [{ salt }] = await sql<[{ salt: string | null }]>`select formd.operator_salt(${email}) as salt`;
      const hash = await derive(password, salt);
      const [{ team }] = await sql<
        [{ team: string | null }]
      >`select formd.operator_team(${email}, ${teamId}) as team`;
      const cookie = makeSecret("fdo", team ?? nilTeam);
      const lifetime = `${limits.operatorSessionHours} hours`;
      const [session] = await sql<{ operatorId: string; expiresAt: Date }[]>`
        select * from formd.operator_login(${team ?? nilTeam}, ${email}, ${hash}, ${uuidv7()}, ${cookie.hash}, ${lifetime})`;
      if (!session) throw new Problem("unauthorized", "E-mail or password is wrong.");
      set.headers["set-cookie"] =
        `formd_session=${cookie.secret}; Max-Age=${limits.operatorSessionHours * 3600}${attributes}`;
      return ok({ operatorId: session.operatorId, teamId: team, expiresAt: session.expiresAt });
    })
    .post("/console/logout", async ({ request, set }) => {
      refuseForgery(deps, request);
      const { team, hash } = routeOf("fdo", sessionCookie(request));
      await sql`select formd.operator_logout(${team}, ${hash})`;
      set.headers["set-cookie"] = `formd_session=; Max-Age=0${attributes}`;
      return ok({ loggedOut: true });
    });
};

/** Counts a login of this address. @throws {Problem} `rate_limited`. */
async function takeLogin(
  { sql, config }: Deps,
  request: Request,
  headers: Record<string, unknown>,
): Promise<void> {
  const bucketLimit = config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
  const [taken] = await sql<[{ allowed: boolean; remaining: number; resetMs: number }]>`
    select * from formd.rate_limit_take(${`login:ip:${addressOf(request)}`}, ${bucketLimit}, 60000)`;
  const rate = { bucket: "ip", bucketLimit, windowMs: 60_000, ...taken };
  if (!taken.allowed) throw rateLimited(rate);
  Object.assign(headers, rateHeaders(rate));
}

/** JSON, or the fields of a form post. @throws {Problem} `invalid_content_type`, `invalid_body`. */
function loginOf(request: Request, bytes: Uint8Array): typeof LoginRequest.infer {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "");
  if (isJson(request) || !isForm) return json(request, bytes, LoginRequest);
  return shaped(
    Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes))),
    LoginRequest,
    "invalid_body",
  );
}
