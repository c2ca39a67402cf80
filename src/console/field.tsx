/** One field of a draft: every member of its definition, and every rule of its type with its meaning. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { isRecord, parseField } from "../fields/definition.ts";
import type { FieldIssue } from "../fields/field-type.ts";
import { lint } from "../fields/lint.ts";
import { fieldTypes } from "../fields/types.ts";
import { limits } from "../limits.ts";
import { Checkbox, Input, Notice, Select, TextArea } from "../pages/controls.tsx";
import { FieldInput } from "../pages/field-input.tsx";
import { Command, Prose } from "../pages/text.tsx";
import { Problem } from "../problem.ts";
import { Issues, Seen } from "./editor.tsx";
import { controlOf, type Definition, rulesOfType, toField, toMembers, toValues } from "./field-form.ts";
import { type FormView, findForm, formPage, patchForm, pathOfForm } from "./form.tsx";
import { act, type Retry, show } from "./handler.ts";
import { PostForm } from "./layout.tsx";
import { resumeField } from "./sign-in.tsx";
import { text } from "./text.ts";

const words = text.field;

interface FieldFormProps {
  form: FormView;
  /** Absent: a new field. */
  id?: string | undefined;
  values: URLSearchParams;
  message?: string | undefined;
  /** When the draft that this form was made from was changed last. */
  seenAt?: string | undefined;
  /** The definition as it is now, when another one has changed it since this form was opened. */
  current?: Definition | undefined;
  issues?: readonly FieldIssue[];
}

/** The rules' controls. `issues` are of the stored definition. */
const Rules = ({ values, issues }: { values: URLSearchParams; issues: readonly FieldIssue[] }) => {
  const rules = rulesOfType(values.get("type") ?? "");
  if (rules.length === 0) return null;
  return (
    <fieldset class="panel">
      <legend>{words.rules}</legend>
      {rules.map(({ name, meaning, schema }) => {
        const error = issues.find(({ constraint }) => constraint === name)?.message;
        const value = values.get(`rule.${name}`) ?? "";
        const common = { name: `rule.${name}`, label: name, hint: <Prose>{meaning}</Prose>, error };
        switch (controlOf(schema)) {
          case "flag":
            return <Checkbox key={name} {...common} checked={value === "true"} />;
          case "lines":
            return (
              <TextArea
                key={name}
                {...common}
                hint={<Prose>{`${meaning} ${words.lines}`}</Prose>}
                value={value}
                rows={6}
              />
            );
          case "number":
            return <Input key={name} {...common} value={value} inputmode="decimal" />;
          default:
            return <Input key={name} {...common} value={value} />;
        }
      })}
    </fieldset>
  );
};

/** Both versions, when another change came first. */
const Conflict = ({ current }: { current: Definition }) => (
  <Notice kind="info">
    <p>{words.conflict}</p>
    <details open>
      <summary>{words.conflictCurrent}</summary>
      <Command lines={JSON.stringify(current, null, 2).split("\n")} />
    </details>
  </Notice>
);

