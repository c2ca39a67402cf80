/**
 * Forms of the console. A form is one value, its controls by name: each draws itself and reads its value. A
 * post with a value that is not valid is refused in one way: `PostForm` (layout.tsx) gives each sentence to
 * the control of its name, which finds it by `useError` (ui/controls.tsx).
 */
import { type Type, type } from "arktype";
import type { ComponentChildren, ComponentProps } from "preact";
import type { MessageKey } from "../../../messages.ts";
import { wrongShape } from "../../../platform/http/body.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { Problem, type ProblemCode } from "../../../problem.ts";
import { Checkbox, Checkboxes, type Errors, Input, Select, TextArea } from "../../ui/controls.tsx";
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
  show?(value: Value, name: string): [name: string, text: string][];
}

/** Returns the lines of an entered text that are not blank. */
export const linesIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

type NameOf<Data> = keyof Data & string;

export interface ConsoleForm<Data> {
  controls: { readonly [Name in keyof Data]: FormControl<Data[Name]> };
  /** Errors that no control sees by itself. Called when all values are valid. */
  check?: (data: Data) => Errors;
  /** Controls that problems of the server are about, by the keys of their messages. */
  about?: Readonly<Partial<Record<MessageKey, NameOf<Data>>>>;
  /** Hidden field whose value is the prefix of the controls' ids, where a page has several such forms. */
  scopedBy?: NameOf<Data>;
  /** Code of the problem; `bad_request` unless it is given. */
  code?: ProblemCode;
}

/** Values that a form reads. */
export type DataOf<Form> = Form extends ConsoleForm<infer Data> ? Data : never;

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

const namesIn = <Data,>(of: { readonly [Name in keyof Data]?: unknown }) => Object.keys(of) as NameOf<Data>[];

/** @throws {FormProblem} */
export function readForm<Data>({ controls, check, code }: ConsoleForm<Data>, values: URLSearchParams): Data {
  const errors: Record<string, string> = {};
  const data: Partial<Data> = {};
  for (const name of namesIn<Data>(controls)) {
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
    namesIn(data).flatMap((name) => {
      const value = data[name] as Data[typeof name];
      const { show } = controls[name];
      if (show) return show(value, name);
      return value === null || value === undefined || value === false ? [] : [[name, String(value)]];
    }),
  );

interface ControlsProps<Data> {
  of: ConsoleForm<Data>;
  names?: readonly NameOf<Data>[];
}

/** The controls of a form, or some of them, in their order. */
export const Controls = <Data,>({ of: { controls }, names = namesIn(controls) }: ControlsProps<Data>) => (
  <>{names.map((name) => controls[name].draw?.(name))}</>
);

interface TextProps extends Omit<ComponentProps<typeof Input>, "name" | "error"> {
  /** Lines of the control. Absent: an input of one line. */
  rows?: number;
  /** True if the spaces around the text are a part of it. */
  isVerbatim?: boolean;
  /** Maximum number of UTF-16 units. */
  atMost?: number;
  shape?: Type<string>;
  /** Sentence for a text that is not valid. */
  wrong?: string | ((text: string) => string);
}

/** A text. Null: it is optional and empty. */
export function textInput(props: TextProps & { required: true }): FormControl<string>;
export function textInput(props: TextProps): FormControl<string | null>;
export function textInput(props: TextProps): FormControl<string | null> {
  const { rows, isVerbatim, atMost = Infinity, shape, wrong, ...input } = props;
  const { label, value } = input;
  return {
    draw: (name) =>
      rows === undefined ? (
        <Input {...input} name={name} />
      ) : (
        <TextArea {...input} name={name} rows={rows} value={value?.toString()} />
      ),
    read: (values, name) => {
      const { missing, tooLong, wrong: isWrong } = frameText.controls;
      const entered = values.get(name)?.replaceAll("\r\n", "\n") ?? "";
      const text = isVerbatim ? entered : entered.trim();
      if (text.trim() === "") return input.required ? new Wrong(missing(label)) : null;
      if (text.length > atMost) return new Wrong(tooLong(label, atMost));
      const checked = shape ? shape(text) : text;
      if (!(checked instanceof type.errors)) return checked as string;
      const [fault] = checked;
      if (fault?.hasCode("maxLength")) return new Wrong(tooLong(label, fault.rule));
      return new Wrong((typeof wrong === "function" ? wrong(text) : wrong) ?? isWrong(label));
    },
  };
}

type Choices = ComponentProps<typeof Select>["choices"];
type SelectProps = Omit<ComponentProps<typeof Select>, "name" | "error" | "choices">;

/** One of several choices. @param parse returns undefined for a text that is no choice */
const selectOf = <Value,>(
  choices: Choices,
  select: SelectProps,
  parse: (text: string) => Value | undefined,
): FormControl<Value> => ({
  draw: (name) => <Select {...select} name={name} choices={choices} />,
  read: (values, name) => {
    const value = parse(values.get(name) ?? "");
    return value === undefined ? new Wrong(frameText.controls.choose(select.label)) : value;
  },
});

/** One of several texts, by their values. */
export const oneOf = <Value extends string>(choices: Readonly<Record<Value, string>>, select: SelectProps) =>
  selectOf(choices, select, (text) => (Object.hasOwn(choices, text) ? (text as Value) : undefined));

const parseId = (text: string) => (Uuid.allows(text) ? text : undefined);

/** An object by its id. Any id is read: the server decides whether the operator may choose the object. */
export const objectOf = (choices: Choices, select: SelectProps) => selectOf(choices, select, parseId);

/** {@link objectOf}, or null for `none`. */
export const optionalObjectOf = (choices: Choices, select: SelectProps & { none: string }) =>
  selectOf(choices, select, (text) => (text === "" ? null : parseId(text)));

/** Some of several texts. @param wrong sentence for an empty choice; absent: the choice may be empty */
export const someOf = <Value extends string>(
  boxes: Omit<ComponentProps<typeof Checkboxes<Value>>, "name">,
  wrong?: string,
): FormControl<Value[]> => ({
  draw: (name) => <Checkboxes {...boxes} name={name} />,
  read: (values, name) => {
    const chosen = boxes.choices.filter((choice) => values.getAll(name).includes(choice));
    return wrong !== undefined && chosen.length === 0 ? new Wrong(wrong) : chosen;
  },
});

export const checkbox = (
  box: Omit<ComponentProps<typeof Checkbox>, "name" | "error" | "value">,
): FormControl<boolean> => ({
  draw: (name) => <Checkbox {...box} name={name} />,
  read: (values, name) => values.has(name),
});

/**
 * A hidden value, or one of a button. An invalid value is a problem of the request, not of a control.
 * @param shape of the value; of undefined, where it may be absent
 */
export const sent = <Shape extends Type>(shape: Shape): FormControl<Shape["infer"]> => ({
  read: (values, name) => {
    const value = shape(values.get(name) ?? undefined);
    if (value instanceof type.errors) throw new Problem("bad_request", wrongShape(value[0], name));
    return value;
  },
});
