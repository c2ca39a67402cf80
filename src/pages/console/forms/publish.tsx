/** Publishing a form: changes, the clients that they break, and the history; archiving and restoring. */
import { type } from "arktype";
import { isRecord, parseFields } from "../../../fields/definition.ts";
import { lookAlikes } from "../../../fields/look-alike.ts";
import { numberText } from "../../../fields/spelling.ts";
import { say, sentenceIn } from "../../../messages.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import { Problem } from "../../../problem.ts";
import { checkDraft, type DraftProblem, ineffectiveNames } from "../../../resources/forms/draft-checks.ts";
import { runExamples } from "../../../resources/forms/examples.ts";
import { type Change, changesOf } from "../../../resources/forms/form-changes.ts";
import { copyForm } from "../../../resources/forms/forms.ts";
import {
  archiveForm,
  type Published,
  publishForm,
  publishSettings,
  readPublished,
  restoreForm,
} from "../../../resources/forms/publish.ts";
import { isMailed } from "../../../resources/forms/settings.ts";
import {
  isLeading,
  type SettingChange,
  settingChangesOf,
} from "../../../resources/forms/settings-changes.ts";
import type { Act } from "../../../resources/operators/proofs.ts";
import { personalLabels } from "../../../resources/retention/personal-fields.ts";
import { type Due, readDue } from "../../../resources/retention/retention.ts";
import { Notice, Submit } from "../../ui/controls.tsx";
import { Table } from "../../ui/table.tsx";
import { localeOfReader, momentText, Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, onFormPost, pathOfForm, Seen } from "../form/form.tsx";
import { isOnline } from "../form/form-state.tsx";
import { nameOfField, ruleLabel, typeLabel } from "../form/issues.ts";
import { periodText } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf, sent } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, useMay } from "../frame/layout.tsx";
import { Confirm, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { ProblemList } from "./problem-list.tsx";
import { formsText } from "./words.ts";

const words = formsText.publish;

interface Publishing extends Published {
  form: FormView;
  /** True if the form would send mail, but the server sends none. */
  isMailLost: boolean;
  /** Reasons why the draft cannot be published. */
  problems: readonly DraftProblem[];
  /** Submissions that the new settings delete within a day. The rule is null if nothing is deleted. */
  due: Due;
}

async function readPublishing(view: PageContext): Promise<Publishing> {
  const { deps, actor } = view;
  const form = await findForm(view);
  const [row, due] = await Promise.all([
    readPublished(deps.sql, form),
    // A query of its own, since Citus would call the function on a worker. Runs with the rest.
    readDue(deps.sql, actor, { team: form.teamId, form: form.id }, form.settings.retention ?? {}),
  ]);
  const problems = checkDraft(form, deps.files !== undefined);
  return { form, due, isMailLost: isMailed(form.settings) && !hasOutbox(deps), problems, ...row };
}

/** Returns the value of a rule for people. @param labels of the entries of a list, by their values */
function valueText(value: unknown, labels: Readonly<Record<string, string>> = {}): string {
  if (value === undefined) return formsText.changes.none;
  if (typeof value === "boolean") return formText.fieldInput[value ? "yes" : "no"];
  if (typeof value === "string") return frameText.quoted(value);
  if (typeof value === "number") return numberText(value, formText.fieldInput.locale, "large");
  if (!Array.isArray(value)) return JSON.stringify(value);
  const texts = value.map((each) => (isRecord(each) ? (each.label ?? each.value ?? each.id) : each));
  return texts.map((text) => labels[String(text)] ?? text).join(", ");
}

/** Returns a change in words, after the field's label. @param type of the field in the draft */
export function changeSentence(change: Change, type: string): string {
  const { changes } = formsText;
  const labelOfMember = (name: string) => frameText.quoted(ruleLabel(name, type) ?? name);
  switch (change.kind) {
    case "type":
      return changes.type(typeLabel(change.from), typeLabel(change.to));
    case "optionsAdded":
    case "optionsRemoved":
      return changes[change.kind](change.values.join(", "));
    case "rule": {
      const labels = change.name === "requiredParts" ? formText.fieldInput.addressParts : {};
      const [from, to] = [change.from, change.to].map((value) => valueText(value, labels));
      return `${labelOfMember(change.name)}: ${from} → ${to}`;
    }
    case "text":
      return changes.text(labelOfMember(change.name));
    default:
      return changes[change.kind];
  }
}

const ChangeList = ({ changes, form }: { changes: readonly Change[]; form: FormView }) => {
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

/** Returns the value of a setting for people. */
function settingText(name: SettingChange["name"], value: unknown, { schema, settings }: FormView): string {
  if (name === "retention.deleteAfter") return periodText(String(value));
  if (name === "availability.opensAt" || name === "availability.closesAt")
    return momentText(value, localeOfReader(), settings.availability?.timeZone);
  if (name === "copy.field" || name === "notify.replyTo") {
    const field = parseFields(schema).find(({ id }) => id === value);
    return frameText.quoted(field ? nameOfField(field) : String(value));
  }
  return Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value);
}

export const settingSentenceOf = ({ name, to }: SettingChange, form: FormView): string => {
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
            <span class="quiet">{change.waits ? words.waits : words.inForce}</span>
          </li>
        ))}
      </ul>
      {form.status === "published" && mayPublish && (
        <PostForm action={`${pathOfForm(form)}/publish-settings`} class="actions">
          <Seen form={form} />
          <button type="submit">{words.publishSettings}</button>
        </PostForm>
      )}
    </Section>
  );
};

