/** A new form: empty, or from a template. `/console/welcome` shows the same choice after the set-up. */
import { isTimeZone } from "../../../fields/time-zones.ts";
import { Name, Uuid } from "../../../platform/http/shapes.ts";
import { createForm } from "../../../resources/forms/forms.ts";
import { draftOf, type Template, templatesIn } from "../../../resources/forms/templates.ts";
import { newFormStyleAsset } from "../../ui/assets.ts";
import { choicesOfNames } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { home } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import { Controls, type FormControl, formOf, objectOf, sent, textInput } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, PostForm, refusedPage, workspacesFor } from "../frame/layout.tsx";
import { FormActions, LinkLine } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.newForm;
export const newFormPath = "/console/new-form";

/** Value of the button that begins without a template. */
const empty = "empty";

/** The time zone of the person who makes the form. Null: a browser without scripts fills in none. */
export const ownZone: FormControl<string | null> = {
  draw: (name) => <input type="hidden" name={name} value="" data-own-zone />,
  read: (values, name) => {
    const zone = values.get(name) ?? "";
    return isTimeZone(zone) ? zone : null;
  },
};

const offered = ({ deps }: PageContext) => templatesIn(language(), deps.files !== undefined);

const templateOf = (view: PageContext): FormControl<Template | null> => ({
  read: (values, name) => offered(view).find(([key]) => key === values.get(name))?.[1] ?? null,
});

/** The workspace of a new form: a choice, or hidden. */
export const workspaceControl = ({ session }: PageContext): FormControl<string> => {
  const workspaces = workspacesFor(session, "form.created");
  return workspaces.length > 1
    ? objectOf(choicesOfNames(workspaces), { label: frameText.workspace })
    : sent(Uuid);
};

/** @param isNamed false: the name may be left out, since a template or the welcome page gives one */
const newForm = (view: PageContext, isNamed: boolean) =>
  formOf({
    name: textInput({ label: words.name, hint: words.nameHint, required: isNamed, shape: Name }),
    workspace: workspaceControl(view),
    timeZone: ownZone,
    template: templateOf(view),
  });

const newFormOf = (post: FormPost) => newForm(post, !post.values.has("template"));

/** The first questions of a template that are always asked, as a small sheet. */
const Sheet = ({ schema: { fields } }: Pick<Template, "schema">) => (
  <div class="miniature" aria-hidden="true">
    {fields
      .filter(({ showIf }) => showIf === undefined)
      .slice(0, 4)
      .map(({ label, type }) => (
        <span class={type}>{label}</span>
      ))}
  </div>
);

interface CardProps {
  /** Value of the button. */
  value: string;
  name: string;
  description: string;
  schema: Template["schema"];
}

/** A card whose button makes the form. */
const Card = ({ value, name, description, schema }: CardProps) => (
  <li class={value === empty ? "blank" : undefined}>
    <Sheet schema={schema} />
    <button type="submit" class="start" name="template" value={value} formnovalidate>
      {name}
    </button>
    <p class="quiet">{description}</p>
  </li>
);

const Templates = ({ view, hasEmpty }: { view: PageContext; hasEmpty: boolean }) => (
  <>
    <link rel="stylesheet" href={newFormStyleAsset.path} />
    <ul class="cards">
      {hasEmpty && (
        <Card value={empty} name={words.empty} description={words.emptyHint} schema={{ fields: [] }} />
      )}
      {offered(view).map(([value, template]) => (
        <Card key={value} {...template} value={value} />
      ))}
    </ul>
  </>
);

/** Returns the hidden workspace, if there is no choice. */
export const fieldsOf = ([only, ...others]: { id: string }[]) =>
  only && others.length === 0 ? { workspace: only.id } : undefined;

export interface StartProps {
  view: PageContext;
  /** The workspaces in which the person may make a form. */
  workspaces: { id: string }[];
}

const NewForm = ({ view, workspaces }: StartProps) => (
  <>
    <h1>{words.title}</h1>
    <PostForm action={newFormPath} fields={fieldsOf(workspaces)} class="new-form">
      <div class="panel stacked">
        <Controls of={newForm(view, true)} />
        <FormActions submit={words.submit} cancel={home} />
      </div>
      <LinkLine href={`${newFormPath}/import`} label={words.import} />
      <h2>{words.orTemplate}</h2>
      <Templates view={view} hasEmpty={false} />
    </PostForm>
  </>
);

const Welcome = ({ view, workspaces }: StartProps) => (
  <>
    <h1>{words.welcome}</h1>
    <p class="quiet">{words.welcomeHint}</p>
    <PostForm action={newFormPath} fields={fieldsOf(workspaces)} class="new-form">
      <Controls
        of={newForm(view, false)}
        names={workspaces.length > 1 ? ["workspace", "timeZone"] : ["timeZone"]}
      />
      <Templates view={view} hasEmpty />
    </PostForm>
    <LinkLine href={home} label={words.toForms} />
  </>
);

/** A page that begins a form, for people who may make one. */
export const startPage = (view: PageContext, title: string, Content: typeof Welcome): ConsolePage => {
  const workspaces = workspacesFor(view.session, "form.created");
  return workspaces.length === 0
    ? refusedPage("forms", words.editorsOnly)
    : { title, section: "forms", content: <Content view={view} workspaces={workspaces} /> };
};

const newFormPage = (view: PageContext) => startPage(view, words.title, NewForm);

export const newFormPages = {
  page: onGet(newFormPage),
  welcome: onGet((view) => startPage(view, words.welcome, Welcome)),
  create: onPost(
    { act: "form.created", form: newFormOf, retry: newFormPage },
    async ({ deps, session, data, actor }) => {
      const { name, workspace, timeZone, template } = data;
      const { settings, ...draft } = template ? draftOf(template) : { name: words.untitled };
      const id = await createForm(deps.sql, actor, {
        ...draft,
        ...(name && { name }),
        ...{ teamId: session.team, workspaceId: workspace },
        settings: { ...settings, ...(timeZone && { availability: { timeZone } }) },
      });
      return `/console/forms/${id}`;
    },
  ),
} satisfies Handlers;
