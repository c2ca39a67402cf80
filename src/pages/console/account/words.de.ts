/** Words in German: a person's own account. */
import type { Words } from "../../ui/words.ts";
import type { accountEnglish } from "./words.en.ts";

export const accountGerman: Words<typeof accountEnglish> = {
  sessions: {
    teamHeading: "Team",
    current: "jetzt",
    switch: (team) => `Zu ${team} wechseln`,
    rolesHeading: "Ihre Rollen",
    languageHeading: "Sprache",
    language: "Sprache der Konsole",
    languageOfBrowser: "Wie im Browser eingestellt",
    mailsHint:
      "Über eine Anmeldung von einem neuen Gerät, einen neuen Passkey und einen neuen API-Schlüssel bekommen Sie immer eine Mail: Wer Ihr Konto übernommen hat, könnte sie sonst abschalten.",
    mailsLegend: "Schicken Sie mir auch eine Mail, wenn",
    optionalMails: {
      webhook_disabled: "ein Webhook abgeschaltet wird, weil er nicht funktioniert",
      key_expiry: "ein Schlüssel eines Agenten in zwei Wochen abläuft",
    },
    endHeading: "Sitzungen",
    unknownDevice: "Unbekanntes Gerät",
    since: "angemeldet",
    thisOne: "diese",
    end: "Beenden",
    ended: "Die Sitzung ist beendet.",
    endOf: (device) => `Sitzung auf ${device} beenden`,
    endMessage:
      "Beendet alle Ihre Sitzungen, in jedem Browser und jedem Team. Benutzen Sie das, wenn ein Gerät verloren ist.",
    signOutEverywhere: "Überall abmelden",
  },
};
