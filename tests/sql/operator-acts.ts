/** Operators of the tests of SQL: their joining, sign-in and sessions, without a server. */
import { v7 as uuidv7 } from "uuid";
import { hashOf, sqlFixture } from "./fixture.ts";

/** A database with a team, and what operators do in it. */
export async function operatorsFixture() {
  const { app, sql, team } = await sqlFixture();

  async function join(
    email: string,
    role = "editor",
    { each = sql, to = team.id, workspace = team.workspace, password = "right" } = {},
  ) {
    const [row] = await each<[{ id: string; created: boolean }]>`
      select * from formd.operator_join(${to}, '(cli,,)'::formd.actor, ${workspace}, ${uuidv7()}, ${email}, 'salt', ${hashOf(password)}, ${role})`;
    return row;
  }

  async function logIn(email: string, { password = "right", to = team.id, lifetime = "12 hours" } = {}) {
    const token = uuidv7();
    const [row] = await sql<{ operatorId: string; expiresAt: Date }[]>`
      select * from formd.operator_login(${to}, '(anonymous,,)', ${email}, ${hashOf(password)}, ${uuidv7()}, ${hashOf(token)}, ${lifetime}, null, null)`;
    return row && { ...row, token };
  }

  async function authenticate(
    token: string,
    {
      idle = "2 hours",
      of = team.id,
      agent = null as string | null,
      limit = null as number | null,
      proof = null as string | null,
    } = {},
  ) {
    const [row] = await sql<[{ outcome: string; operatorId: string | null }]>`
      select * from formd.operator_session_authenticate(
        p_team => ${of}, p_token_hash => ${hashOf(token)}, p_idle => ${idle}, p_agent => ${agent}, p_write_limit => ${limit}, p_proof => ${proof})`;
    return row;
  }

  /** The operator of a session that is valid. */
  async function use(
    token: string,
    options?: Parameters<typeof authenticate>[1],
  ): Promise<string | undefined> {
    const { outcome, operatorId } = await authenticate(token, options);
    return outcome === "allowed" ? (operatorId ?? undefined) : undefined;
  }

  return { app, sql, team, join, logIn, authenticate, use };
}
