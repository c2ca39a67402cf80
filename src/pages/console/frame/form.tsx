/**
 * Forms of the console. A form is one value, its controls by name: each draws itself and reads its value. A
 * post with a value that is not valid is refused in one way, with a sentence at each such control.
 */
import { type Type, type } from "arktype";
import type { ComponentChildren } from "preact";
import type { MessageKey } from "../../../messages.ts";
import { wrongShape } from "../../../platform/http/body.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { Problem, type ProblemCode } from "../../../problem.ts";
import {
  Checkbox,
  Checkboxes,
  type Choice,
  type Errors,
  Input,
  type InputProps,
  Select,
  TextArea,
} from "../../ui/controls.tsx";
import { frameText } from "./words.ts";

/** In place of a value that is not valid: the sentence at its control. */
export class Wrong {
  /** @param at name of the input that the sentence is about, if the control has several inputs */
  constructor(
    readonly sentence: string,
    readonly at?: string,
  ) {}
}

export interface FormControl<Value> {
  /** Absent: the page draws it, or it is hidden, or a button. */
  draw?: (name: string) => ComponentChildren;
  read: (values: URLSearchParams, name: string) => Value | Wrong;
  /** Texts that it shows for a value. Absent: the value as text, or nothing for null and false. */
  show?(value: Value, name: string): readonly [name: string, text: string][];
}

export interface ConsoleForm<Data> {
  controls: { readonly [Name in keyof Data]: FormControl<Data[Name]> };
  /** Errors that no control sees by itself. Called when all values are valid. */
  check?: (data: Data) => Errors;
  /** Controls that problems of the server are about, by the keys of their messages. */
  about?: Readonly<Partial<Record<MessageKey, keyof Data & string>>>;
  /** Hidden field whose value is the prefix of the controls' ids, where a page has several such forms. */
  scopedBy?: keyof Data & string;
  /** Code of the problem; `bad_request` unless it is given. */
  code?: ProblemCode;
}

/** Values that a form, or the function that makes one, reads. */
export type DataOf<Made> =
  Made extends ConsoleForm<infer Data>
    ? Data
    : Made extends (...given: never[]) => infer Form
      ? DataOf<Form>
      : never;

export const formOf = <Data,>(
  controls: ConsoleForm<Data>["controls"],
  more: Omit<ConsoleForm<Data>, "controls"> = {},
): ConsoleForm<Data> => ({ controls, ...more });

/** A post with values that are not valid: a sentence for each such control. */
export class FormProblem extends Problem {
  constructor(
    readonly errors: Errors,
    code: ProblemCode = "bad_request",
  ) {
    super(code, frameText.invalid);
  }
}

/** @throws {FormProblem} */
export function readForm<Data>({ controls, check, code }: ConsoleForm<Data>, values: URLSearchParams): Data {
  const errors: Record<string, string> = {};
  const data: Partial<Data> = {};
  for (const name of Object.keys(controls) as (keyof Data & string)[]) {
    const value = controls[name].read(values, name);
    if (value instanceof Wrong) errors[value.at ?? name] = value.sentence;
    else data[name] = value;
  }
  if (Object.keys(errors).length === 0) Object.assign(errors, check?.(data as Data));
  if (Object.keys(errors).length > 0) throw new FormProblem(errors, code);
  return data as Data;
}

/** Returns the texts that the controls of a form show for its values. */
export const shownValues = <Data,>({ controls }: ConsoleForm<Data>, data: Partial<Data>): URLSearchParams =>
  new URLSearchParams(
    (Object.keys(data) as (keyof Data & string)[]).flatMap((name) => {
      const value = data[name] as Data[typeof name];
      const { show } = controls[name];
      if (show) return show(value, name).map(([part, text]) => [part, text]);
      return value === null || value === undefined || value === false ? [] : [[name, String(value)]];
    }),
  );

/** Returns the prefix of the ids of a form's controls. @param read returns the value of a hidden field */
export const idPrefixOf = <Data,>(
  { scopedBy }: Pick<ConsoleForm<Data>, "scopedBy">,
  read: (name: string) => string | null | undefined,
): string | undefined => scopedBy && `${read(scopedBy) ?? ""}-`;

/** The controls of a form, or some of them, in their order. */
export const Controls = <Data,>({
  of: { controls },
  names = Object.keys(controls) as (keyof Data & string)[],
}: {
  of: ConsoleForm<Data>;
  names?: readonly (keyof Data & string)[];
}) => <>{names.map((name) => controls[name].draw?.(name))}</>;

