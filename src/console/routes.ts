/** The console: what operators see at `/console`. */
import { type AnyElysia, Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { accessKeysPages } from "./access-keys.tsx";
import { account } from "./account.tsx";
import { agentPages } from "./agent.tsx";
import { agentsPages } from "./agents.tsx";
import { apiKeysPages } from "./api-keys.tsx";
import { auditPages } from "./audit.tsx";
import { bulkReviewPages } from "./bulk-review.tsx";
import { charts } from "./charts.tsx";
import { editor } from "./editor.tsx";
import { fields } from "./field.tsx";
import { forms } from "./forms.tsx";
import { operatorsPages } from "./operators.tsx";
import { publishing } from "./publish.tsx";
import { reviewPages } from "./review.tsx";
import { formSettings } from "./settings.tsx";
import { setup } from "./setup.tsx";
import { signIn } from "./sign-in.tsx";
import { submissionPages } from "./submission.tsx";
import { submissionsPages } from "./submissions.tsx";
import { webhookPages } from "./webhook.tsx";
import { webhooksPages } from "./webhooks.tsx";

const pages: readonly ((deps: Deps) => AnyElysia)[] = [
  setup,
  signIn,
  account,
  forms,
  editor,
  fields,
  formSettings,
  publishing,
  submissionsPages,
  submissionPages,
  reviewPages,
  bulkReviewPages,
  charts,
  accessKeysPages,
  agentsPages,
  agentPages,
  apiKeysPages,
  webhooksPages,
  webhookPages,
  operatorsPages,
  auditPages,
];

/** One by one: nothing reads the type of all these routes, which is deeper than TypeScript follows. */
export function consolePages(deps: Deps): Elysia {
  const app = new Elysia({ name: "/console/pages" });
  for (const page of pages) app.use(page(deps));
  return app;
}
