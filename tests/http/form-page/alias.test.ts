// stacks: one
/** Addresses that people can remember. */
import { expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishSettings } from "../../../src/resources/forms/publish.ts";
import { outcome } from "../../expect.ts";
import { ask, makeForm, makeTeam, type PublishedForm, type Team } from "../../setup.ts";
import { pageFixture } from "./fixture.ts";

const { app, team, get, post, pathOf, archive } = await pageFixture();
const other = await makeTeam(app);

const published = (of: Team) =>
  makeForm(app, of, [{ id: "name", type: "text", label: "Name" }], {
    settings: { page: { enabled: true, title: of === team ? "Ours" : "Theirs" } },
  });
const propose = (of: Team, form: PublishedForm, alias: string | null) =>
  ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": of.key },
    body: { operations: [{ op: "setMeta", settings: { page: { alias } } }] },
  });
/** Gives a form another alias, and puts it in effect. */
async function rename(of: Team, form: PublishedForm, alias: string | null) {
  const reply = await propose(of, form, alias);
  if (reply.status === 200) await publishSettings(app.database.sql, cliActor, of.id, form.id);
  return outcome(reply);
}
const titleAt = async (alias: string) => /<h1[^>]*>([^<]*)/.exec((await get(`/f/${alias}`)).text)?.[1];
const none = "There is no form here";

test("the page is at its alias too, and takes submissions there", async () => {
  const form = await published(team);
  expect(await rename(team, form, "contact-us")).toBe("ok");
  expect([await titleAt("contact-us"), await titleAt(pathOf(form).slice(3))]).toEqual(["Ours", "Ours"]);
  const sent = await post("/f/contact-us", { name: "Ada" });
  expect([sent.status, sent.headers.get("location")]).toEqual([
    303,
    expect.stringMatching(/^\/f\/contact-us\/sent\?/),
  ]);
});

test("an alias is one form's in the installation: a taken one is 409 conflict, and free after it is removed or changed", async () => {
  const [ours, theirs] = [await published(team), await published(other)];
  expect([await rename(team, ours, "jobs"), await rename(team, ours, "jobs")]).toEqual(["ok", "ok"]);
  const taken = await propose(other, theirs, "jobs");
  expect([outcome(taken), taken.body.error]).toEqual([
    "409 conflict",
    'settings.page.alias: "jobs" is the address of another form.',
  ]);
  expect(await titleAt("jobs")).toBe("Ours");
  expect([await rename(team, ours, "careers"), await rename(other, theirs, "jobs")]).toEqual(["ok", "ok"]);
  expect([await titleAt("jobs"), await titleAt("careers")]).toEqual(["Theirs", "Ours"]);
  expect([await rename(team, ours, null), await titleAt("careers")]).toEqual(["ok", none]);
});

test("an archived form keeps its alias, so that no other form gets a known URL", async () => {
  const [ours, theirs] = [await published(team), await published(other)];
  await rename(team, ours, "survey");
  await archive(ours);
  expect(await rename(other, theirs, "survey")).toBe("409 conflict");
  expect(await titleAt("survey")).toBe("This form is closed");
});

test("of many forms that want one alias at once, one gets it; two that swap theirs do not wait for each other", async () => {
  const forms = await Promise.all(Array.from({ length: 10 }, () => published(team)));
  const outcomes = await Promise.all(forms.map((form) => rename(team, form, "only-one")));
  expect(outcomes.sort()).toEqual([...Array(9).fill("409 conflict"), "ok"]);
  const [a, b] = forms as [PublishedForm, PublishedForm];
  await Promise.all([rename(team, a, "swap-a"), rename(team, b, "swap-b")]);
  for (let round = 0; round < 10; round++)
    for (const reply of await Promise.all([propose(team, a, "swap-b"), propose(team, b, "swap-a")]))
      expect(reply.status).toBeLessThan(500);
});

test("of a team, 20 forms have an alias; the next one's is 409 conflict, until one is free", async () => {
  const crowd = await makeTeam(app);
  const forms = await Promise.all(Array.from({ length: 22 }, () => published(crowd)));
  const replies = await Promise.all(forms.map((form, index) => propose(crowd, form, `crowd-${index}`)));
  const outcomes = replies.map(outcome);
  expect(outcomes.filter((each) => each === "ok")).toHaveLength(20);
  const [first, last] = [outcomes.indexOf("ok"), outcomes.indexOf("409 conflict")];
  expect(replies[last]?.body.error).toContain("at most 20 forms of a team have one");
  await rename(crowd, forms[first] as PublishedForm, null);
  expect(outcome(await propose(crowd, forms[last] as PublishedForm, "crowd-last"))).toBe("ok");
});

test("the page is at the published alias until the next one is published; the next one is kept for the form", async () => {
  const [ours, theirs] = [await published(team), await published(other)];
  await rename(team, ours, "old-name");
  expect(outcome(await propose(team, ours, "new-name"))).toBe("ok");
  expect([await titleAt("old-name"), await titleAt("new-name")]).toEqual(["Ours", none]);
  for (const alias of ["old-name", "new-name"])
    expect(outcome(await propose(other, theirs, alias))).toBe("409 conflict");
  await publishSettings(app.database.sql, cliActor, team.id, ours.id);
  expect([await titleAt("old-name"), await titleAt("new-name")]).toEqual([none, "Ours"]);
  await propose(team, ours, null);
  expect(await titleAt("new-name")).toBe(none);
});
