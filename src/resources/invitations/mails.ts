/** Writes mails of invitations: the first one, and reminders. */
import { rowOf } from "../../platform/database/db.ts";
import type { Mail } from "../../platform/mail/smtp.ts";
import type { ClaimedMail, Dropped, MailDeps } from "../mails/claim.ts";
import { fill, invitationTextIn } from "../mails/text.ts";
import { unsubscribePath, unsubscribeToken } from "../mails/unsubscribe.ts";
import { addressHashes, hashArray, invitationLink, openAddress } from "./addresses.ts";

/** A row of formd.invitation_mail_read. Unless `mailState` is `open`, the rest is null. */
interface MailedInvitation {
  mailState: "open" | "not_open" | "form_off";
  sealedEmail: Uint8Array;
  recipientHash: Uint8Array;
  language: string | null;
  expiresAt: Date;
  mails: number;
}

const reasons = {
  not_open: "The invitation was used, revoked, has expired, or its owner wants no mail.",
  form_off: "The form has no page now.",
};

/** Reads who has unsubscribed by a hash of an earlier master key. */
async function isUnsubscribed({ sql, masterKey }: MailDeps, team: string, form: string, email: string) {
  if (masterKey.all.length === 1) return false;
  const { found } = await rowOf(sql<{ found: boolean }[]>`
    select formd.invitation_is_unsubscribed(
      p_team => ${team}, p_form => ${form}, p_email_hashes => ${hashArray(sql, addressHashes(masterKey, form, email))}) as found`);
  return found;
}

interface LetterOf {
  form: string;
  settings: ClaimedMail["settings"];
  /** Absent: the form's first one. */
  lang: string | null;
  /** Mails of the invitation with this one. */
  mails: number;
  expiresAt: Date;
  /** URLs. */
  link: string;
  unsubscribe: string;
}

/** The text of a mail. The console shows it before it is sent. */
export function invitationLetter({ config }: Pick<MailDeps, "config">, of: LetterOf) {
  const { form, settings, mails, expiresAt, link, unsubscribe } = of;
  const lang = of.lang ?? settings.languages?.[0] ?? settings.page?.language ?? "en";
  const { text, wordsLang } = invitationTextIn(lang);
  const timeZone = settings.availability?.timeZone ?? "UTC";
  const day = new Intl.DateTimeFormat(wordsLang ?? lang, { dateStyle: "long", timeZone }).format(expiresAt);
  const { host } = new URL(config.BASE_URL);
  const subject = fill(mails > 1 ? text.reminder : text.subject, { form });
  return {
    lang,
    subject,
    heading: subject,
    headingLang: wordsLang,
    parts: [
      { paragraph: fill(text.text, { form }), lang: wordsLang },
      { link, label: text.button },
      { paragraph: fill(text.until, { day }), lang: wordsLang },
    ],
    footer: [
      { paragraph: fill(text.footer, { form, host }), lang: wordsLang },
      { link: unsubscribe, label: text.unsubscribe },
    ],
  };
}

export async function writeInvitation(
  deps: MailDeps,
  team: string,
  claim: ClaimedMail,
): Promise<Mail | Dropped> {
  const { sql, masterKey, config } = deps;
  const { id, formId, formName: form, settings, subjectId } = claim;
  const row = await rowOf(sql<MailedInvitation[]>`
    select * from formd.invitation_mail_read(p_team => ${team}, p_form => ${formId}, p_id => ${subjectId})`);
  if (row.mailState !== "open") return { dropped: reasons[row.mailState] };
  const opened = await openAddress(masterKey, formId, row.sealedEmail);
  if (!opened) return { dropped: "The address was stored with another master key." };
  if (await isUnsubscribed(deps, team, formId, opened.email)) return { dropped: reasons.not_open };
  const recipientHash = row.recipientHash;
  const unsubscribe = `${config.BASE_URL}${unsubscribePath}/${unsubscribeToken(masterKey, { team, form: formId, recipientHash })}`;
  const { language: lang, mails, expiresAt } = row;
  const link = invitationLink(deps, { teamId: team, formId }, opened.token);
  const letter = invitationLetter(deps, { form, settings, lang, mails, expiresAt, link, unsubscribe });
  return { id, to: opened.email, ...letter, unsubscribe };
}
