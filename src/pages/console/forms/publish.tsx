/** Publishing a form: the changes, and the clients that they break; copying, archiving and restoring. */
import { type } from "arktype";
import { parseFields } from "../../../fields/definition.ts";
import { lookAlikes } from "../../../fields/look-alike.ts";
import { languagesIn } from "../../../fields/translations.ts";
import { say, sentenceIn } from "../../../messages.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { Problem } from "../../../problem.ts";
import {
  checkDraft,
  type DraftProblem,
  ineffectiveNames,
  missingTranslations,
} from "../../../resources/forms/draft-checks.ts";
import { runExamples } from "../../../resources/forms/examples.ts";
import { type Change, changesOf } from "../../../resources/forms/form-changes.ts";
import { copyForm } from "../../../resources/forms/forms.ts";
import { languagesOfDraft } from "../../../resources/forms/language-operations.ts";
import {
  archiveForm,
  publishForm,
  publishSettings,
  putOnline,
  readSubmitters,
  restoreForm,
} from "../../../resources/forms/publish.ts";
import { isMailed } from "../../../resources/forms/settings.ts";
import {
  isLeading,
  type SettingChange,
  settingChangesOf,
} from "../../../resources/forms/settings-changes.ts";
import type { FormRow } from "../../../resources/forms/shapes.ts";
import { areLanguagesChanged, hasWaiting } from "../../../resources/forms/waiting-changes.ts";
import type { Act } from "../../../resources/operators/proofs.ts";
import { personalLabels } from "../../../resources/retention/personal-fields.ts";
import { type Due, readDue } from "../../../resources/retention/retention.ts";
import { Notice, Submit } from "../../ui/controls.tsx";
import { localeOfReader, momentText } from "../../ui/text.tsx";
import { changeSentence, namesOfLanguages } from "../form/changes.ts";
import { EmptySteps } from "../form/empty-steps.tsx";
import { type FormView, findForm, formPage, onFormPost, pathOfForm, Seen } from "../form/form.tsx";
import { isOnline, stateOf } from "../form/form-state.tsx";
import { nameOfField } from "../form/issues.ts";
import { periodText } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf, sent } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, useMay } from "../frame/layout.tsx";
import { Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { ProblemList } from "./problem-list.tsx";
import { formsText } from "./words.ts";

const words = formsText.publish;

interface Publishing {
  form: FormView;
  /** Agents and access keys that may submit. */
  agents: number;
  accessKeys: number;
  /** True if the form would send mail, but the server sends none. */
  isMailLost: boolean;
  /** Reasons why the draft cannot be published. */
  problems: readonly DraftProblem[];
  /** True: it can be published for programs alone. */
  isForPrograms: boolean;
  /** Submissions that the new settings delete within a day. The rule is null if nothing is deleted. */
  due: Due;
}

async function readPublishing(view: PageContext): Promise<Publishing> {
  const { deps, actor } = view;
  const form = await findForm(view);
  const [row, due] = await Promise.all([
    readSubmitters(deps.sql, form),
    // A query of its own, since Citus would call the function on a worker. Runs with the rest.
    readDue(deps.sql, actor, { team: form.teamId, form: form.id }, form.settings.retention ?? {}),
  ]);
  const server = [deps.files !== undefined, deps.masterKey.isPresent] as const;
  const problems = checkDraft(putOnline(form), ...server);
  const isForPrograms = form.currentVersion === 0 && checkDraft(form, ...server).length === 0;
  const isMailLost = isMailed(form.settings) && !hasOutbox(deps);
  return { form, due, isMailLost, problems, isForPrograms, ...row };
}

export const ChangeList = ({
  changes,
  form,
}: {
  changes: readonly Change[];
  form: Pick<FormView, "schema">;
}) => {
  const types = new Map(parseFields(form.schema).map(({ id, type }) => [id, type]));
  return (
    <ul class="rows">
      {changes.map((change, index) => (
        <li key={index}>
          <span>
            <strong dir="auto">{change.label}</strong> {changeSentence(change, types.get(change.field) ?? "")}
          </span>
        </li>
      ))}
    </ul>
  );
};

type Draft = Pick<FormView, "schema" | "settings">;

/** Returns the value of a setting for people. */
function settingText(name: SettingChange["name"], value: unknown, { schema, settings }: Draft): string {
  if (name === "retention.deleteAfter" || (name === "page.change.until" && value !== "closes"))
    return periodText(String(value));
  if (name === "availability.opensAt" || name === "availability.closesAt")
    return momentText(value, localeOfReader(), settings.availability?.timeZone);
  if (name === "copy.field" || name === "notify.replyTo") {
    const field = parseFields(schema).find(({ id }) => id === value);
    return frameText.quoted(field ? nameOfField(field) : String(value));
  }
  return Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value);
}

export const settingSentenceOf = ({ name, to }: SettingChange, form: Draft): string => {
  const { set, unset } = formsText.settingChanges;
  if (to === null || to === false) return unset[name as keyof typeof unset];
  const word = set[name];
  if (typeof word === "string") return word;
  return word(settingText(name, to, form));
};

