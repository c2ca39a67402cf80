/** Messages of the server's problems, in German. */
import { nameOfLanguage } from "../../../fields/languages.ts";
import type { InvitationFault, Messages, WorkbookPart } from "../../../messages.ts";
import type { ProblemCode } from "../../../problem.ts";
import type { Words } from "../../ui/words.ts";
import { type enteredEnglish, enteredText } from "./messages.en.ts";

/** Sentence of each code, for people. */
const invitationFaults: Readonly<Record<InvitationFault, string>> = {
  email: "Die E-Mail-Adresse ist ungültig",
  field: "Vorausgefüllt werden nur Fragen, bei denen das erlaubt ist",
  language: "Das Formular hat diese Sprache nicht",
  late: "Der Ablauf liegt zu weit in der Zukunft",
  member: "Sie hat eine unbekannte Angabe",
  past: "Der Ablauf muss in der Zukunft liegen",
  respondent: "Diese befragte Person gibt es nicht",
  size: "Die Werte sind zu groß",
  value: "Ein Wert passt nicht zu den Regeln der Frage",
};

export const codesGerman: Readonly<Record<ProblemCode, string>> = {
  bad_request: "Diese Anfrage ist hier nicht gültig.",
  invalid_body:
    "Die Daten haben nicht das erwartete Format. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
  no_checkable_field: "Das Formular hat kein Feld mit einer Regel, nach der gefragt werden kann.",
  unauthorized: "Sie sind nicht angemeldet.",
  agent_inactive: "Der Agent ist deaktiviert oder widerrufen.",
  agent_required: "Das ist nur für Agenten möglich.",
  anonymous_not_allowed: "Dieses Formular dürfen nur Programme ausfüllen.",
  binding_required: "Die Freigabe verlangt eine bestimmte Person, und es ist keine angegeben.",
  captcha_failed: "Die Sicherheitsprüfung hat nicht geklappt. Versuchen Sie es noch einmal.",
  captcha_required: "Dieses Formular verlangt ein CAPTCHA.",
  challenge_expired: "Die Sicherheitsprüfung ist abgelaufen. Versuchen Sie es noch einmal.",
  challenge_failed: "Die Sicherheitsprüfung hat nicht geklappt. Versuchen Sie es noch einmal.",
  challenge_required: "Dieses Formular verlangt eine Prüfung.",
  csrf_rejected:
    "Das wurde nicht von einer Seite dieses Servers gesendet. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
  declared_agent_refused: "Die Seite des Formulars ist für Menschen. Ein Agent sendet durch die API.",
  form_closed: "Das Formular nimmt zurzeit keine Einsendungen an.",
  form_not_published: "Das Formular ist nicht veröffentlicht.",
  insufficient_workspace_role: "Ihre Rolle in diesem Arbeitsbereich erlaubt das nicht.",
  missing_scope: "Dafür fehlt die Berechtigung.",
  no_grant: "Der Agent hat keine Freigabe für dieses Formular.",
  passkey_required: "Dafür brauchen Sie Ihren Passkey.",
  password_required: "Dafür brauchen Sie noch einmal Ihr Passwort.",
  partial_not_allowed: "Unvollständige Einsendungen sind hier nicht erlaubt.",
  respondent_binding_requires_session: "Das können nur angemeldete Personen.",
  respondent_not_assigned: "Die Freigabe gilt für eine andere Person.",
  signature_required: "Dafür ist eine signierte Anfrage nötig.",
  storage_full: "Für die Dateien des Teams ist kein Platz mehr.",
  submit_not_grantable_by_api_key: "Das können nur angemeldete Personen freigeben.",
  tenant_mismatch: "Das gehört zu einem anderen Team.",
  workspace_mismatch: "Das Formular gehört zu einem anderen Arbeitsbereich als der Agent.",
  not_found: "Das gibt es nicht oder nicht mehr.",
  method_not_allowed: "Diese Adresse lässt sich nur lesen.",
  conflict: "Das wurde in der Zwischenzeit geändert.",
  held: "Die Einsendung hat eine Löschsperre: Sie und ihre Dateien können nicht gelöscht werden.",
  cursor_expired: "Diese Änderungen sind nicht mehr gespeichert. Lesen Sie die Liste neu.",
  gone: "Das wurde gelöscht.",
  payload_too_large: "Das ist größer, als dieser Server annimmt.",
  invalid_content_type: "Diese Art von Inhalt nimmt der Server nicht an.",
  idempotency_key_reused: "Das wurde schon mit anderem Inhalt gesendet.",
  validation_failed: "Die Angaben entsprechen nicht den Regeln des Formulars.",
  rate_limited: "Das waren zu viele Anfragen. Bitte warten Sie einen Augenblick.",
  internal_error:
    "Auf dem Server ist ein Fehler aufgetreten. Mit der Nummer der Anfrage findet ihn der Betreiber im Protokoll.",
  captcha_unavailable: "Die Sicherheitsprüfung ist gerade nicht verfügbar. Versuchen Sie es später.",
  unavailable: "Der Server erreicht seine Datenbank gerade nicht.",
};

