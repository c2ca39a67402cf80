/** Mails to operators about their account or team, in the language of their account. */
import { limits } from "../../limits.ts";
import { dayMs, takeAddress } from "../../platform/mail/address-limit.ts";
import type { Mail } from "../../platform/mail/smtp.ts";
import type { ClaimedMail, Dropped, MailDeps } from "./claim.ts";
import { type OperatorText, operatorTexts } from "./operator-text.ts";

export const optionalMails = ["webhook_disabled", "key_expiry"] as const;

type OperatorMail = (typeof optionalMails)[number] | "sign_in" | "passkey" | "password" | "api_key";

interface Said {
  words: ReturnType<OperatorText[OperatorMail]>;
  link: string;
}

/** Reads the content of a mail. Undefined: there is nothing to report any more. */
const read: Record<
  OperatorMail,
  (deps: MailDeps, team: string, claim: ClaimedMail, texts: OperatorText) => Promise<Said | undefined>
> = {
  async sign_in({ sql }, team, { subjectId, createdAt: at }, texts) {
    // A session that has ended is reported too: a person who stole the password can end it at once.
    const [session] = await sql<{ device: string | null; clientIp: string | null }[]>`
      select device, client_ip from formd.operator_sessions where team_id = ${team} and id = ${subjectId}`;
    return {
      words: texts.sign_in({ at, ...(session ?? { device: null, clientIp: null }) }),
      link: "/account/password",
    };
  },
  async passkey({ sql }, _team, { subjectId, createdAt: at }, texts) {
    // A removed passkey is reported too: another person knows the password.
    const [passkey] = await sql<{ name: string }[]>`
      select name from formd.operator_passkeys where id = ${subjectId}`;
    return { words: texts.passkey({ at, name: passkey?.name ?? null }), link: "/account/passkeys" };
  },
  async password({ sql }, team, { subjectId, createdAt: at }, texts) {
    const [event] = await sql<{ passkeys: string[] }[]>`
      select array(select jsonb_array_elements_text(e.details -> 'passkeysRemoved')) as passkeys
      from formd.audit_events e
      where e.team_id = ${team} and e.object_id = ${subjectId} and e.kind = 'operator.password_changed'
      order by e.id desc limit 1`;
    return { words: texts.password({ at, passkeys: event?.passkeys ?? [] }), link: "/account/passkeys" };
  },
  async api_key({ sql }, team, { subjectId }, texts) {
    const [key] = await sql<Parameters<OperatorText["api_key"]>[0][]>`
      select k.name, k.key_prefix, k.scopes,
        (select t.name from formd.teams t where t.team_id = ${team}) as team_name,
        (select o.email from formd.operators o where o.id = (
          select e.actor_id from formd.audit_events e
          where e.team_id = ${team} and e.object_id = ${subjectId} and e.kind = 'api_key.created' limit 1)) as by
      from formd.api_keys k where k.team_id = ${team} and k.id = ${subjectId}`;
    return key && { words: texts.api_key(key), link: "/api-keys" };
  },
  async webhook_disabled({ sql }, team, { subjectId }, texts) {
    const [webhook] = await sql<{ url: string; disabledReason: string }[]>`
      select url, disabled_reason from formd.webhooks
      where team_id = ${team} and id = ${subjectId} and status = 'disabled'`;
    if (!webhook) return undefined;
    // The path can hold a secret.
    const { host } = new URL(webhook.url);
    const words = texts.webhook_disabled({ host, isGone: webhook.disabledReason === "gone" });
    return { words, link: `/webhooks/${subjectId}` };
  },
  async key_expiry({ sql }, team, { subjectId }, texts) {
    const [key] = await sql<{ keyId: string; agentId: string; name: string; at: Date }[]>`
      select k.key_id, k.agent_id, a.name, k.expires_at as at
      from formd.signing_keys k join formd.agents a on a.team_id = k.team_id and a.id = k.agent_id
      where k.team_id = ${team} and k.id = ${subjectId} and k.status = 'active' and k.expires_at > now()`;
    return key && { words: texts.key_expiry(key), link: `/agents/${key.agentId}` };
  },
};

export const isOperatorMail = (kind: string): kind is OperatorMail => Object.hasOwn(read, kind);

export async function writeOperatorMail(
  deps: MailDeps,
  team: string,
  kind: OperatorMail,
  claim: ClaimedMail,
): Promise<Mail | Dropped> {
  const { id, address: to, attempt } = claim;
  if (to === null) return { dropped: "The operator has left." };
  const lang = claim.language ?? "en";
  const texts = operatorTexts[lang];
  const said = await read[kind](deps, team, claim, texts);
  if (!said) return { dropped: "It is over." };
  if (
    attempt === 1 &&
    !(await takeAddress(deps, "operator-notice", to, limits.mail.maxPerOperatorAndDay, dayMs))
  )
    return { dropped: "The address has had too many mails today." };
  const base = `${deps.config.BASE_URL}/console`;
  const isOptional = (optionalMails as readonly string[]).includes(kind);
  return {
    id,
    to,
    lang,
    subject: said.words.subject,
    heading: said.words.subject,
    parts: [{ paragraph: said.words.text }, { link: base + said.link, label: said.words.label }],
    footer: [
      { paragraph: isOptional ? texts.optional : texts.always },
      { link: `${base}/account`, label: texts.account },
    ],
  };
}
