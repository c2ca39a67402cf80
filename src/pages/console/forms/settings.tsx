/** A form's settings: four cards, each of which is saved by itself. */
import type { ComponentChildren } from "preact";
import { limits } from "../../../limits.ts";
import { Problem, requireClientProblem } from "../../../problem.ts";
import { logoTypes, logoUrl } from "../../../resources/forms/logo.ts";
import { closeForm, openForm } from "../../../resources/forms/publish.ts";
import { settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { type HoldRow, readHolds } from "../../../resources/holds/holds.ts";
import { type Rule, readDue } from "../../../resources/retention/retention.ts";
import {
  Checkbox,
  type Errors,
  Input,
  Notice,
  Select,
  Submit,
  TextArea,
  useErrors,
} from "../../ui/controls.tsx";
import { type FormView, findForm, formPage, patchForm, pathOfForm, Seen } from "../form/form.tsx";
import { HeldSubmissions, HoldControls } from "../form/holds.tsx";
import { isShorterRule, RetentionInputs, ruleIn } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { type FormPost, onGet, onPost, type View } from "../frame/handler.ts";
import { PostForm, type Refused, requireMay, useMay, useRefused } from "../frame/layout.tsx";
import { FormActions } from "../frame/new-page.tsx";
import { Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { type Card, readCard, settingsValues, themeMembers } from "./settings-form.ts";
import { formsText } from "./words.ts";

const words = formsText.settings;

interface SettingsProps {
  form: FormView;
  /** What the rule in force deletes within a day. */
  due: Awaited<ReturnType<typeof readDue>>;
  holds: readonly HoldRow[];
}

/** What is wrong, by the control, of a post of a card. */
class RefusedCard extends Problem {
  /** @param toConfirm what the operator has to confirm */
  constructor(
    readonly errors: Errors,
    readonly toConfirm?: string,
  ) {
    super("validation_failed", words.invalid);
  }
}

const errorsIn = (refused: Refused | undefined): Errors | undefined =>
  refused?.problem instanceof RefusedCard ? refused.problem.errors : undefined;

/** Why a card was not saved. */
const CardProblem = ({ of }: { of: Refused }) => {
  const errors = errorsIn(of);
  if (!errors) return <Notice kind="error">{of.message}</Notice>;
  return null;
};

const SettingsCard = ({
  card,
  form,
  children,
  after,
}: {
  card: Card;
  form: FormView;
  children: ComponentChildren;
  after?: ComponentChildren;
}) => {
  const action = `${pathOfForm(form, "settings")}/${card}`;
  const refused = useRefused(action);
  return (
    <Section class="panel" id={card} title={words.cards[card]} hint={words.hints[card]}>
      {refused && <CardProblem of={refused} />}
      <PostForm action={action} class="stacked" initial={settingsValues(form)}>
        <Seen form={form} refused={refused} />
        {children}
        <FormActions submit={words.save} aria-label={`${words.save}: ${words.cards[card]}`} />
      </PostForm>
      {after}
    </Section>
  );
};

const PageCard = () => {
  const { hints, ...labels } = words.page;
  const errors = useErrors();
  const line = (name: "alias" | "title" | "submitLabel" | "redirectUrl") => (
    <Input name={`page.${name}`} label={labels[name]} hint={hints[name]} required={false} />
  );
  const area = (name: "thankYou" | "introduction" | "embedOrigins") => (
    <TextArea name={`page.${name}`} label={labels[name]} hint={hints[name]} required={false} rows={3} />
  );
  const more = ["title", "introduction", "submitLabel", "redirectUrl", "embedOrigins"];
  return (
    <>
      <Input name="name" label={words.name} required />
      <TextArea name="description" label={words.description} required={false} rows={3} />
      {line("alias")}
      <Select name="page.language" label={labels.language} choices={labels.languages} />
      <Select name="page.layout" label={labels.layout} hint={hints.layout} choices={labels.layouts} />
      {area("thankYou")}
      <Theme />
      <details open={more.some((name) => errors[`page.${name}`])}>
        <summary>{words.more}</summary>
        <div class="stacked">
          {line("title")}
          {area("introduction")}
          {line("submitLabel")}
          {line("redirectUrl")}
          {area("embedOrigins")}
          <Select name="page.agents" label={labels.agents} choices={labels.agentChoices} />
        </div>
      </details>
    </>
  );
};

const Theme = () => {
  const errors = useErrors();
  const { hints, summary, schemes, corners, ...labels } = words.theme;
  const line = (name: "accent" | "privacyUrl" | "imprintUrl" | "contact") => (
    <Input name={`theme.${name}`} label={labels[name]} hint={hints[name]} required={false} />
  );
  return (
    <details open={themeMembers.some((name) => errors[`theme.${name}`])}>
      <summary>{summary}</summary>
      <div class="stacked">
        {line("accent")}
        <Select name="theme.corners" label={labels.cornersLabel} choices={corners} />
        <Select name="theme.scheme" label={labels.schemeLabel} hint={hints.scheme} choices={schemes} />
        {line("privacyUrl")}
        {line("imprintUrl")}
        {line("contact")}
      </div>
    </details>
  );
};

/** The logo has a form of its own: a file is sent in another way than texts. */
const LogoForm = ({ form }: { form: FormView }) => {
  const labels = words.logo;
  const logo = form.settings.page?.theme?.logo;
  const action = `${pathOfForm(form, "settings")}/logo`;
  const refused = useRefused(action);
  const errors = errorsIn(refused);
  return (
    <details open={refused !== undefined}>
      <summary>{labels.summary}</summary>
      {logo && <img class="logo" src={logo.src} alt={logo.alt} />}
      {refused && !errors && <Notice kind="error">{refused.message}</Notice>}
      <PostForm action={action} class="stacked" hasFile>
        <Seen form={form} />
        <Input
          name="logo"
          type="file"
          accept={logoTypes.join()}
          label={labels.file}
          hint={labels.hint(limits.formPage.maxLogoBytes / 1024)}
          required={logo ? false : undefined}
        />
        <Input name="alt" label={labels.alt} hint={labels.altHint} value={logo?.alt} />
        <div class="actions">
          <button type="submit">{labels.save}</button>
          {logo && <Submit class="quiet" name="remove" value="true" formNoValidate label={labels.remove} />}
        </div>
      </PostForm>
    </details>
  );
};

/** A day and a time beside each other; a message is about both. */
const MomentInput = ({ name }: { name: "opensAt" | "closesAt" }) => {
  const day = `availability.${name}`;
  const isWrong = useErrors()[day] !== undefined;
  return (
    <div class="inline">
      <Input name={day} type="date" label={`${words[name]}: ${words.day}`} />
      <Input name={`${day}.time`} type="time" label={`${words[name]}: ${words.time}`} invalid={isWrong} />
    </div>
  );
};

const OpeningCard = () => (
  <>
    <MomentInput name="opensAt" />
    <MomentInput name="closesAt" />
    <Input
      name="availability.timeZone"
      data-own-zone
      label={words.timeZone}
      hint={frameText.days.timeZoneHint}
    />
    <Input
      name="availability.maxSubmissions"
      label={words.maxSubmissions}
      hint={words.maxSubmissionsHint}
      inputmode="numeric"
      required={false}
    />
    {(["closedText", "fullText"] as const).map((name) => (
      <TextArea
        key={name}
        name={`page.${name}`}
        label={words.page[name]}
        hint={words.page.hints[name]}
        required={false}
        rows={2}
      />
    ))}
  </>
);

const RulesCard = () => (
  <div class="choices">
    {(["anonymous", "review", "captcha", "challenge"] as const).map((name) => (
      <Checkbox key={name} name={name} label={words[name]} />
    ))}
  </div>
);

const RetentionCard = ({ form, due }: SettingsProps) => {
  const labels = formText.retention;
  const problem = useRefused()?.problem;
  const toConfirm = problem instanceof RefusedCard ? problem.toConfirm : undefined;
  return (
    <>
      <RetentionInputs countHint={labels.countHint} />
      {toConfirm && (
        <Input name="retention.confirm" label={labels.confirm} hint={`${toConfirm} (${form.name})`} />
      )}
      {due.rule && <p>{labels.due(due.due, due.held)}</p>}
      {due.source === "team" && <p>{labels.team}</p>}
    </>
  );
};

const Holds = ({ form, holds }: SettingsProps) => (
  <>
    <HoldControls form={form} submission={null} hold={holds.find((hold) => hold.submissionId === null)} />
    <HeldSubmissions form={form} holds={holds} />
  </>
);

const isClosed = ({ settingsInForce: { availability } }: FormView): boolean =>
  availability?.closesAt !== undefined && Date.parse(availability.closesAt) <= Date.now();

/** At once, whatever the card has. */
const CloseOrOpen = ({ form }: { form: FormView }) => {
  const mayOpen = useMay("form.opened", form.workspaceId);
  const action = pathOfForm(form, "settings");
  if (form.status !== "published") return null;
  if (!isClosed(form))
    return (
      <Confirm
        label={words.closeNow}
        action={`${action}/close`}
        hint={words.closeNowHint}
        confirm={words.closeNow}
        isHarmless
      />
    );
  return mayOpen ? (
    <PostForm action={`${action}/open`}>
      <button type="submit">{words.reopen}</button>
    </PostForm>
  ) : null;
};

const Settings = (props: SettingsProps) => {
  const { form } = props;
  return (
    <div class="cards">
      <SettingsCard form={form} card="page" after={<LogoForm form={form} />}>
        <PageCard />
      </SettingsCard>
      <div class="cards">
        <SettingsCard form={form} card="opening" after={<CloseOrOpen form={form} />}>
          <OpeningCard />
        </SettingsCard>
        <SettingsCard form={form} card="rules">
          <RulesCard />
        </SettingsCard>
        <SettingsCard form={form} card="retention" after={<Holds {...props} />}>
          <RetentionCard {...props} />
        </SettingsCard>
      </div>
    </div>
  );
};

async function saveCard(view: FormPost, card: Card) {
  const form = await findForm(view);
  const { errors, operation } = readCard(card, view.values, form);
  if (Object.keys(errors).length > 0) throw new RefusedCard(errors);
  if (card === "retention") await requireConfirmed(view, form);
  try {
    await patchForm(view, form, { op: "setMeta", ...operation });
  } catch (error) {
    const key = requireClientProblem(error).said?.key;
    const isTaken = key === "address_taken" || key === "too_many_addresses";
    throw isTaken ? new RefusedCard({ "page.alias": words.errors.aliasTaken }) : error;
  }
  const { publishedSettings, settings, settingsInForce } = await findForm(view);
  const waits = settingChangesOf(publishedSettings, settings, settingsInForce).some((change) => change.waits);
  return { to: pathOfForm(form, "settings"), text: waits ? words.savedWaits : words.saved };
}

/** A shorter time, a rule that deletes more than the one in force, and none ask for the form's name. */
async function requireConfirmed(view: FormPost, form: FormView) {
  const rule = ruleIn(view.values);
  const before = form.settings.retention;
  if (view.values.get("retention.confirm")?.trim() === form.name.trim()) return;
  if (rule === null && before === undefined) return;
  const { due } = await dueOf(view, form, rule ?? {});
  const isShorter = rule !== null && before !== undefined && isShorterRule(rule, before);
  if (rule !== null && !isShorter && due <= (await dueOf(view, form)).due) return;
  const { confirmHint, removeHint } = formText.retention;
  throw new RefusedCard(
    { "retention.confirm": words.errors["retention.confirm"] },
    (rule === null ? removeHint : confirmHint)(due),
  );
}

const dueOf = (view: View, form: FormView, rule: Partial<Rule> | null = null) =>
  readDue(view.deps.sql, view.actor, { team: form.teamId, form: form.id }, rule);

const logoErrors = (src: string | undefined, alt: string): Errors => ({
  ...(src === undefined && { logo: words.logo.wrong(limits.formPage.maxLogoBytes / 1024) }),
  ...((alt === "" || alt.length > limits.formPage.maxLogoTextLength) && { alt: words.logo.altWrong }),
});

async function saveLogo(view: FormPost) {
  const form = await findForm(view);
  const before = form.settings.page?.theme?.logo;
  const alt = view.values.get("alt")?.trim() ?? "";
  const file = view.values.get("logo") ?? "";
  const src = file === "" ? before?.src : logoUrl(Buffer.from(file, "base64"));
  const isRemoved = view.values.has("remove");
  const errors = logoErrors(src, alt);
  if (!isRemoved && Object.keys(errors).length > 0) throw new RefusedCard(errors);
  const settings = { page: { theme: { logo: isRemoved ? null : { src, alt } } } };
  await patchForm(view, form, { op: "setMeta", settings });
  return { to: pathOfForm(form, "settings"), text: words.saved };
}

const settingsPage = async (view: View, read?: FormView) => {
  const form = read ?? (await findForm(view));
  const [due, holds] = await Promise.all([dueOf(view, form), readHolds(view.deps.sql, form)]);
  return formPage(form, "settings", words.title, <Settings form={form} due={due} holds={holds} />);
};

const postOf = (card: Card) =>
  onPost({ retry: (retry) => settingsPage(retry) }, (view) => saveCard(view, card));

const setOpen = (perform: typeof closeForm, done: "closed" | "reopened") =>
  onPost({}, async (view) => {
    const form = await findForm(view);
    await perform(view.deps.sql, view.actor, form.teamId, form.id);
    return { to: pathOfForm(form, "settings"), text: words[done] };
  });

export const settingsPages = {
  page: onGet(async (view) => {
    const form = await findForm(view);
    requireMay(view.session, "form.settings_changed", form.workspaceId);
    return await settingsPage(view, form);
  }),
  saveLogo: onPost({ retry: (retry) => settingsPage(retry), hasFile: true }, saveLogo),
  savePage: postOf("page"),
  saveOpening: postOf("opening"),
  saveRules: postOf("rules"),
  saveRetention: postOf("retention"),
  close: setOpen(closeForm, "closed"),
  open: setOpen(openForm, "reopened"),
} satisfies Handlers;