export const enteredGerman: Words<typeof enteredEnglish> = {
  entered: {
    name: "Der Name",
    url: "Die Adresse",
    q: "Die Suche",
  },
  other: "Die Angabe",
  tooLong: (entered, max) => `${entered} darf höchstens ${max} Zeichen haben.`,
  noId: "Eine Id besteht aus Buchstaben und Ziffern wie 01a204aa-9c1e-7b61-8b2f-5d7a2a1c9f10.",
  asked: {
    after: "Geben Sie einen Tag wie 2026-11-20 ein.",
    before: "Geben Sie einen Tag wie 2026-11-20 ein.",
    timeZone: "Geben Sie eine Zeitzone wie Europe/Berlin ein.",
  },
};

const rolesNeeded = {
  viewer: "eine Rolle",
  editor: "die Rolle Admin oder Bearbeiten",
  admin: "die Rolle Admin",
};
const roleNames = { admin: "Admin", editor: "Bearbeiten", viewer: "Lesen" };

const number = (count: number): string => count.toLocaleString("de");

const workbookParts: Readonly<Record<WorkbookPart, string>> = {
  sheets: "Blätter",
  rows: "Zeilen",
  characters: "Zeichen",
  "characters in a cell": "Zeichen in einer Zelle",
  parts: "Teile",
  tags: "XML-Tags",
  "unpacked bytes": "ausgepackte Bytes",
};

const tooMuch = () =>
  "Das Formular ist zu groß geworden. Entfernen Sie etwas, oder machen Sie zwei Formulare daraus.";

const questionGone = "Diese Frage wurde inzwischen entfernt.";