const Differences = ({ form, live, agents, accessKeys }: Publishing) => {
  if (!live) return <p>{words.first}</p>;
  const changes = changesOf(live.schema, form.schema);
  const breaking = changes.filter((change) => change.breaking);
  const meta = [
    live.name !== form.name && formsText.changes.formName(live.name, form.name),
    live.description !== form.description && formsText.changes.formDescription,
  ].filter((sentence) => sentence !== false);
  if (isPublished({ form, live })) return <p>{words.none}</p>;
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
      <Section title={words.changes}>
        {meta.map((sentence) => (
          <p key={sentence} dir="auto">
            {sentence}
          </p>
        ))}
        <ChangeList form={form} changes={changes.filter((change) => !change.breaking)} />
      </Section>
    </>
  );
};

/** True if the draft is published, also in members without a sentence. jsonb has one order of members. */
const isPublished = ({ form, live }: Pick<Publishing, "form" | "live">): boolean =>
  live !== null &&
  live.name === form.name &&
  live.description === form.description &&
  JSON.stringify(live.draftSchema) === JSON.stringify(form.schema);

const PublishForm = ({ form, problems }: Pick<Publishing, "form" | "problems">) => {
  const mayPublish = useMay("form.published", form.workspaceId);
  const { total, differences } = runExamples(form);
  if (!mayPublish) return <p class="quiet">{words.notAllowed}</p>;
  if (problems.length > 0) return <ProblemList form={form} title={words.issues} problems={problems} />;
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
      <PostForm action={pathOfForm(form, "publish")} class="actions">
        <Seen form={form} />
        <button type="submit">{words.submit(form.currentVersion + 1)}</button>
      </PostForm>
    </>
  );
};

const Versions = ({ versions }: Pick<Publishing, "versions">) => (
  <Section title={words.versions}>
    {versions.length === 0 ? (
      <p class="quiet">{words.noVersions}</p>
    ) : (
      <Table
        rows={versions}
        keyOf={({ version }) => version}
        columns={[
          { head: words.version, isHeader: true, cell: ({ version }) => `v${version}` },
          { head: words.by, dir: "auto", cell: ({ publishedBy }) => publishedBy ?? frameText.actors.cli },
          { head: words.at, cell: ({ publishedAt }) => <Time at={publishedAt} /> },
        ]}
      />
    )}
  </Section>
);

const Copying = ({ form }: { form: FormView }) =>
  useMay("form.created", form.workspaceId) ? (
    <PostForm action={`${pathOfForm(form)}/copy`} class="stacked">
      <p class="quiet">{words.copyHint}</p>
      <Submit class="quiet" label={words.copy} />
    </PostForm>
  ) : null;

const Archiving = ({ form }: { form: FormView }) => {
  if (!useMay("form.archived", form.workspaceId)) return null;
  if (form.status === "archived")
    return (
      <PostForm action={`${pathOfForm(form)}/restore`} class="stacked">
        <p>{words.restoreHint}</p>
        <button type="submit">{words.restore}</button>
      </PostForm>
    );
  return (
    <Confirm
      label={words.archive}
      action={`${pathOfForm(form)}/archive`}
      hint={words.archiveHint}
      confirm={words.archiveConfirm}
    />
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

/** Names that have no effect, except those that publishing refuses. */
const Unknown = ({ form, problems }: Publishing) => {
  const refused = new Set(problems.map(({ note }) => note.path));
  const names = ineffectiveNames(form).filter(({ note }) => !refused.has(note.path));
  return <ProblemList form={form} title={words.unknown} problems={names} />;
};

const Publish = (props: Publishing) => (
  <>
    {props.form.status !== "archived" && (
      <>
        <Retention {...props} />
        <LookAlikes {...props} />
        {props.isMailLost && <Notice kind="info">{words.mailLost}</Notice>}
        <Differences {...props} />
        <SettingDifferences form={props.form} />
        <Unknown {...props} />
        {(!isPublished(props) || props.problems.length > 0) && <PublishForm {...props} />}
      </>
    )}
    <Versions versions={props.versions} />
    <Copying form={props.form} />
    <Archiving form={props.form} />
  </>
);

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

/** Publishes if nothing has changed since the operator opened the page. */
const publishSeen = (
  act: "form.published" | "form.settings_published",
  perform: (post: FormPost<unknown, FormView>) => Promise<unknown>,
  tab: "share" | "publish",
  done: "published" | "settingsPublished",
) =>
  onPost({ ...publishRules(act), form: seenForm, retry: publishPage }, async (view) => {
    const { found: form } = view;
    if (view.data.updatedAt !== form.updatedAt.toISOString())
      throw new Problem("conflict", say("draft_changed"));
    await perform(view);
    return { to: pathOfForm(form, tab), text: words[done] };
  });

export const publishPages = {
  page: onGet(publishPage),
  publish: publishSeen(
    "form.published",
    ({ deps: { sql, files }, actor, found: { teamId, id, updatedAt } }) =>
      publishForm(sql, actor, teamId, id, files !== undefined, updatedAt),
    "share",
    "published",
  ),
  publishSettings: publishSeen(
    "form.settings_published",
    ({ deps, actor, found: { teamId, id, updatedAt } }) =>
      publishSettings(deps.sql, actor, teamId, id, updatedAt),
    "publish",
    "settingsPublished",
  ),
  copy: onPost({ act: "form.created", load: findForm }, async ({ deps, actor, found: form }) => {
    const id = await copyForm(deps.sql, actor, form, formText.copyOf);
    return { to: pathOfForm({ id }), text: words.isCopied };
  }),
  archive: onFormPost("form.archived", archiveForm, "publish", () => words.isArchived, "restore"),
  restore: onFormPost("form.restored", restoreForm, "publish", () => words.isRestored, "archive"),
} satisfies Handlers;
