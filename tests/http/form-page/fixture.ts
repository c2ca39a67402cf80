/**
 * What the tests of the page share: a server with a team, the address of a form's page, and requests as a
 * browser sends them.
 */
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import {
  freshIp,
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
  return { app, team: await makeTeam(app) };
}

export const pathIn = ({ id }: Pick<Team, "id">, form: PublishedForm): string =>
  pagePathOf({ team: id, form: form.id });

export async function getPage(
  { url }: Pick<Service, "url">,
  path: string,
  headers: Record<string, string> = { accept: "text/html" },
) {
  const response = await fetch(url + path, {
    headers: { "x-forwarded-for": freshIp(), ...headers },
    redirect: "manual",
  });
  const policy = response.headers.get("content-security-policy") ?? "";
  return { status: response.status, headers: response.headers, policy, text: await response.text() };
}

type Values = Record<string, string | readonly string[]> | URLSearchParams;

export const encode = (values: Values): URLSearchParams =>
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
) {
  const response = await fetch(app.url + path, {
    method: "POST",
    body: encode(values).toString(),
    headers: {
      accept: "text/html",
      "content-type": "application/x-www-form-urlencoded",
      "x-forwarded-for": freshIp(),
      ...headers,
    },
    redirect: "manual",
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
