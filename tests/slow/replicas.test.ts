// stacks: one deno
/** Several servers on one database behind one address: how one is replaced while requests come in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { until } from "../expect.ts";
import {
  type Database,
  database,
  makeForm,
  makeKey,
  makeTeam,
  type PublishedForm,
  type Server,
  type Service,
  server,
  type Team,
} from "../setup.ts";

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

test("servers are replaced one after another under load: every request gets a response, every submission exists once", async () => {
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
