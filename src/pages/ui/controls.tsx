/** Controls of HTML forms, each with its label, hint and error. */
import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import { type LanguageMark, marked } from "./marks.ts";
import { Picture } from "./pictures.tsx";
import { optionalWord } from "./text.tsx";

/** Values entered in a form that was refused. Its controls show them, except passwords and files. */
export const EnteredContext = createContext<URLSearchParams | undefined>(undefined);

/** Errors of the controls of a form, by their names. */
export type Errors = Readonly<Record<string, string>>;
const ErrorsContext = createContext<Errors>({});
export const ErrorsProvider = ErrorsContext.Provider;
export const useErrors = (): Errors => useContext(ErrorsContext);

/** Returns the error of a control. Its name, a field's id, may be one that every object has. */
export function useError(name: string): string | undefined {
  const errors = useErrors();
  return Object.hasOwn(errors, name) ? errors[name] : undefined;
}

/** Prefix of the ids of a form's controls, where a page has several controls with the same name. */
const ScopeContext = createContext<string | undefined>(undefined);
export const ScopeProvider = ScopeContext.Provider;
export const useScope = (): string | undefined => useContext(ScopeContext);

/** Returns the value that a control shows. @param index its position among the controls of this name */
function useEntered<Value>(name: string, value: Value, index = 0): string | Value {
  const entered = useContext(EnteredContext);
  return entered ? (entered.getAll(name)[index] ?? value) : value;
}

interface ControlProps {
  name: string;
  label: string;
  /** Language of the label. */
  mark?: LanguageMark | undefined;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  /** False: the label is marked as optional, with the word in `optional`. */
  required?: boolean | undefined;
  optional?: string | undefined;
  /** True if the control is invalid, and its group shows the message. */
  invalid?: boolean | undefined;
  /** Prefix of the ids of controls, where a page has two with one name. */
  scope?: string | undefined;
  /** The position among the controls of this name in a form. */
  index?: number;
}

/** A control's label, hint and error; the control names the last two, so that they are read out with it. */
const Control = ({
  id,
  label,
  mark,
  hint,
  error,
  required,
  optional,
  children,
}: Omit<ControlProps, "name"> & { id: string; children: ComponentChildren }) => (
  <div class={error ? "control invalid" : "control"}>
    <label for={id} dir="auto">
      {marked(label, mark)}
      {required === false && <span class="optional"> ({optional ?? optionalWord()})</span>}
    </label>
    <Notes id={id} hint={hint} error={error} />
    {children}
  </div>
);

/** A control's hint and message, which {@link describedBy} names. */
export const Notes = ({ id, hint, error }: Pick<ControlProps, "hint" | "error"> & { id: string }) => (
  <>
    {hint && (
      <p class="hint" id={`${id}-hint`} dir="auto">
        {hint}
      </p>
    )}
    {error && (
      <p class="error" id={`${id}-error`} dir="auto">
        {error}
      </p>
    )}
  </>
);

