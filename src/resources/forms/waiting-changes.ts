/** Changes of a form that take effect when a person publishes it. Pure. */
import { languagesIn } from "../../fields/translations.ts";
import { changesOf } from "./form-changes.ts";
import type { FormView } from "./form-view.ts";
import { isLeading, settingChangesOf } from "./settings-changes.ts";

type Compared = Pick<FormView, "hasChanges" | "settings" | "publishedSettings" | "settingsInForce">;

const waitingSettings = ({ publishedSettings, settings, settingsInForce }: Compared) =>
  settingChangesOf(publishedSettings, settings, settingsInForce).filter(({ waits }) => waits);

/** True if a published form has changes that people do not see. */
export const hasWaiting = (form: Compared): boolean => form.hasChanges || waitingSettings(form).length > 0;

/** True if the languages that people choose from change, or their order. */
export const areLanguagesChanged = ({
  publishedSchema,
  settings,
}: Pick<FormView, "publishedSchema" | "settings">) =>
  publishedSchema !== null && String(languagesIn(publishedSchema)) !== String(settings.languages ?? []);

interface WaitingChanges {
  /** Changes that people will notice: of questions, of the name and description, and of settings. */
  count: number;
  /** True: some may break respondents or lead people elsewhere, so that they are shown before. */
  needsReview: boolean;
}

/** Counts the changes of a draft. A form that was never published has none. */
export function waitingChanges(form: FormView): WaitingChanges {
  const { publishedSchema, publishedSettings, settings } = form;
  const leads = isLeading(publishedSettings, settings);
  if (publishedSchema === null) return { count: 0, needsReview: leads };
  const changes = form.hasChanges ? changesOf(publishedSchema, form.schema) : [];
  const texts = [
    form.name !== form.publishedName,
    form.description !== form.publishedDescription,
    areLanguagesChanged(form),
  ];
  return {
    count: changes.length + texts.filter(Boolean).length + waitingSettings(form).length,
    needsReview: leads || changes.some(({ breaking }) => breaking),
  };
}
