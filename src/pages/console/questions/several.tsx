/** Several new questions at once, a line for each: the fastest way to a form. */
import { resolveType } from "../../../fields/types.ts";
import { Checkbox, Input, Select, Submit, TextArea } from "../../ui/controls.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import { type FormControl, formOf, Wrong } from "../frame/form.tsx";
import { PostForm } from "../frame/layout.tsx";
import { frameText } from "../frame/words.ts";
import { choicesOfLines } from "./choice-rows.ts";
import { withGuess } from "./guess.ts";
import { idsOf, toField } from "./question-form.tsx";
import { typeChoices } from "./types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor.several;

/** Rows of the page; its script adds more. */
const rowCount = 8;
const maxRows = 50;

/** Types that need more than a line. */
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
        none={questionsText.editor.guessed}
      />
      <div class="if-answer">
        <Checkbox name={`${index}.required`} label={formText.members.required} />
      </div>
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

/** Questions of the lines that are not empty. @param ids ids that the form has */
const rowsControl = (ids: ReadonlySet<unknown>): FormControl<Record<string, unknown>[]> => ({
  draw: () => Array.from({ length: rowCount }, (_, index) => <Row key={index} index={index} />),
  read: (values) => {
    const taken = new Set(ids);
    const fields = Array.from({ length: maxRows }, (_, index) => {
      const of = (name: string) => values.get(`${index}.${name}`) ?? "";
      if (of("label").trim() === "") return [];
      const entered = withGuess(new URLSearchParams({ type: of("type"), label: of("label") }));
      const type = entered.get("type") ?? "";
      if (of("required")) entered.set("required", "true");
      if (hasOptions(type))
        for (const label of choicesOfLines(of("choices"))) entered.append("rule.options.label", label);
      const field = toField(entered, taken);
      taken.add(field.id);
      return [field];
    }).flat();
    return fields.length > 0 ? fields : new Wrong(questionsText.editor.noRow, "0.label");
  },
});

export const severalForm = (form: FormView) => formOf({ rows: rowsControl(idsOf(form)) });

export const SeveralQuestions = ({ form }: { form: FormView }) => (
  <section class="open card-form" aria-labelledby="several-heading" data-part="several">
    <h3 id="several-heading">{questionsText.editor.addSeveral}</h3>
    {form.schema.fields.length === 0 && <p class="quiet">{questionsText.editor.none}</p>}
    <PostForm action={`${pathOfForm(form)}/field/several`} form={severalForm(form)} class="stacked">
      {/* The Enter key presses the first button: there are more rows to fill in. */}
      <div class="actions">
        <Submit class="quiet" name="another" value="true" label={words.submitMore} />
        <button type="submit">{words.submit}</button>
        {form.schema.fields.length > 0 && <a href={pathOfForm(form)}>{frameText.cancel}</a>}
      </div>
    </PostForm>
  </section>
);
