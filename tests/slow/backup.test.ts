import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { bytesPrefix } from "../../src/cli/backup.ts";
import { connectOnce } from "../../src/platform/database/db.ts";
import { embedded } from "../../src/platform/database/embedded/index.ts";
import { markerName, startBucket } from "../bucket.ts";
import { shellBlock } from "../pages.ts";
import { ask, formd, type Ran, server, temporaryFolder } from "../setup.ts";
import { paste } from "../shell.ts";

const folder = temporaryFolder();
const file = join(folder, "backup.sql.gz");
const [from, to] = [join(folder, "from"), join(folder, "to")];
const run = (place: string, ...args: string[]): Promise<Ran> => formd(args, { FORMD_DATA_DIR: place });
const oneLine = /^formd: [^\n]+\n$/m;

/**
 * Text that a careless copy would change: COPY's own marks and escapes, line ends, every width of character.
 */
const odd = "\\. \\N \t\r\n\\\\ \u0001 ‘\u2028’ 😀 \\x41 NULL";
let made: { baseUrl: string; form: { id: string }; accessKey: string; apiKey: string };
let token: string;
/** Responses of the API about the data, before the backup. */
let before: unknown;
let backup: Ran;

/**
 * The rows of a backup, and the bytes of a file in one line, since a bucket sends them in parts of any
 * length. Without what differs from one backup to the next: when it was taken, and the hash of it all.
 */
function rowsOf(path: string): string[] {
  const rows: string[] = [];
  for (const line of gunzipSync(readFileSync(path)).toString().split("\n").slice(2, -2)) {
    const before = rows.at(-1);
    if (!before?.startsWith(bytesPrefix) || !line.startsWith(bytesPrefix)) rows.push(line);
    else {
      const parts = [before, line].map((part) => Buffer.from(part.slice(bytesPrefix.length), "base64"));
      rows[rows.length - 1] = bytesPrefix + Buffer.concat(parts).toString("base64");
    }
  }
  return rows;
}

const told = async (app: { url: string }) => {
  const headers = { "x-api-key": made.apiKey };
  const path = `/papi/v1/management/forms/${made.form.id}`;
  return [
    (await ask(app, "GET", path, { headers })).body.data,
    (await ask(app, "GET", `${path}/submissions`, { headers })).body.data,
  ];
};

const submit = (app: { url: string }, name: string, headers: Record<string, string>) =>
  ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": made.accessKey, ...headers },
    body: { data: { name, email: "ada@example.org", topic: "sales" } },
  });

/** More than one line of bytes that are not text. */
const bytes = crypto.getRandomValues(new Uint8Array(65_536)).fill(0, 0, 2);
let files: { form: string; submission: string; kept: string };

/** A submission with a file, an upload that none names, and one whose bytes are gone. */
async function addFiles(app: { url: string }) {
  const headers = { "x-api-key": made.apiKey };
  const field = { id: "any", type: "file", label: "Any" };
  const reply = await ask(app, "POST", "/papi/v1/management/forms", {
    headers,
    body: { name: "Files", schema: { fields: [field] } },
  });
  expect(reply.status).toBe(200);
  const form = reply.body.data.form.id;
  expect((await run(from, "form", "publish", form)).code).toBe(0);
  const created = JSON.parse((await run(from, "access-key", "create", form, "--json")).stdout);
  const caller = { ...headers, "x-form-access-key": created.key };
  const upload = async () => {
    const path = "/papi/v1/submitter/form/files?field=any&name=a.bin";
    const type = { "content-type": "application/octet-stream" };
    return (await ask(app, "POST", path, { headers: { ...caller, ...type }, body: bytes })).body.data.id;
  };
  const [kept, , gone] = [await upload(), await upload(), await upload()];
  const { body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: caller,
    body: { data: { any: [{ id: kept }] } },
  });
  files = { form, submission: body.data.id, kept };
  rmSync(
    join(from, "files", String(readdirSync(join(from, "files")).find((name) => name !== markerName)), gone),
  );
}

