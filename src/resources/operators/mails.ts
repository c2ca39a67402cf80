/** Mails to operators with a link that works once. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import type { Actor } from "../../platform/auth/actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { dayMs, hourMs, takeAddress } from "../../platform/mail/address-limit.ts";
import type { Letter } from "../../platform/mail/letter.tsx";
import { isMailOn, type Mail, MailError, sendMail } from "../../platform/mail/smtp.ts";
import type { MailLanguage } from "../mails/text.ts";
import { makeResetLink } from "./passwords.ts";

type Written = Pick<Mail, "subject"> & Letter;

interface Invited {
  workspace: string;
  /** Content in the language of the mail. */
  role: string;
  by: string;
}
interface LinkText {
  invitation: (invited: Invited) => { subject: string; text: string; label: string; footer: string };
  reset: { subject: string; text: string; label: string; footer: string };
}

const texts: Record<MailLanguage, LinkText> = {
  en: {
    invitation: ({ workspace, role, by }) => ({
      subject: `Invitation to ${workspace}`,
      text: `${by} invites you to the workspace ${workspace} on formd, as ${role}.`,
      label: "Accept the invitation",
      footer: `The link works once, for ${limits.operator.invitationDays} days. If you do not know ${by}, ignore this mail: nothing happens without you.`,
    }),
    reset: {
      subject: "Choose a new password for formd",
      text: "A new password was asked for your account, probably by you.",
      label: "Choose a new password",
      footer: `The link works once, for ${limits.operator.resetMinutes} minutes. If you did not ask for it, ignore this mail: your password stays as it is.`,
    },
  },
  de: {
    invitation: ({ workspace, role, by }) => ({
      subject: `Einladung: ${workspace}`,
      text: `${by} lädt Sie in den Arbeitsbereich ${workspace} von formd ein. Ihre Rolle dort: ${role}.`,
      label: "Einladung annehmen",
      footer: `Der Link gilt einmal, ${limits.operator.invitationDays} Tage lang. Kennen Sie ${by} nicht, ist nichts zu tun: Ohne Sie geschieht nichts.`,
    }),
    reset: {
      subject: "Neues Passwort für formd",
      text: "Für Ihr Konto hat jemand ein neues Passwort verlangt, vermutlich Sie.",
      label: "Neues Passwort wählen",
      footer: `Der Link gilt einmal, ${limits.operator.resetMinutes} Minuten lang. Waren Sie das nicht, ist nichts zu tun: Ihr Passwort bleibt, wie es ist.`,
    },
  },
};

const written = (lang: MailLanguage, link: string, words: LinkText["reset"]): Written => ({
  lang,
  subject: words.subject,
  heading: words.subject,
  parts: [{ paragraph: words.text }, { link, label: words.label }],
  footer: [{ paragraph: words.footer }],
});

/** @param lang language of the person who invites, since the other one is unknown */
export const invitationMail = (invited: Invited, link: string, lang: MailLanguage): Written =>
  written(lang, link, texts[lang].invitation(invited));

export const resetMail = (link: string, lang: MailLanguage): Written =>
  written(lang, link, texts[lang].reset);

/** @returns null: it was sent; otherwise the reason why not */
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

/** Maximum number of pending requests for a link. Further ones are dropped as a flood. */
const maxWaiting = 50;
let waiting = 0;

/**
 * Sends a link for a new password, if an account has this address, after the response: neither its content
 * nor its time discloses that. @param lang of the page, for an account without a chosen language
 */
export function requestReset(deps: Deps, actor: Actor, email: string, lang: MailLanguage): void {
  if (!isMailOn(deps.config) || waiting >= maxWaiting) return;
  waiting++;
  sendReset(deps, actor, email.toLowerCase(), lang)
    .catch((error: Error) => deps.log.warn({ reason: error.message }, "a reset link was not mailed"))
    .finally(() => waiting--);
}

async function sendReset(deps: Deps, actor: Actor, email: string, lang: MailLanguage): Promise<void> {
  const { sql, config } = deps;
  if (!(await takeAddress(deps, "reset", email, limits.mail.maxResetsPerHour, hourMs))) return;
  const [operator] = await sql<
    { id: string; language: MailLanguage | null }[]
  >`select id, language from formd.operators where email = ${email} and connection_id is null`;
  if (!operator) return;
  const place = { team: null, baseUrl: config.BASE_URL };
  const { link } = await makeResetLink(sql, actor, place, operator.id);
  await sendMail(config, { id: uuidv7(), to: email, ...resetMail(link, operator.language ?? lang) });
}
