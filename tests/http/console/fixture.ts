/** The shared fixture of the console: a server, a team, a browser for each role, and the API. */
import type { Role } from "../../../src/resources/operators/roles.ts";
import {
  ask,
  makeOperator,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";
import { Browser, type Shown } from "./browser.ts";

/** @param settings of the server; without them it is the one that files share */
export async function consoleFixture(settings?: Record<string, string>) {
  const app = await service(settings);
  const team = await makeTeam(app);
  const of = (role: Role) => browserOf(app, team, role);
  const headers = { "x-api-key": team.key };
  const call = async (method: string, path: string, body?: object) =>
    (await ask(app, method, `/papi/v1${path}`, { headers, body })).body.data;
  /** The data of an API response. */
  const read = (path: string) => call("GET", path);
  const draftOf = async ({ id }: Pick<PublishedForm, "id">) => (await read(`/management/forms/${id}`)).form;
  return {
    ...{ app, sql: app.database.sql, team, call, read, draftOf },
    ...{ admin: await of("admin"), editor: await of("editor"), viewer: await of("viewer") },
    /** Hidden fields of the forms of a draft, as one who has seen its last change sends them. */
    seen: async (form: Pick<PublishedForm, "id">) => ({
      updatedAt: (await draftOf(form)).updatedAt as string,
    }),
    /** @returns the id of the submission */
    submit: async (form: PublishedForm, data: object): Promise<string> => {
      const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
        headers: { ...headers, "x-form-access-key": form.accessKey },
        body: { data },
      });
      return reply.body.data.id;
    },
  };
}

/**
 * A browser in which an operator has signed in, who has a role in a workspace of the team: the first one,
 * unless another is given.
 */
export const browserOf = async (app: Service, team: Team, role: Role, workspace?: string): Promise<Browser> =>
  new Browser(app, await makeOperator(app, team, role, workspace));

/** A browser in which the first admin of the team has signed in. */
export async function bossOf(app: Service, { operator }: Team): Promise<Browser> {
  const browser = new Browser(app);
  await browser.signIn(operator.email, operator.password);
  return browser;
}

/** The address of a form's pages. */
export const formPath = ({ id }: Pick<PublishedForm, "id">, rest = "") => `/console/forms/${id}${rest}`;

/** The hidden fields of a form in a page; the form is known by a text in it. */
export function hiddenIn({ html }: Shown, text: string): Record<string, string> {
  const form = html.split("<form ").find((part) => part.split("</form>")[0]?.includes(text)) ?? "";
  const fields = [...form.matchAll(/type="hidden" name="([^"]+)" value(?:="([^"]*)")?/g)];
  return Object.fromEntries(
    fields.map(([, name = "", value = ""]) => [
      name,
      value
        .replaceAll("&quot;", '"')
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&"),
    ]),
  );
}
