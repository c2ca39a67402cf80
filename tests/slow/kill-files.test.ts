/**
 * `kill -9` of the server and the database, and a bucket that hangs up, while files are uploaded and
 * submitted: at the end each acknowledged file has its bytes, and there are no others.
 */
import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readConfig } from "../../src/platform/config.ts";
import { connectOnce } from "../../src/platform/database/db.ts";
import { openFiles } from "../../src/platform/files/files.ts";
import { storageKey } from "../../src/platform/files/store.ts";
import { createLog } from "../../src/platform/log.ts";
import { sweepFiles } from "../../src/resources/files/sweep.ts";
import { startBucket } from "../bucket.ts";
import { until } from "../expect.ts";
import { anything, submitPath, uploadUrl } from "../http/files/fixture.ts";
import { freshIp, permissive, temporaryFolder } from "../setup.ts";
import { type Killable, killable, postmasterIn } from "./killable.ts";

const callers = 4;
const perRound = 12;
const dataDir = temporaryFolder();

let service: Killable | undefined;
afterAll(() => service?.app.stop(), 60_000);

test("no claimed file is without bytes, and no bytes are without a row after the sweep", async () => {
  const bucket = await startBucket();
  const settings = { ...permissive, FORMD_DATA_DIR: dataDir, FILES_URL: bucket.url, LOG_LEVEL: "info" };
  const running = await killable(settings, anything);
  const { key, accessKey } = running;
  service = running;

  /** Posts until it is 200, whatever is down meanwhile. */
  const post = async (path: string, headers: Record<string, string>, sent: BodyInit) => {
    for (;;) {
      const reply = await fetch(running.app.url + path, {
        method: "POST",
        headers: {
          "x-form-access-key": accessKey,
          "x-api-key": key,
          "x-forwarded-for": freshIp(),
          ...headers,
        },
        body: sent,
        signal: AbortSignal.timeout(20_000),
      })
        .then(async (response) => ({ status: response.status, body: await response.json() }))
        .catch(() => undefined);
      if (reply?.status === 200) return reply.body.data;
      if (reply && reply.status !== 503 && reply.status !== 409) throw new Error(JSON.stringify(reply));
      await Bun.sleep(50);
    }
  };
  const acknowledged = new Map<string, string>();
  const submitOne = async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000)).fill(0, 0, 2);
    const file = await post(uploadUrl("any", "a.bin"), { "content-type": "application/octet-stream" }, bytes);
    await post(
      submitPath,
      { "content-type": "application/json", "idempotency-key": file.id },
      JSON.stringify({ data: { any: [{ id: file.id }] } }),
    );
    acknowledged.set(file.id, createHash("sha256").update(bytes).digest("hex"));
  };
  const hangUp = async (isStored: boolean) => {
    bucket.fault = (_method, _path, response) => {
      const cut = () => {
        response.socket?.destroy();
        return response;
      };
      if (!isStored) cut();
      // The bucket does what it is asked for, and cannot say so.
      else response.writeHead = response.end = cut;
      return !isStored;
    };
    await Bun.sleep(1_000);
    bucket.fault = () => false;
  };
  const victims: (() => void | Promise<void>)[] = [
    async () => {
      running.app.process.kill("SIGKILL");
      await running.restart();
    },
    () => void process.kill(postmasterIn(dataDir), "SIGKILL"),
    () => hangUp(false),
    () => hangUp(true),
  ];
  let isSending = true;
  const load = Promise.all(
    Array.from({ length: callers }, async () => {
      while (isSending) await submitOne();
    }),
  );
  load.catch(() => {});
  try {
    for (const strike of victims) {
      const target = acknowledged.size + perRound;
      await Promise.race([until(() => acknowledged.size >= target, 180_000), load]);
      await strike();
    }
  } finally {
    isSending = false;
    await load;
  }
  await using sql = connectOnce(`postgres://postgres@localhost/formd?host=${dataDir}/socket`);
  const files = await openFiles(readConfig({ FILES_URL: bucket.url }), undefined);
  if (!files) throw new Error("files are off");
  // Uploads that nobody has claimed, and leases of a server that was killed: as if their time had passed.
  await until(async () => {
    await sql`update formd.files set expires_at = now() - interval '1 second' where state <> 'claimed'`;
    await sweepFiles(sql, files, createLog("silent"));
    return (await sql`select from formd.files where state <> 'claimed'`).length === 0;
  });
  const rows = await sql<{ teamId: string; id: string }[]>`select team_id, id from formd.files`;
  expect(bucket.objects().sort()).toEqual(rows.map(({ id }) => id).sort());
  expect([...acknowledged.keys()].sort()).toEqual(rows.map(({ id }) => id).sort());
  for (const { teamId, id } of rows) {
    const hash = createHash("sha256");
    for await (const chunk of await files.store.read(storageKey(teamId, id))) hash.update(chunk);
    expect(hash.digest("hex")).toBe(acknowledged.get(id) ?? "");
  }
}, 900_000);
