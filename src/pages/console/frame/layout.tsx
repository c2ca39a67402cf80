/** Frame of the console's pages, and the session of the operator who reads them. */
import { type ComponentChildren, createContext, type RenderableProps } from "preact";
import { useContext } from "preact/hooks";
import type { MessageKey } from "../../../messages.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { Problem, requireClientProblem } from "../../../problem.ts";
import { ownNames } from "../../../resources/forms/page-shapes.ts";
import { type AuditKind, mayAct } from "../../../resources/operators/roles.ts";
import {
  EnteredContext,
  ErrorSummary,
  type Errors,
  ErrorsProvider,
  Notice,
  ScopeProvider,
  Submit,
} from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { type DocumentProps, Mark, type PagePolicy } from "../../ui/page.tsx";
import { Picture } from "../../ui/pictures.tsx";
import type { Flash } from "./flash.ts";
import { type ConsoleForm, Controls, FormProblem } from "./form.tsx";
import type { Session } from "./session.ts";
import { frameText } from "./words.ts";

const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the page that is rendered. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("Only pages of the console have a session.");
  return session;
}

/** A form post that was refused. Its page is shown again with the reason and the entered values. */
export interface Refused {
  path: string;
  values: URLSearchParams;
  /** Empty: a button asked for more of the form. */
  message: string;
  /** Absent: nothing was tried. */
  problem?: Problem | undefined;
  errors: Errors;
  /** Prefix of the ids of these controls. */
  scope?: string | undefined;
}

const RefusedContext = createContext<Refused | undefined>(undefined);

/**
 * Returns the refused form post that the page responds to.
 * @param action limits it to posts to this address
 * @param fields limits it to posts with these hidden fields
 */
export function useRefused(
  action?: string,
  fields: Readonly<Record<string, string>> = {},
): Refused | undefined {
  const refused = useContext(RefusedContext);
  const isHere = action === undefined || refused?.path === action.replace(/\?.*/s, "");
  return isHere && Object.entries(fields).every(([name, value]) => refused?.values.get(name) === value)
    ? refused
    : undefined;
}

/** Returns true if a post was refused because of another change, which its page then shows. */
export const isRefusedFor = (refused: Refused | undefined, changed: MessageKey): boolean =>
  refused?.problem?.said?.key === changed;

/**
 * Returns the `updatedAt` that a refused post had seen, for its form. Undefined: the page shows the current
 * state, as it does after another change, which the next post replaces.
 */
export const seenBy = (
  refused: Refused | undefined,
  changed: MessageKey,
  name = "updatedAt",
): string | undefined =>
  isRefusedFor(refused, changed) ? undefined : (refused?.values.get(name) ?? undefined);

/** Returns the error of a control, if one has the problem, or the errors of several. */
function errorsOf<Data>(form: ConsoleForm<Data> | undefined, problem: Problem, sentence: string): Errors {
  if (problem instanceof FormProblem) return problem.errors;
  const control = problem.said && form?.about?.[problem.said.key];
  return control ? { [control]: sentence } : {};
}

/**
 * Returns the reason why a form post was refused, and the entered values.
 * @throws {Problem} for an error of the server
 */
export function refusedBy<Data>(
  request: Request,
  error: unknown,
  values = new URLSearchParams(),
  form?: ConsoleForm<Data>,
): Refused & { problem: Problem } {
  const problem = requireClientProblem(error);
  const message = frameText.errors.sentence(problem);
  const errors = errorsOf(form, problem, message);
  const scope = form?.scopedBy && `${values.get(form.scopedBy) ?? ""}-`;
  return { path: pathOf(request), values, message, problem, errors, scope };
}

/** A page below the reason of a refused form post: a sentence for each control with an error, or one. */
export const AfterRefusal = ({
  refused,
  heading = frameText.invalid,
  children,
}: {
  refused: Refused | undefined;
  heading?: string;
  children: ComponentChildren;
}) => {
  const errors = Object.entries(refused?.errors ?? {});
  return (
    <RefusedContext.Provider value={refused}>
      {errors.length > 0 && <ErrorSummary heading={heading} errors={errors} scope={refused?.scope} />}
      {refused?.message && errors.length === 0 && <Notice kind="error">{refused.message}</Notice>}
      {children}
    </RefusedContext.Provider>
  );
};

/** True if the operator may act in a workspace. SQL decides; pages omit actions that it would refuse. */
export function useMay(kind: AuditKind, workspaceId: string): boolean {
  const workspace = useSession().workspaces.find(({ id }) => id === workspaceId);
  return workspace !== undefined && mayAct(workspace.role, kind, workspace);
}

/** True if the operator may act on objects of the whole team: in every workspace. */
export const mayEverywhere = ({ workspaces, otherWorkspaces }: Session, kind: AuditKind): boolean =>
  otherWorkspaces.length === 0 && workspaces.every((workspace) => mayAct(workspace.role, kind, workspace));

/** The workspaces in which the operator may act. */
export const workspacesFor = ({ workspaces }: Session, kind: AuditKind) =>
  workspaces.filter((workspace) => mayAct(workspace.role, kind, workspace));

