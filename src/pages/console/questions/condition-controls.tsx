/** Controls of conditions on other questions: rows of question, comparison and value, in people's words. */
import type { ComponentChildren } from "preact";
import type { Field } from "../../../fields/definition.ts";
import {
  Checkbox,
  EnteredContext,
  Input,
  idOf,
  Notes,
  Select,
  Submit,
  useError,
  useErrors,
} from "../../ui/controls.tsx";
import { Prose } from "../../ui/text.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { Controls, Wrong } from "../frame/form.tsx";
import { Folded, LinkLine } from "../frame/parts.tsx";
import { type ConditionRow, comparisonsOf, picksOf, rowsOf } from "./condition-rows.ts";
import {
  expressionIn,
  expressionOfSent,
  type Fields,
  finderIn,
  formulaText,
  newId,
  relationOf,
  rowsOfRules,
  rowWords,
  rulesOfRows,
  sentRows,
} from "./condition-text.ts";
import type { MemberControl, QuestionForm } from "./question-form.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

interface Shown {
  /** Values that the form shows. */
  values: URLSearchParams;
  /** The questions that it may name. */
  fields: Fields;
}

const emptyRow: ConditionRow = { field: "", comparison: "is", values: [] };

interface ValueProps {
  name: string;
  field: Field;
  row: ConditionRow;
  autofocus: boolean;
}

/** The value of a row: picked from the choices of the question, or entered as its type is. */
const ValueInput = ({ name, field, row: { comparison, values }, autofocus }: ValueProps) => {
  const [common, error] = [{ name, label: words.value }, useError(name)];
  const picks = picksOf(field, rowWords());
  // A value that is no choice, where others are allowed, stays.
  const others = field.constraints.allowOther
    ? values.filter((each) => !picks?.some(({ value }) => value === each))
    : [];
  const choices = [...(picks ?? []), ...others.map((value) => ({ value, label: value }))];
  const [value = ""] = values;
  if (picks && comparison === "isOneOf")
    return (
      <fieldset class="picks" id={error && idOf(name)} tabIndex={error ? -1 : undefined}>
        <legend class="unseen">{words.value}</legend>
        <Notes id={idOf(name)} error={error} />
        {choices.map((choice) => (
          <Checkbox
            key={choice.value}
            {...{ name, ...choice }}
            error=""
            checked={values.includes(choice.value)}
          />
        ))}
      </fieldset>
    );
  if (picks)
    return <Select {...{ ...common, choices, value, autofocus }} none={formText.fieldInput.choose} />;
  const { fieldType, kind } = field;
  const type = { date: "date", time: "time", datetime: "datetime-local" }[String(kind)];
  const isDrawn = value === "" || /^(?:\d{4}-\d\d-\d\d)?T?(?:\d\d:\d\d)?$/.test(value);
  return (
    <Input
      {...{ ...common, autofocus, value: values.join(", ") }}
      {...(type && isDrawn && { type: type as "date" })}
      {...(fieldType.nature === "number" && { inputmode: "decimal" })}
      {...(comparison === "isOneOf" && { hint: words.oneOfHint })}
    />
  );
};

interface RowsProps extends Shown {
  member: string;
  rows: readonly ConditionRow[];
}

interface RowProps extends Omit<RowsProps, "rows"> {
  index: number;
  row: ConditionRow;
}

/** Question, comparison and value as a sentence. The choice of a question draws what fits it. */
const ComparisonInputs = ({ member, index, row, fields, values }: RowProps) => {
  const [name, field] = [`${member}.${index}`, fields.get(row.field)];
  const redraw = `${name}.next`;
  const hasFocus = values.get(resumeField) === redraw;
  const fitting = field ? comparisonsOf(field) : [];
  const isFitting = fitting.includes(row.comparison);
  const isValid = field && !(expressionOfSent(row, fields, name) instanceof Wrong);
  const offered = isFitting || !isValid ? fitting : [row.comparison, ...fitting];
  return (
    <>
      <Select
        name={`${name}.field`}
        label={formText.members.label}
        value={row.field}
        choices={[
          ...[...fields].map(([value, of]) => ({
            value,
            label: (value === newId ? of.label.trim() : nameOfField(of)) || formText.members.label,
          })),
          // Without it the next save would omit the row.
          ...(row.field && !field ? [{ value: row.field, label: words.goneQuestion }] : []),
        ]}
        none={words.noQuestion}
        data-redraw={redraw}
      />
      {field && (
        <>
          <Select
            name={`${name}.comparison`}
            label={words.comparison}
            value={row.comparison}
            choices={offered.map((value) => ({ value, label: relationOf(value, field) }))}
            data-redraw={offered.includes("isOneOf") ? redraw : undefined}
            autofocus={hasFocus && fitting.length > 3}
          />
          <div class="value">
            <ValueInput
              {...{ field, row, name: `${name}.value` }}
              autofocus={hasFocus && fitting.length <= 3}
            />
          </div>
        </>
      )}
    </>
  );
};

