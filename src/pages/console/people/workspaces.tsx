/** The workspaces of the team in which the operator has a role: make one, rename one. */
import { sizeText } from "../../../fields/types/file.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { RetentionRule } from "../../../resources/forms/settings.ts";
import { setTeamRetention } from "../../../resources/retention/retention.ts";
import { type TeamEntry, teamFileBytes, teamRetention } from "../../../resources/teams/teams.ts";
import { createWorkspace, renameWorkspace } from "../../../resources/teams/workspaces.ts";
import { Input, Notice, Submit } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { countAndUnit, RetentionInputs, ruleIn, ruleValues } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, parseValues, type View } from "../frame/handler.ts";
import {
  type ConsolePage,
  mayEverywhere,
  PostForm,
  refusedPage,
  useMay,
  useMayEverywhere,
  useSession,
} from "../frame/layout.tsx";
import { ListPage } from "../frame/list-page.tsx";
import { FormActions, NewPage } from "../frame/new-page.tsx";
import { Section } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { Named, NamedIn } from "../frame/shapes.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { frameText } from "../frame/words.ts";
import { peopleText } from "./words.ts";

const words = peopleText.workspaces;
const path = "/console/workspaces";

/** The part of the bytes from which the page warns. */
const nearlyFull = 0.9;

const Workspace = ({ id, name, role }: Session["workspaces"][number]) => (
  <li>
    <div>
      <strong dir="auto">{name}</strong>
      <small>{words.yourRole(frameText.roles[role])}</small>
    </div>
    <a
      href={`/console/operators?${new URLSearchParams({ workspace: id })}`}
      aria-label={words.peopleOf(name)}
    >
      {words.people}
    </a>
    {useMay("workspace.changed", id) && (
      <details class="confirm harmless">
        <summary aria-label={words.renameOf(name)}>{words.rename}</summary>
        <PostForm action={`${path}/rename`} class="inline">
          <input type="hidden" name="workspace" value={id} />
          <Input name="name" label={words.name} value={name} scope={`${id}-`} required />
          <Submit class="quiet" label={words.renameSubmit} />
        </PostForm>
      </details>
    )}
  </li>
);

interface ListProps {
  /** The team's. */
  rule: TeamEntry["retention"];
  /** Bytes of the team's files, and how many they may be; absent: the server stores none. */
  files?: { bytes: number; maxBytes: number } | undefined;
}

function ruleText(rule: ListProps["rule"]): string {
  const { units, moments } = formText.retention;
  if (!rule) return words.retentionNow.none;
  const { count, unit } = countAndUnit(rule.deleteAfter);
  return words.retentionNow.rule(`${count} ${units[unit]}`, moments[rule.from ?? "created"]);
}

/** The rule of the forms that have none. */
const Retention = ({ rule }: Pick<ListProps, "rule">) => {
  const { teamName } = useSession();
  const maySet = useMayEverywhere("team.retention_set");
  const action = `${path}/retention`;
  return (
    <Section class="panel" id="retention" title={words.retention} hint={words.retentionHint}>
      <p>{ruleText(rule)}</p>
      {maySet && (
        <PostForm action={action} class="stacked" initial={ruleValues(rule)}>
          <RetentionInputs countHint={words.retentionCount} />
          <Input
            name="confirm"
            label={words.retentionConfirm}
            hint={words.retentionConfirmHint(teamName)}
            required
          />
          <FormActions submit={words.retentionSave} />
        </PostForm>
      )}
    </Section>
  );
};

const Files = ({ bytes, maxBytes }: NonNullable<ListProps["files"]>) => (
  <Section class="panel" id="files" title={words.files}>
    <p>{words.filesUsed(sizeText(bytes, language()), sizeText(maxBytes, language()))}</p>
    {bytes >= maxBytes * nearlyFull && <Notice kind="error">{words.filesNearlyFull}</Notice>}
  </Section>
);

const Workspaces = ({ rule, files }: ListProps) => {
  const { workspaces } = useSession();
  const mayCreate = useMayEverywhere("workspace.created");
  return (
    <ListPage
      title={frameText.workspacesTitle}
      create={mayCreate && { href: `${path}/new`, label: words.create }}
      intro={
        <p class="quiet">
          {words.hint} {!mayCreate && words.adminsOnly}
        </p>
      }
      items={workspaces}
      path={path}
      none=""
    >
      <ul class="rows">
        {workspaces.map((workspace) => (
          <Workspace key={workspace.id} {...workspace} />
        ))}
      </ul>
      <Retention rule={rule} />
      {files && <Files {...files} />}
    </ListPage>
  );
};

const listPage = async ({ deps: { sql, files, config }, session }: View): Promise<ConsolePage> => {
  const [rule, bytes] = await Promise.all([
    teamRetention(sql, session.team),
    files && teamFileBytes(sql, session.team),
  ]);
  const used = bytes === undefined ? undefined : { bytes, maxBytes: config.FILES_MAX_PER_TEAM };
  const content = <Workspaces rule={rule} files={used} />;
  return { title: frameText.workspacesTitle, section: "workspaces", content };
};

const NewWorkspaceForm = () => (
  <NewPage
    title={words.create}
    intro={words.createHint}
    action={`${path}/new`}
    submit={words.createSubmit}
    cancel={path}
  >
    <Input name="name" label={words.name} required />
  </NewPage>
);

const newPage = ({ session }: View): ConsolePage =>
  mayEverywhere(session, "workspace.created")
    ? { title: words.create, section: "workspaces", content: <NewWorkspaceForm /> }
    : refusedPage("workspaces", words.adminsOnly);

export const workspacesPages = {
  list: onGet(listPage),
  newPage: onGet(newPage),
  create: onPost({ retry: newPage }, async ({ deps, session, values, actor }) => {
    const { name } = parseValues(values, Named);
    await createWorkspace(deps.sql, actor, session.team, name);
    return { to: path, text: words.created(name) };
  }),
  rename: onPost({ retry: listPage }, async ({ deps, session, values, actor }) => {
    const { name, workspace } = parseValues(values, NamedIn);
    await renameWorkspace(deps.sql, actor, session.team, workspace, name);
    const before = session.workspaces.find(({ id }) => id === workspace);
    const fields = { workspace, name: before?.name ?? name };
    return { to: path, text: frameText.saved, undo: { action: `${path}/rename`, fields } };
  }),
  setRetention: onPost({ retry: listPage }, async ({ deps, session, values, actor }) => {
    if (values.get("confirm")?.trim() !== session.teamName.trim())
      throw new TranslatedProblem("validation_failed", words.retentionWrong);
    const rule = ruleIn(values);
    if (rule !== null) assertShape(rule, RetentionRule, "bad_request");
    await setTeamRetention(deps.sql, actor, session.team, rule);
    return { to: path, text: frameText.saved };
  }),
} satisfies Handlers;
