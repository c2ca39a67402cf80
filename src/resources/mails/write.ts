/** Writes the mails of the outbox. Their content is read at the time of sending. */
import { compile } from "../../fields/compile.ts";
import { parseFields } from "../../fields/definition.ts";
import { valueText } from "../../fields/entered.ts";
import { isEmail } from "../../fields/formats.ts";
import { languageAmong } from "../../fields/languages.ts";
import type { ValueWords } from "../../fields/presentation.ts";
import { languagesIn, translated } from "../../fields/translations.ts";
import { limits } from "../../limits.ts";
import { queryText } from "../../platform/database/db.ts";
import { dayMs, hourMs, takeAddress } from "../../platform/mail/address-limit.ts";
import type { LetterPart } from "../../platform/mail/letter.tsx";
import type { Mail } from "../../platform/mail/smtp.ts";
import { settingIn } from "../forms/form-texts.ts";
import { writeInvitation } from "../invitations/mails.ts";
import { receiptQuery, signedReceipt } from "../receipts/read.ts";
import { referenceOf } from "../submit/reference.ts";
import type { ClaimedMail, Dropped, MailDeps } from "./claim.ts";
import { isOperatorMail, writeOperatorMail } from "./operator-mails.ts";
import { copyTextIn, copyTexts, noticeTexts } from "./text.ts";
import { unsubscribePath, unsubscribeToken } from "./unsubscribe.ts";

export async function writeMail(deps: MailDeps, team: string, claim: ClaimedMail): Promise<Mail | Dropped> {
  if (isOperatorMail(claim.kind)) return await writeOperatorMail(deps, team, claim.kind, claim);
  if (claim.kind === "invitation") return await writeInvitation(deps, team, claim);
  return claim.kind === "copy" ? await writeCopy(deps, team, claim) : await writeNotice(deps, team, claim);
}

const erased: Dropped = { dropped: "The submission was deleted." };

interface Submission {
  data: Record<string, unknown>;
  schema: { fields: Record<string, unknown>[] };
  hasReceipt: boolean;
  /** Tag that the page or an agent has sent. */
  language: string | null;
}

async function readSubmission({ sql }: MailDeps, team: string, { formId, subjectId }: ClaimedMail) {
  const [row] = await sql<Submission[]>`
    select s.data, v.schema, s.request_digest is not null as has_receipt, s.metadata ->> 'language' as language
    from formd.submissions s
    join formd.form_versions v on v.team_id = s.team_id and v.form_id = s.form_id and v.version = s.form_version
    where s.team_id = ${team} and s.form_id = ${formId} and s.id = ${subjectId}`;
  return row;
}

/** A submission that was deleted meanwhile raises: the next attempt drops the mail. */
async function receiptOf(deps: MailDeps, team: string, { formId, subjectId }: ClaimedMail): Promise<string> {
  const json = await queryText(deps.sql, receiptQuery(deps.sql, team, formId, subjectId ?? ""));
  return (await signedReceipt(deps, json ?? "")).note;
}

const cut = (text: string): string =>
  [...text].length > limits.mail.maxValueLength
    ? `${[...text].slice(0, limits.mail.maxValueLength).join("")}…`
    : text;

/** Omits sensitive fields: a mail passes through servers of others. */
function valuesOf({ data, schema }: Submission, { settings }: ClaimedMail, text: ValueWords): LetterPart {
  const { page, availability } = settings;
  const words = page?.askTimeZone ? text : { ...text, timeZone: availability?.timeZone };
  const fields = compile(schema).fields.filter(
    ({ id, fieldType, definition }) =>
      Object.hasOwn(data, id) && fieldType.nature !== "none" && definition.sensitive !== true,
  );
  return {
    values: fields.map((field) => ({
      label: String(field.definition.label ?? field.id),
      value: cut(valueText(field, data[field.id], words)),
    })),
  };
}

/** The day of a digest, and its time if there are several a day, in the zone of the form. */
function timeOfDigest({ createdAt, settings }: ClaimedMail, lang: string): string {
  const timeZone = settings.availability?.timeZone ?? "UTC";
  const time = settings.notify?.when === "hourly" && { timeStyle: "short" as const };
  return new Intl.DateTimeFormat(lang, { dateStyle: "long", ...time, timeZone }).format(createdAt);
}

/** The `Reply-To` of a notice; undefined: the form names none, or the value is no address. */
function replyToOf({ data, schema }: Submission, field: string | undefined): string | undefined {
  const asked = parseFields(schema).find(({ id }) => id === field);
  if (asked?.kind !== "email" || asked.definition.sensitive === true) return undefined;
  const address = Object.hasOwn(data, asked.id) ? data[asked.id] : undefined;
  return typeof address === "string" && isEmail(address) ? address : undefined;
}

