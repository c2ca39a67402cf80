/** The audit: who did what, when. */
import { type } from "arktype";
import { toSql } from "../../../platform/auth/actor.ts";
import { noTurn } from "../../../platform/http/list.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { type NamedEvent, readEvents } from "../../../resources/audit/audit.ts";
import type { RecordedKind } from "../../../resources/audit/shapes.ts";
import { choicesOfTexts, type Errors, Input, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { maxEnteredLength } from "../frame/entered-value.tsx";
import { formOf, readForm } from "../frame/form.tsx";
import { filterQuery, onGet, type PageContext } from "../frame/handler.ts";
import { sectionPage } from "../frame/layout.tsx";
import {
  areWrong,
  DayInputs,
  DaysFilter,
  dayControls,
  FoldedFilter,
  filtersOf,
  ListPage,
  TurnQuery,
  timesOf,
  tryFilters,
  WrongFilters,
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
  /** Sentences about filters that cannot be read: then the list is empty. */
  errors: Errors;
}

/** Label of a kind of event. A kind that only a newer server knows has its code. */
const wordOf = (kind: string): string =>
  Object.hasOwn(words.kinds, kind) ? words.kinds[kind as RecordedKind] : kind;

const kindChoices = () =>
  choicesOfTexts(words.kinds).toSorted((one, other) => one.label.localeCompare(other.label, frameText.lang));

const Filters = ({ query, errors }: Pick<Audit, "query" | "errors">) => (
  <FoldedFilter
    action={path}
    query={query}
    errors={errors}
    isFiltered={
      areWrong(errors) || Object.keys(query).some((name) => !["cursor", "back", "timeZone"].includes(name))
    }
  >
    <Select name="kind" label={words.kind} none={words.anyKind} choices={kindChoices()} />
    <Input name="formId" label={words.formId} maxlength={maxEnteredLength} />
    <Input name="actorId" label={words.actorId} maxlength={maxEnteredLength} />
    <Input name="objectId" label={words.objectId} maxlength={maxEnteredLength} />
    <DayInputs />
  </FoldedFilter>
);

const columns = (): Column<NamedEvent>[] => [
  { head: words.at, class: "aside", isNamed: true, cell: ({ createdAt }) => <Time at={createdAt} exact /> },
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
    class: "aside",
    isNamed: true,
    dir: "auto",
    cell: ({ actorName, actorType }) => actorName ?? frameText.actors[actorType],
  },
  {
    head: words.details,
    class: "more",
    isNamed: true,
    cell: ({ kind, objectId, requestId, clientRequestId, details }) => {
      const request = {
        request: requestId,
        ...(clientRequestId !== null && { clientRequest: clientRequestId }),
      };
      const shown = { kind, object: objectId, ...request, ...details };
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
    intro={
      <>
        {areWrong(audit.errors) && <WrongFilters errors={audit.errors} />}
        <Filters {...audit} />
      </>
    }
    path={path}
    none={areWrong(audit.errors) ? null : words.none}
    after={audit.turns.next && audit.items.length < pageSize && <p class="quiet">{words.unread}</p>}
  >
    <Table columns={columns()} rows={audit.items} keyOf={({ id }) => id} />
  </ListPage>
);

async function readAudit({ deps, session: { team }, actor }: PageContext, query: Audit["query"]) {
  const { cursor, back, ...filter } = parseQuery(query, AuditFilter);
  const { found: days, errors } = tryFilters(() =>
    readForm(formOf(dayControls()), new URLSearchParams(query)),
  );
  if (!days) return { ...noTurn, errors, query };
  const reader = { team, actor: toSql(deps.sql, actor) };
  const of = { path, filters: filtersOf(query), limit: pageSize };
  const found = await readEvents(deps, reader, { ...filter, ...timesOf(days) }, of, { cursor, back });
  return { ...found, errors, query };
}

export const auditPages = {
  page: onGet(async (view) => {
    const audit = await readAudit(view, filterQuery(view.query));
    const page = sectionPage("audit", <Content {...audit} />);
    return areWrong(audit.errors) ? { ...page, status: 400 } : page;
  }),
} satisfies Handlers;
