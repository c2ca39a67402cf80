/** The words of the console, in one place, so that they can be translated: one file per area, and here what pages share. */
import { credentialTexts } from "./text/credentials.ts";
import { formTexts } from "./text/forms.ts";
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
  operatorsTitle: "Operators",
  auditTitle: "Audit",
  webhooksTitle: "Webhooks",
  account: "Account",
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
  show: "Show",
  ...formTexts,
  ...submissionTexts,
  ...credentialTexts,
  ...webhookTexts,
  ...teamTexts,
} as const;
