/** What the benchmark asks about: teams, forms and agents whose tokens follow from their number, so that a load tool can make them up. */
import { v7 as uuidv7 } from "uuid";
import { makeSecret, sha256 } from "../../src/auth/secret.ts";
import type { Sql } from "../../src/db.ts";

/** A form that agents submit to. The token of agent n is `tokenPrefix` and n in 43 digits. */
export interface Target {
  team: string;
  form: string;
  accessKey: string;
  apiKey: string;
  tokenPrefix: string;
  agents: number;
}

const fields = [
  { id: "name", type: "text", label: "Name", required: true, validation: { minLength: 2, maxLength: 80 } },
  { id: "email", type: "email", label: "E-mail", required: true },
  { id: "topic", type: "select", label: "Topic", required: true, options: ["sales", "support", "press"] },
  { id: "people", type: "integer", label: "People", validation: { minimum: 1, maximum: 10_000 } },
  { id: "when", type: "date", label: "When" },
  { id: "message", type: "textarea", label: "Message", validation: { maxLength: 2000 } },
];

/** One kilobyte of good answers. */
export const payload = JSON.stringify({
  data: {
    name: "Ada Lovelace",
    email: "ada@example.org",
    topic: "sales",
    people: 12,
    when: "2026-11-20",
    message: "We would like to know more. ".repeat(31),
  },
});

const digits = 43;

/** The token of an agent. */
export const tokenOf = ({ tokenPrefix }: Target, agent: number): string =>
  tokenPrefix + String(agent).padStart(digits, "0");

/** A team with a published form and agents that may submit to it, each with a live session. */
export async function seedTarget(sql: Sql, agents: number): Promise<Target> {
  const [team, workspace, form] = [uuidv7(), uuidv7(), uuidv7()];
  await sql`select formd.team_create(${team}, 'Bench', ${workspace}, 'Main')`;
  await sql`select formd.form_create(${team}, ${form}, null, 'Bench', null, ${sql.json({ fields })})`;
  await sql`select formd.form_publish(${team}, ${form}, (select updated_at from formd.forms where team_id = ${team} and id = ${form}))`;
  const accessKey = makeSecret("fdf", team, form);
  await sql`select formd.access_key_create(${team}, ${form}, ${uuidv7()}, ${accessKey.prefix}, ${accessKey.hash})`;
  const apiKey = makeSecret("fdk", team);
  await sql`select formd.api_key_create(${team}, ${uuidv7()}, 'bench', '{submissions:write,submissions:read,forms:read,forms:write}', ${apiKey.prefix}, ${apiKey.hash})`;
  const tokenPrefix = makeSecret("fds", team).secret.slice(0, -digits);
  await sql`
    with made as (
      insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
      select ${team}, gen_random_uuid(), ${workspace}, 'agent_' || n, 'Agent ' || n, 'fda_', sha256(convert_to(${team} || n, 'UTF8')), now(), now()
      from generate_series(1, ${agents}::int) n
      returning id, client_id),
    granted as (
      insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
      select ${team}, gen_random_uuid(), id, ${form}, '{agent:read,agent:validate,agent:submit}', now(), now() from made)
    insert into formd.sessions (team_id, id, kind, agent_id, token_hash, created_at, expires_at)
    select ${team}, gen_random_uuid(), 'agent', id, sha256(convert_to(${tokenPrefix}::text || lpad(substr(client_id, 7), ${digits}, '0'), 'UTF8')), now(), now() + interval '7 days'
    from made`;
  return { team, form, accessKey: accessKey.secret, apiKey: apiKey.secret, tokenPrefix, agents };
}

/** The hash of the access key, for calling the SQL functions directly. */
export const accessKeyHash = ({ accessKey }: Target): string =>
  `\\x${Buffer.from(sha256(accessKey)).toString("hex")}`;
