/** The console: what operators see at `/console`. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { accessKeysPages } from "./access-keys.tsx";
import { account } from "./account.tsx";
import { agentPages } from "./agent.tsx";
import { agentsPages } from "./agents.tsx";
import { apiKeysPages } from "./api-keys.tsx";
import { auditPages } from "./audit.tsx";
import { editor } from "./editor.tsx";
import { fields } from "./field.tsx";
import { forms } from "./forms.tsx";
import { operatorsPages } from "./operators.tsx";
import { publishing } from "./publish.tsx";
import { formSettings } from "./settings.tsx";
import { signIn } from "./sign-in.tsx";
import { submissionPages } from "./submission.tsx";
import { submissionsPages } from "./submissions.tsx";

export const consolePages = (deps: Deps) =>
  new Elysia({ name: "/console/pages" })
    .use(signIn(deps))
    .use(account(deps))
    .use(forms(deps))
    .use(editor(deps))
    .use(fields(deps))
    .use(formSettings(deps))
    .use(publishing(deps))
    .use(submissionsPages(deps))
    .use(submissionPages(deps))
    .use(accessKeysPages(deps))
    .use(agentsPages(deps))
    .use(agentPages(deps))
    .use(apiKeysPages(deps))
    .use(operatorsPages(deps))
    .use(auditPages(deps));