export const messagesGerman: Messages = {
  access_key_missing: "Diesen Zugriffsschlüssel gibt es nicht.",
  account_exists:
    "Zu dieser Adresse gibt es ein Konto. Melden Sie sich damit an, und öffnen Sie den Link dann noch einmal.",
  address_https_only: ({ address }) => `Die Adresse ${address} ist nur über https erlaubt.`,
  address_not_public: ({ address }) =>
    `Die Adresse ${address} ist nicht öffentlich. Der Betreiber des Servers kann sie erlauben (OUTGOING_ALLOWED_NETWORKS).`,
  address_taken: ({ address }) =>
    `„${address}“ ist die Adresse eines anderen Formulars. Wählen Sie eine andere.`,
  admin_required: "Dafür müssen Sie im Arbeitsbereich Admin sein.",
  agent_elsewhere: "Das Formular gehört zu einem anderen Arbeitsbereich als der Agent.",
  agent_missing: "Diesen Agenten gibt es nicht.",
  agent_of_operator: codesGerman.submit_not_grantable_by_api_key,
  agent_revoked: "Der Agent ist widerrufen. Das lässt sich nicht rückgängig machen.",
  agent_unnamed: "Ein Agent braucht einen Namen.",
  api_key_missing: "Diesen API-Schlüssel gibt es nicht.",
  archived_form_closed: "Das Formular ist archiviert und nimmt keine Einsendungen an.",
  availability_invalid: () => "Geben Sie Öffnung und Schluss jeweils mit Tag und Uhrzeit ein.",
  binding_loosened_by_operator: codesGerman.respondent_binding_requires_session,
  body_too_large: ({ max }) =>
    `Höchstens ${number(Math.floor(max / 1_000))} KB können auf einmal gesendet werden. Gehen Sie zurück und wählen Sie eine kleinere Datei oder geben Sie weniger ein.`,
  changes_alone: "Änderungen gibt es nur mit order=oldest und ohne Filter.",
  changes_expired: "Diese Änderungen sind nicht mehr gespeichert. Lesen Sie die Liste neu.",
  connection_changed_in_terminal:
    "Verbindungen der ganzen Installation kann nur der Betreiber des Servers ändern.",
  connection_made_in_terminal:
    "Verbindungen der ganzen Installation kann nur der Betreiber des Servers anlegen.",
  connection_missing: "Diese Verbindung gibt es nicht.",
  connection_removed_in_terminal:
    "Verbindungen der ganzen Installation kann nur der Betreiber des Servers entfernen.",
  connection_unnamed: "Eine Verbindung braucht einen Namen und eine Domain.",
  copy_question_missing: () =>
    "Kopien gehen an die Antwort auf eine Frage nach der E-Mail-Adresse. Wählen Sie unter „E-Mail“ eine solche Frage.",
  reply_question_missing: () =>
    "Antworten auf Benachrichtigungen gehen an die Antwort auf eine Frage nach der E-Mail-Adresse, die nicht vertraulich ist. Wählen Sie unter „E-Mail“ eine solche Frage.",
  credentials_wrong: "Die E-Mail-Adresse oder das Passwort ist falsch.",
  cursor_invalid:
    "Dieser Link gehört zu einer anderen Liste oder zu anderen Filtern. Öffnen Sie die Liste neu.",
  cursor_with_page: "Eine Liste mit Cursor hat keine Seitenzahlen.",
  delivery_missing: "Diese Zustellung gibt es nicht.",
  current_password_wrong: "Das aktuelle Passwort ist falsch.",
  draft_changed:
    "Der Entwurf wurde geändert, seit Sie diese Seite geöffnet haben. Sehen Sie sich die Änderungen noch einmal an, und veröffentlichen Sie dann.",
  email_invalid: "Geben Sie eine E-Mail-Adresse wie ada@example.org ein.",
  email_unknown: "Zu dieser E-Mail-Adresse gibt es keine Person.",
  email_without_role: "Niemand mit dieser E-Mail-Adresse hat eine Rolle in diesem Arbeitsbereich.",
  event_missing: "Dieses Ereignis gibt es bei diesem Webhook nicht.",
  expiry_past: "Der Ablauf muss in der Zukunft liegen.",
  field_id_fixed: () =>
    "Der Name einer Frage für Programme kann sich nicht ändern. Entfernen Sie die Frage, und legen Sie eine neue an.",
  field_id_taken: ({ id }) => `Es gibt schon eine Frage, die Programme als „${id}“ kennen.`,
  field_ids_equal: ({ id }) => `Zwei Fragen haben denselben Namen für Programme: „${id}“.`,
  field_missing: () => questionGone,
  file_format_unknown: ({ format, known }) =>
    `Die Datei hat das Format „${format}“. Dieser Server liest „${known}“.`,
  file_member_not_kept: ({ member }) =>
    `Die Datei enthält „${member}“, das nur zu einem bestimmten Server gehört. Entfernen Sie es aus der Datei.`,
  file_member_twice: ({ name, line }) =>
    `Die Datei enthält „${name}“ zweimal im selben Objekt, in Zeile ${line}.`,
  file_of_no_form:
    "Dies ist keine Datei eines Formulars von formd. Formulare anderer Programme liest „Neues Formular“, „Aus einem anderen Programm oder einer Datei“.",
  file_switch_twice: ({ kept, other }) =>
    `Die Datei enthält die Einstellungen „${kept}“ und „${other}“, die dasselbe sind. Entfernen Sie „${other}“.`,
  file_value_not_storable: ({ path }) =>
    `Die Datei enthält bei „${path}“ einen Wert, der nicht gespeichert werden kann.`,
  file_infected: "Die Datei enthielt Schadsoftware und ist gelöscht.",
  file_missing: "Diese Datei hat die Einsendung nicht.",
  file_not_scanned: "Die Datei ist noch nicht auf Schadsoftware geprüft.",
  files_off: "Dieser Server nimmt keine Dateien an.",
  foreign_form: codesGerman.csrf_rejected,
  form_archived: "Das Formular ist archiviert. Stellen Sie es zuerst wieder her.",
  form_changed: "Das Formular wurde geändert, seit Sie diese Seite geöffnet haben.",
  form_elsewhere: "Das Formular gehört zu einem anderen Arbeitsbereich.",
  form_missing: "Dieses Formular gibt es nicht.",
  form_not_published: "Das Formular ist nicht veröffentlicht. Veröffentlichen Sie es zuerst.",
  form_takes_files: ({ field, label }) =>
    `Die Frage „${label || field}“ nimmt Dateien an, aber dieser Server speichert keine. Bitten Sie den Betreiber, einen Dateispeicher einzurichten (FILES_URL).`,
  form_unnamed: () => "Ein Formular braucht einen Namen.",
  grant_missing: "Diese Freigabe gibt es nicht.",
  held_already: "Die Löschsperre besteht schon.",
  hold_missing: "Diese Löschsperre gibt es nicht.",
  hold_without_reason: "Geben Sie einen Grund für die Löschsperre an.",
  invitation_form_changed:
    "Das Formular wurde veröffentlicht, während die Einladungen geprüft wurden: Bitte erneut senden.",
  invitation_invalid: ({ index, fault, field }) =>
    `Einladung ${index + 1}: ${invitationFaults[fault]}${field === undefined ? "" : ` (${field})`}.`,
  invitation_missing: "Diese Einladung gibt es nicht.",
  invitation_of_another:
    "Diese Einladung ist für ein Konto mit einer anderen Adresse oder mit einem Passwort.",
  invitation_page_off:
    "Das Formular ist nicht veröffentlicht oder hat keine Seite: Die Links der Einladungen führen ins Leere.",
  issuer_not_plain:
    "In der Adresse des Anbieters darf kein Benutzername, kein Passwort, kein ? und kein # stehen.",
  key_missing: "Diesen Schlüssel gibt es nicht.",
  key_of_another_agent: "Der Schlüssel gehört schon zu einem anderen Agenten.",
  key_revoked: "Der Schlüssel wurde widerrufen. Erstellen Sie einen neuen.",
  last_team_admin: "Das Team hätte dann keinen Admin. Machen Sie zuerst eine andere Person zum Admin.",
  last_workspace_admin:
    "Der Arbeitsbereich hätte dann keinen Admin. Machen Sie zuerst eine andere Person zum Admin.",
  link_expired:
    "Dieser Link ist abgelaufen oder wurde schon benutzt. Solange es kein Konto gibt, gibt der Server bei jedem Start einen neuen aus.",
  link_used:
    "Dieser Link ist abgelaufen oder wurde schon benutzt. Haben Sie ihn gerade selbst benutzt, melden Sie sich an. Sonst bitten Sie die Person, die ihn geschickt hat, um einen neuen.",
  links_need_key:
    "Links, mit denen Menschen das Formular fortsetzen oder ändern, brauchen einen Hauptschlüssel, den dieser Server nicht hat. Bitten Sie den Betreiber, einen zu setzen (FORMD_SECRET_KEY).",
  language_repeated: ({ tag }) => `Die Liste der Sprachen hat ${nameOfLanguage(tag, "de")} zweimal.`,
  language_undeclared: ({ language }) =>
    `Es gibt Texte in einer Sprache, die das Formular nicht hat: ${nameOfLanguage(language, "de")}. Keine Seite zeigt sie.`,
  language_unknown: ({ tag }) => `„${tag}“ ist keine Sprache.`,
  lists_too_large: tooMuch,
  mail_missing: "Diese E-Mail gibt es nicht.",
  month_detached:
    "Einsendungen eines Monats sind gerade nicht zu finden. Wer die Datenbank betreut, muss den Monat erst löschen oder wieder anhängen.",
  mail_off: "E-Mail ist auf diesem Server nicht eingerichtet (SMTP_URL).",
  master_key_missing: ({ fingerprint }) =>
    `Dafür braucht der Server den Hauptschlüssel ${fingerprint}, ohne den er gestartet wurde.`,
  no_operation: codesGerman.bad_request,
  no_role_in_team: "Sie haben keine Rolle in diesem Team.",
  no_role_in_workspace: ({ needed }) =>
    `Dafür brauchen Sie ${rolesNeeded[needed]} in einem Arbeitsbereich, in dem Sie keine haben.`,
  not_json: ({ line, character }) => {
    if (!line) return "Die Datei ist kein JSON.";
    const fault =
      character === undefined
        ? `Sie endet zu früh, in Zeile ${line}`
        : `„${character}“ ist in Zeile ${line} falsch`;
    return `Die Datei ist kein JSON: ${fault}.`;
  },
  not_unicode: "Die Datei ist weder Text (UTF-8) noch eine Excel-Datei (.xlsx).",
  not_pending: () => "Über diese Einsendung ist schon entschieden.",
  operator_elsewhere:
    "Diese Person hat auch dort eine Rolle, wo Sie kein Admin sind. Bitten Sie den Betreiber des Servers um den Link (formd operator reset-link).",
  operator_exists: "Dieser Server ist schon eingerichtet.",
  operator_missing: "Diese Person gibt es nicht.",
  operator_without_password:
    "Diese Person meldet sich bei einem Identitätsanbieter an. Sie hat hier kein Passwort.",
  no_known_form: ({ kinds }) =>
    `Dies ist kein Formular, das hier gelesen werden kann. Gelesen werden: ${kinds}.`,
  opens_after_closing: () => "Das Formular muss öffnen, bevor es schließt.",
  option_full: "Eine der gewählten Möglichkeiten ist ausgebucht.",
  order_unknown: "Dieser Server liest eine logische Kopie, deren Reihenfolge nicht bekannt ist.",
  page_too_large: ({ total, max, field, label }) =>
    `Die Seite des Formulars hätte ${number(total)} Eingaben und Möglichkeiten, erlaubt sind ${number(max)}. Die meisten gehören zur Frage „${label || field}“.`,
  passkey_known: "Dieser Passkey ist schon eingetragen.",
  passkey_missing: "Diesen Passkey gibt es nicht.",
  passkey_not_accepted: "Der Passkey wurde nicht angenommen.",
  passkey_not_made: "Der Passkey des Browsers wurde nicht angenommen. Versuchen Sie es noch einmal.",
  passkey_too_late: "Das hat zu lange gedauert oder wurde zweimal gesendet. Fangen Sie noch einmal an.",
  passkey_unnamed: "Ein Passkey braucht einen Namen.",
  password_common: "Das ist eines der häufigsten Passwörter. Wählen Sie ein anderes.",
  password_is_email: "Das Passwort darf nicht die E-Mail-Adresse oder ein Teil von ihr sein.",
  password_too_long: ({ max }) => `Das Passwort darf höchstens ${max} Zeichen haben.`,
  password_monotonous: ({ min }) => `Das Passwort muss mindestens ${min} verschiedene Zeichen haben.`,
  password_too_short: ({ min }) => `Das Passwort muss mindestens ${min} Zeichen haben.`,
  person_required: codesGerman.unauthorized,
  page_language_ignored: () =>
    "Die eigene Sprache der Seite wirkt nicht: Es gelten die Sprachen des Formulars.",
  prefill_takes_language:
    "Die Frage „lang“ nimmt ihre Antwort aus dem Link, und dort ist „lang“ die Sprache der Seite. Geben Sie ihr eine andere ID.",
  change_refused: "Die Einsendung lässt sich über den Link zurzeit nicht ändern.",
  previous_field_missing: () =>
    "Die Frage vor der neuen wurde inzwischen entfernt. Fügen Sie die neue noch einmal hinzu, dann steht sie am Ende.",
  provider_not_found: ({ reason }) => `Der Identitätsanbieter wurde nicht gefunden: ${reason}`,
  public_key_invalid: () =>
    "Das ist kein öffentlicher Schlüssel für Ed25519 oder P-256. Er beginnt mit -----BEGIN PUBLIC KEY-----.",
  question_missing: questionGone,
  question_needed: "Fügen Sie zuerst eine Frage hinzu.",
  reader_scope_missing: () => codesGerman.missing_scope,
  receipt_deleted: codesGerman.gone,
  receipt_missing: codesGerman.not_found,
  respondent_bound_by_operator: codesGerman.respondent_binding_requires_session,
  respondent_named_twice: "Wählen Sie entweder eine Person oder die, die der Identitätsanbieter nennt.",
  role_missing: ({ needed, workspaces, hasMore }) =>
    `Dafür brauchen Sie ${rolesNeeded[needed]} in jedem Arbeitsbereich des Teams. Sie fehlt Ihnen in ${workspaces.map((name) => `„${name}“`).join(", ")}${hasMore ? " und weiteren" : ""}.`,
  role_too_low: ({ needed, workspace, own }) =>
    `Dafür brauchen Sie im Arbeitsbereich „${workspace}“ ${rolesNeeded[needed]}. Sie haben dort: ${roleNames[own]}.`,
  route_missing: "Prüfen Sie die Adresse.",
  same_team: "Sie arbeiten schon in diesem Team.",
  schema_too_large: tooMuch,
  sent_settings_too_large: () => codesGerman.bad_request,
  session_ended: "Die Sitzung ist beendet.",
  settings_too_large: tooMuch,
  sign_in_failed: "Die Anmeldung ist nicht gelungen.",
  signed_out: "Sie sind nicht angemeldet.",
  submission_changed: "Die Einsendung wurde geändert, seit Sie diese Seite geöffnet haben.",
  submission_held: "Die Einsendung hat eine Löschsperre. Admins des Arbeitsbereichs können sie aufheben.",
  submission_missing: "Diese Einsendung gibt es nicht.",
  submit_granted_by_operator: codesGerman.submit_not_grantable_by_api_key,
  team_missing: codesGerman.not_found,
  team_unnamed: "Team und Arbeitsbereich brauchen einen Namen.",
  entries_changed:
    "Die Zugänge zu diesem Konto haben sich inzwischen geändert. Sehen Sie sie an, und nehmen Sie noch einmal an.",
  team_without_passwords:
    "Dieses Team nimmt für Ihre Adresse keine Passwörter an. Melden Sie sich über seine Verbindung an.",
  texts_missing: ({ language, translated, total }) =>
    `${nameOfLanguage(language, "de")}: ${number(translated)} von ${number(total)} Texten sind übersetzt. Die anderen erscheinen in der ersten Sprache.`,
  uploads_missing: "Eine Datei ist nicht mehr da.",
  translation_invalid: ({ path }) => `Der Text „${path}“ ist so nicht gültig.`,
  translation_long: ({ path, max }) => `Der Text „${path}“ darf höchstens ${number(max)} Zeichen haben.`,
  translation_unknown: ({ path }) => `„${path}“ ist kein Text dieses Formulars.`,
  translation_unused: ({ isFirst }) =>
    isFirst
      ? "Keine Seite zeigt eine Übersetzung in die erste Sprache."
      : "Keine Seite zeigt die Übersetzung eines Textes, den es in der ersten Sprache nicht gibt. Fügen Sie ihn dort hinzu.",
  text_not_storable: "Eine Angabe enthält ein Zeichen, das nicht gespeichert werden kann.",
  too_many_addresses: ({ max }) =>
    `Ihr Team hat ${max} kurze Adressen, mehr sind nicht möglich. Geben Sie eine auf, unter „Teilen“ bei einem anderen Formular.`,
  too_many_connections: ({ max }) => `Es gibt schon ${max} Verbindungen. Entfernen Sie zuerst eine.`,
  too_many_fields: ({ max }) => `Ein Formular hat höchstens ${max} Fragen.`,
  too_many_invitations: ({ max }) =>
    `Ein Formular hat höchstens ${number(max)} Einladungen. Abgelaufene werden nach 90 Tagen gelöscht.`,
  too_many_operations: () => codesGerman.bad_request,
  too_many_passkeys: ({ max }) => `Sie haben schon ${max} Passkeys. Entfernen Sie zuerst einen.`,
  too_many_reviews: ({ max }) => `Sie können über höchstens ${max} Einsendungen auf einmal entscheiden.`,
  too_many_sent_fields: ({ max }) => `Sie können höchstens ${max} Eingaben auf einmal senden.`,
  too_many_settings: () => codesGerman.bad_request,
  too_many_signing_keys: ({ max }) =>
    `Ein Agent hat höchstens ${max} gültige Schlüssel. Widerrufen Sie zuerst einen.`,
  too_many_webhooks: ({ max }) => `Ein Arbeitsbereich hat höchstens ${max} Webhooks.`,
  unsubscribe_link_unknown: "Dieser Link gehört nicht zu diesem Server.",
  url_not_https: () =>
    "Die Adresse muss mit https:// beginnen. Der Betreiber des Servers kann http:// erlauben (OUTGOING_ALLOWED_NETWORKS).",
  url_too_long: ({ max }) => enteredGerman.tooLong(enteredGerman.entered.url, max),
  url_with_fragment: "In der Adresse darf kein # stehen.",
  url_with_user: "In der Adresse darf kein Benutzername oder Passwort stehen.",
  version_changed: () => codesGerman.conflict,
  version_missing: ({ version }) => `Das Formular hat keine Version ${version}.`,
  webhook_missing: "Diesen Webhook gibt es nicht.",
  workbook_too_large: ({ max, part }) =>
    `Die Excel-Datei ist zu groß: Sie hat mehr als ${number(max)} ${workbookParts[part]}.`,
  workbook_unreadable: "Die Datei ist keine Excel-Datei (.xlsx), oder sie ist beschädigt oder verschlüsselt.",
  workbook_with_declarations:
    "Die Excel-Datei enthält XML-Deklarationen, -Kommentare oder CDATA und wird nicht gelesen. Speichern Sie sie mit Excel neu.",
  workspace_missing: "Diesen Arbeitsbereich gibt es nicht.",
  workspace_unnamed: "Ein Arbeitsbereich braucht einen Namen.",
  wrong_shape: (values) => enteredText(values, enteredGerman) ?? "",
};
