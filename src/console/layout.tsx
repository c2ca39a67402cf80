/** What the pages of the console have in common: the frame, and who is looking at it. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Act, mayAct } from "../operators/roles.ts";
import type { DocumentProps } from "../pages/page.tsx";
import type { Session } from "./session.ts";
import { text } from "./text.ts";

const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the page that is rendered. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("Only pages of the console have a session.");
  return session;
}

/** Whether the operator may act in a workspace. SQL decides; pages leave out what it would refuse. */
export function useMay(act: Act, workspaceId: string): boolean {
  const workspace = useSession().workspaces.find(({ id }) => id === workspaceId);
  return workspace !== undefined && mayAct(workspace.role, act, workspace);
}

/** Whether the operator may act on what belongs to the whole team: in every workspace. */
export const mayEverywhere = ({ workspaces, hasEveryWorkspace }: Session, act: Act): boolean =>
  hasEveryWorkspace && workspaces.every((workspace) => mayAct(workspace.role, act, workspace));

/** {@link mayEverywhere} for the session of the page that is rendered. */
export const useMayEverywhere = (act: Act): boolean => mayEverywhere(useSession(), act);

/** The workspaces in which the operator may act. */
export const workspacesFor = ({ workspaces }: Session, act: Act) =>
  workspaces.filter((workspace) => mayAct(workspace.role, act, workspace));

/** {@link workspacesFor} the session of the page that is rendered. */
export const useWorkspacesFor = (act: Act) => workspacesFor(useSession(), act);

/** A form that changes something. */
export const PostForm = ({
  action,
  children,
  class: className,
}: {
  action: string;
  children: ComponentChildren;
  class?: string;
}) => (
  <form method="post" action={action} class={className}>
    <input type="hidden" name="csrf" value={useSession().csrf} />
    {children}
  </form>
);

/** A page as its handler gives it. */
export interface Page {
  title: string;
  /** The entry of the navigation that it belongs to. */
  section?: Section;
  content: ComponentChildren;
  status?: number;
}

const sections = {
  forms: { href: "/console", label: text.forms },
  agents: { href: "/console/agents", label: text.agentsTitle },
  apiKeys: { href: "/console/api-keys", label: text.apiKeysTitle },
  webhooks: { href: "/console/webhooks", label: text.webhooksTitle },
  operators: { href: "/console/operators", label: text.operatorsTitle },
  audit: { href: "/console/audit", label: text.auditTitle },
  account: { href: "/console/account", label: text.account },
} as const;
export type Section = keyof typeof sections;

/** Instead of a page that the operator's roles do not allow: who may see it. */
export const refusedPage = (section: Section, message: string): Page => ({
  title: sections[section].label,
  section,
  status: 403,
  content: (
    <>
      <h1>{sections[section].label}</h1>
      <p class="quiet">{message}</p>
    </>
  ),
});

/** What belongs to the team: read by operators with a role in each of its workspaces. */
const ofWholeTeam: ReadonlySet<string> = new Set(["apiKeys", "audit"] satisfies Section[]);

/** Whether the navigation shows a section: one that the operator may see. */
const isShown = (name: string, { hasEveryWorkspace, workspaces }: Session): boolean =>
  name === "webhooks"
    ? workspaces.some((workspace) => mayAct(workspace.role, "webhook.changed", workspace))
    : hasEveryWorkspace || !ofWholeTeam.has(name);

/** The document of a page. */
export const documentOf = ({ title, section, content }: Page, session: Session): DocumentProps => ({
  title: `${title} · ${text.product}`,
  lang: text.lang,
  children: (
    <SessionContext.Provider value={session}>
      <a class="skip" href="#main">
        {text.skip}
      </a>
      <header class="top">
        <a class="brand" href="/console">
          {text.product}
        </a>
        <nav aria-label={text.navigation}>
          <ul>
            {Object.entries(sections)
              .filter(([name]) => isShown(name, session))
              .map(([name, { href, label }]) => (
                <li key={name}>
                  <a href={href} aria-current={name === section ? "true" : undefined}>
                    {label}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <a class="team" href="/console/account" dir="auto">
          {session.teamName}
        </a>
      </header>
      <main id="main">{content}</main>
    </SessionContext.Provider>
  ),
});
