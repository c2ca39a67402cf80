/** Texts of mails to operators about their account and team. */
import type { MailLanguage } from "./text.ts";

interface Words {
  subject: string;
  text: string;
  label: string;
}

interface KeyFacts {
  name: string;
  keyPrefix: string;
  teamName: string;
  scopes: string[];
  /** Null: a command on the server. */
  by: string | null;
}

export interface OperatorText {
  sign_in: (session: { device: string | null; clientIp: string | null; at: Date }) => Words;
  passkey: (passkey: { name: string | null; at: Date }) => Words;
  password: (change: { at: Date; passkeys: string[] }) => Words;
  api_key: (key: KeyFacts) => Words;
  webhook_disabled: (webhook: { host: string; isGone: boolean }) => Words;
  key_expiry: (key: { keyId: string; name: string; at: Date }) => Words;
  optional: string;
  always: string;
  account: string;
}

const timeIn = (lang: MailLanguage) => {
  const format = new Intl.DateTimeFormat(lang, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return (at: Date): string => `${format.format(at)} UTC`;
};
const timeText = timeIn("en");
const germanTime = timeIn("de");

const joined = (...parts: (string | false | null)[]): string => parts.filter(Boolean).join(" ");

export const operatorTexts: Record<MailLanguage, OperatorText> = {
  en: {
    sign_in: ({ device, clientIp, at }) => ({
      subject: "Sign-in from a new device",
      text: `${joined("Your account was signed in to", device && `with ${device}`, clientIp && `from ${clientIp}`)} on ${timeText(at)}. If that was not you, change your password, which ends all other sessions, and remove passkeys that are not yours.`,
      label: "Change the password",
    }),
    passkey: ({ name, at }) => ({
      subject: "A passkey was added to your account",
      text: `${joined("The passkey", name)} was added to your account on ${timeText(at)}: it signs in without the password. If that was not you, remove it, and change your password.`,
      label: "Show your passkeys",
    }),
    password: ({ at, passkeys }) => ({
      subject: "Your password was changed",
      text: `Your account got a new password on ${timeText(at)}. All other sessions have ended.${passkeys.length > 0 ? ` These passkeys were removed: ${passkeys.join(", ")}. Add yours again.` : ""} If that was not you, choose a new password at once: "Forgot your password?" on the sign-in page.`,
      label: "Show your passkeys",
    }),
    api_key: ({ name, keyPrefix, teamName, scopes, by }) => ({
      subject: `New API key: ${name}`,
      text: `${by ?? "A command on the server"} has made the API key ${name} (${keyPrefix}…) of the team ${teamName}, with the scopes ${scopes.join(", ")}.`,
      label: "Show the API keys",
    }),
    webhook_disabled: ({ host, isGone }) => ({
      subject: `Webhook disabled: ${host}`,
      text: `Nothing is sent to ${host} any more, since ${isGone ? "it responded that it is gone" : "it failed for days"}. What waits is sent once it is enabled.`,
      label: "Show the webhook",
    }),
    key_expiry: ({ keyId, name, at }) => ({
      subject: `A key of the agent ${name} expires`,
      text: `The key ${keyId} of the agent ${name} expires on ${timeText(at)}. From then on requests signed with it are refused: register another one before.`,
      label: "Show the agent",
    }),
    optional: "Your account says which of these mails you get.",
    always: "Mails about the security of an account or a team are always sent.",
    account: "Your account",
  },
  de: {
    sign_in: ({ device, clientIp, at }) => ({
      subject: "Anmeldung von einem neuen Gerät",
      text: `${joined("In Ihrem Konto hat sich jemand angemeldet,", device && `mit ${device}`, clientIp && `von ${clientIp}`)} am ${germanTime(at)}. Waren Sie das nicht, ändern Sie Ihr Passwort: Das beendet alle anderen Sitzungen. Entfernen Sie auch Passkeys, die nicht von Ihnen sind.`,
      label: "Passwort ändern",
    }),
    passkey: ({ name, at }) => ({
      subject: "In Ihrem Konto gibt es einen neuen Passkey",
      text: `${joined("Der Passkey", name)} kam am ${germanTime(at)} in Ihr Konto: Er meldet ohne Passwort an. Waren Sie das nicht, entfernen Sie ihn und ändern Sie Ihr Passwort.`,
      label: "Passkeys ansehen",
    }),
    password: ({ at, passkeys }) => ({
      subject: "Ihr Passwort wurde geändert",
      text: `Ihr Konto hat seit ${germanTime(at)} ein neues Passwort. Alle Sitzungen von vorher sind beendet.${passkeys.length > 0 ? ` Diese Passkeys wurden entfernt: ${passkeys.join(", ")}. Fügen Sie Ihre wieder hinzu.` : ""} Waren Sie das nicht, wählen Sie sofort ein neues Passwort: „Passwort vergessen?“ auf der Anmeldeseite.`,
      label: "Passkeys ansehen",
    }),
    api_key: ({ name, keyPrefix, teamName, scopes, by }) => ({
      subject: `Neuer API-Schlüssel: ${name}`,
      text: `${by ?? "Ein Befehl auf dem Server"} hat den API-Schlüssel ${name} (${keyPrefix}…) des Teams ${teamName} erstellt, mit den Rechten ${scopes.join(", ")}.`,
      label: "API-Schlüssel ansehen",
    }),
    webhook_disabled: ({ host, isGone }) => ({
      subject: `Webhook abgeschaltet: ${host}`,
      text: `An ${host} wird nichts mehr gesendet: ${isGone ? "Die Antwort war, dass es ihn nicht mehr gibt" : "Tagelang hat keine Zustellung geklappt"}. Was wartet, wird nach dem Einschalten gesendet.`,
      label: "Webhook ansehen",
    }),
    key_expiry: ({ keyId, name, at }) => ({
      subject: `Ein Schlüssel des Agenten ${name} läuft ab`,
      text: `Der Schlüssel ${keyId} des Agenten ${name} läuft am ${germanTime(at)} ab. Danach wird abgewiesen, was er signiert: Tragen Sie vorher einen anderen ein.`,
      label: "Agenten ansehen",
    }),
    optional: "Welche dieser Mails Sie bekommen, steht in Ihrem Konto.",
    always: "Mails zur Sicherheit eines Kontos oder Teams kommen immer.",
    account: "Ihr Konto",
  },
};
