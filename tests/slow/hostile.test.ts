/**
 * Hostile requests over 16 connections: none gets a 5xx, and the server's memory comes back.
 * FORMD_HOSTILE_REQUESTS: how many; FORMD_TEST_SEED: other ones.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { pageIdOf } from "../../src/resources/forms/page-address.ts";
import { memoryOf } from "../bench/cpu.ts";
import { unknownId } from "../expect.ts";
import { seed } from "../generated.ts";
import { routes } from "../routes.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  permissive,
  type Service,
  service,
} from "../setup.ts";
import { collecting } from "./collecting.ts";
import { hostileRequests, type Page, type Target } from "./hostile.ts";

const count = Number(process.env.FORMD_HOSTILE_REQUESTS ?? 5_000);
const connections = 16;
const responseTimeoutMs = 30_000;
setDefaultTimeout(600_000 + count * 20);

let app: Service;
let target: Target;

beforeAll(async () => {
  app = await service({
    ...permissive,
    ...collecting,
    LOG_LEVEL: "warn",
    // Requests require a CAPTCHA of a form; without a provider its page is 503, as the specification says.
    CAPTCHA_PROVIDER: "altcha",
    RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE: "1000000",
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: "1000000000",
  });
  const team = await makeTeam(app);
  const field = { id: "name", type: "text", label: "Name" };
  const [used, managed] = [
    await makeForm(app, team, [field]),
    await makeForm(app, team, [field], { settings: { page: { enabled: true } } }),
  ];
  const [caller, subject] = [await makeAgent(app, team, used), await makeAgent(app, team, managed)];
  const submitted = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: asAgent(managed, subject),
    body: { data: { name: "Ada" } },
  });
  const headers = { "x-api-key": team.key };
  const webhook = await ask(app, "POST", "/papi/v1/management/webhooks", {
    headers,
    body: { url: "https://hooks.invalid/formd", eventTypes: ["submission.created"] },
  });
  const { grants } = (
    await ask(app, "GET", `/papi/v1/identity/agents/${subject.id}/grants`, {
      headers,
    })
  ).body.data;
  target = {
    document: (await ask(app, "GET", "/papi/v1/openapi.json")).body,
    pages: [],
    ids: {
      id: pageIdOf({ team: team.id, form: managed.id }),
      token: "0",
      webhook_id: webhook.body.data.webhook.id,
      event_id: unknownId,
      form_id: managed.id,
      submission_id: submitted.body.data.id,
      agent_id: subject.id,
      grant_id: grants[0].id,
      key_id: "0123456789abcdef",
      challenge_id: "01900000-0000-7000-8000-000000000000",
    },
    credentials: {
      "x-api-key": team.key,
      cookie: await makeOperator(app, team, "admin"),
      "x-form-access-key": used.accessKey,
      "x-respondent-token": caller.token,
      "x-agent-secret": caller.secret,
    },
  };
  target.pages = await pagesOf(target, [team.keyId, team.operator.id]);
});

const formPattern = /<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs;
const controlPattern = /<(?:input|select|textarea|button)[^>]* name="([^"]+)"[^>]*>/g;

/**
 * The routes that the document does not have, with the fields of the forms on the pages.
 *
 * @param kept values that no form sends, since an action on them would end the credentials
 */
async function pagesOf({ document, ids, credentials }: Target, kept: string[]): Promise<Page[]> {
  const pages = routes
    .map(({ method, path }): Page => ({ method, path: path.replace(/:(\w+)/g, "{$1}"), fields: [] }))
    .filter(({ method, path }) => !document.paths[path]?.[method.toLowerCase()]);
  const pathIn = ({ path }: Page) => path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? "");
  for (const page of pages.filter(({ method }) => method === "GET")) {
    const headers = { cookie: credentials.cookie ?? "", accept: "text/html" };
    const html = await (await fetch(app.url + pathIn(page), { headers, redirect: "manual" })).text();
    for (const [, action = "", inner = ""] of html.matchAll(formPattern)) {
      const [path] = action.split("?");
      const target = pages.find((other) => other.method === "POST" && pathIn(other) === path);
      if (!target || target.fields.length > 0) continue;
      for (const [tag, name = ""] of inner.matchAll(controlPattern)) {
        const value = / value="([^"]*)"/.exec(tag)?.[1] ?? "a";
        if (!kept.includes(value)) target.fields.push([name, value]);
      }
    }
  }
  const withFields = pages.filter(({ fields }) => fields.length > 0).length;
  expect(withFields).toBeGreaterThan(25);
  return pages;
}

interface Exchange {
  /** 0 when the server closed the connection without a response, -1 when nothing whole came in time. */
  status: number;
  /** The beginning of the response. */
  text: string;
}

/** Sends a request and reads its response. */
function exchange(socket: Socket, method: string, bytes: Uint8Array): Promise<Exchange> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const finish = (status: number) => {
      clearTimeout(timer);
      socket.removeAllListeners("data").removeAllListeners("close");
      resolve({ status, text: received.toString("latin1", 0, 4_000) });
    };
    const timer = setTimeout(() => {
      socket.destroy();
      finish(-1);
    }, responseTimeoutMs);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      const status = wholeResponse(received, method);
      if (status !== undefined) finish(status);
    });
    socket.on("close", () => finish(Number(received.toString("latin1", 9, 12)) || 0));
    socket.write(bytes);
  });
}

