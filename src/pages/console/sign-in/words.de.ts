/** Words in German: signing in, invitations and the first start. */
import type { Words } from "../../ui/words.ts";
import type { signInEnglish } from "./words.en.ts";

export const signInGerman: Words<typeof signInEnglish> = {
  forgotPassword: {
    message:
      "Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie bekommen einen Link, um ein neues Passwort zu wählen.",
    submit: "Link schicken",
    sent: (email, minutes) =>
      `Wenn es ein Konto für ${email} gibt, ist eine E-Mail mit einem Link unterwegs. Er funktioniert einmal und läuft in ${minutes} Minuten ab.`,
    help: "Bitten Sie einen Admin Ihres Teams um einen Link: Personen → Neues Passwort. Wenn Sie in mehreren Teams arbeiten oder der einzige Admin sind, bitten Sie den Betreiber des Servers (formd operator reset-link).",
  },
  door: {
    title: "Willkommen",
    message: "Sie suchen ein Formular? Öffnen Sie den Link, den Sie bekommen haben.",
    developers: "Für Entwickler",
    newTitle: "formd läuft",
    newMessage: "Richten Sie es mit dem Link im Protokoll ein. Jeder Start gibt einen neuen aus.",
    documentation: "Dokumentation lesen",
  },
  setup: {
    title: "formd einrichten",
    message: "Legen Sie Ihr Konto an. Sie werden Admin.",
    team: "Name Ihrer Organisation",
    teamHint: "Er steht auf der Startseite dieses Servers.",
    workspaceName: "Allgemein",
    submit: "Konto anlegen",
    exists: "Dieser Server ist schon eingerichtet",
    existsHint: "Melden Sie sich mit dem Konto an, das angelegt wurde.",
  },
  invitation: {
    title: "Sie sind eingeladen",
    message: (role, workspace, team) =>
      `Sie sind in den Arbeitsbereich ${workspace} des Teams ${team} eingeladen. Ihre Rolle: ${role}.`,
    expires: "Gültig bis",
    accept: "Einladung annehmen",
    entries: "Zugänge zu diesem Konto",
    byPassword: "Passwort",
    passwordSet: "gewählt",
    byPasskey: (name) => `Passkey: ${name}`,
    bySession: (device) => `Sitzung: ${device}`,
    sessionEnds: "endet, wenn Sie annehmen",
    entriesHint:
      "Nehmen Sie nur an, wenn Sie alle kennen: Wer in Ihr Konto kommt, bekommt auch diese Rolle. Wählen Sie im Zweifel zuerst ein neues Passwort, das die anderen entfernt, und öffnen Sie diesen Link dann noch einmal.",
    signIn: "Ich habe ein Konto: anmelden und annehmen",
    newAccount: "Noch kein Konto? Wählen Sie ein Passwort",
    submit: "Annehmen und anmelden",
    other: (signedIn, invited) =>
      `Sie sind als ${signedIn} angemeldet, aber die Einladung ist für ${invited}. Melden Sie sich zuerst ab, und öffnen Sie den Link dann noch einmal.`,
    needsPassword:
      "Sie sind über einen Identitätsanbieter angemeldet, aber die Einladung ist für ein Konto mit Passwort. Melden Sie sich zuerst ab, öffnen Sie den Link dann noch einmal, und wählen Sie ein Passwort.",
    byGroups: (connection) =>
      `Sie müssen diese Einladung nicht annehmen: Ihre Rolle kommt aus Ihren Gruppen bei ${connection}. Gelingt die Anmeldung nicht, bitten Sie die Person, die Sie eingeladen hat, Sie dort in eine Gruppe aufnehmen zu lassen.`,
    inAlready: (connection) =>
      `Sie sind mit ${connection} angemeldet, und Ihre Rolle kommt aus Ihren Gruppen dort. Sie müssen diese Einladung nicht annehmen. Ist Ihre Rolle nicht diese, fragen Sie die Person, die Sie eingeladen hat.`,
  },
  connection: {
    title: "Anmelden",
    message: (connection, email, team) =>
      `${connection} hat Sie als ${email} erkannt. Damit melden Sie sich im Team ${team} an. Wenn Sie das nicht sind, schließen Sie diese Seite.`,
    other: (email, team) =>
      `Dieser Browser ist als ${email} angemeldet, im Team ${team}. Wählen Sie das Konto, mit dem Sie arbeiten möchten.`,
    replace: (email) => `Als ${email} anmelden`,
    stay: (email) => `Als ${email} angemeldet bleiben`,
  },
  unsubscribe: {
    title: "Abbestellen",
    message: "Keine E-Mails über Einsendungen zu diesem Formular mehr bekommen?",
    done: (form) => `Abbestellt. Sie bekommen keine E-Mails über Einsendungen zu ${form} mehr.`,
  },
};
