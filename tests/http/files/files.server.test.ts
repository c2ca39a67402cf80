/** Files: upload first and claim on submit, and the download by owners. */
import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { storageKey } from "../../../src/platform/files/store.ts";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { outcome, submissionCount, timestamp, until, uuid } from "../../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  formd,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  type PublishedForm,
  type Team,
  temporaryFolder,
} from "../../setup.ts";
import { digestOf, makeSigningAgent, signed } from "../../signing.ts";
import { browserOf } from "../console/fixture.ts";
import {
  anything,
  byKey,
  cv,
  type FileService,
  fileService,
  pdf,
  png,
  submit,
  upload,
  uploadPath,
  uploadUrl,
} from "./fixture.ts";

let app: FileService;
let team: Team;
let other: Team;
let form: PublishedForm;
let agent: Agent;
beforeAll(async () => {
  app = await fileService({ FILES_MAX_BYTES: "1000000" });
  team = await makeTeam(app);
  other = await makeTeam(app);
  form = await makeForm(app, team, [cv, anything]);
  agent = await makeAgent(app, team, form);
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const codes = (body: { errors?: { code: string }[] }) => body.errors?.map(({ code }) => code);
const owner = (path: string, key = team.key) =>
  ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions/${path}`, {
    headers: { "x-api-key": key },
  });
const rowOf = async (id: string) =>
  (
    await app.database.sql<
      { state: string; name: string }[]
    >`select state, name from formd.files where id = ${id}`
  )[0];

/** A submission with one file. */
async function submitted(bytes: Uint8Array = pdf, name = "cv.pdf", field = "cv") {
  const headers = byKey(form, team);
  const { body } = await upload(app, headers, bytes, { field, name });
  const reply = await submit(app, headers, { [field]: [{ id: body.data.id }] });
  expect(outcome(reply)).toBe("ok");
  return { file: body.data.id as string, id: reply.body.data.id as string };
}

describe("an upload", () => {
  test("returns what it is, and a submission stores that with the id alone sent", async () => {
    const { body } = await upload(app, asAgent(form, agent), pdf);
    expect(body.data).toEqual({
      id: expect.stringMatching(uuid),
      name: "cv.pdf",
      size: pdf.length,
      type: "application/pdf",
      sha256: sha256(pdf),
      expiresAt: expect.stringMatching(timestamp),
    });
    const reply = await submit(app, asAgent(form, agent), {
      cv: [{ id: body.data.id, name: "another", size: 1, type: "image/png", sha256: "00" }],
    });
    expect(outcome(reply)).toBe("ok");
    const { expiresAt, ...stored } = body.data;
    const read = await owner(reply.body.data.id);
    expect(read.body.data.submission.data).toEqual({ cv: [stored] });
    expect(app.objects()).toContain(stored.id);
  });

  test("is claimed once, by a submission of its field", async () => {
    const headers = byKey(form, team);
    const { body } = await upload(app, headers, pdf);
    const id = body.data.id;
    const before = await submissionCount(app, form);
    const wrong = await submit(app, headers, { any: [{ id }] });
    expect([outcome(wrong), codes(wrong.body)]).toEqual(["422 validation_failed", ["upload_not_found"]]);
    const all = await Promise.all(Array.from({ length: 6 }, () => submit(app, headers, { cv: [{ id }] })));
    expect(all.map(outcome).filter((each) => each === "ok")).toHaveLength(1);
    expect(await submissionCount(app, form)).toBe(before + 1);
    for (const each of all.filter(({ status }) => status !== 200))
      expect(codes(each.body)).toEqual(["upload_not_found"]);
  });

  test("is not another caller's, whatever the caller may do", async () => {
    const second = await makeAgent(app, team, form);
    const elsewhere = await makeForm(app, team, [cv]);
    const foreign = await makeForm(app, other, [cv]);
    const { body } = await upload(app, byKey(form, team), pdf);
    const value = { cv: [{ id: body.data.id }] };
    for (const headers of [asAgent(form, second), byKey(elsewhere, team), byKey(foreign, other)]) {
      const reply = await submit(app, headers, value);
      expect([outcome(reply), codes(reply.body)]).toEqual(["422 validation_failed", ["upload_not_found"]]);
      const dry = await ask(app, "POST", "/papi/v1/submitter/form/validation", {
        headers,
        body: { data: value },
      });
      const found = dry.body.data.errors.map(({ code }: { code: string }) => code);
      expect(found).toEqual(["upload_not_found"]);
    }
    expect(outcome(await submit(app, byKey(form, team), value))).toBe("ok");
  });

  test("of a session is that session's", async () => {
    const open = await makeForm(app, team, [anything], { settings: { anonymous: { enabled: true } } });
    const access = { "x-form-access-key": open.accessKey };
    const session = async () => {
      const { body } = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers: access });
      return { ...access, "x-respondent-token": body.data.token as string };
    };
    const [one, another] = [await session(), await session()];
    const { body } = await upload(app, one, pdf, { field: "any" });
    const value = { any: [{ id: body.data.id }] };
    expect(codes((await submit(app, another, value)).body)).toEqual(["upload_not_found"]);
    expect(outcome(await submit(app, one, value))).toBe("ok");
  });

  test("needs credentials that may submit", async () => {
    const reader = await makeAgent(app, team, form, ["agent:read"]);
    expect(outcome(await upload(app, { "x-form-access-key": form.accessKey }, pdf))).toBe("401 unauthorized");
    expect(outcome(await upload(app, asAgent(form, reader), pdf))).toBe("403 missing_scope");
    expect(outcome(await upload(app, byKey(form, other), pdf))).toBe("403 tenant_mismatch");
    const files = await app.database.sql`select from formd.files where uploader like ${`%${reader.id}`}`;
    expect(files).toHaveLength(0);
  });

  test("is refused by size and type before it can be named, and leaves nothing", async () => {
    const objects = app.objects().length;
    const refused = async (bytes: Uint8Array, name: string, field = "cv") => {
      const { status, body } = await upload(app, byKey(form, team), bytes, { name, field });
      return [status, codes(body)?.[0] ?? body.code];
    };
    const text = new TextEncoder().encode("hello");
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    expect(await refused(new Uint8Array(100_001), "cv.pdf")).toEqual([422, "max_bytes"]);
    expect(await refused(new Uint8Array(1_000_001), "cv.pdf")).toEqual([413, "payload_too_large"]);
    expect(await refused(text, "cv.pdf")).toEqual([422, "type_not_accepted"]);
    expect(await refused(text, "cv.txt")).toEqual([422, "type_not_accepted"]);
    expect(await refused(pdf, "cv.exe", "any")).toEqual([422, "type_not_accepted"]);
    expect(await refused(new Uint8Array(), "cv.pdf")).toEqual([422, "type_not_accepted"]);
    expect(await refused(svg, "cv.png")).toEqual([422, "type_not_accepted"]);
    expect(await refused(pdf, "cv.pdf", "nothing")).toEqual([422, "unknown_field"]);
    expect(app.objects()).toHaveLength(objects);
    const left = await app.database.sql`select from formd.files where state = 'uploading'`;
    expect(left).toHaveLength(0);
  });

  test("without a name has a plain one", async () => {
    const { body } = await ask(app, "POST", `${uploadPath}?field=cv`, {
      headers: byKey(form, team),
      body: pdf,
    });
    expect(body.data).toMatchObject({ name: "file", type: "application/pdf" });
  });

  test("for no field is refused before anything is reserved for it", async () => {
    const mine = await makeTeam(app);
    const target = await makeForm(app, mine, [cv]);
    const reply = await ask(app, "POST", `${uploadPath}?name=cv.pdf`, { headers: byKey(target, mine) });
    expect(outcome(reply)).toBe("400 bad_request");
    const { sql } = app.database;
    expect(await sql`select from formd.files where team_id = ${mine.id}`).toHaveLength(0);
    expect(await sql`select from formd.file_totals where team_id = ${mine.id} and bytes > 0`).toHaveLength(0);
  });

  test("has the type of its content", async () => {
    const found = async (bytes: Uint8Array, name: string) =>
      (await upload(app, byKey(form, team), bytes, { field: "any", name })).body.data.type;
    const text = (value: string) => new TextEncoder().encode(value);
    expect(await found(png, "a.png")).toBe("image/png");
    expect(await found(png, "a")).toBe("image/png");
    expect(await found(text("a,b\n"), "a.csv")).toBe("text/csv");
    expect(await found(text("hé"), "notes")).toBe("text/plain");
    expect(await found(text("<html><script>1</script>"), "a.html")).toBe("text/html");
    expect(await found(Uint8Array.of(0, 1, 2, 255), "a.bin")).toBe("application/octet-stream");
  });

  test("has the type that is told by its end", async () => {
    const found = async (bytes: Uint8Array, name: string) => {
      const { body } = await upload(app, byKey(form, team), bytes, { field: "any", name });
      return body.data?.type ?? body.errors[0].constraint;
    };
    // Scanners write the tags of a TIFF last.
    const tiff = Buffer.alloc(100_014);
    tiff.write("II*");
    tiff.writeUInt32LE(100_000, 4);
    tiff.writeUInt16LE(1, 100_000);
    tiff.writeUInt16LE(256, 100_002);
    expect(await found(tiff, "scan.tif")).toBe("image/tiff");
    expect(await found(tiff, "scan.pdf")).toBe("name");
  });

  test("of an old document is that of its name, which cannot be one of another container", async () => {
    const bytes = new Uint8Array(5_000);
    bytes.set(Buffer.from("d0cf11e0a1b11ae1", "hex"));
    const found = async (name: string) => {
      const { body } = await upload(app, byKey(form, team), bytes, { field: "any", name });
      return body.data?.type ?? body.errors[0].constraint;
    };
    expect(await found("a.doc")).toBe("application/msword");
    expect(await found("a.msg")).toBe("application/vnd.ms-outlook");
    expect(await found("a")).toBe("application/x-cfb");
    for (const name of ["a.pdf", "a.png", "a.txt", "a.docx"]) expect(await found(name)).toBe("name");
  });

  test("that is two types at once has the one that its name says, or is refused", async () => {
    const bytes = (...parts: (string | Uint8Array)[]) =>
      new Uint8Array(Buffer.concat(parts.map((each) => Buffer.from(each as string))));
    const zip = Buffer.from("UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==", "base64");
    const polyglots = {
      pdfZip: bytes(pdf, zip),
      pngHtml: bytes(png, "<script>alert(1)</script>"),
      gifScript: bytes("GIF89a/*", new Uint8Array(8), "*/=alert(1)//;"),
      svg: bytes('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
    };
    const found = async (polyglot: keyof typeof polyglots, name: string) => {
      const { body } = await upload(app, byKey(form, team), polyglots[polyglot], { field: "any", name });
      return body.data?.type ?? codes(body)?.[0];
    };
    expect(await found("pdfZip", "a.pdf")).toBe("application/pdf");
    expect(await found("pngHtml", "a.png")).toBe("image/png");
    expect(await found("gifScript", "a.gif")).toBe("image/gif");
    expect(await found("svg", "a.svg")).toBe("image/svg+xml");
    for (const [polyglot, name] of [
      ["pdfZip", "a.zip"],
      ["pngHtml", "a.html"],
      ["gifScript", "a.js"],
      ["svg", "a.png"],
    ] as const)
      expect(await found(polyglot, name)).toBe("type_not_accepted");
  });

  test("has a name that is text and never a path", async () => {
    const named = async (name: string) =>
      (await upload(app, byKey(form, team), pdf, { name })).body.data?.name;
    expect(await named("../../etc/passwd.pdf")).toBe("passwd.pdf");
    expect(await named("C:\\secret\\a.pdf")).toBe("a.pdf");
    expect(await named('"><img src=x>;%00\r\nx: y.pdf')).toBe('"><img src=x>;%00x: y.pdf');
    expect(await named("\u202efdp.exe.pdf")).toBe("fdp.exe.pdf");
    expect(await named("Lebenslauf ä 履歴書 😀.pdf")).toBe("Lebenslauf ä 履歴書 😀.pdf");
    expect(await named("..")).toBe("..");
    expect([...(await named(`${"x".repeat(400)}.pdf`))]).toHaveLength(255);
    for (const each of app.objects()) expect(each).toMatch(uuid);
  });

  test("of a signed request covers its digest", async () => {
    const { key } = await makeSigningAgent(app, team, form);
    const request = (body: Uint8Array) => ({
      method: "POST",
      authority: new URL(app.url).host,
      path: uploadPath,
      query: "?field=cv&name=cv.pdf",
      headers: {
        "x-form-access-key": form.accessKey,
        "content-type": "application/octet-stream",
        "content-digest": digestOf(pdf),
      },
      body: body as never,
    });
    const sendSigned = async (body: Uint8Array) => {
      const { path, query = "", headers } = signed(key, request(pdf));
      return await ask(app, "POST", path + query, { headers, body });
    };
    expect(outcome(await sendSigned(pdf))).toBe("ok");
    expect(outcome(await sendSigned(png))).toBe("401 unauthorized");
    const unsigned = await upload(app, byKey(form, team), png, {
      headers: { "content-digest": digestOf(pdf) },
    });
    expect(outcome(unsigned)).toBe("400 bad_request");
  });

  test("that breaks off leaves neither bytes nor a row", async () => {
    const objects = app.objects().length;
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const lines = [
      `POST ${uploadUrl("any", "a.bin")} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `x-form-access-key: ${form.accessKey}`,
      `x-api-key: ${team.key}`,
      "content-length: 200000",
      "",
      "",
    ];
    socket.write(lines.join("\r\n"));
    socket.write(Buffer.alloc(199_999));
    const uploading = () => app.database.sql`select from formd.files where state = 'uploading'`;
    const expected = objects + app.objectsWhileArriving;
    await until(async () => (await uploading()).length === 1 && app.objects().length === expected);
    socket.destroy();
    await until(async () => (await uploading()).length === 0);
    expect(app.objects()).toHaveLength(objects);
  });

  test("is refused with others that have too many bytes together", async () => {
    const small = await fileService({ FILES_MAX_PER_SUBMISSION: "2000", FILES_MAX_BYTES: "1500" });
    const mine = await makeTeam(small);
    const target = await makeForm(small, mine, [cv, anything]);
    const headers = byKey(target, mine);
    const send = async (field: string, size: number) => {
      const bytes = new Uint8Array(size).fill(65);
      bytes.set(field === "cv" ? pdf : []);
      return {
        id: (await upload(small, headers, bytes, { field, name: field === "cv" ? "a.pdf" : "a.txt" })).body
          .data.id,
      };
    };
    const data = { cv: [await send("cv", 1_000)], any: [await send("any", 1_000), await send("any", 1)] };
    const refused = await submit(small, headers, data);
    const wrong = { field: "any", code: "max_bytes", constraint: "maxTotalBytes", expected: 2_000 };
    expect([refused.status, refused.body.errors]).toEqual([422, [expect.objectContaining(wrong)]]);
    const dry = await ask(small, "POST", "/papi/v1/submitter/form/validation", { headers, body: { data } });
    expect(dry.body.data.errors).toEqual([expect.objectContaining(wrong)]);
    expect(outcome(await submit(small, headers, { ...data, any: data.any.slice(0, 1) }))).toBe("ok");
  });

  test("sent again with an Idempotency-Key returns the stored submission", async () => {
    const headers = { ...byKey(form, team), "idempotency-key": "files-1" };
    const { body } = await upload(app, byKey(form, team), pdf);
    const first = await submit(app, headers, { cv: [{ id: body.data.id }] });
    const second = await submit(app, headers, { cv: [{ id: body.data.id }] });
    expect([outcome(first), second.body.data?.id]).toEqual(["ok", first.body.data.id]);
  });
});

