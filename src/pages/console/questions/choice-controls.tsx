/** Controls of choices, and of the rows and columns of a matrix: a row for each. */
import { useContext } from "preact/hooks";
import { listNames } from "../../../fields/named-lists.ts";
import { isOptionLimit } from "../../../fields/types/choice.ts";
import {
  describedBy,
  EnteredContext,
  idOf,
  Notes,
  Select,
  Submit,
  useError,
  useScope,
} from "../../ui/controls.tsx";
import { parseNumber } from "../form/entered-number.ts";
import { resumeField } from "../frame/addresses.ts";
import type { FormControl } from "../frame/form.tsx";
import {
  arrangedRows,
  type ChoiceRow,
  choicesOfRows,
  isBlankRow,
  rowsOfChoices,
  sentChoices,
  shownChoices,
} from "./choice-rows.ts";
import { questionsText } from "./words.ts";

const words = questionsText.choices;

/** The values of {@link resumeField} that the buttons of rows send. */
const rowsAct = /^(.*)\.(more|up|down|remove)(?:\.(\d+))?$/;

const empty: ChoiceRow = { was: "", label: "", places: "", value: "" };

/** Empty rows at the end: with a script one is enough. */
const emptyRows = { none: 3, some: 1, more: 4 };

interface ChoicesProps {
  label: string;
  hint?: string | undefined;
  rule: { readonly name: string; readonly takesListName?: true | undefined };
  /** True: a choice can have a number of places. */
  takesLimits: boolean;
}

interface RowProps {
  name: string;
  row: ChoiceRow;
  index: number;
  /** Name of the kind of rows, such as "Choice 2" for the second; `#` stands for the number. */
  title: string;
  hasPlaces: boolean;
  /** Attributes of the control of the places, if it is not valid. */
  wrongPlaces: { "aria-invalid": "true"; "aria-describedby": string } | undefined;
  /** The control that has the focus. */
  focus: string | undefined;
}

const Row = ({ name, row, index, title, hasPlaces, wrongPlaces, focus }: RowProps) => {
  // The script numbers the rows again.
  const named = (says: string) => ({ "aria-label": says.replace("#", String(index + 1)), "data-says": says });
  const button = (act: "up" | "down" | "remove", says: string, picture: string) => (
    <Submit
      class="quiet small"
      name={resumeField}
      value={`${name}.${act}.${index}`}
      data-row={act}
      autofocus={focus === act}
      label={picture}
      {...named(says)}
    />
  );
  const common = { type: "text", dir: "auto", autocomplete: "off" } as const;
  return (
    <li class="choice-row">
      <span class="handle" draggable aria-hidden="true">
        ⠿
      </span>
      <input type="hidden" name={`${name}.was`} value={row.was} />
      <input
        {...common}
        name={`${name}.label`}
        value={row.label}
        autofocus={focus === "label"}
        {...named(title)}
      />
      {hasPlaces && (
        <label class="places">
          <span>{words.places}</span>
          <input
            {...common}
            name={`${name}.places`}
            value={row.places}
            inputmode="numeric"
            placeholder="–"
            {...wrongPlaces}
            {...named(`${words.places}: ${title}`)}
          />
        </label>
      )}
      <label class="exact">
        <span>{words.value}</span>
        <input {...common} name={`${name}.value`} value={row.value} {...named(`${words.value}: ${title}`)} />
      </label>
      <span class="row-acts">
        {button("up", questionsText.editor.moveUp(title), "↑")}
        {button("down", questionsText.editor.moveDown(title), "↓")}
        {button("remove", `${questionsText.field.remove}: ${title}`, "✕")}
      </span>
    </li>
  );
};

const isPlaces = (text: string): boolean =>
  text.trim() === "" || isOptionLimit(parseNumber(text.trim(), true));

const Rows = ({ name, label, hint, rule, takesLimits }: ChoicesProps & { name: string }) => {
  const values = useContext(EnteredContext) ?? new URLSearchParams();
  const error = useError(name);
  const id = idOf(name, useScope());
  const [, at, act = "", place = ""] = rowsAct.exec(values.get(resumeField) ?? "") ?? [];
  const isAsked = at === name;
  const sent = sentChoices(values, name);
  const rows = (isAsked ? arrangedRows(sent, act, Number(place)) : sent).filter((row) => !isBlankRow(row));
  const more = isAsked && act === "more" ? "more" : rows.length > 0 ? "some" : "none";
  const shown = [...rows, ...Array<ChoiceRow>(emptyRows[more]).fill(empty)];
  const moved = Math.max(Number(place) + ({ up: -1, down: 1 }[act] ?? 0), 0);
  const focused = act === "more" ? rows.length : Math.min(moved, rows.length);
  // The first row has no arrow that leads up.
  const arrow = { up: moved === 0 ? "down" : "up", down: "down" }[act];
  const hasPlaces = takesLimits || rows.some(({ places }) => places !== "");
  const { title, add } = words.of[rule.name as keyof typeof words.of] ?? words.of.options;
  const list = values.get(`${name}.list`) ?? "";
  const lists = [...new Set([...listNames, ...(list ? [list] : [])])];
  return (
    <fieldset
      class="choice-rows"
      id={error && id}
      tabIndex={error ? -1 : undefined}
      aria-describedby={describedBy(id, { error, hint })}
    >
      <legend>{label}</legend>
      <Notes id={id} hint={hint} error={error} />
      {/* Enter presses the first button of a form, which none of the rows may be. */}
      <button type="submit" hidden tabIndex={-1} />
      {(rule.takesListName || list !== "") && (
        <Select
          name={`${name}.list`}
          label={words.list}
          none={words.own}
          value={list}
          choices={lists.map((value) => ({
            value,
            label: words.lists[value as keyof typeof words.lists] ?? value,
          }))}
        />
      )}
      <ol data-rows>
        {shown.map((row, index) => (
          <Row
            key={index}
            {...{ name, row, index, title, hasPlaces }}
            wrongPlaces={
              error !== undefined && !isPlaces(row.places)
                ? { "aria-invalid": "true", "aria-describedby": `${id}-error` }
                : undefined
            }
            focus={isAsked && index === focused ? (arrow ?? "label") : undefined}
          />
        ))}
      </ol>
      <Submit class="quiet small" name={resumeField} value={`${name}.more`} data-row="add" label={add} />
      <details class="exact-values">
        <summary>{words.value}</summary>
        <p class="hint">{words.valueHint}</p>
      </details>
    </fieldset>
  );
};

/** The control of a list of choices. @param before the stored value, which may be anything */
export const choicesControl = (toProps: () => ChoicesProps, before: unknown): FormControl<unknown> => ({
  draw: (name) => <Rows name={name} {...toProps()} />,
  read: (values, name) => {
    // The name of a list, or a value that is no list.
    const list = values.get(`${name}.list`) ?? "";
    if (list !== "") return !Array.isArray(before) && listText(before) === list ? before : list;
    const stored = Array.isArray(before) ? before : [];
    const choices = choicesOfRows(sentChoices(values, name), stored, (text) => parseNumber(text, true));
    return choices.length > 0 ? choices : undefined;
  },
  show: (value, name) => {
    if (Array.isArray(value)) return shownChoices(rowsOfChoices(value), name);
    return value === undefined ? [] : [[`${name}.list`, listText(value)]];
  },
});

const listText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
