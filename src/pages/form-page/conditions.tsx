/** The script of forms whose questions depend on others, and its data. */
import type { CompiledForm } from "../../fields/compile.ts";
import { planOf } from "../../fields/conditions/make-plan.ts";
import { conditionsScriptAsset } from "../ui/assets.ts";
import type { PagePlan } from "../ui/form-conditions.ts";
import { keptPrefix } from "./hidden-fields.ts";
import type { PageText } from "./text/types.ts";

export const ConditionsScript = ({ form, text }: { form: CompiledForm; text: PageText }) => {
  if (!form.hasLogic) return null;
  const { lang, yes, no, locale, notCalculated, more } = text;
  const plan: PagePlan = {
    fields: planOf(form),
    keptPrefix,
    words: { lang, yes, no, locale, notCalculated, appeared: more.appeared },
  };
  // In a script element only this sign could begin anything but text.
  const json = JSON.stringify(plan).replaceAll("<", "\\u003c");
  return (
    <>
      <p id="appeared" class="read-only-aloud" role="status" />
      <script id="conditions" type="application/json" dangerouslySetInnerHTML={{ __html: json }} />
      <script type="module" src={conditionsScriptAsset.path} />
    </>
  );
};
