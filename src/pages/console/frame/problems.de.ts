/** What the server refuses, in German. */
import type { Problem, ProblemCode } from "../../../problem.ts";
import type { Words } from "../../ui/words.ts";
import { problemText, type problemTexts } from "./problems.ts";
import { TranslatedProblem } from "./translated-problem.ts";

/** What each code says to a person. */
const codes: Readonly<Record<ProblemCode, string>> = {
  bad_request: "Diese Anfrage ist hier nicht gültig.",
  invalid_body: "Was gesendet wurde, hat nicht die Form, die hier erwartet wird.",
  no_checkable_field: "Das Formular hat kein Feld mit einer Regel, nach der gefragt werden kann.",
  unauthorized: "Sie sind nicht angemeldet.",
  agent_inactive: "Der Agent ist deaktiviert oder widerrufen.",
  agent_required: "Das können nur Agenten.",
  anonymous_not_allowed: "Dieses Formular dürfen nur Programme ausfüllen.",
  binding_required: "Die Freigabe verlangt eine bestimmte Person, und es ist keine angegeben.",
  captcha_failed: "Das CAPTCHA wurde nicht bestanden.",
  captcha_required: "Dieses Formular verlangt ein CAPTCHA.",
  challenge_expired: "Die Prüfung ist abgelaufen.",
  challenge_failed: "Die Prüfung wurde nicht bestanden.",
  challenge_required: "Dieses Formular verlangt eine Prüfung.",
  csrf_rejected:
    "Das kam nicht von einer Seite dieses Servers. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
  declared_agent_refused: "Die Seite des Formulars ist für Menschen. Ein Agent sendet durch die API.",
  form_closed: "Das Formular nimmt zurzeit keine Einsendungen an.",
  form_not_published: "Das Formular ist nicht veröffentlicht.",
  insufficient_workspace_role: "Ihre Rolle in diesem Arbeitsbereich erlaubt das nicht.",
  missing_scope: "Dazu fehlt ein Recht.",
  no_grant: "Der Agent hat keine Freigabe für dieses Formular.",
  passkey_required: "Dafür wird ein Passkey verlangt.",
  password_required: "Dafür wird Ihr Passwort noch einmal verlangt.",
  partial_not_allowed: "Unvollständige Einsendungen sind hier nicht erlaubt.",
  respondent_binding_requires_session: "Das können nur angemeldete Personen.",
  respondent_not_assigned: "Die Freigabe gilt für eine andere Person.",
  signature_required: "Das verlangt eine signierte Anfrage.",
  storage_full: "Für die Dateien des Teams ist kein Platz mehr.",
  submit_not_grantable_by_api_key: "Das können nur angemeldete Personen freigeben.",
  tenant_mismatch: "Das gehört zu einem anderen Team.",
  workspace_mismatch: "Das Formular gehört zu einem anderen Arbeitsbereich als der Agent.",
  not_found: "Das gibt es nicht, oder nicht mehr.",
  method_not_allowed: "Diese Adresse ist nur zum Lesen da.",
  conflict: "Das wurde in der Zwischenzeit geändert.",
  held: "Die Einsendung ist gesperrt: Sie und ihre Dateien können nicht gelöscht werden.",
  gone: "Das wurde gelöscht.",
  payload_too_large: "Das ist größer, als dieser Server annimmt.",
  invalid_content_type: "Diese Art von Inhalt nimmt der Server nicht an.",
  idempotency_key_reused: "Das wurde schon mit anderem Inhalt gesendet.",
  validation_failed: "Die Angaben entsprechen nicht den Regeln des Formulars.",
  rate_limited: "Das waren zu viele Anfragen. Bitte warten Sie einen Augenblick.",
  internal_error:
    "Auf dem Server ist ein Fehler aufgetreten. Die Nummer der Anfrage findet ihn im Protokoll.",
  captcha_unavailable: "Das CAPTCHA kann gerade nicht geprüft werden.",
  unavailable: "Der Server erreicht seine Datenbank gerade nicht.",
};

