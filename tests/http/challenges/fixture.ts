/** Issues and solves challenges as an agent that signs. */
import {
  type Agent,
  asAgent,
  ask,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  service,
} from "../../setup.ts";
import { askSigned, type Key, makeSigningAgent, type Recipe } from "../../signing.ts";

export const issuePath = "/papi/v1/submitter/form/challenges";
export const answerPath = (id: string) => `/papi/v1/submitter/challenges/${id}/responses`;

/** A service with a team and two forms. `bare`: nothing in it can be asked about. */
export async function challengesFixture() {
  const app = await service(permissive);
  const team = await makeTeam(app);
  const note = { id: "note", type: "text", label: "Note" };
  const validation = { allowedDomains: ["example.org"] };
  const email = { id: "email", type: "email", label: "E-mail", validation };
  const form = await makeForm(app, team, [note, email]);
  const bare = await makeForm(app, team, [note, { id: "agree", type: "boolean", label: "Agree" }]);

  const caller = (to = form, scopes?: string[]) => makeSigningAgent(app, team, to, scopes);
  const issue = (headers: Record<string, string>, body: unknown = {}) =>
    ask(app, "POST", issuePath, { headers, body });
  const challenge = async (who: Agent, to = form) => (await issue(asAgent(to, who))).body.data;
  const respond = (
    who: { key: Key },
    id: string,
    answer: unknown,
    { to = form as PublishedForm | null, recipe = {} as Recipe, ip = "" } = {},
  ) =>
    askSigned(app, answerPath(id), { key: who.key, form: to, body: { answer }, recipe, ...(ip && { ip }) });
  const identity = (method: string, to: string, body: object = {}) =>
    ask(app, method, `/papi/v1/identity/agents/${to}`, {
      headers: { "x-api-key": team.key },
      ...(method !== "GET" && { body }),
    });
  return { app, team, form, bare, caller, issue, challenge, respond, identity };
}
