/** The audit: who did what, when. */
import { type } from "arktype";
import { toSql } from "../../../platform/auth/actor.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { type NamedEvent, readEvents } from "../../../resources/audit/audit.ts";
import type { RecordedKind } from "../../../resources/audit/shapes.ts";
import { choicesOfTexts, Input, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet, type PageContext } from "../frame/handler.ts";
import { sectionPage } from "../frame/layout.tsx";
import {
  DayInputs,
  DaysFilter,
  FoldedFilter,
  filtersOf,
  ListPage,
  TurnQuery,
  timesOf,
} from "../frame/list-page.tsx";
import { frameText } from "../frame/words.ts";
import { auditText } from "./words.ts";

const words = auditText.audit;
const path = "/console/audit";

const pageSize = 50;

export const AuditFilter = TurnQuery.and(DaysFilter).and({
  "kind?": type.string.atMostLength(100),
  "formId?": Uuid,
  "actorId?": Uuid,
  "objectId?": Uuid,
});

interface Audit extends Awaited<ReturnType<typeof readEvents>> {
  query: Record<string, string>;
}

/** Label of a kind of event. A kind that only a newer server knows has its code. */
const wordOf = (kind: string): string =>
  Object.hasOwn(words.kinds, kind) ? words.kinds[kind as RecordedKind] : kind;

const kindChoices = () =>
  choicesOfTexts(words.kinds).toSorted((one, other) => one.label.localeCompare(other.label, frameText.lang));

const Filters = ({ query }: Pick<Audit, "query">) => (
  <FoldedFilter
    action={path}
    query={query}
    isFiltered={Object.keys(query).some((name) => !["cursor", "back", "timeZone"].includes(name))}
  >
    <Select name="kind" label={words.kind} none={words.anyKind} choices={kindChoices()} />
    <Input name="formId" label={words.formId} />
    <Input name="actorId" label={words.actorId} />
    <Input name="objectId" label={words.objectId} />
    <DayInputs />
  </FoldedFilter>
);

const columns = (): Column<NamedEvent>[] => [
  { head: words.at, cell: ({ createdAt }) => <Time at={createdAt} exact /> },
  {
    head: words.what,
    isHeader: true,
    dir: "auto",
    cell: ({ kind, objectId, formName }) => (
      <>
        <a href={`${path}?${new URLSearchParams({ objectId })}`}>{wordOf(kind)}</a>
        {formName && ` ${frameText.quoted(formName)}`}
      </>
    ),
  },
  {
    head: words.by,
    dir: "auto",
    cell: ({ actorName, actorType }) => actorName ?? frameText.actors[actorType],
  },
  {
    head: words.details,
    isNamed: true,
    cell: ({ kind, objectId, requestId, details }) => {
      const shown = { kind, object: objectId, request: requestId, ...details };
      return (
        <details>
          <summary>{words.details}</summary>
          <Command lines={JSON.stringify(shown, null, 2).split("\n")} />
        </details>
      );
    },
  },
];

const Content = (audit: Audit) => (
  <ListPage
    {...audit}
    title={frameText.sections.audit}
    intro={<Filters query={audit.query} />}
    path={path}
    none={words.none}
    after={audit.turns.next && audit.items.length < pageSize && <p class="quiet">{words.unread}</p>}
  >
    <Table columns={columns()} rows={audit.items} keyOf={({ id }) => id} />
  </ListPage>
);

function readAudit({ deps, session: { team }, actor }: PageContext, query: Audit["query"]) {
  const { cursor, back, ...filter } = parseQuery(query, AuditFilter);
  const reader = { team, actor: toSql(deps.sql, actor) };
  const of = { path, filters: filtersOf(query), limit: pageSize };
  return readEvents(deps, reader, { ...filter, ...timesOf(filter) }, of, { cursor, back });
}

export const auditPages = {
  page: onGet(async (view) => {
    const query = filterQuery(view.query);
    return sectionPage("audit", <Content {...(await readAudit(view, query))} query={query} />);
  }),
} satisfies Handlers;
