// stacks: one
/** Settings of a published form: what closes acts at once, what opens waits for a person. */
import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { closeForm, openForm, publishForm, publishSettings } from "../../../src/resources/forms/publish.ts";
import { outcome } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, type PublishedForm } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "../form-page/fixture.ts";

const { app, team } = await pageFixture();

const fields = [{ id: "name", type: "text", label: "Name" }];
const makeWith = (settings: object) => makeForm(app, team, fields, { settings });
const patch = (form: PublishedForm, settings: object) =>
  ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations: [{ op: "setMeta", settings }] },
  });
const read = async (form: PublishedForm) =>
  (await ask(app, "GET", `/papi/v1/management/forms/${form.id}`, { headers: { "x-api-key": team.key } })).body
    .data.form;
const publish = (form: PublishedForm) => publishSettings(app.database.sql, cliActor, team.id, form.id);
const byKey = (form: PublishedForm) => ({ "x-form-access-key": form.accessKey, "x-api-key": team.key });
const submit = (form: PublishedForm, headers: Record<string, string> = byKey(form)) =>
  ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers, body: { data: { name: "Ada" } } });
const openPage = async (form: PublishedForm) => (await getPage(app, pathIn(team, form))).status;
const anonymous = async (form: PublishedForm) =>
  outcome(
    await ask(app, "POST", "/papi/v1/auth/anonymous", { headers: { "x-form-access-key": form.accessKey } }),
  );
const sentTo = async (form: PublishedForm) =>
  (await getPage(app, `${pathIn(team, form)}/sent`)).headers.get("location");
const framedBy = async (form: PublishedForm) =>
  /frame-ancestors ([^;]*)/.exec((await getPage(app, pathIn(team, form))).policy)?.[1];
async function stored(form: PublishedForm): Promise<string | undefined> {
  expect(outcome(await submit(form))).toBe("ok");
  const [row] = await app.database.sql<[{ status: string }]>`
    select status from formd.submissions where team_id = ${team.id} and form_id = ${form.id} order by id desc limit 1`;
  return row.status;
}
const byAgent = async (form: PublishedForm) =>
  outcome(await submit(form, asAgent(form, await makeAgent(app, team, form))));

/** Sends a form post as a program that declares itself. */
async function declaring(form: PublishedForm) {
  const headers = {
    accept: "application/json",
    "signature-input": 'sig1=("@authority");tag="web-bot-auth"',
  };
  const { status, text } = await postForm(app, pathIn(team, form), { name: "Ada" }, headers);
  return status === 200 ? "ok" : `${status} ${JSON.parse(text).code}`;
}

const page = { enabled: true };
type Observe = (form: PublishedForm) => Promise<unknown>;
const submitted: Observe = async (form) => outcome(await submit(form));
const submittedTwice: Observe = async (form) => {
  await submit(form);
  return await submitted(form);
};
const [a, b, past] = ["https://a.example", "https://b.example", "2026-01-01T00:00:00.000Z"];
type Case = [name: string, loose: unknown, tight: unknown, Observe, isLoose: unknown, isTight: unknown];
/** A setting that is loose, and that is tight, and what a form does then. */
const cases: Case[] = [
  ["page.enabled", true, false, openPage, 200, 404],
  ["anonymous.enabled", true, false, anonymous, "ok", "403 anonymous_not_allowed"],
  ["captcha.enabled", false, true, anonymous, "ok", "403 captcha_required"],
  ["review.required", false, true, stored, "completed", "pending"],
  ["challenge.required", false, true, byAgent, "ok", "403 challenge_required"],
  ["availability.closesAt", null, past, submitted, "ok", "403 form_closed"],
  ["availability.maxSubmissions", null, 1, submittedTwice, "ok", "403 form_closed"],
  ["page.redirectUrl", a, null, sentTo, a, null],
  ["page.embedOrigins", [a, b], [b], framedBy, `'self' ${a} ${b}`, `'self' ${b}`],
  ["page.agents", "accept", "refuse", declaring, "ok", "403 declared_agent_refused"],
];

