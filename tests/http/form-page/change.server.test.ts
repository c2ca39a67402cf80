/** Files of a submission that its respondent changes, and what is left once it is taken back. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { outcome, until } from "../../expect.ts";
import { run } from "../../setup/process.ts";
import { ask, makeTeam, tablesWith, workerPorts } from "../../setup.ts";
import { cv, fileService, pdf, png } from "../files/fixture.ts";
import { local, receiver } from "../webhooks/receiver.ts";
import { decoded, formsOf, type Page } from "./fixture.ts";
import { controlsIn } from "./languages.ts";

const app = await fileService({ FILES_MAX_BYTES: "300000", ...local });
const team = await makeTeam(app);
const { published, get, post, stored } = formsOf(app, team);
const { sql } = app.database;

const change = { until: "P2D", withdraw: true };
const name = { id: "name", type: "text", label: "Name", required: true };
const pageBreak = { id: "p2", type: "page_break", label: "More" };
const cvOf = (bytes: Uint8Array, fileName = "cv.pdf"): Part => ["cv", new File([bytes as never], fileName)];

type Form = Awaited<ReturnType<typeof published>>;
type Part = [name: string, value: string | File];

/** Sends what a page shows, with other values; files come beside those that it has. */
function sendAll({ action, text }: Page, values: readonly Part[] = [], to = action) {
  const names = new Set(values.filter(([, value]) => typeof value === "string").map(([key]) => key));
  const body = new FormData();
  for (const [key, value] of controlsIn(text)) if (!names.has(key)) body.append(key, value);
  for (const [key, value] of values) body.append(key, value);
  return post(to, body);
}
/** Sends each page until one is refused, or the last one; each has the values of its controls. */
async function through(page: Page, values: readonly Part[] = []): Promise<Page> {
  let last = page;
  for (let step = 0; step < 5 && last.status === 200; step++) {
    const { text } = last;
    last = await sendAll(
      last,
      values.filter(([key]) => text.includes(` name="${key}"`)),
    );
  }
  return last;
}
const addressOf = ({ action }: Page) => action.replace(/\/steps$|\?send$/, "");
const linkAfter = async (page: Page) => {
  const { text } = await get(page.headers.get("location") ?? "");
  return decoded(/href="([^"]*\/c\/[^"]*)"/.exec(text)?.[1] ?? "");
};
const after = ({ headers }: Page) =>
  new URL(headers.get("location") ?? "", app.url).searchParams.get("stored");
const filesOf = async ({ id }: Form) =>
  (await sql`select state, name from formd.files where form_id = ${id} order by created_at, id`).map(
    ({ state, name }) => `${state} ${name}`,
  );
const namesIn = async (form: Form) =>
  ((await stored(form))[0]?.cv as { name: string }[] | undefined)?.map((each) => each.name);

describe.each([
  ["on one page", [name, cv]],
  ["in steps", [name, pageBreak, cv]],
])("files %s", (_, fields) => {
  /** The page with the control of the files. */
  const open = async (link: string) => {
    const page = await get(link);
    return page.text.includes('name="cv"') ? page : await sendAll(page);
  };

  test("are kept, added and removed by a link for changes, which takes none of another page", async () => {
    const form = await published(fields, { change });
    const link = await linkAfter(await through(await get(form), [["name", "Ada"], cvOf(pdf)]));
    expect(after(await through(await get(link)))).toBe("nothing");

    expect(after(await through(await get(link), [cvOf(png, "b.png")]))).toBe("changes");
    expect(await namesIn(form)).toEqual(["cv.pdf", "b.png"]);
    expect(await filesOf(form)).toEqual(["claimed cv.pdf", "claimed b.png"]);

    const page = await open(link);
    const [, removed = ""] = /name="formd.remove" value="([^"]*)"/.exec(page.text) ?? [];
    const to = `${addressOf(page)}/steps`;
    const without = await sendAll(page, [["formd.remove", removed]], to);
    expect(await filesOf(form)).toEqual(["claimed cv.pdf", "claimed b.png"]);
    expect(after(await through(without))).toBe("changes");
    expect(await namesIn(form)).toEqual(["b.png"]);
    expect(await filesOf(form)).toEqual(["deleted ", "claimed b.png"]);

    await through(await get(form), [["name", "Eve"], cvOf(pdf, "of-eve.pdf")]);
    const waiting = await sendAll(await open(addressOf(await get(form))), [cvOf(pdf, "waiting.pdf")]);
    const ofEve = JSON.stringify((await stored(form))[1]?.cv).slice(1, -1);
    const [, uploaded] = waiting.hidden.find(([key]) => /^(formd\.kept\.)?cv$/.test(key)) ?? [];
    for (const foreign of [ofEve, uploaded ?? ofEve]) {
      const body = await open(link);
      const refused = await through(await sendAll(body, [["cv", foreign]]));
      expect([refused.status, await namesIn(form)]).toEqual([422, ["b.png"]]);
      expect(refused.text).toContain("a file is no longer there");
    }
    const large = await sendAll(await open(link), [cvOf(new Uint8Array(150_000), "large.pdf")]);
    expect([large.status, await namesIn(form)]).toEqual([422, ["b.png"]]);
  });
});

