/** Controls of conditions on other questions: rows of question, comparison and value, in people's words. */
import type { ComponentChildren } from "preact";
import type { Field } from "../../../fields/definition.ts";
import { EnteredContext, Input, Select, Submit, TextArea, useErrors } from "../../ui/controls.tsx";
import { Prose } from "../../ui/text.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { Controls, Wrong } from "../frame/form.tsx";
import { Folded, LinkLine } from "../frame/parts.tsx";
import type { Condition, ConditionRow } from "./condition-rows.ts";
import { choiceLabels, comparisons, isYesOrNo, rowsOf, takesNoValue } from "./condition-rows.ts";
import {
  expressionIn,
  type Fields,
  finderIn,
  formulaText,
  newId,
  relationOf,
  rowsOfRules,
  rowWords,
  rulesOfRows,
  sentenceOfRows,
  sentRows,
} from "./condition-text.ts";
import { type MemberControl, parseRules, type QuestionForm } from "./question-form.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

interface Shown {
  /** Values that the form shows. */
  values: URLSearchParams;
  /** The questions that it may name. */
  fields: Fields;
}

const emptyRow: ConditionRow = { field: "", comparison: "is", value: "" };

/** Returns texts that a value may have, for a list of suggestions. Empty: a value may have any text. */
const suggestionsFor = (field: Field): string[] =>
  isYesOrNo(field) ? [rowWords.yes, rowWords.no] : choiceLabels(field);

/** Lists by the position of a question. Position 0, before a question is chosen, has all suggestions. */
const Suggestions = ({ member, lists }: { member: string; lists: readonly string[][] }) => (
  <>
    {[[...new Set(lists.flat())], ...lists].map(
      (labels, position) =>
        labels.length > 0 && (
          <datalist key={position} id={`${member}-values-${position}`}>
            {labels.map((label) => (
              <option key={label} value={label} />
            ))}
          </datalist>
        ),
    )}
  </>
);

interface RowsProps extends Shown {
  member: string;
  rows: readonly ConditionRow[];
  /** True: each row has a message. */
  isRule?: boolean;
}

