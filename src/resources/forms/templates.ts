/** Forms to begin with, in each language of the pages. Each file has the format of a form as a file. */
import type { FormSettings, pageLanguages } from "./settings.ts";
import contactGerman from "./templates/contact.de.json" with { type: "json" };
import contact from "./templates/contact.json" with { type: "json" };
import registrationGerman from "./templates/event-registration.de.json" with { type: "json" };
import registration from "./templates/event-registration.json" with { type: "json" };
import feedbackGerman from "./templates/feedback.de.json" with { type: "json" };
import feedback from "./templates/feedback.json" with { type: "json" };
import applicationGerman from "./templates/job-application.de.json" with { type: "json" };
import application from "./templates/job-application.json" with { type: "json" };
import newsletterGerman from "./templates/newsletter.de.json" with { type: "json" };
import newsletter from "./templates/newsletter.json" with { type: "json" };
import volunteerGerman from "./templates/volunteer.de.json" with { type: "json" };
import volunteer from "./templates/volunteer.json" with { type: "json" };

export interface Template {
  name: string;
  description: string;
  schema: { fields: { id: string; type: string; label: string }[] };
  settings: { page: Record<string, unknown>; examples: object[] };
}

type TemplatesByName = Readonly<Record<string, Template>>;

const templates: Record<(typeof pageLanguages)[number], TemplatesByName> = {
  en: {
    "event-registration": registration,
    contact,
    feedback,
    "job-application": application,
    newsletter,
    volunteer,
  },
  de: {
    "event-registration": registrationGerman,
    contact: contactGerman,
    feedback: feedbackGerman,
    "job-application": applicationGerman,
    newsletter: newsletterGerman,
    volunteer: volunteerGerman,
  },
};

/** @param takesFiles false: without the templates that ask for files, which could not be published */
export const templatesIn = (language: keyof typeof templates, takesFiles: boolean): [string, Template][] =>
  Object.entries(templates[language]).filter(
    ([, { schema }]) => takesFiles || schema.fields.every(({ type }) => type !== "file"),
  );

/**
 * Returns the draft that a template begins. It has no examples: they would refuse a form whose questions have
 * been changed.
 */
export const draftOf = ({ name, description, schema, settings: { page } }: Template) => ({
  ...{ name, description, schema },
  settings: { page } as typeof FormSettings.infer,
});
