/** The signing keys of an agent. */
import { algorithmOf } from "../../../platform/auth/public-key.ts";
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import type { AgentEntry, KeyEntry } from "../../../resources/agents/read.ts";
import { addQuery, revokeSigningKeyQuery } from "../../../resources/signing-keys/keys.ts";
import { TextArea } from "../../ui/controls.tsx";
import { Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { FormPost } from "../frame/handler.ts";
import { FormPanel } from "../frame/new-page.tsx";
import { Section } from "../frame/parts.tsx";
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
            {words.keyAdded} <Time at={createdAt} />
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
            label={words.revokeKey}
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

const NewKey = ({ agent }: KeysProps) => (
  <FormPanel action={`${pathOfAgent(agent)}/keys`} title={words.newKey} submit={words.newKeySubmit}>
    <TextArea name="publicKeyPem" label={words.publicKey} hint={words.publicKeyHint} />
  </FormPanel>
);

export const Keys = (props: KeysProps) => (
  <Section title={words.keys}>
    {props.keys.length > 0 ? <KeyList {...props} /> : <p class="quiet">{words.noKeys}</p>}
    {props.mayEdit && <NewKey {...props} />}
  </Section>
);

/**
 * Registers the key of a form post, which ends its lines with CR LF: the key id is the digest of the text.
 */
export function addKeyQuery({ deps, values }: FormPost, caller: SqlCaller, agent: string) {
  const publicKeyPem = (values.get("publicKeyPem") ?? "").replaceAll("\r\n", "\n");
  return addQuery(deps, caller, agent, { publicKeyPem, alg: algorithmOf(publicKeyPem) });
}

export const revokeKeyQuery = ({ deps, values }: FormPost, caller: SqlCaller, agent: string) =>
  revokeSigningKeyQuery(deps, caller, agent, values.get("key") ?? "");
