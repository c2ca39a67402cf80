// stacks: one months
/**
 * Teams share calls and commits, and do not depend on each other: an item of one team can neither fail, delay
 * beyond the batches in progress, nor see another's. The calls are held up by a lock, so that a queue builds
 * up.
 */
import { describe, expect, test } from "bun:test";
import { until } from "../../expect.ts";
import {
  database,
  freshIp,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  server,
  type Team,
  waitForLocks,
} from "../../setup.ts";
import { head, linesOf, rawWithin } from "../raw-http.ts";

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "text", type: "textarea", label: "Text", validation: { maxLength: 20_000 } },
];
interface Owner {
  team: Team;
  form: PublishedForm;
}

const made = await database();
await waitForLocks(made);
const app: Service = { ...(await server({ DATABASE_URL: made.url, ...permissive })), database: made };
const makeOwner = async (): Promise<Owner> => {
  const team = await makeTeam(app);
  return { team, form: await makeForm(app, team, fields) };
};

const [busy, other] = [await makeOwner(), await makeOwner()];

const idOf = (name: string) => name.replaceAll(/\W+/g, "-");

/** Submits on a connection of its own, by API key: without the limit per agent. */
async function submit({ team, form }: Owner, name: string, text = "", route = "submissions") {
  const body = JSON.stringify({ data: { name, ...(text && { text }) } });
  const { status, text: response } = await rawWithin(
    50_000,
    app,
    head(`POST /papi/v1/submitter/form/${route}`, {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "x-form-access-key": form.accessKey,
      "x-api-key": team.key,
      "x-request-id": idOf(name),
      "x-forwarded-for": freshIp(),
    }),
    body,
  );
  return { status, name, body: JSON.parse(response) };
}

type Reply = Awaited<ReturnType<typeof submit>>;

await Promise.all([submit(busy, "warm-up"), submit(other, "warm-up")]);

/** Runs `work` while no call can store anything; calls in progress and queues stay as they are. */
async function holdingUp<T extends object>(work: () => Promise<T>): Promise<T> {
  let result!: T;
  await app.database.sql.begin(async (sql) => {
    await sql`lock table formd.submissions in share mode`;
    result = await work();
  });
  return result;
}

/** Number of calls that wait for the lock. */
const heldUp = async () => {
  const [{ calls }] = await app.database.sql<[{ calls: number }]>`
    select count(*)::integer as calls from pg_locks
    where not granted and relation = 'formd.submissions'::regclass
      and database = (select oid from pg_database where datname = current_database())`;
  return calls;
};

// The number of items that a queue holds is tested in tests/unit/batch.test.ts too.
describe("the queue of a team", () => {
  const room = Math.floor(16_777_216 / 17_035);
  const text = "x".repeat(16_000);
  test("has room for 16 MiB: what is beyond is 503, and another team's item is stored with the next batch", async () => {
    const beyond = 20;
    const statuses: number[] = [];
    const send = async (owner: Owner, name: string, text?: string): Promise<Reply> => {
      const reply = await submit(owner, name, text);
      statuses.push(reply.status);
      return reply;
    };
    const { replies, late } = await holdingUp(async () => {
      const replies: Promise<Reply>[] = [];
      const sendBusy = () => replies.push(send(busy, `${room}: busy ${replies.length}`, text));
      // One item each: there is no third call, so that what comes now is in the queue.
      for (let calls = 1; calls <= 2; calls++) {
        sendBusy();
        await until(async () => (await heldUp()) === calls);
      }
      for (let n = 0; n < room + beyond; n++) sendBusy();
      await until(() => statuses.length >= beyond, 50_000);
      expect(new Set(statuses)).toEqual(new Set([503]));
      const late = send(other, `${room}: other`);
      // It must be in its queue before the calls go on, and is once a dry run that came after it has its
      // response: that goes the same way, to a queue which nothing holds up.
      for (let n = 0; n < 2; n++) expect((await submit(other, "dry run", "", "validation")).status).toBe(200);
      return { replies, late };
    });
    expect((await late).status).toBe(200);
    const all = await Promise.all(replies);
    expect(all.filter(({ status }) => status === 200).length).toBe(2 + room);
    const refused = all.find(({ status }) => status === 503);
    expect(refused?.body).toMatchObject({ code: "unavailable", error: "Too many requests are queued." });
    // It is in the first call that begins once one in progress ends, which tests/unit/batch.test.ts holds.
    // Beside a call that the machine keeps waiting, others of the busy team end; without turns all would.
    // The server's log has the order: the responses arrive in any.
    const lines = (await linesOf(app, idOf(`${room}: other`))).map(
      ({ clientRequestId }) => `${clientRequestId}`,
    );
    const before = lines.slice(0, lines.indexOf(idOf(`${room}: other`)));
    expect(before.filter((id) => id.startsWith(idOf(`${room}: busy`))).length).toBeLessThan(room / 2);
  });
});

describe("a batch of several teams", () => {
  test("an error that one team's item causes is that item's alone: the others are stored, each once", async () => {
    const { sql } = app.database;
    await sql`alter table formd.submissions add constraint fails check (data ->> 'name' <> 'fails') not valid`;
    try {
      const names = Array.from({ length: 30 }, (_, n) => `one of ${n}`);
      const { first, pending } = await holdingUp(async () => {
        // One holds the first call, so that the others are one list.
        const first = submit(busy, "before");
        await until(async () => (await heldUp()) === 1);
        const pending = [
          submit(busy, "fails"),
          ...names.map((name, n) => submit(n % 2 ? busy : other, name)),
        ];
        await until(async () => (await heldUp()) === 2);
        return { first, pending };
      });
      expect((await first).status).toBe(200);
      const [failing, ...replies] = await Promise.all(pending);
      expect([failing?.status, failing?.body.code]).toEqual([500, "internal_error"]);
      expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(200));
      const [{ stored }] = await sql<[{ stored: number }]>`
        select count(*)::int as stored from formd.submissions where data ->> 'name' = any (${names})`;
      expect(stored).toBe(30);
    } finally {
      await sql`alter table formd.submissions drop constraint fails`;
    }
  });
});
