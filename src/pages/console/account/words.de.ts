/** Words in German: a person's own account. */
import type { Words } from "../../ui/words.ts";
import type { accountEnglish } from "./words.en.ts";

export const accountGerman: Words<typeof accountEnglish> = {
  sessions: {
    teamHeading: "Team",
    current: "aktuell",
    rolesHeading: "Ihre Rollen",
    languageHeading: "Sprache",
    language: "Sprache der Konsole",
    languageOfBrowser: "Wie im Browser eingestellt",
    mailsHint:
      "Zu Ihrer Sicherheit bekommen Sie immer eine E-Mail über eine Anmeldung von einem neuen Gerät, ein neues Passwort, einen neuen Passkey und einen neuen API-Schlüssel.",
    mailsLegend: "Schicken Sie mir auch eine E-Mail, wenn",
    optionalMails: {
      webhook_disabled: "ein Webhook abgeschaltet wird, weil er nicht funktioniert",
      key_expiry: "ein Schlüssel eines Agenten in zwei Wochen abläuft",
    },
    feedsHeading: "Newsfeeds",
    feedSince: "Adresse erstellt",
    endFeedOf: (form) => `Newsfeed von ${form} beenden`,
    endHeading: "Sitzungen",
    unknownDevice: "Unbekanntes Gerät",
    since: "angemeldet",
    thisOne: "dieses Gerät",
    end: "Beenden",
    ended: "Sitzung beendet.",
    endOf: (device) => `Sitzung auf ${device} beenden`,
    endMessage:
      "„Überall abmelden“ beendet alle Ihre Sitzungen, in jedem Browser und Team. Wenn Sie ein Gerät verlieren, entfernen Sie auch dessen Passkey.",
    signOutEverywhere: "Überall abmelden",
  },
};