/** @throws {Problem} `insufficient_workspace_role`. */
export function requireMay(session: Session, kind: AuditKind, workspace: string): void {
  if (!workspacesFor(session, kind).some(({ id }) => id === workspace))
    throw new Problem("insufficient_workspace_role");
}

/** A form that a page sends. */
export interface FormProps<Data> {
  action: string;
  /** Its controls come first. Absent: the children are all. */
  form?: ConsoleForm<Data> | undefined;
  /** Hidden fields, which distinguish it from other forms of the page with this action. */
  fields?: Readonly<Record<string, string>> | undefined;
  children?: ComponentChildren;
}

interface PostFormProps<Data> extends FormProps<Data> {
  class?: string | undefined;
  id?: string | undefined;
  hasFile?: boolean;
  /** Values that the controls show in place of their own. */
  initial?: URLSearchParams | undefined;
}

/**
 * A form that changes something. After a refused post it shows the entered values and the errors. Pages
 * without a session use it as well.
 */
export const PostForm = <Data,>({
  action,
  form,
  children,
  class: style,
  id,
  hasFile,
  fields = {},
  initial,
}: PostFormProps<Data>) => {
  const refused = useRefused(action, fields);
  const session = useContext(SessionContext);
  return (
    <form
      method="post"
      action={action}
      id={id}
      class={style}
      enctype={hasFile ? "multipart/form-data" : undefined}
      data-unsaved={refused && ""}
    >
      {session && <HiddenFields fields={{ csrf: session.csrf, [ownNames.language]: language() }} />}
      <HiddenFields fields={fields} />
      <EnteredContext.Provider value={refused?.values ?? initial}>
        <ErrorsProvider value={refused?.errors ?? {}}>
          <ScopeProvider value={form?.scopedBy && `${fields[form.scopedBy] ?? ""}-`}>
            {form && <Controls of={form} />}
            {children}
          </ScopeProvider>
        </ErrorsProvider>
      </EnteredContext.Provider>
    </form>
  );
};

interface ActionButtonProps {
  action: string;
  label: string;
  class?: string;
  fields?: Readonly<Record<string, string>>;
  name?: string;
  value?: string;
  "aria-label"?: string;
}

/** A form with one button, which sends its name and value and the fields. */
export const ActionButton = ({
  action,
  label,
  class: style = "quiet",
  fields = {},
  ...button
}: ActionButtonProps) => (
  <PostForm action={action} fields={fields}>
    <Submit class={style || undefined} {...button} label={label} />
  </PostForm>
);

/** A button that opens actions. The script closes it by Escape, and by a press elsewhere. */
export const Menu = ({
  label,
  accessibleLabel,
  class: style = "menu",
  children,
}: RenderableProps<{ label: string; accessibleLabel?: string; class?: string }>) => (
  <details class={style} name="menu">
    <summary aria-label={accessibleLabel} dir="auto">
      {label}
    </summary>
    <div>{children}</div>
  </details>
);

