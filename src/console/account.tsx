/** The operator's own account: team, roles and sessions. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { actorOf, toSql } from "../auth/actor.ts";
import { sessionCookie, sessionSecretOf } from "../auth/operator-session.ts";
import { makeSecret, parseSecret } from "../auth/secret.ts";
import { rememberCaller } from "../auth/unknown-callers.ts";
import type { Deps } from "../deps.ts";
import { isUuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { act, show } from "./handler.ts";
import { type Page, PostForm, useSession } from "./layout.tsx";
import { home, signInPath } from "./sign-in.tsx";
import { text } from "./text.ts";

const words = text.sessions;

const Teams = () => {
  const { team, teams } = useSession();
  return (
    <section>
      <h2>{words.teamHeading}</h2>
      <ul class="rows">
        {teams.map(({ id, name }) => (
          <li key={id}>
            <span dir="auto">{name}</span>
            {id === team ? (
              <span class="badge">{words.current}</span>
            ) : (
              <PostForm action="/console/team">
                <button type="submit" class="quiet" name="team" value={id}>
                  {words.switch(name)}
                </button>
              </PostForm>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Roles = () => (
  <section>
    <h2>{words.rolesHeading}</h2>
    <ul class="rows">
      {useSession().workspaces.map(({ id, name, role }) => (
        <li key={id}>
          <span dir="auto">{name}</span>
          <span class="badge">{text.roles[role]}</span>
        </li>
      ))}
    </ul>
  </section>
);

const Account = () => (
  <>
    <h1 dir="auto">{useSession().email}</h1>
    <Teams />
    <Roles />
    <section>
      <h2>{words.endHeading}</h2>
      <div class="actions">
        <PostForm action="/console/sign-out">
          <button type="submit">{words.signOut}</button>
        </PostForm>
        <PostForm action="/console/sign-out-everywhere">
          <button type="submit" class="danger">
            {words.signOutEverywhere}
          </button>
        </PostForm>
      </div>
      <p class="quiet">{words.endMessage}</p>
    </section>
  </>
);

const accountPage = (): Page => ({ title: text.account, section: "account", content: <Account /> });

export const account = (deps: Deps) => {
  const { sql, config } = deps;
  const current = (request: Request) => parseSecret("fdo", sessionSecretOf(config, request));
  return new Elysia({ name: "/console/account" })
    .get(
      "/console/account",
      show(deps, async () => accountPage()),
    )
    .post(
      "/console/team",
      act(deps, async ({ request, values, setCookie }) => {
        const toTeam = values.get("team") ?? "";
        if (!isUuid(toTeam)) throw new Problem("bad_request", "team must be a UUID.");
        const { team, hash } = current(request);
        const next = makeSecret("fdo", toTeam);
        await sql`
          select formd.operator_session_switch(
            p_actor => ${toSql(sql, actorOf(request, "anonymous", null))}, p_from_team => ${team}, p_token_hash => ${hash}, p_team => ${toTeam}, p_session => ${uuidv7()},
            p_new_token_hash => ${next.hash}, p_lifetime => ${`${limits.operatorSession.lifetimeHours} hours`})`;
        rememberCaller(next.hash);
        setCookie(sessionCookie(config, next.secret));
        return home;
      }),
    )
    .post(
      "/console/sign-out",
      act(deps, async ({ request, setCookie }) => {
        const { team, hash } = current(request);
        await sql`select formd.operator_logout(
          p_team => ${team}, p_actor => ${toSql(sql, actorOf(request, "anonymous", null))}, p_token_hash => ${hash})`;
        setCookie(sessionCookie(config, ""));
        return signInPath;
      }),
    )
    .post(
      "/console/sign-out-everywhere",
      act(deps, async ({ request, setCookie }) => {
        const { team, hash } = current(request);
        await sql`select formd.operator_sessions_end(
          p_team => ${team}, p_actor => ${toSql(sql, actorOf(request, "anonymous", null))}, p_token_hash => ${hash})`;
        setCookie(sessionCookie(config, ""));
        return signInPath;
      }),
    );
};
