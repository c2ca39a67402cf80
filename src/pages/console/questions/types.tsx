/** The types of questions as people see them: in groups, each with a picture. */
import { resolveType } from "../../../fields/types.ts";
import type { Choice } from "../../ui/controls.tsx";
import { Picture } from "../../ui/pictures.tsx";
import { formText } from "../form/words.ts";
import { questionsText } from "./words.ts";

type TypeName = keyof typeof questionsText.fieldTypes;
type Group = keyof typeof questionsText.fieldTypeGroups;

/**
 * The types in the order of the lists, each with its group; an alias such as `page_break` is a type of its
 * own for people. By type, so that a new one without a group does not compile.
 */
const groupOf: Readonly<Record<TypeName, Group>> = {
  text: "text",
  textarea: "text",
  email: "text",
  phone: "text",
  url: "text",
  address: "text",
  file: "text",
  select: "choice",
  multi_select: "choice",
  boolean: "choice",
  consent: "choice",
  rating: "choice",
  ranking: "choice",
  matrix: "choice",
  number: "number",
  integer: "number",
  date: "number",
  time: "number",
  datetime: "number",
  page_break: "layout",
  heading: "layout",
  statement: "layout",
  divider: "layout",
  hidden: "layout",
};

/** The name under which people know a type: that of its kind for an alias without an entry. */
const nameOf = (type: string): TypeName | undefined => {
  if (Object.hasOwn(questionsText.fieldTypes, type)) return type as TypeName;
  return resolveType(type).kind;
};

/** A type in people's words; one of the owner's own as it is. */
export const typeLabel = (type: string): string => {
  const name = nameOf(type);
  return name ? questionsText.fieldTypes[name] : type;
};

export const TypePicture = ({ type }: { type: string }) => <Picture name={nameOf(type) ?? "text"} />;

const entries = Object.entries(
  Object.groupBy(Object.keys(groupOf) as TypeName[], (type) => groupOf[type]),
) as [Group, readonly TypeName[]][];

/** The types as the choices of a list. @param current stays a choice where it is none of them */
export const typeChoices = (current?: string, without: ReadonlySet<string> = new Set()): Choice[] => {
  const choices = entries.flatMap(([group, types]) =>
    types
      .filter((type) => !without.has(type))
      .map((type) => ({
        value: type as string,
        label: questionsText.fieldTypes[type],
        group: questionsText.fieldTypeGroups[group],
      })),
  );
  return current === undefined || choices.some(({ value }) => value === current)
    ? choices
    : [{ value: current, label: typeLabel(current) }, ...choices];
};

/** The types as buttons with pictures, of which one is chosen. */
export const TypeTiles = ({ value }: { value: string }) => (
  <fieldset class="types">
    <legend>{formText.members.type}</legend>
    {entries.map(([group, types]) => (
      <fieldset key={group} class="tiles">
        <legend>{questionsText.fieldTypeGroups[group]}</legend>
        {types.map((type) => (
          <label key={type} class="tile">
            <input type="radio" name="type" value={type} checked={type === value} />
            <Picture name={type} />
            {questionsText.fieldTypes[type]}
          </label>
        ))}
      </fieldset>
    ))}
  </fieldset>
);
