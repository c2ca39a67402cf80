/** The mails that a form has sent, or tries to send. */
import { limits } from "../../../limits.ts";
import { readTurn } from "../../../platform/http/list.ts";
import type { Row } from "../../../platform/http/resource.ts";
import { parseQuery, uuidParam } from "../../../platform/http/shapes.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { mailList, resendQuery } from "../../../resources/mails/mails.ts";
import { type FormMail, MailListQuery } from "../../../resources/mails/shapes.ts";
import { Notice, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, useMay } from "../frame/layout.tsx";
import { ItemList, ListFilter, TurnQuery } from "../frame/list-page.tsx";
import { LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.mails;
const mailsPerPage = 20;

type Entry = Row<typeof FormMail>;

interface MailsProps {
  form: FormView;
  isOn: boolean;
  list: Awaited<ReturnType<typeof readTurn<Entry>>>;
  query: Record<string, string>;
}

const columnsOf = (form: FormView, mayResend: boolean): Column<Entry>[] => [
  {
    head: frameText.mail.title,
    isHeader: true,
    cell: ({ kind, submissionId, submissions, createdAt }) => (
      <>
        {submissionId ? (
          <a href={`${pathOfForm(form, "submissions")}/${submissionId}`}>{words.kinds[kind]}</a>
        ) : kind === "digest" ? (
          words.digest(submissions)
        ) : (
          words.kinds[kind]
        )}
        <small>{createdAt && <Time at={createdAt} />}</small>
      </>
    ),
  },
  { head: words.state, cell: ({ state }) => <span class={`badge ${state}`}>{words.states[state]}</span> },
  {
    head: words.reason,
    cell: ({ lastError, dueAt, sentAt, attempts }) => (
      <>
        {lastError}
        {(dueAt ?? sentAt) && (
          <small>
            {dueAt ? (attempts ? words.again : words.planned) : words.sent}{" "}
            <Time at={dueAt ?? sentAt ?? ""} />
          </small>
        )}
      </>
    ),
  },
  {
    head: words.act,
    cell: ({ id, kind, state }) =>
      mayResend && state !== "due" && (kind !== "invitation" || state === "failed") ? (
        <ActionButton
          action={`${pathOfForm(form, "mails")}/${id}/resend`}
          label={words.resend}
          class="quiet small"
        />
      ) : null,
  },
];

const Mails = ({ form, isOn, list, query }: MailsProps) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const path = pathOfForm(form, "mails");
  return (
    <>
      {!isOn && (
        <Notice kind="info">
          {frameText.mail.off} <a href={`${pathOfForm(form, "share")}#feed-heading`}>{words.feed}</a>
        </Notice>
      )}
      {maySet && <LinkLine href={`${pathOfForm(form, "settings")}#mail-heading`} label={words.set} />}
      <Section id="mails" title={words.list} hint={words.listHint(limits.mail.lifetimeDays)}>
        <ListFilter action={path} query={query} submit={frameText.show}>
          <Select name="state" label={words.state} none={words.everyState} choices={words.states} />
        </ListFilter>
        <ItemList {...list} path={path} query={query} none={words.none}>
          <Table columns={columnsOf(form, maySet && isOn)} rows={list.items} keyOf={({ id }) => id} />
        </ItemList>
      </Section>
    </>
  );
};

const MailsQuery = TurnQuery.merge(MailListQuery.pick("state"));

const page = async (view: PageContext) => {
  const form = await findForm(view);
  const query = filterQuery(view.query);
  const { cursor, back, ...filters } = parseQuery(query, MailsQuery);
  const page = { page: 1, limit: mailsPerPage };
  const { rows } = mailList(view.deps, view.session, form.id, { ...page, ...filters });
  const of = { team: form.teamId, path: pathOfForm(form, "mails"), filters, rows, limit: page.limit };
  const list = await readTurn<Entry>(view.deps, of, { cursor, back });
  const isOn = hasOutbox(view.deps);
  const content = <Mails {...{ form, isOn, list, query }} />;
  return formPage(form, "mails", frameText.mail.title, content);
};

export const mailsPages = {
  page: onGet(page),
  resend: onPost({ act: "mail.resent", load: findForm }, async (view) => {
    const { found: form } = view;
    const id = uuidParam(view.params as { mail_id: string }, "mail_id");
    await view.queries.run((caller) => resendQuery(view.deps, caller, form.id, id));
    return { to: pathOfForm(form, "mails"), text: words.resent };
  }),
} satisfies Handlers;