/** The status of a response that has arrived as a whole. An informational one comes before the response. */
function wholeResponse(received: Buffer, method: string): number | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end).toLowerCase();
  const status = Number(head.slice(9, 12));
  const rest = received.subarray(end + 4);
  if (status < 200) return wholeResponse(rest, method);
  if (method === "HEAD" || status === 204 || status === 304) return status;
  if (/^transfer-encoding: chunked$/m.test(head)) return rest.includes("0\r\n\r\n") ? status : undefined;
  const length = Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? Number.POSITIVE_INFINITY);
  return rest.length >= length ? status : undefined;
}

/**
 * For how long memory must not fall until it counts as settled. Bun drops compiled code that has not run for
 * one to two minutes, in steps: of 280 MiB after 60,000 requests 264 were left after half a minute, 232 after
 * one and 212 after two. CI's few requests compile too little for that. From 60,000 on Bun keeps a fifth and
 * more: of 189 MiB 241 are left after 200,000 and 261 after 500,000, of which 8 are objects that live; the
 * heap's blocks, which it gives back only when nothing in them lives, are 41 more.
 */
const stillSeconds = count > 5_000 ? 75 : 10;

/**
 * Resident memory in bytes once garbage is collected, and malloc has given pages back: the least, when it has
 * not fallen for `stillSeconds`, after four minutes at most. Deno gives pages back some seconds after a
 * collection.
 */
async function settledMemory(): Promise<number> {
  const pauseSeconds = 2;
  console.log("Waits until memory is settled, up to four minutes.");
  let level = Number.POSITIVE_INFINITY;
  const began = performance.now();
  // The clock decides, since a collection on a busy machine takes longer than the pause.
  for (let fellAt = began; performance.now() - began < 240_000; ) {
    app.process.kill("SIGUSR2");
    await Bun.sleep(pauseSeconds * 1_000);
    // malloc gives pages back when memory is allocated.
    await ask(app, "GET", "/readyz");
    const next = memoryOf(app.process.pid);
    if (next <= level * 0.99) fellAt = performance.now();
    level = Math.min(next, level);
    if (performance.now() - fellAt >= stillSeconds * 1_000) break;
  }
  return level;
}

test(`${count} hostile requests of seed ${seed}: no 5xx, no error in the log, memory within 20 % of idle`, async () => {
  const requestOf = hostileRequests(target, seed);
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  let next = 0;
  const lane = async (end: number) => {
    let socket: Socket | undefined;
    while (next < end && faults.length < 5) {
      const index = next++;
      const { method, bytes, hangsUp } = requestOf(index);
      if (!socket || socket.destroyed || !socket.writable) {
        socket = connect(Number(new URL(app.url).port), "127.0.0.1");
        socket.on("error", () => {});
      }
      if (hangsUp) {
        await new Promise((resolve) => socket?.write(bytes, resolve));
        socket.destroy();
        continue;
      }
      const { status, text } = await exchange(socket, method, bytes);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status >= 500 || status < 0) {
        faults.push(`${index}: ${status} ${Buffer.from(bytes).toString("latin1", 0, 2_000)}`);
        // At once, since a run may take an hour.
        console.log(`${faults.at(-1)}\nThe response: ${text}`);
      }
      // A response to the rest of a refused request cannot be distinguished from the next response.
      if (status === 0 || status === 400 || status === 413 || method !== method.toUpperCase())
        socket.destroy();
    }
    socket?.destroy();
  };
  const send = async (end: number) => {
    await Promise.all(Array.from({ length: connections }, () => lane(end)));
  };

  // The first requests load and compile what the routes need. Memory is compared after a collection that the
  // test forces, which shows a leak and not what an operator sees: a runtime lets garbage lie until the heap
  // is twice as large as what lives, so that without one it went up and down with any requests (159 MiB after
  // 500, 240 after 30,000, 204 after 60,000), which would hide a leak of 50 MiB. What is printed as "after
  // the last request" is nearer to what an operator sees.
  await send(Math.min(2_000, count / 2));
  const idle = await settledMemory();
  const began = performance.now();
  const first = next;
  await send(count);
  const perSecond = (next - first) / ((performance.now() - began) / 1000);
  const garbage = memoryOf(app.process.pid);
  console.log(`seed ${seed}, ${Math.round(perSecond)} per second, ${JSON.stringify(statuses)}`);
  expect(faults).toEqual([]);
  expect((await ask(app, "GET", "/readyz")).status).toBe(200);
  const { body } = await ask(app, "GET", "/metrics");
  expect(body).toMatch(/^formd_internal_errors_total 0$/m);
  expect(body).toMatch(/^formd_request_body_bytes 0$/m);
  expect(app.log()).not.toContain('"level":"error"');
  const after = await settledMemory();
  const [idleMebibytes, garbageMebibytes, afterMebibytes] = [idle, garbage, after].map((bytes) =>
    Math.round(bytes / 1_048_576),
  );
  console.log(
    `MiB of memory: ${idleMebibytes} when idle, ${garbageMebibytes} after the last request, ${afterMebibytes} after a collection`,
  );
  expect(after / idle).toBeLessThan(1.2);
});
