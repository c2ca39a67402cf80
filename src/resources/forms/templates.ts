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
  settings: { page: NonNullable<(typeof FormSettings.infer)["page"]>; examples: object[] };
}

type TemplateLanguage = (typeof pageLanguages)[number];

/** First those that people from outside fill in, then those within an organization. */
const templates = {
  contact,
  "event-registration": registration,
  feedback,
  newsletter,
  volunteer,
  order,
  "job-application": application,
  "room-booking": booking,
  "visitor-book": visitor,
  "it-access-request": access,
  "incident-report": incident,
  "data-subject-request": privacy,
};

type TemplateName = keyof typeof templates;
export const templateNames = Object.keys(templates) as TemplateName[];

/** A template in one language alone. In German its name and description are those of its page. */
export function templateNamed(name: TemplateName, language: TemplateLanguage = "en"): Template {
  const file: Template = templates[name];
  const { schema, settings } = draftInLanguage(file, language);
  const { title = file.name, introduction = file.description, translations: _, ...page } = settings.page;
  return {
    ...{ name: title, description: introduction },
    schema: { fields: schema.fields.map((field) => withoutTranslations(field) as TemplateField) },
    settings: { examples: settings.examples, page: language === "de" ? { ...page, language } : page },
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
  settings: { page } satisfies typeof FormSettings.infer,
});
