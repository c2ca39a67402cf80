/** A form's settings: four cards, each of which is saved by itself. */
import type { ComponentChildren, RenderableProps } from "preact";
import { linesIn } from "../../../fields/choice-lines.ts";
import { limits } from "../../../limits.ts";
import { Name } from "../../../platform/http/shapes.ts";
import { isColour, readableAccent } from "../../../resources/forms/accent.ts";
import { ineffectiveNames, removalsOfUnknown } from "../../../resources/forms/draft-checks.ts";
import { logoTypes, logoUrl } from "../../../resources/forms/logo.ts";
import { closeForm, openForm } from "../../../resources/forms/publish.ts";
import {
  AvailabilitySettings,
  LogoSettings,
  PageSettings,
  ThemeSettings,
} from "../../../resources/forms/settings.ts";
import { settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { type HoldRow, readHolds } from "../../../resources/holds/holds.ts";
import { type Rule, readDue } from "../../../resources/retention/retention.ts";
import { type Errors, Input, Submit, useErrors } from "../../ui/controls.tsx";
import { type FormView, findForm, formPage, onFormPost, patchForm, pathOfForm, Seen } from "../form/form.tsx";
import { HeldSubmissions, HoldControls } from "../form/holds.tsx";
import { isShorterRule, retentionRule } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { readValue } from "../frame/entered-value.tsx";
import { Controls, FormProblem, formOf, textInput, Wrong } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, PostForm, requireMay, useMay, useRefused } from "../frame/layout.tsx";
import { Confirm, Folded, FormActions, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { ProblemList } from "./problem-list.tsx";
import {
  checkboxOf,
  choiceOf,
  momentControl,
  parsedInput,
  patchOf,
  type SettingsForm,
  type SettingValues,
  shapesOf,
  shownSettings,
  zoneControl,
} from "./setting-controls.tsx";
import { formsText } from "./words.ts";

const words = formsText.settings;

interface SettingsProps {
  form: FormView;
  /** Submissions that the rule in effect deletes within a day. */
  due: Awaited<ReturnType<typeof readDue>>;
  holds: readonly HoldRow[];
}

const pathTo = (form: FormView, card: string) => `${pathOfForm(form, "settings")}/${card}`;

const shapes = {
  page: shapesOf(PageSettings),
  theme: shapesOf(ThemeSettings),
  logo: shapesOf(LogoSettings),
  availability: shapesOf(AvailabilitySettings),
};

/** A text of the page with a hint. An address, unless its errors have a sentence of their own. */
function text<Group extends "page" | "theme">(
  path: `${Group}.${Extract<keyof (typeof words)[Group]["hints"], string>}`,
  more: Partial<Parameters<typeof textInput>[0]> = {},
) {
  const { errors } = words;
  const [group, member] = path.split(".") as ["page", "title"];
  const { hints, [member]: label } = words[group];
  const wrong = Object.hasOwn(errors, path) ? errors[path as "page.alias"] : errors.url;
  const shape = shapes[group][member];
  return textInput({ label, hint: hints[member], required: false, shape, wrong, ...more });
}

const lines = (rows: number) => ({ rows, isVerbatim: true });

/** Returns the error of a colour. With too little contrast it names the nearest readable colour. */
const wrongColour = (colour: string): string =>
  isColour(colour) ? words.errors.contrast(readableAccent(colour)) : words.errors["theme.accent"];

/** Controls of the card "Page": the first ones, and two folded parts. */
function pageControls() {
  const { page, theme } = words;
  return {
    first: {
      name: textInput({ label: words.name, required: true, shape: Name }),
      description: textInput({ label: words.description, required: false, ...lines(3) }),
      "page.alias": text("page.alias"),
      "page.language": choiceOf(page.languages, { label: page.language }),
      "page.layout": choiceOf(page.layouts, { label: page.layout, hint: page.hints.layout }),
      "page.thankYou": text("page.thankYou", lines(3)),
    },
    theme: {
      "theme.accent": text("theme.accent", { wrong: wrongColour }),
      "theme.corners": choiceOf(theme.corners, { label: theme.cornersLabel }),
      "theme.scheme": choiceOf(theme.schemes, { label: theme.schemeLabel, hint: theme.hints.scheme }),
      "theme.privacyUrl": text("theme.privacyUrl"),
      "theme.imprintUrl": text("theme.imprintUrl"),
      "theme.contact": text("theme.contact"),
    },
    more: {
      "page.title": text("page.title"),
      "page.introduction": text("page.introduction", lines(3)),
      "page.submitLabel": text("page.submitLabel"),
      "page.redirectUrl": text("page.redirectUrl"),
      "page.embedOrigins": parsedInput(shapes.page.embedOrigins, linesIn, {
        ...{ label: page.embedOrigins, hint: page.hints.embedOrigins, required: false, rows: 3 },
        wrong: words.errors["page.embedOrigins"],
      }),
      "page.agents": choiceOf(page.agentChoices, { label: page.agents }),
    },
  };
}

const code = "validation_failed";

const settingsForm = (controls: SettingsForm["controls"], more: Partial<SettingsForm> = {}): SettingsForm =>
  formOf(controls, { code, ...more });

function pageForm() {
  const { first, theme, more } = pageControls();
  const about = { address_taken: "page.alias", too_many_addresses: "page.alias" };
  return settingsForm({ ...first, ...theme, ...more }, { about });
}

const openingForm = ({ settings: { availability } }: FormView) =>
  settingsForm(
    {
      "availability.opensAt": momentControl("opensAt", availability, "00:00"),
      "availability.closesAt": momentControl("closesAt", availability, "23:59"),
      "availability.timeZone": zoneControl,
      "page.askTimeZone": checkboxOf(words.askTimeZone),
      "availability.maxSubmissions": parsedInput(
        shapes.availability.maxSubmissions,
        (count) => readValue("integer", count, words.maxSubmissions),
        {
          ...{ label: words.maxSubmissions, hint: words.maxSubmissionsHint, required: false },
          ...{ inputmode: "numeric", wrong: words.errors["availability.maxSubmissions"] },
        },
      ),
      "page.closedText": text("page.closedText", lines(2)),
      "page.fullText": text("page.fullText", lines(2)),
    },
    {
      check: ({ "availability.opensAt": opensAt, "availability.closesAt": closesAt }): Errors =>
        opensAt && closesAt && Date.parse(String(opensAt)) >= Date.parse(String(closesAt))
          ? { "availability.closesAt": words.errors.order }
          : {},
    },
  );

const rulesForm = () =>
  settingsForm({
    anonymous: checkboxOf(words.anonymous, true),
    review: checkboxOf(words.review),
    captcha: checkboxOf(words.captcha),
    challenge: checkboxOf(words.challenge),
  });

/** It is shown once it is missing, and while another error refuses what was entered in it. */
const ConfirmName = ({ name, form }: { name: string; form: FormView }) => {
  const isEntered = useRefused(pathTo(form, "retention"))?.values.has(name);
  return useErrors()[name] === undefined && !isEntered ? null : (
    <Input name={name} label={formText.retention.confirm} hint={form.name} />
  );
};

const retentionForm = (form: FormView) =>
  settingsForm({
    "retention.count": retentionRule(formText.retention.countHint),
    "retention.confirm": {
      draw: (name) => <ConfirmName name={name} form={form} />,
      read: (values, name) => values.get(name)?.trim() === form.name.trim(),
    },
  });

const cards = { page: pageForm, opening: openingForm, rules: rulesForm, retention: retentionForm };
type Card = keyof typeof cards;

/** The form has the children in place of all its controls. */
type CardProps = RenderableProps<{ card: Card; form: FormView; after?: ComponentChildren }>;

const SettingsCard = ({ card, form, children, after }: CardProps) => {
  const action = pathTo(form, card);
  const of = cards[card](form);
  const { name, description, settings } = form;
  const initial = shownSettings(of, { ...settings, name, description });
  return (
    <Section class="panel" id={card} title={words.cards[card]} hint={words.hints[card]}>
      <PostForm action={action} class="stacked" initial={initial}>
        <Seen form={form} refused={useRefused(action)} />
        {children ?? <Controls of={of} />}
        <FormActions submit={frameText.save} aria-label={`${frameText.save}: ${words.cards[card]}`} />
      </PostForm>
      {after}
    </Section>
  );
};

/** Controls folded behind a label. They are open if one has an error. */
const FoldedControls = ({ label, controls }: { label: string; controls: SettingsForm["controls"] }) => {
  const errors = useErrors();
  return (
    <Folded label={label} isOpen={Object.keys(controls).some((name) => errors[name] !== undefined)}>
      <Controls of={settingsForm(controls)} />
    </Folded>
  );
};

const PageCard = () => {
  const { first, theme, more } = pageControls();
  return (
    <>
      <Controls of={settingsForm(first)} />
      <FoldedControls label={words.theme.summary} controls={theme} />
      <FoldedControls label={words.more} controls={more} />
    </>
  );
};

/** The form of a logo; one without controls for the button that removes it. */
const logoFormOf = ({ found: { settings }, values }: FormPost<unknown, FormView>) =>
  values.has("remove") ? settingsForm({}) : logoForm(settings.page?.theme?.logo);

/** @param before logo whose picture stays if no file is sent */
const logoForm = (before?: { src: string; alt: string }) => {
  const { file: label, alt, altHint, hint, wrong } = words.logo;
  const kib = limits.formPage.maxLogoBytes / 1024;
  const required = before ? false : undefined;
  const input = { type: "file", accept: logoTypes.join(), label, hint: hint(kib), required } as const;
  const shape = shapes.logo.alt;
  return settingsForm({
    logo: {
      draw: (name) => <Input {...input} name={name} />,
      read: (values, name) => {
        const file = values.get(name);
        const src = file ? logoUrl(Buffer.from(file, "base64")) : before?.src;
        return src ?? new Wrong(wrong(kib));
      },
    },
    alt: textInput({ label: alt, hint: altHint, value: before?.alt, required: true, shape }),
  });
};

/** The logo has a form of its own: a file is sent in another way than texts. */
const LogoForm = ({ form }: { form: FormView }) => {
  const labels = words.logo;
  const logo = form.settings.page?.theme?.logo;
  const action = pathTo(form, "logo");
  const refused = useRefused(action);
  return (
    <details open={refused !== undefined}>
      <summary>{labels.summary}</summary>
      {logo && <img class="logo" src={logo.src} alt={logo.alt} />}
      <PostForm action={action} form={logoForm(logo)} class="stacked" hasFile>
        <Seen form={form} refused={refused} />
        <div class="actions">
          <button type="submit">{labels.save}</button>
          {logo && <Submit class="quiet" name="remove" value="true" formNoValidate label={labels.remove} />}
        </div>
      </PostForm>
    </details>
  );
};

/** Closes or opens the form at once, whatever the card has. */
const CloseOrOpen = ({ form }: { form: FormView }) => {
  const mayOpen = useMay("form.opened", form.workspaceId);
  const action = pathOfForm(form, "settings");
  const { closesAt } = form.settingsInForce.availability ?? {};
  const isClosed = closesAt !== undefined && Date.parse(closesAt) <= Date.now();
  if (form.status !== "published") return null;
  if (!isClosed)
    return (
      <Confirm
        label={words.closeNow}
        action={`${action}/close`}
        hint={words.closeNowHint}
        confirm={words.closeNow}
        isHarmless
      />
    );
  return mayOpen ? <ActionButton action={`${action}/open`} label={words.reopen} class="" /> : null;
};

const Settings = ({ form, due, holds }: SettingsProps) => {
  const ownHold = holds.find((hold) => hold.submissionId === null);
  const held = (
    <>
      <HoldControls form={form} submission={null} hold={ownHold} />
      <HeldSubmissions form={form} holds={holds} />
    </>
  );
  const mayRemove = useMay("form.settings_changed", form.workspaceId);
  const unknown = ineffectiveNames(form).filter(({ setting }) => setting);
  return (
    <>
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
      <div class="cards">
        <SettingsCard form={form} card="page" after={<LogoForm form={form} />}>
          <PageCard />
        </SettingsCard>
        <div class="cards">
          <SettingsCard form={form} card="opening" after={<CloseOrOpen form={form} />} />
          <SettingsCard form={form} card="rules">
            <div class="choices">
              <Controls of={rulesForm()} />
            </div>
          </SettingsCard>
          <SettingsCard form={form} card="retention" after={held}>
            <Controls of={retentionForm(form)} />
            {due.rule && <p>{formText.retention.due(due.due, due.held)}</p>}
            {due.source === "team" && <p>{formText.retention.team}</p>}
          </SettingsCard>
        </div>
      </div>
    </>
  );
};

async function saveCard(view: FormPost<SettingValues, FormView>) {
  const { found: form } = view;
  const { name, description, "retention.confirm": isConfirmed, ...values } = view.data;
  if (isConfirmed === false) await requireHarmless(view, form, values["retention.count"] as Rule | null);
  const settings = patchOf(values, form.settings);
  await patchForm(view, form, { op: "setMeta", ...(name !== undefined && { name, description }), settings });
  const { publishedSettings, settings: saved, settingsInForce } = await findForm(view);
  const waits = settingChangesOf(publishedSettings, saved, settingsInForce).some((change) => change.waits);
  return { to: pathOfForm(form, "settings"), text: waits ? words.savedWaits : frameText.saved };
}

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

/** @throws {Problem} `insufficient_workspace_role`, also in place of a refused post. */
const settingsPage = async (view: PageContext) => {
  const form = await findForm(view);
  requireMay(view.session, "form.settings_changed", form.workspaceId);
  const [due, holds] = await Promise.all([dueOf(view, form), readHolds(view.deps.sql, form)]);
  return formPage(form, "settings", formText.form.settings, <Settings form={form} due={due} holds={holds} />);
};

const postOf = (card: Card) =>
  onPost(
    {
      act: card === "page" ? "form.patched" : "form.settings_changed",
      load: findForm,
      form: ({ found }) => cards[card](found),
      retry: settingsPage,
    },
    saveCard,
  );

export const settingsPages = {
  page: onGet(settingsPage),
  saveLogo: onPost(
    { act: "form.settings_changed", load: findForm, form: logoFormOf, retry: settingsPage, hasFile: true },
    async (view) => {
      const { logo: src, alt } = view.data;
      const { found: form } = view;
      const settings = { page: { theme: { logo: src ? { src, alt } : null } } };
      await patchForm(view, form, { op: "setMeta", settings });
      return { to: pathOfForm(form, "settings"), text: frameText.saved };
    },
  ),
  savePage: postOf("page"),
  saveOpening: postOf("opening"),
  saveRules: postOf("rules"),
  saveRetention: postOf("retention"),
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
