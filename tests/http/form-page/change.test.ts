/** The link by which a respondent changes a submission, or takes it back. */
import { describe, expect, test } from "bun:test";
import { decoded, type Page, pageFixture } from "./fixture.ts";

const { app, team, published, pathOf, get, post, send, stored, archive, republish } = await pageFixture();
const { sql } = app.database;

const options = [
  { value: "m", label: "Medium", limit: 1 },
  { value: "l", label: "Large" },
];
const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "pin", type: "text", label: "PIN", sensitive: true, required: true },
  { id: "size", type: "select", label: "Size", options },
  { id: "note", type: "textarea", label: "Note" },
];
const given = { name: "Ada", pin: "marker-1234", size: "m", note: "first\nsecond" };
const shown = { name: "Ada", pin: "", size: "m", note: "first\r\nsecond" };
const change = { until: "P2D", withdraw: true };
const marker = "marker-1234";

type Form = Awaited<ReturnType<typeof published>>;

/** A submission from the page, and its link as the page after it shows it. */
async function sent(form: Form, values: Record<string, string> = given) {
  return await linkAfter(form, await post(form, values));
}
async function linkAfter(form: Form, { headers }: Page) {
  const location = headers.get("location") ?? "";
  const after = await get(location);
  const [, link = ""] = /href="([^"]*\/c\/[^"]*)"/.exec(after.text) ?? [];
  const id = new URL(location, app.url).searchParams.get("reference") ?? "";
  return { form, link: decoded(link), after, id };
}
const made = async (page: object = { change }, settings: object = {}, of: object[] = fields) =>
  sent(await published(of, page, settings));
const heading = ({ text }: Page) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];
/** Sends each page until the last one, with the values of its controls. */
async function through(page: Page, values: Record<string, string>): Promise<Page> {
  let last = page;
  for (let step = 0; step < 5 && last.status !== 303; step++)
    last = await send(
      last,
      Object.fromEntries(Object.entries(values).filter(([id]) => last.names.includes(id))),
    );
  return last;
}
const sentThrough = async (form: Form, values: Record<string, string>) =>
  linkAfter(form, await through(await get(form), values));
const ended = (page: Page) => [page.status, heading(page)];
const follow = (page: Page) => get(page.headers.get("location") ?? "");
/** An owner's edit. */
const edit = async (form: Form, id: string, fieldId: string, value: string) => {
  const [row] = await sql<{ updatedAt: Date }[]>`
    select updated_at from formd.submissions where form_id = ${form.id} and id = ${id}`;
  await sql`select from formd.submission_patch(${team.id}, ${`(api_key,${team.keyId},r)`}, ${form.id}, ${id},
    ${row?.updatedAt ?? null}, ${sql.json([{ fieldId, value }])}, true)`;
};

