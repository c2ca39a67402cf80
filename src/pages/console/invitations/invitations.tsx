/** The invitations of a form: who has sent, reminders, and links that are revoked. */

import { limits } from "../../../limits.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { remindQuery, remindRest } from "../../../resources/invitations/create.ts";
import { countRemindable, readInvitations, revokeQuery } from "../../../resources/invitations/read.ts";
import { InvitationListQuery } from "../../../resources/invitations/shapes.ts";
import { Input, Notice, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatCount, formatDay, Time } from "../../ui/text.tsx";
import {
  type FormView,
  findForm,
  formPage,
  hrefOfSubmission,
  nameOfForm,
  pathOfForm,
} from "../form/form.tsx";
import { isOnline } from "../form/form-state.tsx";
import type { Handlers } from "../frame/context.ts";
import { readValue } from "../frame/entered-value.tsx";
import { type FormControl, formOf, sent, Wrong } from "../frame/form.tsx";
import { type FormPost, filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { ItemList, ListFilter, TurnQuery } from "../frame/list-page.tsx";
import { Confirm, FormActions, Section } from "../frame/parts.tsx";
import { listForm } from "./list-form.tsx";
import { invitationsText } from "./words.ts";

const words = invitationsText;
const invitationsPerPage = 50;

type List = Awaited<ReturnType<typeof readInvitations>>;
type Invitation = List["items"][number];

interface InvitationsProps {
  form: FormView;
  isMailOn: boolean;
  hasKey: boolean;
  list: List;
  query: Record<string, string>;
}

const pathOf = (form: FormView) => pathOfForm(form, "invitations");

/** A person's name for labels of buttons. */
const nameOf = ({ label, email }: Invitation): string => label ?? email ?? words.list.noName;

const hasExpired = ({ expiresAt }: Invitation): boolean => new Date(expiresAt).getTime() <= Date.now();

const looks = { open: "pending", submitted: "active", revoked: "revoked" } as const;

const columnsOf = (form: FormView, mayRevoke: boolean): Column<Invitation>[] => [
  {
    head: words.list.person,
    isHeader: true,
    dir: "auto",
    cell: ({ label, email }) => (
      <>
        {label ?? email ?? words.list.noName}
        {label && email && <small>{email}</small>}
      </>
    ),
  },
  {
    head: words.list.state,
    cell: (invitation) => (
      <>
        <span class={`badge ${looks[invitation.state]}`}>{words.list.states[invitation.state]}</span>
        {invitation.state === "open" && (
          <small>
            {hasExpired(invitation) ? words.list.expired : words.list.expires}{" "}
            {formatDay(new Date(invitation.expiresAt))}
          </small>
        )}
      </>
    ),
  },
  {
    head: words.list.mail,
    cell: ({ lastMailedAt, bounced, unsubscribed }) => (
      <>
        {lastMailedAt ? <Time at={lastMailedAt} /> : words.list.neverMailed}
        {bounced && <small>{words.list.bounced}</small>}
        {unsubscribed && <small>{words.list.unsubscribed}</small>}
      </>
    ),
  },
  {
    head: words.list.act,
    isNamed: true,
    cell: (invitation) => {
      const { id, state, submissionId } = invitation;
      if (submissionId) return <a href={hrefOfSubmission(form, submissionId)}>{words.list.submission}</a>;
      if (state !== "open" || !mayRevoke) return null;
      return (
        <Confirm
          label={words.list.revoke}
          accessibleLabel={words.list.revokeOf(nameOf(invitation))}
          action={`${pathOf(form)}/revoke`}
          hint={words.list.revokeHint}
          confirm={words.list.revokeConfirm}
          fields={{ invitation: id }}
        />
      );
    },
  },
];

/** The people who may fill in the form, and where that is set. */
const Access = ({ form }: Pick<InvitationsProps, "form">) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const { page, invitations } = form.settingsInForce;
  return (
    <p class="quiet">
      {words.intro} {page?.access === "invited" ? words.closed : words.anyone}
      {invitations?.anonymous && ` ${words.anonymous}`}{" "}
      {maySet && <a href={`${pathOfForm(form, "settings")}#access-heading`}>{words.toSettings}</a>}
    </p>
  );
};

/** The form of a list, or the reason why there is none. */
const AddPeople = ({ form, hasKey, list }: InvitationsProps) => {
  const mayInvite = useMay("invitations.created", form.workspaceId);
  const action = `${pathOf(form)}/check`;
  const isRefused = useRefused(action) !== undefined;
  if (form.status === "archived") return <p>{words.archived}</p>;
  if (form.status === "draft") return <p>{words.draft}</p>;
  if (!mayInvite) return null;
  if (!hasKey) return <Notice kind="info">{words.noKey}</Notice>;
  return (
    <details class="panel" open={isRefused || list.counts === undefined}>
      <summary>{words.add.title}</summary>
      <PostForm action={action} form={listForm()} class="stacked" hasFile>
        <FormActions submit={words.add.check} />
      </PostForm>
    </details>
  );
};

const maxDays = 99;

/** Days since the last mail. */
const daysControl: FormControl<number> = {
  draw: (name) => <Input name={name} label={words.remind.days} value="3" inputmode="numeric" maxlength={2} />,
  read: (values, name) => {
    const days = readValue("integer", values.get(name) ?? "", words.remind.days);
    if (days instanceof Wrong) return days;
    return typeof days === "number" && days >= 1 && days <= maxDays
      ? days
      : new Wrong(words.remind.daysWrong(maxDays));
  },
};

const remindForm = () =>
  formOf({ days: daysControl, isConfirmed: { read: (values) => values.has("confirmed") } });

