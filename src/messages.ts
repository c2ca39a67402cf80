/** Messages of problems by key. The console's words for them: pages/console/frame/messages. */

/** The operation of a patch that a message is about. Most messages have none. */
type OfOperation<Values> = Values & { operation?: number };

const inOperation = ({ operation }: { operation?: number }, sentence: string): string =>
  operation === undefined ? sentence : `operations[${operation}]: ${sentence}`;

/** PostgreSQL accepts only smaller offsets. */
const offsetLimitHours = 16;

const number = (count: number): string => count.toLocaleString("en");

const neededRoles = {
  viewer: "a role",
  editor: "the role of admin or editor",
  admin: "the role of admin",
};

/** The role that an action requires. */
export type NeededRole = keyof typeof neededRoles;

/** Position in a text that is not JSON. Without a character: the text ends there; line 0: it is empty. */
interface JsonFault {
  line?: number;
  column?: number;
  character?: string;
}

/** Parts of a workbook whose number is limited. */
export type WorkbookPart =
  | "sheets"
  | "rows"
  | "characters"
  | "characters in a cell"
  | "parts"
  | "tags"
  | "unpacked bytes";

type MissingRole = { needed: NeededRole; workspaces: string[]; hasMore: boolean };

/** Names an address: of a webhook, or of an identity provider. */
export type UrlMember = "url" | "issuer";

const invitationFaults = {
  email: "email must be an address such as ada@example.org",
  field: "values may have fields with prefill: true only",
  language: "language must be one of the form's",
  late: "expiresAt is too far away",
  member: "it has an unknown member",
  past: "expiresAt must be in the future",
  respondent: "there is no such respondent",
  size: "values are too large",
  value: "values has one that breaks the rules of its field",
};

/** Reason why an invitation of a list cannot be made. */
export type InvitationFault = keyof typeof invitationFaults;