describe.each(cases)("%s", (name, looseValue, tightValue, observe, isLoose, isTight) => {
  const [group = "", member = ""] = name.split(".");
  const having = (value: unknown) => ({ [group]: { ...(group === "page" && page), [member]: value } });
  const [loose, tight] = [having(looseValue), having(tightValue)];

  test("a patch that restricts is in effect at once", async () => {
    const form = await makeWith(loose);
    expect(outcome(await patch(form, tight))).toBe("ok");
    expect(await observe(form)).toEqual(isTight);
  });

  test("a patch that widens is stored, and is in effect once a person publishes the settings", async () => {
    const form = await makeWith(tight);
    expect(outcome(await patch(form, loose))).toBe("ok");
    expect(await observe(form)).toEqual(isTight);
    expect((await publish(form)).currentVersion).toBe(1);
    expect(await observe(form)).toEqual(isLoose);
  });
});

test("a URL that respondents are sent to cannot be replaced by a patch", async () => {
  const form = await makeWith({ page: { ...page, redirectUrl: "https://ours.example/" } });
  await patch(form, { page: { redirectUrl: "https://mallory.example/" } });
  expect(await sentTo(form)).toBe("https://ours.example/");
  await publishForm(app.database.sql, cliActor, team.id, form.id);
  expect(await sentTo(form)).toBe("https://mallory.example/");
});

test("a link of the page goes by a patch at once, and another one waits until a person publishes", async () => {
  const theme = { privacyUrl: "https://ours.example/p", imprintUrl: "https://ours.example/i" };
  const form = await makeWith({ page: { ...page, theme: { ...theme, contact: "ada@ours.example" } } });
  const hosts = async () =>
    [...(await getPage(app, pathIn(team, form))).text.matchAll(/href="(?:https:\/\/|mailto:)([^"]+)/g)].map(
      ([, link]) => link,
    );
  await patch(form, {
    page: {
      theme: { privacyUrl: "https://mallory.example", imprintUrl: null, contact: "https://mallory.example" },
    },
  });
  expect(await hosts()).toEqual(["ours.example/p", "ada@ours.example"]);
  expect((await read(form)).publishedSettings.page.theme.imprintUrl).toBe("https://ours.example/i");
  await patch(form, { page: { theme: { accent: "#123456", contact: null } } });
  expect(await hosts()).toEqual(["ours.example/p"]);
  await publish(form);
  expect(await hosts()).toEqual(["mallory.example"]);
  // A theme that had no links has none of a patch.
  const bare = await makeWith({ page: { ...page, theme: { accent: "#123456" } } });
  await patch(bare, { page: { theme } });
  expect((await getPage(app, pathIn(team, bare))).text).not.toContain("ours.example");
});

test("a form shows the settings as they are patched and as they were published, and of the latter only what publishing freezes", async () => {
  const form = await makeWith({ page: { ...page, title: "T" }, captcha: null, other: 1 });
  await patch(form, { page: { enabled: false }, review: { required: true } });
  const { settings, publishedSettings } = await read(form);
  expect(settings).toMatchObject({
    page: { enabled: false, title: "T" },
    review: { required: true },
    other: 1,
  });
  expect(publishedSettings).toEqual({
    page,
    anonymous: { enabled: true },
    challenge: { required: false },
    review: { required: false },
  });
});

test("a draft has no published settings, and no settings of its own to publish", async () => {
  const { body } = await ask(app, "POST", "/papi/v1/management/forms", {
    headers: { "x-api-key": team.key },
    body: { name: "Draft" },
  });
  expect((await read(body.data.form)).publishedSettings).toBeNull();
  await expect(publish(body.data.form)).rejects.toMatchObject({ message: "conflict" });
});

test("a form is closed at once, and opened with the end that was published", async () => {
  const form = await makeWith({ availability: { closesAt: "9000-01-01T00:00:00.000Z" } });
  const [sql, id] = [app.database.sql, form.id];
  for (let round = 0; round < 2; round++) {
    await closeForm(sql, cliActor, team.id, id);
    expect(outcome(await submit(form))).toBe("403 form_closed");
  }
  await openForm(sql, cliActor, team.id, id);
  expect(outcome(await submit(form))).toBe("ok");
  expect((await read(form)).settings.availability).toEqual({ closesAt: "9000-01-01T00:00:00.000Z" });
});

test("a form that was published while it was closed is opened without an end; opening it widens nothing else", async () => {
  const form = await makeWith({ review: { required: true } });
  const [sql, id] = [app.database.sql, form.id];
  await closeForm(sql, cliActor, team.id, id);
  await publishForm(sql, cliActor, team.id, id);
  await patch(form, { review: { required: false } });
  await openForm(sql, cliActor, team.id, id);
  expect(await stored(form)).toBe("pending");
});
