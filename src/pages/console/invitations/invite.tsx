/** Inviting people to a form: the page that checks the list, and the links. */
import { type } from "arktype";
import { parseFields } from "../../../fields/definition.ts";
import { valueText } from "../../../fields/entered.ts";
import { languagesIn } from "../../../fields/translations.ts";
import { limits } from "../../../limits.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { fileHeadersOf } from "../../../resources/forms/file.ts";
import { createInvitations, parseSources, sourcesQuery } from "../../../resources/invitations/create.ts";
import { invitationLetter } from "../../../resources/invitations/mails.ts";
import { invitedAlready } from "../../../resources/invitations/read.ts";
import { InvitationsRequest } from "../../../resources/invitations/shapes.ts";
import { csvCell, csvLine } from "../../../resources/submissions/csv.ts";
import type { UnreadCsv } from "../../../resources/submissions/csv-table.ts";
import { Notice, Submit } from "../../ui/controls.tsx";
import { language, languageName, listSeparators, timeZoneOfValues } from "../../ui/language.ts";
import { Table } from "../../ui/table.tsx";
import { formatCount, Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, nameOfForm, pathOfForm } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { type FormControl, FormProblem, formOf, Wrong } from "../frame/form.tsx";
import { type FormPost, onPost } from "../frame/handler.ts";
import { Facts, HiddenFields, PostForm, requireMay } from "../frame/layout.tsx";
import { FormActions, LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { invitingOperator, showInvitations } from "./invitations.tsx";
import { listForm, listPost } from "./list-form.tsx";
import { type Invited, maxRows, type ReadList, readList } from "./rows.ts";
import { invitationsText } from "./words.ts";

const words = invitationsText;

/** Bytes of a post with a list that was checked: each sign can take three. */
const maxPostBytes = 6_291_456;

/** People, rows that are left out, and links that a page shows, and languages of the mail. */
const maxShown = 5;
const maxWrong = 100;
const maxLinks = 100;
const maxLanguages = 3;

const pathOf = (form: FormView) => pathOfForm(form, "invitations");

function unreadSentence(unread: UnreadCsv): string {
  const { quotes, rows, ...others } = words.add.unread;
  if (unread.kind === "quotes") return quotes(unread.row);
  return unread.kind === "rows" ? rows(formatCount(maxRows)) : others[unread.kind];
}

/** A value of a post as JSON. @param allows of its parts of at most 500 */
const jsonControl = <Item,>(allows: (items: unknown[]) => boolean): FormControl<Item[]> => ({
  read: (values, name) => {
    const items = parsed(values.get(name) ?? "");
    if (!Array.isArray(items) || items.length === 0 || items.length > maxRows)
      return new Wrong(words.check.unreadable);
    const { maxPerRequest } = limits.invitation;
    for (let at = 0; at < items.length; at += maxPerRequest)
      if (!allows(items.slice(at, at + maxPerRequest))) return new Wrong(words.check.unreadable);
    return items;
  },
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const checkedForm = () =>
  formOf<{ list: Invited[]; isSent: boolean }>({
    list: jsonControl((invitations) => InvitationsRequest.allows({ invitations })),
    isSent: { read: (values) => values.has("send") },
  });

type Link = [label: string, email: string, link: string];
const Links = type(["string", "string", "string"]).array();

const linksForm = formOf<{ links: Link[] }>({ links: jsonControl((links) => Links.allows(links)) });

/** The values that the link of a person begins with, as people read them. */
function valuesText(form: FormView, values: Invited["values"] = {}): string {
  const fields = parseFields(form.publishedSchema ?? form.schema);
  const shown = Object.entries(values).map(([id, value]) => {
    const field = fields.find((each) => each.id === id);
    return field
      ? valueText(field, value, { ...formText.fieldInput, timeZone: timeZoneOfValues() })
      : String(value);
  });
  return shown.join(" · ") || "–";
}

const People = ({ form, people }: { form: FormView; people: readonly Invited[] }) => (
  <Table
    rows={people}
    keyOf={({ email, label }) => `${email} ${label}`}
    columns={[
      {
        head: words.list.person,
        isHeader: true,
        dir: "auto",
        cell: ({ label, email }) => (
          <>
            <bdi>{label ?? email}</bdi>
            {label && email && <small>{email}</small>}
          </>
        ),
      },
      ...(people.some(({ values }) => values)
        ? [
            {
              head: words.check.begins,
              dir: "auto" as const,
              cell: ({ values }: Invited) => valuesText(form, values),
            },
          ]
        : []),
      {
        head: words.check.until,
        cell: ({ expiresAt }) =>
          expiresAt ? <Time at={expiresAt} exact /> : words.check.days(limits.invitation.defaultDays),
      },
    ]}
  />
);

const Letter = ({ view, form, lang, isOnly }: LetterProps) => {
  const { subject, parts, footer } = invitationLetter(view.deps, {
    ...{ form: form.name, settings: form.settings, lang, mails: 1, link: "", unsubscribe: "" },
    expiresAt: new Date(Date.now() + defaultMs),
  });
  return (
    <Section title={isOnly ? words.check.mail : words.check.mailIn(languageName(lang))}>
      <Facts items={[[words.check.subject, <span lang={lang}>{subject}</span>]]} />
      <div class="panel stacked" lang={lang} dir="auto">
        {[...parts, ...footer].map((part) =>
          "paragraph" in part ? (
            <p>{part.paragraph}</p>
          ) : "link" in part ? (
            <p>
              <u>{part.label}</u>
            </p>
          ) : null,
        )}
      </div>
    </Section>
  );
};

interface LetterProps {
  view: FormPost;
  form: FormView;
  lang: string;
  isOnly: boolean;
}

const defaultMs = limits.invitation.defaultDays * 86_400_000;

interface CheckProps {
  view: FormPost;
  form: FormView;
  read: ReadList;
  /** People of the list who have an open invitation. */
  known: number;
}

const Wrongs = ({ wrong }: Pick<ReadList, "wrong">) =>
  wrong.length === 0 ? null : (
    <div>
      <p>{words.check.left(wrong.length)}</p>
      <ul>
        {wrong.slice(0, maxWrong).map(({ row, sentence }) => (
          <li key={row} dir="auto">
            {words.wrong.inRow(row, sentence)}
          </li>
        ))}
        {wrong.length > maxWrong && <li>{words.wrong.more(formatCount(wrong.length - maxWrong))}</li>}
      </ul>
    </div>
  );

const countUnaddressed = (invited: readonly Invited[]) =>
  invited.filter(({ email }) => email === undefined).length;

/** The buttons that make the invitations. Without an address, or a mail server, there are links alone. */
const Actions = ({ view, form, read: { invited } }: CheckProps) => {
  const count = invited.length;
  const unaddressed = countUnaddressed(invited);
  const isMailOn = hasOutbox(view.deps);
  const isSent = isMailOn && unaddressed === 0;
  return (
    <PostForm action={pathOf(form)} class="stacked">
      <HiddenFields fields={{ list: JSON.stringify(invited) }} />
      {!isMailOn && <p>{words.check.noMail}</p>}
      {isMailOn && unaddressed > 0 && <p>{words.check.noAddress(unaddressed)}</p>}
      <div class="actions">
        {isSent && <Submit name="send" value="true" label={words.check.send(count)} />}
        <Submit
          class={isSent ? "quiet" : undefined}
          label={isSent ? words.check.linksInstead : words.check.makeLinks(count)}
        />
        <a href={pathOf(form)}>{frameText.cancel}</a>
      </div>
    </PostForm>
  );
};

const Check = (props: CheckProps) => {
  const { view, form, read, known } = props;
  const { invited, wrong, unused } = read;
  const languages = [
    ...new Set(
      invited.map(
        (each) =>
          each.language ?? languagesIn(form.publishedSchema ?? {})[0] ?? form.settings.page?.language ?? "en",
      ),
    ),
  ].slice(0, maxLanguages);
  return (
    <>
      <Section title={words.check.title}>
        <Notice kind={invited.length > 0 ? "success" : "error"}>
          {invited.length > 0 ? words.check.ready(invited.length) : words.check.none}
        </Notice>
        {known > 0 && <p>{words.check.known(known)}</p>}
        <Wrongs wrong={wrong} />
        {unused.length > 0 && <p dir="auto">{words.check.unused(unused.join(", "))}</p>}
        {invited.length > 0 && (
          <>
            {invited.length > maxShown && <p class="quiet">{words.check.first(maxShown)}</p>}
            <People form={form} people={invited.slice(0, maxShown)} />
          </>
        )}
      </Section>
      {hasOutbox(view.deps) &&
        countUnaddressed(invited) === 0 &&
        languages.map((lang) => (
          <Letter key={lang} {...{ view, form, lang }} isOnly={languages.length === 1} />
        ))}
      {invited.length > 0 && <Actions {...props} />}
      <details class="panel" open={invited.length === 0}>
        <summary>{words.check.again}</summary>
        <PostForm
          action={`${pathOf(form)}/check`}
          form={listForm()}
          initial={new URLSearchParams({ people: view.values.get("people") ?? "" })}
          class="stacked"
          hasFile
        >
          <FormActions submit={words.add.check} />
        </PostForm>
      </details>
    </>
  );
};

const LinksPage = ({ form, links }: { form: FormView; links: Link[] }) => (
  <Section title={words.links.title}>
    <p>{words.links.once}</p>
    <PostForm action={`${pathOf(form)}/links`} fields={{ links: JSON.stringify(links) }} class="actions">
      <Submit label={words.links.download} />
    </PostForm>
    {links.length > maxLinks && <p class="quiet">{words.links.shown(formatCount(maxLinks))}</p>}
    <Table
      rows={links.slice(0, maxLinks)}
      keyOf={([, , link]) => link}
      columns={[
        {
          head: words.list.person,
          isHeader: true,
          dir: "auto",
          cell: ([label, email]) => <bdi>{label || email}</bdi>,
        },
        { head: words.links.columns.link, cell: ([, , link]) => <code>{link}</code> },
      ]}
    />
    <LinkLine class="button quiet" href={pathOf(form)} label={words.links.done} />
  </Section>
);

/** The links as a file for the spreadsheet of the reader. */
function fileOf(form: FormView, links: readonly Link[]): Response {
  const { label, email, link } = words.links.columns;
  const lines = [[label, email, link], ...links].map((cells) =>
    csvLine(
      cells.map((cell) => csvCell(cell, ".")),
      listSeparators[language()],
    ),
  );
  const headers = {
    ...fileHeadersOf(`${form.name} ${words.links.file}`, ["text/csv; charset=utf-8; header=present", ".csv"]),
    "cache-control": "no-store",
  };
  return new Response(`\ufeff${lines.join("")}`, { headers });
}

export const invitePages = {
  check: onPost(
    { act: "invitations.counted", load: findForm, form: listForm, retry: showInvitations, ...listPost },
    async (view) => {
      const { found: form, data, deps, session } = view;
      requireMay(session, "invitations.created", form.workspaceId);
      const name = data.file ? "file" : "people";
      const read = readList(data.file ?? data.people ?? new Uint8Array(), form);
      if ("kind" in read) throw new FormProblem({ [name]: unreadSentence(read) });
      const known = await invitedAlready(deps, invitingOperator(view), form.id, read.invited);
      const invited = read.invited.filter((each) => !known.has(each));
      const content = <Check {...{ view, form }} read={{ ...read, invited }} known={known.size} />;
      return formPage(form, "invitations", words.check.title, content);
    },
  ),
  create: onPost(
    {
      act: "invitations.created",
      nameOf: nameOfForm,
      load: findForm,
      form: checkedForm,
      retry: showInvitations,
      maxBytes: maxPostBytes,
    },
    async (view) => {
      const { deps, queries, found: form } = view;
      const { list, isSent } = view.data;
      const known = await invitedAlready(deps, invitingOperator(view), form.id, list);
      const invitations = list.filter((each) => !known.has(each));
      if (invitations.length === 0) return { to: pathOf(form), text: words.check.known(known.size) };
      const sources = parseSources(await queries.run((caller) => sourcesQuery(deps, caller, form.id)));
      const order = { invitations, send: isSent };
      const made = await createInvitations(deps, queries, { ...sources, formId: form.id }, order);
      if (isSent) return { to: pathOf(form), text: words.check.sent(made.length) };
      const links = made.map(({ label, email, link }): Link => [label ?? "", email ?? "", link]);
      return formPage(form, "invitations", words.links.title, <LinksPage form={form} links={links} />);
    },
  ),
  links: onPost(
    { act: "invitations.counted", load: findForm, form: linksForm, maxBytes: maxPostBytes },
    async ({ found: form, session, data: { links } }) => {
      requireMay(session, "invitations.created", form.workspaceId);
      return fileOf(form, links);
    },
  ),
} satisfies Handlers;
