/**
 * Preview of the draft as a page with its steps and conditions, for operators; with `?embed` of the page that
 * other sites embed. Nothing is stored.
 */
import { compile } from "../../../fields/compile.ts";
import { languagesIn } from "../../../fields/translations.ts";
import { RequestBody } from "../../../platform/http/body.ts";
import { parseFormText } from "../../../platform/http/form-body.ts";
import { Problem } from "../../../problem.ts";
import { formInLanguage } from "../../../resources/submit/versions.ts";
import { doubtfulIn, prefilled, readValues } from "../../form-page/applicable.ts";
import { withQuery, withSpelling } from "../../form-page/form-data.ts";
import { inLanguage } from "../../form-page/language.ts";
import { isEmbedded, type Posted, type PublishedPage } from "../../form-page/page-request.ts";
import { respondWithThanks } from "../../form-page/sent.tsx";
import type { StepContext } from "../../form-page/steps.tsx";
import { respondAfterStep, respondWithProblem, respondWithStart } from "../../form-page/steps.tsx";
import { type FormView, findForm, pathOfForm } from "../form/form.tsx";
import type { Context, Handlers } from "../frame/context.ts";
import { viewOf } from "../frame/handler.ts";
import { requireSession } from "../frame/session.ts";
import { formsText } from "./words.ts";

/** Returns the published form. Its own page is in no frame before the origin of a site is named. */
const liveOf = (form: FormView): Previewed => ({
  ...form,
  name: form.publishedName ?? form.name,
  description: form.publishedDescription,
  schema: form.publishedSchema ?? form.schema,
  settings: form.settingsInForce,
  languages: languagesIn(form.publishedSchema ?? {}),
});

type Previewed = Pick<FormView, "teamId" | "id" | "name" | "description" | "schema" | "settings"> & {
  languages: readonly string[] | undefined;
};

/** The page that the draft would have. A form with a CAPTCHA is not in steps. */
function pageOf(request: Request, previewed: Previewed): PublishedPage {
  const { teamId, id, name, description, schema, settings, languages } = previewed;
  const { page = {}, availability, captcha } = settings;
  const [ownLanguage] = settings.languages ?? [];
  const shown = inLanguage(request, page, { timeZone: availability?.timeZone, languages, ownLanguage });
  return {
    ...shown,
    version: 0,
    form: formInLanguage({ ...shown, version: 0, form: compile(schema) }, shown.text.lang),
    team: teamId,
    formId: id,
    name,
    description,
    title: shown.settings.title || name,
    settings: {
      ...shown.settings,
      embedOrigins: [],
      ...(captcha?.enabled && { layout: "single" }),
    },
    captcha: undefined,
    banner: formsText.preview.banner,
  };
}

async function respondToPost(context: StepContext, { values }: Posted): Promise<string> {
  const { set, page } = context;
  const { data, unstorable, unasked } = readValues(page.form, values);
  const { errors, missing } = page.form.validate(data, unstorable);
  // A preview takes no files.
  const required = missing.filter((id) => page.form.field(id)?.fieldType.nature !== "files");
  const found = unasked.size > 0 ? [] : [...errors, ...required.map(page.form.requiredIssue)];
  if (unasked.size + doubtfulIn(page.form, data, values).size + found.length === 0) {
    const { redirectUrl } = page.settings;
    const banner = redirectUrl ? formsText.preview.redirect(redirectUrl) : formsText.preview.sent;
    return respondWithThanks(set, { ...page, banner });
  }
  const problem = new Problem("validation_failed", { extras: { errors: found } });
  return await respondWithProblem(context, values, problem);
}

/** The page of the draft; in a frame, as on Share, that of the published version. */
const shownOf = (form: FormView, request: Request): PublishedPage =>
  isEmbedded(request) && form.currentVersion > 0
    ? { ...pageOf(request, liveOf(form)), isEmbedded: true, banner: formsText.preview.liveBanner }
    : pageOf(request, { ...form, languages: form.settings.languages });

const onPreview =
  (respond: (context: StepContext, query: Context["query"]) => string | Promise<string>) =>
  async (context: Context): Promise<string> => {
    const { deps, request, query, set } = context;
    const session = await requireSession(deps, request);
    const form = await findForm(viewOf(context, session));
    const action = `${pathOfForm(form)}/preview`;
    const response = await respond({ deps, request, set, page: shownOf(form, request), action }, query);
    // The preview is beside the questions, in a frame.
    const policy = "content-security-policy";
    set.headers[policy] = String(set.headers[policy]).replace("ancestors 'none'", "ancestors 'self'");
    return response;
  };

const onPreviewPost = (respond: (context: StepContext, posted: Posted) => Promise<string>) =>
  onPreview(async (context) => {
    const { deps, request, page } = context;
    const { fields } = page.form;
    const body = new RequestBody(request, deps.config.MAX_BODY_BYTES);
    const sent = withSpelling(fields, parseFormText(request, await body.read()), page.text, page.languages);
    return await respond(context, { values: withQuery(fields, sent, request), issues: [] });
  });

export const previewPages = {
  page: onPreview((context, query) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return respondWithStart(context, prefilled(context.page.form.fields, new URLSearchParams(given)));
  }),
  step: onPreviewPost(respondAfterStep),
  submit: onPreviewPost(respondToPost),
} satisfies Handlers;