beforeAll(async () => {
  const app = await server({ FORMD_DATA_DIR: from, RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000" });
  const demo = JSON.parse((await run(from, "demo", "--json")).stdout);
  made = demo;
  const minted = await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret: demo.agent.secret } });
  token = minted.body.data.token;
  expect((await submit(app, odd, { "x-respondent-token": token })).status).toBe(200);
  // More than fits into any buffer on the way.
  for (let n = 0; n < 1000; n++)
    expect((await submit(app, `Ada ${n}`, { "x-api-key": made.apiKey })).status).toBe(200);
  await addFiles(app);
  before = await told(app);
  backup = await run(from, "backup", file, "--json");
  await app.stop();
});

describe("backup", () => {
  test("writes a new file that only its owner reads, while the server works", () => {
    expect(backup.code).toBe(0);
    const { rows, ...rest } = JSON.parse(backup.stdout);
    expect(rest).toEqual({ file, files: 2, missing: 1, bytes: statSync(file).size });
    expect(rows).toBeGreaterThan(1000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("overwrites nothing", async () => {
    const other = join(folder, "other");
    writeFileSync(other, "mine");
    const { code, stdout, stderr } = await run(from, "backup", other);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(oneLine);
    expect(readFileSync(other, "utf8")).toBe("mine");
  });

  test("of a database that was never there is refused, and leaves no file", async () => {
    const none = join(folder, "none.sql.gz");
    const { code, stderr } = await run(to, "backup", none);
    expect([code, stderr]).toEqual([1, expect.stringContaining("there is no database in")]);
    expect(existsSync(none)).toBe(false);
  });

  test("that fails and then cannot remove its file says both, the first error first", async () => {
    const gone = join(folder, "gone.sql.gz");
    const remove = () => {
      try {
        unlinkSync(gone);
        return true;
      } catch {
        return false; // it is not there
      }
    };
    // The file is there for some milliseconds, which a busy machine may let this process miss.
    let ran: Ran | undefined;
    for (let isRemoved = false; !isRemoved; ) {
      let hasEnded = false;
      const running = run(to, "backup", gone).finally(() => (hasEnded = true));
      for (; !hasEnded && !isRemoved; await Bun.sleep(1)) isRemoved = remove();
      ran = await running;
    }
    const { code, stderr } = ran as Ran;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^formd: .*there is no database in .*\(the clean-up failed too: ENOENT.*\)\n$/m),
    ]);
  });

  test.each(["backup", "restore"])("%s leaves a PostgreSQL of one's own to pg_dump", async (command) => {
    const { code, stderr } = await formd([command, join(folder, "x")], {
      DATABASE_URL: "postgres://a@127.0.0.1:1/b",
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("pg_dump")]);
  });
});

