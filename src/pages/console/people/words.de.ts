/** Words in German: operators, workspaces, connections and the data of a person. */
import type { Words } from "../../ui/words.ts";
import type { peopleEnglish } from "./words.en.ts";

export const peopleGerman: Words<typeof peopleEnglish> = {
  operators: {
    hint: "Diese Personen können sich hier anmelden. Jede hat pro Arbeitsbereich eine Rolle.",
    none: "Niemand auf dieser Seite.",
    roleHints:
      "Lesen: nur ansehen. Bearbeiten: zusätzlich Formulare, Einsendungen, Agenten und Freigaben ändern. Admin: zusätzlich Schlüssel und Personen verwalten.",
    role: "Rolle",
    add: "Jemanden einladen",
    addHint:
      "Die Person bekommt einen Link per E-Mail, oder von Ihnen, wenn E-Mail nicht eingerichtet ist. Sie nimmt die Einladung an und wählt ein Passwort, wenn sie noch keins hat. Hat sie hier schon eine Rolle, wird diese ersetzt.",
    addSubmit: "Einladung erstellen",
    adminsOnly: "Nur Admins eines Arbeitsbereichs können Personen dorthin einladen.",
    invitedTitle: "Die Einladung",
    invitedHint: (email, days) =>
      `Schicken Sie diesen Link vertraulich an ${email}. Er funktioniert einmal und läuft in ${days} Tagen ab. Eine neue Einladung ersetzt ihn.`,
    invitedWithConnection: (email, connection) =>
      `${email} muss sich mit ${connection} anmelden. Die Rolle kommt aus einer Gruppe dort, nicht aus diesem Link: Lassen Sie die Person in eine aufnehmen.`,
    invitedByMail: (email, days) =>
      `Nur ${email} bekommt den Link, per E-Mail. Er funktioniert einmal und läuft in ${days} Tagen ab. Eine neue Einladung ersetzt ihn.`,
    unconfirmed: "Adresse nicht bestätigt: Ein Admin hat den Link dieser Person gesehen.",
    removeHint:
      "Beendet die Sitzungen der Person in diesem Team. API-Schlüssel und Geheimnisse, die sie kennt, gelten weiter, ebenso Personen und Verbindungen, die sie hinzugefügt hat: Das Audit nennt sie.",
    mailed: (email) => `Eine E-Mail mit diesem Link ist unterwegs an ${email}.`,
    notMailed: (reason) => `Er wurde nicht per E-Mail verschickt: ${reason}`,
    inviteAgain: "Niemand hat den Link. Laden Sie die Person noch einmal ein, um einen anderen zu schicken.",
    invitations: "Eingeladen, noch nicht angenommen",
    until: "läuft ab",
    endInvitation: "Zurückziehen",
    endInvitationOf: (email) => `Einladung von ${email} zurückziehen…`,
    endInvitationConfirm: "Diese Einladung zurückziehen",
    resetLinkOf: (email) => `Neues Passwort für ${email}: Link…`,
    resetLinkHint: "Erstellt einen Link, mit dem diese Person ein neues Passwort wählt.",
    resetLinkConfirm: "Link erstellen",
    resetTitle: "Link zu einem neuen Passwort",
    resetHint: (email, minutes) =>
      `Schicken Sie diesen Link vertraulich an ${email}. Er funktioniert einmal und läuft in ${minutes} Minuten ab. Im Audit steht, dass Sie ihn erstellt haben.`,
    removeByGroups:
      "Beendet die Sitzungen der Person. Nehmen Sie sie zuerst beim Identitätsanbieter aus den Gruppen, sonst stellt die nächste Anmeldung die Rolle wieder her.",
    byGroups: "Die Rolle kommt aus den Gruppen beim Identitätsanbieter. Ändern Sie sie dort.",
    removeConfirm: "Aus diesem Arbeitsbereich entfernen",
    removed: (email) => `${email} aus diesem Arbeitsbereich entfernt.`,
    invitationEnded: "Einladung zurückgezogen. Ihr Link gilt nicht mehr.",
    changeRoleOf: (email) => `Rolle von ${email} ändern…`,
    changeRoleSubmit: "Rolle ändern",
    roleChanged: (email, role) => `Rolle von ${email} geändert: ${role}.`,
    rules: {
      editorsMayPublish: {
        title: "Veröffentlichen",
        hint: "Admins dürfen immer veröffentlichen.",
        label: "Bearbeitende dürfen Formulare veröffentlichen, archivieren und wiederherstellen",
      },
      requiresPasskey: {
        title: "Passkeys",
        hint: "Alle mit einer Rolle in diesem Arbeitsbereich brauchen dann einen Passkey, in allen Arbeitsbereichen des Teams.",
        label: "Für Veröffentlichung, Freigaben, Schlüssel und Rollen einen Passkey verlangen",
      },
    },
  },
  connections: {
    hint: "Mit einer Verbindung melden sich alle mit ihrem Firmenkonto an statt mit einem Passwort von formd. Das geht mit Identitätsanbietern wie Okta, Entra ID, Google oder Keycloak.",
    none: "Es gibt noch keine Verbindung. Die Anmeldung geht mit Passwort oder Passkey.",
    adminsOnly: "Nur Admins aller Arbeitsbereiche können Verbindungen sehen und anlegen.",
    everybody: "Alle",
    gives: (group, workspace, role) => `${group}: ${role} in ${workspace}`,
    urls: "Adressen",
    urlsOf: (name) => `Adressen von ${name}`,
    signInUrl: "Adresse zum Anmelden",
    redirectUri: "Redirect URI, für den Anbieter",
    logoutUri: "Back-Channel Logout URI, für den Anbieter",
    removeHint: "Entfernt sofort auch die Konten und Rollen aller, die sich damit anmelden.",
    removeConfirm: "Mit ihren Konten entfernen",
    removed: "Verbindung entfernt, mit ihren Konten.",
    domainsOf: (domains) => `Für Adressen von ${domains}`,
    isRequired: "Passwörter und Passkeys dieser Adressen werden abgelehnt",
    isOptional: "Passwörter und Passkeys dieser Adressen gelten auch",
    acceptsAgents: "Nennt die Person, für die ein Agent ein Formular ausfüllt",
    asksFor: (scopes) => `Fragt nach ${scopes}`,
    change: "Ändern",
    changeOf: (name) => `${name} ändern…`,
    changeHint: "Um anderes zu ändern, legen Sie eine neue Verbindung an, und entfernen Sie diese.",
    wayBack: "Wenn der Anbieter ausfällt",
    wayBackHint:
      "Setzen Sie in einem Terminal des Servers ein Passwort, das eine Stunde lang gilt, auch wenn die Verbindung Pflicht ist:",
    create: "Neue Verbindung",
    createHint: (uri) =>
      `Melden Sie formd zuerst beim Identitätsanbieter an, als Webanwendung (OpenID Connect, vertraulich). Geben Sie als Redirect URI vorerst ${uri} ein. Die endgültige bekommen Sie mit der neuen Verbindung.`,
    createSubmit: "Verbindung anlegen",
    created: "Verbindung angelegt. Tragen Sie ihre Adressen beim Identitätsanbieter ein.",
    name: "Name",
    nameHint: "Steht auf der Anmeldeseite.",
    issuer: "Adresse des Anbieters (Issuer)",
    issuerHint: "Etwa https://id.example.org/realms/corp. Sie steht dort, wo Sie formd angemeldet haben.",
    clientId: "Client-Id",
    clientIdHint: "Der Anbieter zeigt sie dort, wo Sie formd angemeldet haben.",
    clientSecret: "Client Secret",
    clientSecretHint:
      "Der Anbieter zeigt es einmal. formd speichert es verschlüsselt und zeigt es nie wieder.",
    domains: "E-Mail-Domains",
    domainsHint:
      "Nur Personen mit einer bestätigten Adresse dieser Domains können sich anmelden, etwa example.org. Mehrere mit Komma trennen.",
    groupsClaim: "Claim mit den Gruppen",
    groupsClaimHint: "Der Name, unter dem der Anbieter die Gruppen einer Person schickt, meist groups.",
    scopes: "Weitere Scopes",
    scopesHint:
      "Leer lassen, außer wenn der Anbieter die Gruppen für einen Scope mit anderem Namen als groups schickt.",
    moreGroups: "Weitere Gruppen",
    groupRow: (row) => `Gruppe ${row}`,
    group: "Name der Gruppe",
    groupHint: "* steht für alle. Eine Zeile ohne Namen wird nicht beachtet.",
    required: "Passwörter und Passkeys dieser Domains ablehnen",
    requiredHint: "Melden Sie sich zuerst selbst beim Anbieter an, um zu sehen, dass es geht.",
    agents: "Der Anbieter darf die Person nennen, für die ein Agent ein Formular ausfüllt",
    agentsHint:
      "Nur bei Agenten, deren Freigabe es erlaubt. Auch als Enterprise-Managed Authorization (ID-JAG) bekannt.",
  },
  person: {
    hint: "Jede Person kann fragen, was Sie über sie gespeichert haben, und verlangen, dass Sie es löschen.",
    byValue: "Nach einem Wert",
    byValueHint: "Eine Angabe der Person in diesem Formular, etwa ihre E-Mail-Adresse.",
    formHint: (count) =>
      `Die ersten ${count} Formulare nach Namen. Durchsuchen Sie die anderen mit „formd person“ in einem Terminal.`,
    choose: "Auswählen",
    field: "Frage",
    value: "Wert",
    valueHint: "Findet auch Werte vor einer Änderung. Groß- und Kleinschreibung sind egal.",
    byRespondent: "Nach der Id der Person",
    respondentHint:
      "Die Id, unter der Ihre Programme die Person kennen. Durchsucht alle Formulare Ihrer Arbeitsbereiche.",
    find: "Suchen",
    foundTitle: "Gespeicherte Daten der Person",
    back: "Eine andere Person suchen",
    none: "Über diese Person ist nichts gespeichert.",
    named: (issuer, subject) => `Name bei einem Identitätsanbieter: ${subject} (${issuer}).`,
    foundHint:
      "Sehen Sie sich die Einsendungen an, bevor Sie sie löschen: Eine andere Person kann denselben Wert eingegeben haben.",
    submissions: "Einsendungen",
    invitations: "Einladungen",
    files: "Dateien",
    held: "Mit Löschsperre",
    download: "Alles herunterladen",
    fileName: "person",
    erase: "Löschen",
    eraseHint:
      "Löscht die Einsendungen, ihren Verlauf und ihre Dateien endgültig. Einsendungen mit Löschsperre bleiben erhalten. Das Löschen steht im Audit.",
    eraseSomeHint:
      "Löscht die Einsendungen, die Sie löschen dürfen, mit Verlauf und Dateien endgültig. Einsendungen mit Löschsperre bleiben erhalten.",
    eraseConfirm: "Daten dieser Person löschen",
    namesStay:
      "Der Name beim Identitätsanbieter bleibt: Eine Einsendung, eine Einladung oder eine Freigabe verweist noch darauf, oder Sie dürfen nicht in jedem Arbeitsbereich des Teams löschen.",
    erased: ({ submissions, files, held, invitations }) =>
      `Gelöscht: ${submissions} Einsendungen, ${files} Dateien, ${invitations} Einladungen.${held > 0 ? ` Mit Löschsperre behalten: ${held}.` : ""}`,
  },
  workspaces: {
    hint: "Ein Arbeitsbereich hat eigene Formulare, Agenten und Personen. Hier stehen die, in denen Sie eine Rolle haben.",
    adminsOnly: "Nur Admins aller Arbeitsbereiche des Teams können neue anlegen.",
    create: "Neuer Arbeitsbereich",
    createHint: "Admins aller Arbeitsbereiche sind auch im neuen Admins. Laden Sie alle anderen ein.",
    createSubmit: "Arbeitsbereich anlegen",
    created: (name) => `Arbeitsbereich ${name} angelegt.`,
    yourRole: (role) => `Ihre Rolle: ${role}`,
    peopleOf: (name) => `Personen in ${name}`,
    renameOf: (name) => `${name} umbenennen…`,
    renameSubmit: "Namen speichern",
    retention: "Automatische Löschung",
    retentionHint:
      "Für Formulare ohne eigene Regel, in allen Arbeitsbereichen. Einsendungen mit Löschsperre bleiben erhalten.",
    retentionNow: {
      none: "Einsendungen bleiben, bis jemand sie löscht.",
      rule: (time, from) => `Einsendungen werden nach ${time} gelöscht, gezählt ab ${from}.`,
    },
    retentionCount: "Leer lassen, um Einsendungen zu behalten, bis jemand sie löscht.",
    retentionConfirm: "Name des Teams, zur Bestätigung",
    retentionConfirmHint: (team) =>
      `Ältere Einsendungen werden innerhalb von Minuten endgültig gelöscht. Geben Sie zur Bestätigung ein: ${team}`,
    retentionSave: "Regel speichern",
    filesUsed: (used, max) => `Die Dateien aller Einsendungen des Teams belegen ${used} von ${max}.`,
    filesNearlyFull:
      "Ist kein Platz mehr, werden neue Dateien abgelehnt. Löschen Sie Einsendungen, um Platz zu schaffen.",
    retentionWrong: "Geben Sie den Namen des Teams ein.",
  },
};
