/** Words in German: mails of a form, and the page that ends them. */
import type { mailTexts } from "./mails.ts";
import type { Words } from "./words.ts";

export const germanMailTexts: Words<typeof mailTexts> = {
  mails: {
    title: "Mail",
    off: "Dieser Server verschickt keine Mails: SMTP_URL ist nicht gesetzt. Das kann ändern, wer den Server verwaltet.",
    save: "Speichern",
    notify: {
      title: "Benachrichtigungen für Sie",
      hint: "Eine Mail, wenn es neue Einsendungen gibt. Das gilt sofort. Nur an eine Adresse, die zu keiner Person hier gehört, gehen Antworten erst, wenn jemand das veröffentlicht hat.",
      recipients: "Empfänger",
      recipientsHint: (max) =>
        `Eine Adresse pro Zeile, höchstens ${max}. Wer hier angemeldet ist, bekommt Mails, solange es eine Rolle im Arbeitsbereich gibt. Leer: keine Benachrichtigungen.`,
      when: "Wann",
      whens: {
        each: "Bei jeder Einsendung",
        hourly: "Höchstens einmal in der Stunde",
        daily: "Höchstens einmal am Tag",
      },
      include: "Was darin steht",
      includeHint:
        "Die Antworten laufen über fremde Server. Vertrauliche Antworten stehen nie in einer Mail.",
      includes: {
        link: "Ein Link zur Einsendung",
        values: "Auch die Antworten, in einer Mail pro Einsendung",
      },
    },
    copy: {
      title: "Kopien für die Ausfüllenden",
      hint: "Eine Mail an die Person, die das Formular gesendet hat. Sie wartet, bis jemand das veröffentlicht.",
      noCaptcha:
        "Ohne CAPTCHA gibt es Kopien nur für Einsendungen von Agenten: Sonst könnten Fremde dieses Formular Mails an beliebige Leute schicken lassen.",
      field: "Die Frage nach der Adresse",
      none: "Keine Kopien",
      include: "Was darin steht",
      includes: { confirmation: "Dass die Einsendung angekommen ist", values: "Auch die Antworten" },
      subject: "Betreff",
      text: "Text",
      receipt: "Quittung anhängen",
      receiptHint: "Ein signierter Text, der ohne die Antworten beweist, was wann angenommen wurde.",
    },
    list: "Mails",
    listHint: (days) =>
      `Die der letzten ${days} Tage. Weder Text noch Adresse wird aufbewahrt: Beides wird beim Senden gelesen.`,
    none: "Keine Mail.",
    mail: "Mail",
    kinds: { notice: "Benachrichtigung", digest: "Zusammenfassung", copy: "Kopie" },
    digest: (count) => `Zusammenfassung von ${count} ${count === 1 ? "Einsendung" : "Einsendungen"}`,
    state: "Status",
    everyState: "Jeder Status",
    states: { due: "Wartet", sent: "Gesendet", failed: "Fehlgeschlagen", dropped: "Nicht gesendet" },
    reason: "Grund",
    again: "noch einmal",
    planned: "geplant für",
    sent: "gesendet",
    act: "Aktion",
    resent: "Wieder unterwegs.",
    resend: "Noch einmal senden",
  },
  unsubscribe: {
    title: "Abbestellen",
    message: "Sie bekommen dann keine Benachrichtigungen über Einsendungen zu diesem Formular mehr.",
    submit: "Abbestellen",
    done: (form) => `Sie bekommen keine Benachrichtigungen zum Formular ${form} mehr.`,
    gone: "Dieser Link gehört nicht zu diesem Server.",
  },
};
