/** All data of one person, found by the respondent's id or by the value of a field. */
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { Sql } from "../../platform/database/db.ts";
import { requireAttached } from "../../platform/database/partitions.ts";
import type { Deps } from "../../platform/deps.ts";
import { deleteEach } from "../submissions/erase.ts";
import { countInvitationsOf, eraseInvitationsOf } from "./invitations.ts";

type Of = Pick<Deps, "sql" | "masterKey">;

/** Identifies a person: by the id of a respondent, or by a current or former value of a field. */
export type Person = { respondent: string } | { field: string; value: string };

export interface FormOfPerson {
  teamId: string;
  formId: string;
}

export interface PersonCounts {
  /** Submissions that are deleted, without the held ones. */
  submissions: number;
  files: number;
  held: number;
  /** Invitations that are erased, and revoked if they are open. */
  invitations: number;
}

/** Submissions that one step of a search reads: a few milliseconds per 1,000. */
const stepRows = 5_000;

interface Step {
  ids: string[];
  held: number;
  files: number;
  lastId: string | null;
}

/** The submissions of a person in a form, step by step. @throws {Problem} `not_found` */
export async function* findIn(sql: Sql, actor: Actor, { teamId, formId }: FormOfPerson, person: Person) {
  const { respondent = null, field = null, value = null } = person as Partial<Record<string, string>>;
  let after: string | null = null;
  do {
    const [step]: [Step] = await sql<[Step]>`
      select ids, held, files, last_id from formd.person_find(p_team => ${teamId},
        p_actor => ${toSql(sql, actor)}, p_form => ${formId}, p_respondent => ${respondent}::uuid,
        p_field => ${field}::text, p_value => ${value}::text, p_after => ${after}::uuid, p_limit => ${stepRows})`;
    if (step.ids.length > 0) yield step;
    after = step.lastId;
  } while (after !== null);
}

/**
 * The forms with submissions or invitations of a respondent: in a team, or in all.
 * @throws {Problem} `conflict`: a month of submissions is detached
 */
export async function formsOfRespondent(sql: Sql, respondent: string, team: string | null = null) {
  await requireAttached(sql);
  const inviting = await sql<FormOfPerson[]>`
    select i.team_id, i.form_id from formd.invitations i
    where i.respondent_id = ${respondent} and (${team}::uuid is null or i.team_id = ${team}::uuid)
    group by i.team_id, i.form_id order by i.team_id, i.form_id`;
  const submitting = await sql<FormOfPerson[]>`
    select f.team_id, f.id as form_id
    from formd.forms f join formd.submissions s on s.team_id = f.team_id and s.form_id = f.id
    where s.respondent_id = ${respondent} and (${team}::uuid is null or f.team_id = ${team}::uuid)
    group by f.team_id, f.id order by f.team_id, f.id`;
  const known = new Set(submitting.map(({ formId }) => formId));
  return [...submitting, ...inviting.filter(({ formId }) => !known.has(formId))];
}

/**
 * Deletes the identity of a person for whom agents submitted, once no submission or grant names the person.
 * @returns true if nothing is left; else a held or new submission, or a grant, still names the person
 * @throws {Problem} `insufficient_workspace_role`
 */
export async function eraseRespondent(
  sql: Sql,
  actor: Actor,
  respondent: string,
  team: string | null = null,
): Promise<boolean> {
  let isGone = true;
  for (const { teamId } of await readRespondent(sql, respondent, team)) {
    const [row] = await sql<[{ erased: boolean }]>`
      select formd.respondent_erase(p_team => ${teamId}, p_actor => ${toSql(sql, actor)},
        p_respondent => ${respondent}) as erased`;
    isGone &&= row.erased;
  }
  return isGone;
}

/** A person for whom agents submit, as an identity provider identifies them. */
export interface Respondent {
  teamId: string;
  id: string;
  issuer: string;
  subject: string;
  createdAt: Date;
}

/** @param team null: any team */
export const readRespondent = (sql: Sql, respondent: string, team: string | null = null) =>
  sql<Respondent[]>`
    select team_id, id, issuer, subject, created_at from formd.respondents
    where id = ${respondent} and (${team}::uuid is null or team_id = ${team}::uuid)`;

/** Counts the items that erasing a person in a form would delete. */
export async function countPerson(of: Of, actor: Actor, form: FormOfPerson, person: Person) {
  const counts = { submissions: 0, files: 0, held: 0, invitations: 0 };
  counts.invitations = await countInvitationsOf(of, actor, form, person);
  for await (const { ids, files, held } of findIn(of.sql, actor, form, person)) {
    counts.submissions += ids.length - held;
    counts.files += files;
    counts.held += held;
  }
  return counts;
}

/**
 * Deletes the submissions of a person in a form, with all that belongs to them. A repeated call continues
 * after an interruption. In the end only held submissions are left.
 * @returns the numbers of deleted and of held items
 * @throws {Problem} `insufficient_workspace_role`
 */
export async function erasePerson(of: Of, actor: Actor, form: FormOfPerson, person: Person) {
  const counts = { submissions: 0, files: 0, held: 0, invitations: 0 };
  counts.invitations = await eraseInvitationsOf(of, actor, form, person);
  for await (const { ids, files } of findIn(of.sql, actor, form, person)) {
    const { deleted, held } = await deleteEach(of.sql, actor, form, ids);
    counts.submissions += deleted;
    counts.files += files;
    counts.held += held;
  }
  return counts;
}

export const sumOfCounts = (counts: readonly PersonCounts[]): PersonCounts =>
  counts.reduce(
    (sum, { submissions, files, held, invitations }) => ({
      submissions: sum.submissions + submissions,
      files: sum.files + files,
      held: sum.held + held,
      invitations: sum.invitations + invitations,
    }),
    { submissions: 0, files: 0, held: 0, invitations: 0 },
  );
