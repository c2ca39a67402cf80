/** What the table of submissions shows of their values: the chosen fields, or else the first ones. */
import { controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { Checkbox, Submit } from "../../ui/controls.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { HiddenFields } from "../frame/layout.tsx";
import type { Query } from "./filters.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

const prefix = "column.";

/** Whether a parameter says how the table looks, not which submissions it has. */
export const isOfLook = (name: string): boolean => name.startsWith(prefix) || name === "order";

const columnOf = ({ id }: Field): string => prefix + controlName(id);

/** Those that have a value, in the order of the form. */
const columnFields = (fields: readonly Field[]) =>
  fields.filter(({ fieldType }) => fieldType.nature !== "none");

/** The fields that the query chooses; undefined: it chooses none. */
export function chosenFields(fields: readonly Field[], query: Query): Field[] | undefined {
  const chosen = columnFields(fields).filter((field) => query[columnOf(field)]);
  return chosen.length > 0 ? chosen : undefined;
}

export const ColumnsForm = ({
  path,
  fields,
  shown,
  query,
}: {
  path: string;
  fields: readonly Field[];
  /** The fields that the table has now. */
  shown: readonly Field[];
  query: Query;
}) => {
  const others = Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith(prefix)));
  const ids = new Set(shown.map(({ id }) => id));
  return (
    <details>
      <summary>{words.columns}</summary>
      <form method="get" action={path} class="stacked">
        <HiddenFields fields={others} />
        <fieldset class="filters">
          <legend class="unseen">{words.columns}</legend>
          {columnFields(fields).map((field) => (
            <Checkbox
              key={field.id}
              name={columnOf(field)}
              label={labelOf(field)}
              checked={ids.has(field.id)}
            />
          ))}
        </fieldset>
        <div class="actions">
          <Submit class="quiet" label={words.columnsSubmit} />
          {chosenFields(fields, query) && (
            <a href={`${path}?${new URLSearchParams(others)}`}>{words.columnsReset}</a>
          )}
        </div>
      </form>
    </details>
  );
};
