/** The mails of a form: recipients of notices and copies, and the state of each mail. */
import { type } from "arktype";
import { parseFields } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { readTurn } from "../../../platform/http/list.ts";
import type { Row } from "../../../platform/http/resource.ts";
import { parseQuery, uuidParam } from "../../../platform/http/shapes.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { CopySettings, NotifySettings } from "../../../resources/forms/settings.ts";
import { mailList, resendQuery } from "../../../resources/mails/mails.ts";
import { type FormMail, MailListQuery } from "../../../resources/mails/shapes.ts";
import { operatorsOfWorkspace, type WorkspaceMember } from "../../../resources/operators/operators.ts";
import { Notice, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, patchForm, pathOfForm, Seen } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { checkbox, formOf, sent, textInput } from "../frame/form.tsx";
import { type FormPost, filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { ItemList, ListFilter, TurnQuery } from "../frame/list-page.tsx";
import { FormActions, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import type { SettingsForm, SettingValues } from "./setting-controls.tsx";
import { choiceOf, parsedInput, shapesOf, shownSettings } from "./setting-controls.tsx";
import { formsText } from "./words.ts";

const words = formsText.mails;
const mailsPerPage = 20;
const shapes = { notify: shapesOf(NotifySettings), copy: shapesOf(CopySettings) };

type Entry = Row<typeof FormMail>;

interface MailsProps {
  form: FormView;
  isOn: boolean;
  people: WorkspaceMember[];
  list: Awaited<ReturnType<typeof readTurn<Entry>>>;
  query: Record<string, string>;
}

/** An entry that is an operator's address is stored as the operator. */
const recipientsIn = (entered: string, people: WorkspaceMember[]): string[] =>
  entered
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((entry) => people.find(({ email }) => email === entry.toLowerCase())?.id ?? entry);

const card = sent(type("'notify' | 'copy'"));

/** The questions for an e-mail address, by their ids. @param none label of no question */
function addressQuestions({ schema }: FormView, none: string, { isSensitiveToo = true } = {}) {
  const fields = parseFields(schema).filter(
    ({ kind, definition }) => kind === "email" && (isSensitiveToo || definition.sensitive !== true),
  );
  const names = fields.map(({ id, definition }) => [id, String(definition.label ?? id)]);
  return Object.fromEntries([["", none], ...names]);
}

function notifyForm(form: FormView, people: WorkspaceMember[]) {
  const labels = words.notify;
  const max = limits.mail.maxRecipients;
  const recipients = parsedInput(shapes.notify.recipients, (text) => recipientsIn(text, people), {
    ...{ label: labels.recipients, hint: labels.recipientsHint(max), rows: 4 },
    wrong: labels.recipientsWrong(max),
  });
  const when = choiceOf(labels.whens, { label: labels.when });
  const include = choiceOf(labels.includes, { label: words.include, hint: labels.includeHint });
  const replyTo = choiceOf(addressQuestions(form, labels.noReply, { isSensitiveToo: false }), {
    label: labels.replyTo,
    hint: labels.replyToHint,
  });
  return formOf<SettingValues>({ card, recipients, when, include, replyTo }, { scopedBy: "card" });
}

function copyForm(form: FormView) {
  const labels = words.copy;
  return formOf<SettingValues>(
    {
      card,
      field: choiceOf(addressQuestions(form, labels.none), { label: labels.field }),
      include: choiceOf(labels.includes, { label: words.include }),
      subject: textInput({ label: labels.subject, shape: shapes.copy.subject }),
      text: textInput({ label: labels.text, shape: shapes.copy.text, rows: 4 }),
      receipt: {
        ...checkbox({ label: labels.receipt, hint: labels.receiptHint }),
        read: (values, name) => values.has(name) || null,
      },
    },
    { scopedBy: "card" },
  );
}

type CardProps = MailsProps & { name: "notify" | "copy"; of: SettingsForm; shown: object | undefined };

const Card = ({ name, form, isOn, of, shown }: CardProps) => {
  const action = pathOfForm(form, "mails");
  const fields = { card: name };
  return (
    <Section class="panel" id={name} title={words[name].title} hint={words[name].hint}>
      {name === "copy" && form.settings.captcha?.enabled !== true && <p>{words.copy.noCaptcha}</p>}
      <fieldset disabled={!isOn}>
        <PostForm {...{ action, fields }} form={of} initial={shownSettings(of, shown)} class="stacked">
          <Seen form={form} refused={useRefused(action, fields)} />
          <FormActions submit={frameText.save} aria-label={`${frameText.save}: ${words[name].title}`} />
        </PostForm>
      </fieldset>
    </Section>
  );
};

const Cards = (props: MailsProps) => {
  const { form, people } = props;
  const { notify, copy } = form.settings;
  const emailOf = (entry: string) => people.find(({ id }) => id === entry)?.email ?? entry;
  const shown = { ...notify, recipients: notify?.recipients?.map(emailOf) };
  return (
    <>
      <Card {...props} name="notify" of={notifyForm(form, people)} shown={shown} />
      <Card {...props} name="copy" of={copyForm(form)} shown={copy} />
    </>
  );
};

const columnsOf = (form: FormView, mayResend: boolean): Column<Entry>[] => [
  {
    head: frameText.mail.title,
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
        <ActionButton
          action={`${pathOfForm(form, "mails")}/${id}/resend`}
          label={words.resend}
          class="quiet small"
        />
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
      {maySet && <Cards {...props} />}
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

/** Reads operators of the workspace. Their ids are stored: an operator who leaves gets no more mail. */
const peopleOf = ({ sql }: Deps, { teamId, workspaceId }: FormView) =>
  operatorsOfWorkspace(sql, teamId, workspaceId);

const sentForm = async ({ deps, values, found: form }: FormPost<unknown, FormView>): Promise<SettingsForm> =>
  values.get("card") === "copy" ? copyForm(form) : notifyForm(form, await peopleOf(deps, form));

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
  const content = <Mails {...{ form, isOn, list, query, people: await peopleOf(view.deps, form) }} />;
  return formPage(form, "mails", frameText.mail.title, content);
};

export const mailsPages = {
  page: onGet(page),
  save: onPost(
    { act: "form.settings_changed", load: findForm, form: sentForm, retry: page },
    async (view) => {
      const { found: form } = view;
      const { card, ...set } = view.data;
      // Null removes an empty setting.
      const settings = { [String(card)]: (set.recipients ?? set.field) ? set : null };
      await patchForm(view, form, { op: "setMeta", settings });
      return { to: pathOfForm(form, "mails"), text: frameText.saved };
    },
  ),
  resend: onPost({ act: "mail.resent", load: findForm }, async (view) => {
    const { found: form } = view;
    const id = uuidParam(view.params as { mail_id: string }, "mail_id");
    await view.queries.run((caller) => resendQuery(view.deps, caller, form.id, id));
    return { to: pathOfForm(form, "mails"), text: words.resent };
  }),
} satisfies Handlers;
