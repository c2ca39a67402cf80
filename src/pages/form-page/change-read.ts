/** Reads the submission of a link for changes, and the page that changes it. */
import { type CompiledForm, compile } from "../../fields/compile.ts";
import { fullOf, type PlacesLeft } from "../../fields/option-limits.ts";
import { languagesIn } from "../../fields/translations.ts";
import { limits } from "../../limits.ts";
import { rowOf } from "../../platform/database/db.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import { requireFiles } from "../../resources/files/upload.ts";
import type { PageRow } from "../../resources/forms/page-read.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { submissionOfToken } from "../../resources/submissions/change-link.ts";
import type { SubmissionRow } from "../../resources/submissions/shapes.ts";
import { compiledVersion, formInLanguage } from "../../resources/submit/versions.ts";
import { notShownIn, withoutRequired } from "./change-values.ts";
import { setFailurePage } from "./failure.tsx";
import type { HiddenField } from "./hidden-fields.ts";
import { inLanguage } from "./language.ts";
import { type Asked, isEmbedded, type Posted, type PublishedPage } from "./page-request.ts";
import { requireAddress } from "./read.ts";

type Schema = { fields: unknown[] };

/** A row of formd.change_link_open. The submission is null unless the outcome is `allowed`. */
interface OpenedRow
  extends Pick<PageRow, "settings" | "name" | "description" | "remaining" | "resetMs">,
    Pick<SubmissionRow, "formVersion" | "data" | "status" | "updatedAt"> {
  outcome: string;
  refusal: string | null;
  formSchema: Schema;
}

/** A submission that is open for changes, and its page. */
export interface OpenedChange {
  page: PublishedPage;
  /** Its version, by which all values are validated. The form of the page requires no sensitive value. */
  strict: CompiledForm;
  schema: Schema;
  submission: Pick<SubmissionRow, "formId" | "id" | "status" | "data" | "updatedAt">;
}

/** What the request is counted as: a page that is opened, or one that is sent. */
export type Counted = "form-page" | "submit";

/** Places left, without the options that the submission has: it may keep them. */
const leftBeside = (left: PlacesLeft, data: Readonly<Record<string, unknown>>): PlacesLeft =>
  Object.fromEntries(
    Object.entries(left).map(([id, few]) => {
      const own: unknown[] = Object.hasOwn(data, id) ? [data[id]].flat() : [];
      return [id, few.filter(([value]) => !own.includes(value))];
    }),
  );

/** Stored addresses, about which no page asks. */
const storedAddresses = ({ fields }: CompiledForm, data: Readonly<Record<string, unknown>>) =>
  fields
    .filter(({ id, kind, definition }) => kind === "email" && definition.sensitive !== true && data[id])
    .map(({ id }): HiddenField => [ownNames.confirmed, String(data[id])]);

/**
 * @param posted for the page of a problem
 * @param isWithdrawal true: to take the submission back
 * @returns without `opened`: the respondent has taken it back before
 * @throws {Problem} `rate_limited`; `not_found`, `gone`, `form_closed` and `held`, where a member `change` has
 * the reason
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
  const row = await rowOf(deps.sql<OpenedRow[]>`
    select * from formd.change_link_open(p_team => ${address.team}, p_form => ${address.form}, p_submission => ${id},
      p_is_withdrawal => ${isWithdrawal}, p_ip_key => ${ipKey}, p_ip_limit => ${maxRequests})`);
  const { outcome, refusal, settings: all, name, formSchema } = row;
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
    isEmbedded: isEmbedded(request),
  };
  if (refusal === "withdrawn") return { page: { ...known, version: 0, form: compile({ fields: [] }) } };
  if (outcome !== "allowed")
    throw problemFromSql(outcome, { extras: refusal === null ? {} : { change: refusal } });
  const { data, formVersion: version, updatedAt } = row;
  const strict = compile(formSchema);
  if (strict.fileFields.length > 0) requireFiles(deps);
  const notShown = notShownIn(strict.fields, data);
  const relaxed = compile({ ...formSchema, fields: withoutRequired(formSchema.fields, notShown) });
  const left = all?.left && leftBeside(all.left, data);
  const page = {
    ...known,
    version,
    form: formInLanguage({ version, form: relaxed, languages }, shown.text.lang),
    left: left ?? undefined,
    full: left ? fullOf(left) : undefined,
    carried: [
      [ownNames.seen, updatedAt.toISOString()] satisfies HiddenField,
      ...storedAddresses(strict, data),
    ],
    change: { notShown, storedNow: new Map(), canWithdraw: shown.settings.change?.withdraw === true },
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
