/** A field of a form as the respondent sees it: label, what is expected, message, control. */
import type { ComponentChildren } from "preact";
import { valuesOf } from "../fields/constraints.ts";
import type { Field } from "../fields/definition.ts";
import { countries } from "../fields/formats.ts";
import { addressParts } from "../fields/types/address.ts";
import { describedBy, Input, type InputProps, idOf, Select, TextArea } from "./controls.tsx";
import { controlName, momentParts, optionTexts, otherPart, toControls, type Values } from "./field-values.ts";

/** The words that the controls need, in the language of the page. */
export interface FieldWords {
  /** BCP 47. */
  lang: string;
  yes: string;
  no: string;
  choose: string;
  other: string;
  optional: string;
  /** Of an option in a ranking. */
  place: (position: number) => string;
  addressParts: Record<(typeof addressParts)[number], string>;
  moment: Record<(typeof momentParts)[number], string>;
}

export interface FieldInputProps {
  field: Field;
  words: FieldWords;
  /** What was entered, by the names of the controls (field-values.ts). Without it the default is shown. */
  values?: Values | undefined;
  error?: string | undefined;
  /** The part that the error is about, of an address or a matrix. */
  invalidPart?: string | undefined;
  /** What the field's rules expect, in sentences. */
  rules?: readonly string[];
  /** Whether the browser may offer what it knows of the respondent. */
  autofill?: boolean;
  scope?: string | undefined;
}

const textOf = (definition: Field["definition"], name: string): string | undefined => {
  const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
};

interface Choice {
  value: string;
  label: string;
}

/** Options, rows or columns: each value as a form sends it, with its label. */
export function choicesOf(list: Parameters<typeof valuesOf>[0] = []): Choice[] {
  const values = valuesOf(list);
  return optionTexts(values).map((value, index) => {
    const entry = list[index];
    return { value, label: (typeof entry === "object" && entry.label) || String(values[index]) };
  });
}

export const labelOf = ({ label, id }: Pick<Field, "label" | "id">): string => label || id;

const hintOf = ({ field: { definition }, rules = [] }: FieldInputProps): string | undefined =>
  [textOf(definition, "description"), textOf(definition, "help"), ...rules].filter(Boolean).join(" ") ||
  undefined;

/** One of several as radio buttons when they are few, in a list otherwise. */
const maxRadioButtons = 7;
/** More steps are entered as a number. */
const maxRatingSteps = 11;

const isRating = ({ kind, constraints: { minimum, maximum } }: Field): boolean =>
  kind === "rating" && Number(maximum) - Number(minimum) < maxRatingSteps;

/** The id of the control that a link to the field leads to: the first one, or that of a part. */
export function targetOf(field: Field, part?: string): string {
  const { id, kind, constraints } = field;
  const name = controlName(id);
  switch (kind) {
    case "boolean":
    case "multi_select":
    case "ranking":
      return idOf(`${name}=0`);
    case "select":
      return choicesOf(constraints.options).length > maxRadioButtons ? idOf(name) : idOf(`${name}=0`);
    case "rating":
      return isRating(field) ? idOf(`${name}=0`) : idOf(name);
    case "address":
      return idOf(controlName(id, part ?? addressParts[0]));
    case "matrix":
      return idOf(`${controlName(id, part ?? String(valuesOf(constraints.rows)[0]))}=0`);
    case "datetime":
      return idOf(controlName(id, momentParts[0]));
    default:
      return idOf(name);
  }
}

interface GroupProps extends FieldInputProps {
  /** Whether it has radio buttons only, of which one is chosen. */
  isRadio?: boolean;
  class?: string;
  children: ComponentChildren;
}

/** Several controls that are one field. */
const Group = (props: GroupProps) => {
  const { field, words, error, scope, isRadio, class: name, children } = props;
  const id = idOf(controlName(field.id), scope);
  const hint = hintOf(props);
  const common = {
    class: ["control", error && "invalid", name].filter(Boolean).join(" "),
    "aria-describedby": describedBy(id, { hint, error }),
  };
  const label = (
    <>
      {labelOf(field)}
      {!field.required && <span class="optional"> ({words.optional})</span>}
    </>
  );
  const content = (
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
      {children}
    </>
  );
  if (!isRadio)
    return (
      <fieldset {...common}>
        <legend dir="auto">{label}</legend>
        {content}
      </fieldset>
    );
  return (
    <div
      {...common}
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-required={field.required ? "true" : undefined}
      aria-invalid={error ? "true" : undefined}
    >
      <span class="legend" id={`${id}-label`} dir="auto">
        {label}
      </span>
      {content}
    </div>
  );
};

