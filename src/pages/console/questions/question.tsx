/** One question, open in the list of its form. Limits, and settings that only programs need, are folded. */
import { parseField } from "../../../fields/definition.ts";
import { changesOf } from "../../../resources/forms/form-changes.ts";
import { ErrorSummary, ErrorsProvider, Input, Notice, Submit, useErrors } from "../../ui/controls.tsx";
import { Prose } from "../../ui/text.tsx";
import { changeSentence } from "../form/changes.ts";
import { type FormView, pathOfForm, Seen } from "../form/form.tsx";
import { issueSentence, issuesOf, typeLabel } from "../form/issues.ts";
import { resumeField } from "../frame/addresses.ts";
import { canUndo } from "../frame/flash.ts";
import { Controls, readForm } from "../frame/form.tsx";
import { ActionButton, isRefusedFor, PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { Confirm, Folded } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { conditionControls, Dependencies } from "./condition-controls.tsx";
import { fieldsBefore } from "./condition-text.ts";
import {
  type Definition,
  definitionsOf,
  definitionValues,
  idsOf,
  questionForm,
  restoring,
  rulesOfType,
  toMembers,
} from "./question-form.tsx";
import { isStatementType, TypeList } from "./types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.field;

export interface OpenQuestion {
  /** Absent: a new one. */
  id?: string | undefined;
  /** The id of the question before a new one; empty: it is the first; absent: the last. */
  after?: string | undefined;
  /** The type of a new one. */
  type?: string | undefined;
  /** True: all controls are shown. False: only those that a new question needs. */
  isWhole: boolean;
}

/**
 * The form of a question that is open.
 * @param values shown or sent ones
 * @param definition the stored one; absent: it is new
 */
export function questionFormOf(form: FormView, values: URLSearchParams, definition?: Definition) {
  const members = questionForm(values.get("type") ?? "", definition, idsOf(form));
  const id = definition?.id;
  const own = parseField({ ...(definition && { id }), ...toMembers(readForm(members, values)) });
  const before = fieldsBefore(form, id, values.get("after"));
  const conditions = conditionControls(members, values, { own, isNew: !definition, before });
  return { ...members, controls: { ...members.controls, ...conditions } };
}

function draftErrorsOf(form: FormView, { id, type }: Definition): [control: string, sentence: string][] {
  const rules = new Set<string>(rulesOfType(String(type)).map(({ name }) => name));
  return issuesOf(form.schema)
    .filter(({ field }) => field === id)
    .map((issue) => {
      const { constraint = "" } = issue;
      return [rules.has(constraint) ? `rule.${constraint}` : constraint, issueSentence(issue, String(type))];
    });
}

/** Differences between the stored question and the entered one, when another change came first. */
const Conflict = ({ form, values, definition }: QuestionProps & { definition: Definition }) => {
  const entered = toMembers(readForm(questionFormOf(form, values, definition), values), definition);
  const changes = changesOf({ fields: [definition] }, { fields: [{ ...definition, ...entered }] });
  return (
    <Notice kind="info">
      <p>{changes.length > 0 ? words.conflict : words.conflictElsewhere}</p>
      {changes.length > 0 && (
        <ul>
          {changes.map((change, index) => (
            <li key={index} dir="auto">
              {changeSentence(change, values.get("type") ?? "")}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
};

const listRules = ["rule.options", "rule.rows", "rule.columns", "rule.allowOther"];
const programControls = ["id", "rule.pattern", "prefill", "default", "agentHint"];

interface QuestionProps {
  form: FormView;
  values: URLSearchParams;
  definition: Definition | undefined;
}

const WholeQuestion = ({ form, values, definition }: QuestionProps) => {
  const errors = useErrors();
  const of = questionFormOf(form, values, definition);
  const type = values.get("type") ?? "";
  const isStatement = isStatementType(type);
  const shown = (names: readonly string[]) => (
    <Controls of={of} names={names.filter((name) => Object.hasOwn(of.controls, name))} />
  );
  const hasError = (names: readonly string[]) => names.some((name) => Object.hasOwn(errors, name));
  const shownApart = new Set([...listRules, ...programControls]);
  const limitRules = rulesOfType(type)
    .map(({ name }) => `rule.${name}`)
    .filter((name) => !shownApart.has(name));
  return (
    <>
      {shown(["label", ...(isStatement ? ["description"] : []), "help", ...listRules, "required", "showIf"])}
      {type === "hidden" && <p class="hint">{words.hiddenHint}</p>}
      <TypeList value={type} />
      <Folded label={words.more} isOpen={hasError([...limitRules, ...programControls])}>
        {limitRules.length > 0 && <div class="limits">{shown(limitRules)}</div>}
        {shown([...(isStatement ? [] : ["description"]), "placeholder"])}
        {!isStatement && <Dependencies {...{ form, of, values }} />}
        <Folded label={frameText.forPrograms} isOpen={hasError(programControls)}>
          {definition && (
            <p class="hint">
              <Prose>{words.idFixed(String(definition.id))}</Prose>
            </p>
          )}
          {shown(programControls)}
        </Folded>
      </Folded>
    </>
  );
};

/** Controls that a new question needs; the style sheet shows the choices for the types that have some. */
const NewQuestion = ({ form, values }: Omit<QuestionProps, "definition">) => {
  const [ofText, ofChoice, ofTable] = [questionForm("text"), questionForm("select"), questionForm("matrix")];
  return (
    <>
      <Controls of={ofText} names={["label"]} />
      <TypeList value={values.get("type") ?? ""} isNew />
      <div class="if-choices">
        <Controls of={ofChoice} names={["rule.options"]} />
      </div>
      <div class="if-table">
        <Controls of={ofTable} names={["rule.rows", "rule.columns"]} />
      </div>
      <div class="if-answer">
        <Controls of={ofText} names={["required"]} />
      </div>
      <Controls of={questionFormOf(form, values)} names={["showIf"]} />
    </>
  );
};

/** Forms of their own: moving, copying and removing a question. */
const Actions = ({ form, definition }: { form: FormView; definition: Definition }) => {
  const fields: readonly unknown[] = form.schema.fields;
  const action = `${pathOfForm(form)}/field`;
  const id = String(definition.id);
  const sent = { id, updatedAt: form.updatedAt.toISOString() };
  return (
    <div class="actions acts">
      <ActionButton action={`${action}/copy`} label={words.copy} class="quiet small" fields={sent} />
      {canUndo(restoring(form, definition)) ? (
        <ActionButton action={`${action}/remove`} label={words.remove} class="danger small" fields={sent} />
      ) : (
        <Confirm
          label={words.remove}
          action={`${action}/remove`}
          confirm={words.removeConfirm}
          fields={sent}
        />
      )}
      <PostForm action={`${action}/move`} fields={{ id }} class="inline">
        <Seen form={form} />
        <Input
          name="place"
          label={words.moveTo(fields.length)}
          value={fields.indexOf(definition) + 1}
          inputmode="numeric"
        />
        <Submit class="quiet small" label={words.move} />
      </PostForm>
    </div>
  );
};

const newTitleOf = (type: string): string => (isStatementType(type) ? typeLabel(type) : words.newTitle);

/** The question that is open, with its buttons, for operators who may change it. */
export const Question = ({ form, open }: { form: FormView; open: OpenQuestion }) => {
  const mayEdit = useMay("form.patched", form.workspaceId);
  const { id, after, type: firstType = "", isWhole } = open;
  const isNew = id === undefined;
  const definition = isNew ? undefined : definitionsOf(form).find((field) => field.id === id);
  const path = `${pathOfForm(form)}/field`;
  const action = isNew ? `${path}/new` : path;
  // One that was removed before it was saved is open as a new one.
  const refused = useRefused(action) ?? useRefused(path);
  const stored = definition
    ? definitionValues(definition)
    : new URLSearchParams({ type: firstType, ...(after !== undefined && { after }) });
  const values = refused?.values ?? stored;
  const draftErrors = definition && !useRefused() ? draftErrorsOf(form, definition) : [];
  const isConflict = isRefusedFor(refused, "form_changed");
  if (!mayEdit) return null;
  return (
    <section
      class="open card-form"
      aria-label={isNew ? newTitleOf(values.get("type") ?? "") : words.title(values.get("label") ?? "")}
      data-part={isNew ? "new" : undefined}
    >
      {definition && isConflict && <Conflict {...{ form, values, definition }} />}
      {draftErrors.length > 0 && <ErrorSummary heading={words.invalid} errors={draftErrors} />}
      <PostForm
        action={action}
        class={isWhole ? "stacked" : "stacked new-question"}
        fields={{ ...(!isNew && { id }), ...(after !== undefined && { after }) }}
        initial={values}
      >
        <Seen form={form} refused={refused} />
        <ErrorsProvider value={refused?.errors ?? Object.fromEntries(draftErrors)}>
          {isWhole ? (
            <WholeQuestion {...{ form, values, definition }} />
          ) : (
            <NewQuestion {...{ form, values }} />
          )}
        </ErrorsProvider>
        <div class="actions">
          <button type="submit">{isNew ? words.add : frameText.save}</button>
          <Submit
            class="quiet"
            name="another"
            value="true"
            label={isNew ? words.addAnother : words.saveNext}
          />
          {!isWhole && <Submit class="quiet" name={resumeField} value="type" label={words.more} />}
          <a href={pathOfForm(form)}>{frameText.cancel}</a>
        </div>
      </PostForm>
      {definition && <Actions form={form} definition={definition} />}
    </section>
  );
};
