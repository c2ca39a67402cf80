// stacks: one
import { expect, test } from "bun:test";
import { ask, makeKey, makeOperator, makeTeam, service } from "../../setup.ts";

const json = { "content-type": "application/json" };
const app = await service({ RATE_LIMIT_MANAGEMENT_PER_MINUTE: "3" });
const team = await makeTeam(app);

const write = (headers: Record<string, string>, path: string) =>
  ask(app, "POST", path, { headers: { ...json, ...headers }, body: { name: "A" } });
const agents = "/papi/v1/identity/agents";
const forms = "/papi/v1/management/forms";

test("writes of one API key share a limit, over all routes; reads and other keys do not", async () => {
  const key = { "x-api-key": team.key };
  const remaining = [];
  for (const path of [forms, agents, forms]) {
    const { status, headers } = await write(key, path);
    remaining.push([status, headers.get("ratelimit")?.split(";t=")[0]]);
  }
  expect(remaining).toEqual([
    [200, '"caller";r=2'],
    [200, '"caller";r=1'],
    [200, '"caller";r=0'],
  ]);
  const { status, headers, body } = await write(key, agents);
  expect([status, body.code]).toEqual([429, "rate_limited"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await ask(app, "GET", agents, { headers: key })).status).toBe(200);
  const other = { "x-api-key": (await makeKey(app, team, "forms:write")).key };
  expect((await write(other, agents)).status).toBe(200);
});

test("writes of one operator share a limit; writes that its role does not allow count as well", async () => {
  const [editor, viewer] = [await makeOperator(app, team, "editor"), await makeOperator(app, team, "viewer")];
  const statuses = async (cookie: string) => {
    const found = [];
    for (let index = 0; index < 4; index++) found.push((await write({ cookie }, agents)).status);
    return found;
  };
  expect(await statuses(editor)).toEqual([200, 200, 200, 429]);
  expect(await statuses(viewer)).toEqual([403, 403, 403, 429]);
});
