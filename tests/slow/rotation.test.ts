/**
 * The rotation of docs/operate/master-key.md under load. Two servers take turns to be restarted, first with
 * both keys, then with the new one; a balancer sends no request to one that is stopped. Meanwhile programs
 * submit, read receipts, mint and use tokens, fill in a page in steps, each step at another server, and
 * webhooks arrive.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { outcome, until } from "../expect.ts";
import { getPage, pathIn, postForm } from "../http/form-page/fixture.ts";
import { local, receiver } from "../http/webhooks/receiver.ts";
import {
  asAgent,
  ask,
  database,
  formd,
  freePort,
  makeAgent,
  makeForm,
  makeTeam,
  permissive,
  type Server,
  server,
  settingsFor,
  temporaryFolder,
} from "../setup.ts";

setDefaultTimeout(900_000);

const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64")) as [string, string];
const both = `${second},${first}`;
/** Duration of each state under load. */
const stateMs = 2_000;

/** Servers behind a balancer, which counts what is in flight at each. */
function balancerOf(...servers: Server[]) {
  const slots = servers.map((server) => ({ server, inFlight: 0, isOut: false }));
  let turn = 0;
  return {
    all: () => slots.map(({ server }) => server) as [Server, Server],
    /** Work at the next server that is up; twice in a row it is another one while both are. */
    async at<T>(work: (server: Server) => Promise<T>): Promise<T> {
      const up = slots.filter(({ isOut }) => !isOut);
      const chosen = up[turn++ % up.length] as (typeof slots)[number];
      chosen.inFlight++;
      return await work(chosen.server).finally(() => chosen.inFlight--);
    },
    async restart(index: number, start: () => Promise<Server>) {
      const slot = slots[index] as (typeof slots)[number];
      slot.isOut = true;
      await until(() => slot.inFlight === 0);
      await slot.server.stop();
      Object.assign(slot, { server: await start(), isOut: false });
    },
  };
}

