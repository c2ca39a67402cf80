/** The texts of a form beside their translations in one language. Saving them is one patch. */
import { directionOf } from "../../../fields/languages.ts";
import { limits } from "../../../limits.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { applyPlan } from "../../../resources/forms/file-apply.ts";
import { type FormText, textsOfForm } from "../../../resources/forms/form-texts.ts";
import { planOfTranslations } from "../../../resources/forms/language-operations.ts";
import { translateStyleAsset } from "../../ui/assets.ts";
import { Input, Select, Submit, TextArea } from "../../ui/controls.tsx";
import { languageName } from "../../ui/language.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { formatCount } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import {
  type ConsolePage,
  HiddenFields,
  PostForm,
  requireMay,
  useMay,
  useRefused,
} from "../frame/layout.tsx";
import { Empty, ItemList, ListFilter, ListQuery } from "../frame/list-page.tsx";
import { Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { CsvSection } from "./csv-section.tsx";
import { changesIn, pageSize, placeLabel, postedRows, seenOf, type TextRow, textRow } from "./rows.ts";
import { translationsText as words } from "./words.ts";

const TranslateQuery = ListQuery.and({ "to?": "string", "filter?": "string" });

const pathOf = (form: FormView): string => pathOfForm(form, "translate");

/** Texts of a page, each in percent-encoding with three bytes per byte. */
const maxPostBytes = 3 * (limits.form.maxSchemaBytes + limits.form.maxSettingsBytes);

const isSet = ({ text }: FormText): boolean => text !== "";
const isMissing = (language: string) => (text: FormText) => isSet(text) && text.in(language) === undefined;

/** The texts that a page shows, of those of a form. */
const listed = (texts: readonly FormText[], { to, filter }: { to: string; filter: string }) =>
  filter === "missing" ? texts.filter(isMissing(to)) : texts;

interface Shown {
  form: FormView;
  /** The language, and the filter. */
  to: string;
  filter: string;
  page: number;
  /** Absent: of the page. */
  rows?: TextRow[];
}

const languageColumn = (tag: string) => ({
  head: languageName(tag),
  marked: { lang: tag, dir: directionOf(tag) },
});

/** Characters of a text that has several lines. */
const longLength = 70;
const isLong = (text: string): boolean => text.length > longLength || text.includes("\n");
/** Lines of a text in a box, which is about half as wide as a long one. */
const linesOf = (text: string): number =>
  text.split("\n").reduce((lines, each) => lines + 1 + Math.floor((2 * each.length) / longLength), 0);

/** The control of a row. Its label names the language and the place, for people who do not see the table. */
const Translation = ({ row, index, tag }: { row: TextRow; index: number; tag: string }) => {
  const { head, marked } = languageColumn(tag);
  const { text, stored, entered, isConflict, error } = row;
  const texts = [text?.text ?? "", stored, entered];
  const label = words.control(head, text ? placeLabel(text) : words.removedText);
  const control = { ...marked, name: `${index}.text`, label, value: entered, error };
  return (
    <>
      <HiddenFields
        fields={{ [`${index}.place`]: row.place, [`${index}.seen`]: seenOf(text?.text ?? "", stored) }}
      />
      {texts.some(isLong) ? (
        <TextArea {...control} rows={Math.min(8, Math.max(...texts.map(linesOf)))} />
      ) : (
        <Input {...control} />
      )}
      {isConflict && (
        <p>
          {words.theirs} {stored === "" ? words.removed : <q {...marked}>{stored}</q>}
        </p>
      )}
    </>
  );
};

const Rows = ({ form, to, rows, canEdit }: Shown & { rows: TextRow[]; canEdit: boolean }) => {
  const [first = ""] = form.settings.languages ?? [];
  const [original, translated] = [languageColumn(first), languageColumn(to)];
  const columns: Column<TextRow>[] = [
    {
      head: words.place,
      isHeader: true,
      cell: ({ text }) => <bdi>{text ? placeLabel(text) : words.removedText}</bdi>,
    },
    {
      ...{ head: original.head, isNamed: true },
      cell: ({ text }) =>
        text?.text === "" ? <p class="quiet">{words.unset}</p> : <p {...original.marked}>{text?.text}</p>,
    },
    {
      head: translated.head,
      isNamed: true,
      cell: (row) =>
        canEdit ? (
          <Translation row={row} index={rows.indexOf(row)} tag={to} />
        ) : (
          <p {...translated.marked}>{row.stored}</p>
        ),
    },
  ];
  return <Table columns={columns} rows={rows} keyOf={({ place }) => place} />;
};

const Texts = (shown: Shown) => {
  const { form, to, filter } = shown;
  const refused = useRefused(pathOf(form));
  const mayEdit = useMay("form.patched", form.workspaceId);
  const canEdit = mayEdit && (form.status !== "archived" || refused !== undefined);
  const texts = textsOfForm(form);
  const of = listed(texts, shown);
  // Behind the last page is the last one: there are fewer pages once texts are translated.
  const page = Math.min(shown.page, Math.max(1, Math.ceil(of.length / pageSize)));
  const query = { to, ...(filter && { filter }) };
  const rows =
    shown.rows ?? of.slice((page - 1) * pageSize, page * pageSize).map((text) => textRow(text, to));
  const [total, missing] = [isSet, isMissing(to)].map((each) => texts.filter(each).length) as [
    number,
    number,
  ];
  const hasNext = page * pageSize < of.length;
  return (
    <>
      <ListFilter action={pathOf(form)}>
        <Select
          name="to"
          label={words.language}
          value={to}
          choices={(form.settings.languages ?? [])
            .slice(1)
            .map((tag) => ({ value: tag, label: languageName(tag) }))}
        />
        <Select
          name="filter"
          label={words.shown}
          value={filter}
          choices={[
            { value: "", label: words.filters.all },
            { value: "missing", label: words.filters.missing },
          ]}
        />
      </ListFilter>
      <p>{words.share(formatCount(total - missing), formatCount(total))}</p>
      <ItemList
        items={rows}
        {...(!shown.rows && { pagination: { page, limit: pageSize, total: of.length } })}
        {...{ path: pathOf(form), query, none: texts.length === 0 ? words.noText : words.noneMissing }}
      >
        {canEdit ? (
          <PostForm action={pathOf(form)} fields={{ to, filter }} class="translations">
            <Rows {...shown} rows={rows} canEdit />
            <div class="actions">
              <Submit label={frameText.save} data-busy={frameText.saving} />
              {(hasNext || shown.rows) && (
                <Submit class="quiet" name="next" value="true" label={words.saveNext} />
              )}
            </div>
          </PostForm>
        ) : (
          <div class="translations read">
            <Rows {...shown} rows={rows} canEdit={false} />
          </div>
        )}
      </ItemList>
      <CsvSection path={pathOf(form)} to={to} canEdit={canEdit} />
    </>
  );
};

const translatePage = (shown: Shown): ConsolePage => {
  const { form } = shown;
  const hasOthers = (form.settings.languages ?? []).length > 1 || shown.rows !== undefined;
  const action = { href: pathOfForm(form, "languages"), label: words.toLanguages };
  return formPage(
    form,
    "translate",
    words.title,
    <>
      <link rel="stylesheet" href={translateStyleAsset.path} />
      <Section title={words.title} hint={hasOthers ? words.hint : undefined}>
        {hasOthers ? <Texts {...shown} /> : <Empty message={words.oneLanguage} action={action} />}
      </Section>
    </>,
  );
};

/** The page that a query asks for. An unknown language is the first of the other ones. */
export async function showTexts(view: PageContext): Promise<ConsolePage> {
  const form = await findForm(view);
  const { to, filter = "", page } = parseQuery(view.query, TranslateQuery);
  const [, ...others] = form.settings.languages ?? [];
  return translatePage({ form, filter, page, to: others.find((tag) => tag === to) ?? others[0] ?? "" });
}

interface SavedTexts {
  rows: TextRow[];
  to: string;
  filter: string;
}

/** The rows as they were entered, beside what the form has now. */
async function retry(post: FormPost): Promise<ConsolePage> {
  const { values } = post;
  const form = await findForm(post);
  const [to, filter] = [values.get("to") ?? "", values.get("filter") ?? ""];
  const rows = postedRows(form, to, values);
  for (const [index, { entered }] of rows.entries()) values.set(`${index}.text`, entered);
  return translatePage({ form, to, filter, page: 1, rows });
}

/** @throws {Problem} `not_found`, `insufficient_workspace_role` */
export async function loadForTranslation(view: PageContext): Promise<FormView> {
  const form = await findForm(view);
  requireMay(view.session, "form.patched", form.workspaceId);
  return form;
}

function textsForm({ found: form, values }: FormPost<unknown, FormView>) {
  const to = values.get("to") ?? "";
  const rows = postedRows(form, to, values);
  const faults = rows.flatMap(({ error }, index) => (error ? [[`${index}.text`, error]] : []));
  const isLanguage = form.settings.languages?.slice(1).includes(to);
  const errors = isLanguage ? Object.fromEntries(faults) : { to: words.errors.language };
  const isConflict = !isLanguage || rows.some((row) => row.isConflict);
  return formOf<SavedTexts>(
    {
      rows: { read: () => rows },
      to: { read: () => to },
      filter: { read: () => values.get("filter") ?? "" },
    },
    { check: () => errors, code: isConflict ? "conflict" : "bad_request" },
  );
}

/** The address of the page with the first of the saved texts, or with the text after the last one. */
function hrefAfter(form: FormView, { rows, to, filter }: SavedTexts, isNext: boolean): string {
  const texts = textsOfForm(form);
  const place = rows.at(isNext ? -1 : 0)?.place;
  const start = texts.findIndex((text) => text.place === place) + (isNext ? 1 : 0);
  const later = new Set(texts.slice(Math.max(0, start)));
  const of = listed(texts, { to, filter });
  const found = of.findIndex((text) => later.has(text));
  const page = Math.floor((found === -1 ? Math.max(0, of.length - 1) : found) / pageSize) + 1;
  return `${pathOf(form)}?${new URLSearchParams({ to, ...(filter && { filter }), page: String(page) })}`;
}

export const translatePages = {
  page: onGet(showTexts),
  save: onPost(
    { act: "form.patched", load: loadForTranslation, form: textsForm, retry, maxBytes: maxPostBytes },
    async ({ deps, actor, values, found: form, data }) => {
      const changes = changesIn(data.rows, data.to);
      const saved =
        changes.length === 0
          ? form
          : { ...form, ...(await applyPlan(deps.sql, actor, form, planOfTranslations(form, changes), form)) };
      return {
        to: hrefAfter(saved, data, values.has("next")),
        text: changes.length === 0 ? words.unchanged : words.saved(changes.length),
      };
    },
  ),
} satisfies Handlers;
