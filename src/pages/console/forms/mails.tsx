/** The mails of a form: who gets notices, who gets a copy, and what became of each mail. */
import type { ComponentChildren } from "preact";
import { parseFields } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { readRows } from "../../../platform/http/list.ts";
import { parseQuery, uuidParam } from "../../../platform/http/shapes.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { mailList, resendQuery } from "../../../resources/mails/mails.ts";
import { type FormMail, MailListQuery } from "../../../resources/mails/shapes.ts";
import { operatorsOfWorkspace, type WorkspaceMember } from "../../../resources/operators/operators.ts";
import { Checkbox, Input, Notice, Select, TextArea } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, patchForm, pathOfForm, Seen } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet, onPost, type View } from "../frame/handler.ts";
import { Act, PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { ItemList, type Listed, ListFilter } from "../frame/list-page.tsx";
import { FormActions } from "../frame/new-page.tsx";
import { Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.mails;
const mailsPerPage = 20;

type Entry = Omit<typeof FormMail.infer, "createdAt" | "dueAt" | "sentAt"> &
  Record<"createdAt" | "dueAt" | "sentAt", Date | string | null>;

interface MailsProps {
  form: FormView;
  isOn: boolean;
  people: WorkspaceMember[];
  list: Listed<Entry>;
  query: Record<string, string>;
}

const Card = ({
  name,
  form,
  isOn,
  children,
}: MailsProps & { name: "notify" | "copy"; children: ComponentChildren }) => {
  const any = useRefused();
  const refused = any?.values.get("card") === name ? any : undefined;
  return (
    <Section class="panel" id={name} title={words[name].title} hint={words[name].hint}>
      <PostForm action={pathOfForm(form, "mails")} class="stacked">
        <Seen form={form} refused={refused} />
        <input type="hidden" name="card" value={name} />
        <fieldset class="stacked" disabled={!isOn}>
          {children}
          <FormActions
            submit={frameText.mail.save}
            aria-label={`${frameText.mail.save}: ${words[name].title}`}
          />
        </fieldset>
      </PostForm>
    </Section>
  );
};

const NotifyCard = (props: MailsProps) => {
  const { form, people } = props;
  const { recipients = [], when = "each", include = "link" } = form.settings.notify ?? {};
  const emailOf = (entry: string) => people.find(({ id }) => id === entry)?.email ?? entry;
  return (
    <Card {...props} name="notify">
      <TextArea
        name="recipients"
        label={words.notify.recipients}
        hint={words.notify.recipientsHint(limits.mail.maxRecipients)}
        value={recipients.map(emailOf).join("\n")}
      />
      <Select name="when" label={words.notify.when} value={when} choices={words.notify.whens} />
      <Select
        name="include"
        label={words.notify.include}
        hint={words.notify.includeHint}
        value={include}
        choices={words.notify.includes}
      />
    </Card>
  );
};

const CopyCard = (props: MailsProps) => {
  const { form } = props;
  const {
    field = "",
    include = "confirmation",
    subject = "",
    text: body = "",
    receipt,
  } = form.settings.copy ?? {};
  const fields = parseFields(form.schema).filter(({ kind }) => kind === "email");
  return (
    <Card {...props} name="copy">
      {form.settings.captcha?.enabled !== true && <p>{words.copy.noCaptcha}</p>}
      <Select
        name="field"
        label={words.copy.field}
        value={field}
        none={words.copy.none}
        choices={fields.map(({ id, definition }) => ({ value: id, label: String(definition.label ?? id) }))}
      />
      <Select
        name="include"
        scope="copy-"
        label={words.copy.include}
        value={include}
        choices={words.copy.includes}
      />
      <Input name="subject" label={words.copy.subject} value={subject} />
      <TextArea name="text" label={words.copy.text} value={body} />
      <Checkbox name="receipt" label={words.copy.receipt} hint={words.copy.receiptHint} checked={receipt} />
    </Card>
  );
};

const columnsOf = (form: FormView, mayResend: boolean): Column<Entry>[] => [
  {
    head: words.mail,
    isHeader: true,
    cell: ({ kind, submissionId, submissions, createdAt }) => (
      <>
        {submissionId ? (
          <a href={`${pathOfForm(form, "submissions")}/${submissionId}`}>{words.kinds[kind]}</a>
        ) : (
          words.digest(submissions)
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
    cell: ({ id, state }) =>
      mayResend && state !== "due" ? (
        <Act action={`${pathOfForm(form, "mails")}/${id}/resend`} label={words.resend} class="quiet small" />
      ) : null,
  },
];

const Mails = (props: MailsProps) => {
  const { form, isOn, list, query } = props;
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const path = pathOfForm(form, "mails");
  return (
    <>
      {!isOn && <Notice kind="info">{frameText.mail.off}</Notice>}
      {maySet && <NotifyCard {...props} />}
      {maySet && <CopyCard {...props} />}
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

/** An entry that is an operator's address is stored as the operator. */
const recipientsOf = (entered: string, people: WorkspaceMember[]): string[] =>
  entered
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((entry) => people.find(({ email }) => email === entry.toLowerCase())?.id ?? entry);

/** The settings of a card as a merge patch; null removes what is empty. */
function patchOf(values: URLSearchParams, people: WorkspaceMember[]): object {
  const value = (name: string) => values.get(name)?.trim() || null;
  if (values.get("card") === "copy")
    return {
      copy: value("field") && {
        field: value("field"),
        include: value("include"),
        subject: value("subject"),
        text: value("text"),
        receipt: values.has("receipt") || null,
      },
    };
  const recipients = recipientsOf(values.get("recipients") ?? "", people);
  return {
    notify: recipients.length > 0 ? { recipients, when: value("when"), include: value("include") } : null,
  };
}

/** Operators of the workspace: their ids are stored, so that who leaves gets nothing more. */
const peopleOf = ({ sql }: Deps, { teamId, workspaceId }: FormView) =>
  operatorsOfWorkspace(sql, teamId, workspaceId);

const page = async (view: View) => {
  const form = await findForm(view);
  const query = filterQuery(view.query);
  const { page, state = null } = parseQuery(query, MailListQuery);
  const list = await readRows<Entry>(
    view.deps.sql,
    mailList(view.deps, view.session, form.id, { state, page, limit: mailsPerPage }),
  );
  const isOn = hasOutbox(view.deps);
  const content = <Mails {...{ form, isOn, list, query, people: await peopleOf(view.deps, form) }} />;
  return formPage(form, "mails", frameText.mail.title, content);
};

export const mailsPages = {
  page: onGet(page),
  save: onPost({ retry: page }, async (view) => {
    const form = await findForm(view);
    const settings = patchOf(view.values, await peopleOf(view.deps, form));
    await patchForm(view, form, { op: "setMeta", settings });
    return { to: pathOfForm(form, "mails"), text: frameText.saved };
  }),
  resend: onPost({}, async (view) => {
    const form = await findForm(view);
    const id = uuidParam(view.params as { mail_id: string }, "mail_id");
    await view.queries.run((caller) => resendQuery(view.deps, caller, form.id, id));
    return { to: pathOfForm(form, "mails"), text: words.resent };
  }),
} satisfies Handlers;