/** A row, with its message and its expression if it is a rule. */
const Row = ({ isRule, ...props }: RowProps & { isRule: boolean }) => {
  const { member, index, row, values } = props;
  const name = `${member}.${index}`;
  return (
    <fieldset class={isRule ? "condition rule" : "condition"}>
      <legend class="unseen">{words.row(index + 1)}</legend>
      {row.stored !== undefined && <input type="hidden" name={`${name}.stored`} value={row.stored} />}
      {row.rule === undefined ? (
        <ComparisonInputs {...props} />
      ) : (
        <Input
          name={`${name}.rule`}
          label={words.expression}
          value={row.rule}
          autofocus={values.get(resumeField) === `${member}.text`}
        />
      )}
      {isRule && <Input name={`${name}.message`} label={words.message} value={row.message} />}
      {(row.field !== "" || row.rule !== undefined || index > 0) && (
        <Submit
          class="quiet small"
          name={resumeField}
          value={`${name}.remove`}
          label={formText.fieldInput.remove}
          aria-label={words.remove(index + 1)}
        />
      )}
    </fieldset>
  );
};

/** Rows, at least one, with the buttons that draw them anew. Without a script one shows what fits. */
const Rows = ({ member, rows, fields, values }: RowsProps) => {
  const resumed = values.get(resumeField);
  const isRule = member === "rules";
  const shown = rows.length === 0 || resumed === `${member}.more` ? [...rows, emptyRow] : rows;
  return (
    <>
      <input type="hidden" name={`${member}.rows`} value={shown.length} />
      {shown.map((row, index) => (
        <Row key={index} {...{ member, index, row, fields, values, isRule }} />
      ))}
      <div class="actions">
        <noscript>
          <Submit class="quiet small" name={resumeField} value={`${member}.next`} label={words.next} />
        </noscript>
        {rows.length > 0 && (
          <Submit class="quiet small" name={resumeField} value={`${member}.more`} label={words.more} />
        )}
        {(isRule || rows.length > 0) && (
          <Submit class="quiet small" name={resumeField} value={`${member}.text`} label={words.asText} />
        )}
      </div>
    </>
  );
};

type Member = "showIf" | "requireIf";

/** Rows of a condition, or its expression: if rows cannot express it or are not wanted, or it is wrong. */
const ConditionInput = ({ member, title, fields, values }: Shown & { member: Member; title: string }) => {
  const find = finderIn(fields);
  const sent = sentRows(values, member);
  const source = sent ? expressionIn(sent, fields, member) : (values.get(member) ?? "");
  const isText = values.get(resumeField) === `${member}.text` || useErrors()[member] !== undefined;
  const condition = sent ?? (source instanceof Wrong ? undefined : rowsOf(source, find, rowWords()));
  if (!condition || isText)
    return (
      <Input
        name={member}
        label={title}
        hint={<Prose>{words.hints.text}</Prose>}
        value={source instanceof Wrong ? "" : source}
        required={false}
        autofocus={values.get(resumeField) === `${member}.text`}
      />
    );
  if (fields.size === 0 && condition.rows.length === 0) return null;
  return (
    <fieldset class="conditions">
      <legend>{title}</legend>
      {(condition.rows.length > 1 || values.get(resumeField) === `${member}.more`) && (
        <Select
          name={`${member}.joint`}
          label={words.joint}
          value={condition.joint}
          choices={{ all: words.all, any: words.any }}
        />
      )}
      <Rows {...{ member, fields, values }} rows={condition.rows} />
    </fieldset>
  );
};