describe("a link for changes", () => {
  test("opens the form with what was sent, without a sensitive value, and stores what differs", async () => {
    const { form, link, id } = await made();
    expect(link).toMatch(/\/c\/[\w-]{43}$/);
    const page = await get(link);
    expect(page.status).toBe(200);
    expect(page.text).toContain('value="Ada"');
    expect(page.text).toContain("which is not shown");
    expect(page.text).not.toContain("data-draft=");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    const refused = await send(page, { ...shown, name: "" });
    expect(refused.status).toBe(422);
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect(refused.text).not.toContain("data-draft=");
    const done = await follow(await send(refused, { ...shown, name: "Grace" }));
    expect(heading(done)).toBe("Your changes are stored");
    for (const { text } of [page, refused, done]) expect(text).not.toContain(marker);
    expect(await stored(form)).toEqual([{ ...given, name: "Grace" }]);
    const edits =
      await sql`select field_id, actor_type, actor_id from formd.submission_edits where submission_id = ${id}`;
    expect([...edits]).toEqual([{ fieldId: "name", actorType: "respondent", actorId: null }]);
    const entered = await send(await get(link), { ...shown, name: "Grace", pin: "new" });
    expect(entered.status).toBe(303);
    expect(await stored(form)).toMatchObject([{ pin: "new" }]);
    const nothing = await follow(await send(await get(link), { ...shown, name: "Grace" }));
    expect(heading(nothing)).toBe("Nothing has changed");
  });

  test("passes the posts of a browser that sends no origin, and is opened by no address with a part of it", async () => {
    const { link, form } = await made();
    const page = await get(link);
    const body = new URLSearchParams([...page.hidden, ...Object.entries({ ...shown, name: "Null" })]);
    expect((await post(page.action, body, { origin: "null" })).status).toBe(303);
    const other = await made();
    const token = link.slice(-43);
    const tokens = [
      token.slice(0, -1),
      `${token}A`,
      `B${token.slice(1)}`,
      `${token.slice(0, 42)}${token.endsWith("A") ? "B" : "A"}`,
      other.link.slice(-43),
      "x",
    ];
    for (const each of tokens) {
      const path = `${pathOf(form)}/c/${each}`;
      for (const at of [path, `${path}/withdraw`])
        expect(ended(await get(at))).toEqual([404, "This link leads nowhere"]);
      for (const at of [path, `${path}/steps`, `${path}/withdraw`])
        expect((await post(at, {})).status).toBe(404);
    }
  });

  test("is opened 50 times by programs that follow links, and nothing has changed", async () => {
    const { link, id } = await made();
    const state = () => sql`select xmin, data, updated_at from formd.submissions where id = ${id}`;
    const before = [...(await state())];
    for (let index = 0; index < 25; index++)
      for (const [path, method] of [
        [link, "GET"],
        [`${link}/withdraw`, "GET"],
        [link, "HEAD"],
        [`${link}/withdraw`, "HEAD"],
      ] as const)
        expect(
          (await fetch(app.url + path, { method, headers: { "x-forwarded-for": `10.9.${index}.1` } })).status,
        ).toBe(200);
    expect([...(await state())]).toEqual(before);
  });

  const refusals: [
    name: string,
    act: (of: Awaited<ReturnType<typeof made>>) => PromiseLike<unknown>,
    status: number,
    heading: string,
  ][] = [
    [
      "ended",
      ({ id }) => sql`update formd.submissions set completed_at = now() - interval '3 days' where id = ${id}`,
      410,
      "The time for changes is over",
    ],
    [
      "switched off",
      ({ form }) =>
        sql`update formd.forms set settings_in_force = settings_in_force #- '{page,change}' where id = ${form.id}`,
      403,
      "Changes are not possible any more",
    ],
    [
      "reviewed",
      ({ id }) =>
        sql`update formd.submissions set review_decision = 'approved', reviewed_at = updated_at, reviewed_by = ${team.operator.id} where id = ${id}`,
      403,
      "Your submission has been reviewed",
    ],
    [
      "held",
      ({ form, id }) =>
        sql`select formd.hold_place(${team.id}, ${`(operator,${team.operator.id},r)`}, ${form.id}, ${id}, 'reason')`,
      409,
      "Your submission is kept as it is",
    ],
    ["archived", ({ form }) => archive(form), 403, "Changes are not possible any more"],
  ];
  test.each(refusals)("that is %s says so, and stores nothing", async (_, act, status, text) => {
    const submission = await made();
    const page = await get(submission.link);
    await act(submission);
    expect((await get(submission.link)).status).toBe(status);
    const opened = await get(submission.link);
    expect(heading(opened)).toBe(text);
    expect(ended(await send(page, { ...shown, name: "Late" }))).toEqual([status, heading(opened)]);
    expect((await post(`${submission.link}/withdraw`, {})).status).toBe(status);
    expect(await stored(submission.form)).toEqual([given]);
  });

  test("is shown after sending where settings in effect allow changes, with its time", async () => {
    const { after } = await made();
    expect(after.text).toContain("You can change it until");
    const open = await made({ change: { until: "closes" } });
    expect(open.after.text).toContain("as long as the form is open");
    expect((await get(open.link)).text).not.toContain("/withdraw");
    expect((await made({})).link).toBe("");
  });

  test("keeps what an owner has stored meanwhile, and shows both", async () => {
    const { form, link, id } = await made();
    const page = await get(link);
    await edit(form, id, "note", "of the owner");
    await edit(form, id, "pin", `${marker}-2`);
    const conflict = await send(page, { ...shown, name: "Grace" });
    expect(conflict.status).toBe(409);
    expect(conflict.text).toContain("Your submission was changed meanwhile");
    expect(conflict.text).toContain("Stored now: of the owner");
    expect(conflict.text).not.toContain(marker);
    expect(await stored(form)).toMatchObject([{ name: "Ada", note: "of the owner" }]);
    expect((await send(conflict, { ...shown, name: "Grace" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ ...given, name: "Grace", pin: `${marker}-2` }]);
  });

  test("has no conflict with itself: of a page that is sent several times each press shows the same result", async () => {
    const { form, link, id } = await made();
    const page = await get(link);
    const entered = { ...shown, name: "Grace", pin: "entered" };
    const posts = await Promise.all([1, 2, 3, 4].map(() => send(page, entered)));
    for (const each of posts) expect(heading(await follow(each))).toBe("Your changes are stored");
    const [count] = await sql`
      select count(*)::int as edits from formd.submission_edits where submission_id = ${id}`;
    expect(count).toEqual({ edits: 2 });
    const other = await send(page, { ...entered, pin: "of another tab" });
    expect([other.status, (await stored(form))[0]?.pin]).toEqual([409, "entered"]);
    expect(other.text).not.toContain("Stored now: entered");
    const body = new URLSearchParams([...page.hidden, ...Object.entries(shown)]);
    const program = await post(page.action, body, { accept: "application/json" });
    expect([program.status, JSON.parse(program.text).code]).toEqual([409, "conflict"]);
    const presses = await Promise.all([1, 2, 3, 4].map(() => post(`${link}/withdraw`, {})));
    for (const each of presses) expect(heading(await follow(each))).toBe("Your submission is taken back");
  });

  test("has the version of the submission, also when a newer one is published, and an option that it holds", async () => {
    const { form, link } = await made();
    await republish(form, [{ op: "removeField", fieldId: "note" }]);
    const page = await get(link);
    expect(page.text).toContain("second");
    expect(page.text).not.toMatch(/value="m"[^>]*disabled/);
    expect((await send(page, { ...shown, note: "changed" })).status).toBe(303);
    expect(await stored(form)).toMatchObject([{ note: "changed", size: "m" }]);
  });

  test("keeps values of questions that the page hides for lack of a sensitive value", async () => {
    const dependent = [
      ...fields,
      { id: "car", type: "boolean", label: "Car" },
      { id: "brand", type: "text", label: "Brand", showIf: "data.car == true" },
      { id: "reason", type: "text", label: "Reason", showIf: "data.pin == 'marker-1234'" },
    ];
    const form = await published(dependent, { change });
    const first = await send(await get(form), { ...given, car: "true" });
    const asked = await send(first, { ...given, car: "true", brand: "Saab", reason: "because" });
    const { link } = await linkAfter(form, asked);
    expect(await stored(form)).toMatchObject([{ brand: "Saab", reason: "because" }]);
    const page = await get(link);
    expect(page.names).not.toContain("reason");
    expect((await send(page, { ...shown, name: "Grace", car: "true", brand: "Saab" })).status).toBe(303);
    expect(await stored(form)).toMatchObject([{ name: "Grace", brand: "Saab", reason: "because" }]);
    expect((await send(await get(link), { ...shown, car: "false" })).status).toBe(303);
    const [data] = await stored(form);
    expect(data).toMatchObject({ reason: "because", car: false });
    expect(data).not.toHaveProperty("brand");
  });

  test.each([false, true])(
    "asks what newly applies by a value that it does not show: in steps %s",
    async (inSteps) => {
      const condition = "data.pin == 'marker-1234'";
      const form = await published(
        [
          ...fields.slice(0, 2),
          ...(inSteps ? [{ id: "p2", type: "page_break", label: "More", showIf: condition }] : []),
          {
            id: "why",
            type: "text",
            label: "Why",
            required: true,
            showIf: `${condition} && data.name == 'Eve'`,
          },
          { id: "note", type: "text", label: "Note" },
        ],
        { change },
      );
      const values = { name: "Ada", pin: marker, note: "n" };
      const { link } = await sentThrough(form, values);
      const asked = await send(await get(link), { name: "Eve", pin: "", ...(!inSteps && { note: "n" }) });
      expect(asked.names).toContain("why");
      expect(asked.text).not.toContain(marker);
      const done = await through(asked, { name: "Eve", why: "because", note: "n" });
      expect(heading(await follow(done))).toBe("Your changes are stored");
      expect(await stored(form)).toEqual([{ ...values, name: "Eve", why: "because" }]);
    },
  );

  test("shows in each step what an owner has stored meanwhile, and the way to take it back at the end", async () => {
    const form = await published(
      [
        fields[0],
        { id: "p2", type: "page_break", label: "More" },
        ...fields.slice(1, 2),
        fields[3],
      ] as object[],
      { change },
    );
    const { link, id } = await sentThrough(form, { name: "Ada", pin: marker, note: "old" });
    const one = await get(link);
    await edit(form, id, "name", "Owner");
    await edit(form, id, "note", "of the owner");
    await edit(form, id, "pin", `${marker}-2`);
    const again = await send(one, { name: "Grace" });
    expect([again.status, again.names]).toEqual([409, ["name"]]);
    expect(again.text).toContain("Stored now: Owner");
    const two = await send(again, { name: "Grace" });
    expect(two.text).toContain("Stored now: of the owner");
    const last = await send(two, { pin: "", note: "mine" });
    for (const { text } of [again, two, last]) {
      expect(text).toContain(`${link}/withdraw`);
      expect(text).not.toContain(marker);
    }
    expect((await send(last)).status).toBe(303);
    expect(await stored(form)).toEqual([{ name: "Grace", pin: `${marker}-2`, note: "mine" }]);
  });

  test("goes through the steps of the form, and its languages", async () => {
    const steps = [
      fields[0],
      fields[1],
      { id: "p2", type: "page_break", label: "More" },
      fields[3],
    ] as object[];
    const form = await published(steps, { change }, { languages: ["en", "de"] });
    const first = await get(form);
    const check = await send(await send(first, { name: "Ada", pin: marker }), { note: "old" });
    const location = (await send(check)).headers.get("location") ?? "";
    const [, link = ""] = /href="([^"]*\/c\/[^"]*)"/.exec((await get(location)).text) ?? [];
    const one = await get(decoded(link).replace("lang=en", "lang=de"));
    expect(one.text).toContain('lang="de"');
    const two = await send(one, { name: "Grace", pin: "" });
    expect(two.action).toContain("/c/");
    const last = await send(two, { note: "new" });
    expect(last.text).not.toContain(marker);
    expect((await send(last)).status).toBe(303);
    expect(await stored(form)).toEqual([{ name: "Grace", pin: marker, note: "new" }]);
    const [version, seen] = ["formd.version", "formd.seen"].map(
      (name) => last.hidden.find(([key]) => key === name)?.[1] ?? "",
    );
    expect(
      (
        await post(decoded(link).split("?")[0] ?? "", {
          "formd.version": version as string,
          "formd.seen": seen as string,
        })
      ).status,
    ).toBe(409);
  });
});

describe("taking a submission back", () => {
  test("asks first, deletes it by the respondent, and can be reloaded", async () => {
    const { form, link, id } = await made();
    expect((await get(link)).text).toContain(`${link}/withdraw`);
    const question = await get(`${link}/withdraw`);
    expect(ended(question)).toEqual([200, "Take back your submission?"]);
    expect(await stored(form)).toHaveLength(1);
    const left = await post(`${link}/withdraw`, {});
    expect(left.status).toBe(303);
    for (const _ of [1, 2]) expect(ended(await follow(left))).toEqual([200, "Your submission is taken back"]);
    expect((await post(`${link}/withdraw`, {})).status).toBe(303);
    expect(ended(await get(link))).toEqual([404, "This link leads nowhere"]);
    expect(await stored(form)).toEqual([]);
    const [event] =
      await sql`select kind, actor_type, actor_id from formd.audit_events where object_id = ${id} and kind = 'submission.deleted'`;
    expect(event).toEqual({ kind: "submission.deleted", actorType: "respondent", actorId: null });
    expect((await made({ change: { until: "P2D" } })).link).not.toBe("");
  });

  test("is refused where settings allow changes alone", async () => {
    const { link, form } = await made({ change: { until: "P2D" } });
    expect((await post(`${link}/withdraw`, {})).status).toBe(403);
    expect(await stored(form)).toHaveLength(1);
  });
});