const FieldForm = ({ form, id, values, message, seenAt, current, issues = [] }: FieldFormProps) => {
  const type = values.get("type") ?? "";
  const field = parseField(toField(values));
  const choices = Object.keys(fieldTypes).map((kind) => ({
    value: kind,
    label: `${text.fieldTypes[kind as keyof typeof fieldTypes]} (${kind})`,
  }));
  const of = (name: string) => ({
    name,
    value: values.get(name) ?? "",
    error: issues.find(({ constraint }) => constraint === name)?.message,
  });
  return (
    <>
      <p>
        <a href={pathOfForm(form)}>{words.back}</a>
      </p>
      <h2>{id === undefined ? words.newTitle : words.title}</h2>
      {message && <Notice kind="error">{message}</Notice>}
      {current && <Conflict current={current} />}
      <Issues issues={issues.filter(({ constraint }) => constraint === "type" || constraint === "id")} />
      <div class="columns">
        <PostForm action={`${pathOfForm(form)}/field${id === undefined ? "/new" : ""}`} class="stacked">
          <Seen form={form} at={seenAt} />
          <Input {...of("label")} label={words.label} hint={words.labelHint} />
          {id === undefined ? (
            <Input
              {...of("id")}
              label={words.id}
              hint={words.idHint(limits.form.maxFieldIdLength)}
              required={false}
            />
          ) : (
            <input type="hidden" name="id" value={id} />
          )}
          <Select
            {...of("type")}
            label={words.type}
            hint={words.typeHint}
            choices={
              choices.some(({ value }) => value === type)
                ? choices
                : [{ value: type, label: type }, ...choices]
            }
          />
          <button type="submit" class="quiet small" name={resumeField} value="type">
            {words.showRules}
          </button>
          <Checkbox name="required" label={words.required} checked={values.has("required")} />
          {!field.fieldType.displayOnly && (
            <Checkbox
              name="prefill"
              label={words.prefill}
              hint={<Prose>{words.prefillHint(field.id)}</Prose>}
              checked={values.has("prefill")}
            />
          )}
          <Rules values={values} issues={issues} />
          <TextArea {...of("description")} label={words.description} required={false} rows={2} />
          <Input {...of("help")} label={words.help} required={false} />
          <Input {...of("placeholder")} label={words.placeholder} required={false} />
          <Input {...of("default")} label={words.default} hint={words.defaultHint} required={false} />
          <Input {...of("agentHint")} label={words.agentHint} hint={words.agentHintHint} required={false} />
          <div class="actions">
            <button type="submit">{id === undefined ? words.add : words.save}</button>
            <a href={pathOfForm(form)}>{text.cancel}</a>
          </div>
        </PostForm>
        <section class="preview" aria-labelledby="preview-heading">
          <h2 id="preview-heading">{text.editor.preview}</h2>
          <div class="panel stacked">
            {field.kind === "hidden" && <p class="quiet">{words.hiddenHint}</p>}
            <FieldInput field={field} words={text.fieldInput} scope="preview-" />
          </div>
        </section>
      </div>
    </>
  );
};

const fieldPage = (props: FieldFormProps) =>
  formPage(
    props.form,
    "edit",
    props.id === undefined ? words.newTitle : words.title,
    <FieldForm {...props} />,
  );

/** @throws {Problem} `not_found`. */
function definitionOf(form: FormView, id: string | null | undefined): Definition {
  const found = form.schema.fields.filter(isRecord).find((field) => field.id === id);
  if (!found) throw new Problem("not_found", "The form has no such field.");
  return found;
}

export const fields = (deps: Deps) => {
  const path = "/console/forms/:form_id/field";
  /** The form as it was entered; what `formd.resume` says is not carried out. */
  const again = async (retry: Retry, isNew: boolean) => {
    const form = await findForm(deps, retry);
    const id = retry.values.get("id") ?? "";
    const isConflict = retry.problem?.code === "conflict";
    return fieldPage({
      form,
      ...(!isNew && { id }),
      values: retry.values,
      message: retry.values.get(resumeField) === "type" ? undefined : retry.message,
      // After a conflict has been shown, saving again replaces what came in between.
      seenAt: isConflict ? undefined : (retry.values.get("updatedAt") ?? undefined),
      current:
        isConflict && !isNew
          ? form.schema.fields.filter(isRecord).find((field) => field.id === id)
          : undefined,
    });
  };
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => {
        const form = await findForm(deps, view);
        const definition = definitionOf(form, view.query.id);
        const issues = lint(form.schema).filter(({ field }) => field === view.query.id);
        return fieldPage({ form, id: view.query.id, values: toValues(definition), issues });
      }),
    )
    .get(
      `${path}/new`,
      show(deps, async (view) =>
        fieldPage({
          form: await findForm(deps, view),
          values: toValues({ type: view.query.type ?? "text" }),
        }),
      ),
    )
    .post(
      path,
      act(
        deps,
        async (view) => {
          const form = await findForm(deps, view);
          const definition = definitionOf(form, view.values.get("id"));
          const operation = {
            op: "updateField",
            fieldId: definition.id,
            set: toMembers(view.values, definition),
          };
          await patchForm(deps, view.actor, form, operation, view.values.get("updatedAt"));
          return pathOfForm(form);
        },
        (retry) => again(retry, false),
      ),
    )
    .post(
      `${path}/new`,
      act(
        deps,
        async (view) => {
          const form = await findForm(deps, view);
          const operation = { op: "addField", field: toField(view.values) };
          await patchForm(deps, view.actor, form, operation, null);
          return pathOfForm(form);
        },
        (retry) => again(retry, true),
      ),
    );
};
