/** Parts of the console's lists: heading, filters, text for an empty list, links to pages; their queries. */
import { type } from "arktype";
import type { ComponentChildren } from "preact";
import { isTimeZone, momentAt } from "../../../fields/time-zones.ts";
import { limits } from "../../../limits.ts";
import type { readTurn } from "../../../platform/http/list.ts";
import { PageQuery, Uuid } from "../../../platform/http/shapes.ts";
import {
  choicesOfNames,
  EnteredContext,
  ErrorSummary,
  type Errors,
  ErrorsProvider,
  Input,
  Select,
  Submit,
} from "../../ui/controls.tsx";
import { timeZoneOfForm } from "../../ui/language.ts";
import { Scene, type SceneName } from "../../ui/scenes.tsx";
import type { Column } from "../../ui/table.tsx";
import { Command, Pages } from "../../ui/text.tsx";
import { DayInput, maxEnteredLength, valueControl } from "./entered-value.tsx";
import { FormProblem, Wrong } from "./form.tsx";
import type { Session } from "./session.ts";
import { frameText } from "./words.ts";

type Query = Readonly<Record<string, string>>;

export const ListQuery = PageQuery.pick("page");

interface EmptyProps {
  message: string;
  picture?: SceneName;
  /** Link that makes the first item. Absent: the operator may not. */
  action?: { href: string; label: string } | false | undefined;
  /** Commands that make it in a terminal. */
  lines?: readonly string[];
  children?: ComponentChildren;
}

/** Text in place of an empty list: the reason, and a way to make the first item. */
export const Empty = ({ message, picture = "sheet", action, lines, children }: EmptyProps) => (
  <div class="empty">
    <Scene name={picture} />
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

export const checkColumn = <Row,>(column: {
  head: string;
  name: string;
  valueOf: (row: Row) => string;
  labelOf: (row: Row) => string;
  isChecked: (row: Row) => boolean;
  isInvalid?: boolean;
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
      aria-invalid={column.isInvalid ? "true" : undefined}
    />
  ),
});

interface CheckAllProps {
  /** Address of the page without `all`. It has a query. */
  href: string;
  isAll: boolean;
  count: number;
  words: { checkAll: (count: number) => string; checkNone: string };
}

/** The link that checks the boxes of all rows, or of none. */
export const CheckAll = ({ href, isAll, count, words }: CheckAllProps) =>
  isAll ? <a href={href}>{words.checkNone}</a> : <a href={`${href}&all=true`}>{words.checkAll(count)}</a>;

interface ListFilterProps {
  action: string;
  query?: Query;
  /** Sentences about controls that cannot be read. */
  errors?: Errors;
  submit?: string;
  /** Link to the whole list. */
  reset?: ComponentChildren;
  children?: ComponentChildren;
}

/** Filters of a list. The controls show the query. */
export const ListFilter = ({
  action,
  query,
  errors = {},
  submit = frameText.show,
  reset,
  children,
}: ListFilterProps) => (
  <form method="get" action={action} class="filters">
    <EnteredContext.Provider value={query && new URLSearchParams(query)}>
      <ErrorsProvider value={errors}>{children}</ErrorsProvider>
    </EnteredContext.Provider>
    <div class="actions">
      <Submit class="quiet" label={submit} />
      {reset}
    </div>
  </form>
);

/** In place of a list: its filters cannot be read. */
export const WrongFilters = ({ errors }: { errors: Errors }) => (
  <ErrorSummary heading={frameText.wrongFilters} errors={Object.entries(errors)} />
);
export const areWrong = (errors: Errors): boolean => Object.keys(errors).length > 0;

/** Filters that are folded while none is set. */
export const FoldedFilter = ({ isFiltered, ...filter }: ListFilterProps & { isFiltered: boolean }) => (
  <details class="panel" open={isFiltered}>
    <summary>{frameText.filter}</summary>
    <ListFilter {...filter} reset={isFiltered && <a href={filter.action}>{frameText.showAll}</a>} />
  </details>
);

/** Page of a workspace's list. Default: the first workspace that the operator may see. */
export const WorkspaceQuery = ListQuery.and({ "workspace?": Uuid });

interface WorkspaceChoiceProps {
  action: string;
  workspaces: Session["workspaces"];
  chosen: string;
}

/** Choice of the workspace of a list, if the operator has several. */
export const WorkspaceChoice = ({ action, workspaces, chosen }: WorkspaceChoiceProps) =>
  workspaces.length > 1 && (
    <form method="get" action={action} class="inline">
      <Select
        name="workspace"
        label={frameText.workspace}
        value={chosen}
        choices={choicesOfNames(workspaces)}
      />
      <Submit class="quiet" label={frameText.show} />
    </form>
  );

/** Time zone of days and times beside it: the form's, or the browser's, which the page's script fills in. */
export const ZoneInput = () => (
  <Input
    name="timeZone"
    data-own-zone={timeZoneOfForm() === undefined || undefined}
    label={frameText.days.timeZone}
    hint={frameText.days.timeZoneHint}
    value={timeZoneOfForm() ?? "UTC"}
    maxlength={maxEnteredLength}
  />
);

