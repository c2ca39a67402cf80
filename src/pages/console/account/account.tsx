/** The operator's own account: team, roles and sessions. */
import { actorOf } from "../../../platform/auth/actor.ts";
import { sessionCookie } from "../../../platform/auth/operator-session.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { listNewsFeeds, type OwnFeed } from "../../../resources/forms/followers.ts";
import { optionalMails } from "../../../resources/mails/operator-mails.ts";
import * as account from "../../../resources/operators/account.ts";
import { Checkbox } from "../../ui/controls.tsx";
import { languageOf, setLanguage } from "../../ui/language.ts";
import { EmailText, Time } from "../../ui/text.tsx";
import { pathOfForm } from "../form/form.tsx";
import { home, signInPath } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf, oneOf, sent, someOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, PostForm, sectionPage, useSession } from "../frame/layout.tsx";
import { FormActions, KeySwitch, LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { accountText } from "./words.ts";

const words = accountText.sessions;

const Teams = () => {
  const { team, teams } = useSession();
  return (
    <Section title={words.teamHeading}>
      <ul class="rows">
        {teams.map(({ id, name }) => (
          <li key={id}>
            <span dir="auto">{name}</span>
            {id === team ? (
              <span class="badge">{words.current}</span>
            ) : (
              <ActionButton action="/console/team" label={frameText.toTeam(name)} name="team" value={id} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
};

const Roles = () => (
  <Section title={words.rolesHeading}>
    <ul class="rows">
      {useSession().workspaces.map(({ id, name, role }) => (
        <li key={id}>
          <span dir="auto">{name}</span>
          <span class="badge">{frameText.roles[role]}</span>
        </li>
      ))}
    </ul>
  </Section>
);

interface Mails {
  isOn: boolean;
  off: string[];
}

const MailChoice = ({ isOn, off }: Mails) => (
  <Section id="mails" title={frameText.mail.title} hint={isOn ? words.mailsHint : frameText.mail.off}>
    {isOn && (
      <PostForm action="/console/account/mails" class="stacked">
        <fieldset class="stacked">
          <legend>{words.mailsLegend}</legend>
          {optionalMails.map((kind) => (
            <Checkbox
              key={kind}
              name="mails"
              value={kind}
              label={words.optionalMails[kind]}
              checked={!off.includes(kind)}
            />
          ))}
          <FormActions submit={frameText.save} />
        </fieldset>
      </PostForm>
    )}
  </Section>
);

const mailForm = () =>
  formOf({
    mails: someOf({ label: words.mailsLegend, choices: optionalMails, labels: words.optionalMails }),
  });

/** The language of the console, each named in its own. Empty: the language of the browser. */
const languageForm = ({ session }: Pick<PageContext, "session">) =>
  formOf({
    language: oneOf(
      { "": words.languageOfBrowser, en: "English", de: "Deutsch" },
      { label: words.language, value: session.language ?? "" },
    ),
  });

const LanguageChoice = () => (
  <Section id="language" title={words.languageHeading}>
    <PostForm
      action="/console/account/language"
      form={languageForm({ session: useSession() })}
      class="inline"
    >
      <button type="submit">{frameText.save}</button>
    </PostForm>
  </Section>
);

const Sessions = ({ sessions }: { sessions: account.ListedSession[] }) => (
  <ul class="rows">
    {sessions.map(({ teamId, id, teamName, device, clientIp, createdAt, seenAt, isCurrent }) => (
      <li key={id}>
        <div>
          <span dir="auto">{device ?? words.unknownDevice}</span>
          <small dir="auto">
            {teamName} · {words.since} <Time at={createdAt} /> · {frameText.keyEnd.lastUsed}{" "}
            <Time at={seenAt} />
            {clientIp && ` · ${clientIp}`}
          </small>
        </div>
        {isCurrent ? (
          <span class="badge">{words.thisOne}</span>
        ) : (
          <ActionButton
            action="/console/account/session"
            label={words.end}
            class="quiet small"
            fields={{ team: teamId }}
            name="session"
            value={id}
            aria-label={words.endOf(device ?? words.unknownDevice)}
          />
        )}
      </li>
    ))}
  </ul>
);

/** Addresses that tell of submissions without a session: each is ended at its form. */
const Feeds = ({ feeds }: { feeds: OwnFeed[] }) => (
  <Section title={words.feedsHeading}>
    <ul class="rows">
      {feeds.map(({ id, name, feedMadeAt }) => (
        <li key={id}>
          <div>
            <a dir="auto" href={pathOfForm({ id }, "share")}>
              {name}
            </a>
            <small>
              {words.feedSince} <Time at={feedMadeAt} />
            </small>
          </div>
          <ActionButton
            action={`${pathOfForm({ id }, "share")}/feed/end`}
            label={words.end}
            class="quiet small"
            aria-label={words.endFeedOf(name)}
          />
        </li>
      ))}
    </ul>
  </Section>
);

interface Access {
  sessions: account.ListedSession[];
  feeds: OwnFeed[];
}

const Account = ({ sessions, feeds, mails }: Access & { mails: Mails }) => (
  <>
    <h1 dir="auto">
      <EmailText>{useSession().email}</EmailText>
    </h1>
    <Teams />
    <Roles />
    {useSession().connectionId === null && (
      <Section title={frameText.password.title}>
        <LinkLine class="button quiet" href="/console/account/password" label={frameText.password.link} />
      </Section>
    )}
    <LanguageChoice />
    <Section class="keys" title={frameText.keys.heading}>
      <KeySwitch />
    </Section>
    <MailChoice {...mails} />
    <Section title={frameText.passkeys.title}>
      <LinkLine class="button quiet" href="/console/account/passkeys" label={frameText.passkeys.title} />
    </Section>
    {feeds.length > 0 && <Feeds feeds={feeds} />}
    <Section title={words.endHeading}>
      <Sessions sessions={sessions} />
      <div class="actions">
        <ActionButton action="/console/sign-out" label={frameText.signOut} />
        <ActionButton action="/console/sign-out-everywhere" label={words.signOutEverywhere} class="danger" />
      </div>
      <p class="quiet">{words.endMessage}</p>
    </Section>
  </>
);

const sessionForm = formOf({ team: sent(Uuid), session: sent(Uuid) });
const teamForm = formOf({ team: sent(Uuid) });

/** Actor of a session's action on itself. SQL finds its operator. */
const actorIn = (request: Request) => actorOf(request, "anonymous", null);

const signOutBy = (end: typeof account.endSession) =>
  onPost({ act: "account.session_ended" }, async ({ deps, request, session, setCookie }) => {
    await end(deps.sql, actorIn(request), session);
    setCookie(sessionCookie(deps.config, ""));
    return signInPath;
  });

export const accountPages = {
  page: onGet(async ({ deps, session }) => {
    const sessions = await account.listSessions(deps.sql, session);
    const isOn = hasOutbox(deps);
    const mails = { isOn, off: isOn ? await account.readMailsOff(deps.sql, session.operator) : [] };
    const feeds = await listNewsFeeds(deps.sql, session);
    return sectionPage("account", <Account sessions={sessions} feeds={feeds} mails={mails} />);
  }),
  chooseMails: onPost({ act: "account.changed", form: mailForm }, async ({ deps, session, data }) => {
    const off = optionalMails.filter((kind) => !data.mails.includes(kind));
    await account.setMailsOff(deps.sql, session, off);
    return { to: "/console/account", text: frameText.saved };
  }),
  chooseLanguage: onPost(
    { act: "account.changed", form: languageForm },
    async ({ deps, request, session, data: { language } }) => {
      await account.setOwnLanguage(deps.sql, session, language || null);
      setLanguage(language || languageOf(request));
      return { to: "/console/account", text: frameText.saved };
    },
  ),
  endSession: onPost(
    { act: "account.session_ended", form: sessionForm },
    async ({ deps, request, session, data }) => {
      await account.endOtherSession(deps.sql, actorIn(request), session, data);
      return { to: "/console/account", text: words.ended };
    },
  ),
  switchTeam: onPost(
    { act: "account.team_changed", form: teamForm },
    async ({ deps, request, session, data, setCookie }) => {
      setCookie(await account.switchTeam(deps, actorIn(request), session, data.team));
      return home;
    },
  ),
  signOut: signOutBy(account.endSession),
  signOutEverywhere: signOutBy(account.endSessions),
} satisfies Handlers;