describe("restore", () => {
  const broken = (name: string, bend: (path: string) => void) => {
    const path = join(folder, name);
    copyFileSync(file, path);
    bend(path);
    return path;
  };
  /** The backup with another text in the place of one, and a right hash again. */
  const rewritten = (name: string, text: string | RegExp, instead: string) =>
    broken(name, (path) => {
      const script = gunzipSync(readFileSync(path)).toString().replace(text, instead);
      const body = script.slice(0, script.lastIndexOf("-- sha256 "));
      const hash = createHash("sha256").update(body).digest("hex");
      writeFileSync(path, gzipSync(`${body}-- sha256 ${hash}\n`));
    });

  test.each([
    ["cut short", () => broken("cut", (path) => truncateSync(path, 900)), /is not a complete backup/],
    [
      "with one character changed",
      () =>
        broken("bent", (path) =>
          writeFileSync(path, gzipSync(gunzipSync(readFileSync(path)).toString().replace("Ada 7", "Eve 7"))),
        ),
      /is not a complete backup/,
    ],
    ["that is no backup", () => join(import.meta.dir, "backup.test.ts"), /is not a complete backup/],
    ["that is not there", () => join(folder, "nowhere"), /nowhere/],
    [
      "of a later formd",
      () => rewritten("later", '"migrations":[', '"migrations":["20990101000000",'),
      /migration 20990101000000 is not in this formd/,
    ],
    [
      "with rows whose team is missing",
      () => rewritten("orphans", /(copy formd\.teams .*\n).*\n/, "$1"),
      /foreign key/,
    ],
  ] as const)("of a file %s is refused in one line and leaves nothing", async (_, path, reason) => {
    const { code, stdout, stderr } = await run(to, "restore", path());
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toMatch(reason);
  });

  test("brings every byte back, and secrets and sessions still work", async () => {
    const { code, stdout } = await run(to, "restore", file, "--json");
    const { rows } = JSON.parse(backup.stdout);
    expect([code, JSON.parse(stdout)]).toEqual([0, { file, rows, files: 2, skipped: 0 }]);
    const again = join(folder, "again.sql.gz");
    const places = {
      FILE: again,
      "formd restore": `FORMD_DATA_DIR=${join(folder, "pasted")}; formd restore`,
    };
    await paste(shellBlock("docs/operate/backup.md", "formd backup"), places, { FORMD_DATA_DIR: to });
    expect(rowsOf(again)).toEqual(rowsOf(file));

    const app = await server({ FORMD_DATA_DIR: to });
    expect(await told(app)).toEqual(before as never);
    const path = `/papi/v1/management/forms/${files.form}/submissions/${files.submission}/files/${files.kept}`;
    const download = await fetch(app.url + path, { headers: { "x-api-key": made.apiKey } });
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes);
    expect((await submit(app, "Later", { "x-respondent-token": token })).status).toBe(200);
    expect((await submit(app, "Later", { "x-api-key": made.apiKey })).status).toBe(200);
    const { code: refused, stderr } = await run(to, "restore", file);
    expect([refused, stderr]).toEqual([1, expect.stringMatching(/another formd uses .*stop it first/)]);
    await app.stop();
  });

  test("puts files into a bucket, and a backup reads them there", async () => {
    const place = { FORMD_DATA_DIR: join(folder, "bucket"), FILES_URL: (await startBucket()).url };
    expect((await formd(["restore", file], place)).code).toBe(0);
    const again = join(folder, "of-bucket.sql.gz");
    const { stdout } = await formd(["backup", again, "--json"], place);
    expect(JSON.parse(stdout)).toMatchObject({ files: 2, missing: 1 });
    expect(rowsOf(again)).toEqual(rowsOf(file));
  });

  test("where there is data is refused, and the data stays", async () => {
    const { code, stderr } = await run(from, "restore", file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`there is data in ${from}`)]);
    const app = await server({ FORMD_DATA_DIR: from });
    expect(await told(app)).toEqual(before as never);
    await app.stop();
  });
});

test("a month that is detached is in the backup, and goes back to its table", async () => {
  expect((await run(from, "partition", "enable")).code).toBe(0);
  const saved = async (name: string) => {
    const { stdout } = await run(from, "backup", join(folder, name), "--json");
    return JSON.parse(stdout).rows;
  };
  const rows = await saved("attached.gz");
  {
    await using cluster = await embedded(from, () => {});
    await using sql = connectOnce(cluster.ownerUrl);
    await sql`alter table formd.submissions detach partition formd.submissions_first`;
  }
  expect(await saved("detached.gz")).toBe(rows);
  const place = join(folder, "undivided");
  const { stdout } = await run(place, "restore", join(folder, "detached.gz"), "--json");
  expect(JSON.parse(stdout)).toMatchObject({ rows });
  const app = await server({ FORMD_DATA_DIR: place });
  expect(await told(app)).toEqual(before as never);
}, 300_000);
