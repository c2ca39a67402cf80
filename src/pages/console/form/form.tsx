/** Parts that the pages of one form share: the form, and the tabs. */
import type { ComponentChildren, RenderableProps } from "preact";
import { assertShape } from "../../../platform/http/body.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { type FormView, requireForm } from "../../../resources/forms/form-view.ts";
import { patchDraft } from "../../../resources/forms/forms.ts";
import { pagePathOf } from "../../../resources/forms/page-address.ts";
import type { archiveForm } from "../../../resources/forms/publish.ts";
import { FormDiffRequest, type FormKey, type FormRow } from "../../../resources/forms/shapes.ts";
import type { Act } from "../../../resources/operators/proofs.ts";
import { setTimeZone } from "../../ui/language.ts";
import { Picture } from "../../ui/pictures.tsx";
import { type FormPost, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, type Refused, seenBy, useMay } from "../frame/layout.tsx";
import { formatWaiting, isOnline, State } from "./form-state.tsx";
import { formText } from "./words.ts";

export type { FormView };

/** @throws {Problem} `bad_request`, `not_found`. */
export async function findForm({ deps: { sql }, params, session }: PageContext): Promise<FormView> {
  const form = await requireForm(sql, session, uuidParam(params as { form_id: string }, "form_id"));
  const { availability, page } = form.settings;
  setTimeZone(availability?.timeZone, page?.askTimeZone);
  return form;
}

/** The name by which a re-authentication says which form an action is about. */
export const nameOfForm = async (page: PageContext): Promise<string> => (await findForm(page)).name;

/**
 * Applies one operation, or several, to the draft that the operator has seen.
 * @param seenUpdatedAt null: accepts any change since then
 * @returns the time of the draft's last change
 * @throws {Problem} what form_patch raises; `bad_request`.
 */
export async function patchForm(
  { deps: { sql }, actor, values }: FormPost,
  form: FormKey,
  operation: object | readonly object[],
  seenUpdatedAt = values.get("updatedAt"),
): Promise<Date> {
  const request = assertShape(
    { operations: [operation].flat(), ...(seenUpdatedAt && { expectedUpdatedAt: seenUpdatedAt }) },
    FormDiffRequest,
    "bad_request",
  );
  return await patchDraft(sql, actor, form, request);
}

/** A post that changes the state of a form. @param undo last part of the address that undoes it */
export const onFormPost = (
  act: Act,
  perform: typeof archiveForm,
  tab: Tab,
  textOf: () => string,
  undo?: string,
) =>
  onPost({ act, load: findForm }, async ({ deps, actor, found: form }) => {
    await perform(deps.sql, actor, form.teamId, form.id);
    const undone = undo ? { action: `${pathOfForm(form)}/${undo}`, fields: {} } : undefined;
    return { to: pathOfForm(form, tab), text: textOf(), undo: undone };
  });

const tabs = {
  edit: "",
  settings: "/settings",
  publish: "/publish",
  share: "/share",
  submissions: "/submissions",
  answers: "/answers",
  review: "/review",
  charts: "/charts",
  mails: "/mails",
  accessKeys: "/access-keys",
} as const;
export type Tab = keyof typeof tabs;

export const pathOfForm = ({ id }: Pick<FormRow, "id">, tab: Tab = "edit"): string =>
  `/console/forms/${id}${tabs[tab]}`;

export const hrefOfSubmission = (form: FormView, id: string) => `${pathOfForm(form, "submissions")}/${id}`;

/** Hidden field with the draft's `updatedAt`. The save is refused if the draft has changed since. */
export const Seen = ({ form, refused }: { form: FormView; refused?: Refused | undefined }) => (
  <input
    type="hidden"
    name="updatedAt"
    value={seenBy(refused, "form_changed") ?? form.updatedAt.toISOString()}
  />
);

/** Returns the address of the page of questions with one of them open. */
export const fieldHref = (form: Pick<FormRow, "id">, id: string): string =>
  `${pathOfForm(form)}?${new URLSearchParams({ edit: id })}`;

/** Returns the address of the page on which respondents fill the form in. */
export const pageHref = (form: Pick<FormView, "teamId" | "id" | "settingsInForce">): string => {
  const alias = form.settingsInForce.page?.alias;
  return alias ? `/f/${alias}` : pagePathOf({ team: form.teamId, form: form.id });
};

type FrameProps = RenderableProps<{ form: FormView; tab: Tab | undefined }>;

const FormFrame = ({ form, tab, children }: FrameProps) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const shown = (Object.keys(tabs) as Tab[]).filter((name) => name !== "settings" || maySet);
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{form.name}</h1>
        <State form={form} />
        {isOnline(form) && (
          <a href={pageHref(form)}>
            <Picture name="external" />
            {formText.form.page}
          </a>
        )}
      </div>
      <nav class="tabs" aria-label={formText.form.tabs}>
        <ul>
          {shown.map((name) => (
            <li key={name}>
              <a href={pathOfForm(form, name)} aria-current={name === tab ? "page" : undefined}>
                {formText.form[name]}
                {name === "review" && form.waiting > 0 && (
                  <>
                    {" "}
                    <span class="badge pending">{formatWaiting(form.waiting)}</span>
                  </>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </>
  );
};

export const formPage = (
  form: FormView,
  tab: Tab | undefined,
  title: string,
  content: ComponentChildren,
): ConsolePage => ({
  title: `${title} · ${form.name}`,
  section: "forms",
  content: (
    <FormFrame form={form} tab={tab}>
      {content}
    </FormFrame>
  ),
});
