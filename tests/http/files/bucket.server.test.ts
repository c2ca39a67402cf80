// stacks: one deno
/** Files in a bucket: all that holds of a directory, and what only a bucket does. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { checkFiles } from "../../../src/platform/files/check.ts";
import { refuse, startBucket } from "../../bucket.ts";
import { outcome, until } from "../../expect.ts";
import { makeForm, makeTeam, type PublishedForm, type Team } from "../../setup.ts";
import { anything, byKey, type FileService, fileService, pdf, storeIn, upload } from "./fixture.ts";

const bucket = await startBucket();
storeIn(bucket);
afterAll(() => storeIn(undefined));

// A module of its own, whatever other file of this process has loaded it.
const sameTests = "./files.server.test.ts?bucket";
describe("as in a directory:", () => import(sameTests));

describe("a bucket", () => {
  let app: FileService;
  let team: Team;
  let form: PublishedForm;
  beforeAll(async () => {
    bucket.fault = () => false;
    app = await fileService();
    team = await makeTeam(app);
    form = await makeForm(app, team, [anything]);
  });
  const send = (bytes: Uint8Array = pdf, name = "a.pdf") =>
    upload(app, byKey(form, team), bytes, { field: "any", name });

  test("has the bytes under the ids of team and file, for another client", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(300_000));
    const { body } = await send(bytes, "a.bin");
    const other = new Bun.S3Client({
      ...{ accessKeyId: "S3RVER", secretAccessKey: "S3RVER", bucket: "files", endpoint: bucket.endpoint },
    });
    const read = await other.file(`of/tests/${team.id}/${body.data.id}`).bytes();
    expect(Buffer.from(read).equals(bytes)).toBe(true);
  });

  test("that is busy is asked again", async () => {
    let asked = 0;
    bucket.fault = (method, _path, response) =>
      method === "PUT" && ++asked === 1 && refuse(response, 503, "SlowDown");
    expect([outcome(await send()), asked]).toEqual(["ok", 2]);
  });

  test("that is busy and hangs up while a file is sent is asked again", async () => {
    let asked = 0;
    bucket.fault = (method, _path, response) => {
      if (method !== "PUT" || ++asked > 1) return false;
      refuse(response, 503, "SlowDown");
      response.socket?.destroySoon();
      return true;
    };
    expect([outcome(await send(new Uint8Array(9_000_000).fill(65), "a.txt")), asked]).toEqual(["ok", 2]);
  });

  test("that cannot be read gets no second marker", async () => {
    const { sql } = app.database;
    const { message } = await checkFiles(sql, app.files);
    bucket.fault = (method, _path, response) => method === "HEAD" && refuse(response, 403, "AccessDenied");
    await expect(checkFiles(sql, app.files)).rejects.toThrow("403");
    bucket.fault = () => false;
    expect((await checkFiles(sql, app.files)).message).toBe(message);
  });

  test("reports objects without a row, on each page of the list; also reports a missing right to list", async () => {
    const { sql } = app.database;
    const { body } = await send();
    const orphan = `${team.id}/${body.data.id}`;
    const told = async () => (await checkFiles(sql, app.files)).message;
    const count = async () => {
      const [, files] = / (one|\d+) files? ha(?:s|ve) no row/.exec(await told()) ?? [];
      return files === "one" ? 1 : Number(files ?? 0);
    };
    const before = await count();
    await sql`delete from formd.files where id = ${body.data.id}`;
    expect(await count()).toBe(before + 1);
    const list = (respond: (query: string, response: ServerResponse) => true) => {
      bucket.fault = (_method, path, response) =>
        path.startsWith("/files/?") && respond(path.slice("/files/?".length), response);
    };
    list((query, response) => {
      const token = new URLSearchParams(query).get("continuation-token");
      const page = token === "a/b+" ? [`<Key>of/tests/${orphan}</Key>`] : [];
      response.end(
        `<A>${page.join("")}${token ? "" : "<NextContinuationToken>a/b+</NextContinuationToken>"}</A>`,
      );
      return true;
    });
    expect(await told()).toEndWith(`cannot be found or erased: ${orphan}.`);
    list((_query, response) => refuse(response, 403, "AccessDenied"));
    expect(await told()).toEndWith("not looked for: The bucket responds to GET with 403 (AccessDenied).");
    bucket.fault = () => false;
  });

  test("that takes one file not at all refuses no other", async () => {
    bucket.fault = (method, _path, response) => method === "PUT" && refuse(response, 400, "BadDigest");
    expect(outcome(await send())).toBe("503 unavailable");
    bucket.fault = () => false;
    expect(outcome(await send())).toBe("ok");
  });

  test("that is full refuses two files with 503, then the next ones before they are read", async () => {
    let asked = 0;
    const objects = bucket.objects().length;
    bucket.fault = (method, _path, response) => {
      if (method !== "PUT") return false;
      asked++;
      return refuse(response, 507, "XMinioStorageFull");
    };
    const refused = async () => {
      const { status, body, headers } = await send();
      return [status, body.error, headers.get("retry-after")];
    };
    const notTaken = [503, "The storage of files did not take a file just now.", "10"];
    expect([await refused(), await refused()]).toEqual([notTaken, notTaken]);
    const before = asked;
    expect(await refused()).toEqual(notTaken);
    expect(asked).toBe(before);
    expect(app.log()).toContain("XMinioStorageFull");
    expect(app.log()).not.toContain("S3RVER");
    bucket.fault = () => false;
    await until(async () => outcome(await send()) === "ok");
    expect(bucket.objects()).toHaveLength(objects + 1);
    // The bucket may still take what it did not confirm: the row stays for the sweep.
    const { sql } = app.database;
    const left = () => sql`select from formd.files where team_id = ${team.id} and state <> 'uploaded'`;
    expect(await left()).toHaveLength(3);
    await sql`update formd.files set expires_at = now() - interval '1 second' where state = 'uploading'`;
    await app.sweep();
    await until(async () => (await left()).length === 0);
  });

  test("that is slow keeps the room of its uploads taken until it has them", async () => {
    const go = Promise.withResolvers<void>();
    let held = 0;
    bucket.fault = (method, _path, response) => {
      if (method !== "PUT") return false;
      held++;
      void go.promise.then(() => refuse(response, 403, "AccessDenied"));
      return true;
    };
    const ofOneIp = () => upload(app, byKey(form, team), pdf, { field: "any", ip: "192.0.2.7" });
    const waiting = Array.from({ length: 72 }, ofOneIp);
    await until(() => held === waiting.length);
    expect(outcome(await ofOneIp())).toBe("503 unavailable");
    go.resolve();
    await Promise.all(waiting);
    bucket.fault = () => false;
    await until(async () => outcome(await ofOneIp()) === "ok");
  });
});
