/**
 * The words of the console, in one place, so that they can be translated: one file per area, and here what
 * pages share.
 */
import { conditionTexts } from "./text/conditions.ts";
import { credentialTexts } from "./text/credentials.ts";
import { formTexts } from "./text/forms.ts";
import { mailTexts } from "./text/mails.ts";
import { submissionTexts } from "./text/submissions.ts";
import { teamTexts } from "./text/team.ts";
import { webhookTexts } from "./text/webhooks.ts";

export const text = {
  lang: "en",
  product: "formd",
  skip: "Skip to the content",
  navigation: "Console",
  forms: "Forms",
  agentsTitle: "Agents",
  apiKeysTitle: "API keys",
  operatorsTitle: "People",
  workspacesTitle: "Workspaces",
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
  cancel: "Cancel",
  workspace: "Workspace",
  forPrograms: "For programs",
  show: "Show",
  saved: "Saved.",
  undo: "Undo",
  undone: "Undone.",
  ...formTexts,
  ...conditionTexts,
  ...submissionTexts,
  ...credentialTexts,
  ...webhookTexts,
  ...teamTexts,
  ...mailTexts,
} as const;
