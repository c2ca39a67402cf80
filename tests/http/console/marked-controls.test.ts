// stacks: one
/**
 * A wrong value is marked at its control: every form of the console with a value that it refuses. Nothing is
 * saved. The routes are read from the app: a new form without a row here fails.
 */
import { expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { seenOf } from "../../../src/pages/console/translations/rows.ts";
import { unknownId } from "../../expect.ts";
import { routes } from "../../routes.ts";
import { makeTeam, service } from "../../setup.ts";
import { consoleActs, fill, makeObjects, sentBy } from "./authorization.ts";
import { Browser, secretOf } from "./browser.ts";
import { bossOf } from "./fixture.ts";
import { expectMarked } from "./marked.ts";

const app = await service();
const { sql } = app.database;
const team = await makeTeam(app);
const boss = await bossOf(app, team);
const objects = await makeObjects(app, team);
const { workspace, operator, operator_id, email } = objects;
await sql`
  insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at)
  values (${unknownId}, ${team.operator.id}, '1', '', 0, 'Laptop', now())`;
const invited = await boss.post("/console/operators", { email: objects.newEmail, workspace, role: "viewer" });
const reset = await boss.post("/console/operators/reset-link", { workspace, email, operator: operator_id });
/** The addresses of links. */
const links: Record<string, string> = {
  "/console/invitation/:token": `/console/invitation/${secretOf(invited)}`,
  "/console/reset/:token": `/console/reset/${secretOf(reset)}`,
};

type Fields = Record<string, string | string[]>;
type Row = [path: string, control: string, wrong: Fields];

const long = (max: number) => "x".repeat(max + 1);
const form = "/console/forms/:form_id";
const submission = `${form}/submissions/:submission_id`;
const agent = "/console/agents/:agent_id";
const webhook = "/console/webhooks/:webhook_id";
const zone = { timeZone: " Mars " };
const past = { ends: "date", endsOn: "2020-01-01", timeZone: "UTC" };

const picture = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");

/** The values that are sent are those of the action, with a wrong one in their place. */
const rows: Row[] = [
  ["/console/new-form", "name", { name: " " }],
  ["/console/new-form/import", "file", { text: " " }],
  ["/console/new-form/import", "text", { text: "[1]" }],
  ["/console/new-form/import", "text", { text: "{" }],
  [`${form}/replace`, "file", { text: "" }],
  [`${form}/replace`, "text", { text: "{" }],
  [`${form}/access-keys`, "endsOn", past],
  [`${form}/access-keys`, "timeZone", { ...past, ...zone }],
  [`${form}/hold`, "reason", { reason: " " }],
  [`${submission}/hold`, "reason", { reason: long(limits.hold.maxReasonLength) }],
  [
    `${form}/field`,
    "showIf.0.value",
    {
      ...{ id: "b", "showIf.rows": "1" },
      ...{ "showIf.0.field": "a", "showIf.0.comparison": "is", "showIf.0.value": " " },
    },
  ],
  [`${form}/languages`, "language", { language: "" }],
  [`${form}/languages`, "language", { language: "en" }],
  [`${form}/languages`, "language.tag", { "language.tag": "no tag" }],
  [`${form}/text`, "name", { name: " " }],
  [`${form}/text`, "title", { title: long(limits.formPage.maxTitleLength) }],
  // The whole form has the help of the question.
  [`${form}/field/new`, "id", { id: "b", help: "" }],
  [`${form}/field/several`, "0.label", { "0.label": " " }],
  [`${form}/field/move`, "place", { place: "0" }],
  [`${form}/settings`, "theme.logo.alt", { "theme.logo": picture, "theme.logo.alt": " " }],
  [`${form}/settings`, "page.redirectUrl", { "page.redirectUrl": "no address" }],
  [`${form}/settings`, "availability.maxSubmissions", { "availability.maxSubmissions": "x" }],
  [`${form}/settings`, "availability.timeZone", { "availability.timeZone": "Mars" }],
  [`${form}/settings`, "retention.count", { "retention.count": "x", "retention.confirm": "x" }],
  [`${form}/translate`, "0.text", { "0.seen": seenOf("Another text", "") }],
  [`${form}/translate/import`, "file", { file: "" }],
  [`${form}/invitations/check`, "people", { people: " " }],
  [`${form}/invitations/check`, "file", { file: Buffer.from("shoe\nx").toString("base64") }],
  [`${submission}/edit`, "a", { a: long(500) }],
  [`${submission}/review`, "reason", { reason: long(limits.submission.maxReasonLength) }],
  [`${form}/review/several`, "submissions", { submissions: [] }],
  [`${form}/review/several`, "reason", { reason: long(limits.submission.maxReasonLength) }],
  ["/console/agents/new", "name", { name: "" }],
  [`${agent}/rename`, "name", { name: "" }],
  [`${agent}/grants`, "form", { form: "" }],
  [`${agent}/grants`, "scopes", { scopes: [] }],
  [`${agent}/grants`, "respondent", { respondent: "x" }],
  [`${agent}/grants`, "respondent", { respondent: objects.form_id, asserted: "true" }],
  [`${agent}/keys`, "publicKeyPem", { publicKeyPem: "x" }],
  ["/console/api-keys", "scopes", { scopes: [] }],
  ["/console/api-keys", "endsOn", past],
  ["/console/api-keys", "timeZone", { ...past, ...zone }],
  ["/console/webhooks/new", "eventTypes", { eventTypes: [] }],
  ["/console/webhooks/new", "url", { url: "http://hooks.example.org" }],
  [webhook, "url", { url: "x" }],
  [`${webhook}/replay`, "from", { from: "yesterday" }],
  [`${webhook}/replay`, "to", { to: "2026-11-20T09:00" }],
  [`${webhook}/replay`, "timeZone", zone],
  ["/console/operators", "email", { email: "ada" }],
  ["/console/operators/role", "role", { email: team.operator.email, role: "viewer" }],
  ["/console/connections/new", "issuer", { issuer: "https://127.0.0.1:9" }],
  ["/console/connections/new", "group", { group: " " }],
  ["/console/connections/change", "scopes", { connection: objects.connection, scopes: "gr\u00fcn" }],
  ["/console/workspaces/new", "name", { name: " " }],
  ["/console/workspaces/rename", "name", { name: "" }],
  ["/console/workspaces/retention", "retention.count", { "retention.count": "0" }],
  ["/console/workspaces/retention", "confirm", { confirm: "Another" }],
  ["/console/person", "value", { value: "" }],
  ["/console/person", "respondent", { respondent: "x" }],
  ["/console/account/passkeys", "name", { name: " ", passkey: "x" }],
  ["/console/account/passkeys/rename", "name", { name: "", passkey: unknownId }],
  ["/console/account/password", "current", { current: "wrong horse", password: "another horse" }],
  ["/console/account/password", "password", { current: team.operator.password, password: "short" }],
];

/** The same without a session. */
const openRows: Row[] = [
  ["/console/invitation/:token", "password", { password: "short" }],
  ["/console/reset/:token", "password", { password: operator.email }],
  ["/console/sign-in", "email", { email: "", password: "correct horse" }],
  ["/console/sign-in", "password", { email: "ada@example.org", password: "" }],
];

/** Counts what is on record in the team. */
const record = async () =>
  (
    await sql`
    select from formd.audit_events where team_id = ${team.id}
    union all select from formd.submission_edits where team_id = ${team.id}`
  ).length;

/** Posts in both languages, and expects the sentence of each at the control. @returns the English page */
async function expectRefused(browser: Browser, [path, control, wrong]: Row, statuses = [400, 409, 422]) {
  const act = consoleActs[path];
  const fields = { ...(act && sentBy(act, objects)), ...wrong };
  const to = links[path] ?? fill(path, objects);
  const before = await record();
  const english = await browser.post(to, fields);
  const german = await browser.post(to, fields, { "accept-language": "de" });
  for (const page of [english, german]) expect(statuses).toContain(page.status);
  const sentence = await expectMarked(english, control, fields);
  expect(await expectMarked(german, control, fields)).not.toBe(sentence);
  expect(german.html).not.toContain(sentence);
  expect(await record()).toBe(before);
  return english;
}

test.each(rows)("POST %s marks a wrong value of %s", async (path, control, wrong) => {
  const { html } = await expectRefused(boss, [path, control, wrong]);
  expect(html).toContain("Nothing is saved yet. Please correct:");
});

test.each(openRows)("POST %s marks a wrong value of %s; nothing is ever saved there", async (...row) => {
  const [path, control, wrong] = row;
  const { html } = await expectRefused(new Browser(app), [path, control, wrong]);
  expect(html).toContain('"summary-heading">Please correct:');
});

test("a wrong password is marked where it is asked for once more", async () => {
  await sql`
    update formd.operator_sessions set proved_at = now() - interval '16 minutes' where team_id = ${team.id}`;
  const row: Row = ["/console/agents/new", "formd.password", { "formd.password": "wrong horse" }];
  await expectRefused(boss, row, [403]);
  await sql`update formd.operator_sessions set proved_at = now() where team_id = ${team.id}`;
});

test("a form of a list is open when its page is shown again", async () => {
  const path = "/console/connections/change";
  const { html } = await boss.post(path, { connection: objects.connection, "formd.resume": "true" });
  const [folded = ""] =
    html
      .split(`action="${path}"`)[0]
      ?.match(/<details[^>]*>/g)
      ?.slice(-1) ?? [];
  expect(folded).toMatch(/ open>/);
});

/** Addresses without a row whose form the pages below do not have, or have with a control. */
const others = {
  "they are on the page of a form that is online; share.test.ts has them": [
    `${form}/share/address`,
    `${form}/share/site`,
  ],
  "it is on the page of a form with open invitations; invitations.server.test.ts has it": [
    `${form}/invitations/remind`,
  ],
  "they have only buttons, on a page that comes after an action": [
    `${form}/invitations`,
    `${form}/invitations/links`,
    `${form}/invitations/revoke`,
    `${form}/field/restore`,
    "/console/new-form/import/create",
    `${form}/replace/apply`,
    `${form}/mails/:mail_id/resend`,
    `${form}/release`,
    `${form}/restore`,
    `${form}/settings/open`,
    `${form}/settings/unknown`,
    `${form}/share/feed/end`,
    `${form}/share/offline`,
    `${form}/submissions/export`,
    `${submission}/release`,
    "/console/account/session",
    "/console/person/erase",
    "/console/person/export",
    "/console/sign-in/:connection_id/continue",
    "/console/team",
    "/mail/unsubscribe/:token",
  ],
  "it has only boxes, and is shown where the server sends mail": ["/console/account/mails"],
  "a person cannot choose a wrong language": ["/console/account/language"],
  "the page is one of the form, which marks the controls": [`${form}/preview`, `${form}/preview/steps`],
  "a program sends it": [
    "/console/login",
    "/console/logout",
    "/console/sign-in/passkey",
    "/console/sign-in/:connection_id/logout",
  ],
  "a server with other settings has the form, and a test of its own": [
    "/console/forgot-password",
    "/setup/:token",
  ],
};

test("a form that a person fills in has a row", async () => {
  const paths = (method: string) =>
    routes
      .filter((route) => route.method === method && /^\/(console|setup|mail)\b/.test(route.path))
      .map(({ path }) => path);
  const states = [`${form}?edit=b`, `${form}?text=title`, `${form}?several`, "/console/person?form=:form_id"];
  /** The addresses to which the pages have forms, with true if one has a control of a person's value. */
  const found = new Map<string, boolean>();
  for (const path of [...paths("GET"), ...states].map((each) => fill(each, objects))) {
    if (path.includes(":")) continue;
    const { html } = await boss.get(path);
    for (const [, action = "", content = ""] of html.matchAll(
      /<form method="post" action="([^"?]+)[^>]*>(.*?)<\/form>/gs,
    )) {
      const [to = action] = paths("POST").filter((each) => fill(each, objects) === action);
      const isFilledIn = /<(?:select|textarea|input(?! type="(?:hidden|checkbox)"))/.test(content);
      found.set(to, isFilledIn || found.get(to) === true);
    }
  }
  const known = [...rows, ...openRows].map(([path]) => path);
  const left = paths("POST").filter((path) => !known.includes(path) && found.get(path) !== false);
  expect(left.toSorted()).toEqual(Object.values(others).flat().toSorted());
});
