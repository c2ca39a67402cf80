/** Mails that tell operators of what concerns their account or team, in English, as the console is. */
import { limits } from "../../limits.ts";
import { dayMs, takeAddress } from "../../platform/mail/address-limit.ts";
import type { Mail } from "../../platform/mail/smtp.ts";
import type { Claim, Dropped, MailDeps } from "./claim.ts";

/** Those that an operator can switch off. */
export const optionalMails = ["webhook_disabled", "key_expiry"] as const;

type OperatorMail = (typeof optionalMails)[number] | "sign_in" | "passkey" | "api_key";

interface Said {
  subject: string;
  text: string;
  link: string;
  label: string;
}

const timeText = (at: Date): string =>
  `${new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).format(at)} UTC`;

/** What a mail says of its subject; undefined when there is nothing to say any more. */
const read: Record<OperatorMail, (deps: MailDeps, team: string, claim: Claim) => Promise<Said | undefined>> =
  {
    async sign_in({ sql }, team, { subjectId, createdAt }) {
      // A session that has ended since is still told of: who has stolen the password can end it at once.
      const [session] = await sql<{ device: string | null; clientIp: string | null }[]>`
      select device, client_ip from formd.operator_sessions where team_id = ${team} and id = ${subjectId}`;
      const how = [
        session?.device && `with ${session.device}`,
        session?.clientIp && `from ${session.clientIp}`,
      ];
      return {
        subject: "Sign-in from a new device",
        text: `${["Your account was signed in to", ...how].filter(Boolean).join(" ")} on ${timeText(createdAt)}. If that was not you, change your password, which ends all other sessions, and remove passkeys that are not yours.`,
        link: "/account/password",
        label: "Change the password",
      };
    },
    async passkey({ sql }, _team, { subjectId, createdAt }) {
      // One that was removed since is still told of: the password is known to another.
      const [passkey] = await sql<{ name: string }[]>`
      select name from formd.operator_passkeys where id = ${subjectId}`;
      return {
        subject: "A passkey was added to your account",
        text: `The passkey${passkey ? ` ${passkey.name}` : ""} was added to your account on ${timeText(createdAt)}: it signs in without the password. If that was not you, remove it, and change your password.`,
        link: "/account/passkeys",
        label: "Show your passkeys",
      };
    },
    async api_key({ sql }, team, { subjectId }) {
      const [key] = await sql<
        { name: string; keyPrefix: string; scopes: string[]; teamName: string; by: string | null }[]
      >`
      select k.name, k.key_prefix, k.scopes,
        (select t.name from formd.teams t where t.team_id = ${team}) as team_name,
        (select o.email from formd.operators o where o.id = (
          select e.actor_id from formd.audit_events e
          where e.team_id = ${team} and e.object_id = ${subjectId} and e.kind = 'api_key.created' limit 1)) as by
      from formd.api_keys k where k.team_id = ${team} and k.id = ${subjectId}`;
      return (
        key && {
          subject: `New API key: ${key.name}`,
          text: `${key.by ?? "A command on the server"} has made the API key ${key.name} (${key.keyPrefix}…) of the team ${key.teamName}, with the scopes ${key.scopes.join(", ")}.`,
          link: "/api-keys",
          label: "Show the API keys",
        }
      );
    },
    async webhook_disabled({ sql }, team, { subjectId }) {
      const [webhook] = await sql<{ url: string; disabledReason: string }[]>`
      select url, disabled_reason from formd.webhooks
      where team_id = ${team} and id = ${subjectId} and status = 'disabled'`;
      if (!webhook) return undefined;
      // The path can hold a secret.
      const { host } = new URL(webhook.url);
      const reason =
        webhook.disabledReason === "gone" ? "it responded that it is gone" : "it failed for days";
      return {
        subject: `Webhook disabled: ${host}`,
        text: `Nothing is sent to ${host} any more, since ${reason}. What waits is sent once it is enabled.`,
        link: `/webhooks/${subjectId}`,
        label: "Show the webhook",
      };
    },
    async key_expiry({ sql }, team, { subjectId }) {
      const [key] = await sql<{ keyId: string; agentId: string; name: string; expiresAt: Date }[]>`
      select k.key_id, k.agent_id, a.name, k.expires_at
      from formd.signing_keys k join formd.agents a on a.team_id = k.team_id and a.id = k.agent_id
      where k.team_id = ${team} and k.id = ${subjectId} and k.status = 'active' and k.expires_at > now()`;
      return (
        key && {
          subject: `A key of the agent ${key.name} expires`,
          text: `The key ${key.keyId} of the agent ${key.name} expires on ${timeText(key.expiresAt)}. From then on requests signed with it are refused: register another one before.`,
          link: `/agents/${key.agentId}`,
          label: "Show the agent",
        }
      );
    },
  };

/** Whether a mail is one to an operator. */
export const isOperatorMail = (kind: string): kind is OperatorMail => Object.hasOwn(read, kind);

export async function writeOperatorMail(
  deps: MailDeps,
  team: string,
  kind: OperatorMail,
  claim: Claim,
): Promise<Mail | Dropped> {
  const { id, address: to, attempt } = claim;
  if (to === null) return { dropped: "The operator has left." };
  const said = await read[kind](deps, team, claim);
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
    lang: "en",
    subject: said.subject,
    heading: said.subject,
    parts: [{ paragraph: said.text }, { link: base + said.link, label: said.label }],
    footer: [
      {
        paragraph: isOptional
          ? "Your account says which of these mails you get."
          : "Mails about the security of an account or a team are always sent.",
      },
      { link: `${base}/account`, label: "Your account" },
    ],
  };
}
