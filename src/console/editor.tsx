/** The editor of a form's draft: its fields in order, and a preview. Each act is one operation of a form patch. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { type Field, isRecord, parseField, parseFields } from "../fields/definition.ts";
import type { FieldIssue } from "../fields/field-type.ts";
import { lint } from "../fields/lint.ts";
import { fieldTypes } from "../fields/types.ts";
import { Notice, Select } from "../pages/controls.tsx";
import { FieldInput } from "../pages/field-input.tsx";
import { type FormView, findForm, formPage, patchForm, pathOfForm } from "./form.tsx";
import { act, show } from "./handler.ts";
import { PostForm, useMay } from "./layout.tsx";
import { text } from "./text.ts";

const words = text.editor;

/** The hidden field by which a change of a draft that another one has changed since is refused. */
export const Seen = ({ form, at }: { form: FormView; at?: string | undefined }) => (
  <input type="hidden" name="updatedAt" value={at ?? form.updatedAt.toISOString()} />
);

export const fieldHref = (form: FormView, id: string): string =>
  `${pathOfForm(form)}/field?${new URLSearchParams({ id })}`;

export const Issues = ({ issues }: { issues: readonly FieldIssue[] }) =>
  issues.length === 0 ? null : (
    <ul class="issues">
      {issues.map(({ message }) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  );

/** Buttons that move a field, and the confirmation that removes it. */
const FieldActs = ({
  form,
  field,
  index,
  last,
}: {
  form: FormView;
  field: Field;
  index: number;
  last: boolean;
}) => (
  <div class="actions">
    <PostForm action={`${pathOfForm(form)}/field/move`} class="actions">
      <Seen form={form} />
      <input type="hidden" name="id" value={field.id} />
      {index > 0 && (
        <button
          type="submit"
          class="quiet small"
          name="toIndex"
          value={index - 1}
          aria-label={words.moveUp(field.label)}
        >
          ↑
        </button>
      )}
      {!last && (
        <button
          type="submit"
          class="quiet small"
          name="toIndex"
          value={index + 1}
          aria-label={words.moveDown(field.label)}
        >
          ↓
        </button>
      )}
    </PostForm>
    <a class="button quiet small" href={fieldHref(form, field.id)} aria-label={words.editField(field.label)}>
      {words.edit}
    </a>
    <details class="confirm">
      <summary aria-label={words.removeField(field.label)}>{words.remove}</summary>
      <PostForm action={`${pathOfForm(form)}/field/remove`}>
        <Seen form={form} />
        <button type="submit" class="danger small" name="id" value={field.id}>
          {words.removeConfirm}
        </button>
      </PostForm>
    </details>
  </div>
);

const FieldList = ({ form, issues }: { form: FormView; issues: readonly FieldIssue[] }) => {
  const mayEdit = useMay("form.patched", form.workspaceId) && form.status !== "archived";
  const fields = form.schema.fields.filter(isRecord).map(parseField);
  return (
    <ol class="fields">
      {fields.map((field, index) => (
        <li key={field.id}>
          <div>
            <strong dir="auto">{field.label || field.id}</strong>
            <small>
              <code dir="auto">{field.id}</code> · {field.type} ·{" "}
              {field.required ? words.required : words.optional}
            </small>
            <Issues issues={issues.filter((issue) => issue.field === field.id)} />
          </div>
          {mayEdit && (
            <FieldActs form={form} field={field} index={index} last={index === fields.length - 1} />
          )}
        </li>
      ))}
    </ol>
  );
};

const typeChoices = Object.keys(fieldTypes).map((kind) => ({
  value: kind,
  label: text.fieldTypes[kind as keyof typeof fieldTypes],
}));

const AddField = ({ form }: { form: FormView }) => (
  <form method="get" action={`${pathOfForm(form)}/field/new`} class="inline">
    <Select name="type" label={words.newType} choices={typeChoices} />
    <button type="submit" class="quiet">
      {words.add}
    </button>
  </form>
);

/** The draft as a respondent sees it. Nothing is sent from it. */
export const Preview = ({ form }: { form: FormView }) => (
  <section class="preview" aria-labelledby="preview-heading">
    <h2 id="preview-heading">{words.preview}</h2>
    <div class="panel stacked">
      <h3 dir="auto">{form.name}</h3>
      {form.description && <p dir="auto">{form.description}</p>}
      {parseFields(form.schema).map((field) => (
        <FieldInput key={field.id} field={field} words={text.fieldInput} scope="preview-" />
      ))}
    </div>
  </section>
);

const Editor = ({ form, message }: { form: FormView; message?: string | undefined }) => {
  const issues = lint(form.schema);
  const mayEdit = useMay("form.patched", form.workspaceId) && form.status !== "archived";
  return (
    <>
      {message && <Notice kind="error">{message}</Notice>}
      <div class="columns">
        <section aria-labelledby="fields-heading">
          <div class="heading wide">
            <h2 id="fields-heading">{words.fields(form.schema.fields.length)}</h2>
            {mayEdit && <a href={`${pathOfForm(form)}/settings`}>{words.settings}</a>}
          </div>
          <Issues issues={issues.filter(({ field }) => field === undefined)} />
          {form.schema.fields.length === 0 ? (
            <p class="empty">{words.none}</p>
          ) : (
            <FieldList form={form} issues={issues} />
          )}
          {mayEdit && <AddField form={form} />}
        </section>
        <Preview form={form} />
      </div>
    </>
  );
};

const editorPage = (form: FormView, message?: string) =>
  formPage(form, "edit", text.form.edit, <Editor form={form} message={message} />);

export const editor = (deps: Deps) => {
  const path = "/console/forms/:form_id";
  /** An act on one field, which leads back to the list of fields. */
  const fieldAct = (operationOf: (values: URLSearchParams) => object) =>
    act(
      deps,
      async (view) => {
        const form = await findForm(deps, view);
        await patchForm(deps, view.actor, form, operationOf(view.values), view.values.get("updatedAt"));
        return `${pathOfForm(form)}#fields-heading`;
      },
      async (retry) => editorPage(await findForm(deps, retry), retry.message),
    );
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => editorPage(await findForm(deps, view))),
    )
    .post(
      `${path}/field/move`,
      fieldAct((values) => ({
        op: "moveField",
        fieldId: values.get("id"),
        toIndex: Number(values.get("toIndex") ?? Number.NaN),
      })),
    )
    .post(
      `${path}/field/remove`,
      fieldAct((values) => ({ op: "removeField", fieldId: values.get("id") })),
    );
};