/** Differences between the published settings and the current ones, and a button that publishes them. */
const SettingDifferences = ({ form }: { form: FormView }) => {
  const changes = settingChangesOf(form.publishedSettings, form.settings, form.settingsInForce);
  const mayPublish = useMay("form.settings_published", form.workspaceId);
  if (changes.length === 0) return null;
  return (
    <Section title={words.settings} hint={words.settingsHint}>
      <ul class="rows">
        {changes.map((change) => (
          <li key={change.name}>
            <span dir="auto">{settingSentenceOf(change, form)}</span>{" "}
            <span class="quiet">{formText.effect[change.waits ? "waits" : "now"]}</span>
          </li>
        ))}
      </ul>
      {form.status === "published" && mayPublish && (
        <PostForm action={`${pathOfForm(form)}/publish-settings`} class="actions">
          <Seen form={form} />
          <Submit class={form.hasChanges ? "quiet" : undefined} label={words.publishSettings} />
        </PostForm>
      )}
    </Section>
  );
};

/** Returns the sentence about other languages. Without a list, a form has the language of its page. */
const languagesSentence = (live: readonly string[], settings: FormView["settings"]) => {
  const { languages: _, ...others } = settings;
  const from = live.length > 0 ? live : languagesOfDraft(others);
  return formText.changes.languages(namesOfLanguages(from), namesOfLanguages(languagesOfDraft(settings)));
};

const Differences = ({ form, agents, accessKeys }: Publishing) => {
  const { publishedSchema: live, publishedName, publishedDescription } = form;
  if (!live) return hasQuestions(form) ? <p>{words.first}</p> : null;
  if (!form.hasChanges) return hasWaiting(form) ? null : <p>{words.none}</p>;
  const changes = changesOf(live, form.schema);
  const breaking = changes.filter((change) => change.breaking);
  const meta = [
    publishedName !== form.name && formText.changes.formName(publishedName ?? "", form.name),
    publishedDescription !== form.description && formText.changes.formDescription,
    areLanguagesChanged(form) && languagesSentence(languagesIn(live), form.settings),
  ].filter((sentence) => sentence !== false);
  if (changes.length + meta.length === 0) return <p>{words.unseen}</p>;
  return (
    <>
      {breaking.length > 0 && (
        <Section title={words.breaks}>
          {isOnline(form) && <p>{words.breaksForPeople}</p>}
          {agents + accessKeys > 0 && <p class="quiet">{words.breaksForPrograms(agents, accessKeys)}</p>}
          <ChangeList form={form} changes={breaking} />
        </Section>
      )}
      {changes.length + meta.length > breaking.length && (
        <Section title={words.changes}>
          {meta.map((sentence) => (
            <p key={sentence} dir="auto">
              {sentence}
            </p>
          ))}
          <ChangeList form={form} changes={changes.filter((change) => !change.breaking)} />
        </Section>
      )}
    </>
  );
};

/** The button that publishes for people; one for programs alone, until a version is published. */
const PublishButtons = ({ form, problems, isForPrograms }: Publishing) => (
  <PostForm action={pathOfForm(form, "publish")} class="stacked">
    <Seen form={form} />
    {problems.length === 0 && (
      <Submit label={form.currentVersion === 0 ? words.submit : words.submitChanges} />
    )}
    {isForPrograms && (
      <div>
        <p class="quiet">{words.forProgramsHint}</p>
        <Submit class="quiet small" name={forProgramsName} value="true" label={words.forPrograms} />
      </div>
    )}
  </PostForm>
);

const forProgramsName = "forPrograms";

/** True if the draft asks or shows anything. The API publishes an empty form as well. */
export const hasQuestions = ({ schema }: Pick<FormView, "schema">) => schema.fields.length > 0;

/** Takes the place of the buttons that publish, as long as the form is empty. */
export const AddQuestion = ({ form }: { form: FormView }) => (
  <p>
    <a href={pathOfForm(form)}>{frameText.messages.question_needed}</a>
  </p>
);

const PublishForm = (props: Publishing) => {
  const { form, problems, isForPrograms } = props;
  const mayPublish = useMay("form.published", form.workspaceId);
  const { total, differences } = runExamples(form);
  if (!mayPublish) return <p class="quiet">{words.notAllowed}</p>;
  if (!hasQuestions(form)) return <AddQuestion form={form} />;
  if (problems.length > 0)
    return (
      <>
        <ProblemList form={form} title={words.issues} problems={problems} />
        {isForPrograms && differences.length === 0 && <PublishButtons {...props} />}
      </>
    );
  if (differences.length > 0)
    return (
      <Section title={words.examplesFail}>
        <ul class="issues">
          {differences.map(({ name, message, said }) => (
            <li key={`${name} ${message}`} dir="auto">
              {words.inExample(name, sentenceIn(words.differences, said))}
            </li>
          ))}
        </ul>
      </Section>
    );
  return (
    <>
      {total > 0 && <p class="quiet">{words.examplesPass(total)}</p>}
      <PublishButtons {...props} />
    </>
  );
};

