/** Words in German: people who are invited to fill in a form. */
import type { Words } from "../../ui/words.ts";
import type { invitationsEnglish } from "./words.en.ts";

const people = (count: number) => (count === 1 ? "1 Person" : `${count.toLocaleString("de")} Personen`);

export const invitationsGerman: Words<typeof invitationsEnglish> = {
  title: "Personen einladen",
  intro: "Jede Person bekommt einen persönlichen Link zum Formular, der für eine Einsendung gilt.",
  draft: "Veröffentlichen Sie das Formular zuerst: Erst dann führen die Links dorthin.",
  archived: "Dieses Formular ist archiviert. Stellen Sie es im Menü ⋯ wieder her, um Personen einzuladen.",
  offline: "Die Seite dieses Formulars ist offline, sodass die Links noch nirgends hinführen.",
  toShare: "Online stellen",
  closed:
    "Die öffentliche Adresse ist geschlossen: Nur wer einen eigenen Link hat, kann das Formular ausfüllen.",
  anyone: "Alle, die die öffentliche Adresse haben, können das Formular ebenfalls ausfüllen.",
  anonymous: "Antworten sind anonym: Die Liste zeigt, wer gesendet hat, nie welche Antworten von wem sind.",
  toSettings: "Ändern",
  noKey:
    "Einladungen brauchen einen Hauptschlüssel (FORMD_SECRET_KEY), der die Adressen schützt. Dieser Server hat keinen. Bitte fragen Sie die Person, die ihn betreibt.",
  add: {
    title: "Personen hinzufügen",
    people: "E-Mail-Adressen",
    peopleHint: "Eine je Zeile, zum Beispiel Ada <ada@example.org>.",
    file: "Oder eine CSV-Datei",
    fileHint:
      "Spalten: E-Mail, Name, Sprache, gültig bis (ein Tag). Eine Spalte, die wie eine Frage heißt, füllt deren Antwort aus.",
    check: "Liste prüfen",
    nothing: "Geben Sie Adressen ein, oder wählen Sie eine Datei.",
    tooLarge: (megabytes) => `Die Datei darf höchstens ${megabytes} MB groß sein.`,
    unread: {
      noText: "Die Datei ist kein Text in UTF-8. Speichern Sie sie als CSV in UTF-8.",
      noColumns: "Die erste Zeile braucht eine Spalte namens E-Mail oder Name.",
      rows: (max) => `Eine Liste darf höchstens ${max} Personen haben. Teilen Sie sie auf.`,
      quotes: (row) => `Ein Anführungszeichen in Zeile ${row} ist falsch. Es wurde nichts gelesen.`,
    },
  },
  wrong: {
    empty: "Adresse oder Name fehlt.",
    address: (text) => `„${text}“ ist keine E-Mail-Adresse.`,
    label: (max) => `Der Name darf höchstens ${max} Zeichen haben.`,
    expires: (days) => `Der Tag muss in der Zukunft liegen, höchstens ${days} Tage von heute.`,
    language: (tag) => `Das Formular hat die Sprache „${tag}“ nicht.`,
    day: (text) => `„${text}“ ist kein Tag. Schreiben Sie ihn wie 31.12.2026.`,
    value: (question) => `Das kann keine Antwort auf „${question}“ sein.`,
    twice: (row) => `Die Adresse steht schon in Zeile ${row}.`,
    inRow: (row, sentence) => `Zeile ${row}: ${sentence}`,
    more: (count) => `und ${count} weitere`,
  },
  check: {
    title: "Vor dem Senden prüfen",
    ready: (count) =>
      count === 1
        ? "1 Person kann eingeladen werden."
        : `${count.toLocaleString("de")} Personen können eingeladen werden.`,
    none: "Aus dieser Liste kann niemand eingeladen werden.",
    left: (count) =>
      count === 1 ? "1 Zeile bleibt weg:" : `${count.toLocaleString("de")} Zeilen bleiben weg:`,
    unused: (columns) =>
      `Spalten, die ungenutzt bleiben, weil keine Frage so heißt, die ein Link ausfüllen darf: ${columns}.`,
    known: (count) =>
      count === 1
        ? "1 Person hat schon eine offene Einladung und bleibt weg."
        : `${count.toLocaleString("de")} Personen haben schon eine offene Einladung und bleiben weg.`,
    first: (count) => `Die ersten ${count} davon:`,
    begins: "Beginnt mit",
    until: "Gilt bis",
    days: (days) => `${days} Tage ab jetzt`,
    mail: "Die E-Mail",
    mailIn: (language) => `Die E-Mail auf ${language}`,
    subject: "Betreff",
    link: "der persönliche Link",
    noAddress: (count) =>
      `${people(count)} ohne Adresse: Ihnen kann nichts geschickt werden. Erstellen Sie Links, und geben Sie diese selbst weiter.`,
    noMail: "Dieser Server versendet keine E-Mails. Sie bekommen die Links, und geben sie selbst weiter.",
    send: (count) =>
      count === 1 ? "1 Einladung senden" : `${count.toLocaleString("de")} Einladungen senden`,
    makeLinks: (count) =>
      count === 1 ? "1 Link erstellen" : `${count.toLocaleString("de")} Links erstellen`,
    linksInstead: "Stattdessen Links erstellen, ohne E-Mail",
    again: "Liste ändern",
    sent: (count) =>
      count === 1
        ? "1 Einladung ist unterwegs."
        : `${count.toLocaleString("de")} Einladungen sind unterwegs.`,
    unreadable: "Die Liste konnte nicht gelesen werden. Prüfen Sie sie noch einmal.",
  },
  links: {
    title: "Die Links",
    once: "Diese Links werden nur jetzt angezeigt. Laden Sie sie jetzt herunter: Gespeichert werden sie nicht.",
    download: "Als CSV herunterladen",
    file: "Einladungen",
    columns: { label: "Name", email: "E-Mail", link: "Link" },
    shown: (count) => `Die ersten ${count} davon. Die Datei hat alle.`,
    partly: (made, all) =>
      `Nur ${made.toLocaleString("de")} von ${all.toLocaleString("de")} konnten erstellt werden:`,
    done: "Zu den Einladungen",
  },
  list: {
    title: "Eingeladene",
    none: "Noch ist niemand eingeladen.",
    noneFound: "Keine Einladung passt dazu.",
    search: "Name oder ganze E-Mail-Adresse",
    state: "Stand",
    everyState: "Alle",
    states: { open: "Offen", submitted: "Eingesendet", revoked: "Widerrufen" },
    counts: (sent, open, all) => `Eingesendet: ${sent} von ${all} · ${open} offen`,
    revokedCount: (count) => `${count} widerrufen`,
    person: "Person",
    noName: "Ohne Namen",
    mail: "E-Mail",
    mailed: "zuletzt geschickt",
    neverMailed: "nicht verschickt",
    bounced: "nicht zustellbar",
    unsubscribed: "möchte keine E-Mails mehr",
    expires: "bis",
    expired: "abgelaufen",
    submission: "Einsendung ansehen",
    act: "Aktion",
    revoke: "Widerrufen",
    revokeOf: (name) => `Einladung von ${name} widerrufen…`,
    revokeHint: "Der Link gilt nicht mehr. Name, Adresse und Antworten der Einladung werden gelöscht.",
    revokeConfirm: "Diesen Link widerrufen",
    revoked: "Einladung widerrufen.",
  },
  remind: {
    title: "Alle erinnern, die noch nicht eingesendet haben",
    days: "Tage seit der letzten E-Mail, mindestens",
    daysWrong: (max) => `Geben Sie eine ganze Zahl von 1 bis ${max} ein.`,
    check: "Zählen",
    ask: (count) => `Eine Erinnerung geht an ${people(count)}.`,
    none: "Im Moment ist niemand zu erinnern.",
    hint: (max) =>
      `Jede Person bekommt höchstens ${max === 1 ? "1 Erinnerung" : `${max} Erinnerungen`}, und eine am Tag.`,
    submit: (count) =>
      count === 1 ? "1 Erinnerung senden" : `${count.toLocaleString("de")} Erinnerungen senden`,
    done: (count) =>
      count === 1
        ? "1 Erinnerung ist unterwegs."
        : `${count.toLocaleString("de")} Erinnerungen sind unterwegs.`,
    noMail: "Dieser Server versendet keine E-Mails und kann deshalb nicht erinnern.",
  },
};
