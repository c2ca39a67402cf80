/**
 * `kill -9` under load. Each submission has an Idempotency-Key and is sent again until it is acknowledged: at
 * the end each is stored once, and under the id that was acknowledged; and a webhook has heard of each at
 * least once. FORMD_KILL_ROUNDS: how many rounds; four by default, one per victim. FORMD_KILL_EVENTS: how
 * many submissions at least, over which the rounds are spread.
 */
import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { connectOnce } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import { local, receiver } from "../http/webhooks/receiver.ts";
import { ask, temporaryFolder } from "../setup.ts";
import { killable, postmasterIn } from "./killable.ts";

const rounds = Number(process.env.FORMD_KILL_ROUNDS ?? 4);
const events = Number(process.env.FORMD_KILL_EVENTS ?? 0);
const callers = 8;
/** Submissions of a round: one half before the kill, one after. */
const perRound = Math.max(100, Math.ceil(events / rounds));
const dataDir = temporaryFolder();
const settings = {
  FORMD_DATA_DIR: dataDir,
  LOG_LEVEL: "info",
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "1000000",
  ...local,
};

const service = await killable(settings, { id: "n", type: "number", label: "N" });
const hook = await receiver();
const webhook = await ask(service.app, "POST", "/papi/v1/management/webhooks", {
  headers: { "x-api-key": service.key },
  body: { url: hook.url, eventTypes: ["submission.created"] },
});
expect(webhook.status).toBe(200);

// The last one out stops PostgreSQL.
afterAll(() => service?.app.stop(), 60_000);

const postmaster = () => postmasterIn(dataDir);

/** The postmaster and its backends. */
function postgres(): number[] {
  const parent = postmaster();
  const isChild = (pid: string) => {
    try {
      return / \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] === String(parent);
    } catch {
      return false; // it has ended
    }
  };
  return [
    parent,
    ...readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && isChild(name))
      .map(Number),
  ];
}

const victims: [name: string, pids: () => number[]][] = [
  ["the server", () => [service.app.process.pid ?? 0]],
  ["the postmaster", () => [postmaster()]],
  ["all of PostgreSQL", postgres],
  ["everything", () => [service.app.process.pid ?? 0, ...postgres()]],
];

/** Ids by number, of what was acknowledged; and what should not happen. */
const acknowledged = new Map<number, string>();
const unexpected: unknown[] = [];
let sent = 0;
let retries = 0;

async function submitUntilAcknowledged(n: number): Promise<void> {
  for (;;) {
    const reply = await fetch(`${service.app.url}/papi/v1/submitter/form/submissions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-form-access-key": service.accessKey,
        "x-api-key": service.key,
        "idempotency-key": `submission-${n}`,
      },
      body: JSON.stringify({ data: { n } }),
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (response) => ({ status: response.status, body: await response.json() }),
      () => undefined,
    );
    if (reply?.status === 200) return void acknowledged.set(n, reply.body.data.id);
    // 409: the first attempt is still in progress.
    if (reply && reply.status !== 503 && reply.status !== 409) return void unexpected.push([n, reply]);
    retries++;
    await Bun.sleep(20);
  }
}

/** Number and id of each stored submission. */
async function stored(): Promise<[n: number, id: string][]> {
  const path = `/papi/v1/management/forms/${service.form}/submissions/export?format=jsonl`;
  let text: string | undefined;
  // A connection that PostgreSQL has cut is a 503, or ends the response.
  await until(async () => {
    const reply = await fetch(service.app.url + path, { headers: { "x-api-key": service.key } });
    text = reply.ok ? await reply.text().catch(() => undefined) : undefined;
    return text !== undefined;
  });
  const lines = (text ?? "").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line)).map(({ id, data }) => [data.n, id]);
}

test(
  `${rounds} rounds: nothing that was acknowledged is lost, and nothing is stored twice`,
  async () => {
    let isSending = true;
    const load = Promise.all(
      Array.from({ length: callers }, async () => {
        while (isSending) await submitUntilAcknowledged(sent++);
      }),
    );
    const more = (count: number) => {
      const target = acknowledged.size + count;
      return until(() => acknowledged.size >= target || unexpected.length > 0, 60_000 + count * 20);
    };
    try {
      for (let round = 0; round < rounds; round++) {
        const [name, pids] = victims[round % victims.length] ?? ["", () => []];
        await more(perRound / 2);
        await Bun.sleep(Math.random() * 300);
        const before = acknowledged.size;
        for (const pid of pids()) {
          try {
            process.kill(pid, "SIGKILL");
          } catch {
            // it has ended
          }
        }
        if (name === "the server" || name === "everything") await service.restart();
        const ms = await more(50);
        await more(perRound / 2 - 50);
        const present = new Map(await stored());
        const lost = [...acknowledged].filter(([n, id], index) => index < before && present.get(n) !== id);
        expect({ round, name, lost, unexpected }).toEqual({ round, name, lost: [], unexpected: [] });
        console.log(`${name}: ${before} acknowledged before, ${Math.round(ms)} ms to the next 50`);
      }
      await until(() => acknowledged.size >= events, 300_000);
    } finally {
      isSending = false;
      await load;
    }
    const all = await stored();
    expect(new Set(all.map(([n]) => n)).size).toBe(all.length);
    expect(new Map(all)).toEqual(acknowledged);
    const { body } = await ask(
      service.app,
      "GET",
      `/papi/v1/management/forms/${service.form}/submissions?limit=1`,
      {
        headers: { "x-api-key": service.key },
      },
    );
    expect(body.data.pagination.total).toBe(all.length);
    // A lease of a server that was killed lasts a minute: as if that had passed. A busy machine sends 120
    // events per second.
    await using sql = connectOnce(`postgres://postgres@localhost/formd?host=${dataDir}/socket`);
    await sql`
      update formd.webhook_deliveries set due_at = now(), leased_until_at = now() where leased_until_at is not null`;
    const heard = () => new Set(hook.received.map(({ headers }) => String(headers["webhook-id"])));
    await until(() => heard().size >= all.length, 180_000 + all.length * 20);
    expect(heard()).toEqual(new Set(all.map(([, id]) => id)));
    console.log(
      `${all.length} events, of which ${hook.received.length - all.length} were sent more than once`,
    );
    console.log(
      `${rounds} rounds: ${all.length} stored and acknowledged once each, ${retries} attempts repeated`,
    );
  },
  rounds * 60_000 + 600_000,
);