/** A description list. Entries without a value are omitted. 0 is a value. */
export const Facts = ({
  items,
}: {
  items: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class="facts">
    {items
      .filter(([, value]) => value || value === 0)
      .map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
  </dl>
);

/** Hidden fields of a form. Repeated names of a post are kept. */
export const HiddenFields = ({ fields }: { fields: Readonly<Record<string, string>> | URLSearchParams }) => (
  <>
    {[...(fields instanceof URLSearchParams ? fields : Object.entries(fields))].map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

/** A page as its handler returns it. */
export interface ConsolePage {
  title: string;
  /** The entry of the navigation that it belongs to. */
  section?: ConsoleSection | undefined;
  content: ComponentChildren;
  status?: number;
  policy?: PagePolicy;
}

/** The page of a section. */
export const sectionPage = (section: ConsoleSection, content: ComponentChildren): ConsolePage => ({
  title: frameText.sections[section],
  section,
  content,
});

/** Sections of the console by their addresses. */
const sections = {
  forms: "/console",
  agents: "/console/agents",
  apiKeys: "/console/api-keys",
  webhooks: "/console/webhooks",
  operators: "/console/operators",
  workspaces: "/console/workspaces",
  connections: "/console/connections",
  person: "/console/person",
  audit: "/console/audit",
  account: "/console/account",
} as const;
export type ConsoleSection = keyof typeof sections;

/** The entries of the navigation, each with its sections. */
const groups = (): [label: string, names: ConsoleSection[]][] => [
  [frameText.sections.forms, ["forms"]],
  [frameText.groups.people, ["operators", "workspaces", "connections", "person"]],
  [frameText.groups.automation, ["agents", "apiKeys", "webhooks"]],
  [frameText.sections.audit, ["audit"]],
];

/** The operator's role in each workspace, as a sentence. */
const OwnRoles = () => {
  const { workspaces, otherWorkspaces, hasMoreWorkspaces } = useSession();
  const own = workspaces.map(({ name, role }) => frameText.refused.role(name, frameText.roles[role]));
  const none = otherWorkspaces.map(frameText.refused.noRole);
  const more = hasMoreWorkspaces ? [frameText.refused.noRoleInMore] : [];
  return <p dir="auto">{frameText.refused.roles([...own, ...none, ...more])}</p>;
};

/** Replaces a page that the operator's roles do not allow: who may see it, and the operator's roles. */
export const refusedPage = (section: ConsoleSection | undefined, message: string): ConsolePage => {
  const title = section ? frameText.sections[section] : frameText.errors.headings[403];
  const content = (
    <>
      <h1>{title}</h1>
      <p dir="auto">{message}</p>
      <OwnRoles />
    </>
  );
  return { title, section, status: 403, content };
};

/** Sections of the whole team. An operator needs a role in each of its workspaces. */
const ofWholeTeam: ReadonlySet<string> = new Set(["apiKeys", "audit"] satisfies ConsoleSection[]);

/** True if the navigation shows a section: the operator may see it. */
const isShown = (name: ConsoleSection, session: Session): boolean =>
  name === "webhooks"
    ? workspacesFor(session, "webhook.changed").length > 0
    : name === "connections"
      ? mayEverywhere(session, "sign_in_connection.created")
      : session.otherWorkspaces.length === 0 || !ofWholeTeam.has(name);

/** Addresses of the sections that the operator may see. */
export function useSections(): Partial<typeof sections> {
  const session = useSession();
  return Object.fromEntries(
    Object.entries(sections).filter(([name]) => isShown(name as ConsoleSection, session)),
  );
}

interface LinksProps {
  label: string;
  links: readonly { href: string; text: string; isHere: boolean }[];
  class?: "tabs" | "areas";
}

const Links = ({ label, links, class: style }: LinksProps) => (
  <nav class={style} aria-label={label}>
    <ul>
      {links.map(({ href, text, isHere }) => (
        <li key={href}>
          <a href={href} aria-current={isHere ? "true" : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** Main navigation, folded on a phone. An entry leads to its first section, and tabs to the others. */
const Navigation = ({ section }: { section: ConsoleSection | undefined }) => {
  const session = useSession();
  const links = groups().flatMap(([text, names]) => {
    const first = names.find((name) => isShown(name, session));
    return first ? [{ href: sections[first], text, isHere: names.some((name) => name === section) }] : [];
  });
  const here = links.find(({ isHere }) => isHere);
  return (
    <>
      <Links class="areas" label={frameText.navigation} links={links} />
      <Menu class="menu folded" label={here?.text ?? frameText.navigation}>
        <Links label={frameText.navigation} links={links} />
      </Menu>
    </>
  );
};

/** Menu of the operator: the account, the other teams, and the way out. */
const AccountMenu = () => {
  const { email, team, teamName, teams } = useSession();
  return (
    <Menu class="menu account" label={teamName} accessibleLabel={`${teamName}, ${email}`}>
      <strong dir="auto">{email}</strong>
      <a href={sections.account}>{frameText.sections.account}</a>
      {teams
        .filter(({ id }) => id !== team)
        .map(({ id, name }) => (
          <ActionButton
            key={id}
            action="/console/team"
            label={frameText.toTeam(name)}
            name="team"
            value={id}
          />
        ))}
      <ActionButton action="/console/sign-out" label={frameText.signOut} />
    </Menu>
  );
};

/** Tabs for the sections of an entry that has several. */
const SectionTabs = ({ section }: { section: ConsoleSection | undefined }) => {
  const session = useSession();
  const [label = "", names = []] = groups().find(([, own]) => own.some((name) => name === section)) ?? [];
  const links = names
    .filter((name) => isShown(name, session))
    .map((name) => ({ href: sections[name], text: frameText.sections[name], isHere: name === section }));
  return links.length < 2 ? null : <Links class="tabs" label={label} links={links} />;
};

/** Flash message, with a button that undoes the action. */
const FlashNotice = ({ flash: { text: done, undo } }: { flash: Flash }) => (
  <div class="notice success report" role="status">
    <span dir="auto">
      <Picture name="check" /> {done}
    </span>
    {undo && (
      <ActionButton action={undo.action} fields={undo.fields} label={frameText.undo} class="quiet small" />
    )}
  </div>
);

/** The document of a page. Its title begins with the flash message, since that is read out first. */
export const consoleDocument = (
  { title, section, content }: ConsolePage,
  session: Session,
  { flash, refused }: { flash?: Flash | undefined; refused?: Refused | undefined } = {},
): DocumentProps => ({
  title: `${flash ? `${flash.text} · ` : ""}${title} · ${frameText.product}`,
  lang: frameText.lang,
  busy: frameText.busy,
  children: (
    <SessionContext.Provider value={session}>
      <a class="skip" href="#main">
        {frameText.skip}
      </a>
      <header class="top">
        <a class="brand" href="/console">
          <Mark /> <span>{frameText.product}</span>
        </a>
        <Navigation section={section} />
        <AccountMenu />
      </header>
      <main id="main">
        <SectionTabs section={section} />
        {flash && <FlashNotice flash={flash} />}
        <AfterRefusal refused={refused}>{content}</AfterRefusal>
      </main>
    </SessionContext.Provider>
  ),
});
