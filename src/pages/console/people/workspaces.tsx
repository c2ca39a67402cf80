/** The workspaces of the team in which the operator has a role: make one, rename one. */
import { sizeText } from "../../../fields/types/file.ts";
import { Name, Uuid } from "../../../platform/http/shapes.ts";
import { setTeamRetention } from "../../../resources/retention/retention.ts";
import {
  changeWorkspace,
  createWorkspace,
  type TeamEntry,
  teamFileBytes,
  teamRetention,
} from "../../../resources/teams/teams.ts";
import { Notice } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { periodText, retentionRule } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { FormProblem, formOf, sent, shownValues, textInput } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { mayEverywhere, PostForm, refusedPage, sectionPage, useMay, useSession } from "../frame/layout.tsx";
import { ListPage } from "../frame/list-page.tsx";
import { FoldedForm, FormActions, newItemPage, Section } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { peopleText } from "./words.ts";

const words = peopleText.workspaces;
const path = "/console/workspaces";

/** Part of the bytes from which the page warns. */
const nearlyFull = 0.9;

const newForm = (value = "") =>
  formOf(
    { name: textInput({ label: frameText.name, value, shape: Name, required: true }) },
    { about: { workspace_unnamed: "name" } },
  );
const renameForm = (name?: string) =>
  formOf({ ...newForm(name).controls, workspace: sent(Uuid) }, { scopedBy: "workspace" });

const retentionForm = ({ teamName }: Session) =>
  formOf({
    "retention.count": retentionRule(words.retentionCount),
    confirm: textInput({
      label: words.retentionConfirm,
      hint: words.retentionConfirmHint(teamName),
      required: true,
    }),
  });

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
      {frameText.sections.operators}
    </a>
    {useMay("workspace.changed", id) && (
      <FoldedForm
        label={frameText.rename}
        accessibleLabel={words.renameOf(name)}
        action={`${path}/rename`}
        form={renameForm(name)}
        fields={{ workspace: id }}
        submit={words.renameSubmit}
      />
    )}
  </li>
);

interface ListProps {
  rule: TeamEntry["retention"];
  /** Bytes of the team's files, and their maximum. Absent: the server stores no files. */
  files?: { bytes: number; maxBytes: number } | undefined;
}

function ruleText(rule: ListProps["rule"]): string {
  if (!rule) return words.retentionNow.none;
  const from = formText.retention.moments[rule.from ?? "created"];
  return words.retentionNow.rule(periodText(rule.deleteAfter), from);
}

/** Rule of forms without a rule of their own. */
const Retention = ({ rule }: Pick<ListProps, "rule">) => {
  const form = retentionForm(useSession());
  return (
    <Section class="panel" id="retention" title={words.retention} hint={words.retentionHint}>
      <p>{ruleText(rule)}</p>
      {mayEverywhere(useSession(), "team.retention_set") && (
        <PostForm
          action={`${path}/retention`}
          form={form}
          class="stacked"
          initial={shownValues(form, { "retention.count": rule })}
        >
          <FormActions submit={words.retentionSave} />
        </PostForm>
      )}
    </Section>
  );
};

const Files = ({ bytes, maxBytes }: NonNullable<ListProps["files"]>) => (
  <Section class="panel" id="files" title={peopleText.person.files}>
    <p>{words.filesUsed(sizeText(bytes, language()), sizeText(maxBytes, language()))}</p>
    {bytes >= maxBytes * nearlyFull && <Notice kind="error">{words.filesNearlyFull}</Notice>}
  </Section>
);

const Workspaces = ({ rule, files }: ListProps) => {
  const { workspaces } = useSession();
  const mayCreate = mayEverywhere(useSession(), "workspace.created");
  return (
    <ListPage
      title={frameText.sections.workspaces}
      create={mayCreate && { href: `${path}/new`, label: words.create }}
      intro={`${words.hint} ${mayCreate ? "" : words.adminsOnly}`}
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

const listPage = async ({ deps: { sql, files, config }, session }: PageContext) => {
  const [rule, bytes] = await Promise.all([
    teamRetention(sql, session.team),
    files && teamFileBytes(sql, session.team),
  ]);
  const used = bytes === undefined ? undefined : { bytes, maxBytes: config.FILES_MAX_PER_TEAM };
  return sectionPage("workspaces", <Workspaces rule={rule} files={used} />);
};

const newPage = ({ session }: PageContext) => {
  if (!mayEverywhere(session, "workspace.created")) return refusedPage("workspaces", words.adminsOnly);
  const end = { intro: words.createHint, submit: words.createSubmit, cancel: path };
  return newItemPage("workspaces", { title: words.create, action: `${path}/new`, form: newForm(), ...end });
};

export const workspacesPages = {
  list: onGet(listPage),
  newPage: onGet(newPage),
  create: onPost(
    { act: "workspace.created", form: () => newForm(), retry: newPage },
    async ({ deps, session, data, actor }) => {
      await createWorkspace(deps.sql, actor, session.team, data.name);
      return { to: path, text: words.created(data.name) };
    },
  ),
  rename: onPost(
    { act: "workspace.changed", form: () => renameForm(), retry: listPage },
    async ({ deps, session, data, actor }) => {
      const { name, workspace } = data;
      await changeWorkspace(deps.sql, actor, session.team, workspace, { name });
      const before = session.workspaces.find(({ id }) => id === workspace);
      const fields = { workspace, name: before?.name ?? name };
      return { to: path, text: frameText.saved, undo: { action: `${path}/rename`, fields } };
    },
  ),
  setRetention: onPost(
    { act: "team.retention_set", form: ({ session }) => retentionForm(session), retry: listPage },
    async ({ deps, session, data, actor }) => {
      if (data.confirm !== session.teamName.trim())
        throw new FormProblem({ confirm: words.retentionWrong }, "validation_failed");
      await setTeamRetention(deps.sql, actor, session.team, data["retention.count"]);
      return { to: path, text: frameText.saved };
    },
  ),
} satisfies Handlers;
