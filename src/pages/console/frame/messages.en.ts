/** Messages of the server's problems, in English: mostly in the words of the API. */
import { nameOfLanguage } from "../../../fields/languages.ts";
import { type InvitationFault, type Messages, messages } from "../../../messages.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { noAddress } from "../../ui/error-page.tsx";
import type { Words } from "../../ui/words.ts";

export const enteredEnglish = {
  /** Noun for an entered value, by the value's name in the request. */
  entered: {
    name: "The name",
    url: "The address",
    q: "The search",
  },
  other: "What you entered",
  tooLong: (entered: string, max: number) => `${entered} may have at most ${max} characters.`,
  noId: "An id is letters and digits such as 01a204aa-9c1e-7b61-8b2f-5d7a2a1c9f10.",
  /** Sentence with the expected value, by the value's name in the request. */
  asked: {
    after: "Enter a day such as 2026-11-20.",
    before: "Enter a day such as 2026-11-20.",
    timeZone: "Enter a time zone such as Europe/Berlin.",
  },
};

/**
 * Sentence about an entered value that does not have the expected shape.
 * @returns undefined for values that a person cannot have entered
 */
export function enteredText(
  { path, limit, expected }: Parameters<Messages["wrong_shape"]>[0],
  { entered, other, tooLong, asked, noId }: Words<typeof enteredEnglish>,
): string | undefined {
  const find = (words: Readonly<Record<string, string>>) =>
    Object.hasOwn(words, path) ? words[path] : undefined;
  if (!/^\w+$/.test(path)) return undefined;
  if (limit !== undefined) return tooLong(find(entered) ?? other, limit);
  return find(asked) ?? (expected.startsWith(Uuid.description) ? noId : undefined);
}

const number = (count: number): string => count.toLocaleString("en");

const tooMuch = () => "This form has become too large. Remove something, or divide it into two forms.";

const questionGone = "This question was removed meanwhile.";

const invitationFaults: Readonly<Record<InvitationFault, string>> = {
  email: "Enter an e-mail address such as ada@example.org",
  field: "Only questions that a link may fill in take a value",
  language: "The form does not have this language",
  late: "It expires too far in the future",
  member: "It has an unknown member",
  past: "It has to expire in the future",
  respondent: "There is no such respondent",
  size: "The values are too large",
  value: "A value does not fit its question",
};

