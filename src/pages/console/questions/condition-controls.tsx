/** Controls of what depends on other questions: rows of question, comparison and value, in people's words. */
import type { ComponentChildren } from "preact";
import type { Field } from "../../../fields/definition.ts";
import { EnteredContext, Input, Select, Submit, TextArea, useErrors } from "../../ui/controls.tsx";
import { Prose } from "../../ui/text.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { Controls, Wrong } from "../frame/form.tsx";
import { LinkLine } from "../frame/parts.tsx";
import { choiceLabels, comparisons, isYesOrNo, rowsOf, takesNoValue } from "./condition-rows.ts";
import { formulaText, relationOf, rowWords, sentenceOfRows } from "./condition-text.ts";
import {
  expressionIn,
  fieldFinder,
  newId,
  type Readable,
  rowsOfRules,
  rulesOfRows,
  type SentRow,
  sentRows,
} from "./condition-values.ts";
import { type MemberControl, parseRules, type QuestionForm } from "./question-form.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

interface Shown {
  readable: Readable;
  /** What the form shows. */
  values: URLSearchParams;
}

const emptyRow: SentRow = { field: "", comparison: "is", value: "", message: "" };

/** What a value may be, for a list of suggestions; none where any text may be. */
const suggestionsFor = (field: Field): string[] =>
  isYesOrNo(field) ? [rowWords.yes, rowWords.no] : choiceLabels(field);

/** For each question by its position in the list of questions; at 0, before one is chosen, all. */
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
  rows: readonly SentRow[];
  /** Whether each row has a message. */
  isRule?: boolean;
}

