/** A form's name, description and settings. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { Checkbox, Input, Notice, TextArea } from "../pages/controls.tsx";
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
  });

const toOperation = (values: URLSearchParams) => ({
  op: "setMeta",
  name: values.get("name") ?? "",
  description: values.get("description")?.trim() ? values.get("description")?.replaceAll("\r\n", "\n") : null,
  settings: {
    captcha: { enabled: values.has("captcha") },
    anonymous: { enabled: values.has("anonymous") },
    challenge: { required: values.has("challenge") },
    review: { required: values.has("review") },
  },
});

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