const problems: Words<typeof problemTexts> = {
  entered: {
    name: "Der Name",
    team: "Der Name des Teams",
    workspace: "Der Name des Arbeitsbereichs",
    reason: "Der Grund",
    url: "Die Adresse",
    password: "Das Passwort",
    q: "Die Suche",
    value: "Der Wert",
  },
  other: "Die Angabe",
  tooLong: (entered, max) => `${entered} darf höchstens ${max} Zeichen haben.`,
  noId: "Eine Id besteht aus Buchstaben und Ziffern wie 01a204aa-9c1e-7b61-8b2f-5d7a2a1c9f10.",
  day: "Geben Sie einen Tag wie 2026-11-20 ein.",
  moment: "Geben Sie einen Tag und eine Uhrzeit ein.",
  zone: "Geben Sie eine Zeitzone wie Europe/Berlin ein.",
  chooseForm: "Wählen Sie ein Formular.",
  chooseRight: "Wählen Sie mindestens ein Recht.",
  chooseEvent: "Wählen Sie mindestens ein Ereignis.",
  chooseSubmission: "Wählen Sie mindestens eine Einsendung.",
  questionAndValue: "Wählen Sie eine Frage, und geben Sie ein, was die Person dort eingegeben hat.",
  https: "Die Adresse muss mit https:// beginnen.",
  noLogin: "In der Adresse darf kein Name oder Passwort stehen.",
  plainIssuer: "In der Adresse des Anbieters darf kein Name, kein Passwort, kein ? und kein # stehen.",
  noHash: "In der Adresse darf kein # stehen.",
  taken: (address) => `${address} ist die Adresse eines anderen Formulars. Wählen Sie eine andere.`,
  addresses: (max) => `Höchstens ${max} Formulare eines Teams haben eine eigene Adresse.`,
  tooMuch: "Das Formular ist zu groß geworden. Entfernen Sie etwas, oder machen Sie zwei Formulare daraus.",
};

