/** Words: what pages share. */
import type { Problem } from "../../../../problem.ts";
import { errorWords } from "../../../ui/error-page.tsx";
import { problemText, problemTexts } from "./problems.ts";

export const sharedTexts = {
  ...errorWords,
  errors: {
    ...errorWords.errors,
    sentence: (problem: Pick<Problem, "code" | "message">) =>
      problemText(problem.message, problemTexts) ?? errorWords.errors.sentence(problem),
  },
  product: "formd",
  skip: "Skip to the content",
  navigation: "Console",
  forms: "Forms",
  agentsTitle: "Agents",
  apiKeysTitle: "API keys",
  operatorsTitle: "People",
  workspacesTitle: "Workspaces",
  connectionsTitle: "Sign-in",
  auditTitle: "Audit",
  webhooksTitle: "Webhooks",
  account: "Account",
  groups: {
    forms: "Forms",
    people: "People",
    automation: "Automation",
    audit: "Audit",
    account: "Account",
  },
  atLeast: (count: string) => `at least ${count}`,
  statuses: { draft: "Draft", published: "Published", archived: "Archived" },
  pages: {
    label: "Pages",
    previous: "Previous",
    next: "Next",
    last: "Last page",
    position: (page: number, pages: number, isTotalExact: boolean) =>
      `Page ${page} of ${isTotalExact ? "" : "at least "}${pages}`,
  },
  days: { after: "From (day)", before: "Before (day)", timeZone: "Time zone" },
  quoted: (text: string) => `“${text}”`,
  cancel: "Cancel",
  workspace: "Workspace",
  forPrograms: "For programs",
  show: "Show",
  saved: "Saved.",
  undo: "Undo",
  undone: "Undone.",
};