export const describedBy = (id: string, { hint, error }: Pick<ControlProps, "hint" | "error">) =>
  [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;

/** Returns the id of a control: its name, with a code for each character that a selector cannot have. */
export const idOf = (name: string, scope = ""): string =>
  `${scope}${name}`.replace(/[^\w-]/gu, (character) => `.${character.codePointAt(0)?.toString(16)}`);

export interface InputProps extends ControlProps {
  type?:
    | "text"
    | "email"
    | "password"
    | "number"
    | "date"
    | "time"
    | "datetime-local"
    | "tel"
    | "url"
    | "search"
    | "file";
  value?: string | number | undefined;
  autocomplete?: string;
  autofocus?: boolean;
  placeholder?: string | undefined;
  /** Language of the placeholder, or of the text to enter, unless it is the page's. */
  lang?: string | undefined;
  dir?: "ltr" | "rtl";
  inputmode?: "numeric" | "decimal";
  step?: string;
  min?: string | number | undefined;
  max?: string | number | undefined;
  list?: string | undefined;
  accept?: string | undefined;
  /** The browser takes no more characters. For a text that becomes a part of an address. */
  maxlength?: number;
  multiple?: boolean | undefined;
  readonly?: boolean;
  /** Limit that the script shows. The browser's own limit would cut a pasted text without a message. */
  maxLength?: number | undefined;
  /** Shortcut key of the input, if a person has switched keys on. */
  "data-key"?: string;
}

export const Input = ({
  name,
  label,
  mark,
  hint,
  error = useError(name),
  required,
  optional,
  invalid = error !== undefined,
  scope = useScope(),
  index,
  maxLength,
  ...input
}: InputProps) => {
  const id = idOf(name, scope);
  const entered = useEntered(name, input.value, index);
  const isEchoed = input.type !== "password" && input.type !== "file";
  // Cast: preact has a type of attributes for each value of `type`.
  const attributes = {
    type: "text",
    dir: "auto",
    autocomplete: "off",
    ...input,
    value: isEchoed ? entered : input.value,
    id,
    name,
    required,
    "data-max-length": maxLength,
    "aria-describedby": describedBy(id, { hint, error }),
    "aria-invalid": invalid ? "true" : undefined,
  } as JSX.IntrinsicElements["input"];
  return (
    <Control {...{ id, label, mark, hint, error, required, optional }}>
      <input {...attributes} />
    </Control>
  );
};

interface TextAreaProps extends ControlProps {
  value?: string | undefined;
  dir?: "ltr" | "rtl";
  rows?: number;
  placeholder?: string | undefined;
  lang?: string | undefined;
  maxLength?: number | undefined;
}

export const TextArea = ({
  name,
  label,
  mark,
  hint,
  error = useError(name),
  required,
  optional,
  scope = useScope(),
  value,
  maxLength,
  index,
  ...area
}: TextAreaProps) => {
  const id = idOf(name, scope);
  const shown = useEntered(name, value, index);
  return (
    <Control {...{ id, label, mark, hint, error, required, optional }}>
      <textarea
        dir="auto"
        rows={4}
        {...area}
        id={id}
        name={name}
        required={required}
        data-max-length={maxLength}
        aria-describedby={describedBy(id, { hint, error })}
        aria-invalid={error ? "true" : undefined}
      >
        {/* The parser drops one line feed after the start tag (HTML, "The textarea element"). */}
        {`\n${shown ?? ""}`}
      </textarea>
    </Control>
  );
};

export interface Choice {
  value: string;
  label: string;
  /** The label on a page, where words of the page beside it have not its mark. */
  shown?: ComponentChildren;
  /** The heading under which a list has it. */
  group?: string;
  /** It cannot be chosen, and is never shown as chosen: a browser would not send it. */
  disabled?: boolean;
  /** Text that a screen reader adds to the label. */
  note?: ComponentChildren;
  mark?: LanguageMark | undefined;
}

export const choicesOfNames = (items: readonly { id: string; name: string }[]): Choice[] =>
  items.map(({ id, name }) => ({ value: id, label: name }));

const isList = (choices: SelectProps["choices"]): choices is readonly Choice[] => Array.isArray(choices);

export const choicesOfTexts = (texts: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

export const Options = ({ choices, value }: { choices: readonly Choice[]; value: string | undefined }) => (
  <>
    {choices.map((choice) => (
      <option
        key={choice.value}
        value={choice.value}
        selected={choice.value === value && !choice.disabled}
        disabled={choice.disabled}
        {...choice.mark}
      >
        {choice.label}
      </option>
    ))}
  </>
);

interface SelectProps extends ControlProps {
  value?: string | undefined;
  /** Choices, or the text of each by its value. */
  choices: readonly Choice[] | Readonly<Record<string, string>>;
  /** Label of the first choice, which selects nothing. */
  none?: string;
  autocomplete?: string;
  autofocus?: boolean;
  class?: string;
  /** Value of the button whose press draws the form anew. The script presses it at each change. */
  "data-redraw"?: string | undefined;
}

export const Select = ({
  name,
  label,
  mark,
  hint,
  error = useError(name),
  required,
  optional,
  invalid = error !== undefined,
  scope = useScope(),
  index,
  value,
  choices,
  none,
  ...select
}: SelectProps) => {
  const id = idOf(name, scope);
  const shown = useEntered(name, value, index);
  const own = isList(choices) ? choices : choicesOfTexts(choices);
  const all = none === undefined ? own : [{ value: "", label: none }, ...own];
  return (
    <Control {...{ id, label, mark, hint, error, required, optional }}>
      <select
        {...select}
        id={id}
        name={name}
        required={required}
        aria-describedby={describedBy(id, { hint, error })}
        aria-invalid={invalid ? "true" : undefined}
      >
        {[...Map.groupBy(all, ({ group }) => group)].map(([group, of]) =>
          group === undefined ? (
            <Options choices={of} value={shown} />
          ) : (
            <optgroup key={group} label={group}>
              <Options choices={of} value={shown} />
            </optgroup>
          ),
        )}
      </select>
    </Control>
  );
};

type CheckboxProps = Omit<ControlProps, "required"> & {
  value?: string;
  checked?: boolean | undefined;
};

export const Checkbox = ({
  name,
  label,
  hint,
  error = useError(name),
  invalid = error !== undefined,
  scope = useScope(),
  value = "true",
  checked,
}: CheckboxProps) => {
  const id = idOf(value === "true" ? name : `${name}=${value}`, scope);
  const entered = useContext(EnteredContext);
  return (
    <div class={error ? "control check invalid" : "control check"}>
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={entered ? entered.getAll(name).includes(value) : checked}
        aria-describedby={describedBy(id, { hint, error })}
        aria-invalid={invalid ? "true" : undefined}
      />
      <label for={id}>{label}</label>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
};

/** Checkboxes of one name under a heading. Each may show its value as a hint. */
export const Checkboxes = <Value extends string>({
  name,
  label,
  choices,
  labels,
  checked,
  hasValues = false,
}: {
  name: string;
  label: string;
  choices: readonly Value[];
  labels: Readonly<Record<Value, string>>;
  checked?: readonly string[];
  hasValues?: boolean;
}) => {
  const error = useError(name);
  const id = idOf(name, useScope());
  return (
    <fieldset
      id={error && id}
      tabIndex={error ? -1 : undefined}
      aria-describedby={describedBy(id, { error })}
    >
      <legend>{label}</legend>
      <Notes id={id} error={error} />
      {choices.map((value) => (
        <Checkbox
          key={value}
          name={name}
          value={value}
          label={labels[value]}
          hint={hasValues && <code>{value}</code>}
          error=""
          invalid={error !== undefined}
          checked={checked?.includes(value)}
        />
      ))}
    </fieldset>
  );
};

export const Submit = ({ label, ...button }: JSX.IntrinsicElements["button"] & { label: string }) => (
  <button type="submit" {...button}>
    {label}
  </button>
);

/** A message above a form: the reason why nothing was saved, or the result. */
export const Notice = ({
  kind,
  children,
}: {
  kind: "error" | "info" | "success";
  children: ComponentChildren;
}) => (
  <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
    {typeof children === "string" && kind !== "info" && (
      <Picture name={kind === "error" ? "warning" : "check"} />
    )}
    {children}
  </div>
);

/** Summary of errors on top of the page. It takes the focus, so that it is read out first. */
export const Summary = ({ heading, children }: { heading: string; children: ComponentChildren }) => (
  <div class="summary" role="alert" tabIndex={-1} autofocus aria-labelledby="summary-heading" id="summary">
    <h2 id="summary-heading">{heading}</h2>
    {children}
  </div>
);

/** The errors of a form by control, each with a link to its control. */
export const ErrorSummary = ({
  heading,
  errors,
  scope,
}: {
  heading: string;
  errors: readonly [string, string][];
  scope?: string | undefined;
}) => (
  <Summary heading={heading}>
    <ul>
      {errors.map(([name, message]) => (
        <li key={`${name} ${message}`}>
          <a href={`#${idOf(name, scope)}`}>{message}</a>
        </li>
      ))}
    </ul>
  </Summary>
);