interface ButtonsProps {
  type: "radio" | "checkbox";
  name: string;
  choices: readonly Choice[];
  selected: readonly string[];
  invalid?: boolean;
  scope: string | undefined;
}

const Buttons = ({ type, name, choices, selected, invalid, scope }: ButtonsProps) => (
  <div class="choices">
    {choices.map(({ value, label }, index) => {
      const id = idOf(`${name}=${index}`, scope);
      return (
        <div class="check" key={value}>
          <input
            type={type}
            id={id}
            name={name}
            value={value}
            checked={selected.includes(value)}
            aria-invalid={type === "checkbox" && invalid ? "true" : undefined}
          />
          <label for={id} dir="auto">
            {label}
          </label>
        </div>
      );
    })}
  </div>
);

/** A select without a label of its own on the page: it is one of a group. */
const List = ({
  name,
  label,
  choices,
  value,
  invalid,
  scope,
  index,
}: {
  name: string;
  label: string;
  choices: readonly Choice[];
  value: string | undefined;
  invalid: boolean;
  scope: string | undefined;
  index?: number;
}) => {
  const id = idOf(index === undefined ? name : `${name}=${index}`, scope);
  return (
    <div class="place">
      <label for={id}>{label}</label>
      <select id={id} name={name} aria-invalid={invalid ? "true" : undefined}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
};

interface ShownProps extends FieldInputProps {
  shown: Values;
}

/** For a choice that is not among the options. */
const Other = ({ field, words, shown, error, scope }: ShownProps) =>
  field.constraints.allowOther ? (
    <Input
      name={controlName(field.id, otherPart)}
      label={words.other}
      scope={scope}
      value={shown.get(controlName(field.id, otherPart)) ?? ""}
      invalid={error !== undefined}
    />
  ) : null;

const SelectField = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const name = controlName(field.id);
  const options = choicesOf(field.constraints.options);
  const value = shown.get(name) ?? undefined;
  const choices = [{ value: "", label: words.choose }, ...options];
  if (options.length <= maxRadioButtons)
    return (
      <Group {...props} isRadio={!field.constraints.allowOther}>
        <Buttons type="radio" name={name} choices={options} selected={[value ?? ""]} scope={scope} />
        <Other {...props} />
      </Group>
    );
  if (!field.constraints.allowOther) return <Select {...commonOf(props)} value={value} choices={choices} />;
  return (
    <Group {...props}>
      <List
        name={name}
        label={words.choose}
        choices={choices}
        value={value}
        invalid={error !== undefined}
        scope={scope}
      />
      <Other {...props} />
    </Group>
  );
};

/** The options in the order of the places: each place has a list of all options. It works by keyboard, and what is sent is the value. */
const Ranking = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const name = controlName(field.id);
  const options = choicesOf(field.constraints.options);
  const ranked = shown.getAll(name).filter((value) => value !== "");
  const choices = [{ value: "", label: words.choose }, ...options];
  const places = Math.min(options.length, field.constraints.maxItems ?? options.length);
  return (
    <Group {...props} class="ranking">
      {options.slice(0, Math.max(places, ranked.length, 1)).map((option, index) => (
        <List
          key={option.value}
          name={name}
          label={words.place(index + 1)}
          choices={choices}
          value={ranked[index]}
          invalid={error !== undefined}
          scope={scope}
          index={index}
        />
      ))}
    </Group>
  );
};

/** Tokens of `autocomplete` (HTML, "Autofill"). */
const addressTokens = {
  line1: "address-line1",
  line2: "address-line2",
  city: "address-level2",
  region: "address-level1",
  postalCode: "postal-code",
  country: "country",
} as const;

const countryNames = new Map<string, Choice[]>();

/** In the language of the page, in its order. */
function countriesIn(language: string): Choice[] {
  const known = countryNames.get(language);
  if (known) return known;
  const names = new Intl.DisplayNames([language], { type: "region" });
  const { compare } = new Intl.Collator(language);
  const choices = countries
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .sort((a, b) => compare(a.label, b.label));
  countryNames.set(language, choices);
  return choices;
}

const Address = (props: ShownProps) => {
  const { field, words, shown, error, invalidPart, autofill, scope } = props;
  const { requiredParts } = field.constraints;
  /** Whether a message about the whole address is about this part too. */
  const isExpected = (part: string) => invalidPart === part || !requiredParts || requiredParts.includes(part);
  return (
    <Group {...props} class="address">
      {addressParts.map((part) => {
        const common = {
          name: controlName(field.id, part),
          label: words.addressParts[part],
          scope,
          value: shown.get(controlName(field.id, part)) ?? "",
          required: requiredParts && (requiredParts.includes(part) ? field.required || undefined : false),
          optional: words.optional,
          invalid: error !== undefined && (invalidPart ?? part) === part && isExpected(part),
          autocomplete: autofill ? addressTokens[part] : "off",
        };
        if (part !== "country") return <Input key={part} {...common} />;
        const choices = [{ value: "", label: words.choose }, ...countriesIn(words.lang)];
        return <Select key={part} {...common} choices={choices} />;
      })}
    </Group>
  );
};

