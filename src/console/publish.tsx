/** Publishing a form: what changes, what would break for whom, and who published what; archiving and restoring. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { lint } from "../fields/lint.ts";
import { type Change, changesOf } from "../forms/changes.ts";
import { archiveForm, publishForm, restoreForm } from "../forms/publish.ts";
import { Notice } from "../pages/controls.tsx";
import { Time } from "../pages/text.tsx";
import { Problem } from "../problem.ts";
import { fieldHref } from "./editor.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "./form.tsx";
import { act, show, type View } from "./handler.ts";
import { PostForm, useMay } from "./layout.tsx";
import { text } from "./text.ts";

const words = text.publish;

interface Version {
  version: number;
  publishedAt: string;
  /** Null: at a terminal, or before the audit began. */
  publishedBy: string | null;
}

interface Publishing {
  form: FormView;
  /** The published version; null when there is none. */
  live: { name: string; description: string | null; schema: { fields: unknown[] } } | null;
  versions: Version[];
  agents: number;
  accessKeys: number;
  message?: string;
}

/** Versions that the page lists. */
const maxVersions = 20;

async function readPublishing(deps: Deps, view: View): Promise<Publishing> {
  const form = await findForm(deps, view);
  const { sql } = deps;
  const [row] = await sql<[Omit<Publishing, "form">]>`
    select
      (select jsonb_build_object('name', v.name, 'description', v.description, 'schema', v.schema)
       from formd.form_versions v
       where v.team_id = ${form.teamId} and v.form_id = ${form.id} and v.version = ${form.currentVersion}) as live,
      (select count(*)::integer from formd.grants g where g.team_id = ${form.teamId} and g.form_id = ${form.id}) as agents,
      (select count(*)::integer from formd.form_access_keys k
       where k.team_id = ${form.teamId} and k.form_id = ${form.id} and k.revoked_at is null) as access_keys,
      (select coalesce(jsonb_agg(jsonb_build_object('version', v.version, 'publishedAt', v.published_at, 'publishedBy', (
         select o.email from formd.audit_events e
         join formd.operators o on o.id = e.actor_id and e.actor_type = 'operator'
         where e.team_id = ${form.teamId} and e.form_id = ${form.id} and e.kind = 'form.published'
           and e.details ->> 'version' = v.version::text limit 1)) order by v.version desc), '[]')
       from (
         select w.version, w.published_at from formd.form_versions w
         where w.team_id = ${form.teamId} and w.form_id = ${form.id} order by w.version desc limit ${maxVersions}) v) as versions`;
  return { form, ...row };
}

/** A rule's value in a sentence. */
const valueText = (value: unknown): string =>
  value === undefined ? text.changes.none : typeof value === "string" ? `“${value}”` : JSON.stringify(value);

/** A change in words, after the field's label. */
function sentenceOf(change: Change): string {
  const { changes } = text;
  switch (change.kind) {
    case "type":
      return changes.type(change.from, change.to);
    case "optionsAdded":
    case "optionsRemoved":
      return changes[change.kind](change.values.join(", "));
    case "rule":
      return changes.rule(change.name, valueText(change.from), valueText(change.to));
    case "text":
      return changes.text(change.name);
    default:
      return changes[change.kind];
  }
}

const ChangeList = ({ changes }: { changes: readonly Change[] }) => (
  <ul class="rows">
    {changes.map((change, index) => (
      <li key={index}>
        <span>
          <strong dir="auto">{change.label}</strong> {sentenceOf(change)}
        </span>
      </li>
    ))}
  </ul>
);