/** Messages of the server that say more than their code. */
const messages: Readonly<Record<string, string>> = {
  "There is no such route.": "Prüfen Sie die Adresse.",
  "There is no such form.": "Dieses Formular gibt es nicht.",
  "There is no such connection.": "Diese Verbindung gibt es nicht.",
  "There is no such hold.": "Diese Sperre gibt es nicht.",
  "There is no such event for this webhook.": "Dieses Ereignis gibt es bei diesem Webhook nicht.",
  "The submission has no such file.": "Diese Datei hat die Einsendung nicht.",
  "The file is not scanned for malware yet.": "Die Datei ist noch nicht auf Schadsoftware geprüft.",
  "The file had malware in it, and is deleted.": "Die Datei enthielt Schadsoftware und ist gelöscht.",
  "This server stores no files.": "Dieser Server nimmt keine Dateien an.",
  "There is no such submission.": "Diese Einsendung gibt es nicht.",
  "There is no such workspace.": "Diesen Arbeitsbereich gibt es nicht.",
  "There is no such webhook.": "Diesen Webhook gibt es nicht.",
  "There is no such delivery.": "Diese Zustellung gibt es nicht.",
  "There is no such agent.": "Diesen Agenten gibt es nicht.",
  "There is no such operator.": "Diese Person gibt es nicht.",
  "There is no such passkey.": "Diesen Passkey gibt es nicht.",
  "There is no such key.": "Diesen Schlüssel gibt es nicht.",
  "There is no such access key.": "Diesen Zugriffsschlüssel gibt es nicht.",
  "There is no such API key.": "Diesen API-Schlüssel gibt es nicht.",
  "There is no such invitation.": "Diese Einladung gibt es nicht.",
  "There is no such grant.": "Diese Freigabe gibt es nicht.",
  "There is no such mail.": "Diese Mail gibt es nicht.",
  "There is no operator with this e-mail.": "Zu dieser E-Mail-Adresse gibt es keine Person.",
  "No operator with this e-mail has a role in this workspace.":
    "Zu dieser E-Mail-Adresse hat niemand eine Rolle in diesem Arbeitsbereich.",
  "This link has expired or has been used.": "Dieser Link ist abgelaufen oder wurde schon benutzt.",
  "This link has expired.": "Dieser Link ist abgelaufen.",
  "The session has ended.": "Die Sitzung ist beendet.",
  "The e-mail or the password is wrong.": "Die E-Mail-Adresse oder das Passwort ist falsch.",
  "The passkey was not accepted.": "Der Passkey wurde nicht angenommen.",
  "The browser's passkey was not accepted. Try again.":
    "Der Passkey des Browsers wurde nicht angenommen. Versuchen Sie es noch einmal.",
  "This took too long, or was sent twice. Start again.":
    "Das hat zu lange gedauert oder wurde zweimal gesendet. Fangen Sie noch einmal an.",
  "You have no role in this team.": "Sie haben keine Rolle in diesem Team.",
  "You work in this team already.": "Sie arbeiten schon in diesem Team.",
  "The form is archived; restore it first.": "Das Formular ist archiviert. Stellen Sie es zuerst wieder her.",
  "The form is not published; publish it first.":
    "Das Formular ist nicht veröffentlicht. Veröffentlichen Sie es zuerst.",
  "The form was changed since expectedUpdatedAt.":
    "Das Formular wurde geändert, seit Sie diese Seite geöffnet haben.",
  "The submission was changed since expectedUpdatedAt.":
    "Die Einsendung wurde geändert, seit Sie diese Seite geöffnet haben.",
  "The agent is revoked; this cannot be undone.":
    "Der Agent ist widerrufen. Das lässt sich nicht rückgängig machen.",
  "The key is registered for another agent.": "Der Schlüssel gehört schon zu einem anderen Agenten.",
  "The key was revoked; make a new one.": "Der Schlüssel wurde widerrufen. Erzeugen Sie einen neuen.",
  "This passkey is registered already.": "Dieser Passkey ist schon eingetragen.",
  "A connection needs a name and a domain.": "Eine Verbindung braucht einen Namen und eine Domain.",
  "The sign-in did not succeed.": "Die Anmeldung ist nicht gelungen.",
  "This team takes no passwords of your address: sign in by its connection.":
    "Für Ihre Adresse nimmt dieses Team keine Passwörter an. Melden Sie sich über seine Verbindung an.",
  "This is one of the most common passwords, which are tried first. Choose another one.":
    "Das ist eines der häufigsten Passwörter, die zuerst ausprobiert werden. Wählen Sie ein anderes.",
  "The team would have no admin; make another operator an admin first.":
    "Das Team hätte dann keinen Admin. Machen Sie zuerst eine andere Person zum Admin.",
  "The workspace would have no admin; make another operator an admin first.":
    "Der Arbeitsbereich hätte dann keinen Admin. Machen Sie zuerst eine andere Person zum Admin.",
  "This needs the role of admin in the workspace.": "Dafür müssen Sie im Arbeitsbereich Admin sein.",
  "This address has an account: sign in with it, then open the link again.":
    "Zu dieser Adresse gibt es ein Konto. Melden Sie sich damit an, und öffnen Sie den Link dann noch einmal.",
  "This invitation is for an account with another address, or with a password.":
    "Diese Einladung ist für ein Konto mit einer anderen Adresse oder mit einem Passwort.",
  "This person has a role where you are no admin. A link for the account is made in a terminal of the installation: formd operator reset-link.":
    "Diese Person hat auch dort eine Rolle, wo Sie kein Admin sind. Einen Link erzeugt, wer den Server verwaltet: formd operator reset-link.",
  "An identity provider vouches for this person: there is no password.":
    "Diese Person meldet sich bei einem Identitätsanbieter an. Sie hat hier kein Passwort.",
  "The draft was changed while it was being checked; publish again.":
    "Der Entwurf wurde geändert, während er geprüft wurde. Veröffentlichen Sie noch einmal.",
  "The form is archived; it takes no submissions.":
    "Das Formular ist archiviert und nimmt keine Einsendungen an.",
  "The server sends no mail: SMTP_URL or its master key is not set.":
    "Dieser Server verschickt keine Mails. Das kann ändern, wer ihn verwaltet (SMTP_URL).",
  "A hold needs a reason.": "Geben Sie einen Grund für die Sperre an.",
  "It is held already.": "Die Sperre besteht schon.",
  "The form is in another workspace than the agent.":
    "Das Formular gehört zu einem anderen Arbeitsbereich als der Agent.",
  "A connection of the installation is changed in a terminal.":
    "Eine Verbindung der Installation ändert, wer den Server verwaltet.",
  "A connection of the installation is removed in a terminal.":
    "Eine Verbindung der Installation entfernt, wer den Server verwaltet.",
  "expiresAt must be in the future.": "Das Ende muss in der Zukunft liegen.",
  "The form is in another workspace.": "Das Formular gehört zu einem anderen Arbeitsbereich.",
  "A field has U+0000, which cannot be stored.":
    "Ein Feld hat ein Zeichen, das nicht gespeichert werden kann.",
  "A grant names a respondent, or takes the asserted one.":
    "Eine Freigabe nennt entweder eine Person, oder der Identitätsanbieter nennt sie.",
  "A workspace needs a name.": "Ein Arbeitsbereich braucht einen Namen.",
  "A passkey needs a name.": "Ein Passkey braucht einen Namen.",
  "A team and a workspace need a name.": "Team und Arbeitsbereich brauchen einen Namen.",
  "name: a form needs a name that is not blank.": "Ein Formular braucht einen Namen.",
  "name: an agent needs a name that is not blank.": "Ein Agent braucht einen Namen.",
  "The e-mail must be an address such as ada@example.org.":
    "Geben Sie eine E-Mail-Adresse wie ada@example.org ein.",
  "The form has no such question.": "Diese Frage hat das Formular nicht.",
  "The definition must be a JSON object.": "Die Definition muss ein JSON-Objekt sein.",
  "You are not signed in.": "Sie sind nicht angemeldet.",
  "This form does not come from a page of this server. Reload it and try again.": codes.csrf_rejected,
  "An option that the edit chooses is full.": "Eine der gewählten Möglichkeiten ist voll.",
  "The submission is held. An admin of the workspace can release it.":
    "Die Einsendung ist gesperrt. Admins des Arbeitsbereichs können sie freigeben.",
};

