/** Access to a file of a submission: the views that show it, and the callers that can name it. */
import { expect, test } from "bun:test";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { outcome, submissionCount, until } from "../../expect.ts";
import { asAgentToken, baseOf, connect } from "../../mcp-client.ts";
import { asAgent, ask, makeAgent, makeForm, makeTeam } from "../../setup.ts";
import { call, submitTool } from "../mcp/fixture.ts";
import { local, receiver } from "../webhooks/receiver.ts";
import { byKey, cv, fileService, pdf, submit, upload } from "./fixture.ts";

const app = await fileService(local);
const team = await makeTeam(app);
const form = await makeForm(app, team, [cv]);

const codes = (body: { errors?: { code: string }[] }) => body.errors?.map(({ code }) => code);
const owner = (path: string, of = form) =>
  ask(app, "GET", `/papi/v1/management/forms/${of.id}/submissions${path}`, {
    headers: { "x-api-key": team.key },
  });

test("webhooks and exports have what is known of a file, and no bytes", async () => {
  const to = await receiver();
  const made = await ask(app, "POST", "/papi/v1/management/webhooks", {
    headers: { "x-api-key": team.key },
    body: { url: to.url, eventTypes: ["submission.created"], formId: form.id, payload: "full" },
  });
  expect(outcome(made)).toBe("ok");
  const { body } = await upload(app, byKey(form, team), pdf);
  const { expiresAt: _, ...known } = body.data;
  const stored = await submit(app, byKey(form, team), { cv: [{ id: body.data.id }] });
  expect(outcome(stored)).toBe("ok");
  await until(() => to.received.length);
  const { submission } = to.received[0]?.body.data ?? {};
  expect(submission).toMatchObject({ id: stored.body.data.id, data: { cv: [known] } });
  const [line] = (await owner("/export?format=jsonl")).body.split("\n");
  expect(JSON.parse(line).data).toEqual({ cv: [known] });
  const csv = (await owner("/export?format=csv")).body as string;
  expect(csv).toContain(`"[{""id"":""${known.id}""`);
  for (const text of [to.received[0]?.text ?? "", line, csv]) expect(text).not.toContain("%PDF");
});

test("another session cannot name an upload, nor can its own name it twice in one value", async () => {
  const anonymous = await makeForm(app, team, [cv], { settings: { anonymous: { enabled: true } } });
  const session = async () => {
    const headers = { "x-form-access-key": anonymous.accessKey };
    const { body } = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers });
    return asAgent(anonymous, body.data);
  };
  const [one, other] = [await session(), await session()];
  const id = (await upload(app, one, pdf)).body.data.id;
  expect(codes((await submit(app, other, { cv: [{ id }] })).body)).toEqual(["upload_not_found"]);
  expect(codes((await submit(app, one, { cv: [{ id }, { id }] })).body)).toEqual(["duplicate_item"]);
  // The same bytes again are another upload.
  const again = (await upload(app, one, pdf)).body.data.id;
  expect(again).not.toBe(id);
  expect(outcome(await submit(app, one, { cv: [{ id }, { id: again }] }))).toBe("ok");
});

test("an agent whose grant has ended can neither upload nor name what it has uploaded", async () => {
  const agent = await makeAgent(app, team, form);
  const id = (await upload(app, asAgent(form, agent), pdf)).body.data.id;
  const { sql } = app.database;
  await sql`delete from formd.grants where team_id = ${team.id} and agent_id = ${agent.id}`;
  expect(outcome(await submit(app, asAgent(form, agent), { cv: [{ id }] }))).toBe("403 no_grant");
  expect(outcome(await upload(app, asAgent(form, agent), pdf))).toBe("403 no_grant");
});

test("an agent of MCP hands a form with a file over to its page, and says by id what it has uploaded", async () => {
  const page = await makeForm(app, team, [{ ...cv, required: true }], {
    settings: { page: { enabled: true } },
  });
  const agent = await makeAgent(app, team, page);
  const asked: unknown[] = [];
  const client = await connect(app, asAgentToken(agent), {
    answer: ({ mode, url }) => {
      asked.push([mode, url]);
      return { action: "accept" };
    },
  });
  const tool = await submitTool(client);
  const url = baseOf(app) + pagePathOf({ team: team.id, form: page.id });
  const { structuredContent } = await call(client, tool, {});
  expect(asked).toEqual([["url", url]]);
  expect([structuredContent.status, await submissionCount(app, page)]).toEqual(["handed_over", 0]);
  const silent = await connect(app, asAgentToken(agent));
  const refused = await call(silent, tool, { cv: [{ name: "cv.pdf", base64: "JVBERi0=" }] });
  expect([refused.isError, refused.structuredContent.code]).toEqual([true, "validation_failed"]);
});

test("an agent uploads by REST what it names by MCP", async () => {
  const target = await makeForm(app, team, [{ ...cv, required: true }]);
  const agent = await makeAgent(app, team, target);
  const id = (await upload(app, asAgent(target, agent), pdf)).body.data.id;
  const client = await connect(app, asAgentToken(agent));
  const stored = await call(client, await submitTool(client), { cv: [{ id }] });
  expect(stored.structuredContent).toMatchObject({ status: "completed" });
  const { submission } = (await owner(`/${stored.structuredContent.id}`, target)).body.data;
  expect(submission.data.cv).toMatchObject([{ id, size: pdf.length }]);
});
