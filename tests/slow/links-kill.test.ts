// stacks: one
/**
 * `kill -9` of the server between what it has stored and its response: a draft is absent or whole, and an
 * anonymous invitation that was claimed is sent once, by the page that claimed it.
 */
import { expect, test } from "bun:test";
import { until } from "../expect.ts";
import { formsOf, getPage, type Page, sendPage } from "../http/form-page/fixture.ts";
import { invitationOf, invite } from "../invite.ts";
import { makeTeam, type PublishedForm, permissive, server, service } from "../setup.ts";

const database = await service(permissive);
const team = await makeTeam(database);
const { published, pathOf, stored } = formsOf(database, team);
const { sql, url } = database.database;
const settings = { ...permissive, DATABASE_URL: url };
let app = await server(settings);

const name = { id: "name", type: "text", label: "Name", required: true };
const waiting = async () => {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.map(({ pid }) => pid);
};

/** Kills the server while it waits for a table. @param isLost true: its call is lost as well */
async function killWhile(table: string, act: () => Promise<unknown>, isLost: boolean): Promise<void> {
  await sql.begin(async (held) => {
    await held.unsafe(`lock table formd.${table} in share mode`);
    const sent = act().catch(() => {});
    await until(async () => (await waiting()).length > 0);
    const pids = await waiting();
    await app.stop("SIGKILL");
    await sent;
    if (isLost) for (const pid of pids) await sql`select pg_terminate_backend(${pid})`;
    await until(async () => !isLost || (await waiting()).length === 0);
  });
  await until(async () => (await waiting()).length === 0);
  app = await server(settings);
}

const saveBy = (page: Page, entered: Record<string, string>) =>
  sendPage(app, { action: page.action.replace(/\?send$/, "/steps"), hidden: page.hidden }, [
    ...Object.entries(entered),
    ["formd.save", "1"],
  ]);
const linkIn = ({ headers }: Page) => (headers.get("location") ?? "").replace(/\/saved.*$/, "");
const rows = ({ id }: PublishedForm) =>
  sql<{ sealed: Uint8Array }[]>`select sealed from formd.page_drafts where form_id = ${id}`;

test("a save: the page is saved again, and the draft of before is absent, or whole and told apart", async () => {
  for (const isLost of [true, false]) {
    const form = await published([name], { resume: { enabled: true } });
    const page = await getPage(app, pathOf(form));
    await killWhile("page_drafts", () => saveBy(page, { name: "Ada" }), isLost);
    await until(async () => isLost || (await rows(form)).length === 1);
    const link = linkIn(await saveBy(page, { name: "Ada" }));
    expect((await rows(form)).length).toBe(isLost ? 1 : 2);
    const opened = await getPage(app, link);
    expect([opened.status, opened.text.includes('value="Ada"')]).toEqual([200, true]);
    await killWhile("page_drafts", () => saveBy(opened, { name: "Grace" }), isLost);
    const expected = isLost ? "Ada" : "Grace";
    await until(async () => (await getPage(app, link)).text.includes(`value="${expected}"`));
    expect((await saveBy(opened, { name: "Joan" })).status).toBe(isLost ? 303 : 409);
  }
});

test("a claim: the page is sent again and stored once; another page of the link is not", async () => {
  for (const isLost of [true, false]) {
    const form = await published([name], { access: "invited" }, { invitations: { anonymous: true } });
    const token = await invite(sql, team, form);
    const link = `${pathOf(form)}/i/${token}`;
    const [page, other] = [await getPage(app, link), await getPage(app, link)];
    const send = (by: Page) => sendPage(app, by, { name: "Ada" });
    await killWhile("submissions", () => send(page), isLost);
    await until(async () => (await stored(form)).length === (isLost ? 0 : 1));
    const { state, claimHash } = await invitationOf(sql, token);
    expect([state, claimHash === null]).toEqual(["submitted", false]);
    expect([(await send(other)).status, (await send(page)).status, (await send(page)).status]).toEqual([
      410, 303, 303,
    ]);
    expect(await stored(form)).toHaveLength(1);
  }
});
