/** Words in German: signing in, invitations and the first start. */
import type { Words } from "../../ui/words.ts";
import type { signInEnglish } from "./words.en.ts";

export const signInGerman: Words<typeof signInEnglish> = {
  forgotPassword: {
    message:
      "Geben Sie die E-Mail-Adresse Ihres Kontos ein. Sie bekommen einen Link, um ein neues Passwort zu wählen.",
    submit: "Link schicken",
    sent: (email, minutes) =>
      `Wenn es ein Konto für ${email} gibt, ist eine Mail mit einem Link unterwegs. Er gilt einmal, ${minutes} Minuten lang.`,
    help: "Bitten Sie eine Person mit der Rolle Admin in Ihrem Team um einen Link zu einem neuen Passwort: Personen → Neues Passwort. Wenn Sie in mehreren Teams arbeiten oder selbst der einzige Admin sind, erzeugt ihn, wer den Server verwaltet: formd operator reset-link.",
  },
  setup: {
    title: "formd einrichten",
    message: "So entstehen das erste Konto, mit der Rolle Admin, und ein Beispielformular zum Ausprobieren.",
    team: "Team",
    teamHint: "Die Organisation, zu der die Formulare gehören.",
    workspaceHint: "Ein Teil des Teams mit eigenen Formularen, Agenten und Rollen.",
    workspaceDefault: "Allgemein",
    submit: "Einrichten",
    doneTitle: "formd ist eingerichtet",
    done: "Sie sind angemeldet, als erster Admin. Zum Ansehen ist ein Beispielformular online, mit einer Einsendung.",
    seeExample: "So sieht es aus, wer es ausfüllt",
    agents:
      "Ein Agent ist ein Programm, das Formulare ausfüllt. So, wie dieser Server eingestellt ist, kann jeder, der einen API-Schlüssel zum Ändern von Formularen hat, auch ein neues Geheimnis für einen Agenten erzeugen und so in dessen Namen senden.",
    agentsFix:
      "Ist dieser Server mehr als ein Versuch? Dann lassen Sie das nur Personen tun, die sich hier anmelden. Wer den Server verwaltet, setzt dazu:",
    doneSubmit: "Zu den Formularen",
  },
  invitation: {
    title: "Sie sind eingeladen",
    message: (role, workspace, team) =>
      `Sie sind in den Arbeitsbereich ${workspace} des Teams ${team} eingeladen. Ihre Rolle: ${role}.`,
    expires: "Die Einladung gilt bis",
    accept: "Einladung annehmen",
    signIn: "Ich habe ein Konto: anmelden und annehmen",
    newAccount: "Noch kein Konto? Wählen Sie ein Passwort",
    submit: "Annehmen und anmelden",
    other: (signedIn, invited) =>
      `Sie sind als ${signedIn} angemeldet, aber die Einladung ist für ${invited}. Melden Sie sich zuerst ab, und öffnen Sie den Link dann noch einmal.`,
    needsPassword:
      "Sie sind über einen Identitätsanbieter angemeldet. Eine Einladung ist aber für ein Konto mit Passwort. Melden Sie sich zuerst ab, öffnen Sie den Link dann noch einmal, und wählen Sie ein Passwort.",
    byGroups: (connection) =>
      `Sie müssen diese Einladung nicht annehmen: Ihre Rolle kommt aus Ihren Gruppen bei ${connection}. Gelingt die Anmeldung nicht, bitten Sie die Person, die Sie eingeladen hat, dafür zu sorgen, dass Sie dort in eine Gruppe aufgenommen werden.`,
    inAlready: (connection) =>
      `Sie sind mit ${connection} angemeldet, und Ihre Rolle kommt aus Ihren Gruppen dort. Sie müssen diese Einladung nicht annehmen. Haben Sie eine andere Rolle als diese, fragen Sie die Person, die Sie eingeladen hat.`,
  },
  unsubscribe: {
    title: "Abbestellen",
    message: "Sie bekommen dann keine Benachrichtigungen über Einsendungen zu diesem Formular mehr.",
    done: (form) => `Sie bekommen keine Benachrichtigungen zum Formular ${form} mehr.`,
  },
};
