// stacks: one
/** The master key is known to the database: another one is refused, and a rotation loses nothing. */
import { beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { outcome, until } from "../expect.ts";
import { local, receiver } from "../http/webhooks/receiver.ts";
import {
  ask,
  type Database,
  database,
  formd,
  makeForm,
  makeTeam,
  manageSubmission,
  server,
  settingsFor,
  submitByKey,
} from "../setup.ts";
import { examined } from "./examined.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const [first, second, third] = [keyOf(1), keyOf(2), keyOf(3)];
let made: Database;
beforeAll(async () => (made = await database()));

const settings = (key: string, of = made) => ({
  ...settingsFor(of),
  ...local,
  PORT: "0",
  FORMD_SECRET_KEY: key,
});
const start = (key: string) => server({ DATABASE_URL: made.url, ...local, FORMD_SECRET_KEY: key });
const rotate = async (key: string) => await formd(["secret", "rotate", "--json"], settings(key));

test("a server with another master key is refused by one line; doctor says the same; an accepted one is the database's", async () => {
  const own = await database();
  const app = await server({ DATABASE_URL: own.url, FORMD_SECRET_KEY: first });
  await app.stop();
  const refused = await formd(["serve"], settings(second, own));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^formd: the database was used with another master key \([0-9a-f]{16}; .*--accept-new-master-key.*\n$/,
    ),
  ]);
  const { of } = await examined(settings(second, own));
  expect(of("master key")).toMatchObject({
    ok: false,
    message: expect.stringContaining("another master key"),
  });
  const accepted = await server(
    { DATABASE_URL: own.url, FORMD_SECRET_KEY: second },
    { args: ["--accept-new-master-key"] },
  );
  expect(accepted.log()).toContain("the secrets of all webhooks change");
  await accepted.stop();
  expect((await formd(["serve"], settings(first, own))).code).toBe(1);
  expect((await formd(["doctor"], settings(second, own))).stderr).not.toContain("master key");
});

test("with one key there is nothing to rotate, which a rotation says", async () => {
  const own = await database();
  const { code, stdout, stderr } = await formd(["secret", "rotate"], settings(first, own));
  expect([code, stdout, stderr]).toEqual([
    1,
    "",
    "formd: There is one key: nothing to rotate. Set FORMD_SECRET_KEY=NEW,OLD first.\n",
  ]);
});

test("through two rotations a webhook's secret and a receipt stay valid, and the last key alone is enough", async () => {
  const hook = await receiver();
  let app = await start(first);
  const team = await makeTeam({ ...app, database: made });
  const form = await makeForm({ ...app, database: made }, team, []);
  const headers = { "x-api-key": team.key };
  const added = await ask(app, "POST", "/papi/v1/management/webhooks", {
    headers,
    body: { url: hook.url, eventTypes: ["submission.created"] },
  });
  expect(outcome(added)).toBe("ok");
  const { webhook, secrets } = added.body.data;
  const submit = async () => {
    const sent = await submitByKey(app, team, form, {});
    expect(outcome(sent)).toBe("ok");
    return sent.body.data.id as string;
  };
  const receiptOf = async (id: string) =>
    (await manageSubmission(app, team, form, "GET", `${id}/receipt`)).body;
  const isDelivered = async (secret: string) => {
    const before = hook.received.length;
    await submit();
    await until(() => hook.received.length > before);
    const { text, headers: signed } = hook.received.at(-1) as (typeof hook.received)[number];
    new Webhook(secret).verify(text, signed as Record<string, string>);
  };
  const id = await submit();
  const receipt = await receiptOf(id);
  await isDelivered(secrets.secret);
  const restart = async (key: string) => {
    await app.stop();
    app = await start(key);
    await isDelivered(secrets.secret);
    expect(await receiptOf(id)).toBe(receipt);
  };

  await restart(`${second},${first}`);
  expect(JSON.parse((await rotate(`${second},${first}`)).stdout)).toEqual({ moved: 1 });
  expect(JSON.parse((await rotate(`${second},${first}`)).stdout)).toEqual({ moved: 0 });
  await restart(second);
  expect(outcome(await ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`))).toBe("ok");
  expect((await formd(["serve"], settings(first))).stderr).toContain("another master key");

  expect(JSON.parse((await rotate(`${third},${second}`)).stdout)).toEqual({ moved: 2 });
  await restart(third);
  const rotated = await ask(app, "POST", `/papi/v1/management/webhooks/${webhook.id}/rotate-secret`, {
    headers,
  });
  await isDelivered(rotated.body.data.secrets.secret);
  await isDelivered(secrets.secret);
  const rows =
    await made.sql`select state, sealed is null as bare from formd.master_keys order by created_at`;
  expect(rows.map(({ state, bare }) => [state, bare])).toEqual([
    ["sealed", false],
    ["sealed", false],
    ["current", true],
  ]);
});
