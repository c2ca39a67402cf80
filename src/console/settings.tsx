/** A form's name, description and settings. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { pageLanguages } from "../forms/settings.ts";
import { Checkbox, Input, Notice, Select, TextArea } from "../pages/controls.tsx";
import { Seen } from "./editor.tsx";
import { type FormView, findForm, formPage, patchForm, pathOfForm } from "./form.tsx";
import { act, type Retry, show } from "./handler.ts";
import { PostForm } from "./layout.tsx";
import { text } from "./text.ts";

const words = text.settings;

interface SettingsProps {
  form: FormView;
  values: URLSearchParams;
  message?: string;
  seenAt?: string | undefined;
}

const toValues = ({ name, description, settings }: FormView): URLSearchParams =>
  new URLSearchParams({
    name,
    description: description ?? "",
    ...(settings.captcha?.enabled && { captcha: "true" }),
    ...(settings.anonymous?.enabled !== false && { anonymous: "true" }),
    ...(settings.challenge?.required && { challenge: "true" }),
    ...(settings.review?.required && { review: "true" }),
    ...(settings.page?.enabled && { "page.enabled": "true" }),
    ...Object.fromEntries(
      [...pageTexts, ...pageLongTexts, "language" as const].map((name) => [
        `page.${name}`,
        settings.page?.[name] ?? "",
      ]),
    ),
    "page.embedOrigins": settings.page?.embedOrigins?.join("\n") ?? "",
    ...Object.fromEntries(
      availabilityNames.map((name) => [`availability.${name}`, String(settings.availability?.[name] ?? "")]),
    ),
  });

/** Members of `settings.page` that are entered as a line, and those of several lines. */
const pageTexts = ["alias", "title", "submitLabel", "redirectUrl"] as const;
const pageLongTexts = ["introduction", "thankYou"] as const;
const availabilityNames = ["opensAt", "closesAt", "maxSubmissions"] as const;

/** An empty text removes the setting. */
const textOrNull = (values: URLSearchParams, name: string) =>
  values.get(name)?.trim() ? values.get(name)?.replaceAll("\r\n", "\n") : null;

/** One origin per line. */
const originsIn = (values: URLSearchParams) =>
  textOrNull(values, "page.embedOrigins")
    ?.split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "") ?? null;

/** What is no number stays text, and is refused. */
const numberOrNull = (values: URLSearchParams, name: string) => {
  const entered = textOrNull(values, name)?.trim();
  return entered !== undefined && /^\d+$/.test(entered) ? Number(entered) : (entered ?? null);
};

const toOperation = (values: URLSearchParams) => ({
  op: "setMeta",
  name: values.get("name") ?? "",
  description: textOrNull(values, "description"),
  settings: {
    captcha: { enabled: values.has("captcha") },
    anonymous: { enabled: values.has("anonymous") },
    challenge: { required: values.has("challenge") },
    review: { required: values.has("review") },
    page: {
      enabled: values.has("page.enabled"),
      ...Object.fromEntries(
        [...pageTexts, ...pageLongTexts, "language"].map((name) => [
          name,
          textOrNull(values, `page.${name}`),
        ]),
      ),
      embedOrigins: originsIn(values),
    },
    availability: {
      opensAt: textOrNull(values, "availability.opensAt")?.trim() ?? null,
      closesAt: textOrNull(values, "availability.closesAt")?.trim() ?? null,
      maxSubmissions: numberOrNull(values, "availability.maxSubmissions"),
    },
  },
});

/** The page on which people fill in the form. */
const PageSettings = ({ values }: { values: URLSearchParams }) => (
  <fieldset class="group">
    <legend>{words.page.heading}</legend>
    <Checkbox name="page.enabled" label={words.page.enabled} checked={values.has("page.enabled")} />
    <Select
      name="page.language"
      label={words.page.language}
      value={values.get("page.language") ?? ""}
      choices={pageLanguages.map((value) => ({ value, label: words.page.languages[value] }))}
    />
    {pageTexts.map((name) => (
      <Input
        key={name}
        name={`page.${name}`}
        label={words.page[name]}
        hint={words.page.hints[name]}
        value={values.get(`page.${name}`) ?? ""}
        required={false}
      />
    ))}
    {[...pageLongTexts, "embedOrigins" as const].map((name) => (
      <TextArea
        key={name}
        name={`page.${name}`}
        label={words.page[name]}
        hint={words.page.hints[name]}
        value={values.get(`page.${name}`) ?? ""}
        required={false}
        rows={3}
      />
    ))}
  </fieldset>
);

/** When submissions are accepted. */
const AvailabilitySettings = ({ values }: { values: URLSearchParams }) => (
  <fieldset class="group">
    <legend>{words.availability.heading}</legend>
    {availabilityNames.map((name) => (
      <Input
        key={name}
        name={`availability.${name}`}
        label={words.availability[name]}
        hint={words.availability.hints[name]}
        value={values.get(`availability.${name}`) ?? ""}
        {...(name === "maxSubmissions" && { inputmode: "numeric" })}
        required={false}
      />
    ))}
  </fieldset>
);

const Settings = ({ form, values, message, seenAt }: SettingsProps) => (
  <>
    <p>
      <a href={pathOfForm(form)}>{words.back}</a>
    </p>
    <h2>{words.title}</h2>
    {message && <Notice kind="error">{message}</Notice>}
    <PostForm action={`${pathOfForm(form)}/settings`} class="stacked">
      <Seen form={form} at={seenAt} />
      <Input name="name" label={words.name} value={values.get("name") ?? ""} required />
      <TextArea
        name="description"
        label={words.description}
        value={values.get("description") ?? ""}
        required={false}
        rows={3}
      />
      <p class="quiet">{words.live}</p>
      {(["anonymous", "captcha", "challenge", "review"] as const).map((name) => (
        <Checkbox key={name} name={name} label={words[name]} checked={values.has(name)} />
      ))}
      <AvailabilitySettings values={values} />
      <PageSettings values={values} />
      <div class="actions">
        <button type="submit">{words.save}</button>
        <a href={pathOfForm(form)}>{text.cancel}</a>
      </div>
    </PostForm>
  </>
);

const settingsPage = (props: SettingsProps) =>
  formPage(props.form, "edit", words.title, <Settings {...props} />);

export const formSettings = (deps: Deps) => {
  const path = "/console/forms/:form_id/settings";
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => {
        const form = await findForm(deps, view);
        return settingsPage({ form, values: toValues(form) });
      }),
    )
    .post(
      path,
      act(
        deps,
        async (view) => {
          const form = await findForm(deps, view);
          await patchForm(deps, view.actor, form, toOperation(view.values), view.values.get("updatedAt"));
          return pathOfForm(form);
        },
        async (retry: Retry) => {
          const seenAt =
            retry.problem?.code === "conflict" ? undefined : (retry.values.get("updatedAt") ?? undefined);
          return settingsPage({
            form: await findForm(deps, retry),
            values: retry.values,
            message: retry.message,
            seenAt,
          });
        },
      ),
    );
};
