/** A field of a form as the respondent sees it: label, description, control, help. */
import type { ComponentChildren } from "preact";
import { valuesOf } from "../fields/constraints.ts";
import type { Field } from "../fields/definition.ts";
import { countries } from "../fields/formats.ts";
import { addressParts } from "../fields/types/address.ts";
import { Checkbox, Input, idOf, Select, TextArea } from "./controls.tsx";
import { controlName, otherPart } from "./field-values.ts";

/** The words that the controls need, in the language of the page. */
export interface FieldWords {
  yes: string;
  no: string;
  choose: string;
  other: string;
  addressParts: Record<(typeof addressParts)[number], string>;
}

export interface FieldInputProps {
  field: Field;
  words: FieldWords;
  /** What was entered, by the names of the controls (field-values.ts). */
  values?: URLSearchParams | undefined;
  error?: string | undefined;
  scope?: string | undefined;
}

const textOf = (definition: Field["definition"], name: string): string | undefined => {
  const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Options, rows or columns: each value with its label. */
const choicesOf = (list: Parameters<typeof valuesOf>[0] = []) =>
  valuesOf(list).map((value, index) => {
    const entry = list[index];
    return { value: String(value), label: (typeof entry === "object" && entry.label) || String(value) };
  });

const Group = ({ field, error, scope, children }: FieldInputProps & { children: ComponentChildren }) => {
  const id = idOf(controlName(field.id), scope);
  const hint = hintOf(field);
  return (
    <fieldset
      class={error ? "control invalid" : "control"}
      aria-describedby={[hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined}
    >
      <legend dir="auto">{labelOf(field)}</legend>
      {hint && (
        <p class="hint" id={`${id}-hint`} dir="auto">
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {children}
    </fieldset>
  );
};

const labelOf = ({ label, id }: Field) => label || id;
const hintOf = ({ definition }: Field) =>
  [textOf(definition, "description"), textOf(definition, "help")].filter(Boolean).join(" ") || undefined;

/** One of several, as radio buttons when they are few. */
const maxRadioButtons = 7;

const Radios = ({
  field,
  name,
  choices,
  selected,
  scope,
}: FieldInputProps & {
  name: string;
  choices: { value: string; label: string }[];
  selected: string | null;
}) => (
  <>
    {choices.map(({ value, label }, index) => {
      const id = idOf(`${name}=${index}`, scope);
      return (
        <div class="control check" key={value}>
          <input
            type="radio"
            id={id}
            name={name}
            value={value}
            checked={value === selected}
            required={field.required && !field.constraints.allowOther}
          />
          <label for={id} dir="auto">
            {label}
          </label>
        </div>
      );
    })}
  </>
);

const inputTypes = {
  text: "text",
  email: "email",
  phone: "tel",
  url: "url",
  date: "date",
  time: "time",
  datetime: "text",
  number: "text",
  integer: "text",
  rating: "text",
} as const;

/** For a choice that is not among the options. */
const Other = ({ field, words, values, scope }: FieldInputProps) =>
  field.constraints.allowOther ? (
    <Input
      name={controlName(field.id, otherPart)}
      label={words.other}
      scope={scope}
      value={values?.get(controlName(field.id, otherPart)) ?? ""}
      required={undefined}
    />
  ) : null;

/** The control of a field; nothing for a hidden one. */
export const FieldInput = (props: FieldInputProps) => {
  const { field, words, values, error, scope } = props;
  const { id: fieldId, kind, constraints, required, definition } = field;
  const name = controlName(fieldId);
  const given = values
    ? values.getAll(name)
    : [definition.default].flat().flatMap((value) => (value == null ? [] : String(value)));
  const [value] = given;
  const common = {
    name,
    label: labelOf(field),
    hint: hintOf(field),
    error,
    required,
    scope,
    placeholder: textOf(definition, "placeholder"),
  };
  const options = choicesOf(constraints.options);
  switch (kind) {
    case "hidden":
      return null;
    case "statement":
      return (
        <div class="statement" dir="auto">
          <strong>{labelOf(field)}</strong>
          {hintOf(field) && <p>{hintOf(field)}</p>}
        </div>
      );
    case "textarea":
      return <TextArea {...common} value={value} />;
    case "boolean":
      return (
        <Group {...props}>
          <Radios
            {...props}
            name={name}
            choices={[
              { value: "true", label: words.yes },
              { value: "false", label: words.no },
            ]}
            selected={value ?? null}
          />
        </Group>
      );
    case "consent":
      return <Checkbox {...common} checked={value === "true"} />;
    case "select":
      if (options.length > maxRadioButtons || constraints.allowOther)
        return (
          <Select {...common} value={value} choices={[{ value: "", label: words.choose }, ...options]} />
        );
      return (
        <Group {...props}>
          <Radios {...props} name={name} choices={options} selected={value ?? null} />
          <Other {...props} />
        </Group>
      );
    case "multi_select":
    case "ranking":
      return (
        <Group {...props}>
          {options.map((option) => (
            <Checkbox
              key={option.value}
              name={name}
              scope={scope}
              {...option}
              checked={given.includes(option.value)}
            />
          ))}
        </Group>
      );
    case "address":
      return (
        <Group {...props}>
          {addressParts.map((part) =>
            part === "country" ? (
              <Select
                key={part}
                name={controlName(fieldId, part)}
                label={words.addressParts[part]}
                scope={scope}
                value={values?.get(controlName(fieldId, part)) ?? ""}
                choices={[
                  { value: "", label: words.choose },
                  ...countries.map((code) => ({ value: code, label: code })),
                ]}
              />
            ) : (
              <Input
                key={part}
                name={controlName(fieldId, part)}
                label={words.addressParts[part]}
                scope={scope}
                value={values?.get(controlName(fieldId, part)) ?? ""}
              />
            ),
          )}
        </Group>
      );
    case "matrix":
      return (
        <Group {...props}>
          {choicesOf(constraints.rows).map((row) => (
            <fieldset key={row.value}>
              <legend dir="auto">{row.label}</legend>
              <Radios
                {...props}
                name={controlName(fieldId, row.value)}
                choices={choicesOf(constraints.columns)}
                selected={values?.get(controlName(fieldId, row.value)) ?? null}
              />
            </fieldset>
          ))}
        </Group>
      );
    default:
      return (
        <Input
          {...common}
          type={inputTypes[kind as keyof typeof inputTypes] ?? "text"}
          value={value}
          {...(kind === "number" && { inputmode: "decimal" })}
          {...((kind === "integer" || kind === "rating") && { inputmode: "numeric" })}
        />
      );
  }
};
