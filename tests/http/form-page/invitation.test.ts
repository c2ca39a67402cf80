// stacks: one deno citus
/** The page of a form by the link of an invitation. */
import { describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { invitationOf, invite } from "../../invite.ts";
import { ask, makeAgent, type PublishedForm, submitByKey } from "../../setup.ts";
import { decoded, type Page, pageFixture } from "./fixture.ts";
import { controlsIn, langOf, switchTo } from "./languages.ts";

const { app, team, get, post, send, pathOf, published, stored, archive } = await pageFixture();
const { sql } = app.database;

const name = { id: "name", type: "text", label: "Name", required: true };
const source = { id: "source", type: "hidden", label: "Source", prefill: true, default: "none" };
const fields = [name, source];
const invited = { access: "invited" };
const anonymous = { invitations: { anonymous: true } };
const linkTo = (form: PublishedForm, token: string) => `${pathOf(form)}/i/${token}`;
const headingOf = ({ text }: Page) => decoded(/<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? "");
const used = "This invitation has been used";
const unknown = "This link leads nowhere";
const ada = { name: "Ada" };
const json = { accept: "application/json" };

describe("a form for invited people", () => {
  test("is 403 in its theme without a link, to read and to send; a link opens it, and sends it once", async () => {
    const form = await published(fields, { ...invited, title: "Reunion" });
    const closed = await get(form);
    expect([closed.status, headingOf(closed)]).toEqual([403, "This form is for invited people"]);
    expect(closed.text).toContain("Reunion");
    const stranger = await post(form, ada);
    expect([stranger.status, headingOf(stranger)]).toEqual([403, "This form is for invited people"]);
    const link = linkTo(form, await invite(sql, team, form));
    const page = await get(link);
    expect([page.status, page.action]).toEqual([200, `${link}?send`]);
    const sent = await send(page, ada);
    expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.stringMatching(/&invited$/)]);
    const thanks = await get(sent.headers.get("location") ?? "");
    expect([thanks.status, headingOf(thanks)]).toEqual([200, "Thank you"]);
    expect(thanks.text).toContain("Ada");
    expect(thanks.text).not.toContain("Send another");
    for (const again of [await get(link), await post(link, ada), await post(`${link}/steps`, ada)])
      expect([again.status, headingOf(again)]).toEqual([410, used]);
    expect(await stored(form)).toEqual([{ name: "Ada", source: "none" }]);
  });

  test("refuses anonymous sessions, new ones and live ones; agents and API keys submit as before", async () => {
    const form = await published(fields, {}, {});
    const headers = { "x-form-access-key": form.accessKey };
    const begin = () => ask(app, "POST", "/papi/v1/auth/anonymous", { headers, body: {} });
    const { token } = (await begin()).body.data;
    await sql`
      update formd.forms set settings_in_force = settings || '{"page": {"enabled": true, "access": "invited"}}'
      where id = ${form.id}`;
    expect(outcome(await begin())).toBe("403 anonymous_not_allowed");
    const by = { ...headers, "x-respondent-token": token };
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/submissions"],
      ["POST", "/validation"],
    ] as const)
      expect(
        outcome(
          await ask(app, method, `/papi/v1/submitter/form${path}`, {
            headers: by,
            ...(method === "POST" && { body: { data: ada } }),
          }),
        ),
      ).toBe("403 anonymous_not_allowed");
    const agent = await makeAgent(app, team, form);
    const byAgent = { ...headers, "x-respondent-token": agent.token };
    const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: byAgent,
      body: { data: ada },
    });
    expect([outcome(submitted), outcome(await submitByKey(app, team, form, ada))]).toEqual(["ok", "ok"]);
  });

  test("takes no page that was open when access was switched", async () => {
    const form = await published(fields);
    const page = await get(form);
    await sql`
      update formd.forms set settings_in_force = settings || '{"page": {"enabled": true, "access": "invited"}}'
      where id = ${form.id}`;
    expect([(await send(page, ada)).status, (await post(`${pathOf(form)}/steps`, ada)).status]).toEqual([
      403, 403,
    ]);
    expect(await stored(form)).toEqual([]);
  });
});

test("a link opens a form for everybody, and one without anonymous sessions, as well", async () => {
  for (const settings of [{}, { anonymous: { enabled: false } }]) {
    const form = await published(fields, {}, settings);
    const sent = await send(await get(linkTo(form, await invite(sql, team, form))), ada);
    expect((await get(sent.headers.get("location") ?? "")).text).not.toContain("Send another");
    expect(await stored(form)).toHaveLength(1);
  }
});

