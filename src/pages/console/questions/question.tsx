/**
 * One question, open in the list of its form: what people see comes first; limits, and what only programs
 * need, are folded.
 */
import { isRecord, parseField } from "../../../fields/definition.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { limits } from "../../../limits.ts";
import {
  Checkbox,
  EnteredContext,
  ErrorSummary,
  Input,
  Notice,
  Select,
  Submit,
  TextArea,
  useErrors,
} from "../../ui/controls.tsx";
import { Command, Prose } from "../../ui/text.tsx";
import { type FormView, pathOfForm, Seen } from "../form/form.tsx";
import { issueSentence } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { Confirm } from "../frame/confirm.tsx";
import { Act, HiddenFields, PostForm, useRefused } from "../frame/layout.tsx";
import { canUndo } from "../frame/notices.ts";
import { frameText } from "../frame/words.ts";
import { readableIn } from "./condition-form.ts";
import { Dependencies } from "./conditions.tsx";
import { type Definition, rulesOfType, toField } from "./field-form.ts";
import { RuleInput } from "./field-rules.tsx";
import { TypeTiles, typeChoices, typeLabel } from "./field-types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.field;

export interface OpenQuestion {
  /** Absent: a new one. */
  id?: string | undefined;
  /** The id of the question before a new one; empty: it is the first; absent: the last. */
  after?: string | undefined;
  /** Whether everything of it is shown, in place of what a new question needs. */
  isWhole: boolean;
  values: URLSearchParams;
  message?: string | undefined;
  /** The definition as it is now, when another one has changed it since this form was opened. */
  current?: Definition | undefined;
  /** What is wrong with the stored definition. */
  issues?: readonly FieldIssue[];
}

/** The name of the control that an issue is about. */
const controlOfIssue = ({ constraint = "" }: FieldIssue, type: string): string =>
  rulesOfType(type).some(({ name }) => name === constraint) ? `rule.${constraint}` : constraint;

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

/** What is wrong with the controls of a question. */
const errorsOf = (issues: readonly FieldIssue[], type: string): [control: string, message: string][] =>
  issues.map((issue) => [controlOfIssue(issue, type), issueSentence(issue, type)]);

type PartProps = Pick<OpenQuestion, "values">;

const listRules = new Set(["options", "rows", "columns"]);
const programRules = new Set(["pattern"]);

/** The rules of the type that `isShown` names. */
const Rules = ({ values, isShown }: PartProps & { isShown: (name: string) => boolean }) => {
  const type = values.get("type") ?? "";
  return (
    <>
      {rulesOfType(type)
        .filter(({ name }) => isShown(name))
        .map((rule) => (
          <RuleInput key={rule.name} rule={rule} type={type} value={values.get(`rule.${rule.name}`) ?? ""} />
        ))}
    </>
  );
};

const Limits = ({ values }: PartProps) => {
  const errors = useErrors();
  const isLimit = (name: string) => !listRules.has(name) && !programRules.has(name);
  const own = rulesOfType(values.get("type") ?? "").filter(({ name }) => isLimit(name));
  if (own.length === 0) return null;
  return (
    <details open={own.some(({ name }) => errors[`rule.${name}`])}>
      <summary>{words.limits}</summary>
      <div class="limits">
        <Rules values={values} isShown={isLimit} />
      </div>
    </details>
  );
};

/** Choices that programs know by another name than people do. */
const RenamedChoices = ({ definition }: { definition: Definition | undefined }) => {
  const renamed = ["options", "rows", "columns"]
    .flatMap((name) => definition?.[name] ?? [])
    .filter(isRecord)
    .filter(({ value, id, label }) => label !== undefined && label !== (value ?? id))
    .map(({ value, id, label }) => `${label} (${value ?? id})`);
  return renamed.length > 0 ? <p class="hint">{words.valuesFixed(renamed.join(", "))}</p> : null;
};

interface WholeProps {
  form: FormView;
  open: OpenQuestion;
  definition: Definition | undefined;
}

const ForPrograms = ({ open: { id, values }, definition }: WholeProps) => {
  const errors = useErrors();
  const isStatement = parseField(toField(values)).fieldType.nature === "none";
  return (
    <details open={["id", "default", "rule.pattern"].some((name) => errors[name])}>
      <summary>{words.programs}</summary>
      <div class="stacked">
        {id === undefined ? (
          <Input
            name="id"
            label={formText.members.id}
            hint={words.idHint(limits.form.maxFieldIdLength)}
            required={false}
          />
        ) : (
          <p class="hint">
            <Prose>{words.idFixed(id)}</Prose>
          </p>
        )}
        <RenamedChoices definition={definition} />
        <Rules values={values} isShown={(name) => programRules.has(name)} />
        {!isStatement && (
          <Checkbox
            name="prefill"
            label={formText.members.prefill}
            hint={<Prose>{words.prefillHint(id ?? "")}</Prose>}
          />
        )}
        <Input name="default" label={formText.members.default} hint={words.defaultHint} required={false} />
        <Input name="agentHint" label={words.agentHint} hint={words.agentHintHint} required={false} />
      </div>
    </details>
  );
};

