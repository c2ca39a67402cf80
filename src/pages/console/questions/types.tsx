/** The types of questions as people see them: in groups, each with a picture. */
import { resolveType } from "../../../fields/types.ts";
import { type Choice, Submit } from "../../ui/controls.tsx";
import { Picture } from "../../ui/pictures.tsx";
import { type TypeName, typeLabel, typeName } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import { questionsText } from "./words.ts";

type Group = keyof typeof questionsText.fieldTypeGroups;

/** The types in the order of the lists. A new one without a group does not compile. */
const groups = {
  text: ["text", "textarea", "email", "phone", "url", "address", "file"],
  choice: ["select", "multi_select", "boolean", "consent", "rating", "ranking", "matrix"],
  number: ["number", "integer", "date", "time", "datetime"],
  layout: ["page_break", "heading", "statement", "divider", "hidden"],
} as const satisfies Record<Group, readonly TypeName[]>;
type Entries = [Group, readonly TypeName[]][];
const entries: TypeName extends (typeof groups)[Group][number] ? Entries : never = Object.entries(
  groups,
) as Entries;

/** True for a step, a heading, a text or a line, which have no value. */
export const isStatementType = (type: string): boolean => resolveType(type).fieldType.nature === "none";

export const TypePicture = ({ type }: { type: string }) => <Picture name={typeName(type) ?? "text"} />;

/** The types as the choices of a list. @param current stays a choice if it is not one of them */
export const typeChoices = (current?: string, without: ReadonlySet<string> = new Set()): Choice[] => {
  const choices = entries.flatMap(([group, types]) =>
    types
      .filter((type) => !without.has(type))
      .map((type) => ({
        value: type as string,
        label: formText.fieldTypes[type],
        group: questionsText.fieldTypeGroups[group],
      })),
  );
  return current === undefined || choices.some(({ value }) => value === current)
    ? choices
    : [{ value: current, label: typeLabel(current) }, ...choices];
};

/**
 * The types as one list with pictures, of which one is chosen. It opens in its place.
 * @param isNew the first choice leaves the type to the words of the question
 */
export const TypeList = ({ value, isNew = false }: { value: string; isNew?: boolean }) => {
  const chosen = value === "" ? questionsText.editor.guessed : typeLabel(value);
  const tile = (type: string, label: string) => (
    <label key={type} class="tile">
      <input
        type="radio"
        name="type"
        value={type}
        checked={type === value}
        data-redraw={isNew && !isStatementType(type) ? undefined : ""}
      />
      {type !== "" && <TypePicture type={type} />}
      {label}
    </label>
  );
  return (
    <details class="types">
      <summary>
        {formText.members.type}: {value !== "" && <TypePicture type={value} />}
        <strong>{chosen}</strong>
      </summary>
      <fieldset class="stacked">
        <legend class="unseen">{formText.members.type}</legend>
        {isNew && <div class="tiles">{tile("", questionsText.editor.guessed)}</div>}
        {typeName(value) === undefined && value !== "" && <div class="tiles">{tile(value, value)}</div>}
        {entries.map(([group, types]) => (
          <fieldset key={group} class="tiles">
            <legend>{questionsText.fieldTypeGroups[group]}</legend>
            {types.map((type) => tile(type, formText.fieldTypes[type]))}
          </fieldset>
        ))}
        {!isNew && (
          <Submit class="quiet" name={resumeField} value="type" label={questionsText.field.changeType} />
        )}
      </fieldset>
    </details>
  );
};