test("an unknown, revoked or expired link is 404 in one page, to open and to send, and says nothing of the form", async () => {
  const form = await published(fields, { ...invited, title: "Reunion" });
  const past = new Date(Date.now() - 1000);
  const tokens = [
    "A".repeat(22),
    "%20",
    await invite(sql, team, form, { state: "revoked" }),
    await invite(sql, team, form, { expiresAt: past }),
  ];
  for (const link of tokens.map((token) => linkTo(form, token))) {
    const pages = [await get(link), await post(link, ada), await post(`${link}/steps`, ada)];
    for (const page of pages) {
      expect([page.status, headingOf(page)]).toEqual([404, unknown]);
      expect(page.text).not.toContain("Reunion");
    }
    const program = await ask(app, "POST", link, {
      headers: { ...json, "content-type": "application/x-www-form-urlencoded" },
      body: "name=Ada",
    });
    expect(outcome(program)).toBe("404 not_found");
  }
  expect(await stored(form)).toEqual([]);
});

test("a link of a closed or archived form says so, and stays open", async () => {
  const past = new Date(Date.now() - 1000).toISOString();
  const form = await published(fields, invited, { availability: { closesAt: past } });
  const token = await invite(sql, team, form);
  expect((await get(linkTo(form, token))).status).toBe(403);
  await archive(form);
  const gone = await get(linkTo(form, token));
  expect([gone.status, headingOf(gone), (await invitationOf(sql, token)).state]).toEqual([
    410,
    "This form is closed",
    "open",
  ]);
});

test("pages of a link are in no cache, no search engine and no referrer; HEAD and GET use nothing", async () => {
  const form = await published(fields, invited);
  const token = await invite(sql, team, form);
  const link = linkTo(form, token);
  for (let count = 0; count < 50; count++)
    expect((await fetch(app.url + link, { method: count % 2 ? "GET" : "HEAD" })).status).toBe(200);
  expect((await get(`${link}/steps`)).headers.get("location")).toBe(link);
  expect((await invitationOf(sql, token)).state).toBe("open");
  const page = await get(link);
  for (const each of [page, await send(page, {}), await get(linkTo(form, "no"))])
    expect(Object.fromEntries(each.headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
    });
  expect(page.text).toMatch(new RegExp(`data-draft="${form.id}/[0-9a-f]{16}"`));
  expect(page.text.replaceAll(link, "")).not.toContain(token);
  // Without a referrer a browser sends no origin.
  expect((await post(link, ada, { origin: "null" })).status).toBe(303);
});

describe("the values of an invitation", () => {
  test("are in the page, also in hidden fields, which no query and no post changes", async () => {
    const amount = { id: "amount", type: "number", label: "Amount" };
    const secret = { id: "secret", type: "hidden", label: "Secret", default: "mine" };
    const form = await published([...fields, amount, secret], { ...invited, language: "de" });
    const prefill = { name: 'Ada "B" <i>', source: "list", amount: 1.5, secret: "x", gone: "y" };
    const link = linkTo(form, await invite(sql, team, form, { prefill }));
    const page = await get(`${link}?source=query&name=query`);
    expect(Object.fromEntries(controlsIn(page.text))).toMatchObject({ name: prefill.name, amount: "1,5" });
    expect(page.action).toBe(`${link}?send`);
    const forged = { name: "Eve", source: "forged", secret: "forged", amount: "2,5" };
    const refused = await post(`${link}?source=query`, { ...forged, name: "", "formd.language": "de" });
    expect(refused.status).toBe(422);
    const sent = await post(`${link}?source=query`, { ...forged, "formd.language": "de" });
    expect(sent.status).toBe(303);
    expect(await stored(form)).toEqual([{ name: "Eve", source: "list", amount: 2.5, secret: "mine" }]);
  });

  test("stay through steps, and are sent from the values to check", async () => {
    const form = await published(
      [
        { id: "one", type: "page_break", label: "One" },
        name,
        source,
        { id: "two", type: "page_break", label: "Two" },
        { id: "note", type: "text", label: "Note" },
      ],
      invited,
    );
    const prefill = { name: "Ada", source: "list", note: "Hello" };
    const link = linkTo(form, await invite(sql, team, form, { prefill }));
    const first = await get(link);
    expect(first.action).toBe(`${link}/steps`);
    const second = await send(first, ada);
    const check = await send(
      second,
      controlsIn(second.text).filter(([id]) => id === "note"),
    );
    expect(check.action).toBe(`${link}?send`);
    expect((await send(check)).status).toBe(303);
    expect(await stored(form)).toEqual([prefill]);
  });

  test("for a program: the page is sent to the link; a used one is 410 gone", async () => {
    const form = await published(fields, invited);
    const link = linkTo(form, await invite(sql, team, form, { prefill: { source: "list" } }));
    const read = () => ask(app, "GET", link, { headers: json });
    const { submit } = (await read()).body.data;
    expect(new URL(submit.url).pathname).toBe(link);
    const sent = await ask(app, "POST", link, {
      headers: { ...json, "content-type": submit.contentType },
      body: "name=Ada",
    });
    expect([outcome(sent), outcome(await read()), await stored(form)]).toEqual([
      "ok",
      "410 gone",
      [{ name: "Ada", source: "list" }],
    ]);
  });
});