const Rows = ({ member, rows, fields, values, isRule = false }: RowsProps) => {
  // More rows were asked for: the first empty one has the focus.
  const hasFocus = values.get(resumeField) === `${member}.more`;
  const choices = [...fields].map(([value, field]) => ({
    value,
    label: (value === newId ? field.label.trim() : nameOfField(field)) || formText.members.label,
  }));
  const shown = [...rows, emptyRow, ...(hasFocus ? [emptyRow] : [])];
  return (
    <>
      <input type="hidden" name={`${member}.rows`} value={shown.length} />
      <Suggestions member={member} lists={[...fields.values()].map(suggestionsFor)} />
      {shown.map((row, index) => {
        const name = `${member}.${index}`;
        const position = choices.findIndex(({ value }) => value === row.field) + 1;
        return (
          <fieldset key={index} class={isRule ? "condition rule" : "condition"}>
            <legend class="unseen">{words.row(index + 1)}</legend>
            <Select
              name={`${name}.field`}
              label={formText.members.label}
              value={row.field}
              choices={choices}
              none={words.noQuestion}
            />
            <Select
              name={`${name}.comparison`}
              label={words.comparison}
              value={row.comparison}
              choices={comparisons.map((value) => ({
                value,
                label: value === "isOneOf" ? words.oneOfHint : relationOf(value, fields.get(row.field)),
              }))}
            />
            <Input
              name={`${name}.value`}
              label={words.value}
              value={takesNoValue(row.comparison) ? "" : row.value}
              list={`${member}-values-${position}`}
              autofocus={hasFocus && index === rows.length}
            />
            {isRule && <Input name={`${name}.message`} label={words.message} value={row.message} />}
          </fieldset>
        );
      })}
      <div class="actions">
        <Submit class="quiet small" name={resumeField} value={`${member}.more`} label={words.more} />
        {!isRule && (
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
  const condition = sent ?? (source instanceof Wrong ? undefined : rowsOf(source, find, rowWords));
  if (!condition || isText)
    return (
      <Input
        name={member}
        label={title}
        hint={<Prose>{words.hints.text}</Prose>}
        value={source instanceof Wrong ? "" : source}
        required={false}
      />
    );
  const named = condition.rows.filter(({ field }) => field !== "");
  const said = member === "showIf" ? words.nowAsked : words.nowRequired;
  return (
    <fieldset class="conditions">
      <legend class={member === "showIf" ? undefined : "unseen"}>{title}</legend>
      {fields.size === 0 ? (
        <p class="hint">{words.noneBefore}</p>
      ) : (
        <>
          {named.length > 0 && <p>{said(sentenceOfRows({ ...condition, rows: named }, find))}</p>}
          <p class="hint">{words.hints[member]}</p>
          <Select
            name={`${member}.joint`}
            label={words.joint}
            value={condition.joint}
            choices={{ all: words.all, any: words.any }}
          />
          <Rows {...{ member, fields, values }} rows={condition.rows} />
        </>
      )}
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

/** Rules as rows, and as lines if rows cannot express them, or one is wrong. */
const RulesInput = ({ fields, values }: Shown) => {
  const hasError = useErrors().rules !== undefined;
  const sent = sentRows(values, "rules");
  const lines = (values.get("rules") ?? "").split("\n").filter((line) => line.trim() !== "");
  const { rows, others } =
    sent || hasError ? { rows: sent?.rows ?? [], others: lines } : rowsOfRules(lines, fields);
  return (
    <fieldset class="conditions">
      <legend class="unseen">{formText.members.rules}</legend>
      <p class="hint">{words.hints.rules}</p>
      <Rows member="rules" {...{ rows, fields, values }} isRule />
      <Folded label={words.asText} isOpen={others.length > 0 || hasError}>
        <TextArea
          name="rules"
          label={words.otherRules}
          hint={<Prose>{words.hints.moreRules}</Prose>}
          value={others.join("\n")}
          required={false}
          rows={3}
        />
      </Folded>
    </fieldset>
  );
};

/** The controls of a question that name others. @param before the questions before it */
export function conditionControls(
  { controls }: QuestionForm,
  values: URLSearchParams,
  { own, isNew, before }: { own: Field; isNew: boolean; before: Fields },
): QuestionForm["controls"] {
  const shown = { values, fields: before };
  const withOwn = new Map([...before, [isNew ? newId : own.id, own]]);
  const withRows = (
    name: Member | "rules",
    draw: () => ComponentChildren,
    readRows: (sent: Condition, values: URLSearchParams) => unknown,
  ): MemberControl => ({
    ...controls[name],
    draw,
    read: (sent) => {
      const rows = sentRows(sent, name);
      return rows ? readRows(rows, sent) : controls[name]?.read(sent, name);
    },
  });
  const condition = (member: Member, title: string) =>
    withRows(
      member,
      () => <ConditionInput {...{ member, title, ...shown }} />,
      (rows) => expressionIn(rows, before, member) || undefined,
    );
  const { showIf, showTextIf, requireIf } = formText.members;
  return {
    showIf: condition("showIf", own.fieldType.nature === "none" ? showTextIf : showIf),
    requireIf: condition("requireIf", requireIf),
    compute: { ...(controls.compute as MemberControl), draw: () => <Formula {...shown} /> },
    rules: withRows(
      "rules",
      () => <RulesInput values={values} fields={withOwn} />,
      ({ rows }, sent) => {
        const rules = rulesOfRows(rows, withOwn, "rules");
        if (rules instanceof Wrong) return rules;
        const all = [...rules, ...parseRules(sent.get("rules") ?? "")];
        return all.length > 0 ? all : undefined;
      },
    ),
  };
}

const members = ["showIf", "requireIf", "compute", "rules"] as const;

interface DependenciesProps {
  form: FormView;
  of: QuestionForm;
  values: URLSearchParams;
  isStatement: boolean;
}

/** These controls. Each is open if it has a value or an error. */
export const Dependencies = ({ form, of, values, isStatement }: DependenciesProps) => {
  const errors = Object.keys(useErrors());
  const isOpen = (name: string) =>
    [...errors, values.get(resumeField)].some((each) => each === name || each?.startsWith(`${name}.`)) ||
    Boolean(values.get(name) || values.get(`${name}.0.field`));
  return (
    <Folded label={words.heading} isOpen={members.some(isOpen)}>
      {/* Their rows differ from the entered ones: empty rows are omitted. */}
      <EnteredContext.Provider value={undefined}>
        <Controls of={of} names={["showIf"]} />
        {!isStatement &&
          members.slice(1).map((name) => (
            <Folded key={name} label={formText.members[name]} isOpen={isOpen(name)}>
              <Controls of={of} names={[name]} />
            </Folded>
          ))}
      </EnteredContext.Provider>
      <LinkLine href={`${pathOfForm(form)}/preview`} label={words.tryIt} />
    </Folded>
  );
};
