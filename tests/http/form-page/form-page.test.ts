/** The page of a form: what it shows, what it takes, and what it says when it does not. */
import { beforeAll, describe, expect, test } from "bun:test";
import { pagePathOf } from "../../../src/form-page/address.ts";
import {
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";
import { postForm } from "./post.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
});

const html = { accept: "text/html" };
const fields = [
  { id: "first_name", type: "text", label: "First name", required: true },
  { id: "email", type: "email", label: "E-mail address" },
];
const pageOf = (form: PublishedForm) => pagePathOf({ team: team.id, form: form.id });
const published = (settings: object = {}, given: object[] = fields) =>
  makeForm(app, team, given, { settings: { page: { enabled: true }, ...settings } });
const get = async (path: string, headers: Record<string, string> = html) => {
  const response = await fetch(app.url + path, { headers, redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const submissionsOf = (form: PublishedForm) =>
  app.database.sql<{ data: object; submitterType: string; submitterId: string }[]>`
    select data, submitter_type, submitter_id from formd.submissions where form_id = ${form.id}`;

describe("GET /f/{id}", () => {
  test("shows the published form, without a cookie and without the access key", async () => {
    const form = await published();
    const { status, headers, text } = await get(pageOf(form));
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("set-cookie")).toBeNull();
    expect(text).toContain('<html lang="en"');
    expect(text).toContain('name="first_name"');
    expect(text).toContain('autocomplete="given-name"');
    expect(text).not.toContain(form.accessKey);
    expect([...text.matchAll(/type="hidden" name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      "formd.version",
      "formd.key",
    ]);
  });
  test("is a page in plain words with 404 when the page is off or there is no such form, 403 for a draft, 410 when archived", async () => {
    const off = await makeForm(app, team, fields);
    expect(await get(pageOf(off))).toMatchObject({
      status: 404,
      text: expect.stringContaining("There is no form here"),
    });
    expect(await get("/f/nothing")).toMatchObject({ status: 404, text: expect.stringContaining("<h1>") });
    const form = await published();
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    expect(await get(pageOf(form))).toMatchObject({
      status: 410,
      text: expect.stringContaining("This form is closed"),
    });
    await app.database.sql`update formd.forms set status = 'draft', archived_at = null where id = ${form.id}`;
    expect(await get(pageOf(form))).toMatchObject({
      status: 403,
      text: expect.stringContaining("not open yet"),
    });
  });
});

describe("POST /f/{id}", () => {
  test("stores the values of a new anonymous session, and leads to a page that may be reloaded", async () => {
    const form = await published();
    const sent = await postForm(app, pageOf(form), {
      first_name: "Ada",
      email: "",
      "formd.version": "1",
      "formd.key": "k1",
    });
    expect(sent.status).toBe(303);
    const location = sent.headers.get("location") ?? "";
    expect(location).toStartWith(`${pageOf(form)}/sent?reference=`);
    expect(await get(location)).toMatchObject({ status: 200, text: expect.stringContaining("Thank you") });
    const [stored] = await submissionsOf(form);
    expect(stored).toMatchObject({ data: { first_name: "Ada" }, submitterType: "anonymous" });
    expect(
      await app.database.sql`select form_id from formd.sessions where id = ${stored?.submitterId ?? ""}`,
    ).toMatchObject([{ formId: form.id }]);
  });
  test("with errors is the page again: 422, its title, a summary with links, messages at the fields, the values kept", async () => {
    const form = await published();
    const { status, text } = await postForm(app, pageOf(form), { first_name: " ", email: "no <address>" });
    expect(status).toBe(422);
    expect(text).toContain("<title>Error: Test</title>");
    expect(text).toContain('<a href="#first_name">Enter your first name</a>');
    expect(text).toContain(
      '<a href="#email">Your e-mail address must be an e-mail address, such as name@example.com</a>',
    );
    expect(text).toMatch(/id="email"[^>]*aria-describedby="email-error"[^>]*aria-invalid="true"/);
    expect(text).toContain('value="no &lt;address>"');
    expect(await submissionsOf(form)).toHaveLength(0);
  });
  test("stores one submission when the button is pressed twice, or the page is sent again later", async () => {
    const form = await published();
    const values = { first_name: "Ada", "formd.version": "1", "formd.key": "twice" };
    const twice = await Promise.all([1, 2, 3].map(() => postForm(app, pageOf(form), values)));
    const later = await postForm(app, pageOf(form), values);
    expect(new Set([...twice, later].map(({ headers }) => headers.get("location"))).size).toBe(1);
    expect(await submissionsOf(form)).toHaveLength(1);
    const other = await postForm(app, pageOf(form), { ...values, first_name: "Grace" });
    expect(other.status).toBe(422);
    expect(other.text).toContain("already sent this form");
    expect(other.text).not.toContain('value="twice"');
    expect(await submissionsOf(form)).toHaveLength(1);
  });
});