const Rows = ({ member, rows, readable, values, isRule = false }: RowsProps) => {
  const { earlier, own, isNew } = readable;
  // More rows were asked for: the first empty one has the focus.
  const hasFocus = values.get(resumeField) === `${member}.more`;
  const fieldOf = fieldFinder(readable, isRule);
  const choices = [
    { value: "", label: words.noQuestion },
    ...earlier.map((field) => ({ value: field.id, label: nameOfField(field) })),
    ...(isRule ? [{ value: isNew ? newId : own.id, label: own.label.trim() || formText.members.label }] : []),
  ];
  const shown = [...rows, emptyRow, ...(hasFocus ? [emptyRow] : [])];
  return (
    <>
      <input type="hidden" name={`${member}.rows`} value={shown.length} />
      <Suggestions member={member} lists={[...earlier, ...(isRule ? [own] : [])].map(suggestionsFor)} />
      {shown.map((row, index) => {
        const name = `${member}.${index}`;
        const position = choices.findIndex(({ value }) => value === row.field);
        return (
          <fieldset key={index} class={isRule ? "condition rule" : "condition"}>
            <legend class="unseen">{words.row(index + 1)}</legend>
            <Select name={`${name}.field`} label={words.question} value={row.field} choices={choices} />
            <Select
              name={`${name}.comparison`}
              label={words.comparison}
              value={row.comparison}
              choices={comparisons.map((value) => ({
                value,
                label: value === "isOneOf" ? words.oneOfHint : relationOf(value, fieldOf(row.field)),
              }))}
            />
            <Input
              name={`${name}.value`}
              label={words.value}
              value={takesNoValue(row.comparison) ? "" : row.value}
              list={`${member}-values-${Math.max(position, 0)}`}
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

/** The rows of a condition, or its expression where rows cannot say it, or have a fault, or are not wanted. */
const ConditionInput = ({ member, readable, values }: Shown & { member: Member }) => {
  const isStatement = readable.own.fieldType.nature === "none";
  const title = member === "showIf" && isStatement ? formText.members.showTextIf : formText.members[member];
  const fieldOf = fieldFinder(readable, false);
  const sent = sentRows(values, member);
  const source = sent ? expressionIn(sent, fieldOf, member) : (values.get(member) ?? "");
  const isText = values.get(resumeField) === `${member}.text` || useErrors()[member] !== undefined;
  const condition = sent ?? (source instanceof Wrong ? undefined : rowsOf(source, fieldOf, rowWords));
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
      {readable.earlier.length === 0 ? (
        <p class="hint">{words.noneBefore}</p>
      ) : (
        <>
          {named.length > 0 && <p>{said(sentenceOfRows({ ...condition, rows: named }, fieldOf))}</p>}
          <p class="hint">{words.hints[member]}</p>
          <Select
            name={`${member}.joint`}
            label={words.joint}
            value={condition.joint}
            choices={{ all: words.all, any: words.any }}
          />
          <Rows
            {...{ member, readable, values }}
            rows={condition.rows.map((row) => ({ ...emptyRow, ...row }))}
          />
        </>
      )}
    </fieldset>
  );
};

/** What programs call the questions that a formula may name. */
const Names = ({ readable: { earlier } }: Pick<Shown, "readable">) =>
  earlier.length === 0 ? null : (
    <details>
      <summary>{words.names}</summary>
      <dl class="facts">
        {earlier.map((field) => (
          <div key={field.id}>
            <dt dir="auto">{nameOfField(field)}</dt>
            <dd>
              <code>
                {/^[_a-zA-Z]\w*$/.test(field.id) ? `data.${field.id}` : `data[${JSON.stringify(field.id)}]`}
              </code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );

const Formula = ({ readable, values }: Shown) => {
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
        <p>{words.nowCalculated(formulaText(formula, fieldFinder(readable, false)))}</p>
      )}
      <Names readable={readable} />
    </>
  );
};

/** Rules as rows, and as lines where rows cannot say them, or one has a fault. */
const RulesInput = ({ readable, values }: Shown) => {
  const hasError = useErrors().rules !== undefined;
  const sent = sentRows(values, "rules");
  const lines = (values.get("rules") ?? "").split("\n").filter((line) => line.trim() !== "");
  const { rows, others } =
    sent || hasError
      ? { rows: sent?.rows ?? [], others: lines }
      : rowsOfRules(lines, fieldFinder(readable, true));
  return (
    <fieldset class="conditions">
      <legend class="unseen">{formText.members.rules}</legend>
      <p class="hint">{words.hints.rules}</p>
      <Rows member="rules" {...{ rows, readable, values }} isRule />
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

const Folded = ({
  label,
  isOpen,
  children,
}: {
  label: string;
  isOpen: boolean;
  children: ComponentChildren;
}) => (
  <details open={isOpen}>
    <summary>{label}</summary>
    <div class="stacked">{children}</div>
  </details>
);

/** The controls of a question that name others. @param form its form without them */
export function conditionControls({ controls }: QuestionForm, shown: Shown): QuestionForm["controls"] {
  const withRows = (
    member: "showIf" | "requireIf" | "rules",
    draw: () => ComponentChildren,
    readRows: (rows: NonNullable<ReturnType<typeof sentRows>>, values: URLSearchParams) => unknown,
  ): MemberControl => ({
    ...controls[member],
    draw,
    read: (values) => {
      const sent = sentRows(values, member);
      return sent ? readRows(sent, values) : controls[member]?.read(values, member);
    },
  });
  const condition = (member: Member) =>
    withRows(
      member,
      () => <ConditionInput member={member} {...shown} />,
      (sent) => expressionIn(sent, fieldFinder(shown.readable, false), member) || undefined,
    );
  return {
    showIf: condition("showIf"),
    requireIf: condition("requireIf"),
    compute: { ...(controls.compute as MemberControl), draw: () => <Formula {...shown} /> },
    rules: withRows(
      "rules",
      () => <RulesInput {...shown} />,
      ({ rows }, values) => {
        const said = rulesOfRows(rows, fieldFinder(shown.readable, true), "rules");
        if (said instanceof Wrong) return said;
        const all = [...said, ...parseRules(values.get("rules")?.replaceAll("\r\n", "\n") ?? "")];
        return all.length > 0 ? all : undefined;
      },
    ),
  };
}

const members = ["showIf", "requireIf", "compute", "rules"] as const;

/** These controls, each open where it has something. */
export const Dependencies = ({
  form,
  of,
  values,
  isStatement,
}: {
  form: FormView;
  of: QuestionForm;
  values: URLSearchParams;
  isStatement: boolean;
}) => {
  const errors = Object.keys(useErrors());
  const isOpen = (name: string) =>
    [...errors, values.get(resumeField)].some((each) => each === name || each?.startsWith(`${name}.`)) ||
    Boolean(values.get(name) || values.get(`${name}.0.field`));
  return (
    <Folded label={words.heading} isOpen={members.some(isOpen)}>
      {/* Their rows are not those that were entered: empty ones are left out. */}
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
