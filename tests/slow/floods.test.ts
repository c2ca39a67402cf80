/**
 * Hostile clients beside others: what they cost the server in CPU time and memory (Linux's /proc), and what
 * others notice. What a request without credentials costs is in tests/costs, stalled exports are in
 * export-large.test.ts. "unguarded" is what the security review measured.
 */
import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { memoryOf, threadsCpuMs } from "../bench/cpu.ts";
import { unknownId, until } from "../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  permissive,
  type Server,
  server,
  service,
} from "../setup.ts";

const mebibyte = 1_048_576;
const submitPath = "/papi/v1/submitter/form/submissions";

const app = await service({ ...permissive, LOG_LEVEL: "info" });
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "a", type: "textarea", label: "A", maxLength: 1_000_000 }]);
const agent = await makeAgent(app, team, form);

/**
 * A JSON list of `item` that fills a body of 1 MiB; with `most` items at most, and white space for the rest.
 */
const listOf = (item: string, most = Number.POSITIVE_INFINITY) => {
  const count = Math.min(most, Math.floor((mebibyte - 200) / (item.length + 1)));
  return `[${Array(count).fill(item).join(",")}${" ".repeat(mebibyte - 200 - count * (item.length + 1))}]`;
};

describe("a body of 1 MiB by a caller with credentials costs at most 100 ms of the server's CPU, 200 ms of PostgreSQL's", () => {
  const formsPath = "/papi/v1/management/forms";
  const agentsPath = "/papi/v1/identity/agents";
  const settings = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])));
  const callOfTool = (members: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_forms","arguments":{},${members}}}`;
  type Route = [method: string, path: () => string];
  type Row = [name: string, route: Route, body: string];
  const formPath = () => `${formsPath}/${form.id}`;
  const creates: Route = ["POST", () => formsPath];
  const patches: Route = ["PATCH", formPath];
  const edits: Route = ["PATCH", () => `${formPath()}/submissions/${unknownId}`];
  const grants: Route = ["POST", () => `${agentsPath}/${agent.id}/grants`];
  const mcp: Route = ["POST", () => "/mcp"];
  const setMeta = (count: number) => `{"operations":[{"op":"setMeta","settings":${settings(count)}}]}`;
  /** The names have what a server without these limits took, in ms of its CPU or of PostgreSQL. */
  const found: Row[] = [
    ["fields of 1: 8,450 ms", creates, `{"name":"A","schema":{"fields":${listOf("1")}}}`],
    ["fields of {}: 3,710 ms", creates, `{"name":"A","schema":{"fields":${listOf("{}")}}}`],
    ["operations of 1: 4,920 ms", patches, `{"operations":${listOf("1")}}`],
    ["operations of {}: 3,740 ms", patches, `{"operations":${listOf("{}")}}`],
    ["90,000 settings: 10,000 ms", patches, setMeta(90_000)],
    ["1,000 settings: 170 ms", patches, setMeta(1_000)],
    ["edits of {}: 90 ms", edits, `{"expectedUpdatedAt":"","edits":${listOf("{}", 90_000)}}`],
    ["80,000 unknown members: 900 ms", edits, settings(80_000)],
    ["members of _meta, by MCP", mcp, callOfTool(`"_meta":${settings(80_000)}`)],
    ["members of a call, by MCP", mcp, callOfTool(settings(80_000).slice(1, -1))],
    ["scopes of 1: 6,900 ms", grants, `{"formId":"${unknownId}","scopes":${listOf("1")}}`],
  ];
  /**
   * Values that are costly to parse or to check, as many as a body may have, where each route takes or
   * ignores them.
   */
  const items = [
    "1e400",
    "9007199254740993",
    '"\\u0000"',
    '"\\ud83d\\ude00"',
    "[[1]]",
    '{"a":1}',
    '"1234567"',
  ];
  const edited = (list: string) => `{"expectedUpdatedAt":"","edits":[{"fieldId":"a","value":${list}}]}`;
  const agentOf = (list: string) => `{"name":"A","workspaceId":"${team.workspace}","x":${list}}`;
  const holders: [name: string, route: Route, body: (list: string) => string][] = [
    ["create a form", creates, (list) => `{"name":"A","schema":{"fields":[],"x":${list}}}`],
    ["patch a form", patches, (list) => `{"operations":[{"op":"setMeta","name":"A","x":${list}}]}`],
    ["edit a submission", edits, edited],
    ["register an agent", ["POST", () => agentsPath], agentOf],
    ["grant", grants, (list) => `{"formId":"${unknownId}","scopes":[],"x":${list}}`],
    [
      "register a key",
      ["POST", () => `${agentsPath}/${agent.id}/keys`],
      (list) => `{"publicKeyPem":"x","x":${list}}`,
    ],
    ["submit", ["POST", () => submitPath], (list) => `{"data":{"a":${list}}}`],
    ["dry run", ["POST", () => "/papi/v1/submitter/form/validation"], (list) => `{"data":{"a":${list}}}`],
  ];
  const worst = () =>
    holders.flatMap(([name, route, body]) =>
      items.map((item): Row => {
        const perItem = (JSON.stringify(JSON.parse(item)).match(/[[{,:]/g)?.length ?? 0) + 1;
        return [`${name}, ${item}`, route, body(listOf(item, Math.floor(90_000 / perItem)))];
      }),
    );

  const backendsMs = async () => {
    const rows = await app.database.sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and usename = 'formd'`;
    return rows.reduce((sum, { pid }) => sum + threadsCpuMs(pid), 0);
  };
  const isOver = ({ server, postgres }: { server: number; postgres: number }) =>
    server > 100 || postgres > 200;
  /**
   * The least of several rounds, and of more rounds while it is too much: garbage of others, and a busy
   * machine, cost as well.
   */
  async function costOf([name, [method, path], body]: Row, credentials: Record<string, string>) {
    const costs: { server: number; postgres: number }[] = [];
    const least = (which: "server" | "postgres") => Math.round(Math.min(...costs.map((cost) => cost[which])));
    const leastOfBoth = () => ({ server: least("server"), postgres: least("postgres") });
    for (let round = 0; round < 3 || (round < 12 && isOver(leastOfBoth())); round++) {
      const [server, postgres] = [threadsCpuMs(app.process.pid), await backendsMs()];
      const { status } = await fetch(app.url + path(), {
        method,
        headers: {
          ...credentials,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body,
      });
      expect([name, status < 500]).toEqual([name, true]);
      costs.push({
        server: threadsCpuMs(app.process.pid) - server,
        postgres: (await backendsMs()) - postgres,
      });
    }
    return { name, ...leastOfBoth() };
  }

  test("the bodies of the security review, also by a viewer, and the worst ones for every route", async () => {
    const withKey = { "x-api-key": team.key, "x-form-access-key": form.accessKey };
    const costs = [];
    for (const row of [...found, ...worst()])
      costs.push(await costOf(row, row[0].startsWith("dry run") ? asAgent(form, agent) : withKey));
    const viewer = { cookie: await makeOperator(app, team, "viewer") };
    for (const row of found.filter(([name]) => name.startsWith("scopes")))
      costs.push(await costOf(row, viewer));
    console.table(costs.toSorted((one, other) => other.server - one.server).slice(0, 15));
    console.table(costs.toSorted((one, other) => other.postgres - one.postgres).slice(0, 5));
    expect(costs.filter(isOver)).toEqual([]);
  });
});

/**
 * One request over a connection of its own: the head, and as many bytes of a body. `status` is the
 * response's, 0 without one.
 */
function upload(to: Server, ip: string, length: number, sent: number) {
  const socket = connect(Number(new URL(to.url).port), "127.0.0.1");
  const head = [
    `POST ${submitPath} HTTP/1.1`,
    "host: localhost",
    `x-forwarded-for: ${ip}`,
    "content-type: application/json",
    `content-length: ${length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(Buffer.alloc(sent, "1"));
  const status = new Promise<number>((resolve) => {
    socket.on("data", (chunk) => resolve(Number(String(chunk).split(" ", 2)[1])));
    socket.on("error", () => {});
    socket.on("close", () => resolve(0));
  });
  return { status, socket };
}

describe("500 clients with bodies of 1 MB at once take at most 128 MiB (unguarded: 566 on Bun, 394 for 300 of them on Deno)", () => {
  const bytes = 1_000_000;
  const submitLarge = async (to: Server) => {
    const body = { data: { a: "x".repeat(900_000) } };
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    return (await ask(to, "POST", submitPath, { headers, body })).status;
  };
  const reserved = async (of: Server) =>
    Number(/^formd_request_body_bytes (\d+)$/m.exec((await ask(of, "GET", "/metrics")).body)?.[1]);

  test.each([
    ["that end", bytes],
    ["that stop one byte before the end", bytes - 1],
    ["that send nothing", 0],
  ])(
    "%s; another client submits 900 KB meanwhile, at its third attempt at the latest",
    async (name, sent) => {
      const attacked = await server({ DATABASE_URL: app.database.url, LOG_LEVEL: "info" });
      expect(await submitLarge(attacked)).toBe(200);
      const idle = memoryOf(attacked.process.pid);
      let [peak, isOver] = [0, false];
      const watching = (async () => {
        for (; !isOver; await Bun.sleep(10)) peak = Math.max(peak, memoryOf(attacked.process.pid) - idle);
      })();
      const uploads = Array.from({ length: 500 }, (_, i) =>
        upload(attacked, `10.1.${i >> 8}.${i & 255}`, bytes, sent),
      );
      const statuses: Record<number, number> = {};
      for (const { status } of uploads)
        void status.then((value) => (statuses[value] = (statuses[value] ?? 0) + 1));
      await until(() => Object.values(statuses).reduce((sum, count) => sum + count, 0) >= 460);
      const attempts: number[] = [];
      while (attempts.at(-1) !== 200 && attempts.length < 3) {
        if (attempts.length > 0) await Bun.sleep(1_100); // as Retry-After says
        attempts.push(await submitLarge(attacked));
      }
      expect(attempts.at(-1)).toBe(200);
      isOver = true;
      await watching;
      console.log(`${name}: ${JSON.stringify(statuses)}, ${Math.round(peak / mebibyte)} MiB`);
      expect(peak / mebibyte).toBeLessThan(128);
      for (const { socket } of uploads) socket.destroy();
      await until(async () => (await reserved(attacked)) === 0);
      await attacked.stop();
    },
  );
});

describe("a flood of the worst body from one connection moves the p99 of /readyz by less than 10 ms", () => {
  /** Milliseconds of 200 requests, one after another: the 99th percentile. */
  async function readyP99(to: Server): Promise<number> {
    const times: number[] = [];
    for (let index = 0; index < 200; index++) {
      const began = performance.now();
      expect((await fetch(`${to.url}/readyz`)).status).toBe(200);
      times.push(performance.now() - began);
      await Bun.sleep(5);
    }
    return times.toSorted((a, b) => a - b)[197] ?? 0;
  }

  test.each([
    ["submit (unguarded: p50 from 2 to 509 ms)", submitPath],
    ["token mint (unguarded: p50 from 2 to 1,099 ms)", "/papi/v1/auth/token"],
  ])("%s", async (_, path) => {
    const limited = await server({ DATABASE_URL: app.database.url, LOG_LEVEL: "info" });
    const body = `{"clientSecret":"none","data":{"a":${listOf("1e400", 90_000)}}}`;
    // A busy machine moves it too, and the flood's client takes a core: the least of several differences
    // counts.
    const differences: number[] = [];
    for (let round = 0; round < 20 && !differences.some((ms) => ms < 10); round++) {
      const quiet = await readyP99(limited);
      const script = join(import.meta.dir, "flood.ts");
      const flood = spawn(process.execPath, [script, limited.url + path, form.accessKey]);
      flood.stdin.end(body);
      let statuses = "";
      flood.stdout.on("data", (chunk) => (statuses += String(chunk)));
      await until(() => statuses.length > 4 * 40);
      differences.push((await readyP99(limited)) - quiet);
      flood.kill();
      console.log(
        `${path}: p99 ${quiet.toFixed(1)} ms when quiet, ${differences.at(-1)?.toFixed(1)} ms more beside ${statuses.length / 4} requests of status ${[...new Set(statuses.trim().split("\n"))].join(", ")}`,
      );
    }
    expect(Math.min(...differences)).toBeLessThan(10);
    await limited.stop();
  });
});
