/**
 * A server with a team, its forms, and requests as a browser without a script sends them, which the tests of
 * the page share.
 */
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import {
  freshIp,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

/** @param settings of the server; without them it is the permissive one that files share */
export async function pageFixture(settings = permissive) {
  const app = await service(settings);
  return formsOf(app, await makeTeam(app));
}

/** The forms of a team, and their pages. */
export function formsOf<App extends Service>(app: App, team: Team) {
  const { sql } = app.database;
  const pathOf = (form: Pick<PublishedForm, "id">) => pathIn(team, form);
  const pathFor = (target: string | PublishedForm) => (typeof target === "string" ? target : pathOf(target));
  return {
    app,
    team,
    pathOf,
    published: (fields: object[], page: object = {}, settings: object = {}) =>
      makeForm(app, team, fields, { settings: { page: { enabled: true, ...page }, ...settings } }),
    get: (target: string | PublishedForm, headers?: Record<string, string>) =>
      getPage(app, pathFor(target), headers),
    post: (target: string | PublishedForm, values: Values, headers?: Record<string, string>) =>
      postForm(app, pathFor(target), values, headers),
    send: (page: Page, entered?: Entered, button?: string) => sendPage(app, page, entered, { button }),
    /** The data of its submissions. */
    stored: async ({ id }: PublishedForm) =>
      (
        await sql<{ data: Record<string, unknown> }[]>`
          select data from formd.submissions where form_id = ${id} order by id`
      ).map(({ data }) => data),
    archive: ({ id }: PublishedForm) =>
      sql`update formd.forms set status = 'archived', archived_at = now() where id = ${id}`,
    async republish({ id }: PublishedForm, operations: object[]) {
      await sql`
        select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${id}, ${sql.json(operations as never)}, null, null)`;
      await publishForm(sql, cliActor, team.id, id);
    },
  };
}

export const pathIn = ({ id }: Pick<Team, "id">, form: Pick<PublishedForm, "id">): string =>
  pagePathOf({ team: id, form: form.id });

export const decoded = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

type Pair = [name: string, value: string];

/** A response, and what a browser would make of it. */
export interface Page {
  status: number;
  headers: Headers;
  policy: string;
  text: string;
  title: string;
  /** Path that the form of the page is sent to. */
  action: string;
  /** Hidden fields, which are sent beside the entered values. */
  hidden: Pair[];
  /** The controls of text, and choices. */
  names: string[];
}

async function pageIn(response: Response): Promise<Page> {
  const { status, headers } = response;
  const text = await response.text();
  // Nothing of a disabled fieldset is shown or sent.
  const shown = text.replaceAll(/<fieldset class="dependent"[^>]* disabled(?:[^>]*)>.*?<\/fieldset>/gs, "");
  const hidden = shown.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  const names = shown.matchAll(/<(?:input(?! type="hidden")|textarea)[^>]* name="([^"]*)"/g);
  return {
    status,
    headers,
    policy: headers.get("content-security-policy") ?? "",
    text,
    title: decoded(/<title>([^<]*)/.exec(text)?.[1] ?? ""),
    action: decoded(/<form[^>]*action="([^"]*)"/.exec(text)?.[1] ?? ""),
    hidden: [...hidden].map(([, name = "", value = ""]) => [decoded(name), decoded(value)]),
    names: [...names].map(([, name = ""]) => name),
  };
}

export const getPage = async (
  { url }: Pick<Service, "url">,
  path: string,
  headers: Record<string, string> = { accept: "text/html" },
): Promise<Page> =>
  pageIn(
    await fetch(url + path, { headers: { "x-forwarded-for": freshIp(), ...headers }, redirect: "manual" }),
  );

type Values = Record<string, string | readonly string[]> | URLSearchParams | FormData;

export const encode = (values: Exclude<Values, FormData>): URLSearchParams =>
  values instanceof URLSearchParams
    ? values
    : new URLSearchParams(
        Object.entries(values).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
      );

/** Sends a form. */
export async function postForm(
  app: Pick<Service, "url">,
  path: string,
  values: Values,
  headers: Record<string, string> = {},
): Promise<Page> {
  const isMultipart = values instanceof FormData;
  return pageIn(
    await fetch(app.url + path, {
      method: "POST",
      body: isMultipart ? values : encode(values).toString(),
      headers: {
        accept: "text/html",
        ...(!isMultipart && { "content-type": "application/x-www-form-urlencoded" }),
        "x-forwarded-for": freshIp(),
        ...headers,
      },
      redirect: "manual",
    }),
  );
}

type Entered = Record<string, string> | readonly [name: string, value: string | File][];

/**
 * Sends a page as a browser does: its hidden fields with CRLF for line ends, what was entered, and the value
 * of the button, which leads to another step. A form with a file is multipart.
 */
export async function sendPage(
  app: Pick<Service, "url">,
  { action, hidden }: Pick<Page, "action" | "hidden">,
  entered: Entered = {},
  { button, headers }: { button?: string | undefined; headers?: Record<string, string> } = {},
): Promise<Page> {
  const given = [...hidden, ...(Array.isArray(entered) ? entered : Object.entries(entered))];
  if (button !== undefined) given.push(["formd.goto", button]);
  const isStep = button === undefined || action.endsWith("/steps");
  const path = isStep ? action : `${action.replace(/[?&]send$/, "")}/steps`;
  if (given.some(([, value]) => typeof value !== "string")) {
    const body = new FormData();
    for (const [name, value] of given) body.append(name, value);
    return await postForm(app, path, body, headers);
  }
  const crlf = given.map(([name, value]): Pair => [name, String(value).replaceAll(/\r?\n/g, "\r\n")]);
  return await postForm(app, path, new URLSearchParams(crlf), headers);
}