const rolesNeeded: Readonly<Record<string, string>> = {
  "a role": "eine Rolle",
  "the role of admin or editor": "die Rolle Admin oder Bearbeiten",
  "the role of admin": "die Rolle Admin",
};
const roleNames: Readonly<Record<string, string>> = { admin: "Admin", editor: "Bearbeiten", viewer: "Lesen" };

/** Messages that name something. */
const patterns: readonly [RegExp, (...named: string[]) => string][] = [
  [
    /^The form cannot be published: copies are mailed/,
    () =>
      "Kopien gehen an die Antwort auf eine Frage nach der E-Mail-Adresse. Wählen Sie unter „Mail“ eine solche Frage.",
  ],
  [
    /^This needs (.+?) in the workspace "(.*)"\. You have that of (\w+) there\.$/s,
    (needed = "", workspace = "", role = "") =>
      `Dafür brauchen Sie im Arbeitsbereich „${workspace}“ ${rolesNeeded[needed]}. Sie haben dort: ${roleNames[role]}.`,
  ],
  [
    /^This needs (.+?) in every workspace of the team\. It is missing in (.+?)( and others)?\.$/s,
    (needed = "", missing = "", others = "") =>
      `Dafür brauchen Sie ${rolesNeeded[needed]} in jedem Arbeitsbereich des Teams. Sie fehlt Ihnen in ${missing.replace(/"(.*?)"/gs, "„$1“")}${others && " und weiteren"}.`,
  ],
  [
    /^This needs (.+?) in a workspace in which you have none\.$/,
    (needed = "") =>
      `Dafür brauchen Sie ${rolesNeeded[needed]} in einem Arbeitsbereich, in dem Sie keine haben.`,
  ],
  [
    /^issuer: the identity provider was not found: (.*)$/s,
    (reason) => `Der Identitätsanbieter wurde nicht gefunden: ${reason}`,
  ],
  [
    /^(?:issuer|url): The address (\S+) is not public\.$/,
    (address) =>
      `Die Adresse ${address} ist nicht öffentlich. Wer den Server verwaltet, kann sie erlauben (OUTGOING_ALLOWED_NETWORKS).`,
  ],
  [
    /^This needs the master key (\S+), which this server was started without\.$/,
    (key) => `Dafür braucht der Server den Hauptschlüssel ${key}, ohne den er gestartet wurde.`,
  ],
  [
    /^There are (\d+) passkeys already\. Remove one first\.$/,
    (count) => `Sie haben schon ${count} Passkeys. Entfernen Sie zuerst einen.`,
  ],
  [
    /^There are (\d+) connections already\. Remove one first\.$/,
    (count) => `Es gibt schon ${count} Verbindungen. Entfernen Sie zuerst eine.`,
  ],
  [/^A form has at most (\d+) fields\.$/, (count) => `Ein Formular hat höchstens ${count} Fragen.`],
  [
    /^A workspace has at most (\d+) webhooks/,
    (count) => `Ein Arbeitsbereich hat höchstens ${count} Webhooks.`,
  ],
  [
    /^An agent has at most (\d+) active keys; revoke one first\.$/,
    (count) => `Ein Agent hat höchstens ${count} Schlüssel, die gelten. Widerrufen Sie zuerst einen.`,
  ],
  [/^The submission is \w+, not pending\.$/, () => "Über diese Einsendung ist schon entschieden."],
];

/** What is in no table is a detail in the words of the API, which no person has caused: its code says it. */
export function germanSentence(problem: Pick<Problem, "code" | "message">): string {
  const { code, message } = problem;
  if (problem instanceof TranslatedProblem) return message;
  if (Object.hasOwn(messages, message)) return messages[message] as string;
  for (const [pattern, toText] of patterns) {
    const found = pattern.exec(message);
    if (found) return toText(...found.slice(1));
  }
  return problemText(message, problems) ?? codes[code];
}