test("a rotation under load: nothing is refused, webhooks and receipts verify, each receipt is one text", async () => {
  const made = await database();
  const settings = { DATABASE_URL: made.url, BASE_URL: "http://localhost:1", ...permissive, ...local };
  const ports = [await freePort(), await freePort()].map(String) as [string, string];
  const start = (index: number, key: string) =>
    server({ ...settings, PORT: ports[index] ?? "", FORMD_SECRET_KEY: key });
  const balanced = balancerOf(await start(0, first), await start(1, first));
  const service = { ...balanced.all()[0], database: made };

  const team = await makeTeam(service);
  const form = await makeForm(service, team, [{ id: "n", type: "number", label: "N" }]);
  const fields = [
    { id: "name", type: "text", label: "Name", required: true },
    { id: "more", type: "page_break", label: "More" },
    { id: "note", type: "text", label: "Note", required: true },
  ];
  const page = await makeForm(service, team, fields, {
    settings: { page: { enabled: true, layout: "steps" } },
  });
  const agent = await makeAgent(service, team, form);
  const headers = { "x-api-key": team.key };
  const refused: unknown[] = [];
  const expectOk = (what: string, reply: { status: number }) => {
    if (reply.status >= 300) refused.push([what, reply]);
  };

  const hook = await receiver();
  const secretOf = new Map<string, string>();
  /** A webhook of its own, made at this server, that hears of each submission. */
  const addWebhook = async (at: Server) => {
    const url = `${hook.url}/${secretOf.size}`;
    const added = await ask(at, "POST", "/papi/v1/management/webhooks", {
      headers,
      body: { url, eventTypes: ["submission.created"] },
    });
    expect(outcome(added)).toBe("ok");
    secretOf.set(added.body.data.webhook.id, added.body.data.secrets.secret);
  };

  const receipts = new Map<string, string>();
  const submissions: string[] = [];
  const receiptOf = async (at: Server, id: string) => {
    const path = `/papi/v1/management/forms/${form.id}/submissions/${id}/receipt`;
    const reply = await ask(at, "GET", path, { headers });
    expectOk("receipt", reply);
    return reply.body as string;
  };
  let n = 0;
  const clients = [
    async () => {
      const sent = await balanced.at((at) =>
        ask(at, "POST", "/papi/v1/submitter/form/submissions", {
          headers: { "x-form-access-key": form.accessKey, ...headers, "idempotency-key": `n${++n}` },
          body: { data: { n } },
        }),
      );
      expectOk("submit", sent);
      submissions.push(sent.body.data.id);
    },
    async () => {
      const id = submissions[Math.floor(Math.random() * submissions.length)];
      if (!id) return;
      const text = await balanced.at((at) => receiptOf(at, id));
      if ((receipts.get(id) ?? text) !== text) refused.push(["another receipt", id, receipts.get(id), text]);
      receipts.set(id, text);
    },
    async () => {
      const validated = await balanced.at((at) =>
        ask(at, "POST", "/papi/v1/submitter/form/validation", {
          headers: asAgent(form, agent),
          body: { data: { n: 1 } },
        }),
      );
      expectOk("validation with the token from before", validated);
      const minted = await balanced.at((at) =>
        ask(at, "POST", "/papi/v1/auth/token", { headers: { "x-agent-secret": agent.secret } }),
      );
      expectOk("token", minted);
    },
    async () => {
      const path = pathIn(team, page);
      /** Sends what a page has, and a value, to another server. */
      const goOn = (text: string, name: string, value: string) => {
        const hidden = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
        const values = new URLSearchParams([...hidden].map(([, name = "", value = ""]) => [name, value]));
        values.append(name, value);
        const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1] ?? path;
        return balanced.at((at) => postForm(at, action, values));
      };
      const shown = await balanced.at((at) => getPage(at, path));
      const next = await goOn(shown.text, "name", "Ada");
      if (!next.text.includes('name="note"'))
        return void refused.push(["step", next.status, next.text.slice(0, 2000)]);
      const sent = await goOn(next.text, "note", "x");
      if (![200, 303].includes(sent.status)) refused.push(["page", sent.status, sent.text.slice(0, 2000)]);
    },
  ];
  let isOver = false;
  // Before the first submission, which would have no event otherwise.
  await addWebhook(balanced.all()[0]);
  const load = clients.map(async (client) => {
    while (!isOver && refused.length < 5) {
      await client().catch((error) => refused.push(String(error)));
      await Bun.sleep(60);
    }
  });

  /** Each state gets webhooks of its own, made at each server. */
  const stay = async () => {
    for (const at of balanced.all()) await addWebhook(at);
    await Bun.sleep(stateMs);
  };
  const rotate = async (key: string) => {
    const { code, stdout } = await formd(["secret", "rotate", "--json"], {
      ...settingsFor(made),
      FORMD_SECRET_KEY: key,
    });
    return [code, JSON.parse(stdout).moved];
  };
  await stay();
  for (const [key, isRotated] of [
    [both, false],
    [second, true],
  ] as const) {
    if (isRotated) expect(await rotate(both)).toEqual([0, 1]);
    if (isRotated) await stay();
    for (const index of [0, 1]) {
      await balanced.restart(index, () => start(index, key));
      await stay();
    }
  }
  isOver = true;
  await Promise.all(load);
  expect(refused).toEqual([]);

  // One set per look: the receiver is of this process, and hears nothing meanwhile.
  await until(async () => {
    const heard = new Set(hook.received.map(({ headers }) => String(headers["webhook-id"])));
    await Bun.sleep(200);
    return submissions.every((id) => heard.has(id));
    // An attempt that fails twice on a busy machine is made again after 5 minutes.
  }, 400_000);
  let verified = 0;
  for (const { text, headers: sent, body } of hook.received) {
    const secrets = [...secretOf.values()];
    const isOf = (secret: string) => {
      try {
        new Webhook(secret).verify(text, sent as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    if (secrets.filter(isOf).length !== 1) refused.push(["webhook", body]);
    verified++;
  }
  expect(refused.slice(0, 3)).toEqual([]);

  const folder = temporaryFolder();
  const keys = (await ask(balanced.all()[0], "GET", `/papi/v1/receipt-keys?team=${team.id}`)).body.data;
  writeFileSync(join(folder, "keys.json"), JSON.stringify(keys));
  const sample = [...receipts].filter((_, index) => index % Math.ceil(receipts.size / 20) === 0);
  for (const [id, text] of sample) {
    for (const at of balanced.all()) expect(await receiptOf(at, id)).toBe(text);
    writeFileSync(join(folder, "note"), text);
    const files = [join(folder, "note"), "--key", keys.serverKey, "--keys", join(folder, "keys.json")];
    const { code, stderr } = await formd(["receipt", "verify", ...files]);
    expect([code, stderr]).toEqual([0, ""]);
  }
  console.log(
    `${submissions.length} submissions, ${receipts.size} receipts of which ${sample.length} verified offline, ${verified} webhooks verified, ${secretOf.size} secrets`,
  );
});