test("what was taken back is in no table and no dump, and its link was nowhere but on its pages", async () => {
  const marker = "Hopper-Grace-1906";
  const failing = await receiver(({ text }) => [500, {}, text]);
  const taking = await receiver();
  const eventTypes = ["submission.created", "submission.updated", "submission.deleted"];
  for (const { url } of [failing, taking]) {
    const headers = { "x-api-key": team.key };
    const body = { url, payload: "full", eventTypes };
    expect(outcome(await ask(app, "POST", "/papi/v1/management/webhooks", { headers, body }))).toBe("ok");
  }
  const fields = [
    name,
    { id: "pin", type: "text", label: "PIN", sensitive: true },
    { id: "home", type: "address", label: "Home" },
    { id: "why", type: "textarea", label: "Why", showIf: "has(data.pin)" },
    cv,
  ];
  const form = await published(fields, { change });
  const values: Part[] = ["name", "pin", "home.city", "why"].map((key): Part => [key, `${marker} ${key}`]);
  const first = await sendAll(await get(form), [...values, cvOf(pdf, `${marker}.pdf`)]);
  const link = await linkAfter(await sendAll(first, values));
  // A question that the page hid for lack of the PIN has its value again.
  const again = await sendAll(await get(link), [
    ["name", `${marker} changed`],
    ["pin", `${marker} changed`],
    cvOf(png, `${marker}.png`),
  ]);
  expect([again.status, controlsIn(again.text).find(([key]) => key === "why")]).toEqual([
    422,
    ["why", `${marker} why`],
  ]);
  expect(after(await sendAll(again, [["pin", `${marker} changed`]]))).toBe("changes");
  await until(async () => failing.received.length >= 2 && taking.received.length >= 2);
  const events = taking.received.map(({ text }) => JSON.parse(text));
  expect(events.map(({ type }) => type).toSorted()).toEqual(["submission.created", "submission.updated"]);
  expect(JSON.stringify(events.find(({ type }) => type === "submission.updated"))).toContain(
    `${marker} changed`,
  );
  expect(JSON.stringify(taking.received)).not.toContain(link.slice(-43));
  expect(await tablesWith(sql, marker)).not.toEqual([]);

  expect((await post(`${link}/withdraw`, {})).status).toBe(303);
  await until(async () => taking.received.length >= 3);
  await app.sweep();
  expect(app.objects().filter((each) => each.includes(form.id))).toEqual([]);
  const token = link.slice(-43);
  for (const text of [marker, token]) expect(await tablesWith(sql, text)).toEqual([]);
  // pg_dump reads servers of its major version and older ones, and of a cluster the coordinator alone.
  const program = "/usr/lib/postgresql/15/bin/pg_dump";
  const [row] = await sql<{ version: number }[]>`
    select current_setting('server_version_num')::int as version`;
  if (row && row.version < 160_000 && workerPorts.length === 0 && existsSync(program)) {
    const { stdout } = await run(program, ["--dbname", app.database.ownerUrl]);
    expect(stdout).toContain(form.id);
    for (const text of [marker, token]) expect(stdout).not.toContain(text);
  }
});
