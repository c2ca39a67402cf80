// stacks: one deno
/**
 * Several servers on one database behind one address: what they share, and how one is replaced while requests
 * come in.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { until } from "../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  type Database,
  database,
  formd,
  makeAgent,
  makeForm,
  makeKey,
  makeOperator,
  makeTeam,
  type PublishedForm,
  type Server,
  type Service,
  server,
  settingsFor,
  type Team,
} from "../setup.ts";
import { makeSigningAgent, nonce, send, signed, unsigned } from "../signing.ts";

/**
 * A TCP balancer: each connection goes to the next server in turn that was ready when last asked, ten times a
 * second.
 */
async function balancer() {
  const servers: Server[] = [];
  const ready = new Set<Server>();
  let turn = 0;
  const probing = setInterval(async () => {
    for (const each of servers) {
      const ok = await fetch(`${each.url}/readyz`, { keepalive: false }).then(
        (reply) => reply.ok,
        () => false,
      );
      if (ok) ready.add(each);
      else ready.delete(each);
    }
  }, 100);
  const listener = createServer((client) => {
    const able = servers.filter((each) => ready.has(each));
    const chosen = able[turn++ % able.length];
    if (!chosen) return client.destroy();
    const upstream = connect(Number(new URL(chosen.url).port), "127.0.0.1");
    join(client, upstream);
    join(upstream, client);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, servers, ready, listener, probing };
}

function join(from: Socket, to: Socket): void {
  from.setNoDelay().pipe(to);
  from.on("error", () => to.destroy());
}

let data: Database;
let front: Awaited<ReturnType<typeof balancer>>;
let app: Service;
let team: Team;
let form: PublishedForm;

const oneMore = async () => {
  const made = await server({
    DATABASE_URL: data.url,
    // Until the test has seen what it does while it drains.
    DRAIN_SECONDS: "60",
    FEATURE_AGENT_SIGNING: "true",
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
  });
  front.servers.push(made);
  return made;
};

beforeAll(async () => {
  data = await database();
  front = await balancer();
  const [first] = [await oneMore(), await oneMore()];
  app = { ...first, url: front.url, database: data };
  while (
    !(await fetch(`${front.url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    ))
  )
    await Bun.sleep(20);
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name", required: true }]);
});

afterAll(() => {
  clearInterval(front.probing);
  front.listener.close();
});

/** The same on each of the servers, in turn. */
const onEach = () => front.servers.map((each) => ({ ...app, url: each.url }));

const submit = (to: { url: string }, agent: Agent, headers: Record<string, string> = {}, name = "Ada") =>
  ask(to, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { ...asAgent(form, agent), ...headers },
    body: { data: { name } },
  });

describe("two servers share", () => {
  test("sessions: a token that one gave is good at the other, and an operator who signed in at one is known to the other", async () => {
    const [one, other] = onEach() as [Service, Service];
    const agent = await makeAgent(app, team, form);
    const minted = await ask(one, "POST", "/papi/v1/auth/token", { body: { clientSecret: agent.secret } });
    expect((await submit(other, { ...agent, token: minted.body.data.token })).status).toBe(200);
    const cookie = await makeOperator(one, team, "viewer");
    expect((await ask(other, "GET", "/papi/v1/identity/agents", { headers: { cookie } })).status).toBe(200);
  });

  test("throttles: an agent's submit at one holds it back at the other", async () => {
    const [one, other] = onEach() as [Service, Service];
    const agent = await makeAgent(app, team, form);
    expect((await submit(one, agent)).status).toBe(200);
    expect((await submit(other, agent)).status).toBe(429);
  });

  test("throttles: of many logins from one address at both at once, as many pass as one server would let", async () => {
    const tries = Array.from({ length: 60 }, (_, index) =>
      ask(onEach()[index % 2] as Service, "POST", "/papi/v1/auth/token", {
        ip: "192.0.2.7",
        body: { clientSecret: "fda_none" },
      }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  test("nonces: a signed request that one has seen is a replay at the other", async () => {
    const [one, other] = onEach() as [Service, Service];
    const { key, token } = await makeSigningAgent(app, team, form);
    // Any loopback name is the servers' own, so that both are meant by one signature.
    const host = "localhost:1";
    const request = unsigned({ url: `http://${host}` }, "/papi/v1/submitter/form/validation", form, {
      data: {},
    });
    const once = signed(key, { ...request, authority: host }, { parameters: { nonce: `"${nonce()}"` } });
    const more = { headers: { host, "x-respondent-token": token } };
    expect([(await send(one, once, more)).status, (await send(other, once, more)).status]).toEqual([
      200, 401,
    ]);
  });

  test("idempotency: one key at both at once makes one submission, and both tell of it", async () => {
    const agent = await makeAgent(app, team, form);
    const headers = { "idempotency-key": "same" };
    const [first, second] = await Promise.all(onEach().map((each) => submit(each, agent, headers)));
    const made = [first, second].find((reply) => reply?.status === 200);
    // The loser of the race has to wait, or already gets the response.
    expect([200, 409]).toContain((made === first ? second : first)?.status as number);
    for (const each of onEach())
      expect((await submit(each, agent, headers)).body.data.id).toBe(made?.body.data.id);
  });

  test("what is revoked at one is refused at the other from the next call on", async () => {
    const [one, other] = onEach() as [Service, Service];
    const { id, key } = await makeKey(app, team, "forms:read");
    const list = (to: Service) =>
      ask(to, "GET", "/papi/v1/management/forms", { headers: { "x-api-key": key } });
    expect([(await list(one)).status, (await list(other)).status]).toEqual([200, 200]);
    await data.sql`select formd.api_key_revoke(${team.id}, '(cli,,)'::formd.actor, ${id})`;
    expect([(await list(one)).status, (await list(other)).status]).toEqual([401, 401]);
  });

  test("versions: what is published at one is what the other judges by", async () => {
    const [one, other] = onEach() as [Service, Service];
    const changing = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
    const validate = async (to: Service, agent: Agent) =>
      (
        await ask(to, "POST", "/papi/v1/submitter/form/validation", {
          headers: asAgent(changing, agent),
          body: { data: {} },
        })
      ).body.data.valid;
    const agent = await makeAgent(app, team, changing);
    expect([await validate(one, agent), await validate(other, agent)]).toEqual([true, true]);
    await ask(one, "PATCH", `/papi/v1/management/forms/${changing.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "updateField", fieldId: "name", set: { required: true } }] },
    });
    expect((await formd(["form", "publish", changing.id], settingsFor(data))).code).toBe(0);
    expect([await validate(one, agent), await validate(other, agent)]).toEqual([false, false]);
  });
});

/** A client that keeps its one connection until a response tells it to close, and tries nothing twice. */
function client(url: string) {
  let socket: Socket | undefined;
  let received = "";
  let wake = () => {};
  const open = () => {
    received = "";
    const made = connect(Number(new URL(url).port), "127.0.0.1");
    made.on("data", (chunk) => {
      received += chunk;
      wake();
    });
    for (const end of ["error", "close"]) made.on(end, () => wake());
    return made;
  };
  return async (path: string, headers: Record<string, string>, body: string): Promise<string> => {
    socket ??= open();
    const lines = Object.entries({
      host: "localhost",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    received = "";
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    for (;;) {
      const [head = "", rest] = received.split("\r\n\r\n", 2);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (rest !== undefined && Buffer.byteLength(rest) >= length) {
        if (/^connection: close/im.test(head)) {
          socket.destroy();
          socket = undefined;
        }
        return head.split(" ")[1] ?? "";
      }
      if (socket.destroyed || socket.readyState === "closed")
        return `cut off after ${JSON.stringify(received)}`;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}

test("servers are replaced one after another under load: every request is answered, every submission is there once", async () => {
  const { key } = await makeKey(app, team, "submissions:write");
  const headers = { "x-form-access-key": form.accessKey, "x-api-key": key };
  const answers: string[] = [];
  const sent: string[] = [];
  let over = false;
  const work = async (worker: number) => {
    const post = client(front.url);
    for (let n = 0; !over; n++) {
      const name = `roll-${worker}-${n}`;
      sent.push(name);
      answers.push(
        await post("/papi/v1/submitter/form/submissions", headers, JSON.stringify({ data: { name } })),
      );
      await Bun.sleep(5);
    }
  };
  const workers = Array.from({ length: 6 }, (_, worker) => work(worker));
  for (let round = 0; round < 2; round++) {
    const added = await oneMore();
    await until(() => front.ready.has(added));
    const before = answers.length;
    await until(() => answers.length > before + 50); // and has its share
    const old = front.servers[0] as Server;
    const ended = old.stop();
    while (await fetch(`${old.url}/readyz`).then((reply) => reply.ok)) await Bun.sleep(10);
    // It still responds, and tells each client to use another connection.
    expect((await fetch(`${old.url}/healthz`)).headers.get("connection")).toBe("close");
    await until(() => !front.ready.has(old));
    const kept = answers.length;
    // Each client has had its response, and has another connection.
    await until(() => answers.length > kept + 50);
    // A second signal ends the drain.
    expect(await Promise.all([old.stop(), ended])).toEqual([0, 0]);
    front.servers.shift();
  }
  over = true;
  await Promise.all(workers);
  expect([...new Set(answers)]).toEqual(["200"]);
  const stored = await data.sql<{ name: string }[]>`
    select data ->> 'name' as name from formd.submissions where form_id = ${form.id} and data ->> 'name' like 'roll-%'`;
  expect(stored.map(({ name }) => name).sort()).toEqual(sent.sort());
});
