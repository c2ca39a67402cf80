/** Makes invitations, and records reminders. */
import { randomBytes } from "node:crypto";
import { type CompiledForm, compile, type FieldIssue } from "../../fields/compile.ts";
import { isEmail } from "../../fields/formats.ts";
import { languagesIn } from "../../fields/translations.ts";
import { limits } from "../../limits.ts";
import { type InvitationFault, say } from "../../messages.ts";
import type { Actor } from "../../platform/auth/actor.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import type { CallerQueries, SqlCaller } from "../../platform/database/caller-queries.ts";
import { jsonb, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { memberNames, shownName } from "../../platform/http/known-members.ts";
import { fieldErrors, type Timestamp } from "../../platform/http/shapes.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { Problem } from "../../problem.ts";
import { addressHashes, type InvitingForm, invitationLink, sealAddress } from "./addresses.ts";
import { type InvitationsRequest, type MadeInvitation, NewInvitation, type RemindRequest } from "./shapes.ts";

type Requested = typeof InvitationsRequest.infer;
type Invited = Requested["invitations"][number];

const { defaultDays, maxDays } = limits.invitation;
const dayMs = 86_400_000;
const tokenBytes = 16;

/** A caller whose request takes several queries. */
export interface Asker {
  teamId: string;
  actorType: Actor["type"];
  actorId: string | null;
}

/** The caller, and what its invitations are validated against. */
interface Sources extends Asker {
  version: number;
  schema: { fields: unknown[] };
  /** `settings.page.language`. */
  language: string | null;
}

/** Query for what {@link createInvitations} needs. {@link parseSources} parses its result. */
export const sourcesQuery = ({ sql }: Pick<Deps, "sql">, { team, actor }: SqlCaller, form: string) => sql`
  select json_build_object('teamId', ${team}::text, 'actorType', actor_type, 'actorId', actor_id, 'version', version,
    'schema', schema, 'language', language)
  from formd.invitation_sources(p_team => ${team}, p_actor => ${actor}, p_form => ${form})`;

export const parseSources = (json: string | null): Sources => JSON.parse(json ?? "") as Sources;

/** Mails per day of a team, for SQL. Null: the server sends none. */
const mailsPerDay = (deps: Deps): number | null => (hasOutbox(deps) ? deps.config.MAIL_MAX_PER_DAY : null);

/** @throws {Problem} `bad_request` with the position of an invitation that cannot be made */
function refuse(index: number, fault: InvitationFault, field?: string, errors?: readonly object[]): never {
  throw new Problem("bad_request", {
    ...say("invitation_invalid", { index, fault, field }),
    extras: { invitation: index, ...(errors && { errors }) },
  });
}

/** Returns the first issue of values that a page may begin with, whatever applies. */
export function prefillIssue(
  form: CompiledForm,
  values: Readonly<Record<string, unknown>>,
): FieldIssue | undefined {
  const { errors, unknown } = form.validate(values);
  return [...errors, ...unknown].find(({ code }) => code !== "rule" && code !== "not_applicable");
}

/** Checks an invitation. @throws {Problem} `bad_request` */
function requireValid(
  { config }: Deps,
  { form, languages }: { form: CompiledForm; languages: readonly string[] },
  invitation: Invited,
  index: number,
): void {
  const { email, values = {}, language, expiresAt } = invitation;
  const unknown = Object.keys(invitation).find((name) => !memberNames(NewInvitation).includes(name));
  if (unknown !== undefined) refuse(index, "member", shownName(unknown));
  if (email !== undefined && !isEmail(email)) refuse(index, "email");
  if (language !== undefined && !languages.includes(language)) refuse(index, "language");
  const days = expiresAt === undefined ? defaultDays : (Date.parse(expiresAt) - Date.now()) / dayMs;
  if (days <= 0) refuse(index, "past");
  if (days > maxDays) refuse(index, "late");
  const closed = Object.keys(values).find((id) => form.field(id)?.definition.prefill !== true);
  if (closed !== undefined) refuse(index, "field", closed);
  const issue = prefillIssue(form, values);
  if (issue) refuse(index, "value", issue.field, fieldErrors(config, [issue]));
}

/**
 * Makes invitations: all, or none. Their links are shown only here.
 * @param queries for the caller of {@link sourcesQuery}
 * @throws {Problem} `bad_request` with the position of one that cannot be made; `unavailable`: an address
 * needs a master key; `conflict`: no mail server, too many, or published meanwhile;
 * `respondent_binding_requires_session`
 */
export async function createInvitations(
  deps: Deps,
  { run }: Pick<CallerQueries, "run">,
  { formId, ...sources }: Sources & { formId: string },
  { invitations, send = false }: Requested,
): Promise<(typeof MadeInvitation.infer)[]> {
  const { sql } = deps;
  if (send && !hasOutbox(deps)) throw new Problem("conflict", say("mail_off"));
  const ofForm = { teamId: sources.teamId, formId };
  const [form, own] = [compile(sources.schema), languagesIn(sources.schema)];
  const languages = own.length > 0 ? own : [sources.language ?? "en"];
  for (const [index, each] of invitations.entries()) requireValid(deps, { form, languages }, each, index);
  const made = await Promise.all(invitations.map((each) => toRow(deps, ofForm, each)));
  const items = made.map(({ item }) => item);
  const ids = await run(
    ({ team, actor }) => sql`
      select json_agg(id) from formd.invitations_create(
        p_team => ${team}, p_actor => ${actor}, p_form => ${formId}, p_version => ${sources.version},
        p_items => ${jsonb(sql, items)}, p_mails_per_day => ${send ? mailsPerDay(deps) : null}) as id`,
  );
  const found = JSON.parse(ids ?? "[]") as string[];
  return made.map(({ shown }, index) => ({ id: found[index] ?? "", ...shown }));
}

/** An invitation as SQL stores it, and as its maker sees it. Throws as {@link sealAddress}. */
async function toRow(deps: Deps, form: InvitingForm, { email, values, ...given }: Invited) {
  const { masterKey } = deps;
  const { label, respondentId, language, expiresAt } = given;
  const token = randomBytes(tokenBytes).toString("base64url");
  const end = expiresAt === undefined ? new Date(Date.now() + defaultDays * dayMs) : new Date(expiresAt);
  const hashes = email === undefined ? [] : addressHashes(masterKey, form.formId, email);
  const item = {
    token_hash: toByteaText(sha256(token)),
    label,
    sealed_email: email && (await sealAddress(masterKey, form.formId, { email, token })),
    email_hash: hashes[0],
    email_hashes: hashes,
    respondent_id: respondentId,
    prefill: values,
    language,
    expires_at: end.toISOString(),
  };
  const link = invitationLink(deps, form, token);
  return {
    item,
    shown: {
      link,
      label: label ?? null,
      email: email ?? null,
      expiresAt: end.toISOString() as typeof Timestamp.infer,
    },
  };
}

/** One step of reminders. */
export interface ReminderStep extends Asker {
  reminded: number;
  lastId: string | null;
}

/** Query for a step of reminders. @param after null: the first one */
export const remindQuery = (
  deps: Deps,
  { team, actor }: SqlCaller,
  form: string,
  { notRemindedFor = "P1D" }: typeof RemindRequest.infer,
  after: string | null,
) => deps.sql`
  select json_build_object('teamId', ${team}::text, 'actorType', (${actor}).type, 'actorId', (${actor}).id,
    'reminded', reminded, 'lastId', last_id)
  from formd.invitations_remind(
    p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_not_reminded_for => ${notRemindedFor}::interval,
    p_mails_per_day => ${mailsPerDay(deps)}, p_after => ${after}::uuid)`;

/**
 * Continues reminders after a step. @param first its result @param queriesOf makes the queries of its caller
 * @returns the number of all mails that were recorded
 */
export async function remindRest(
  deps: Deps,
  first: string | null,
  queriesOf: (caller: Asker) => Pick<CallerQueries, "run">,
  form: string,
  request: typeof RemindRequest.infer,
): Promise<number> {
  let step = JSON.parse(first ?? "") as ReminderStep;
  let { reminded } = step;
  const { run } = queriesOf(step);
  while (step.lastId !== null) {
    const { lastId } = step;
    step = JSON.parse((await run((caller) => remindQuery(deps, caller, form, request, lastId))) ?? "");
    reminded += step.reminded;
  }
  return reminded;
}