async function writeNotice(deps: MailDeps, team: string, claim: ClaimedMail): Promise<Mail | Dropped> {
  const { id, kind, formId, formName: form, settings, subjectId, recipientHash, address } = claim;
  if (address === null || recipientHash === null)
    return { dropped: "The recipient has left, or was taken out." };
  const noticeText = noticeTexts[claim.language ?? settings.page?.language ?? "en"];
  const base = deps.config.BASE_URL;
  const all = `${base}/console/forms/${formId}/submissions`;
  const parts: LetterPart[] = [];
  let subject = noticeText.subject(form, referenceOf(subjectId ?? ""));
  let replyTo: string | undefined;
  if (kind === "digest") {
    subject = noticeText.digestSubject(form, claim.submissions, timeOfDigest(claim, noticeText.lang));
    parts.push({ paragraph: noticeText.digest(claim.submissions) }, { link: all, label: noticeText.showAll });
  } else {
    const submission = await readSubmission(deps, team, claim);
    if (!submission) return erased;
    if (settings.notify?.include === "values") {
      parts.push(valuesOf(submission, claim, copyTexts[noticeText.lang]));
      replyTo = replyToOf(submission, settings.notify.replyTo);
    }
    parts.push({ link: `${all}/${subjectId}`, label: noticeText.show });
  }
  const token = unsubscribeToken(deps.masterKey, { team, form: formId, recipientHash });
  const unsubscribe = `${base}${unsubscribePath}/${token}`;
  return {
    id,
    to: address,
    lang: noticeText.lang,
    subject,
    ...(replyTo && { replyTo }),
    heading: kind === "digest" ? form : noticeText.heading(form),
    parts,
    footer: [{ paragraph: noticeText.footer(form) }, { link: unsubscribe, label: noticeText.unsubscribe }],
    unsubscribe,
  };
}

/** The language of a copy: that of the page, or the one that an agent names, if the version has it. */
function languageOfCopy({ schema, language }: Submission, { settings }: ClaimedMail): string {
  return languageAmong(languagesIn(schema), [language]) ?? settings.page?.language ?? "en";
}

/** A submission with the texts of its form in a language. */
function translatedInto(lang: string, submission: Submission): Submission {
  const { schema } = submission;
  if (languagesIn(schema).indexOf(lang) < 1) return submission;
  return { ...submission, schema: { fields: schema.fields.map((field) => translated(field, lang)) } };
}

/** A text of the owner in a language, or else in the form's first one, which then is marked. */
function copyTextAt({ schema }: Submission, { settings: { copy } }: ClaimedMail, lang: string) {
  const [first] = languagesIn(schema);
  return (member: "subject" | "text"): { text: string; lang?: string | undefined } | undefined => {
    const [own, known] = [settingIn(copy, "copy", [first, lang], member), copy?.[member]];
    if (own !== undefined) return { text: own };
    return known !== undefined ? { text: known, lang: first === lang ? undefined : first } : undefined;
  };
}

async function writeCopy(deps: MailDeps, team: string, claim: ClaimedMail): Promise<Mail | Dropped> {
  const { id, formId, formName: form, subjectId, settings } = claim;
  const { copy } = settings;
  if (!copy?.field) return { dropped: "The form sends no copies any more." };
  const submission = await readSubmission(deps, team, claim);
  if (!submission) return erased;
  const { [copy.field]: to } = submission.data;
  if (typeof to !== "string" || !isEmail(to)) return { dropped: "The submission has no address." };
  const { maxCopiesPerHour, maxCopiesPerDay } = limits.mail;
  const isFree =
    claim.attempt > 1 ||
    ((await takeAddress(deps, `copy:${formId}`, to, maxCopiesPerHour, hourMs)) &&
      (await takeAddress(deps, "copy", to, maxCopiesPerDay, dayMs)));
  if (!isFree) return { dropped: "The address has had too many copies." };
  const lang = languageOfCopy(submission, claim);
  const text = copyTextIn(lang);
  const own = copyTextAt(submission, claim, lang);
  const [subject, body] = [own("subject"), own("text")];
  const reference = referenceOf(subjectId ?? "");
  const receipt = copy.receipt && submission.hasReceipt && (await receiptOf(deps, team, claim));
  return {
    id,
    to,
    lang,
    subject: subject ? `${subject.text} (${reference})` : text.subject(form, reference),
    heading: subject?.text ?? text.heading,
    headingLang: subject ? subject.lang : text.wordsLang,
    parts: [
      body ? { paragraph: body.text, lang: body.lang } : { paragraph: text.text(form), lang: text.wordsLang },
      ...(copy.include === "values" ? [valuesOf(translatedInto(lang, submission), claim, text)] : []),
      { paragraph: `${text.reference}: ${reference}`, lang: text.wordsLang },
    ],
    footer: [{ paragraph: text.footer(form, new URL(deps.config.BASE_URL).host), lang: text.wordsLang }],
    ...(receipt && { attachment: { filename: `${text.receipt}-${subjectId}.txt`, content: receipt } }),
  };
}