const WholeQuestion = (whole: WholeProps) => {
  const { form, open } = whole;
  const { values, issues = [], id, after } = open;
  const errors = useErrors();
  const readable = readableIn(form, parseField({ ...toField(values), id: id ?? "" }), after);
  const type = values.get("type") ?? "";
  const isStatement = parseField(toField(values)).fieldType.nature === "none";
  return (
    <>
      <Input
        name="label"
        label={type === "page_break" ? words.stepTitle : isStatement ? words.text : formText.members.label}
        autofocus={issues.length === 0}
      />
      <Input name="help" label={formText.members.help} required={false} />
      <Rules values={values} isShown={(name) => listRules.has(name)} />
      {!isStatement && <Checkbox name="required" label={formText.members.required} />}
      <div class="inline">
        <Select name="type" label={formText.members.type} choices={typeChoices(type)} />
        <Submit class="quiet" name={resumeField} value="type" label={words.changeType} />
      </div>
      {type === "hidden" && <p class="hint">{words.hiddenHint}</p>}
      <Limits values={values} />
      <details open={values.get("description") !== "" && isStatement}>
        <summary>{words.texts}</summary>
        <div class="stacked">
          <TextArea name="description" label={words.description} required={false} rows={2} />
          {!isStatement && <Input name="placeholder" label={words.placeholder} required={false} />}
        </div>
      </details>
      <ForPrograms {...whole} />
      {/* Their rows are not those that were entered: empty ones are left out. */}
      <EnteredContext.Provider value={undefined}>
        <Dependencies form={form} readable={readable} values={values} errorOf={(name) => errors[name]} />
      </EnteredContext.Provider>
    </>
  );
};

/** What a new question needs; the style sheet shows the choices for the types that have some. */
const NewQuestion = ({ values }: PartProps) => (
  <>
    <Input name="label" label={formText.members.label} autofocus />
    <TypeTiles value={values.get("type") ?? "text"} />
    <div class="if-choices">
      <TextArea name="rule.options" label={formText.rules.options} hint={words.choicesHint} rows={4} />
    </div>
    <div class="if-table">
      <TextArea name="rule.rows" label={formText.rules.rows} hint={words.choicesHint} rows={3} />
      <TextArea name="rule.columns" label={formText.rules.columns} hint={words.choicesHint} rows={3} />
    </div>
    <Checkbox name="required" label={formText.members.required} />
  </>
);

/** Forms of their own: moving, copying and removing a question. */
const Actions = ({ form, id, position }: { form: FormView; id: string; position: number }) => {
  const { fields } = form.schema;
  const definition = fields[position];
  const undo = { action: "", fields: { definition: JSON.stringify(definition) } };
  const action = `${pathOfForm(form)}/field`;
  const sent = { id, updatedAt: form.updatedAt.toISOString() };
  return (
    <div class="actions acts">
      <Act action={`${action}/copy`} label={words.copy} class="quiet small" fields={sent} />
      {canUndo(undo) ? (
        <Act action={`${action}/remove`} label={words.remove} class="danger small" fields={sent} />
      ) : (
        <Confirm
          label={words.remove}
          action={`${action}/remove`}
          confirm={words.removeConfirm}
          fields={sent}
        />
      )}
      <PostForm action={`${action}/move`} class="inline">
        <HiddenFields fields={sent} />
        <Input
          name="place"
          label={words.moveTo(fields.length)}
          value={position + 1}
          inputmode="numeric"
          scope="act-"
        />
        <Submit class="quiet small" label={words.move} />
      </PostForm>
    </div>
  );
};

/** The question that is open, with its buttons. */
export const Question = ({ form, open }: { form: FormView; open: OpenQuestion }) => {
  const { id, after, values, message, current, issues = [], isWhole } = open;
  const position = form.schema.fields.findIndex((field) => isRecord(field) && field.id === id);
  const definition = form.schema.fields[position];
  const type = values.get("type") ?? "";
  const errors = errorsOf(issues, type);
  return (
    <section
      class="panel open"
      aria-label={id === undefined ? words.newTitle : words.title(values.get("label") ?? "")}
    >
      {id === undefined && <h3>{isWhole ? typeLabel(type) : words.newTitle}</h3>}
      {message && <Notice kind="error">{message}</Notice>}
      {current && <Conflict current={current} />}
      {errors.length > 0 && <ErrorSummary heading={words.invalid} errors={errors} />}
      <PostForm
        action={`${pathOfForm(form)}/field${id === undefined ? "/new" : ""}`}
        class={isWhole ? "stacked" : "stacked new-question"}
        initial={values}
      >
        <Seen form={form} refused={useRefused()} />
        {id !== undefined && <input type="hidden" name="id" value={id} />}
        {after !== undefined && <input type="hidden" name="after" value={after} />}
        {isWhole ? (
          <WholeQuestion form={form} open={open} definition={definition} />
        ) : (
          <NewQuestion values={values} />
        )}
        <div class="actions">
          <button type="submit">{id === undefined ? words.add : words.save}</button>
          {id === undefined && <Submit class="quiet" name="another" value="true" label={words.addAnother} />}
          {!isWhole && <Submit class="quiet" name={resumeField} value="type" label={words.more} />}
          <a href={pathOfForm(form)}>{frameText.cancel}</a>
        </div>
      </PostForm>
      {id !== undefined && position >= 0 && <Actions form={form} id={id} position={position} />}
    </section>
  );
};