interface TextRules {
  /** True if the spaces around the text are a part of it. */
  isVerbatim?: boolean;
  /** Maximum number of UTF-16 units. */
  atMost?: number;
  shape?: Type<string>;
  /** Sentence for a text that is not valid. */
  wrong?: string | ((text: string) => string);
}

/** Returns an entered text. Null: it is empty. */
function readText(
  entered: string | null,
  {
    label,
    required,
    isVerbatim,
    atMost = Infinity,
    shape,
    wrong,
  }: TextRules & Pick<InputProps, "label" | "required">,
): string | null | Wrong {
  const whole = entered?.replaceAll("\r\n", "\n") ?? "";
  const text = isVerbatim ? whole : whole.trim();
  if (text.trim() === "") return required ? new Wrong(frameText.controls.missing(label)) : null;
  if (text.length > atMost) return new Wrong(frameText.controls.tooLong(label, atMost));
  const checked = shape ? shape(text) : text;
  if (!(checked instanceof type.errors)) return checked as string;
  const [fault] = checked;
  if (fault?.hasCode("maxLength")) return new Wrong(frameText.controls.tooLong(label, fault.rule));
  return new Wrong((typeof wrong === "function" ? wrong(text) : wrong) ?? frameText.controls.wrong(label));
}

type TextProps = Omit<InputProps, "name" | "error"> & TextRules & { rows?: number };

/** A text of one line, or of several with `rows`. Null: it is optional and empty. */
export function textInput(props: TextProps & { required: true }): FormControl<string>;
export function textInput(props: TextProps): FormControl<string | null>;
export function textInput(props: TextProps): FormControl<string | null> {
  const { shape: _, wrong: __, isVerbatim: ___, atMost: ____, rows, ...input } = props;
  return {
    draw: (name) =>
      rows === undefined ? (
        <Input {...input} name={name} />
      ) : (
        <TextArea {...input} name={name} rows={rows} value={input.value?.toString()} />
      ),
    read: (values, name) => readText(values.get(name), props),
  };
}

type SelectProps = Omit<Parameters<typeof Select>[0], "name" | "error" | "choices">;

/** One of several texts, by their values. */
export const oneOf = <Value extends string>(
  choices: Readonly<Record<Value, string>>,
  select: SelectProps,
): FormControl<Value> => ({
  draw: (name) => <Select {...select} name={name} choices={choices} />,
  read: (values, name) => {
    const value = values.get(name) ?? "";
    if (!Object.hasOwn(choices, value)) return new Wrong(frameText.controls.choose(select.label));
    return value as Value;
  },
});

/**
 * An object by its id; null for `none`, unless it is required. Any id is read: the server decides whether the
 * operator may choose the object.
 */
export function objectOf(
  choices: readonly Choice[],
  select: SelectProps & { none: string; required?: false },
): FormControl<string | null>;
export function objectOf(choices: readonly Choice[], select: SelectProps): FormControl<string>;
export function objectOf(choices: readonly Choice[], select: SelectProps): FormControl<string | null> {
  return {
    draw: (name) => <Select {...select} name={name} choices={choices} />,
    read: (values, name) => {
      const id = values.get(name) ?? "";
      if (id === "" && select.none !== undefined && !select.required) return null;
      return Uuid.allows(id) ? id : new Wrong(frameText.controls.choose(select.label));
    },
  };
}

/**
 * Some of several texts.
 * @param wrong sentence for an empty choice; absent: the choice may be empty
 */
export const someOf = <Value extends string>(
  boxes: Omit<Parameters<typeof Checkboxes<Value>>[0], "name">,
  wrong?: string,
): FormControl<Value[]> => ({
  draw: (name) => <Checkboxes {...boxes} name={name} />,
  read: (values, name) => {
    const chosen = boxes.choices.filter((choice) => values.getAll(name).includes(choice));
    return wrong !== undefined && chosen.length === 0 ? new Wrong(wrong) : chosen;
  },
});

export const checkbox = (
  box: Omit<Parameters<typeof Checkbox>[0], "name" | "error" | "value">,
): FormControl<boolean> => ({
  draw: (name) => <Checkbox {...box} name={name} />,
  read: (values, name) => values.has(name),
});

/**
 * A value that a page sends and no person enters: hidden, or of a button. An invalid value is a problem of
 * the request, not of a control.
 * @param shape of the value; of undefined, where it may be absent
 */
export const sent = <Shape extends Type>(shape: Shape): FormControl<Shape["infer"]> => ({
  read: (values, name) => {
    const value = shape(values.get(name) ?? undefined);
    if (value instanceof type.errors) throw new Problem("bad_request", wrongShape(value[0], name));
    return value;
  },
});
