/** A form's settings: four cards, each of which is saved by itself. */
import type { ComponentChildren } from "preact";
import { limits } from "../../limits.ts";
import { Problem, requireClientProblem } from "../../problem.ts";
import { logoTypes, logoUrl } from "../../resources/forms/logo.ts";
import { closeForm, openForm } from "../../resources/forms/publish.ts";
import { settingChangesOf } from "../../resources/forms/settings-changes.ts";
import type { HoldRow } from "../../resources/holds/holds.ts";
import { type Rule, readDue } from "../../resources/retention/retention.ts";
import { Checkbox, Input, idOf, Notice, Select, Submit, Summary, TextArea } from "../ui/controls.tsx";
import { Confirm } from "./confirm.tsx";
import type { Routes } from "./context.ts";
import { type FormView, findForm, formPage, patchForm, pathOfForm, Seen } from "./form.tsx";
import { type FormPost, onGet, onPost, type Retry, type View } from "./handler.ts";
import { HeldSubmissions, HoldControls, readHolds } from "./holds.tsx";
import { PostForm, requireMay, useMay } from "./layout.tsx";
import { FormActions } from "./new-page.tsx";
import { Section } from "./parts.tsx";
import { RetentionInputs } from "./retention-inputs.tsx";
import { isShorterRule, ruleIn } from "./retention-rule.ts";
import { type Card, type Errors, readCard, themeMembers, toValues } from "./settings-form.ts";
import { text } from "./text.ts";

const words = text.settings;

interface SettingsProps {
  form: FormView;
  values: URLSearchParams;
  /** The card that was not saved. */
  refused?: Card | "logo";
  message?: string | undefined;
  errors?: Errors;
  seenAt?: string | undefined;
  /** What the rule in force deletes within a day. */
  due: Awaited<ReturnType<typeof readDue>>;
  holds: readonly HoldRow[];
  /** What the rule that was entered would do, to be confirmed. */
  toConfirm?: string | undefined;
}

type CardProps = SettingsProps & { of: (name: string) => { name: string; value: string; error?: string } };

const ErrorSummary = ({ errors }: { errors: Errors }) => (
  <Summary heading={words.invalid}>
    <ul>
      {Object.entries(errors).map(([name, message]) => (
        <li key={name}>
          <a href={`#${idOf(name)}`}>{message}</a>
        </li>
      ))}
    </ul>
  </Summary>
);

const SettingsCard = ({
  card,
  form,
  refused,
  message,
  errors = {},
  seenAt,
  children,
  after,
}: SettingsProps & { card: Card; children: ComponentChildren; after?: ComponentChildren }) => {
  const isRefused = refused === card;
  return (
    <Section class="panel" id={card} title={words.cards[card]} hint={words.hints[card]}>
      {isRefused && message && <Notice kind="error">{message}</Notice>}
      {isRefused && Object.keys(errors).length > 0 && <ErrorSummary errors={errors} />}
      <PostForm action={`${pathOfForm(form, "settings")}/${card}`} class="stacked">
        <Seen form={form} at={isRefused ? seenAt : undefined} />
        {children}
        <FormActions submit={words.save} aria-label={`${words.save}: ${words.cards[card]}`} />
      </PostForm>
      {after}
    </Section>
  );
};

const PageCard = ({ of }: CardProps) => {
  const { hints, ...labels } = words.page;
  const line = (name: "alias" | "title" | "submitLabel" | "redirectUrl") => (
    <Input {...of(`page.${name}`)} label={labels[name]} hint={hints[name]} required={false} />
  );
  const area = (name: "thankYou" | "introduction" | "embedOrigins") => (
    <TextArea {...of(`page.${name}`)} label={labels[name]} hint={hints[name]} required={false} rows={3} />
  );
  const more = ["title", "introduction", "submitLabel", "redirectUrl", "embedOrigins"];
  return (
    <>
      <Input {...of("name")} label={words.name} required />
      <TextArea {...of("description")} label={words.description} required={false} rows={3} />
      {line("alias")}
      <Select {...of("page.language")} label={labels.language} choices={labels.languages} />
      <Select {...of("page.layout")} label={labels.layout} hint={hints.layout} choices={labels.layouts} />
      {area("thankYou")}
      <Theme of={of} />
      <details open={more.some((name) => of(`page.${name}`).error)}>
        <summary>{words.more}</summary>
        <div class="stacked">
          {line("title")}
          {area("introduction")}
          {line("submitLabel")}
          {line("redirectUrl")}
          {area("embedOrigins")}
          <Select {...of("page.agents")} label={labels.agents} choices={labels.agentChoices} />
        </div>
      </details>
    </>
  );
};

