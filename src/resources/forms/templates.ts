/** Forms to begin with, in each language of the pages. Each file has the format of a form as a file. */
import type { FormSettings, pageLanguages } from "./settings.ts";
import contactGerman from "./templates/contact.de.json" with { type: "json" };
import contact from "./templates/contact.json" with { type: "json" };
import privacyGerman from "./templates/data-subject-request.de.json" with { type: "json" };
import privacy from "./templates/data-subject-request.json" with { type: "json" };
import registrationGerman from "./templates/event-registration.de.json" with { type: "json" };
import registration from "./templates/event-registration.json" with { type: "json" };
import feedbackGerman from "./templates/feedback.de.json" with { type: "json" };
import feedback from "./templates/feedback.json" with { type: "json" };
import incidentGerman from "./templates/incident-report.de.json" with { type: "json" };
import incident from "./templates/incident-report.json" with { type: "json" };
import accessGerman from "./templates/it-access-request.de.json" with { type: "json" };
import access from "./templates/it-access-request.json" with { type: "json" };
import applicationGerman from "./templates/job-application.de.json" with { type: "json" };
import application from "./templates/job-application.json" with { type: "json" };
import newsletterGerman from "./templates/newsletter.de.json" with { type: "json" };
import newsletter from "./templates/newsletter.json" with { type: "json" };
import orderGerman from "./templates/order.de.json" with { type: "json" };
import order from "./templates/order.json" with { type: "json" };
import bookingGerman from "./templates/room-booking.de.json" with { type: "json" };
import booking from "./templates/room-booking.json" with { type: "json" };
import visitorGerman from "./templates/visitor-book.de.json" with { type: "json" };
import visitor from "./templates/visitor-book.json" with { type: "json" };
import volunteerGerman from "./templates/volunteer.de.json" with { type: "json" };
import volunteer from "./templates/volunteer.json" with { type: "json" };

export interface Template {
  name: string;
  description: string;
  schema: { fields: { id: string; type: string; label: string; showIf?: string }[] };
  settings: { page: Record<string, unknown>; examples: object[] };
}

type TemplateLanguage = (typeof pageLanguages)[number];

/** First those that people from outside fill in, then those within an organization. */
const templates = {
  contact: { en: contact, de: contactGerman },
  "event-registration": { en: registration, de: registrationGerman },
  feedback: { en: feedback, de: feedbackGerman },
  newsletter: { en: newsletter, de: newsletterGerman },
  volunteer: { en: volunteer, de: volunteerGerman },
  order: { en: order, de: orderGerman },
  "job-application": { en: application, de: applicationGerman },
  "room-booking": { en: booking, de: bookingGerman },
  "visitor-book": { en: visitor, de: visitorGerman },
  "it-access-request": { en: access, de: accessGerman },
  "incident-report": { en: incident, de: incidentGerman },
  "data-subject-request": { en: privacy, de: privacyGerman },
} satisfies Record<string, Record<TemplateLanguage, Template>>;

type TemplateName = keyof typeof templates;
export const templateNames = Object.keys(templates) as TemplateName[];

export const templateNamed = (name: TemplateName, language: TemplateLanguage = "en"): Template =>
  templates[name][language];

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
