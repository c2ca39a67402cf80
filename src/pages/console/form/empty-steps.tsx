/** Steps of a draft that people do not see, for the page on which it is reviewed. */
import { parseFields } from "../../../fields/definition.ts";
import { emptySteps } from "../../form-page/next-step.ts";
import { Notice } from "../../ui/controls.tsx";
import { type FormView, fieldHref } from "./form.tsx";
import { nameOfField } from "./issues.ts";
import { formText } from "./words.ts";

export const EmptySteps = ({ form }: { form: FormView }) => (
  <>
    {[...emptySteps(parseFields(form.schema))].map((field) => (
      <Notice key={field.id} kind="info">
        <a href={fieldHref(form, field.id)} dir="auto">
          {nameOfField(field)}
        </a>
        : {formText.emptyStep}
      </Notice>
    ))}
  </>
);
