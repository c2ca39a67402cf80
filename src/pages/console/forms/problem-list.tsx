/** A list of the problems of a draft, for the pages that show and change it. */
import type { ComponentChildren } from "preact";
import { parseFields } from "../../../fields/definition.ts";
import type { DraftProblem } from "../../../resources/forms/draft-checks.ts";
import { type FormView, fieldHref } from "../form/form.tsx";
import { nameOfField, problemSentence, withLabelsOf } from "../form/issues.ts";
import { Section } from "../frame/parts.tsx";

/** A list of problems, each of which leads to its question. */
export const ProblemList = ({
  form,
  title,
  problems,
  children,
}: {
  form: FormView;
  title: string;
  problems: readonly DraftProblem[];
  children?: ComponentChildren;
}) => {
  const fields = new Map(parseFields(form.schema).map((field) => [field.id, field]));
  const withLabels = withLabelsOf(form.schema);
  if (problems.length === 0) return null;
  return (
    <Section title={title}>
      <ul class="issues">
        {problems.map((each) => {
          const problem = { ...each, issue: each.issue && withLabels(each.issue) };
          const field = fields.get(problem.issue?.field ?? "");
          return (
            <li key={problem.text} dir="auto">
              {field ? (
                <a href={fieldHref(form, field.id)} dir="auto">
                  {nameOfField(field)}: {problemSentence(problem, field.type)}
                </a>
              ) : (
                problemSentence(problem, "")
              )}
            </li>
          );
        })}
      </ul>
      {children}
    </Section>
  );
};