const Matrix = (props: ShownProps) => {
  const { field, shown, error, invalidPart, scope } = props;
  const columns = choicesOf(field.constraints.columns);
  return (
    <Group {...props} class="matrix">
      {choicesOf(field.constraints.rows).map(({ value: row, label }) => {
        const name = controlName(field.id, row);
        const isInvalid = error !== undefined && (invalidPart === undefined || invalidPart === row);
        return (
          <div
            key={row}
            role="radiogroup"
            class={isInvalid ? "row invalid" : "row"}
            aria-labelledby={`${idOf(name, scope)}-label`}
            aria-invalid={isInvalid ? "true" : undefined}
          >
            <span class="legend" id={`${idOf(name, scope)}-label`} dir="auto">
              {label}
            </span>
            <Buttons type="radio" name={name} choices={columns} selected={shown.getAll(name)} scope={scope} />
          </div>
        );
      })}
    </Group>
  );
};

/** Offsets from UTC that are in use somewhere (IANA time zone database). */
const offsets =
  "-12:00 -11:00 -10:00 -09:30 -09:00 -08:00 -07:00 -06:00 -05:00 -04:00 -03:30 -03:00 -02:30 -02:00 -01:00 Z +01:00 +02:00 +03:00 +03:30 +04:00 +04:30 +05:00 +05:30 +05:45 +06:00 +06:30 +07:00 +08:00 +08:45 +09:00 +09:30 +10:00 +10:30 +11:00 +12:00 +12:45 +13:00 +13:45 +14:00".split(
    " ",
  );

/** The date and time where the respondent is, and that place's offset from UTC. */
const Moment = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const [local, zone] = momentParts.map((part) => controlName(field.id, part)) as [string, string];
  const offset = shown.get(zone) || "Z";
  const choices = [...new Set([...offsets, offset])].map((value) => ({
    value,
    label: value === "Z" ? "UTC" : `UTC${value.replace("-", "−")}`,
  }));
  // A value that is none of the two parts, such as one with lower-case letters.
  if (shown.has(controlName(field.id)))
    return <Input {...commonOf(props)} value={shown.get(controlName(field.id)) ?? ""} />;
  return (
    <Group {...props} class="moment">
      <Input
        name={local}
        label={words.moment.local}
        type="datetime-local"
        step="any"
        scope={scope}
        value={shown.get(local) ?? ""}
        invalid={error !== undefined}
      />
      <Select
        name={zone}
        label={words.moment.zone}
        scope={scope}
        value={offset}
        choices={choices}
        class="zone"
      />
    </Group>
  );
};

/** Ids that say what a text is; the rest of the id is ignored. */
const tokens: Record<string, string> = {
  name: "name",
  fullname: "name",
  yourname: "name",
  firstname: "given-name",
  givenname: "given-name",
  vorname: "given-name",
  lastname: "family-name",
  familyname: "family-name",
  surname: "family-name",
  nachname: "family-name",
  company: "organization",
  organization: "organization",
  organisation: "organization",
  firma: "organization",
  jobtitle: "organization-title",
  street: "street-address",
  city: "address-level2",
  ort: "address-level2",
  postalcode: "postal-code",
  postcode: "postal-code",
  zip: "postal-code",
  plz: "postal-code",
  birthday: "bday",
  dateofbirth: "bday",
  geburtsdatum: "bday",
};
const ofKinds: Record<string, string> = { email: "email", phone: "tel", url: "url" };

const autocompleteOf = ({ field: { id, kind }, autofill }: FieldInputProps): string => {
  if (!autofill) return "off";
  if (kind === "text" || kind === "date") {
    const token = id.toLowerCase().replace(/[^a-z]/g, "");
    return Object.hasOwn(tokens, token) ? (tokens[token] as string) : "on";
  }
  return ofKinds[kind ?? ""] ?? "on";
};

const commonOf = (props: FieldInputProps) => {
  const { field, words, error, scope } = props;
  const { constraints, ownerSet } = field;
  return {
    name: controlName(field.id),
    label: labelOf(field),
    hint: hintOf(props),
    error,
    required: field.required,
    optional: words.optional,
    scope,
    placeholder: textOf(field.definition, "placeholder"),
    maxLength: ownerSet.has("maxLength") ? constraints.maxLength : undefined,
  };
};