export const messages = {
  access_key_missing: "There is no such access key.",
  account_exists: "This address has an account: sign in with it, then open the link again.",
  address_https_only: ({ member, address }: { member: UrlMember; address: string }) =>
    `${member}: The address ${address} may be reached by https only, since it is not in OUTGOING_ALLOWED_NETWORKS.`,
  address_not_public: ({ member, address }: { member: UrlMember; address: string }) =>
    `${member}: The address ${address} is not public, and not in OUTGOING_ALLOWED_NETWORKS.`,
  address_taken: ({ address }: { address: string }) =>
    `settings.page.alias: ${JSON.stringify(address)} is the address of another form.`,
  admin_required: "This needs the role of admin in the workspace.",
  agent_elsewhere: "The form is in another workspace than the agent.",
  agent_missing: "There is no such agent.",
  agent_of_operator:
    "The agent has a grant with agent:submit or a respondent: an operator must sign in at /console/login and make this request.",
  agent_revoked: "The agent is revoked; this cannot be undone.",
  agent_unnamed: "name: an agent needs a name that is not blank.",
  api_key_missing: "There is no such API key.",
  archived_form_closed: "The form is archived; it takes no submissions.",
  availability_invalid: (values: OfOperation<object>) =>
    inOperation(
      values,
      `settings.availability: opensAt and closesAt must be instants with an offset below ${offsetLimitHours} hours.`,
    ),
  binding_loosened_by_operator: "A binding is loosened by an operator, not by an API key.",
  body_too_large: ({ max }: { max: number }) => `The body may have at most ${max} bytes.`,
  changes_alone: "changes: It needs order=oldest, and takes no filters.",
  changes_expired: "The changes since this cursor are no longer kept: read the list anew, without a cursor.",
  connection_changed_in_terminal: "A connection of the installation is changed in a terminal.",
  connection_made_in_terminal: "A connection of the installation is made in a terminal.",
  connection_missing: "There is no such connection.",
  connection_removed_in_terminal: "A connection of the installation is removed in a terminal.",
  connection_unnamed: "A connection needs a name and a domain.",
  copy_question_missing: ({ field }: { field: string }) =>
    `The form cannot be published: copies are mailed to ${JSON.stringify(field)} (copy.field), and no field of type email has this id.`,
  cursor_invalid:
    "cursor: It is damaged, or of another list, other filters or another order: send the parameters of the page that it is from.",
  cursor_with_page:
    "page: A list that is read by a cursor, or oldest first, has no pages: send cursor alone.",
  reply_question_missing: ({ field }: { field: string }) =>
    `The form cannot be published: answers to notices go to ${JSON.stringify(field)} (notify.replyTo), and no field of type email that is not sensitive has this id.`,
  credentials_wrong: "The e-mail or the password is wrong.",
  delivery_missing: "There is no such delivery.",
  current_password_wrong: "The current password is wrong.",
  draft_changed: "The draft was changed while it was being checked; publish again.",
  email_invalid: "The e-mail must be an address such as ada@example.org.",
  email_unknown: "There is no operator with this e-mail.",
  email_without_role: "No operator with this e-mail has a role in this workspace.",
  event_missing: "There is no such event for this webhook.",
  expiry_past: "expiresAt must be in the future.",
  field_id_fixed: (values: OfOperation<object>) =>
    inOperation(values, "the id of a field cannot change; remove the field and add another."),
  field_id_taken: ({ id, ...values }: OfOperation<{ id: string }>) =>
    inOperation(values, `a field with the id ${JSON.stringify(id)} exists.`),
  field_ids_equal: ({ id }: { id: string }) => `schema.fields: two fields have the id ${JSON.stringify(id)}.`,
  field_missing: ({ id, ...values }: OfOperation<{ id: string }>) =>
    inOperation(values, `no field has the id ${JSON.stringify(id)}.`),
  file_infected: "The file had malware in it, and is deleted.",
  file_missing: "The submission has no such file.",
  file_format_unknown: ({ format, known }: { format: string; known: string }) =>
    `The file has the format ${JSON.stringify(format)}. This server reads ${JSON.stringify(known)}.`,
  file_member_not_kept: ({ member }: { member: string }) =>
    `${member} belongs to an installation, and no file has it: remove it.`,
  file_member_twice: ({ name, line }: { name: string; line: number }) =>
    `The member ${JSON.stringify(name)} occurs twice in one object, in line ${line}.`,
  file_of_no_form: "This is not a file of a formd form.",
  file_switch_twice: ({ kept, other }: { kept: string; other: string }) =>
    `settings.${kept} and settings.${other} are two names of one switch: keep ${kept}.`,
  file_value_not_storable: ({ message }: { path: string; message: string }) => message,
  file_not_scanned: "The file is not scanned for malware yet.",
  files_off: "This server stores no files.",
  foreign_form: "This form does not come from a page of this server. Reload it and try again.",
  form_archived: "The form is archived; restore it first.",
  form_changed: "The form was changed since expectedUpdatedAt.",
  form_elsewhere: "The form is in another workspace.",
  form_missing: "There is no such form.",
  form_not_published: "The form is not published; publish it first.",
  form_takes_files: ({ field }: { field: string; label: string }) =>
    `The form cannot be published: ${field} takes files, and this server stores none. FILES_URL says where.`,
  form_unnamed: (values: OfOperation<object>) =>
    values.operation === undefined
      ? "name: a form needs a name that is not blank."
      : inOperation(values, "a form needs a name that is not blank."),
  grant_missing: "There is no such grant.",
  held_already: "It is held already.",
  hold_missing: "There is no such hold.",
  hold_without_reason: "A hold needs a reason.",
  invitation_form_changed: "The form was published while its invitations were checked; send them again.",
  invitation_invalid: ({
    index,
    fault,
    field,
  }: {
    index: number;
    fault: InvitationFault;
    field?: string | undefined;
  }) => `invitations[${index}]: ${invitationFaults[fault]}${field === undefined ? "" : ` (${field})`}.`,
  invitation_missing: "There is no such invitation.",
  invitation_page_off:
    "The form is not published, or has no page: the links of its invitations lead nowhere.",
  invitation_of_another: "This invitation is for an account with another address, or with a password.",
  issuer_not_plain: "issuer: it must be without user, query and fragment.",
  key_missing: "There is no such key.",
  key_of_another_agent: "The key is registered for another agent.",
  key_revoked: "The key was revoked; make a new one.",
  last_team_admin: "The team would have no admin; make another operator an admin first.",
  last_workspace_admin: "The workspace would have no admin; make another operator an admin first.",
  link_expired:
    "This link has expired or has been used. While there is no account, each start of the server prints a new one.",
  link_used: "This link has expired or has been used. Ask the person who sent it for a new one.",
  links_need_key:
    "The form cannot be published: links of respondents need a master key. FORMD_SECRET_KEY has it.",
  language_repeated: ({ tag }: { tag: string }) => `The language ${JSON.stringify(tag)} stands twice.`,
  language_undeclared: ({ language, near }: { language: string; near: string | undefined }) =>
    `There are texts in ${JSON.stringify(language)}, which is not among the languages of the form: ${near === undefined ? "nothing shows them" : `is ${JSON.stringify(near)} meant?`}`,
  language_unknown: ({ tag }: { tag: string }) => `${JSON.stringify(tag)} is no language (BCP 47).`,
  lists_too_large: ({ maxKiB }: { maxKiB: number }) =>
    `With the lists that its fields name written out, a form's schema has at most ${maxKiB} KiB.`,
  mail_missing: "There is no such mail.",
  mail_off: "The server sends no mail: SMTP_URL or its master key is not set.",
  master_key_missing: ({ fingerprint }: { fingerprint: string }) =>
    `This needs the master key ${fingerprint}, which this server was started without.`,
  month_detached:
    "A month of submissions is detached, and they cannot all be found: an administrator of the database must drop or attach it first (formd partition list).",
  no_operation: "operations: at least one is needed.",
  no_role_in_team: "You have no role in this team.",
  no_role_in_workspace: ({ needed }: { needed: NeededRole }) =>
    `This needs ${neededRoles[needed]} in a workspace in which you have none.`,
  not_json: ({ line, column, character }: JsonFault) => {
    if (!line) return `The body is not JSON${line === 0 ? ": it is empty" : ""}.`;
    const fault =
      character === undefined ? "it ends too early," : `${JSON.stringify(character)} is unexpected`;
    return `The body is not JSON: ${fault} at line ${line}, column ${column}.`;
  },
  not_unicode: "The body is not UTF-8.",
  not_pending: ({ status }: { status: string }) => `The submission is ${status}, not pending.`,
  operator_elsewhere:
    "This person has a role where you are no admin. A link for the account is made in a terminal of the installation: formd operator reset-link.",
  operator_exists: "There is an operator already.",
  operator_missing: "There is no such operator.",
  operator_without_password: "An identity provider vouches for this person: there is no password.",
  no_known_form: ({ kind, kinds }: { kind: string; kinds: string }) =>
    `The document is not a form of ${kind === "" ? "a known kind" : `the kind ${kind}`}. The kinds are ${kinds}.`,
  opens_after_closing: (values: OfOperation<object>) =>
    inOperation(values, "settings.availability: opensAt must be before closesAt."),
  option_full: "An option that the edit chooses is full.",
  order_unknown:
    "order: This server reads a logical copy, whose order is not known: ask one that reads the primary.",
  page_too_large: ({ total, max, field }: { total: number; max: number; field: string; label: string }) =>
    `The form cannot be published: its page would have ${number(total)} controls and options, and at most ${number(max)} are allowed. The field ${field} has most of them.`,
  passkey_known: "This passkey is registered already.",
  passkey_missing: "There is no such passkey.",
  passkey_not_accepted: "The passkey was not accepted.",
  passkey_not_made: "The browser's passkey was not accepted. Try again.",
  passkey_too_late: "This took too long, or was sent twice. Start again.",
  passkey_unnamed: "A passkey needs a name.",
  password_common: "This is one of the most common passwords, which are tried first. Choose another one.",
  password_is_email: "The password must not be the e-mail address or a part of it.",
  password_monotonous: ({ min }: { min: number }) =>
    `The password must have at least ${min} different characters.`,
  password_too_long: ({ max }: { max: number }) => `The password must have at most ${max} characters.`,
  password_too_short: ({ min }: { min: number }) => `The password must have at least ${min} characters.`,
  person_required: "A person does this: an operator who is signed in.",
  prefill_takes_language:
    'The form cannot be published: "lang" in its address is the language of the page. The field lang needs another id, or no "prefill".',
  change_refused: "The link takes no change of the submission now.",
  previous_field_missing: ({ id, ...values }: OfOperation<{ id: string }>) =>
    inOperation(values, `afterFieldId: no field has the id ${JSON.stringify(id)}.`),
  provider_not_found: ({ reason }: { reason: string }) =>
    `issuer: the identity provider was not found: ${reason}`,
  public_key_invalid: ({ expected }: { expected: string }) => `publicKeyPem must be ${expected}.`,
  question_missing: "The form has no such question.",
  page_language_ignored: ({ first }: { first: string }) =>
    `settings.page.language has no effect: the form's first language is ${first}.`,
  question_needed: "Add a question first.",
  reader_scope_missing: ({ need }: { need: string }) =>
    `The API key lacks the scope submissions:read, ${need}.`,
  receipt_deleted: "The submission was deleted, and what its receipt was made of with it.",
  receipt_missing: "The submission came in no request, and has no receipt.",
  respondent_bound_by_operator: "A respondent is bound by an operator, not by an API key.",
  respondent_named_twice: "A grant names a respondent, or takes the asserted one.",
  role_missing: ({ needed, workspaces, hasMore }: MissingRole) =>
    `This needs ${neededRoles[needed]} in every workspace of the team. It is missing in ${workspaces.map((name) => `"${name}"`).join(", ")}${hasMore ? " and others" : ""}.`,
  role_too_low: ({ needed, workspace, own }: { needed: NeededRole; workspace: string; own: NeededRole }) =>
    `This needs ${neededRoles[needed]} in the workspace "${workspace}". You have that of ${own} there.`,
  route_missing: "There is no such route.",
  same_team: "You work in this team already.",
  schema_too_large: ({ maxKiB }: { maxKiB: number }) => `A form's schema has at most ${maxKiB} KiB.`,
  sent_settings_too_large: ({ maxKiB }: { maxKiB: number }) =>
    `settings: at most ${maxKiB} KiB in one request.`,
  session_ended: "The session has ended.",
  settings_too_large: ({ maxKiB }: { maxKiB: number }) => `A form's settings have at most ${maxKiB} KiB.`,
  sign_in_failed: "The sign-in did not succeed.",
  signed_out: "You are not signed in.",
  submission_changed: "The submission was changed since expectedUpdatedAt.",
  submission_held: "The submission is held. An admin of the workspace can release it.",
  submission_missing: "There is no such submission.",
  submit_granted_by_operator: "agent:submit is granted by an operator, not by an API key.",
  team_missing: "There is no such team.",
  team_unnamed: "A team and a workspace need a name.",
  entries_changed: "What opens this account has changed meanwhile. Look at the list, and accept again.",
  team_without_passwords: "This team takes no passwords of your address: sign in by its connection.",
  texts_missing: ({ language, translated, total }: { language: string; translated: number; total: number }) =>
    `${language}: ${translated} of ${total} texts.`,
  uploads_missing: "An upload is no longer there.",
  translation_invalid: ({ path }: { path: string }) => `${path} is no text that this setting may have.`,
  translation_long: ({ path, max }: { path: string; max: number }) =>
    `${path} may have at most ${max} characters.`,
  translation_unknown: ({
    path,
    near,
    known,
  }: {
    path: string;
    near: string | undefined;
    known: readonly string[];
  }) =>
    `${path} is unknown: ${near === undefined ? `the known ones are ${known.join(", ")}.` : `is ${JSON.stringify(near)} meant?`}`,
  translation_unused: ({ path, isFirst }: { path: string; isFirst: boolean }) =>
    `${path} is never shown: ${isFirst ? "the texts in the first language are those beside translations." : "the form has no such text in its first language."}`,
  text_not_storable: "A field has U+0000, which cannot be stored.",
  too_many_addresses: ({ max }: { max: number }) =>
    `settings.page.alias: at most ${max} forms of a team have one.`,
  too_many_connections: ({ max }: { max: number }) =>
    `There are ${max} connections already. Remove one first.`,
  too_many_fields: ({ max }: { max: number }) => `A form has at most ${max} fields.`,
  too_many_invitations: ({ max }: { max: number }) =>
    `A form has at most ${number(max)} invitations. Those that have expired are purged in the end.`,
  too_many_operations: ({ max }: { max: number }) => `operations: at most ${max} in one request.`,
  too_many_passkeys: ({ max }: { max: number }) => `There are ${max} passkeys already. Remove one first.`,
  too_many_reviews: ({ max }: { max: number }) => `At most ${max} submissions are reviewed at once.`,
  too_many_sent_fields: ({ max }: { max: number }) => `A form may have at most ${max} fields.`,
  too_many_settings: ({ max }: { max: number }) => `settings: at most ${max} values in one request.`,
  too_many_signing_keys: ({ max }: { max: number }) =>
    `An agent has at most ${max} active keys; revoke one first.`,
  too_many_webhooks: ({ max }: { max: number }) => `A workspace has at most ${max} webhooks.`,
  unsubscribe_link_unknown: "This link is not one of this server.",
  url_not_https: ({ member }: { member: UrlMember }) =>
    `${member}: it must be an https URL, or http to an address in OUTGOING_ALLOWED_NETWORKS.`,
  url_too_long: ({ max }: { max: number }) => `url: it must have at most ${max} characters.`,
  url_with_fragment: "url: it must not contain a fragment.",
  url_with_user: "url: it must not contain a user or password.",
  version_changed: ({ expected, current }: { expected: number; current: number }) =>
    `expectedVersion is ${expected}, the form's currentVersion is ${current}.`,
  version_missing: ({ version }: { version: number }) => `The form has no version ${version}.`,
  webhook_missing: "There is no such webhook.",
  workbook_too_large: ({ max, part }: { max: number; part: WorkbookPart }) =>
    `A workbook with more than ${number(max)} ${part} is not read.`,
  workbook_unreadable: "The file is not a workbook (.xlsx), or it is damaged or encrypted.",
  workbook_with_declarations: "A workbook with declarations, comments or CDATA is not read.",
  workspace_missing: "There is no such workspace.",
  workspace_unnamed: "A workspace needs a name.",
  /** A value that does not have its shape: path, arktype's name of the rule, and what the rule requires. */
  wrong_shape: ({
    path,
    rule,
    expected,
  }: {
    path: string;
    rule: string;
    limit?: number;
    expected: string;
  }) => (rule === "required" ? `${path} is missing: it takes ${expected}.` : `${path} must be ${expected}.`),
};

export type MessageKey = keyof typeof messages;

/** A language's table of messages, with the keys and values of another table. */
export type SentencesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends (values: infer Values) => string
    ? (values: Values) => string
    : string;
};

export type Messages = SentencesOf<typeof messages>;

/** The values of a message, as the arguments after its key. */
export type ValuesOf<Words> = Words extends (values: infer Values) => string ? [values: Values] : [];

/** A message by its key, with its values. */
export interface Said<Key extends string = MessageKey> {
  key: Key;
  values?: unknown;
}

/** Formats a message with the words of a table. */
export function sentenceIn<Key extends string>(
  table: Readonly<Record<Key, string | ((values: never) => string)>>,
  { key, values }: Said<Key>,
): string {
  const words = table[key];
  return typeof words === "function" ? words((values ?? {}) as never) : words;
}

/** The message of a problem, as its options. */
export function say<Key extends MessageKey>(key: Key, ...[values]: ValuesOf<Messages[Key]>) {
  const said: Said = { key, values };
  return { message: sentenceIn(messages, said), said };
}
