/** What the pages of the console have in common: the frame, and who is looking at it. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
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
  account: { href: "/console/account", label: text.account },
} as const;
export type Section = keyof typeof sections;

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
            {Object.entries(sections).map(([name, { href, label }]) => (
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
