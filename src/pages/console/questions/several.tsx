/** Several new questions at once, a line for each: the fastest way to a form. */
import { isRecord } from "../../../fields/definition.ts";
import { resolveType } from "../../../fields/types.ts";
import { Checkbox, Input, Select, Submit, TextArea } from "../../ui/controls.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import { PostForm } from "../frame/layout.tsx";
import { frameText } from "../frame/words.ts";
import { toField } from "./field-form.ts";
import { typeChoices } from "./field-types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor.several;

const rowCount = 8;

/** A line has no room for what these need. */
const without: ReadonlySet<string> = new Set(["matrix", "hidden", "divider"]);

const hasOptions = (type: string) => resolveType(type).fieldType.requires?.includes("options") === true;

const Row = ({ index }: { index: number }) => {
  const question = words.question(index + 1);
  return (
    <fieldset class="question-row">
      <legend class="unseen">{question}</legend>
      <Input name={`${index}.label`} label={question} autofocus={index === 0} />
      <Select
        name={`${index}.type`}
        label={formText.members.type}
        choices={typeChoices(undefined, without)}
      />
      <Checkbox name={`${index}.required`} label={formText.members.required} />
      <div class="if-choices">
        <TextArea
          name={`${index}.choices`}
          label={formText.rules.options}
          hint={questionsText.field.choicesHint}
          rows={3}
        />
      </div>
    </fieldset>
  );
};

export const QuestionRows = ({ form }: { form: FormView }) => {
  const action = `${pathOfForm(form)}/field/several`;
  return (
    <section class="panel open" aria-labelledby="several-heading">
      <h3 id="several-heading">{words.title}</h3>
      {form.schema.fields.length === 0 && <p class="quiet">{questionsText.editor.none}</p>}
      <PostForm action={action} class="stacked">
        {Array.from({ length: rowCount }, (_, index) => (
          <Row key={index} index={index} />
        ))}
        <div class="actions">
          <button type="submit">{words.submit}</button>
          <Submit class="quiet" name="another" value="true" label={words.submitMore} />
          {form.schema.fields.length > 0 && <a href={pathOfForm(form)}>{frameText.cancel}</a>}
        </div>
      </PostForm>
    </section>
  );
};

/** The questions of the lines that have one, as definitions with ids that the form does not have. */
export function fieldsOfRows(form: FormView, values: URLSearchParams): Record<string, unknown>[] {
  const taken = new Set<unknown>(form.schema.fields.filter(isRecord).map(({ id }) => id));
  return Array.from({ length: rowCount }, (_, index) => `${index}.`)
    .filter((row) => values.get(`${row}label`)?.trim())
    .map((row) => {
      const type = values.get(`${row}type`) ?? "text";
      const entered = new URLSearchParams({ type, label: values.get(`${row}label`) ?? "" });
      if (values.has(`${row}required`)) entered.set("required", "true");
      if (hasOptions(type)) entered.set("rule.options", values.get(`${row}choices`) ?? "");
      const field = toField(entered, taken);
      taken.add(field.id);
      return field;
    });
}
