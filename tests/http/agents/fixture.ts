/** The routes of agents, of their grants and of their keys, as owners call them. */
import { ask, makeAgent, makeForm, makeTeam, type Service } from "../../setup.ts";

export const agentsPath = "/papi/v1/identity/agents";

/** A team with a form, its API key in headers, and calls. Paths are relative to {@link agentsPath}. */
export async function agentsFixture(app: Service) {
  const team = await makeTeam(app);
  const form = await makeForm(app, team, []);
  const key: Record<string, string> = { "x-api-key": team.key };

  /** A request as a careful browser sends it: with a JSON content type, also without a body. */
  const call = (headers: Record<string, string>, method: string, to: string, body?: unknown) =>
    ask(app, method, agentsPath + to, { headers: { "content-type": "application/json", ...headers }, body });
  const freshAgent = async (scopes: string[] = []) => (await makeAgent(app, team, form, scopes)).id;
  const data = async (to: string) => (await call(key, "GET", to)).body.data;
  const read = async (id: string) => (await data(`/${id}`)).agent;
  const grantsOf = async (id: string) => (await data(`/${id}/grants`)).grants;
  const keysOf = async (id: string) => (await data(`/${id}/keys`)).keys;
  return { app, team, form, key, call, freshAgent, read, grantsOf, keysOf };
}
