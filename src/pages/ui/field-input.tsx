/** A field of a form as the respondent sees it: label, hints, message and control. */
import type { VNode } from "preact";
import { type Scalar, valuesOf } from "../../fields/constraints.ts";
import { addressParts, controlName, momentParts, type Values } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";
import { toControls } from "../../fields/presentation.ts";
import type { FieldKind } from "../../fields/types.ts";
import { idOf, TextArea } from "./controls.tsx";
import { Address } from "./fields/address.tsx";
import { Consent, YesOrNo } from "./fields/boolean.tsx";
import { maxRadioButtons } from "./fields/choices.tsx";
import { FileControl } from "./fields/file.tsx";
import { autocompleteById, bounds, keyboard, line } from "./fields/line.tsx";
import { Matrix } from "./fields/matrix.tsx";
import { isWholeMoment, Moment } from "./fields/moment.tsx";
import { commonOf, type FieldInputProps, hintOf, labelOf, type ShownProps } from "./fields/props.ts";
import { Ranking } from "./fields/ranking.tsx";
import { isRating, Rating } from "./fields/rating.tsx";
import { MultiSelect, SelectField } from "./fields/select.tsx";

interface TargetOptions {
  part?: string | undefined;
  /** Options without a place left: a disabled control takes no focus. */
  full?: readonly Scalar[];
  /** The values that the controls show. */
  values?: Values;
}

interface FieldControl {
  readonly Control: (props: ShownProps) => VNode | null;
  /** Name of the control that a link to the field, or to a part, leads to. Default: the field's name. */
  readonly target?: (field: Field, of: Required<TargetOptions>) => string;
}

/** A hidden field has no control, unless the address may fill it in and has. */
const Hidden = ({ field: { id, definition }, values, shown }: ShownProps) =>
  definition.prefill === true && values?.has(controlName(id)) ? (
    <input type="hidden" name={controlName(id)} value={shown.get(controlName(id)) ?? undefined} />
  ) : null;

const Statement = (props: ShownProps) => {
  const { field } = props;
  if (field.type === "divider") return <hr />;
  const hint = hintOf(props);
  const Heading = field.type === "heading" ? "h2" : "strong";
  return (
    <div class="statement" dir="auto">
      <Heading {...props.mark?.("label")}>{labelOf(field)}</Heading>
      {hint && <p>{hint}</p>}
    </div>
  );
};

const Paragraph = (props: ShownProps) => (
  <TextArea {...commonOf(props)} value={props.shown.get(controlName(props.field.id)) ?? undefined} />
);

const NumberLine = line((field) => {
  const { multipleOf } = field.constraints;
  const isWhole = multipleOf !== undefined && Number.isInteger(multipleOf);
  return keyboard(field, isWhole ? "numeric" : "decimal");
});
const WholeNumberLine = line((field) => keyboard(field, "numeric"));
const RatingOrLine = (props: ShownProps) =>
  isRating(props.field) ? <Rating {...props} /> : <WholeNumberLine {...props} />;

/** The first of several buttons or lists. */
const firstChoice = ({ id }: Field) => `${controlName(id)}=0`;

/** The first option that is not full. */
const firstLeft = ({ id, constraints }: Field, { full }: Required<TargetOptions>) => {
  const index = valuesOf(constraints.options).findIndex((value) => !full.includes(value));
  return `${controlName(id)}=${Math.max(index, 0)}`;
};

const fieldControls: Readonly<Record<FieldKind, FieldControl>> = {
  text: { Control: line((field) => ({ autocomplete: autocompleteById(field) })) },
  textarea: { Control: Paragraph },
  email: { Control: line(() => ({ type: "email", autocomplete: "email" })) },
  phone: { Control: line(() => ({ type: "tel", autocomplete: "tel" })) },
  url: { Control: line(() => ({ type: "url", autocomplete: "url" })) },
  hidden: { Control: Hidden },
  number: { Control: NumberLine },
  integer: { Control: WholeNumberLine },
  rating: {
    Control: RatingOrLine,
    target: (field) => (isRating(field) ? firstChoice(field) : controlName(field.id)),
  },
  boolean: { Control: YesOrNo, target: firstChoice },
  consent: { Control: Consent },
  select: {
    Control: SelectField,
    target: (field, of) =>
      valuesOf(field.constraints.options).length > maxRadioButtons
        ? controlName(field.id)
        : firstLeft(field, of),
  },
  multi_select: { Control: MultiSelect, target: firstLeft },
  ranking: { Control: Ranking, target: firstChoice },
  date: {
    Control: line((field) => ({ type: "date", autocomplete: autocompleteById(field), ...bounds(field) })),
  },
  time: { Control: line((field) => ({ type: "time", step: "any", ...bounds(field) })) },
  datetime: {
    Control: Moment,
    target: (field, { values }) =>
      controlName(field.id, isWholeMoment(field, values) ? undefined : momentParts[0]),
  },
  address: {
    Control: Address,
    target: ({ id }, { part = addressParts[0] }) => controlName(id, part),
  },
  matrix: {
    Control: Matrix,
    target: ({ id, constraints }, { part = String(valuesOf(constraints.rows)[0]) }) =>
      `${controlName(id, part)}=0`,
  },
  file: { Control: FileControl },
  statement: { Control: Statement },
};

/** A custom type is entered as text. */
const custom: FieldControl = { Control: line() };

const controlOf = ({ kind }: Field): FieldControl => (kind ? fieldControls[kind] : custom);

export const FieldInput = (props: FieldInputProps) => {
  const { field, values, words } = props;
  const { Control } = controlOf(field);
  const shown = values ?? toControls([field], { [field.id]: field.definition.default }, words);
  return <Control {...props} shown={shown} />;
};

/** Returns the id of the control that a link leads to: the first usable one, or the part's. */
export const targetOf = (
  field: Field,
  { part, full = [], values = new URLSearchParams() }: TargetOptions = {},
): string => idOf(controlOf(field).target?.(field, { part, full, values }) ?? controlName(field.id));
