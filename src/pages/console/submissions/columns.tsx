/** Submissions as rows of a table: state, name and values. */
import type { Field } from "../../../fields/definition.ts";
import { valueText } from "../../../fields/entered.ts";
import type { ValueWords } from "../../../fields/presentation.ts";
import { stateOfSubmission } from "../../../resources/submissions/fact-words.ts";
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { labelOf } from "../../ui/fields/props.ts";
import { timeZoneOfValues } from "../../ui/language.ts";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/text.tsx";
import { type FormView, hrefOfSubmission } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

/** Characters of a value that a table has room for. */
const maxCellLength = 80;
/** Characters of an e-mail address that is not broken. */
const maxWholeLength = 30;

export const SubmissionStatus = ({ status, reviewDecision }: SubmissionRow) => (
  <span class={`badge ${reviewDecision ?? status}`}>
    {formText.submission.states[stateOfSubmission[reviewDecision ?? status]]}
  </span>
);

/** Words of values, on the clock of the form. */
export const valueWords = (): ValueWords => ({ ...formText.fieldInput, timeZone: timeZoneOfValues() });

export const shownIn = (data: SubmissionRow["data"], field: Field): string => {
  const value = Object.hasOwn(data, field.id) ? data[field.id] : undefined;
  return value === undefined ? "" : valueText(field, value, valueWords());
};

/** Returns a column for each of the first fields, with its value as text. */
export const fieldColumns = (fields: readonly Field[], count: number): Column<SubmissionRow>[] =>
  fieldsWithValue(fields)
    .slice(0, count)
    .map((field) => ({
      head: shorten(labelOf(field)),
      cell: ({ data }) => {
        const text = shorten(shownIn(data, field).replaceAll("\n", ", ")) || words.noValue;
        const isWhole = field.kind === "email" && text.length <= maxWholeLength;
        return <bdi class={isWhole ? "whole" : undefined}>{text}</bdi>;
      },
    }));

export const shorten = (value: string) =>
  value.length > maxCellLength ? `${value.slice(0, maxCellLength)}…` : value;

/** Fields that have a value, in the order of the form. */
export const fieldsWithValue = (fields: readonly Field[]) =>
  fields.filter(({ fieldType }) => fieldType.nature !== "none");

const headKinds: readonly unknown[] = ["text", "email", "phone"];

/** The field whose value heads a submission: often a name. */
export const headField = (fields: readonly Field[]): Field | undefined =>
  fields.find(({ kind }) => headKinds.includes(kind));

/** Returns the name of a submission among others: the value of that field, and its time. */
export const nameOf = (row: SubmissionRow, field: Field | undefined): string =>
  [
    field && shorten(shownIn(row.data, field)),
    `${row.createdAt.toISOString().slice(0, 19).replace("T", " ")} UTC`,
  ]
    .filter(Boolean)
    .join(", ");

/** Returns columns that link to a submission by its first short text, often a name, or else by its time. */
export function headColumns(form: FormView, field: Field | undefined): Column<SubmissionRow>[] {
  const received: Column<SubmissionRow> = {
    head: words.received,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  };
  const textOf = ({ data }: SubmissionRow) => field && shorten(shownIn(data, field));
  const head: Column<SubmissionRow> = {
    head: field ? shorten(labelOf(field)) : received.head,
    isHeader: true,
    cell: (row) => (
      <a href={hrefOfSubmission(form, row.id)}>
        {textOf(row) ? <bdi>{textOf(row)}</bdi> : received.cell(row)}
      </a>
    ),
  };
  return field ? [head, received] : [head];
}
