/**
 * Counts how far people get on the page of a form: numbers, without a row for a person. The furthest step of
 * a visit is in a hidden field of its pages.
 */
import { LRUCache } from "lru-cache";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { ageOf } from "./page-key.ts";
import { type Asked, type PublishedPage, wantsJson } from "./page-request.ts";

type Visit = Pick<Asked, "deps" | "request" | "link">;
type Counted = Visit & { page: PublishedPage };
type CountedVersion = Visit & { page: Pick<PublishedPage, "team" | "formId" | "version" | "banner"> };

const maxPages = 10_000;
/** The greatest power of two seconds that times are told apart by: 18 hours. */
const maxPower = 16;

/** Furthest steps by keys of pages, so that a page that is sent twice to this server is counted once. */
const furthestByPage = new LRUCache<string, number>({ max: maxPages });

/** False for a program, a preview, and a submission that is changed. */
const isCounted = ({ request, link }: Visit, page?: Pick<PublishedPage, "banner">): boolean =>
  page?.banner === undefined && link?.use !== "c" && !wantsJson(request);

/** The positive number in a text; undefined: it is none, or there is no text. */
const numberIn = (text: string | null): number | undefined =>
  /^[1-9]\d{0,3}$/.test(text ?? "") ? Number(text) : undefined;

/** The furthest step that the visit has shown, from 1; undefined: nothing was sent from its page before. */
function furthestIn(values: URLSearchParams): number | undefined {
  const known = furthestByPage.get(values.get(ownNames.key) ?? "");
  if (!values.has(ownNames.reached)) return known;
  // A text that no page has sent: nothing more is counted.
  const given = numberIn(values.get(ownNames.reached)) ?? Number.POSITIVE_INFINITY;
  return Math.max(given, known ?? 1);
}

/** Keeps the furthest step, if a page of this service may have the key. */
function keepFurthest(values: URLSearchParams, step: number): void {
  const key = values.get(ownNames.key);
  if (key !== null && ageOf(key) !== undefined) furthestByPage.set(key, step);
}

/** Counts a page that was opened by its address, or by an invitation. */
export function countOpened({ deps, request, link, page }: Counted): void {
  if (request.method !== "GET" || link?.use === "r" || !isCounted({ deps, request, link }, page)) return;
  deps.counts.addProgress(page.team, page.formId, page.version, "opened");
}

/** Counts the first post of a visit, whatever becomes of it. A draft was saved by an earlier one. */
export function countBegun({ deps, request, link, page }: CountedVersion, values: URLSearchParams): void {
  const { team, formId, version } = page;
  if (!isCounted({ deps, request, link }, page) || furthestIn(values) !== undefined) return;
  keepFurthest(values, numberIn(values.get(ownNames.step)) ?? 1);
  if (link?.use !== "r") deps.counts.addProgress(team, formId, version, "begun");
}

/**
 * Counts the step of the page after a post, unless the visit has come as far before.
 * @param step from 1; the values to check come after the last one. Absent: the form is one page
 * @param last number of the values to check
 * @returns the page with its furthest step, for the next post
 */
export function countReached(
  { deps, request, link, page }: Counted,
  values: URLSearchParams,
  step = 1,
  last = 1,
): PublishedPage {
  if (!isCounted({ deps, request, link }, page)) return page;
  const before = furthestIn(values) ?? numberIn(values.get(ownNames.step)) ?? 1;
  const { team, formId, version, carried = [] } = page;
  if (step > before) deps.counts.addProgress(team, formId, version, "step", step);
  const furthest = Math.min(Math.max(before, step), last);
  keepFurthest(values, furthest);
  return { ...page, carried: [...carried, [ownNames.reached, String(furthest)]] };
}

/** Counts a submission that a page has stored, and the time since the page was opened. */
export function countSent(
  visit: Visit,
  { team, form, version }: { team: string; form: string; version: number },
  values: URLSearchParams,
): void {
  const { counts } = visit.deps;
  if (!isCounted(visit)) return;
  if (furthestIn(values) === undefined && visit.link?.use !== "r")
    counts.addProgress(team, form, version, "begun");
  counts.addProgress(team, form, version, "sent");
  const age = ageOf(values.get(ownNames.key));
  if (age !== undefined) counts.addProgress(team, form, version, "sent_within", powerAbove(age / 1_000));
}

/** The smallest power of two that is more than these seconds, at most the 16th. */
const powerAbove = (seconds: number): number => Math.min(32 - Math.clz32(seconds), maxPower);
