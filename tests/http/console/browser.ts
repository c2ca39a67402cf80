/** A browser without script: it keeps a cookie, follows redirects and sends the forms of pages. */
import { expect } from "bun:test";
import { freshIp, rememberSecrets, type Service } from "../../setup.ts";

/** Headers that a browser sends with a request from a page of this server. */
const ownHeaders = { accept: "text/html", "sec-fetch-site": "same-origin" };

export interface Shown {
  status: number;
  headers: Headers;
  html: string;
}

export class Browser {
  #cookie: string;
  /** Cookie of a browser that has signed in before. */
  #device = "";
  readonly #app: Pick<Service, "url">;

  constructor(app: Pick<Service, "url">, cookie = "") {
    this.#app = app;
    this.#cookie = cookie;
  }

  get = (path: string, headers: Record<string, string> = {}) => this.#request("GET", path, headers);

  /** Sends a form, with the page's token. */
  async post(path: string, fields: Record<string, string | string[]>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(fields))
      for (const value of [values].flat()) body.append(name, value);
    return await this.#request("POST", path, { origin: this.#app.url, ...headers }, body.toString());
  }

  signIn = (email: string, password: string, fields: Record<string, string> = {}) =>
    this.post("/console/sign-in", { email, password, ...fields });

  get cookie() {
    return this.#cookie;
  }

  async #request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Shown> {
    const given = Object.entries({
      ...ownHeaders,
      "x-forwarded-for": freshIp(),
      ...((this.#cookie || this.#device) && {
        cookie: [this.#cookie, this.#device].filter(Boolean).join("; "),
      }),
      ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    }).filter(([, value]) => value !== "");
    const response = await fetch(this.#app.url + path, {
      method,
      headers: Object.fromEntries(given),
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      if (/^\S*formd_device=/.test(pair)) this.#device = pair;
      else this.#cookie = pair;
    }
    return { status: response.status, headers: response.headers, html: await response.text() };
  }
}

/** The token that the forms of a page carry. */
export const csrfOf = ({ html }: Shown): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";

/** The text of a page, as a reader of the source sees it, without tags. */
export const textOf = ({ html }: Shown): string =>
  html
    .replace(/<title>.*?<\/title>|<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");

/** Expects a status, and texts in the page or in its source. */
export function expectPage(page: Shown, status: number, ...texts: (string | RegExp)[]): void {
  expect(page.status).toBe(status);
  for (const text of texts) expect(`${textOf(page)}\n${page.html}`).toMatch(text);
}

/** The 303 of an action that was carried out. */
export function expectRedirect({ status, headers }: Shown, location: string | RegExp): string {
  expect(status).toBe(303);
  const to = headers.get("location") ?? "";
  expect(to).toMatch(location);
  return to;
}

/** The secret that a page shows once. */
export const secretOf = ({ html }: Shown) =>
  /<code>(?:[^<]*\/)?(fd[a-z]_[\w-]+|whsec_[\w+/=]+|[\w-]{22})<\/code>/.exec(rememberSecrets(html))?.[1] ??
  "";