test("the page is in the language of the invitation, unless the visit has another one", async () => {
  const form = await published([{ ...name, translations: { de: { label: "Name (de)" } } }], invited, {
    languages: ["en", "de"],
  });
  const link = linkTo(form, await invite(sql, team, form, { language: "de" }));
  const page = await get(link, { accept: "text/html", "accept-language": "en" });
  const english = await switchTo(app, page, "en", [["name", "Ada"]]);
  expect([langOf(page), langOf(await get(`${link}?lang=en`)), langOf(english)]).toEqual(["de", "en", "en"]);
  expect([english.action.split("?")[0], english.text.includes('value="Ada"')]).toEqual([link, true]);
});

test("an embedded page stays embedded", async () => {
  const form = await published(fields, { ...invited, embedOrigins: ["https://a.example"] });
  const page = await get(`${linkTo(form, await invite(sql, team, form))}?embed`);
  expect(page.policy).toContain("frame-ancestors 'self' https://a.example");
  expect((await send(page, ada)).headers.get("location")).toEndWith("&invited&embed");
});

describe.each([
  ["named", {}],
  ["anonymous", anonymous],
] as const)("in a %s form", (mode, settings) => {
  test("an error uses nothing; the same page sent again gets the first response", async () => {
    const form = await published(fields, invited, settings);
    const token = await invite(sql, team, form);
    const page = await get(linkTo(form, token));
    const refused = await send(page, {});
    expect([refused.status, (await invitationOf(sql, token)).state]).toEqual([422, "open"]);
    const [first, again] = [await send(refused, ada), await send(refused, ada)];
    expect([first.status, again.status]).toEqual([303, 303]);
    expect(again.headers.get("location")).toBe(first.headers.get("location") ?? "");
    const { state, submissionId, claimHash } = await invitationOf(sql, token);
    const [row] = await sql<{ id: string }[]>`select id from formd.submissions where form_id = ${form.id}`;
    expect([state, claimHash, submissionId]).toEqual([
      "submitted",
      null,
      mode === "named" ? (row?.id ?? "") : null,
    ]);
  });

  test("100 pages of one link, sent at once, store one", async () => {
    const form = await published(fields, invited, settings);
    const link = linkTo(form, await invite(sql, team, form));
    const sent = await Promise.all(Array.from({ length: 100 }, () => post(link, ada)));
    expect(sent.map(({ status }) => status).sort()).toEqual([303, ...Array(99).fill(410)]);
    expect(await stored(form)).toHaveLength(1);
  });

  test("an option that is full uses nothing, and 20 invited people share 5 places", async () => {
    const choice = {
      id: "day",
      type: "select",
      label: "Day",
      required: true,
      options: [
        { value: "mon", label: "Monday", limit: 5 },
        { value: "tue", label: "Tuesday" },
      ],
    };
    const form = await published([choice], invited, settings);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => invite(sql, team, form)));
    const pages = await Promise.all(
      tokens.map(async (token) => {
        const page = await get(linkTo(form, token));
        return { token, page, sent: await send(page, { day: "mon" }) };
      }),
    );
    const refused = pages.filter(({ sent }) => sent.status === 422);
    expect([refused.length, (await stored(form)).length]).toEqual([15, 5]);
    for (const { token, page } of refused) {
      expect((await invitationOf(sql, token)).state).toBe("open");
      expect((await send(page, { day: "tue" })).status).toBe(303);
    }
    expect(await stored(form)).toHaveLength(20);
  });
});
