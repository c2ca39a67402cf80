/** What the lists of the console have in common: heading, notice, what stands for an empty list, pager. */
import type { ComponentChildren } from "preact";
import { EnteredContext, Input, Submit } from "../../ui/controls.tsx";
import type { Column } from "../../ui/table.tsx";
import { Command, Pages } from "../../ui/text.tsx";
import { frameText } from "./words.ts";

type Query = Readonly<Record<string, string>>;

/** Instead of a list without items: why it has none, and what makes the first one. */
export const Empty = ({
  message,
  action,
  lines,
  children,
}: {
  message: string;
  /** What makes the first one; absent for those who may not. */
  action?: { href: string; label: string } | false | undefined;
  /** What does it in a terminal. */
  lines?: readonly string[];
  children?: ComponentChildren;
}) => (
  <div class="empty">
    <p>{message}</p>
    {action && (
      <a class="button" href={action.href}>
        {action.label}
      </a>
    )}
    {children}
    {lines && (
      <details>
        <summary>{frameText.forPrograms}</summary>
        <Command lines={lines} />
      </details>
    )}
  </div>
);

/** The column of boxes by which rows are chosen. */
export const checkColumn = <Row,>(column: {
  head: string;
  name: string;
  valueOf: (row: Row) => string;
  labelOf: (row: Row) => string;
  isChecked: (row: Row) => boolean;
}): Column<Row> => ({
  head: column.head,
  isNamed: true,
  class: "select",
  cell: (row) => (
    <input
      type="checkbox"
      name={column.name}
      value={column.valueOf(row)}
      aria-label={column.labelOf(row)}
      checked={column.isChecked(row)}
    />
  ),
});

/** The link that checks the boxes of all rows, or of none. */
export const CheckAll = ({
  href,
  isAll,
  count,
  words,
}: {
  /** The address of the page without it; it has a query. */
  href: string;
  isAll: boolean;
  count: number;
  words: { checkAll: (count: number) => string; checkNone: string };
}) =>
  isAll ? <a href={href}>{words.checkNone}</a> : <a href={`${href}&all=true`}>{words.checkAll(count)}</a>;

/** What a list is limited by: controls, which show the query. */
export const ListFilter = ({
  action,
  query,
  submit,
  reset,
  children,
}: {
  action: string;
  query?: Query;
  submit: string;
  /** The way to the whole list. */
  reset?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <form method="get" action={action} class="filters">
    <EnteredContext.Provider value={query && new URLSearchParams(query)}>{children}</EnteredContext.Provider>
    <div class="actions">
      <Submit class="quiet" label={submit} />
      {reset}
    </div>
  </form>
);

/** The time zone of days and times beside it; the page's script fills in the browser's. */
export const ZoneInput = () => (
  <Input
    name="timeZone"
    data-own-zone
    label={frameText.days.timeZone}
    hint={frameText.days.timeZoneHint}
    value="UTC"
  />
);

/** The days that a list is limited to. */
export const DayInputs = () => (
  <>
    <Input name="after" type="date" label={frameText.days.after} />
    <Input name="before" type="date" label={frameText.days.before} />
    <ZoneInput />
  </>
);

/** A page of a list. */
export interface Listed<Item> {
  items: Item[];
  pagination: { page: number; limit: number; total: number; isTotalExact?: boolean };
}

interface ListProps {
  items: readonly unknown[];
  /** Absent: these are all. */
  pagination?: Listed<unknown>["pagination"];
  /** Where the list is; its pages keep the query. */
  path: string;
  query?: Query;
  /** Shown instead of a list without items. */
  none: ComponentChildren;
  children: ComponentChildren;
}

export const ItemList = ({ items, pagination, path, query, none, children }: ListProps) => (
  <>
    {items.length > 0 ? children : typeof none === "string" ? <Empty message={none} /> : none}
    {pagination && (
      <Pages
        {...pagination}
        words={frameText.pages}
        hrefOf={(page) => `${path}?${new URLSearchParams({ ...query, page: String(page) })}`}
      />
    )}
  </>
);

export const ListPage = ({
  title,
  create,
  links,
  intro,
  after,
  ...list
}: ListProps & {
  title: string;
  /** Where a new item is made; absent for those who may not. */
  create?: { href: string; label: string } | false;
  /** Beside the heading. */
  links?: ComponentChildren;
  intro?: ComponentChildren;
  after?: ComponentChildren;
}) => (
  <>
    <div class="heading">
      <h1>{title}</h1>
      {create && (
        <a class="button small" href={create.href}>
          {create.label}
        </a>
      )}
      {links}
    </div>
    {intro}
    <ItemList {...list} />
    {after}
  </>
);