/** Returns the time zone that was entered, or UTC: a browser without scripts fills in none. */
export function zoneIn(values: URLSearchParams, name = "timeZone"): string | Wrong {
  const zone = values.get(name)?.trim() || timeZoneOfForm() || "UTC";
  return isTimeZone(zone) ? zone : new Wrong(frameText.entered.asked.timeZone, name);
}

/** The days of a list as texts, which {@link dayControls} read. */
export const DaysFilter = type({ "after?": "string", "before?": "string", "timeZone?": "string" });

/** The days of a list, in the time zone in which its reader sees times: UTC in a browser without scripts. */
export const dayControls = () => ({
  after: valueControl<string>("date", frameText.days.after, frameText.entered.asked.after),
  before: valueControl<string>("date", frameText.days.before, frameText.entered.asked.before),
  timeZone: { read: zoneIn },
});

interface Days {
  after?: string | undefined;
  before?: string | undefined;
  timeZone: string;
}

/**
 * The API's times, which are inclusive: from the beginning of the first day to before that of the last. None
 * is before 1970, since nothing is stored there, and PostgreSQL has no year before 0001.
 */
export const timesOf = ({ after, before, timeZone }: Days) => {
  const at = (day: string, ms: number) =>
    new Date(Math.max(0, Date.parse(momentAt(day, "00:00", timeZone) ?? "") + ms));
  return {
    ...(after && { createdAfter: at(after, 0) }),
    ...(before && { createdBefore: at(before, -1) }),
  };
};

export const DayInputs = () => (
  <>
    <DayInput name="after" label={frameText.days.after} />
    <DayInput name="before" label={frameText.days.before} />
    <ZoneInput />
  </>
);

/** Filters of a query, or the sentences about controls that cannot be read. */
export function tryFilters<Found>(read: () => Found): { found?: Found; errors: Errors } {
  try {
    return { found: read(), errors: {} };
  } catch (error) {
    if (error instanceof FormProblem) return { errors: error.errors };
    throw error;
  }
}

/** Page of a list that is read by cursors. */
export const TurnQuery = type({
  "cursor?": type.string.atMostLength(limits.page.maxCursorLength),
  "back?": "'true'",
});

/** The filters of a query: without the page, and what else is not one. */
export function filtersOf<Query extends { cursor?: unknown; back?: unknown }>({
  cursor: _,
  back: __,
  ...filters
}: Query) {
  return filters;
}

interface TurnsProps {
  turns: Awaited<ReturnType<typeof readTurn>>["turns"];
  path: string;
  query?: Query;
}

/** Links of a list that is read by cursors, to the pages before and after this one. */
const Turns = ({ turns: { previous, next, order }, path, query = {} }: TurnsProps) => {
  const { newer, older, label } = frameText.pages;
  const [before, after] = order === "newest" ? [newer, older] : [older, newer];
  const hrefOf = (turn: Query) => `${path}?${new URLSearchParams({ ...filtersOf(query), ...turn })}`;
  if (!previous && !next) return null;
  return (
    <nav class="pages" aria-label={label}>
      {previous && (
        <a href={hrefOf({ cursor: previous, back: "true" })} rel="prev" data-key="k">
          {before}
        </a>
      )}
      {next && (
        <a href={hrefOf({ cursor: next })} rel="next" data-key="j">
          {after}
        </a>
      )}
    </nav>
  );
};

export interface Listed<Item> {
  items: Item[];
  pagination: { page: number; limit: number; total: number; isTotalExact?: boolean };
}

interface ListProps {
  items: readonly unknown[];
  /** Absent: the items are the whole list. */
  pagination?: Listed<unknown>["pagination"];
  /** Pages of a list that is read by cursors: they have no numbers. */
  turns?: TurnsProps["turns"];
  /** Path of the list. Links to its pages keep the query. */
  path: string;
  query?: Query;
  /** Shown instead of a list without items. */
  none: ComponentChildren;
  children: ComponentChildren;
}

export const ItemList = ({ items, pagination, turns, path, query, none, children }: ListProps) => (
  <>
    {items.length > 0 ? children : typeof none === "string" ? <Empty message={none} /> : none}
    {turns && <Turns turns={turns} path={path} {...(query && { query })} />}
    {pagination && !turns && (
      <Pages
        {...pagination}
        words={frameText.pages}
        hrefOf={(page) => `${path}?${new URLSearchParams({ ...query, page: String(page) })}`}
      />
    )}
  </>
);

interface ListPageProps extends ListProps {
  title: string;
  /** Link that makes a new item. Absent: the operator may not. */
  create?: { href: string; label: string } | false;
  /** Beside the heading. */
  links?: ComponentChildren;
  /** A text is a paragraph. */
  intro?: ComponentChildren;
  after?: ComponentChildren;
}

export const ListPage = ({ title, create, links, intro, after, ...list }: ListPageProps) => (
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
    {typeof intro === "string" ? <p class="quiet">{intro}</p> : intro}
    <ItemList {...list} />
    {after}
  </>
);
