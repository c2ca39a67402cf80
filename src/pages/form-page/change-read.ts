/** Reads the submission of a link for changes, and the page that changes it. */
import { type CompiledForm, compile } from "../../fields/compile.ts";
import { fullOf, type PlacesLeft } from "../../fields/option-limits.ts";
import { languagesIn } from "../../fields/translations.ts";
import { limits } from "../../limits.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import { requireFiles } from "../../resources/files/upload.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import {
  type OpenedRow,
  openChangeLink,
  submissionOfToken,
} from "../../resources/submissions/change-links.ts";
import type { SubmissionRow } from "../../resources/submissions/shapes.ts";
import { compiledVersion, formInLanguage } from "../../resources/submit/versions.ts";
import { editsIn, notShownIn, relaxed } from "./change-values.ts";
import { setFailurePage } from "./failure.tsx";
import type { HiddenField } from "./hidden-fields.ts";
import { inLanguage } from "./language.ts";
import { type Asked, isEmbedded, type Posted, type PublishedPage } from "./page-request.ts";
import { requireAddress } from "./read.ts";

/** A submission that is open for changes, and its page. */
export interface OpenedChange {
  page: PublishedPage;
  /** Its version, by which all values are validated. The form of the page requires no sensitive value. */
  strict: CompiledForm;
  schema: OpenedRow["formSchema"];
  submission: Pick<SubmissionRow, "formId" | "id" | "status" | "data" | "updatedAt">;
}

/** The rate limit that counts the request: of pages that are opened, or of those that are sent. */
export type Counted = "form-page" | "submit";

/** Places left, without the options that the submission has: it may keep them. */
const leftBeside = (left: PlacesLeft, data: Readonly<Record<string, unknown>>): PlacesLeft =>
  Object.fromEntries(
    Object.entries(left).map(([id, few]) => {
      const own: unknown[] = Object.hasOwn(data, id) ? [data[id]].flat() : [];
      return [id, few.filter(([value]) => !own.includes(value))];
    }),
  );

/** The form of the page, in its language. @param applying fields that the page shows in any case */
const pageForm = (
  schema: OpenedRow["formSchema"],
  { version, languages, text }: Pick<PublishedPage, "version" | "languages" | "text">,
  notShown: ReadonlySet<string>,
  applying: ReadonlySet<string> = new Set(),
): CompiledForm => {
  const form = compile({ ...schema, fields: relaxed(schema.fields, notShown, applying) });
  return formInLanguage({ version, form, ...(languages && { languages }) }, text.lang);
};

/** The page with the questions that newly apply because of a value that it does not show. */
export function withNewQuestions(opened: OpenedChange, sent: URLSearchParams): OpenedChange {
  const { strict, schema, submission } = opened;
  const notShown = opened.page.change?.notShown;
  let { page } = opened;
  for (const applying = new Set<string>(); strict.hasLogic && notShown?.size; ) {
    const { appearing } = editsIn(page.form, strict, sent, submission.data, notShown);
    if (appearing.isSubsetOf(applying)) break;
    for (const id of appearing) applying.add(id);
    page = { ...page, form: pageForm(schema, page, notShown, applying) };
  }
  return { ...opened, page };
}

/** Stored addresses, about which no page asks. */
const storedAddresses = ({ fields }: CompiledForm, data: Readonly<Record<string, unknown>>) =>
  fields
    .filter(({ id, kind, definition }) => kind === "email" && definition.sensitive !== true && data[id])
    .map(({ id }): HiddenField => [ownNames.confirmed, String(data[id])]);

/**
 * @param posted for the page of a problem
 * @param isWithdrawal true: to take the submission back
 * @returns without `opened`: the respondent has taken it back before
 * @throws {Problem} `rate_limited`; `not_found`, `gone`, `form_closed` and `held`, with the reason in
 * `change`
 */
export async function findChange(
  asked: Asked,
  counted: Counted,
  { posted, isWithdrawal = false }: { posted?: Posted | undefined; isWithdrawal?: boolean } = {},
): Promise<{ page: PublishedPage; opened?: OpenedChange }> {
  const { deps, request } = asked;
  const maxRequests =
    counted === "submit"
      ? deps.config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE
      : limits.formPage.requestsPerMinute;
  const ipKey = admitIp(request, counted);
  const address = await requireAddress(asked, { ipKey, maxRequests });
  const id = submissionOfToken(deps.masterKey, address.form, asked.link?.token ?? "") ?? null;
  const row = await openChangeLink(deps.sql, address, id, { isWithdrawal, ipKey, maxRequests });
  const { outcome, reason, settings: all, name, formSchema } = row;
  requireRateLimit(request, outcome, { limitName: "ip", maxRequests, ...row });
  const languages = formSchema
    ? languagesIn(formSchema)
    : (all?.languages ?? compiledVersion(address.form)?.languages ?? []);
  const shown = inLanguage(
    request,
    all?.page ?? {},
    {
      timeZone: all?.timeZone ?? undefined,
      languages: languages.length > 0 ? languages : undefined,
      ownLanguage: all?.ownLanguage ?? undefined,
    },
    posted?.values,
  );
  const title = shown.settings.title || (name ?? "");
  const isOffline = name !== null && all?.page?.enabled !== true;
  setFailurePage(request, posted, name === null ? shown : { ...shown, title, isOffline });
  const known = {
    ...shown,
    title,
    team: address.team,
    formId: address.form,
    name: name ?? "",
    description: row.description,
    captcha: undefined,
    link: asked.link,
    isEmbedded: isEmbedded(request),
  };
  if (reason === "withdrawn") return { page: { ...known, version: 0, form: compile({ fields: [] }) } };
  if (outcome !== "allowed")
    throw problemFromSql(outcome, { extras: reason === null ? {} : { change: reason } });
  const { data, formVersion: version, updatedAt } = row;
  const strict = compile(formSchema);
  if (strict.fileFields.length > 0) requireFiles(deps);
  const notShown = notShownIn(strict.fields, data);
  const left = all?.left && leftBeside(all.left, data);
  const page = {
    ...known,
    version,
    form: pageForm(formSchema, { ...shown, version }, notShown),
    left: left ?? undefined,
    full: left ? fullOf(left) : undefined,
    carried: [
      [ownNames.seen, updatedAt.toISOString()] satisfies HiddenField,
      ...storedAddresses(strict, data),
    ],
    change: { notShown, stored: data, canWithdraw: shown.settings.change?.withdraw === true },
  } satisfies PublishedPage;
  const submission = { formId: address.form, id: id ?? "", status: row.status, data, updatedAt };
  return { page, opened: { page, strict, schema: formSchema, submission } };
}

/** @throws {Problem} as {@link findChange}. */
export async function requireChange(...given: Parameters<typeof findChange>): Promise<OpenedChange> {
  const { opened } = await findChange(...given);
  if (!opened) throw new Problem("not_found");
  return opened;
}
