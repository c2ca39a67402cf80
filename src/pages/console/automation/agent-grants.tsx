/** The grants of an agent: which forms it may fill in, and how. */
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import { assertShape } from "../../../platform/http/body.ts";
import type { AgentEntry, GrantEntry } from "../../../resources/agents/read.ts";
import { removeQuery, upsertQuery } from "../../../resources/grants/grants.ts";
import { agentScopes } from "../../../resources/grants/shapes.ts";
import { Checkbox, Checkboxes, choicesOfNames, Input, Select } from "../../ui/controls.tsx";
import { Confirm } from "../frame/confirm.tsx";
import { type FormPost, idIn } from "../frame/handler.ts";
import { FormPanel } from "../frame/new-page.tsx";
import { Section } from "../frame/parts.tsx";
import { GrantForm } from "../frame/shapes.ts";
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
            label={words.removeGrant}
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

const NewGrant = ({ agent, forms }: GrantsProps) => (
  <FormPanel action={`${pathOfAgent(agent)}/grants`} title={words.grant} submit={words.grantSubmit}>
    <Select
      name="form"
      label={words.grantForm}
      hint={forms.length === maxItems && words.newest(maxItems)}
      none={words.chooseForm}
      choices={choicesOfNames(forms)}
      required
    />
    <Checkboxes
      name="scopes"
      label={words.grantScopes}
      choices={agentScopes}
      labels={words.scopes}
      checked={agentScopes}
      hasValues
    />
    <Input name="respondent" label={words.respondent} hint={words.respondentHint} required={false} />
    <Checkbox name="bindingRequired" label={words.bindingRequired} />
    <Checkbox name="asserted" label={words.asserted} hint={words.assertedHint} />
  </FormPanel>
);

export const Grants = (props: GrantsProps) => (
  <Section title={words.grants}>
    {props.grants.length > 0 ? <GrantList {...props} /> : <p class="quiet">{words.noGrants}</p>}
    {props.grants.length === maxItems && <p class="quiet">{words.newest(maxItems)}</p>}
    {props.mayEdit && <NewGrant {...props} />}
  </Section>
);

/** The grant that a form post makes. @throws {Problem} `bad_request`. */
export function grantQuery({ deps, values }: FormPost, caller: SqlCaller, agent: string) {
  const entered = {
    form: values.get("form"),
    scopes: values.getAll("scopes"),
    respondent: values.get("respondent")?.trim() ?? "",
  };
  const { form, scopes, respondent } = assertShape(entered, GrantForm, "bad_request");
  return upsertQuery(deps, caller, agent, {
    formId: form,
    scopes,
    respondentId: respondent || null,
    bindingRequired: values.has("bindingRequired"),
    respondent: values.has("asserted") ? "asserted" : null,
  });
}

/** Removes the grant that a form post names. @throws {Problem} `bad_request`. */
export const removeGrantQuery = ({ deps, values }: FormPost, caller: SqlCaller, agent: string) =>
  removeQuery(deps, caller, agent, idIn(values, "grant"));
