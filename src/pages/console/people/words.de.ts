/** Words in German: operators, workspaces, connections and the data of a person. */
import type { Words } from "../../ui/words.ts";
import type { peopleEnglish } from "./words.en.ts";

export const peopleGerman: Words<typeof peopleEnglish> = {
  operators: {
    hint: "Wer hier steht, meldet sich an dieser Konsole an und hat pro Arbeitsbereich eine Rolle.",
    none: "Niemand auf dieser Seite.",
    roleHints:
      "Lesende lesen. Bearbeitende ändern auch Formulare, Einsendungen, Agenten und Freigaben. Admins verwalten auch Schlüssel und Personen.",
    role: "Rolle",
    add: "Jemanden einladen",
    addHint:
      "Sie bekommen einen Link, den Sie der Person schicken. Sie nimmt die Einladung an und wählt ein Passwort, wenn sie noch keins hat. Wer im Arbeitsbereich schon eine Rolle hat, bekommt die neue.",
    addSubmit: "Einladung erzeugen",
    adminsOnly: "Nur Admins eines Arbeitsbereichs laden Personen dorthin ein.",
    invitedTitle: "Die Einladung",
    invitedHint: (email, days) =>
      `Schicken Sie diesen Link an ${email}, so, dass nur diese Person ihn liest. Er gilt einmal, ${days} Tage lang. Bis dahin hat sie keine Rolle. Eine neue Einladung beendet diese.`,
    invitedWithConnection: (email, connection) =>
      `${email} muss sich mit ${connection} anmelden; dort bestimmen Gruppen die Rolle. Der Link sagt das und vergibt keine: Lassen Sie die Person dort in eine Gruppe aufnehmen.`,
    mailed: (email) => `Eine Mail mit diesem Link ist unterwegs an ${email}.`,
    notMailed: (reason) => `Er wurde nicht als Mail verschickt: ${reason}`,
    invitations: "Eingeladen, noch nicht angenommen",
    until: "bis",
    endInvitation: "Beenden",
    endInvitationOf: (email) => `Einladung von ${email} beenden…`,
    endInvitationConfirm: "Diese Einladung beenden",
    resetLinkOf: (email) => `Link zu einem neuen Passwort für ${email}…`,
    resetLinkHint: "Erzeugt einen Link, mit dem diese Person ein neues Passwort wählt.",
    resetLinkConfirm: "Link erzeugen",
    resetTitle: "Link zu einem neuen Passwort",
    resetHint: (email, minutes) =>
      `Schicken Sie diesen Link an ${email}, so, dass nur diese Person ihn liest. Er gilt einmal, ${minutes} Minuten lang. Im Audit steht, dass Sie ihn erzeugt haben.`,
    removeByGroups:
      "Die Sitzungen enden sofort. Wer sich beim Identitätsanbieter noch anmelden kann, bekommt die Rolle der Gruppen wieder: nehmen Sie die Person zuerst dort heraus.",
    byGroups: "Die Rolle folgt den Gruppen beim Identitätsanbieter und wird dort geändert.",
    removeConfirm: "Aus diesem Arbeitsbereich entfernen",
    removed: (email) => `${email} ist aus diesem Arbeitsbereich entfernt.`,
    invitationEnded: "Die Einladung ist beendet: Ihr Link gilt nicht mehr.",
    changeRoleOf: (email) => `Rolle von ${email} ändern…`,
    changeRoleSubmit: "Rolle ändern",
    roleChanged: (email, role) => `Die Rolle von ${email} ist jetzt: ${role}.`,
    rules: {
      editorsMayPublish: {
        title: "Veröffentlichen",
        hint: "Admins dürfen das in jedem Fall.",
        label: "Bearbeitende dürfen Formulare veröffentlichen, archivieren und wiederherstellen",
      },
      requiresPasskey: {
        title: "Passkeys",
        hint: "Wer in diesem Arbeitsbereich eine Rolle hat, benutzt dann einen Passkey, bevor er ein Formular veröffentlicht, einem Agenten etwas freigibt, einen Schlüssel erzeugt, jemanden einlädt, eine Rolle ändert oder einen Link zu einem neuen Passwort erzeugt, in allen Arbeitsbereichen des Teams.",
        label: "Vor Veröffentlichung, Freigaben, Schlüsseln und Rollen einen Passkey verlangen",
      },
    },
  },
  connections: {
    hint: "Mit einer Verbindung meldet man sich mit dem Konto an, das man in der Firma schon hat, statt mit einem Passwort von formd. Der Identitätsanbieter der Firma, etwa Okta, Entra ID, Google oder Keycloak, sagt dann, wer jemand ist.",
    none: "Man meldet sich mit Passwort oder Passkey an. Es gibt noch keine Verbindung.",
    adminsOnly: "Verbindungen sehen und machen die Admins aller Arbeitsbereiche.",
    everybody: "Alle",
    gives: (group, workspace, role) => `${group}: ${role} in ${workspace}`,
    urls: "Adressen",
    urlsOf: (name) => `Adressen von ${name}`,
    signInUrl: "Hier meldet man sich an",
    redirectUri: "Redirect URI, für den Anbieter",
    logoutUri: "Back-Channel Logout URI, für den Anbieter",
    removeHint: "Auch die Konten derer, die sich damit anmelden, verschwinden sofort, mit ihren Rollen.",
    removeConfirm: "Mit ihren Konten entfernen",
    removed: "Die Verbindung ist entfernt, mit ihren Konten.",
    domainsOf: (domains) => `Für Adressen von ${domains}`,
    isRequired: "Passwörter und Passkeys dieser Adressen werden abgelehnt",
    isOptional: "Passwörter und Passkeys dieser Adressen gelten auch",
    acceptsAgents: "Sagt, für welche Person ein Agent ein Formular ausfüllt",
    change: "Ändern",
    changeOf: (name) => `${name} ändern…`,
    changeHint:
      "Sonst lässt sich an einer Verbindung nichts ändern: Machen Sie eine neue, und entfernen Sie diese.",
    wayBack: "Wenn der Anbieter ausfällt",
    wayBackHint:
      "Jemand an einem Terminal des Servers setzt ein Passwort, das eine Stunde lang gilt, auch wo die Verbindung verlangt wird:",
    create: "Neue Verbindung",
    createHint: (uri) =>
      `Melden Sie formd zuerst beim Identitätsanbieter an, als Webanwendung (OpenID Connect, vertraulich). Er fragt nach einer Redirect URI: Geben Sie vorerst ${uri} ein. Ist die Verbindung angelegt, zeigt diese Konsole die richtige.`,
    createSubmit: "Verbindung anlegen",
    created: "Die Verbindung ist angelegt. Tragen Sie ihre Adressen beim Identitätsanbieter ein.",
    name: "Name",
    nameHint: "Man sieht ihn beim Anmelden.",
    issuer: "Adresse des Anbieters (Issuer)",
    issuerHint: "Etwa https://id.example.org/realms/corp. Sie steht dort, wo Sie formd angemeldet haben.",
    clientId: "Client-Id",
    clientIdHint: "Der Name, den der Anbieter formd gegeben hat.",
    clientSecret: "Client Secret",
    clientSecretHint:
      "Das Passwort, das der Anbieter formd gegeben hat. Wird verschlüsselt aufbewahrt und nie wieder gezeigt.",
    domains: "E-Mail-Domains",
    domainsHint:
      "Nur wer eine bestätigte Adresse davon hat, kommt hinein, etwa example.org. Mehrere mit Komma trennen.",
    groupsClaim: "Wo die Gruppen stehen (Claim)",
    groupsClaimHint: "Der Name, unter dem der Anbieter die Gruppen einer Person schickt; meist groups.",
    moreGroups: "Weitere Gruppen",
    groupRow: (row) => `Gruppe ${row}`,
    group: "Name der Gruppe",
    groupHint: "* steht für alle. Eine Zeile ohne Namen zählt nicht.",
    required: "Passwörter und Passkeys dieser Domains ablehnen",
    requiredHint: "Melden Sie sich zuerst selbst beim Anbieter an, um zu sehen, dass es geht.",
    agents: "Er darf sagen, für welche Person ein Agent ein Formular ausfüllt",
    agentsHint:
      "Nur bei Agenten, deren Freigabe es erlaubt. Anderswo heißt es Enterprise-Managed Authorization (ID-JAG).",
  },
  person: {
    hint: "Jede Person darf fragen, was Sie über sie gespeichert haben, und verlangen, dass Sie es löschen.",
    byValue: "Nach einem Wert",
    byValueHint: "Die Person hat ihn in diesem Formular gegeben, etwa ihre E-Mail-Adresse.",
    formHint: (count) =>
      `Die ersten ${count} Formulare nach Namen. „formd person“ in einem Terminal durchsucht die anderen.`,
    choose: "Auswählen",
    field: "Frage",
    value: "Wert",
    valueHint: "Auch Werte vor einer Änderung zählen; große und kleine Buchstaben sind gleich.",
    byRespondent: "Nach der Id der Person",
    respondentHint:
      "Die Id, unter der Ihre Programme die Person kennen, in allen Formularen Ihrer Arbeitsbereiche.",
    find: "Suchen",
    foundTitle: "Was über die Person gespeichert ist",
    back: "Eine andere Person suchen",
    none: "Über diese Person ist nichts gespeichert.",
    named: (issuer, subject) => `Ein Identitätsanbieter nennt die Person: ${subject} (${issuer}).`,
    foundHint:
      "Sehen Sie sich die Einsendungen an, bevor Sie sie löschen: Eine andere Person kann denselben Wert gegeben haben.",
    submissions: "Einsendungen",
    files: "Dateien",
    held: "Gesperrt: bleiben",
    download: "Alles herunterladen",
    fileName: "person",
    erase: "Löschen",
    eraseHint:
      "Die Einsendungen, ihr Verlauf und ihre Dateien werden endgültig gelöscht. Was gesperrt ist, bleibt. Im Audit bleibt, dass sie gelöscht wurden.",
    eraseSomeHint:
      "Nur, wo Sie Einsendungen löschen dürfen: Sie, ihr Verlauf und ihre Dateien werden endgültig gelöscht. Was gesperrt ist, bleibt.",
    eraseConfirm: "Löschen, was über diese Person gespeichert ist",
    namesStay:
      "Wie ein Identitätsanbieter die Person nennt, bleibt: Eine Einsendung hat noch die Person, oder Sie dürfen nicht in jedem Arbeitsbereich des Teams löschen.",
    erased: ({ submissions, files, held }) =>
      `Gelöscht: ${submissions} Einsendungen, ${files} Dateien.${held > 0 ? ` ${held} sind gesperrt und bleiben.` : ""}`,
  },
  workspaces: {
    hint: "Ein Arbeitsbereich hat eigene Formulare, Agenten und Personen. Hier stehen die, in denen Sie eine Rolle haben.",
    adminsOnly: "Nur Admins aller Arbeitsbereiche des Teams legen neue an.",
    create: "Neuer Arbeitsbereich",
    createHint: "Admins aller Arbeitsbereiche sind auch im neuen Admins. Andere werden dorthin eingeladen.",
    createSubmit: "Arbeitsbereich anlegen",
    created: (name) => `Der Arbeitsbereich ${name} ist angelegt.`,
    yourRole: (role) => `Ihre Rolle: ${role}`,
    peopleOf: (name) => `Personen in ${name}`,
    renameOf: (name) => `${name} umbenennen…`,
    renameSubmit: "Namen speichern",
    retention: "Automatisch löschen",
    retentionHint:
      "Einsendungen der Formulare ohne eigene Regel, in allen Arbeitsbereichen. Was gesperrt ist, bleibt.",
    retentionNow: {
      none: "Nichts löscht sie von selbst.",
      rule: (time, from) => `Sie werden nach ${time} gelöscht, gezählt ab ${from}.`,
    },
    retentionCount: "Eine ganze Zahl. Leer: Nichts löscht sie von selbst.",
    retentionConfirm: "Name des Teams, zur Bestätigung",
    retentionConfirmHint: (team) =>
      `Was älter ist, wird innerhalb von Minuten endgültig gelöscht. Das Team heißt ${team}.`,
    retentionSave: "Regel speichern",
    filesUsed: (used, max) => `Die Dateien aller Einsendungen des Teams belegen ${used} von ${max}.`,
    filesNearlyFull:
      "Ist nichts mehr frei, werden keine Dateien mehr angenommen. Gelöschte Einsendungen schaffen Platz.",
    retentionWrong: "Geben Sie den Namen des Teams ein.",
  },
};