/** The keyboard of a telephone: that for whole numbers may lack the minus sign. */
function keyboardOf({ kind, constraints: { minimum, multipleOf } }: Field): Pick<InputProps, "inputmode"> {
  if (kind !== "number" && kind !== "integer" && kind !== "rating") return {};
  if (!(Number(minimum) >= 0)) return {};
  const isWhole = kind !== "number" || (multipleOf !== undefined && Number.isInteger(multipleOf));
  return { inputmode: isWhole ? "numeric" : "decimal" };
}

const inputTypes = {
  email: "email",
  phone: "tel",
  url: "url",
  date: "date",
  time: "time",
} as const;

/** The control of a field. A hidden one has none, unless the address may fill it in and has. */
export const FieldInput = (given: FieldInputProps) => {
  const { field, words, error, scope } = given;
  const { id, kind, constraints, definition } = field;
  const name = controlName(id);
  const shown = given.values ?? toControls([field], Object.fromEntries([[id, definition.default]]));
  const props = { ...given, shown };
  const value = shown.get(name) ?? undefined;
  switch (kind) {
    case "hidden":
      return definition.prefill === true && given.values?.has(name) ? (
        <input type="hidden" name={name} value={value} />
      ) : null;
    case "statement":
      return <Statement {...given} />;
    case "textarea":
      return <TextArea {...commonOf(given)} value={value} />;
    case "boolean":
      return (
        <Group {...props} isRadio class="inline-choices">
          <Buttons
            type="radio"
            name={name}
            choices={[
              { value: "true", label: words.yes },
              { value: "false", label: words.no },
            ]}
            selected={[value ?? ""]}
            scope={scope}
          />
        </Group>
      );
    case "consent":
      return <Consent {...props} />;
    case "select":
      return <SelectField {...props} />;
    case "multi_select":
      return (
        <Group {...props}>
          <Buttons
            type="checkbox"
            name={name}
            choices={choicesOf(constraints.options)}
            selected={shown.getAll(name)}
            invalid={error !== undefined}
            scope={scope}
          />
          <Other {...props} />
        </Group>
      );
    case "ranking":
      return <Ranking {...props} />;
    case "address":
      return <Address {...props} />;
    case "matrix":
      return <Matrix {...props} />;
    case "datetime":
      return <Moment {...props} />;
    default:
      if (isRating(field))
        return (
          <Group {...props} isRadio class="inline-choices scale">
            <Buttons
              type="radio"
              name={name}
              choices={stepsOf(field).map((step) => ({ value: String(step), label: String(step) }))}
              selected={[value ?? ""]}
              scope={scope}
            />
          </Group>
        );
      return (
        <Input
          {...commonOf(given)}
          {...boundsOf(field)}
          {...keyboardOf(field)}
          type={inputTypes[kind as keyof typeof inputTypes] ?? "text"}
          autocomplete={autocompleteOf(given)}
          value={value}
        />
      );
  }
};

/** Of a rating: its whole numbers. */
function stepsOf({ constraints: { minimum, maximum } }: Field): number[] {
  const first = Math.ceil(Number(minimum));
  return Array.from(
    { length: Math.max(0, Math.floor(Number(maximum)) - first + 1) },
    (_, step) => first + step,
  );
}

/** For the picker of a day or time. */
const boundsOf = ({
  kind,
  constraints: { minimum, maximum },
}: Field): Pick<InputProps, "min" | "max" | "step"> =>
  kind === "date"
    ? { min: minimum, max: maximum }
    : kind === "time"
      ? { min: minimum, max: maximum, step: "any" }
      : {};

const Statement = (props: FieldInputProps) => {
  const { field } = props;
  if (field.type === "divider") return <hr />;
  const hint = hintOf(props);
  const Heading = field.type === "heading" ? "h2" : "strong";
  return (
    <div class="statement" dir="auto">
      <Heading>{labelOf(field)}</Heading>
      {hint && <p>{hint}</p>}
    </div>
  );
};

const Consent = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const id = idOf(controlName(field.id), scope);
  const hint = hintOf(props);
  return (
    <div class={error ? "control consent invalid" : "control consent"}>
      {error && (
        <p class="error" id={`${id}-error`} dir="auto">
          {error}
        </p>
      )}
      <div class="check">
        <input
          type="checkbox"
          id={id}
          name={controlName(field.id)}
          value="true"
          checked={shown.get(controlName(field.id)) === "true"}
          required={field.required}
          aria-describedby={describedBy(id, { hint, error })}
          aria-invalid={error ? "true" : undefined}
        />
        <label for={id} dir="auto">
          {labelOf(field)}
          {!field.required && <span class="optional"> ({words.optional})</span>}
        </label>
      </div>
      {hint && (
        <p class="hint" id={`${id}-hint`} dir="auto">
          {hint}
        </p>
      )}
    </div>
  );
};