describe("a file of a submission", () => {
  test("is downloaded by its owners as an attachment, which the audit has", async () => {
    const name = 'ä"b.pdf';
    const { id, file } = await submitted(pdf, name);
    const reply = await fetch(
      `${app.url}/papi/v1/management/forms/${form.id}/submissions/${id}/files/${file}`,
      { headers: { "x-api-key": team.key } },
    );
    expect(reply.status).toBe(200);
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(pdf);
    expect(reply.headers.get("content-disposition")).toBe(
      "attachment; filename=\"__b.pdf\"; filename*=UTF-8''%C3%A4%22b.pdf",
    );
    expect(reply.headers.get("content-security-policy")).toContain("sandbox");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.headers.get("content-digest")).toBe(digestOf(pdf));
    const audit = await ask(
      app,
      "GET",
      `/papi/v1/management/forms/${form.id}/audit?kind=file.downloaded&objectId=${file}`,
      {
        headers: { "x-api-key": team.key },
      },
    );
    expect(audit.body.data.events).toHaveLength(1);
  });

  test("is compared with the receipt by formd receipt verify --file", async () => {
    const { id } = await submitted();
    const { body: note, headers } = await owner(`${id}/receipt`);
    const folder = temporaryFolder();
    const write = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const [{ key }] = (await ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`)).body.data.keys;
    const { data } = (await owner(id)).body.data.submission;
    const verify = async (bytes: Uint8Array, salt = headers.get("receipt-salt"), stored = data) => {
      const texts = ["--data", write("data", JSON.stringify(stored)), "--file", write("file", bytes)];
      const options = [...texts, "--key", key, ...(salt ? ["--salt", salt] : []), "--json"];
      const { code, stdout } = await formd(["receipt", "verify", write("note", note), ...options]);
      const checks: { name: string; ok: boolean }[] = stdout ? JSON.parse(stdout).checks : [];
      return [code, checks.filter(({ ok }) => !ok).map(({ name }) => name)];
    };
    expect(await verify(pdf)).toEqual([0, []]);
    expect(await verify(png)).toEqual([1, ["file"]]);
    // Data that names other bytes is not what the receipt commits to.
    const named = { cv: [{ ...data.cv[0], sha256: sha256(png) }] };
    expect(await verify(png, undefined, named)).toEqual([1, ["data"]]);
    expect(await verify(pdf, "")).toEqual([1, []]);
  });

  test("is not open before it is read, and is refused as a whole when its bytes are gone", async () => {
    const { id, file } = await submitted();
    const path = join(app.directory, storageKey(team.id, file));
    const chunks = await app.files.store.read(storageKey(team.id, file));
    await chunks.return();
    const opened = readdirSync("/proc/self/fd").map((each) => {
      try {
        return readlinkSync(`/proc/self/fd/${each}`);
      } catch {
        return "";
      }
    });
    expect(opened).not.toContain(path);
    await app.files.store.remove(storageKey(team.id, file));
    expect(outcome(await owner(`${id}/files/${file}`))).toBe("503 unavailable");
  });

  test("is nobody else's", async () => {
    const { id, file } = await submitted();
    const another = await submitted();
    expect(outcome(await owner(`${id}/files/${file}`, other.key))).toBe("404 not_found");
    expect(outcome(await owner(`${another.id}/files/${file}`))).toBe("404 not_found");
    const { body } = await upload(app, byKey(form, team), pdf);
    expect(outcome(await owner(`${id}/files/${body.data.id}`))).toBe("404 not_found");
  });

  test("goes with the submission: its name at once, its bytes with the sweep", async () => {
    const { id, file } = await submitted(pdf, "Ada Lovelace.pdf");
    await ask(app, "DELETE", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
      headers: { "x-api-key": team.key },
    });
    expect((await rowOf(file))?.name ?? "").toBe("");
    expect(outcome(await owner(`${id}/files/${file}`))).toBe("404 not_found");
    await app.sweep();
    await until(async () => (await rowOf(file)) === undefined);
    expect(app.objects()).not.toContain(file);
  });

  const patch = async (id: string, value: unknown) => {
    const { submission } = (await owner(id)).body.data;
    return await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
      headers: { "x-api-key": team.key },
      body: { expectedUpdatedAt: submission.updatedAt, edits: [{ fieldId: "cv", value }] },
    });
  };

  test("goes with the edit that removes it; an edit adds none", async () => {
    const { id, file } = await submitted();
    const { body: uploaded } = await upload(app, byKey(form, team), pdf);
    expect(codes((await patch(id, [{ id: file }, { id: uploaded.data.id }])).body)).toEqual([
      "upload_not_found",
    ]);
    expect(outcome(await patch(id, [{ id: file }]))).toBe("ok");
    expect((await rowOf(file))?.state).toBe("claimed");
    expect(outcome(await patch(id, null))).toBe("ok");
    expect((await rowOf(file))?.state ?? "deleted").toBe("deleted");
  });

  test("of a submission that is held stays: an edit that removes it is 409 held", async () => {
    const { id, file } = await submitted();
    const cookie = await makeOperator(app, team, "admin");
    const hold = (method: string) =>
      ask(app, method, `/papi/v1/management/forms/${form.id}/submissions/${id}/hold`, {
        headers: { cookie, origin: app.url, "content-type": "application/json" },
        body: method === "POST" ? { reason: "Case" } : undefined,
      });
    expect((await hold("POST")).status).toBe(200);
    expect(outcome(await patch(id, null))).toBe("409 held");
    expect((await rowOf(file))?.state).toBe("claimed");
    expect((await hold("DELETE")).status).toBe(200);
    expect(outcome(await patch(id, null))).toBe("ok");
  });

  test("is deleted when no submission names it in time", async () => {
    const { sql } = app.database;
    const { body } = await upload(app, byKey(form, team), pdf);
    const id = body.data.id;
    await sql`update formd.files set expires_at = now() - interval '1 second' where id = ${id}`;
    await app.sweep();
    await until(async () => (await rowOf(id)) === undefined);
    expect(app.objects()).not.toContain(id);
    expect(codes((await submit(app, byKey(form, team), { cv: [{ id }] })).body)).toEqual([
      "upload_not_found",
    ]);
  });
});

test("a file that the store cannot delete does not keep the others", async () => {
  const { sql } = app.database;
  const send = async () => (await upload(app, byKey(form, team), pdf)).body.data.id as string;
  const [stuck, next] = [await send(), await send()];
  app.keep(storageKey(team.id, stuck));
  await sql`
    update formd.files set expires_at = now() - case when id = ${stuck} then interval '1 hour' else interval '1 minute' end
    where id = any (${[stuck, next]})`;
  await app.sweep();
  await until(async () => (await rowOf(next)) === undefined);
  expect((await rowOf(stuck))?.state).toBe("deleted");
});

test("a form that takes files is published only where files are stored", async () => {
  const { sql } = app.database;
  const publish = publishForm(sql, cliActor, team.id, form.id, false);
  expect(await publish.catch(({ code, message }) => [code, message])).toEqual([
    "validation_failed",
    "The form cannot be published: cv takes files, and this server stores none. FILES_URL says where.",
  ]);
});

test("a team has as many bytes as the setting says, and gets back those of what is deleted", async () => {
  const small = await fileService({ FILES_MAX_PER_TEAM: "2000" });
  const mine = await makeTeam(small);
  const target = await makeForm(small, mine, [anything, { id: "note", type: "text", label: "Note" }], {
    settings: { page: { enabled: true } },
  });
  const send = () =>
    upload(small, byKey(target, mine), new Uint8Array(900).fill(65), { field: "any", name: "a.txt" });
  const all = await Promise.all([send(), send(), send(), send()]);
  expect(all.map(outcome).sort()).toEqual(["403 storage_full", "403 storage_full", "ok", "ok"]);
  const page = async () => (await (await browserOf(small, mine, "viewer")).get("/console/workspaces")).html;
  expect(await page()).toContain("take 1.8 KiB of 2 KiB");
  expect(await page()).toContain("no more files are taken");
  const sampled = async () => (await ask(small, "GET", "/metrics")).body as string;
  await until(async () => /^formd_files_bytes 1800$/m.test(await sampled()));
  await until(async () => /^formd_files_team_bytes_max 1800$/m.test(await sampled()));
  const form = new FormData();
  form.append("note", "kept");
  form.append("any", new File(["a"], "a.txt"));
  const posted = await fetch(small.url + pagePathOf({ team: mine.id, form: target.id }), {
    method: "POST",
    headers: { accept: "text/html" },
    body: form,
  });
  const text = await posted.text();
  expect([posted.status, text.includes("no more room"), text.includes('value="kept"')]).toEqual([
    422,
    true,
    true,
  ]);
  await small.database.sql`update formd.files set expires_at = now() - interval '1 second'`;
  await small.sweep();
  const left = () => small.database.sql`select from formd.files where team_id = ${mine.id}`;
  await until(async () => (await left()).length === 0);
  expect(outcome(await send())).toBe("ok");
  const [{ bytes }] = await small.database.sql<[{ bytes: string }]>`
    select bytes from formd.file_totals where team_id = ${mine.id}`;
  expect(Number(bytes)).toBe(900);
});

test("a client IP uploads so many bytes in an hour, those that are refused too", async () => {
  const small = await fileService({ FILES_MAX_PER_IP_PER_HOUR: "2000" });
  const objects = small.objects().length;
  const mine = await makeTeam(small);
  const target = await makeForm(small, mine, [anything], { settings: { page: { enabled: true } } });
  const ip = "192.0.2.200";
  const send = (name: string, from = ip) =>
    upload(small, byKey(target, mine), new Uint8Array(1_000).fill(65), { field: "any", name, ip: from });
  expect(outcome(await send("a.txt"))).toBe("ok");
  expect(outcome(await send("a.pdf"))).toBe("422 validation_failed");
  const { status, headers, body } = await send("a.txt");
  expect([status, body.code, body.limit]).toEqual([429, "rate_limited", "upload-bytes"]);
  expect(Number(headers.get("retry-after"))).toBeWithin(3_000, 3_601);
  const form = new FormData();
  form.append("any", new File(["a"], "a.txt"));
  const page = await fetch(`${small.url}${pagePathOf({ team: mine.id, form: target.id })}`, {
    method: "POST",
    headers: { "x-forwarded-for": ip, accept: "text/html" },
    body: form,
  });
  expect(page.status).toBe(429);
  expect(outcome(await send("a.txt", "192.0.2.201"))).toBe("ok");
  expect(small.objects()).toHaveLength(objects + 2);
  const left = await small.database.sql`select from formd.files where state = 'uploading'`;
  expect(left).toHaveLength(0);
});
