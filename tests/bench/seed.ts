/**
 * Data of the benchmark: teams, forms and agents. Their secrets follow from their number, so that a load tool
 * can compute them.
 */

import { v7 as uuidv7 } from "uuid";
import { makeSecret, sha256 } from "../../src/platform/auth/secret.ts";
import { oneRow, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { type Key, newKey } from "../signer.ts";

/**
 * A form that agents and anonymous respondents submit to. Secret n of a kind is its prefix and n in 43
 * digits.
 */
export interface Target {
  team: string;
  form: string;
  accessKey: string;
  apiKey: string;
  /** Sessions of the agents, anonymous sessions, and the agents' own secrets. */
  prefixes: { token: string; anonymous: string; secret: string };
  agents: number;
  anonymous: number;
}

const fields = [
  { id: "name", type: "text", label: "Name", required: true, validation: { minLength: 2, maxLength: 80 } },
  { id: "email", type: "email", label: "E-mail", required: true },
  { id: "topic", type: "select", label: "Topic", required: true, options: ["sales", "support", "press"] },
  { id: "people", type: "integer", label: "People", validation: { minimum: 1, maximum: 10_000 } },
  { id: "when", type: "date", label: "When" },
  { id: "message", type: "textarea", label: "Message", validation: { maxLength: 2000 } },
];

/** One kilobyte of valid values. */
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

/** The random part of a secret is this long, and here a number. */
export const digits = 43;

const prefixOf = (kind: "fds" | "fda", team: string) => makeSecret(kind, team).secret.slice(0, -digits);

export interface Size {
  agents: number;
  anonymous: number;
}

/**
 * A team with a published form, agents that may submit to it, each with a live session, and anonymous
 * sessions.
 */
export async function seedTarget(sql: Sql, { agents, anonymous }: Size): Promise<Target> {
  const [team, workspace] = [uuidv7(), uuidv7()];
  await sql`select formd.team_create(${team}, '(cli,,)'::formd.actor, 'Bench', ${workspace}, 'Main')`;
  const { id: form } = oneRow(
    await sql<{ id: string }[]>`
    select id from formd.form_create(${team}, '(cli,,)'::formd.actor, null, 'Bench', null, ${sql.json({ fields })})`,
  );
  await sql`select formd.form_publish(${team}, '(cli,,)'::formd.actor, ${form}, (select updated_at from formd.forms where team_id = ${team} and id = ${form}))`;
  const accessKey = makeSecret("fdf", team, form);
  await sql`select formd.access_key_create(${team}, '(cli,,)'::formd.actor, ${form}, ${uuidv7()}, ${accessKey.prefix}, ${accessKey.hash})`;
  const apiKey = makeSecret("fdk", team);
  await sql`select formd.api_key_create(${team}, '(cli,,)'::formd.actor, ${uuidv7()}, 'bench', '{submissions:write,submissions:read,forms:read,forms:write}', ${apiKey.prefix}, ${apiKey.hash})`;
  const token = prefixOf("fds", team);
  const prefixes = { token, anonymous: `${token.slice(0, -1)}B`, secret: prefixOf("fda", team) };
  await sql`
    with made as (
      insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
      select ${team}, gen_random_uuid(), ${workspace}, 'agent_' || n, 'Agent ' || n, 'fda_',
        sha256(convert_to(${prefixes.secret}::text || lpad(n::text, ${digits}, '0'), 'UTF8')), now(), now()
      from generate_series(1, ${agents}::int) n
      returning id, client_id),
    granted as (
      insert into formd.grants (team_id, id, agent_id, form_id, scopes, created_at, updated_at)
      select ${team}, gen_random_uuid(), id, ${form}, '{agent:read,agent:validate,agent:submit}', now(), now() from made)
    insert into formd.sessions (team_id, id, kind, agent_id, token_hash, created_at, expires_at)
    select ${team}, gen_random_uuid(), 'agent', id, sha256(convert_to(${token}::text || lpad(substr(client_id, 7), ${digits}, '0'), 'UTF8')), now(), now() + interval '7 days'
    from made`;
  await sql`
    insert into formd.sessions (team_id, id, kind, form_id, token_hash, created_at, expires_at)
    select ${team}, gen_random_uuid(), 'anonymous', ${form}, sha256(convert_to(${prefixes.anonymous}::text || lpad(n::text, ${digits}, '0'), 'UTF8')), now(), now() + interval '7 days'
    from generate_series(1, ${anonymous}::int) n`;
  return { team, form, accessKey: accessKey.secret, apiKey: apiKey.secret, prefixes, agents, anonymous };
}

/** A key for each of the team's last `count` agents. */
export async function seedSigners(sql: Sql, { team, agents }: Target, count: number): Promise<Key[]> {
  const keys = Array.from({ length: count }, newKey);
  for (let from = 0; from < count; from += 5000) {
    const some = keys.slice(from, from + 5000);
    await sql`
      insert into formd.signing_keys (team_id, id, agent_id, key_id, thumbprint, public_key_pem, created_at)
      select ${team}, gen_random_uuid(), a.id, k.key_id, k.key_id, k.pem, now()
      from unnest(${some.map(({ id }) => id)}::text[], ${some.map(({ pem }) => pem)}::text[]) with ordinality as k (key_id, pem, n)
      join formd.agents a on a.team_id = ${team} and a.client_id = 'agent_' || (${agents - count + from}::int + k.n)`;
  }
  return keys;
}

/** Fills the target's form with submissions and its team with other forms, as years of use would. */
export async function seedHistory(
  sql: Sql,
  { team, form }: Target,
  { submissions, forms }: { submissions: number; forms: number },
): Promise<void> {
  const { data } = JSON.parse(payload);
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${team}, ${form}, (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
      1, 'completed', 'agent', 'agent', ${uuidv7()}, ${sql.json(data)}, t, t, t
    from (select n, (extract(epoch from now()) * 1000)::bigint - (${submissions}::bigint - n) * 1000 as ms from generate_series(1, ${submissions}::int) n) s,
      lateral (select to_timestamp(ms / 1000.0)::timestamptz(3) as t) at`;
  await sql`select formd.submission_count_add(${team}, ${form}, 'completed', ${submissions})`;
  await sql`
    select formd.form_create(${team}, '(cli,,)'::formd.actor, null, 'Another ' || n, null, ${sql.json({ fields })})
    from generate_series(2, ${forms}::int) n`;
}

/** The hash of the access key, for calling the SQL functions directly. */
export const accessKeyHash = ({ accessKey }: Target) => toByteaText(sha256(accessKey));
