/** Parts that the pages of one form share: the form, its state, the tabs, and the menu. */
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
import { FormMenu } from "./form-menu.tsx";
import { formatWaiting, isPublic, LiveBar, State } from "./form-state.tsx";
import { Fresh } from "./fresh.tsx";
import { formText } from "./words.ts";

export type { FormView };

/** @param progressSince as that of requireForm @throws {Problem} `bad_request`, `not_found`. */
export async function findForm(
  { deps: { sql }, params, session }: PageContext,
  progressSince?: number,
): Promise<FormView> {
  const id = uuidParam(params as { form_id: string }, "form_id");
  const form = await requireForm(sql, session, id, progressSince);
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

/** Pages of a form, by the ends of their addresses. */
const pages = {
  edit: "",
  settings: "/settings",
  languages: "/languages",
  publish: "/publish",
  share: "/share",
  invitations: "/invitations",
  submissions: "/submissions",
  answers: "/answers",
  review: "/review",
  charts: "/charts",
  mails: "/mails",
  translate: "/translate",
  accessKeys: "/access-keys",
  more: "/more",
} as const;
export type Tab = keyof typeof pages;

/** The tabs, each with its pages. A tab leads to the first one. */
const tabs = {
  build: ["edit"],
  share: ["share", "invitations"],
  results: ["submissions", "answers", "review", "charts"],
  settings: ["settings", "languages", "translate", "mails"],
  more: ["more", "accessKeys"],
} satisfies Record<string, Tab[]>;

export const pathOfForm = ({ id }: Pick<FormRow, "id">, tab: Tab = "edit"): string =>
  `/console/forms/${id}${pages[tab]}`;

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

/** Returns the address of the page on which texts are translated. @param to language; absent: any */
export const translateHref = (form: Pick<FormRow, "id">, to?: string): string =>
  `${pathOfForm(form, "translate")}${to === undefined ? "" : `?${new URLSearchParams({ to })}`}`;

/** Returns the address of the page on which respondents fill the form in. */
export const pageHref = (form: Pick<FormView, "teamId" | "id" | "settingsInForce">): string => {
  const alias = form.settingsInForce.page?.alias;
  return alias ? `/f/${alias}` : pagePathOf({ team: form.teamId, form: form.id });
};

type FrameProps = RenderableProps<{ form: FormView; tab: Tab | undefined }>;

const WaitingBadge = ({ form: { waiting } }: Pick<FrameProps, "form">) =>
  waiting > 0 ? (
    <>
      {" "}
      <span class="badge pending">{formatWaiting(waiting)}</span>
    </>
  ) : null;

/** The five tabs, and the pages of the one that is open. */
const Tabs = ({ form, tab }: FrameProps) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const isTranslated = (form.settings.languages ?? []).length > 1;
  const shown = Object.entries(tabs).map(([name, all]: [string, Tab[]]) => ({
    name: name as keyof typeof tabs,
    pages: all.filter((page) =>
      page === "translate" ? isTranslated : (page !== "settings" && page !== "languages") || maySet,
    ),
    isHere: all.some((page) => page === tab),
  }));
  const { name, pages: own = [] } = shown.find(({ isHere }) => isHere) ?? {};
  return (
    <>
      <nav class="tabs" aria-label={formText.form.tabs}>
        <ul>
          {shown.map(({ name, pages: [first], isHere }) => (
            <li key={name}>
              <a href={pathOfForm(form, first)} aria-current={isHere ? "page" : undefined}>
                {formText.form.tabNames[name]}
                {name === "results" && <Fresh count={form.fresh} />}
                {name === "results" && <WaitingBadge form={form} />}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {name && name !== "more" && own.length > 1 && (
        <nav class="subtabs" aria-label={formText.form.tabNames[name]}>
          <ul>
            {own.map((page) => (
              <li key={page}>
                <a href={pathOfForm(form, page)} aria-current={page === tab ? "page" : undefined}>
                  {formText.form[page]}
                  {page === "review" && <WaitingBadge form={form} />}
                </a>
              </li>
            ))}
            {name === "results" && form.total > 0 && (
              <li>
                <a href={`${pathOfForm(form, "submissions")}#export`}>{formText.form.export}</a>
              </li>
            )}
          </ul>
        </nav>
      )}
    </>
  );
};

const FormFrame = ({ form, tab, children }: FrameProps) => (
  <>
    <div class="form-head">
      <h1 dir="auto">{form.name}</h1>
      <State form={form} />
      {isPublic(form) && (
        <a href={pageHref(form)}>
          <Picture name="external" />
          {formText.form.page}
        </a>
      )}
      <FormMenu form={form} path={pathOfForm(form)} />
    </div>
    <Tabs form={form} tab={tab} />
    <div class="live-bar">
      {tab !== "publish" && <LiveBar form={form} review={pathOfForm(form, "publish")} />}
    </div>
    {children}
  </>
);

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