const Formula = ({ fields, values }: Shown) => {
  const formula = values.get("compute") ?? "";
  return (
    <>
      <Input
        name="compute"
        label={formText.members.compute}
        hint={<Prose>{words.hints.compute}</Prose>}
        value={formula}
        required={false}
      />
      {formula && !useErrors().compute && (
        <p>{words.nowCalculated(formulaText(formula, finderIn(fields)))}</p>
      )}
      {fields.size > 0 && (
        <Folded label={words.names} isOpen={false}>
          <dl class="facts">
            {[...fields].map(([id, field]) => (
              <div key={id}>
                <dt dir="auto">{nameOfField(field)}</dt>
                <dd>
                  <code>{/^[_a-zA-Z]\w*$/.test(id) ? `data.${id}` : `data[${JSON.stringify(id)}]`}</code>
                </dd>
              </div>
            ))}
          </dl>
        </Folded>
      )}
    </>
  );
};

/** Rules as rows: with an expression where a comparison cannot express one. */
const RulesInput = ({ stored, fields, values }: Shown & { stored: readonly unknown[] }) => {
  const error = useError("rules");
  const rows = sentRows(values, "rules")?.rows ?? rowsOfRules(stored, fields);
  const isText = values.get(resumeField) === "rules.text";
  return (
    <fieldset class="conditions" id={error && "rules"} tabIndex={error ? -1 : undefined}>
      <legend class="unseen">{formText.members.rules}</legend>
      <Notes id="rules" hint={<Prose>{words.hints.rules}</Prose>} error={error} />
      <Rows
        member="rules"
        rows={isText ? [...rows, { ...emptyRow, rule: "" }] : rows}
        {...{ fields, values }}
      />
    </fieldset>
  );
};

/** Their rows differ from the entered ones: empty rows are omitted. */
const drawn = (draw: () => ComponentChildren) => () => (
  <EnteredContext.Provider value={undefined}>{draw()}</EnteredContext.Provider>
);

/** The controls of a question that name others. @param before the questions before it */
export function conditionControls(
  { controls }: QuestionForm,
  values: URLSearchParams,
  { own, isNew, before }: { own: Field; isNew: boolean; before: Fields },
): QuestionForm["controls"] {
  const shown = { values, fields: before };
  const withOwn = new Map([...before, [isNew ? newId : own.id, own]]);
  const stored = Array.isArray(own.definition.rules) ? own.definition.rules : [];
  const condition = (member: Member, title: string): MemberControl => ({
    ...controls[member],
    draw: drawn(() => <ConditionInput {...{ member, title, ...shown }} />),
    read: (sent) => {
      const rows = sentRows(sent, member);
      if (!rows) return controls[member]?.read(sent, member);
      return expressionIn(rows, before, member) || undefined;
    },
  });
  const { showIf, showTextIf, requireIf } = formText.members;
  return {
    showIf: condition("showIf", own.fieldType.nature === "none" ? showTextIf : showIf),
    requireIf: condition("requireIf", requireIf),
    compute: { ...(controls.compute as MemberControl), draw: drawn(() => <Formula {...shown} />) },
    rules: {
      ...(controls.rules as MemberControl),
      draw: drawn(() => <RulesInput {...{ values, stored, fields: withOwn }} />),
      read: (sent) => {
        const condition = sentRows(sent, "rules");
        if (!condition) return controls.rules?.read(sent, "rules");
        const rules = rulesOfRows(condition.rows, withOwn, stored);
        return rules instanceof Wrong || rules.length > 0 ? rules : undefined;
      },
    },
  };
}

const members = ["requireIf", "compute", "rules"] as const;

interface DependenciesProps {
  form: FormView;
  of: QuestionForm;
  values: URLSearchParams;
}

/** Controls of a question that takes values. Each is open if it has a value or an error. */
export const Dependencies = ({ form, of, values }: DependenciesProps) => {
  const names = [...Object.keys(useErrors()), values.get(resumeField) ?? ""];
  const isOpen = (name: string) =>
    names.some((each) => each === name || each.startsWith(`${name}.`)) ||
    Boolean(values.get(name) || values.get(`${name}.0.field`) || values.has(`${name}.0.rule`));
  return (
    <Folded label={words.heading} isOpen={members.some(isOpen)}>
      {members.map((name) => (
        <Folded key={name} label={formText.members[name]} isOpen={isOpen(name)}>
          <Controls of={of} names={[name]} />
        </Folded>
      ))}
      <LinkLine href={`${pathOfForm(form)}/preview`} label={words.tryIt} />
    </Folded>
  );
};
