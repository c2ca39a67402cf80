/** An agent with a session for a person, whom an identity provider has named. */
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { makeAgent, type PublishedForm, type Service, type Team } from "../setup.ts";
import { submit } from "./fixture.ts";

/**
 * @returns the person, and what is stored for this person on a connection: a submission, a file, or a grant
 * of another agent
 */
export async function agentForPerson(app: Service, team: Team, form: PublishedForm) {
  const { sql } = app.database;
  const [person, agent] = [uuidv7(), await makeAgent(app, team, form)];
  await sql`
    insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
    values (${team.id}, ${person}, 'https://idp.example.org', ${person}, now(), now() + interval '1 day')`;
  await sql`update formd.grants set respondent = 'asserted' where agent_id = ${agent.id}`;
  await sql`update formd.sessions set respondent_id = ${person}, resource = 'mcp' where agent_id = ${agent.id}`;
  const credentials = {
    access_key_hash: undefined,
    credential: "session" as const,
    credential_hash: toByteaText(sha256(agent.token)),
    key_id: undefined,
    nonce: undefined,
    nonce_expires_at: undefined,
  };
  const another = await makeAgent(app, team, form);
  return {
    person,
    submit: async (each: Sql) => (await submit(each, team, { form, item: { credentials } })).outcome,
    upload: async (each: Sql) => {
      const [{ outcome }] = await each<[{ outcome: string }]>`
        select outcome from formd.file_begin(${team.id}, ${form.id},
          jsonb_populate_record(null::formd.submitter_credentials, ${jsonb(sql, credentials)}), 1, ${uuidv7()}, 'a', 'cv.pdf', 10,
          1000, 1000, ${`file:ip:${person}`}, 30)`;
      return outcome;
    },
    bind: async (each: Sql) => {
      await each`
        select from formd.grant_upsert(${team.id}, '(cli,,)', ${another.id}, ${uuidv7()}, ${form.id}, ${["agent:submit"]}, true, ${person}, true)`;
      return "bound";
    },
  };
}
