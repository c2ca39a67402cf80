/** A team with a form, its webhooks and their deliveries, by the SQL functions that make and settle them. */
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { makeForm, makeTeam, type PublishedForm, type Team } from "../setup.ts";
import { sqlFixture, submitAll } from "./fixture.ts";

export const cli = "(cli,,)";
export interface Claim {
  eventId: string;
  webhookId: string;
  attempt: number;
  previousSecretKey: string | null;
}
export const failed = { status: 500, error: "The response has the status 500." };

export async function deliveriesFixture() {
  const { app, sql } = await sqlFixture();
  let team: Team;
  let form: PublishedForm;

  /** A team of its own for a test, and what the other functions are about: deliveries are claimed by team. */
  async function ownTeam() {
    team = await makeTeam(app);
    form = await makeForm(app, team, []);
    return { team, form };
  }

  async function create({
    of = form.id as string | null,
    workspace = null as string | null,
    types = ["submission.created"],
  } = {}) {
    const [row] = await sql<[{ id: string }]>`
      select id from formd.webhook_create(${team.id}, ${cli}, ${uuidv7()}, ${workspace}, ${of}, 'https://hooks.example.org/', ${types}, 'thin', '')`;
    return row.id;
  }

  const submit = (count = 1) =>
    submitAll(
      sql,
      team,
      Array.from({ length: count }, () => ({ form })),
    );

  const claim = (limit = 100, lease = 60, each = sql): Promise<Claim[]> => each<Claim[]>`
    select * from formd.webhook_claim(p_team => ${team.id}, p_limit => ${limit}, p_lease_seconds => ${lease})`;
  const settle = (claims: Claim[], result: object = { status: 200 }, each = sql) =>
    each`select * from formd.webhook_settle(p_team => ${team.id}, p_results => ${jsonb(
      each,
      claims.map(({ eventId, webhookId, attempt }) => ({
        ...{ event_id: eventId, webhook_id: webhookId, attempt, started_at: new Date(), duration_ms: 1 },
        ...result,
      })),
    )})`;
  const deliveries = () =>
    sql<{ eventId: string; state: string; attempts: number; wait: number }[]>`
      select event_id, state, attempts, extract(epoch from due_at - clock_timestamp())::float8 as wait
      from formd.webhook_deliveries where team_id = ${team.id} order by event_id`;
  /** Moves the next attempts to the present. */
  const makeDue = () =>
    sql`update formd.webhook_deliveries set due_at = now() where team_id = ${team.id} and state = 'due'`;
  const due = async (after: string | null = null, limit = 10_000, each = sql) => {
    const rows = await each<{ teamId: string | null }[]>`
      select team_id from formd.webhook_due_after(p_after => ${after}, p_limit => ${limit})`;
    return rows.map(({ teamId }) => teamId);
  };

  return { app, sql, ownTeam, create, submit, claim, settle, deliveries, makeDue, due };
}
