/**
 * The draft as its page will be, for operators: at its real look, with its steps and its conditions. Nothing
 * is stored.
 */
import { compile } from "../../../fields/compile.ts";
import { RequestBody } from "../../../platform/http/body.ts";
import { fieldErrors } from "../../../platform/http/field-errors.ts";
import { parseFormText } from "../../../platform/http/form-body.ts";
import { Problem } from "../../../problem.ts";
import { notAsked, withoutHidden } from "../../form-page/applicable.ts";
import { toData } from "../../form-page/form-data.ts";
import { allValues, hasKept } from "../../form-page/hidden-fields.ts";
import { respondWithForm } from "../../form-page/page.tsx";
import { prefilled } from "../../form-page/prefill.ts";
import type { PublishedPage } from "../../form-page/read.ts";
import { respondWithReason } from "../../form-page/refused-post.ts";
import { respondWithThanks } from "../../form-page/sent.tsx";
import { respondAfterStep, respondWithFirstStep, type StepContext, stepsOf } from "../../form-page/steps.tsx";
import { type FormView, findForm, pathOfForm } from "../form/form.tsx";
import type { Context, Handlers } from "../frame/context.ts";
import { viewOf } from "../frame/handler.ts";
import { requireSession } from "../frame/session.ts";
import { formsText } from "./words.ts";

/** The page that the draft would have. A form with a CAPTCHA is not in steps. */
const pageOf = ({ teamId, id, name, description, schema, settings }: FormView): PublishedPage => ({
  version: 0,
  form: compile(schema),
  team: teamId,
  formId: id,
  name,
  description,
  settings: {
    ...settings.page,
    embedOrigins: [],
    ...(settings.captcha?.enabled && { layout: "single" }),
  },
  captcha: undefined,
  banner: formsText.preview.banner,
});

/** What a submission of these values would be refused for, and the questions that have not been shown. */
function check({ deps, page: { form } }: StepContext, sent: URLSearchParams) {
  const { data, unstorable } = toData(form.fields, allValues(sent));
  const logic = withoutHidden(form, data, unstorable);
  const asked = logic && !hasKept(sent) ? notAsked(form, logic, sent) : new Set<string>();
  const { errors, missing } = form.validate(data, unstorable);
  // A preview takes no files.
  const required = missing
    .filter((id) => form.field(id)?.fieldType.nature !== "files")
    .map(form.requiredIssue);
  const all = asked.size > 0 ? [] : [...errors, ...required];
  return { asked, errors: fieldErrors(deps.config, all) };
}

async function respondToPost(context: StepContext, sent: URLSearchParams): Promise<string> {
  const { asked, errors } = check(context, sent);
  if (asked.size === 0 && errors.length === 0) {
    const { redirectUrl } = context.page.settings;
    const banner = redirectUrl ? formsText.preview.redirect(redirectUrl) : formsText.preview.sent;
    return respondWithThanks(context.set, { ...context.page, banner });
  }
  const problem = new Problem("validation_failed", { extras: { errors } });
  const response = await respondWithReason(context, sent, problem, asked.size > 0 ? asked : undefined);
  if (response === undefined) throw problem;
  return response;
}

const onPreview =
  (respond: (context: StepContext, query: Context["query"]) => string | Promise<string>) =>
  async (context: Context): Promise<string> => {
    const { deps, request, query, set } = context;
    const session = await requireSession(deps, request);
    const form = await findForm(viewOf(context, session));
    const action = `${pathOfForm(form)}/preview`;
    const page = await respond({ deps, request, set, page: pageOf(form), action }, query);
    // It stands beside the questions, in a frame.
    const policy = String(set.headers["content-security-policy"]);
    set.headers["content-security-policy"] = policy.replace(
      "frame-ancestors 'none'",
      "frame-ancestors 'self'",
    );
    return page;
  };

const onPreviewPost = (respond: (context: StepContext, sent: URLSearchParams) => Promise<string>) =>
  onPreview(async (context) => {
    const body = new RequestBody(context.request, context.deps.config.MAX_BODY_BYTES);
    return await respond(context, parseFormText(context.request, await body.read()));
  });

export const previewPages = {
  page: onPreview((context, query) => {
    const { page, set, action } = context;
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const values = prefilled(page.form.fields, new URLSearchParams(given));
    const steps = stepsOf(context.deps, page);
    return steps
      ? respondWithFirstStep(context, steps, values)
      : respondWithForm(set, { page, action, values });
  }),
  step: onPreviewPost(respondAfterStep),
  submit: onPreviewPost(respondToPost),
} satisfies Handlers;
