/** A form's settings: one form, of which a save changes what was entered and nothing else. */
import type { RenderableProps } from "preact";
import { parseFields } from "../../../fields/definition.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { ineffectiveNames, removalsOfUnknown } from "../../../resources/forms/draft-checks.ts";
import { closeForm, openForm } from "../../../resources/forms/publish.ts";
import { AvailabilitySettings, PageSettings, ThemeSettings } from "../../../resources/forms/settings.ts";
import { settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { type HoldRow, readHolds } from "../../../resources/holds/holds.ts";
import { operatorsOfWorkspace, type WorkspaceMember } from "../../../resources/operators/operators.ts";
import { type Rule, readDue } from "../../../resources/retention/retention.ts";
import { settingsStyleAsset } from "../../ui/assets.ts";
import { EnteredContext, type Errors, Input, Submit, useErrors } from "../../ui/controls.tsx";
import { type FormView, findForm, formPage, onFormPost, patchForm, pathOfForm } from "../form/form.tsx";
import { HeldSubmissions, HoldControls } from "../form/holds.tsx";
import { isShorterRule, retentionRule } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { readValue } from "../frame/entered-value.tsx";
import { Controls, FormProblem, formOf, linesIn, textInput } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, HiddenFields, PostForm, requireMay, useMay, useRefused } from "../frame/layout.tsx";
import { Folded, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { copyControls, notifyControls } from "./mail-controls.tsx";
import { ProblemList } from "./problem-list.tsx";
import { comingBackControls } from "./resume-controls.tsx";
import {
  alteredControls,
  checkboxOf,
  choiceOf,
  conflictsOf,
  momentControl,
  parsedInput,
  patchOf,
  type SettingControls,
  type SettingsForm,
  type SettingValues,
  shapesOf,
  shownAgain,
  shownField,
  shownSettings,
  zoneControl,
} from "./setting-controls.tsx";
import { Look, themeControls } from "./theme-controls.tsx";
import { formsText } from "./words.ts";

const words = formsText.settings;

/** A form, and what its controls need to know. */
interface Subject {
  form: FormView;
  people: readonly WorkspaceMember[];
  /** True if the server sends mail. */
  isMailOn: boolean;
  /** True if the server has a master key, which the links of respondents need. */
  hasKey: boolean;
}

interface SettingsProps extends Subject {
  /** Submissions that the rule in effect deletes within a day. */
  due: Awaited<ReturnType<typeof readDue>>;
  holds: readonly HoldRow[];
}

const shapes = {
  page: shapesOf(PageSettings),
  theme: shapesOf(ThemeSettings),
  availability: shapesOf(AvailabilitySettings),
};

type TextPath = "page.redirectUrl" | `theme.${"privacyUrl" | "imprintUrl" | "contact"}`;

/** A text with a hint. An address, unless its errors have a sentence of their own. */
function text(path: TextPath) {
  const { errors } = words;
  const [group, member] = path.split(".") as ["page", "redirectUrl"];
  const { hints, [member]: label } = words[group];
  const wrong = Object.hasOwn(errors, path) ? errors[path as "theme.contact"] : errors.url;
  return textInput({ label, hint: hints[member], required: false, shape: shapes[group][member], wrong });
}

const hasSteps = ({ schema }: FormView): boolean =>
  parseFields(schema).some(({ type }) => type === "page_break");

function pageControls(form: FormView): SettingControls {
  const { page } = words;
  return {
    ...(!form.settings.languages && {
      "page.language": choiceOf(page.languages, { label: page.language }),
    }),
    ...(hasSteps(form) && { "page.layout": choiceOf(page.layouts, { label: page.layout }) }),
    "theme.privacyUrl": text("theme.privacyUrl"),
    "theme.imprintUrl": text("theme.imprintUrl"),
    "theme.contact": text("theme.contact"),
  };
}

const elsewhereControls = (): SettingControls => ({
  "page.redirectUrl": text("page.redirectUrl"),
  "page.embedOrigins": parsedInput<string[]>(shapes.page.embedOrigins, linesIn, {
    ...{ label: words.page.embedOrigins, hint: words.page.hints.embedOrigins, required: false, rows: 3 },
    wrong: words.errors["page.embedOrigins"],
  }),
});

const openingControls = ({ settings: { availability } }: FormView): SettingControls => ({
  "availability.opensAt": momentControl("opensAt", availability, "00:00"),
  "availability.closesAt": momentControl("closesAt", availability, "23:59"),
  "availability.timeZone": zoneControl,
  "page.askTimeZone": checkboxOf(words.askTimeZone),
  "availability.maxSubmissions": parsedInput<number>(
    shapes.availability.maxSubmissions,
    (count) => readValue("integer", count, words.maxSubmissions),
    {
      ...{ label: words.maxSubmissions, hint: words.maxSubmissionsHint, required: false },
      ...{ inputmode: "numeric", wrong: words.errors["availability.maxSubmissions"] },
    },
  ),
});

/** It is shown once it is missing, and while another error refuses what was entered in it. */
const ConfirmName = ({ name, form }: { name: string; form: FormView }) => {
  const isEntered = useRefused(pathOfForm(form, "settings"))?.values.has(name);
  return useErrors()[name] === undefined && !isEntered ? null : (
    <Input name={name} label={formText.retention.confirm} hint={form.name} />
  );
};

const retentionControls = (form: FormView): SettingControls => ({
  "retention.count": {
    ...retentionRule(formText.retention.countHint),
    inputs: ["retention.count", "retention.unit", "retention.from"],
    choices: { ...formText.retention.units, ...formText.retention.moments },
  },
  "retention.confirm": {
    draw: (name) => <ConfirmName name={name} form={form} />,
    read: (values, name) => values.get(name)?.trim() === form.name.trim(),
    show: () => [],
  },
});

const accessControls = (): SettingControls => ({
  anonymous: checkboxOf(words.anonymous, true),
  "page.access": choiceOf(words.accesses, { label: words.access, hint: words.accessHint }),
  "invitations.anonymous": checkboxOf(words.anonymousInvited, false, words.anonymousInvitedHint),
  captcha: checkboxOf(words.captcha),
  review: checkboxOf(words.review),
  challenge: checkboxOf(words.challenge),
  "page.agents": choiceOf(words.page.agentChoices, { label: words.page.agents }),
});

/** The controls by their sections. */
const controlsOf = ({ form, people, isMailOn, hasKey }: Subject) => ({
  page: pageControls(form),
  elsewhere: elsewhereControls(),
  look: themeControls(form),
  opening: openingControls(form),
  ...(isMailOn && { notify: notifyControls(form, people), copy: copyControls(form) }),
  ...(hasKey && { comingBack: comingBackControls() }),
  retention: retentionControls(form),
  access: accessControls(),
});

const allControls = (subject: Subject): SettingControls =>
  Object.assign({}, ...Object.values(controlsOf(subject)));

const code = "validation_failed";

/** The form of the settings that a post changes. */
function changedForm({ found, values }: FormPost<unknown, Subject>): SettingsForm {
  const { opensAt: from, closesAt: until } = found.form.settings.availability ?? {};
  return formOf<SettingValues>(alteredControls(allControls(found), values), {
    code,
    check: ({ "availability.opensAt": opensAt = from, "availability.closesAt": closesAt = until }): Errors =>
      opensAt && closesAt && Date.parse(String(opensAt)) >= Date.parse(String(closesAt))
        ? { "availability.closesAt": words.errors.order }
        : {},
  });
}

/** Controls folded behind a label. They are open if one has an error. */
const FoldedControls = ({ label, controls }: { label: string; controls: SettingControls }) => {
  const errors = useErrors();
  return (
    <Folded label={label} isOpen={Object.keys(controls).some((name) => errors[name] !== undefined)}>
      <Controls of={{ controls }} />
    </Folded>
  );
};

type PartProps = RenderableProps<{ id: keyof typeof words.parts; isNarrow?: boolean }>;

const Part = ({ id, isNarrow, children }: PartProps) => (
  <Section id={id} title={words.parts[id]} hint={words.hints[id]}>
    <div class={isNarrow ? "stacked" : "stacked several"}>{children}</div>
  </Section>
);

const Mails = ({ notify, copy, form }: { form: FormView } & Partial<ReturnType<typeof controlsOf>>) => {
  if (!notify || !copy) return <p>{frameText.mail.off}</p>;
  return (
    <>
      <Controls of={{ controls: notify }} />
      <h3>{formsText.mails.copy.title}</h3>
      {form.settings.captcha?.enabled !== true && <p>{formsText.mails.copy.noCaptcha}</p>}
      <Controls of={{ controls: copy }} />
      <a href={pathOfForm(form, "mails")}>{formsText.mails.list}</a>
    </>
  );
};

/** The number of changes, which the script counts and shows, and the button that saves them. */
const SaveBar = ({ form }: { form: FormView }) => (
  <div class="save-bar" data-one={words.change} data-several={words.changes("{n}")}>
    <p role="status" />
    <Submit label={frameText.save} />
    <a class="button quiet" href={pathOfForm(form, "settings")} data-discard hidden>
      {words.discard}
    </a>
  </div>
);

const Parts = (props: SettingsProps) => {
  const { form, due } = props;
  const parts = controlsOf(props);
  return (
    <>
      <Part id="page">
        <Controls of={{ controls: parts.page }} />
        <FoldedControls label={words.more} controls={parts.elsewhere} />
      </Part>
      <Part id="look" isNarrow>
        <Look form={form} controls={parts.look} />
      </Part>
      <Part id="opening">
        <Controls of={{ controls: parts.opening }} />
      </Part>
      <Part id="mail">
        <Mails form={form} {...parts} />
      </Part>
      <Part id="comingBack" isNarrow>
        {parts.comingBack ? <Controls of={{ controls: parts.comingBack }} /> : <p>{words.noKey}</p>}
      </Part>
      <Part id="retention" isNarrow>
        <Controls of={{ controls: parts.retention }} />
        {due.rule && <p>{formText.retention.due(due.due, due.held)}</p>}
        {due.source === "team" && <p>{formText.retention.team}</p>}
      </Part>
      <Part id="access" isNarrow>
        <Controls of={{ controls: parts.access }} />
      </Part>
    </>
  );
};

/** The settings of an archived form, which are not changed, and the button that restores it. */
const ArchivedSettings = (props: SettingsProps & { shown: URLSearchParams }) => {
  const { form, shown } = props;
  const mayRestore = useMay("form.restored", form.workspaceId);
  return (
    <>
      <p>{words.archived}</p>
      {mayRestore && (
        <ActionButton action={`${pathOfForm(form)}/restore`} label={formText.menu.restore} class="" />
      )}
      <EnteredContext.Provider value={shown}>
        <fieldset class="settings" disabled>
          <Parts {...props} />
        </fieldset>
      </EnteredContext.Provider>
    </>
  );
};

const SettingsOf = (props: SettingsProps) => {
  const { form } = props;
  const action = pathOfForm(form, "settings");
  const refused = useRefused(action);
  const all = allControls(props);
  const now = shownSettings(all, form.settings);
  if (form.status === "archived") return <ArchivedSettings {...props} shown={refused?.values ?? now} />;
  return (
    <PostForm action={action} class="settings" initial={now} hasFile>
      <HiddenFields fields={{ [shownField]: shownAgain(all, refused, now).toString() }} />
      <Parts {...props} />
      <SaveBar form={form} />
    </PostForm>
  );
};

const Settings = (props: SettingsProps) => {
  const { form, holds } = props;
  const mayRemove = useMay("form.settings_changed", form.workspaceId) && form.status !== "archived";
  const unknown = ineffectiveNames(form).filter(({ setting }) => setting);
  return (
    <>
      <link rel="stylesheet" href={settingsStyleAsset.path} />
      <ProblemList form={form} title={formsText.publish.unknown} problems={unknown}>
        {mayRemove && removalsOfUnknown(form.settings).length > 0 && (
          <ActionButton
            action={`${pathOfForm(form, "settings")}/unknown`}
            label={words.removeUnknown}
            fields={{ updatedAt: form.updatedAt.toISOString() }}
            class=""
          />
        )}
      </ProblemList>
      <SettingsOf {...props} />
      <div class="settings">
        <Part id="atOnce" isNarrow>
          <HoldControls
            form={form}
            submission={null}
            hold={holds.find(({ submissionId }) => submissionId === null)}
          />
          <HeldSubmissions form={form} holds={holds} />
        </Part>
      </div>
    </>
  );
};

/** Requires the form's name for a rule that deletes more, or none. @throws {FormProblem} */
async function requireHarmless(view: PageContext, form: FormView, rule: Rule | null) {
  const before = form.settings.retention;
  if (rule === null && before === undefined) return;
  const { due } = await dueOf(view, form, rule ?? {});
  const isShorter = rule !== null && before !== undefined && isShorterRule(rule, before);
  if (rule !== null && !isShorter && due <= (await dueOf(view, form)).due) return;
  const { confirmHint, removeHint, confirmMissing } = formText.retention;
  const says = (rule === null ? removeHint : confirmHint)(due);
  throw new FormProblem({ "retention.confirm": `${says} ${confirmMissing}` }, code);
}

const dueOf = (view: PageContext, form: FormView, rule: Partial<Rule> | null = null) =>
  readDue(view.deps.sql, view.actor, { team: form.teamId, form: form.id }, rule);

const findSubject = async (view: PageContext): Promise<Subject> => {
  const form = await findForm(view);
  const isMailOn = hasOutbox(view.deps);
  const people = isMailOn ? await operatorsOfWorkspace(view.deps.sql, form.teamId, form.workspaceId) : [];
  return { form, people, isMailOn, hasKey: view.deps.masterKey.isPresent };
};

/** @throws {Problem} `insufficient_workspace_role`, also in place of a refused post. */
const settingsPage = async (view: PageContext) => {
  const subject = await findSubject(view);
  const { form } = subject;
  requireMay(view.session, "form.settings_changed", form.workspaceId);
  const [due, holds] = await Promise.all([dueOf(view, form), readHolds(view.deps.sql, form)]);
  const content = <Settings {...subject} due={due} holds={holds} />;
  return {
    ...formPage(form, "settings", formText.form.settings, content),
    policy: { "frame-src": "'self'" },
  };
};

async function saveSettings(view: FormPost<SettingValues, Subject>) {
  const { found, values } = view;
  const { form } = found;
  const { "retention.confirm": isConfirmed, ...entered } = view.data;
  const controls = allControls(found);
  const conflicts = conflictsOf(controls, values, shownSettings(controls, form.settings));
  if (Object.keys(conflicts).length > 0) throw new FormProblem(conflicts, "conflict");
  const { "retention.count": rule } = entered;
  if (rule !== undefined && !isConfirmed) await requireHarmless(view, form, rule as Rule | null);
  const settings = patchOf(entered, form.settings);
  await patchForm(view, form, { op: "setMeta", settings }, form.updatedAt.toISOString());
  const { publishedSettings, settings: saved, settingsInForce } = await findForm(view);
  const waits = settingChangesOf(publishedSettings, saved, settingsInForce).some((change) => change.waits);
  return { to: pathOfForm(form, "settings"), text: waits ? formText.effect.saved : frameText.saved };
}

export const settingsPages = {
  page: onGet(settingsPage),
  save: onPost(
    {
      act: "form.settings_changed",
      load: findSubject,
      form: changedForm,
      retry: settingsPage,
      hasFile: true,
    },
    saveSettings,
  ),
  removeUnknown: onPost(
    { act: "form.settings_changed", load: findForm, retry: settingsPage },
    async (view) => {
      const removals = removalsOfUnknown(view.found.settings);
      if (removals.length > 0) await patchForm(view, view.found, removals);
      return { to: pathOfForm(view.found, "settings"), text: words.unknownRemoved };
    },
  ),
  close: onFormPost("form.closed", closeForm, "settings", () => words.closed),
  open: onFormPost("form.opened", openForm, "settings", () => words.reopened),
} satisfies Handlers;