/** Messages that differ from the API's, which name things that a person has not seen. */
export const messagesEnglish: Messages = {
  ...messages,
  address_https_only: ({ address }) => `The address ${address} is allowed with https only.`,
  address_not_public: ({ address }) =>
    `The address ${address} is not public. The person who runs this server can allow it (OUTGOING_ALLOWED_NETWORKS).`,
  address_taken: ({ address }) => `"${address}" is the address of another form. Choose another one.`,
  agent_unnamed: "An agent needs a name.",
  availability_invalid: () => "Enter when the form opens and closes, each as a day and a time.",
  body_too_large: ({ max }) =>
    `At most ${number(Math.floor(max / 1_000))} KB can be sent at once. Go back, and choose a smaller file or enter less.`,
  connection_changed_in_terminal:
    "Only the person who runs this server can change a connection of the whole installation.",
  connection_made_in_terminal:
    "Only the person who runs this server can create a connection of the whole installation.",
  connection_removed_in_terminal:
    "Only the person who runs this server can remove a connection of the whole installation.",
  copy_question_missing: () =>
    "Copies go to the answer of a question for an e-mail address. Choose such a question under “E-mail”.",
  reply_question_missing: () =>
    "Replies to notices go to the answer of a question for an e-mail address that is not sensitive. Choose such a question under “E-mail”.",
  draft_changed:
    "The draft has been changed since you opened this page. Look at the changes again, then publish.",
  email_unknown: "There is no person with this e-mail address.",
  email_without_role: "No one with this e-mail address has a role in this workspace.",
  expiry_past: "The expiry must be in the future.",
  field_id_fixed: () =>
    "The name of a question for programs cannot change. Remove the question and add another one.",
  field_id_taken: ({ id }) => `There is already a question that programs know as “${id}”.`,
  field_ids_equal: ({ id }) => `Two questions have the same name for programs: “${id}”.`,
  field_missing: () => questionGone,
  file_member_not_kept: ({ member }) =>
    `The file has “${member}”, which belongs to one server only. Remove it from the file.`,
  file_of_no_form:
    "This is not a file of a formd form. Forms of other tools are read under “New form”, “From another tool or a file”.",
  file_switch_twice: ({ kept, other }) =>
    `The file has the settings “${kept}” and “${other}”, which are one. Remove “${other}”.`,
  file_value_not_storable: ({ path }) => `The file has a value at “${path}” that cannot be stored.`,
  form_changed: "The form was changed since you opened this page.",
  form_takes_files: ({ field, label }) =>
    `The question “${label || field}” takes files, but this server stores none. Ask the person who runs it to set up file storage (FILES_URL).`,
  form_unnamed: () => "A form needs a name.",
  invitation_form_changed: "The form was published while the invitations were checked. Send them again.",
  invitation_invalid: ({ index, fault, field }) =>
    `Invitation ${index + 1}: ${invitationFaults[fault]}${field === undefined ? "" : ` (${field})`}.`,
  issuer_not_plain: "The address of the provider must not contain a user name, password, ? or #.",
  last_team_admin: "The team would have no admin. Make another person an admin first.",
  last_workspace_admin: "The workspace would have no admin. Make another person an admin first.",
  links_need_key:
    "Links by which people continue or change the form need a master key, which this server lacks. Ask the person who runs it to set one (FORMD_SECRET_KEY).",
  language_repeated: ({ tag }) => `The list of languages has ${nameOfLanguage(tag, "en")} twice.`,
  language_undeclared: ({ language }) =>
    `There are texts in ${nameOfLanguage(language, "en")}, which is not a language of this form. No page shows them.`,
  language_unknown: ({ tag }) => `“${tag}” is not a language.`,
  lists_too_large: tooMuch,
  month_detached:
    "Submissions of a month cannot be found right now. The administrator of the database must drop the month or attach it again first.",
  link_used:
    "This link has expired or has been used. If you have just used it yourself, sign in. If not, ask the person who sent it for a new one.",
  mail_off: "E-mail is not set up on this server (SMTP_URL).",
  no_operation: "At least one is needed.",
  not_json: (values) => messages.not_json(values).replace("The body", "The file"),
  not_unicode: "The file is not text (UTF-8), and no Excel file (.xlsx).",
  not_pending: () => "This submission has already been reviewed.",
  operator_elsewhere:
    "This person also has a role where you are not an admin. Ask the person who runs this server for the link (formd operator reset-link).",
  operator_exists: "This server is already set up.",
  operator_missing: "There is no such person.",
  operator_without_password: "This person signs in at an identity provider and has no password here.",
  no_known_form: ({ kinds }) => `This is not a form that can be read here. These can be: ${kinds}.`,
  opens_after_closing: () => "The form must open before it closes.",
  option_full: "One of the chosen options is full.",
  page_too_large: ({ total, max, field, label }) =>
    `The page of the form would have ${number(total)} inputs and options, and at most ${number(max)} are allowed. Most of them belong to the question “${label || field}”.`,
  page_language_ignored: () => "The page’s own language has no effect: the languages of the form decide.",
  prefill_takes_language:
    "The question “lang” takes its answer from the link, where “lang” is the language of the page. Give it another ID.",
  previous_field_missing: () =>
    "The question before the new one was removed meanwhile. Add it again, and it becomes the last one.",
  provider_not_found: ({ reason }) => `The identity provider was not found: ${reason}`,
  public_key_invalid: () =>
    "This is not an Ed25519 or P-256 public key. It begins with -----BEGIN PUBLIC KEY-----.",
  question_missing: questionGone,
  respondent_named_twice: "Choose either a person or the one that the identity provider names.",
  route_missing: noAddress,
  schema_too_large: tooMuch,
  sent_settings_too_large: ({ maxKiB }) => `At most ${maxKiB} KiB in one request.`,
  settings_too_large: tooMuch,
  submission_changed: "The submission was changed since you opened this page.",
  entries_changed: "What opens this account has changed meanwhile. Look at the list, and accept again.",
  team_without_passwords:
    "This team does not accept passwords for your address. Sign in with its connection.",
  texts_missing: ({ language, translated, total }) =>
    `${nameOfLanguage(language, "en")}: ${number(translated)} of ${number(total)} texts are translated. The others appear in the first language.`,
  translation_invalid: ({ path }) => `The text “${path}” is not valid.`,
  translation_long: ({ path, max }) => `The text “${path}” may have at most ${number(max)} characters.`,
  translation_unknown: ({ path }) => `“${path}” is not a text of this form.`,
  translation_unused: ({ isFirst }) =>
    isFirst
      ? "No page shows a translation into the first language."
      : "No page shows a translation of a text that the first language does not have. Add that text.",
  text_not_storable: "A value contains a character that cannot be stored.",
  too_many_addresses: ({ max }) =>
    `Your team has ${max} short addresses and can have no more. Give one up on the Share tab of another form.`,
  too_many_fields: ({ max }) => `A form has at most ${max} questions.`,
  too_many_operations: ({ max }) => `At most ${max} in one request.`,
  too_many_settings: ({ max }) => `At most ${max} values in one request.`,
  unsubscribe_link_unknown: "This link does not belong to this server.",
  url_not_https: () =>
    "The address must begin with https://. The person who runs this server can allow http:// (OUTGOING_ALLOWED_NETWORKS).",
  url_too_long: ({ max }) => enteredEnglish.tooLong(enteredEnglish.entered.url, max),
  url_with_fragment: "The address must not contain #.",
  url_with_user: "The address must not contain a user name or password.",
  workbook_too_large: ({ max, part }) => `The Excel file has more than ${number(max)} ${part}.`,
  workbook_unreadable: "The file is not an Excel file (.xlsx), or it is damaged or encrypted.",
  workbook_with_declarations:
    "The Excel file has XML declarations, comments or CDATA, and is not read. Save it again with Excel.",
  wrong_shape: (values) => enteredText(values, enteredEnglish) ?? messages.wrong_shape(values),
};
