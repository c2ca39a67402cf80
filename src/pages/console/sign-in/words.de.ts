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
  setup: {
    title: "formd einrichten",
    message: "Legen Sie Ihr Konto an. Sie werden Admin und bekommen ein Beispielformular.",
    team: "Team",
    teamHint: "Die Organisation, zu der die Formulare gehören.",
    workspaceHint: "Ein Teil des Teams, etwa eine Abteilung, mit eigenen Formularen und Personen.",
    workspaceDefault: "Allgemein",
    submit: "Einrichten",
    doneTitle: "formd ist eingerichtet",
    done: "Sie sind als Admin angemeldet. Zum Ansehen ist ein Beispielformular mit einer Einsendung online.",
    seeExample: "Beispielformular ansehen",
    agents:
      "Ein Agent ist ein Programm, das Formulare ausfüllt. Auf diesem Server können API-Schlüssel, die Formulare ändern dürfen, auch Geheimnisse für Agenten erzeugen und damit senden.",
    agentsFix:
      "Läuft dieser Server im echten Betrieb? Dann erlauben Sie das nur angemeldeten Personen, mit dieser Einstellung des Servers:",
    doneSubmit: "Zu den Formularen",
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