const Theme = ({ of }: Pick<CardProps, "of">) => {
  const { hints, summary, schemes, corners, ...labels } = words.theme;
  const line = (name: "accent" | "privacyUrl" | "imprintUrl" | "contact") => (
    <Input {...of(`theme.${name}`)} label={labels[name]} hint={hints[name]} required={false} />
  );
  return (
    <details open={themeMembers.some((name) => of(`theme.${name}`).error)}>
      <summary>{summary}</summary>
      <div class="stacked">
        {line("accent")}
        <Select {...of("theme.corners")} label={labels.cornersLabel} choices={corners} />
        <Select {...of("theme.scheme")} label={labels.schemeLabel} hint={hints.scheme} choices={schemes} />
        {line("privacyUrl")}
        {line("imprintUrl")}
        {line("contact")}
      </div>
    </details>
  );
};

/** The logo has a form of its own: a file is sent in another way than texts. */
const LogoForm = ({ form, refused, errors = {}, values }: SettingsProps) => {
  const labels = words.logo;
  const logo = form.settings.page?.theme?.logo;
  const error = (name: string) => (refused === "logo" ? errors[name] : undefined);
  const action = `${pathOfForm(form, "settings")}/logo`;
  return (
    <details open={refused === "logo"}>
      <summary>{labels.summary}</summary>
      {logo && <img class="logo" src={logo.src} alt={logo.alt} />}
      <PostForm action={action} class="stacked" hasFile>
        <Seen form={form} />
        <Input
          name="logo"
          type="file"
          accept={logoTypes.join()}
          label={labels.file}
          hint={labels.hint(limits.formPage.maxLogoBytes / 1024)}
          error={error("logo")}
          required={logo ? false : undefined}
        />
        <Input
          name="alt"
          label={labels.alt}
          hint={labels.altHint}
          value={refused === "logo" ? (values.get("alt") ?? "") : logo?.alt}
          error={error("alt")}
        />
        <div class="actions">
          <button type="submit">{labels.save}</button>
          {logo && <Submit class="quiet" name="remove" value="true" formNoValidate label={labels.remove} />}
        </div>
      </PostForm>
    </details>
  );
};

/** A day and a time beside each other; a message is about both. */
const MomentInput = ({ of, name }: Pick<CardProps, "of"> & { name: "opensAt" | "closesAt" }) => {
  const day = of(`availability.${name}`);
  const { error: _error, ...time } = of(`availability.${name}.time`);
  return (
    <div class="inline">
      <Input {...day} type="date" label={`${words[name]}: ${words.day}`} />
      <Input
        {...time}
        type="time"
        label={`${words[name]}: ${words.time}`}
        invalid={day.error !== undefined}
      />
    </div>
  );
};

const OpeningCard = ({ of }: CardProps) => (
  <>
    <MomentInput of={of} name="opensAt" />
    <MomentInput of={of} name="closesAt" />
    <Input {...of("availability.timeZone")} data-own-zone label={words.timeZone} hint={words.timeZoneHint} />
    <Input
      {...of("availability.maxSubmissions")}
      label={words.maxSubmissions}
      hint={words.maxSubmissionsHint}
      inputmode="numeric"
      required={false}
    />
    {(["closedText", "fullText"] as const).map((name) => (
      <TextArea
        key={name}
        {...of(`page.${name}`)}
        label={words.page[name]}
        hint={words.page.hints[name]}
        required={false}
        rows={2}
      />
    ))}
  </>
);

const RulesCard = ({ values }: CardProps) => (
  <div class="choices">
    {(["anonymous", "review", "captcha", "challenge"] as const).map((name) => (
      <Checkbox key={name} name={name} label={words[name]} checked={values.has(name)} />
    ))}
  </div>
);