const Differences = ({ form, live, agents, accessKeys }: Publishing) => {
  if (!live) return <p>{words.first}</p>;
  const changes = changesOf(live.schema, form.schema);
  const breaking = changes.filter((change) => change.breaking);
  const meta = [
    live.name !== form.name && text.changes.formName(live.name, form.name),
    live.description !== form.description && text.changes.formDescription,
  ].filter((sentence) => sentence !== false);
  if (changes.length + meta.length === 0) return <p>{words.none}</p>;
  return (
    <>
      {breaking.length > 0 && (
        <section>
          <h2>{words.breaks}</h2>
          <p class="quiet">{words.breaksFor(agents, accessKeys)}</p>
          <ChangeList changes={breaking} />
        </section>
      )}
      <section>
        <h2>{words.changes}</h2>
        {meta.map((sentence) => (
          <p key={sentence} dir="auto">
            {sentence}
          </p>
        ))}
        <ChangeList changes={changes.filter((change) => !change.breaking)} />
      </section>
    </>
  );
};

const PublishForm = ({ form }: { form: FormView }) => {
  const issues = lint(form.schema);
  const mayPublish = useMay("form.published", form.workspaceId);
  if (!mayPublish) return <p class="quiet">{words.notAllowed}</p>;
  if (issues.length > 0)
    return (
      <section>
        <h2>{words.issues}</h2>
        <ul class="issues">
          {issues.map(({ field, message }) => (
            <li key={message}>
              {field === undefined ? message : <a href={fieldHref(form, field)}>{message}</a>}
            </li>
          ))}
        </ul>
      </section>
    );
  return (
    <PostForm action={`${pathOfForm(form, "publish")}`} class="actions">
      <input type="hidden" name="updatedAt" value={form.updatedAt.toISOString()} />
      <button type="submit">{words.submit(form.currentVersion + 1)}</button>
    </PostForm>
  );
};

const Versions = ({ versions }: Pick<Publishing, "versions">) => (
  <section>
    <h2>{words.versions}</h2>
    {versions.length === 0 ? (
      <p class="quiet">{words.noVersions}</p>
    ) : (
      <table>
        <thead>
          <tr>
            <th scope="col">{words.version}</th>
            <th scope="col">{words.by}</th>
            <th scope="col">{words.at}</th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ version, publishedAt, publishedBy }) => (
            <tr key={version}>
              <th scope="row">{version}</th>
              <td dir="auto">{publishedBy ?? text.actors.cli}</td>
              <td>
                <Time at={publishedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);

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
    <details class="confirm">
      <summary>{words.archive}</summary>
      <PostForm action={`${pathOfForm(form)}/archive`} class="stacked">
        <p>{words.archiveHint}</p>
        <button type="submit" class="danger">
          {words.archiveConfirm}
        </button>
      </PostForm>
    </details>
  );
};

const Publish = (props: Publishing) => (
  <>
    {props.message && <Notice kind="error">{props.message}</Notice>}
    {props.form.status !== "archived" && (
      <>
        <Differences {...props} />
        <PublishForm form={props.form} />
      </>
    )}
    <Versions versions={props.versions} />
    <Archiving form={props.form} />
  </>
);

const publishPage = (props: Publishing) =>
  formPage(props.form, "publish", words.title, <Publish {...props} />);

export const publishing = (deps: Deps) => {
  const path = "/console/forms/:form_id";
  const { sql } = deps;
  /** An act on the form as a whole. */
  const formAct = (perform: typeof archiveForm, tab: "publish" | "edit") =>
    act(deps, async (view) => {
      const form = await findForm(deps, view);
      await perform(sql, view.actor, form.teamId, form.id);
      return pathOfForm(form, tab);
    });
  return new Elysia({ name: `${path}/publish` })
    .get(
      `${path}/publish`,
      show(deps, async (view) => publishPage(await readPublishing(deps, view))),
    )
    .post(
      `${path}/publish`,
      act(
        deps,
        async (view) => {
          const form = await findForm(deps, view);
          if (view.values.get("updatedAt") !== form.updatedAt.toISOString())
            throw new Problem("conflict", words.changed);
          await publishForm(sql, view.actor, form.teamId, form.id);
          return pathOfForm(form, "publish");
        },
        async (retry) => publishPage({ ...(await readPublishing(deps, retry)), message: retry.message }),
      ),
    )
    .post(`${path}/archive`, formAct(archiveForm, "publish"))
    .post(`${path}/restore`, formAct(restoreForm, "publish"));
};
