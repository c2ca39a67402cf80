/**
 * Servers that formd is compared with, each as a process of its own: `bun tests/bench/rivals.ts elysia`
 * responds to a POST with no database, the floor under every figure; `… fastify DATABASE_URL` is the
 * form service that one writes in an afternoon: Fastify, ajv and pg, a statement for each thing that must be
 * looked at, on the same tables.
 */
import { createHash } from "node:crypto";
import { Elysia } from "elysia";
import fastify from "fastify";
import { Pool } from "pg";
import { v7 as uuidv7 } from "uuid";
import { parseSecret } from "../../src/platform/auth/secret.ts";

const path = "/papi/v1/submitter/form/submissions";

function elysiaFloor(port: number): void {
  new Elysia()
    .post(path, ({ body }) => ({ data: { received: Object.keys((body as { data: object }).data).length } }))
    .listen({ port, hostname: "127.0.0.1" });
}

/** Eight statements a submit, two of them begin and commit: who calls, may they, how often, and the row. */
async function fastifyByHand(port: number, url: string): Promise<void> {
  const folder = decodeURIComponent(/[?&]host=([^&]*)/.exec(url)?.[1] ?? "");
  const pool = new Pool({ host: folder, user: "formd_owner", database: "formd", max: 10 });
  const sha256 = (text: string) => createHash("sha256").update(text).digest();
  const app = fastify();
  const properties = {
    name: { type: "string", minLength: 2, maxLength: 80 },
    email: { type: "string", format: "email" },
    topic: { enum: ["sales", "support", "press"] },
    people: { type: "integer", minimum: 1, maximum: 10_000 },
    when: { type: "string", format: "date" },
    message: { type: "string", maxLength: 2000 },
  };
  const data = {
    type: "object",
    required: ["name", "email", "topic"],
    properties,
    additionalProperties: false,
  };
  const body = { type: "object", required: ["data"], properties: { data } };
  app.post(path, { schema: { body } }, async (request, reply) => {
    const key = String(request.headers["x-form-access-key"]);
    const token = String(request.headers["x-respondent-token"]);
    const address = String(request.headers["x-forwarded-for"]);
    const { team, form } = parseSecret("fdf", key);
    const client = await pool.connect();
    try {
      await client.query("begin");
      const {
        rows: [found],
      } = await client.query({
        name: "form",
        text: `select f.current_version from formd.form_access_keys k
          join formd.forms f on f.team_id = k.team_id and f.id = k.form_id
          where k.team_id = $1 and k.form_id = $2 and k.key_hash = $3 and k.revoked_at is null and f.status = 'published'`,
        values: [team, form, sha256(key)],
      });
      const {
        rows: [session],
      } = await client.query({
        name: "session",
        text: "select agent_id from formd.sessions where team_id = $1 and token_hash = $2 and expires_at > now()",
        values: [team, sha256(token)],
      });
      const {
        rows: [grant],
      } = await client.query({
        name: "grant",
        text: `select g.scopes from formd.grants g join formd.agents a on a.team_id = g.team_id and a.id = g.agent_id
          where g.team_id = $1 and g.agent_id = $2 and g.form_id = $3 and a.status = 'active'`,
        values: [team, session?.agent_id, form],
      });
      if (!found || !grant?.scopes.includes("agent:submit")) {
        await client.query("rollback");
        return reply.code(401).send({ error: "unauthorized" });
      }
      const throttle = (bucket: string) =>
        client.query({
          name: "throttle",
          text: `insert into formd.rate_limits as r (key, times, counts, expires_at) values ($1, '{1}', '{1}', now() + interval '1 minute')
            on conflict (key) do update set counts = array[r.counts[1] + 1]`,
          values: [bucket],
        });
      await throttle(`fastify:ip:${address}`);
      await throttle(`fastify:agent:${session.agent_id}`);
      const id = uuidv7();
      await client.query({
        name: "submission",
        text: `insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
          values ($1, $2, $3, $4, 'completed', 'agent', 'agent', $5, $6, now(), now(), now())`,
        values: [
          team,
          form,
          id,
          found.current_version,
          session.agent_id,
          (request.body as { data: object }).data,
        ],
      });
      await client.query("commit");
      return { data: { id, status: "completed" } };
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  });
  await app.listen({ port, host: "127.0.0.1" });
}

const [, , name, url = ""] = process.argv;
const port = Number(process.env.PORT);
if (name === "elysia") elysiaFloor(port);
else await fastifyByHand(port, url);
