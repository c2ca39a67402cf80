/** A form post as a browser sends it. */
import { freshIp, type Service } from "../../setup.ts";

type Values = Record<string, string | readonly string[]> | URLSearchParams;

export const encode = (values: Values): URLSearchParams =>
  values instanceof URLSearchParams
    ? values
    : new URLSearchParams(
        Object.entries(values).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
      );

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
