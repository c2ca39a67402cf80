/** Forms to begin with. Each file has the format of a form as a file, in English with German translations. */
import { withoutTranslations } from "../../fields/translations.ts";
import { draftInLanguage } from "./form-texts.ts";
import type { FormSettings, pageLanguages } from "./settings.ts";
import contact from "./templates/contact.json" with { type: "json" };
import privacy from "./templates/data-subject-request.json" with { type: "json" };
import registration from "./templates/event-registration.json" with { type: "json" };
import feedback from "./templates/feedback.json" with { type: "json" };
import incident from "./templates/incident-report.json" with { type: "json" };
import access from "./templates/it-access-request.json" with { type: "json" };
import application from "./templates/job-application.json" with { type: "json" };
import newsletter from "./templates/newsletter.json" with { type: "json" };
import order from "./templates/order.json" with { type: "json" };
import booking from "./templates/room-booking.json" with { type: "json" };
import visitor from "./templates/visitor-book.json" with { type: "json" };
import volunteer from "./templates/volunteer.json" with { type: "json" };

interface TemplateField extends Record<string, unknown> {
  id: string;
  type: string;
  label: string;
  showIf?: string;
}

export interface Template {
  name: string;
  description: string;
  schema: { fields: TemplateField[] };
  settings: { page: Record<string, unknown>; examples: object[] };
}

type TemplateLanguage = (typeof pageLanguages)[number];

/**
 * First those that people from outside fill in, then those within an organization. The name and description
 * of a form have no translations: those in German stand beside the file.
 */
const templates = {
  contact: [contact, "Kontakt", "Schreiben Sie uns. Wir antworten per E-Mail."],
  "event-registration": [
    registration,
    "Anmeldung zur Veranstaltung",
    "Wählen Sie einen Kurs, und sagen Sie uns, wer kommt. Die Plätze sind begrenzt.",
  ],
  feedback: [feedback, "Rückmeldung", "Zwei Minuten helfen uns, besser zu werden."],
  newsletter: [newsletter, "Newsletter", "Neuigkeiten per E-Mail, einmal im Monat."],
  volunteer: [volunteer, "Helferliste", "Packen Sie mit an. Wählen Sie, was Sie tun möchten."],
  order: [order, "Bestellung", "Wählen Sie, was Sie möchten und wie Sie es bekommen."],
  "job-application": [
    application,
    "Bewerbung",
    "Bewerben Sie sich in fünf Minuten. Sie brauchen Ihren Lebenslauf als PDF.",
  ],
  "room-booking": [
    booking,
    "Raumbuchung",
    "Fragen Sie einen Raum an. Er ist gebucht, sobald wir ihn bestätigt haben.",
  ],
  "visitor-book": [visitor, "Besucherbuch", "Willkommen. Bitte tragen Sie sich ein, bevor Sie hineingehen."],
  "it-access-request": [
    access,
    "Antrag auf IT-Zugang",
    "Beantragen Sie Zugang zu einem System, oder lassen Sie ihn entfernen.",
  ],
  "incident-report": [
    incident,
    "Meldung eines Vorfalls",
    "Melden Sie einen Unfall, einen Beinahe-Unfall oder einen Schaden. Rufen Sie im Notfall zuerst Hilfe.",
  ],
  "data-subject-request": [
    privacy,
    "Anfrage zum Datenschutz",
    "Nutzen Sie Ihre Rechte nach der DSGVO. Wir antworten innerhalb eines Monats.",
  ],
} satisfies Record<string, [file: Template, germanName: string, germanDescription: string]>;

type TemplateName = keyof typeof templates;
export const templateNames = Object.keys(templates) as TemplateName[];

/** A template in one language alone. */
export function templateNamed(name: TemplateName, language: TemplateLanguage = "en"): Template {
  const [file, germanName, germanDescription] = templates[name];
  const own = language === "de" && { name: germanName, description: germanDescription };
  const { schema, settings, ...english } = draftInLanguage<Template>(file, language);
  const { translations: _, ...page } = settings.page;
  return {
    ...{ ...english, ...own },
    schema: { fields: schema.fields.map((field) => withoutTranslations(field) as TemplateField) },
    settings: { examples: settings.examples, page: own ? { ...page, language } : page },
  };
}

/** @param takesFiles false: without the templates that ask for files, which could not be published */
export const templatesIn = (language: TemplateLanguage, takesFiles: boolean): [TemplateName, Template][] =>
  templateNames
    .map((name): [TemplateName, Template] => [name, templateNamed(name, language)])
    .filter(([, { schema }]) => takesFiles || schema.fields.every(({ type }) => type !== "file"));

/**
 * Returns the draft that a template begins. It has no examples: they would refuse a form whose questions have
 * been changed.
 */
export const draftOf = ({ name, description, schema, settings: { page } }: Template) => ({
  ...{ name, description, schema },
  settings: { page } as typeof FormSettings.infer,
});
