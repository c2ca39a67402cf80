/** The signing keys of an agent. */
import type { AgentEntry, KeyEntry } from "../../../resources/agents/read.ts";
import { Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import { formOf, textInput } from "../frame/form.tsx";
import { FoldedForm } from "../frame/new-page.tsx";
import { Section } from "../frame/section.tsx";
import { frameText } from "../frame/words.ts";
import { pathOfAgent } from "./agents.tsx";
import { automationText } from "./words.ts";

const words = automationText.agent;

interface KeysProps {
  agent: AgentEntry;
  keys: KeyEntry[];
  mayEdit: boolean;
}

const KeyList = ({ agent, keys, mayEdit }: KeysProps) => (
  <ul class="rows">
    {keys.map(({ keyId, alg, status, createdAt, expiresAt }) => (
      <li key={keyId}>
        <div>
          <code>{keyId}</code>
          <small>
            {alg === "es256" && `${words.keyOfOauth} · `}
            {frameText.added} <Time at={createdAt} />
            {expiresAt && (
              <>
                {" · "}
                {words.keyExpires} <Time at={expiresAt} />
              </>
            )}
          </small>
        </div>
        <span class={`badge ${status}`}>{automationText.agents.statuses[status]}</span>
        {mayEdit && status === "active" && (
          <Confirm
            label={frameText.revoke}
            accessibleLabel={words.revokeKeyOf(keyId)}
            action={`${pathOfAgent(agent)}/keys/revoke`}
            confirm={words.revokeKeyConfirm}
            name="key"
            value={keyId}
          />
        )}
      </li>
    ))}
  </ul>
);

export const signingKeyForm = () =>
  formOf(
    {
      publicKeyPem: textInput({
        label: words.publicKey,
        hint: words.publicKeyHint,
        rows: 4,
        isVerbatim: true,
        required: true,
      }),
    },
    { about: { key_of_another_agent: "publicKeyPem", key_revoked: "publicKeyPem" } },
  );

const NewKey = ({ agent }: KeysProps) => (
  <FoldedForm
    isPanel
    label={words.newKey}
    action={`${pathOfAgent(agent)}/keys`}
    form={signingKeyForm()}
    submit={words.newKeySubmit}
  />
);

export const Keys = (props: KeysProps) => (
  <Section title={words.keys}>
    {props.keys.length > 0 ? <KeyList {...props} /> : <p class="quiet">{words.noKeys}</p>}
    {props.mayEdit && <NewKey {...props} />}
  </Section>
);