const RetentionCard = ({ of, toConfirm, form, due }: CardProps) => {
  const labels = words.retention;
  const confirm = of("retention.confirm");
  return (
    <>
      <RetentionInputs of={of} countHint={labels.countHint} />
      {toConfirm !== undefined && (
        <Input {...confirm} label={labels.confirm} hint={`${toConfirm} (${form.name})`} />
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
  const { form, values, errors = {}, refused } = props;
  const cardOf = (card: Card) => {
    const shown = refused === card ? values : toValues(form);
    const of = (name: string) => {
      const error = refused === card ? errors[name] : undefined;
      return { name, value: shown.get(name) ?? "", ...(error !== undefined && { error }) };
    };
    return { ...props, values: shown, of };
  };
  return (
    <div class="cards">
      <SettingsCard {...props} card="page" after={<LogoForm {...props} />}>
        <PageCard {...cardOf("page")} />
      </SettingsCard>
      <div class="cards">
        <SettingsCard {...props} card="opening" after={<CloseOrOpen form={form} />}>
          <OpeningCard {...cardOf("opening")} />
        </SettingsCard>
        <SettingsCard {...props} card="rules">
          <RulesCard {...cardOf("rules")} />
        </SettingsCard>
        <SettingsCard {...props} card="retention" after={<Holds {...props} />}>
          <RetentionCard {...cardOf("retention")} />
        </SettingsCard>
      </div>
    </div>
  );
};

const settingsPage = (props: SettingsProps) =>
  formPage(props.form, "settings", words.title, <Settings {...props} />);

/** What is wrong, by the control, of a post that {@link saveCard} refused. */
class RefusedCard extends Problem {
  /** @param toConfirm what the operator has to confirm */
  constructor(
    readonly errors: Errors,
    readonly toConfirm?: string,
  ) {
    super("validation_failed", words.invalid);
  }
}

async function saveCard(view: FormPost, card: Card) {
  const form = await findForm(view);
  const { errors, operation } = readCard(card, view.values, form);
  if (Object.keys(errors).length > 0) throw new RefusedCard(errors);
  if (card === "retention") await requireConfirmed(view, form);
  try {
    await patchForm(view, form, { op: "setMeta", ...operation });
  } catch (error) {
    const isTaken = /settings\.page\.alias/.test(requireClientProblem(error).message);
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
  const { confirmHint, removeHint } = words.retention;
  throw new RefusedCard(
    { "retention.confirm": words.errors["retention.confirm"] },
    (rule === null ? removeHint : confirmHint)(due),
  );
}

const dueOf = (view: View, form: FormView, rule: Partial<Rule> | null = null) =>
  readDue(view.deps.sql, view.actor, { team: form.teamId, form: form.id }, rule);

async function saveLogo(view: FormPost) {
  const form = await findForm(view);
  const before = form.settings.page?.theme?.logo;
  const alt = view.values.get("alt")?.trim() ?? "";
  const file = view.values.get("logo") ?? "";
  const src = file === "" ? before?.src : logoUrl(Buffer.from(file, "base64"));
  const isRemoved = view.values.has("remove");
  const errors: Errors = {
    ...(src === undefined && { logo: words.logo.wrong(limits.formPage.maxLogoBytes / 1024) }),
    ...((alt === "" || alt.length > limits.formPage.maxLogoTextLength) && { alt: words.logo.altWrong }),
  };
  if (!isRemoved && Object.keys(errors).length > 0) throw new RefusedCard(errors);
  const settings = { page: { theme: { logo: isRemoved ? null : { src, alt } } } };
  await patchForm(view, form, { op: "setMeta", settings });
  return { to: pathOfForm(form, "settings"), text: words.saved };
}

const again = async (retry: Retry, card: Card | "logo") => {
  const errors = retry.problem instanceof RefusedCard ? retry.problem.errors : {};
  const isConflict = retry.problem?.code === "conflict";
  const form = await findForm(retry);
  return settingsPage({
    form,
    due: await dueOf(retry, form),
    holds: await readHolds(retry.deps, form),
    toConfirm: retry.problem instanceof RefusedCard ? retry.problem.toConfirm : undefined,
    values: retry.values,
    refused: card,
    errors,
    message: Object.keys(errors).length > 0 ? undefined : retry.message,
    seenAt: isConflict ? undefined : (retry.values.get("updatedAt") ?? undefined),
  });
};

const postOf = (card: Card) =>
  onPost({ retry: (retry) => again(retry, card) }, (view) => saveCard(view, card));

const setOpen = (perform: typeof closeForm, done: "closed" | "reopened") =>
  onPost({}, async (view) => {
    const form = await findForm(view);
    await perform(view.deps.sql, view.actor, form.teamId, form.id);
    return { to: pathOfForm(form, "settings"), text: words[done] };
  });

export const settingsPages: Routes = {
  "GET /console/forms/:form_id/settings": onGet(async (view) => {
    const form = await findForm(view);
    requireMay(view.session, "form.settings_changed", form.workspaceId);
    const [due, holds] = await Promise.all([dueOf(view, form), readHolds(view.deps, form)]);
    return settingsPage({ form, values: toValues(form), due, holds });
  }),
  "POST /console/forms/:form_id/settings/logo": onPost(
    { retry: (retry) => again(retry, "logo"), hasFile: true },
    saveLogo,
  ),
  "POST /console/forms/:form_id/settings/page": postOf("page"),
  "POST /console/forms/:form_id/settings/opening": postOf("opening"),
  "POST /console/forms/:form_id/settings/rules": postOf("rules"),
  "POST /console/forms/:form_id/settings/retention": postOf("retention"),
  "POST /console/forms/:form_id/settings/close": setOpen(closeForm, "closed"),
  "POST /console/forms/:form_id/settings/open": setOpen(openForm, "reopened"),
};
