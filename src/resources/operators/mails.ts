/** Mails to operators with a link that works once. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import type { Actor } from "../../platform/auth/actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { dayMs, hourMs, takeAddress } from "../../platform/mail/address-limit.ts";
import type { Letter } from "../../platform/mail/letter.tsx";
import { isMailOn, type Mail, MailError, sendMail } from "../../platform/mail/smtp.ts";
import { makeResetLink } from "./passwords.ts";
import type { Role } from "./roles.ts";

type Written = Pick<Mail, "subject"> & Letter;

export const invitationMail = (
  { workspace, role, by }: { workspace: string; role: Role; by: string },
  link: string,
): Written => ({
  lang: "en",
  subject: `Invitation to ${workspace}`,
  heading: `Invitation to ${workspace}`,
  parts: [
    { paragraph: `${by} invites you to the workspace ${workspace} on formd, as ${role}.` },
    { link, label: "Accept the invitation" },
  ],
  footer: [
    {
      paragraph: `The link works once, for ${limits.operator.invitationDays} days. If you do not know ${by}, ignore this mail: nothing happens without you.`,
    },
  ],
});

export const resetMail = (link: string): Written => ({
  lang: "en",
  subject: "Choose a new password for formd",
  heading: "Choose a new password",
  parts: [
    { paragraph: "A new password was asked for your account, probably by you." },
    { link, label: "Choose a new password" },
  ],
  footer: [
    {
      paragraph: `The link works once, for ${limits.operator.resetMinutes} minutes. If you did not ask for it, ignore this mail: your password stays as it is.`,
    },
  ],
});

/** @returns null: it was sent; else why not */
export async function mailOperator(deps: Deps, to: string, written: Written): Promise<string | null> {
  if (!(await takeAddress(deps, "operator", to, limits.mail.maxLinksPerDay, dayMs)))
    return "This address has had too many mails today.";
  try {
    await sendMail(deps.config, { id: uuidv7(), to, ...written });
    return null;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return error.message;
  }
}

/** Requests for a link that this process works on. More of them are a flood. */
const maxWaiting = 50;
let waiting = 0;

/**
 * Sends a link to a new password, if there is an account with this e-mail, after the response: neither what
 * it says nor when it comes tells whether there is one.
 */
export function requestReset(deps: Deps, actor: Actor, email: string): void {
  if (!isMailOn(deps.config) || waiting >= maxWaiting) return;
  waiting++;
  sendReset(deps, actor, email.toLowerCase())
    .catch((error: Error) => deps.log.warn({ reason: error.message }, "a reset link was not mailed"))
    .finally(() => waiting--);
}

async function sendReset(deps: Deps, actor: Actor, email: string): Promise<void> {
  const { sql, config } = deps;
  if (!(await takeAddress(deps, "reset", email, limits.mail.maxResetsPerHour, hourMs))) return;
  const [operator] = await sql<
    { id: string }[]
  >`select id from formd.operators where email = ${email} and connection_id is null`;
  if (!operator) return;
  const place = { team: null, baseUrl: config.BASE_URL };
  const { link } = await makeResetLink(sql, actor, place, operator.id);
  await sendMail(config, { id: uuidv7(), to: email, ...resetMail(link) });
}
