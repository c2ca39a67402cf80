/** Words in German: the languages of a form, and its translations. */
import type { Words } from "../../ui/words.ts";
import type { translationsEnglish } from "./words.en.ts";

const rows = (count: number) => (count === 1 ? "1 Text" : `${count} Texte`);

export const translationsGerman: Words<typeof translationsEnglish> = {
  title: "Übersetzen",
  hint: "Ohne Übersetzung wird ein Text in der ersten Sprache gezeigt. Ein leeres Feld entfernt eine Übersetzung.",
  oneLanguage: "Dieses Formular hat eine Sprache. Fügen Sie weitere hinzu.",
  toLanguages: "Zu den Sprachen",
  language: "Sprache",
  shown: "Texte",
  filters: { all: "Alle Texte", missing: "Fehlende Übersetzungen" },
  share: (translated, total) => `${translated} von ${total} Texten sind übersetzt.`,
  unset: "Nicht gesetzt",
  noText: "Dieses Formular hat noch keine Texte.",
  noneMissing: "Es fehlt keine Übersetzung.",
  place: "Stelle",
  places: {
    "page.title": "Seite: Titel",
    "page.introduction": "Seite: Einleitung",
    "page.submitLabel": "Seite: Schaltfläche zum Absenden",
    "page.thankYou": "Seite: Dankestext",
    "page.closedText": "Seite: Meldung, wenn das Formular geschlossen ist",
    "page.fullText": "Seite: Meldung, wenn das Formular ausgebucht ist",
    "page.offlineText": "Seite: Meldung, wenn das Formular offline ist",
    "copy.subject": "Kopie per E-Mail: Betreff",
    "copy.text": "Kopie per E-Mail: Text",
  },
  entries: {
    options: (position) => `Auswahl ${position}`,
    rows: (position) => `Zeile ${position}`,
    columns: (position) => `Spalte ${position}`,
    messages: (position) => `Meldung der Regel ${position}`,
  },
  control: (language, place) => `${language}: ${place}`,
  saveNext: "Speichern und weiter",
  saved: (count) => `${rows(count)} gespeichert.`,
  unchanged: "Kein Text hat sich geändert.",
  errors: {
    gone: "Dieser Text wurde inzwischen aus dem Formular entfernt. Leeren Sie sein Feld und speichern Sie die anderen.",
    changed: (place) =>
      `${place}: Der Text wurde inzwischen geändert. Prüfen Sie die Übersetzung und speichern Sie erneut.`,
    both: (place) =>
      `${place}: Eine andere Person hat inzwischen eine andere Übersetzung gespeichert. Vergleichen Sie beide und speichern Sie erneut.`,
    language: "Das Formular hat diese Sprache nicht mehr. Fügen Sie sie wieder hinzu und speichern Sie dann.",
  },
  removedText: "Entfernter Text",
  theirs: "Inzwischen gespeichert:",
  removed: "entfernt",
  csv: {
    title: "In einer Tabelle (CSV)",
    intro:
      "Laden Sie alle Texte herunter, füllen Sie die Spalten der Sprachen aus und importieren Sie die Datei.",
    download: "Als CSV herunterladen",
    file: "CSV-Datei",
    fileHint: "Leere Zellen ändern nichts.",
    send: "Datei importieren",
    tooLarge: (megabytes) => `Die Datei darf höchstens ${megabytes} MB haben.`,
    nothing: "Wählen Sie eine Datei.",
    unread: {
      noText: "Die Datei ist kein Text in UTF-8. Speichern Sie sie als CSV in UTF-8.",
      noColumns: "Die erste Zeile braucht eine Spalte place und eine Spalte default.",
      rows: (max) => `Die Zahl der Zeilen darf höchstens ${max} sein. Teilen Sie die Datei.`,
      quotes: (row) => `Ein Anführungszeichen in Zeile ${row} ist falsch. Nichts wurde gelesen.`,
    },
    result: (count) =>
      count === 1 ? "1 Übersetzung geändert." : `${count.toLocaleString("de")} Übersetzungen geändert.`,
    notApplied: "Nicht übernommen",
    replaced: "Ersetzte Übersetzungen",
    replacedText: (place, before, after) => `${place}: „${before}“ → „${after}“`,
    inRow: (row, sentence) => `Zeile ${row}: ${sentence}`,
    more: (count) => `und ${count} weitere`,
    back: "Zu den Übersetzungen",
    reasons: {
      column: (name) => `Spalte „${name}“: Das Formular hat diese Sprache nicht.`,
      ownColumn: (name) =>
        `Spalte „${name}“: Das sind die eigenen Texte des Formulars. Ändern Sie sie im Formular.`,
      columnTwice: (name) => `Spalte „${name}“: Die Sprache hat eine weitere Spalte.`,
      place: (name) => `Das Formular hat keinen Text „${name}“.`,
      placeTwice: (name) => `„${name}“ hat eine weitere Zeile.`,
      changed: (name) => `Der Text „${name}“ wurde inzwischen geändert.`,
      cells: (name) => `„${name}“ hat mehr Zellen als die erste Zeile.`,
    },
  },
  languages: {
    hint: "Die Seite hat diese Sprachen. Änderungen gelten ab dem Veröffentlichen.",
    first: "Erste Sprache: die eigenen Texte des Formulars",
    share: (translated, total) => `${translated} von ${total} Texten übersetzt`,
    choose: "Sprache",
    tag: "Oder ihr Kürzel",
    tagHint: "Etwa de-CH: Schweizer Hochdeutsch.",
    add: "Sprache hinzufügen",
    missing: "Wählen Sie eine Sprache, oder geben Sie ihr Kürzel ein.",
    unknown: (tag: string) =>
      `„${tag}“ ist keine Sprache. Geben Sie ein Kürzel wie de-CH für Schweizer Hochdeutsch ein.`,
    present: (name: string) => `Diese Sprache hat das Formular schon: ${name}.`,
    full: (max: number) =>
      `Ein Formular kann ${max} Sprachen haben. Entfernen Sie eine, um eine andere hinzuzufügen.`,
    makeFirst: "Zur ersten machen",
    makeFirstHint:
      "Die Texte tauschen die Plätze: Die Texte dieser Sprache werden die eigenen des Formulars.",
    makeFirstMissing: (count: number, name: string) =>
      `${name}: ${count === 1 ? "1 Text fehlt. Er bleibt, wie er ist, bis Sie ihn übersetzen." : `${count.toLocaleString("de")} Texte fehlen. Sie bleiben, wie sie sind, bis Sie sie übersetzen.`}`,
    remove: "Entfernen",
    removeHint: "Die Texte bleiben erhalten, bis Sie sie löschen.",
    kept: "Texte entfernter Sprachen",
    keptHint: "Keine Seite zeigt sie. Fügen Sie die Sprache hinzu, um sie wieder zu verwenden.",
    deleteTexts: "Texte löschen",
    deleteConfirm: "Endgültig löschen",
    done: {
      add: (name: string) => `${name} hinzugefügt. Übersetzen Sie die Texte, und veröffentlichen Sie dann.`,
      remove: (name: string) => `${name} entfernt. Die Texte bleiben erhalten.`,
      first: (name: string) => `${name} ist jetzt die erste Sprache.`,
      deleteTexts: (name: string) => `Texte gelöscht: ${name}.`,
    },
  },
};
