/** The grants of an agent: which forms it may fill in, and how. */
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import type { AgentEntry, GrantEntry } from "../../../resources/agents/read.ts";
import { upsertQuery } from "../../../resources/grants/grants.ts";
import { agentScopes } from "../../../resources/grants/shapes.ts";
import { choicesOfNames } from "../../ui/controls.tsx";
import { Confirm } from "../frame/confirm.tsx";
import { checkbox, type DataOf, formOf, objectOf, someOf, textInput } from "../frame/form.tsx";
import type { FormPost } from "../frame/handler.ts";
import { FoldedForm } from "../frame/new-page.tsx";
import { Section } from "../frame/section.tsx";
import { frameText } from "../frame/words.ts";
import { maxItems, pathOfAgent } from "./agents.tsx";
import { automationText } from "./words.ts";

const words = automationText.agent;

interface GrantsProps {
  agent: AgentEntry;
  grants: GrantEntry[];
  /** Forms that a grant can be made for. */
  forms: { id: string; name: string }[];
  mayEdit: boolean;
}

const GrantList = ({ agent, grants, mayEdit }: GrantsProps) => (
  <ul class="rows">
    {grants.map((grant) => (
      <li key={grant.id}>
        <div>
          <a href={`/console/forms/${grant.formId}`} dir="auto">
            {grant.formName}
          </a>
          <small>{grant.scopes.map((scope) => words.scopes[scope]).join(", ")}</small>
          {grant.respondentId && <small>{words.boundTo(grant.respondentId)}</small>}
          {grant.respondent && <small>{words.asserted}</small>}
          {grant.bindingRequired && <small>{words.bindingRequired}</small>}
        </div>
        {mayEdit && (
          <Confirm
            label={frameText.remove}
            accessibleLabel={words.removeGrantOf(grant.formName)}
            action={`${pathOfAgent(agent)}/grants/remove`}
            confirm={words.removeGrantConfirm}
            name="grant"
            value={grant.id}
          />
        )}
      </li>
    ))}
  </ul>
);

export const grantForm = (forms: GrantsProps["forms"] = []) =>
  formOf({
    form: objectOf(choicesOfNames(forms), {
      label: words.grantForm,
      hint: forms.length === maxItems && words.newest(maxItems),
      none: words.chooseForm,
      required: true,
    }),
    scopes: someOf(
      {
        label: words.grantScopes,
        choices: agentScopes,
        labels: words.scopes,
        checked: agentScopes,
        hasValues: true,
      },
      words.noScope,
    ),
    respondent: textInput({
      label: frameText.respondentId,
      hint: words.respondentHint,
      required: false,
      shape: Uuid,
      wrong: frameText.entered.noId,
    }),
    bindingRequired: checkbox({ label: words.bindingRequired }),
    asserted: checkbox({ label: words.asserted, hint: words.assertedHint }),
  });

const NewGrant = ({ agent, forms }: GrantsProps) => (
  <FoldedForm
    isPanel
    label={words.grant}
    action={`${pathOfAgent(agent)}/grants`}
    form={grantForm(forms)}
    submit={words.grantSubmit}
  />
);

export const Grants = (props: GrantsProps) => (
  <Section title={words.grants}>
    {props.grants.length > 0 ? <GrantList {...props} /> : <p class="quiet">{words.noGrants}</p>}
    {props.grants.length === maxItems && <p class="quiet">{words.newest(maxItems)}</p>}
    {props.mayEdit && <NewGrant {...props} />}
  </Section>
);

export const grantQuery = (
  { deps, data }: FormPost<DataOf<ReturnType<typeof grantForm>>>,
  caller: SqlCaller,
  agent: string,
) =>
  upsertQuery(deps, caller, agent, {
    formId: data.form,
    scopes: data.scopes,
    respondentId: data.respondent,
    bindingRequired: data.bindingRequired,
    respondent: data.asserted ? "asserted" : null,
  });
