/** Section of the charts: how far people get on the page of a form, and on which step they stop. */
import { parseFields } from "../../../fields/definition.ts";
import { type ProgressSeries, reachedSteps, totalsOf } from "../../../resources/progress/progress.ts";
import { formatCount } from "../../ui/text.tsx";
import type { FormView } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import { Facts } from "../frame/layout.tsx";
import { Section } from "../frame/parts.tsx";
import { formsText } from "./words.ts";

const words = formsText.progress;

/** The bars of steps begin at nothing, and end at all pages that were opened. */
const percentOf = (part: number, whole: number) =>
  whole ? Math.min(100, Math.round((100 * part) / whole)) : 0;

const Steps = ({ form, series }: ProgressProps) => {
  const { publishedSchema, settingsInForce, currentVersion: version } = form;
  const steps = reachedSteps(series, {
    version,
    fields: publishedSchema ? parseFields(publishedSchema) : [],
    layout: settingsInForce.page?.layout,
    hasCaptcha: settingsInForce.captcha?.enabled === true,
  });
  const most = Math.max(...steps.map(({ reached }) => reached));
  if (steps.length === 0 || most === 0) return null;
  return (
    <>
      <h3 id="reached">{words.steps(version)}</h3>
      <table class="answers" aria-labelledby="reached">
        <tbody>
          {steps.map(({ step, label, reached }) => (
            <tr key={step}>
              <th scope="row" dir="auto">
                {step === steps.length ? words.check : words.step(step, label ?? "")}
              </th>
              <td class="bar">
                <svg aria-hidden="true" width="100%" height="12">
                  <rect width={`${percentOf(reached, most)}%`} height="12" rx="2" />
                </svg>
              </td>
              <td class="number">{words.share(formatCount(reached), percentOf(reached, most))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
};

interface ProgressProps {
  form: FormView;
  series: readonly ProgressSeries[];
}

/** Nothing while nothing was counted. */
export const ProgressSection = ({ form, series }: ProgressProps) => {
  const { opened, begun, sent, medianSeconds } = totalsOf(series);
  if (opened + begun + sent === 0) return null;
  return (
    <Section class="panel" id="progress" title={words.title} hint={words.hint}>
      <Facts
        items={[
          [words.opened, formatCount(opened)],
          [words.begun, formatCount(begun)],
          [words.sent, formatCount(sent)],
          [words.median, medianSeconds !== null && formText.results.about(medianSeconds)],
        ]}
      />
      <Steps form={form} series={series} />
    </Section>
  );
};
