/** What of a question depends on others: rows of question, comparison and value, in people's words. */
import type { ComponentChildren } from "preact";
import { Input, Select, TextArea } from "../../ui/controls.tsx";
import { Prose } from "../../ui/text.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { LinkLine } from "../frame/parts.tsx";
import {
  conditionMembers,
  fieldFinder,
  jointOf,
  type Readable,
  rulesIn,
  sentRows,
} from "./condition-form.ts";
import { ConditionRows } from "./condition-inputs.tsx";
import { expressionOf, rowsOf } from "./condition-rows.ts";
import { formulaText, rowWords, sentenceOfRows } from "./condition-text.ts";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

interface DependenciesProps {
  form: FormView;
  readable: Readable;
  values: URLSearchParams;
  /** What is wrong with a member, as a sentence. */
  errorOf: (member: string) => string | undefined;
}

type Member = (typeof conditionMembers)[number];

/** The rows of a condition; undefined where it is shown as text. */
function conditionIn(values: URLSearchParams, member: Member, readable: Readable, hasError: boolean) {
  if (values.get(resumeField) === `${member}.text`) return undefined;
  const sent = sentRows(values, member);
  if (sent) return { joint: jointOf(values, member), rows: sent.filter(({ field }) => field !== "") };
  if (hasError) return undefined;
  const found = rowsOf(values.get(member) ?? "", fieldFinder(readable, false), rowWords);
  return found && { ...found, rows: found.rows.map((row) => ({ ...row, message: "" })) };
}

/** The expression of a condition, also of rows that were sent; empty while one of them is wrong. */
function writtenIn(values: URLSearchParams, member: Member, readable: Readable): string {
  const rows = sentRows(values, member);
  if (!rows) return values.get(member) ?? "";
  try {
    return expressionOf({ joint: jointOf(values, member), rows }, fieldFinder(readable, false), rowWords);
  } catch {
    return "";
  }
}

const ConditionInput = ({ member, readable, values, errorOf }: DependenciesProps & { member: Member }) => {
  const error = errorOf(member);
  const condition = conditionIn(values, member, readable, error !== undefined);
  const isStatement = readable.own.fieldType.nature === "none";
  const title = member === "showIf" && isStatement ? formText.members.showTextIf : formText.members[member];
  const said = member === "showIf" ? words.nowAsked : words.nowRequired;
  if (!condition)
    return (
      <Input
        name={member}
        label={title}
        hint={<Prose>{words.hints.text}</Prose>}
        value={writtenIn(values, member, readable)}
        error={error}
        required={false}
      />
    );
  const { joint, rows } = condition;
  return (
    <fieldset class="conditions">
      <legend class={member === "showIf" ? undefined : "unseen"}>{title}</legend>
      {readable.earlier.length === 0 ? (
        <p class="hint">{words.noneBefore}</p>
      ) : (
        <>
          {rows.length > 0 && <p>{said(sentenceOfRows(condition, fieldFinder(readable, false)))}</p>}
          <p class="hint">{words.hints[member]}</p>
          <Select
            name={`${member}.joint`}
            label={words.joint}
            value={joint}
            choices={[
              { value: "all", label: words.all },
              { value: "any", label: words.any },
            ]}
          />
          <ConditionRows
            member={member}
            rows={rows}
            readable={readable}
            hasFocus={values.get(resumeField) === `${member}.more`}
          />
        </>
      )}
    </fieldset>
  );
};

/** What programs call the questions that a formula may name. */
const Names = ({ readable: { earlier } }: { readable: Readable }) =>
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

const Formula = ({ readable, values, errorOf }: DependenciesProps) => {
  const formula = values.get("compute") ?? "";
  const error = errorOf("compute");
  return (
    <>
      <Input
        name="compute"
        label={formText.members.compute}
        hint={<Prose>{words.hints.compute}</Prose>}
        value={formula}
        error={error}
        required={false}
      />
      {formula && !error && <p>{words.nowCalculated(formulaText(formula, fieldFinder(readable, false)))}</p>}
      <Names readable={readable} />
    </>
  );
};

const Rules = ({ readable, values, errorOf }: DependenciesProps) => {
  const error = errorOf("rules");
  const { rows, others } = rulesIn(values, readable, error !== undefined);
  const asText = (
    <TextArea
      name="rules"
      label={words.otherRules}
      hint={<Prose>{words.hints.moreRules}</Prose>}
      value={others}
      error={error}
      required={false}
      rows={3}
    />
  );
  return (
    <fieldset class="conditions">
      <legend class="unseen">{formText.members.rules}</legend>
      <p class="hint">{words.hints.rules}</p>
      <ConditionRows
        member="rules"
        rows={rows}
        readable={readable}
        isRule
        hasFocus={values.get(resumeField) === "rules.more"}
      />
      {others || error ? (
        asText
      ) : (
        <details>
          <summary>{words.asText}</summary>
          {asText}
        </details>
      )}
    </fieldset>
  );
};

const members = [...conditionMembers, "compute", "rules"] as const;

export const Dependencies = (props: DependenciesProps) => {
  const { form, readable, values, errorOf } = props;
  const isOpen = (name: (typeof members)[number]) =>
    values.get(resumeField)?.startsWith(`${name}.`) === true ||
    Boolean(values.get(name) || values.get(`${name}.0.field`) || errorOf(name));
  const folded = (name: (typeof members)[number], content: ComponentChildren) => (
    <details open={isOpen(name)}>
      <summary>{formText.members[name]}</summary>
      <div class="stacked">{content}</div>
    </details>
  );
  return (
    <details open={members.some(isOpen)}>
      <summary>{words.heading}</summary>
      <div class="stacked">
        <ConditionInput {...props} member="showIf" />
        {readable.own.fieldType.nature !== "none" && (
          <>
            {folded("requireIf", <ConditionInput {...props} member="requireIf" />)}
            {folded("compute", <Formula {...props} />)}
            {folded("rules", <Rules {...props} />)}
          </>
        )}
        <LinkLine href={`${pathOfForm(form)}/preview`} label={words.tryIt} />
      </div>
    </details>
  );
};
