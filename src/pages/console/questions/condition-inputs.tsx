/** The controls of rows: a question, a comparison, a value. */
import type { Field } from "../../../fields/definition.ts";
import { Input, Select, Submit } from "../../ui/controls.tsx";
import { nameOfField } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { fieldFinder, idOfOwn, type Readable, type SentRow } from "./condition-form.ts";
import { choiceLabels, comparisons, isYesOrNo, takesNoValue } from "./condition-rows.ts";
import { relationOf, rowWords } from "./condition-text.ts";
import { questionsText } from "./words.ts";

const words = questionsText.conditions;

interface RowsProps {
  member: string;
  rows: readonly SentRow[];
  readable: Readable;
  /** Whether each row has a message. */
  isRule?: boolean;
  /** Whether more rows were asked for: the first empty one has the focus. */
  hasFocus: boolean;
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

export const ConditionRows = ({ member, rows, readable, isRule = false, hasFocus }: RowsProps) => {
  const { earlier, own } = readable;
  const fieldOf = fieldFinder(readable, isRule);
  const questions = [...earlier, ...(isRule ? [own] : [])];
  const choices = [
    { value: "", label: words.noQuestion },
    ...questions.map((field) => ({
      value: field === own ? idOfOwn(own) : field.id,
      label: nameOfField(field) || formText.members.label,
    })),
  ];
  const shown = [...rows, emptyRow, ...(hasFocus ? [emptyRow] : [])];
  return (
    <>
      <input type="hidden" name={`${member}.rows`} value={shown.length} />
      <Suggestions member={member} lists={questions.map(suggestionsFor)} />
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