const Retention = ({ form, due }: Publishing) => {
  const labels = personalLabels(form.schema, frameText.quoted);
  const maySet = useMay("form.settings_changed", form.workspaceId);
  if (due.rule !== null) return due.due > 0 ? <Notice kind="info">{words.due(due.due)}</Notice> : null;
  return labels === "" || !maySet ? null : (
    <Notice kind="info">
      {words.personal(labels)}{" "}
      <a href={`${pathOfForm(form, "settings")}#retention-heading`}>{words.setRetention}</a>
    </Notice>
  );
};

const LookAlikes = ({ form }: Publishing) => {
  const ids = lookAlikes(form.schema, frameText.quoted);
  return ids === "" ? null : <Notice kind="info">{words.lookAlikes(ids)}</Notice>;
};

/** Names that have no effect, except those that publishing refuses, and texts of languages. */
const Unknown = ({ form, problems }: Publishing) => {
  const refused = new Set(problems.map(({ note }) => note.path));
  const names = ineffectiveNames(form).filter(({ note, said }) => !refused.has(note.path) && !said);
  return <ProblemList form={form} title={words.unknown} problems={names} />;
};

/** Texts that a language does not have, and translations that no page shows. */
const LanguageNotes = ({ form }: Publishing) => {
  const keys = ["language_undeclared", "translation_unused"];
  const unused = ineffectiveNames(form).filter(({ said }) => said && keys.includes(said.key));
  const problems = [...missingTranslations(form), ...unused];
  return <ProblemList {...{ form, problems }} title={formText.form.languages} isNote />;
};

const Publish = (props: Publishing) =>
  props.form.status === "archived" ? (
    <p>{words.archived}</p>
  ) : (
    <>
      <Retention {...props} />
      <LookAlikes {...props} />
      <EmptySteps form={props.form} />
      {props.isMailLost && <Notice kind="info">{words.mailLost}</Notice>}
      <LanguageNotes {...props} />
      <Differences {...props} />
      <SettingDifferences form={props.form} />
      <Unknown {...props} />
      {(isUnpublished(props.form) || props.problems.length > 0) && <PublishForm {...props} />}
    </>
  );

/** True if the draft has something for a version. */
const isUnpublished = ({ currentVersion, hasChanges }: FormView): boolean =>
  currentVersion === 0 || hasChanges;

const publishPage = async (view: PageContext) => {
  const found = await readPublishing(view);
  return formPage(found.form, "publish", formText.form.publish, <Publish {...found} />);
};

const seenForm = formOf({ updatedAt: sent(type("string | undefined")) });

/** The rules of a post that publishes a form: its act depends on what differs. */
export const publishRules = (act: "form.published" | "form.settings_published") => ({
  act: ({ found: form }: { found: FormView }): Act =>
    isLeading(form.publishedSettings, form.settings) ? "form.redirected" : act,
  nameOf: ({ found }: { found: FormView }) => found.name,
  load: findForm,
});

/** Publishes if nothing has changed since the operator opened the page. @param done says what was done */
const publishSeen = (
  act: "form.published" | "form.settings_published",
  perform: (post: FormPost<unknown, FormView>) => Promise<FormRow>,
  done: (row: FormRow, form: FormView) => string,
) =>
  onPost({ ...publishRules(act), form: seenForm, retry: publishPage }, async (view) => {
    const { found: form } = view;
    if (!hasQuestions(form)) throw new Problem("validation_failed", say("question_needed"));
    if (view.data.updatedAt !== form.updatedAt.toISOString())
      throw new Problem("conflict", say("draft_changed"));
    return { text: done(await perform(view), form), to: pathOfForm(form, "share") };
  });

/** Says that a form is published. People can fill it in, unless it is offline, closed or full. */
function publishedText({ status, settings: settingsInForce }: FormRow, { currentVersion, total }: FormView) {
  const isOpen = stateOf({ status, settingsInForce, total }) === "online";
  return isOpen ? words[currentVersion === 0 ? "online" : "changesOnline"] : words.published;
}

export const publishPages = {
  page: onGet(publishPage),
  publish: publishSeen(
    "form.published",
    ({ deps: { sql, files, masterKey }, actor, found: { teamId, id, updatedAt }, values }) => {
      const isOnline = !values.has(forProgramsName);
      const takesFiles = files !== undefined;
      return publishForm(sql, actor, teamId, id, takesFiles, updatedAt, isOnline, masterKey.isPresent);
    },
    publishedText,
  ),
  publishSettings: publishSeen(
    "form.settings_published",
    ({ deps, actor, found: { teamId, id, updatedAt } }) =>
      publishSettings(deps.sql, actor, teamId, id, updatedAt, deps.masterKey.isPresent),
    () => words.settingsPublished,
  ),
  copy: onPost({ act: "form.created", load: findForm }, async ({ deps, actor, found: form }) => {
    const id = await copyForm(deps.sql, actor, form, formText.copyOf);
    return { to: pathOfForm({ id }), text: words.isCopied };
  }),
  archive: onFormPost("form.archived", archiveForm, "edit", () => words.isArchived, "restore"),
  restore: onFormPost("form.restored", restoreForm, "edit", () => words.isRestored, "archive"),
} satisfies Handlers;
