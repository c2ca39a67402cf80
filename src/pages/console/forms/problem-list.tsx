/** A list of the problems of a draft, for the pages that show and change it. */
import type { ComponentChildren } from "preact";
import { parseFields } from "../../../fields/definition.ts";
import type { DraftProblem } from "../../../resources/forms/draft-checks.ts";
import { type FormView, fieldHref, pathOfForm, translateHref } from "../form/form.tsx";
import { nameOfField, problemSentence, withLabelsOf } from "../form/issues.ts";
import { Section } from "../frame/parts.tsx";

/** The page on which a problem is fixed; undefined: it is about no question and no text. */
function hrefOf(form: FormView, { issue, said }: DraftProblem): string | undefined {
  const key = issue?.clause?.key ?? said?.key ?? "";
  if (key.startsWith("language_")) return pathOfForm(form, "languages");
  if (key === "translation_unused") return pathOfForm(form);
  if (key === "texts_missing") return translateHref(form);
  // An unknown option goes when its question is saved.
  if (key.startsWith("translation_") && (said || key !== "translation_unknown")) return translateHref(form);
  return issue?.field === undefined ? undefined : fieldHref(form, issue.field);
}

/** The id of a problem's question. The sentence of an unused translation does not name it. */
const fieldIdOf = ({ schema }: FormView, { issue, said, note }: DraftProblem): unknown =>
  said?.key === "translation_unused"
    ? schema.fields[Number(/^schema\.fields\[(\d+)\]/.exec(note.path)?.[1])]?.id
    : issue?.field;

/** A list of problems, each of which leads to the page on which it is fixed. */
export const ProblemList = ({
  form,
  title,
  problems,
  isNote = false,
  children,
}: {
  form: FormView;
  title: string;
  problems: readonly DraftProblem[];
  /** True if nothing has to be fixed. */
  isNote?: boolean;
  children?: ComponentChildren;
}) => {
  const fields = new Map(parseFields(form.schema).map((field) => [field.id, field]));
  const withLabels = withLabelsOf(form.schema);
  if (problems.length === 0) return null;
  return (
    <Section title={title}>
      <ul class={isNote ? "issues note" : "issues"}>
        {problems.map((each) => {
          const problem = { ...each, issue: each.issue && withLabels(each.issue) };
          const field = fields.get(String(fieldIdOf(form, problem)));
          const sentence = problemSentence(problem, field?.type ?? "");
          const href = hrefOf(form, problem);
          return (
            <li key={problem.text} dir="auto">
              {href ? (
                <a href={href} dir="auto">
                  {field && `${nameOfField(field)}: `}
                  {sentence}
                </a>
              ) : (
                sentence
              )}
            </li>
          );
        })}
      </ul>
      {children}
    </Section>
  );
};
