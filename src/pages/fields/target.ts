/** Where a link to a field leads. */
import { valuesOf } from "../../fields/constraints.ts";
import type { Field } from "../../fields/definition.ts";
import { addressParts } from "../../fields/types/address.ts";
import { idOf } from "../controls.tsx";
import { controlName, momentParts } from "../field-values.ts";
import { choicesOf, maxRadioButtons } from "./choices.tsx";
import { isRating } from "./rating.tsx";

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
