/** What the tests of the console share: a server, a team, and a browser for an operator of each role. */
import type { Role } from "../../../src/resources/operators/roles.ts";
import { makeOperator, makeTeam, type Service, service, type Team } from "../../setup.ts";
import { Browser } from "./browser.ts";

/** @param settings of the server; without them it is the one that files share */
export async function consoleFixture(settings?: Record<string, string>) {
  const app = await service(settings);
  const team = await makeTeam(app);
  const of = (role: Role) => browserOf(app, team, role);
  return { app, team, admin: await of("admin"), editor: await of("editor"), viewer: await of("viewer") };
}

/**
 * A browser in which an operator has signed in, who has a role in a workspace of the team: the first one,
 * unless another is given.
 */
export const browserOf = async (app: Service, team: Team, role: Role, workspace?: string): Promise<Browser> =>
  new Browser(app, await makeOperator(app, team, role, workspace));