const Remind = ({ form, isMailOn, list: { counts } }: InvitationsProps) => {
  const mayRemind = useMay("invitations.reminded", form.workspaceId);
  const action = `${pathOf(form)}/remind`;
  const isRefused = useRefused(action) !== undefined;
  if (!mayRemind || !counts?.open || form.status === "archived") return null;
  if (!isMailOn) return <p class="quiet">{words.remind.noMail}</p>;
  return (
    <details class="panel" open={isRefused}>
      <summary>{words.remind.title}</summary>
      <PostForm action={action} form={remindForm()} class="stacked">
        <p class="quiet">{words.remind.hint(limits.invitation.maxMails - 1)}</p>
        <FormActions submit={words.remind.check} />
      </PostForm>
    </details>
  );
};

const Counts = ({ counts }: Pick<List, "counts">) => {
  if (!counts) return null;
  const { open, submitted, revoked } = counts;
  const [sentCount, openCount, all] = [submitted, open, submitted + open].map(formatCount);
  return (
    <p class="results">
      {words.list.counts(sentCount ?? "", openCount ?? "", all ?? "")}
      {revoked > 0 && ` · ${words.list.revokedCount(formatCount(revoked))}`}
    </p>
  );
};

const Listed = (props: InvitationsProps) => {
  const { form, list, query } = props;
  const mayRevoke = useMay("invitation.revoked", form.workspaceId);
  const path = pathOf(form);
  const isFiltered = query.q !== undefined || query.state !== undefined;
  const isEmpty = list.items.length === 0 && list.turns.previous === null && !isFiltered;
  if (isEmpty) return <p class="quiet">{words.list.none}</p>;
  return (
    <Section id="list" title={words.list.title}>
      <Counts counts={list.counts} />
      <Remind {...props} />
      <ListFilter action={path} query={query}>
        <Input
          name="q"
          type="search"
          label={words.list.search}
          required={false}
          maxlength={limits.invitation.maxLabelLength}
        />
        <Select
          name="state"
          label={words.list.state}
          none={words.list.everyState}
          choices={words.list.states}
        />
      </ListFilter>
      <ItemList {...list} path={path} query={query} none={<p>{words.list.noneFound}</p>}>
        <Table columns={columnsOf(form, mayRevoke)} rows={list.items} keyOf={({ id }) => id} />
      </ItemList>
    </Section>
  );
};

const Offline = ({ form }: Pick<InvitationsProps, "form">) =>
  form.status === "published" && !isOnline(form) ? (
    <Notice kind="info">
      {words.offline} <a href={pathOfForm(form, "share")}>{words.toShare}</a>
    </Notice>
  ) : null;

const Invitations = (props: InvitationsProps) => (
  <>
    <Access form={props.form} />
    <Offline form={props.form} />
    <AddPeople {...props} />
    <Listed {...props} />
  </>
);

const InvitationsQuery = TurnQuery.merge(InvitationListQuery.pick("state", "q"));

/** The operator, as SQL is told. */
export const invitingOperator = ({ deps: { sql }, session: { team }, actor }: PageContext) => ({
  team,
  actor: toSql(sql, actor),
});

const show = async (view: PageContext): Promise<ConsolePage> => {
  const form = await findForm(view);
  const query = filterQuery(view.query);
  const { cursor, back, ...filters } = parseQuery(query, InvitationsQuery);
  const turn = { path: pathOf(form), limit: invitationsPerPage, cursor, back };
  const list = await readInvitations(view.deps, invitingOperator(view), form.id, filters, turn);
  const isMailOn = hasOutbox(view.deps);
  const hasKey = view.deps.masterKey.isPresent;
  const content = <Invitations {...{ form, isMailOn, hasKey, query, list }} />;
  return formPage(form, "invitations", words.title, content);
};

/** The list again, on its first page. */
export const showInvitations = (post: FormPost) => show({ ...post, query: {} });

const askedPage = (form: FormView, days: number, count: number) =>
  formPage(
    form,
    "invitations",
    words.remind.title,
    <Section title={words.remind.title}>
      <p>{count > 0 ? words.remind.ask(count) : words.remind.none}</p>
      <PostForm action={`${pathOf(form)}/remind`} fields={{ days: String(days), confirmed: "true" }}>
        {count > 0 ? (
          <FormActions submit={words.remind.submit(count)} cancel={pathOf(form)} />
        ) : (
          <a href={pathOf(form)}>{words.links.done}</a>
        )}
      </PostForm>
    </Section>,
  );

export const invitationListPages = {
  list: onGet(show),
  revoke: onPost(
    { act: "invitation.revoked", load: findForm, form: formOf({ invitation: sent(Uuid) }) },
    async ({ deps, queries, found: form, data }) => {
      await queries.run((caller) => revokeQuery(deps, caller, form.id, data.invitation));
      return { to: pathOf(form), text: words.list.revoked };
    },
  ),
  remind: onPost(
    {
      act: ({ values }) => (values.has("confirmed") ? "invitations.reminded" : "invitations.counted"),
      nameOf: nameOfForm,
      load: findForm,
      form: remindForm,
      retry: showInvitations,
    },
    async (view) => {
      const { deps, queries, found: form } = view;
      const { days, isConfirmed } = view.data;
      const asked = { notRemindedFor: `P${days}D` };
      if (!isConfirmed)
        return askedPage(
          form,
          days,
          await countRemindable(deps, invitingOperator(view), form.id, asked.notRemindedFor),
        );
      const first = await queries.run((caller) => remindQuery(deps, caller, form.id, asked, null));
      const count = await remindRest(deps, first, () => queries, form.id, asked);
      return { to: pathOf(form), text: words.remind.done(count) };
    },
  ),
} satisfies Handlers;
