/** Files: upload first and claim on submit, and the download by owners. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../../src/limits.ts";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { storageKey } from "../../../src/platform/files/store.ts";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { outcome, submissionCount, timestamp, until, uuid } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, makeOperator, makeTeam, type Reply } from "../../setup.ts";
import { digestOf, makeSigningAgent, signed } from "../../signing.ts";
import { browserOf } from "../console/fixture.ts";
import { head } from "../raw-http.ts";
import { verifyReceipt } from "../receipts/fixture.ts";
import { formsPath, submissionPath, validationPath } from "../submissions/fixture.ts";
import {
  anything,
  byKey,
  cv,
  fileService,
  pdf,
  png,
  submit,
  submitFiles,
  upload,
  uploadPath,
  uploadUrl,
} from "./fixture.ts";

const app = await fileService({ FILES_MAX_BYTES: "1000000" });
const team = await makeTeam(app);
const asOwner = { "x-api-key": team.key };
const other = await makeTeam(app);
const form = await makeForm(app, team, [cv, anything]);
const agent = await makeAgent(app, team, form);

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const codes = (body: { errors?: { code: string }[] }) => body.errors?.map(({ code }) => code);
const pathOf = (id: string, rest = "") => submissionPath({ id, formId: form.id }, rest);
const owner = (path: string, key = team.key) =>
  ask(app, "GET", pathOf(path), { headers: { "x-api-key": key } });
const rowOf = async (id: string) =>
  (
    await app.database.sql<
      { state: string; name: string }[]
    >`select state, name from formd.files where id = ${id}`
  )[0];

/** An upload that is stored. @returns its id */
const stored = async (headers = byKey(form, team), bytes: Uint8Array = pdf) =>
  (await upload(app, headers, bytes)).body.data.id as string;
const text = (value: string) => new TextEncoder().encode(value);
const uploading = () => app.database.sql`select from formd.files where state = 'uploading'`;
const expire = (...ids: string[]) =>
  app.database.sql`update formd.files set expires_at = now() - interval '1 second' where id = any (${ids})`;
const notFound = ["422 validation_failed", ["upload_not_found"]];
const outcomeAndCodes = (reply: Reply) => [outcome(reply), codes(reply.body)];

/** A submission with one file. */
async function submitted(bytes: Uint8Array = pdf, name = "cv.pdf") {
  const { id, files } = await submitFiles(app, form, team, "cv", [name, bytes]);
  return { id, file: files[0] as string };
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
    const id = await stored();
    const before = await submissionCount(app, form);
    expect(outcomeAndCodes(await submit(app, headers, { any: [{ id }] }))).toEqual(notFound);
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
    const value = { cv: [{ id: await stored() }] };
    for (const headers of [asAgent(form, second), byKey(elsewhere, team), byKey(foreign, other)]) {
      expect(outcomeAndCodes(await submit(app, headers, value))).toEqual(notFound);
      const dry = await ask(app, "POST", validationPath, { headers, body: { data: value } });
      expect(codes(dry.body.data)).toEqual(["upload_not_found"]);
    }
    expect(outcome(await submit(app, byKey(form, team), value))).toBe("ok");
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
    const svg = text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    const refused: [bytes: Uint8Array, name: string, status: number, code: string, field?: string][] = [
      [new Uint8Array(100_001), "cv.pdf", 422, "max_bytes"],
      [new Uint8Array(1_000_001), "cv.pdf", 413, "payload_too_large"],
      [text("hello"), "cv.pdf", 422, "type_not_accepted"],
      [text("hello"), "cv.txt", 422, "type_not_accepted"],
      [pdf, "cv.exe", 422, "type_not_accepted", "any"],
      [new Uint8Array(), "cv.pdf", 422, "type_not_accepted"],
      [svg, "cv.png", 422, "type_not_accepted"],
      [pdf, "cv.pdf", 422, "unknown_field", "nothing"],
    ];
    for (const [bytes, name, status, code, field = "cv"] of refused) {
      const reply = await upload(app, byKey(form, team), bytes, { name, field });
      expect([reply.status, codes(reply.body)?.[0] ?? reply.body.code]).toEqual([status, code]);
    }
    expect(app.objects()).toHaveLength(objects);
    expect(await uploading()).toHaveLength(0);
  });

  test("for a field that takes none names the nearest that does", async () => {
    const { body } = await upload(app, byKey(form, team), pdf, { name: "cv.pdf", field: "cvs" });
    expect(body.errors).toMatchObject([
      { expected: "cv", message: expect.stringMatching(/: is cv meant\?$/) },
    ]);
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

  describe("has the type of its content, and a name that says another one is refused", () => {
    const bytes = (...parts: (string | Uint8Array)[]) =>
      new Uint8Array(Buffer.concat(parts.map((each) => Buffer.from(each as string))));
    // Scanners write the tags of a TIFF last.
    const tiff = Buffer.alloc(100_014);
    tiff.write("II*");
    tiff.writeUInt32LE(100_000, 4);
    tiff.writeUInt16LE(1, 100_000);
    tiff.writeUInt16LE(256, 100_002);
    const office = bytes(Buffer.from("d0cf11e0a1b11ae1", "hex"), new Uint8Array(5_000));
    const html = text("<html><script>1</script>");
    const pdfZip = bytes(pdf, Buffer.from("UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==", "base64"));
    const pngHtml = bytes(png, "<script>alert(1)</script>");
    const gifScript = bytes("GIF89a/*", new Uint8Array(8), "*/=alert(1)//;");
    const svg = text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
    const refused = "type_not_accepted name";

    test.each<[kind: string, Uint8Array, name: string, type: string]>([
      ["PNG", png, "a.png", "image/png"],
      ["PNG", png, "a", "image/png"],
      ["CSV", text("a,b\n"), "a.csv", "text/csv"],
      ["text", text("hé"), "notes", "text/plain"],
      ["CSV of Excel in German", Buffer.from("4dfc6c6c65723b310d0a", "hex"), "a.csv", "text/csv"],
      ["CSV in UTF-16", Buffer.from("\ufeffMüller\t1\r\n", "utf16le"), "a.csv", "text/csv"],
      ["CSV in UTF-16, turned", Buffer.from("\ufeffa\t1", "utf16le").swap16(), "a.csv", "text/csv"],
      ["UTF-16 with a NUL", Buffer.from("\ufeffa\0b", "utf16le"), "a.csv", "application/octet-stream"],
      ["UTF-16 without a mark", Buffer.from("Müller", "utf16le"), "a.csv", "application/octet-stream"],
      ["bytes named as text", Uint8Array.of(0x4d, 0xfc, 1), "a.txt", "application/octet-stream"],
      ["HTML", html, "a.html", "text/html"],
      ["bytes", Uint8Array.of(0, 1, 2, 255), "a.bin", "application/octet-stream"],
      ["TIFF", tiff, "scan.tif", "image/tiff"],
      ["TIFF", tiff, "scan.pdf", refused],
      ["old document", office, "a.doc", "application/msword"],
      ["old document", office, "a.msg", "application/vnd.ms-outlook"],
      ["old document", office, "a", "application/x-cfb"],
      ...["a.pdf", "a.png", "a.txt", "a.docx"].map((name): [string, Uint8Array, string, string] => [
        "old document",
        office,
        name,
        refused,
      ]),
      ["PDF that is a ZIP", pdfZip, "a.pdf", "application/pdf"],
      ["PDF that is a ZIP", pdfZip, "a.zip", refused],
      ["PNG that is HTML", pngHtml, "a.png", "image/png"],
      ["PNG that is HTML", pngHtml, "a.html", refused],
      ["GIF that is a script", gifScript, "a.gif", "image/gif"],
      ["GIF that is a script", gifScript, "a.js", refused],
      ["SVG", svg, "a.svg", "image/svg+xml"],
      ["SVG", svg, "a.png", refused],
    ])("%s: %#", async (_, content, name, type) => {
      const { body } = await upload(app, byKey(form, team), content, { field: "any", name });
      const [error] = body.errors ?? [];
      expect(body.data?.type ?? `${error.code} ${error.constraint}`).toBe(type);
    });
  });

  test("has a name that is text and never a path", async () => {
    for (const [name, expected] of [
      ["../../etc/passwd.pdf", "passwd.pdf"],
      ["C:\\secret\\a.pdf", "a.pdf"],
      ['"><img src=x>;%00\r\nx: y.pdf', '"><img src=x>;%00x: y.pdf'],
      ["\u202efdp.exe.pdf", "fdp.exe.pdf"],
      ["Lebenslauf ä 履歴書 😀.pdf", "Lebenslauf ä 履歴書 😀.pdf"],
      ["..", ".."],
      [`${"x".repeat(400)}.pdf`, `${"x".repeat(251)}.pdf`],
    ] as const)
      expect((await upload(app, byKey(form, team), pdf, { name })).body.data?.name).toBe(expected);
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
    const headers = { ...byKey(form, team), "content-length": "200000" };
    socket.write(head(`POST ${uploadUrl("any", "a.bin")}`, headers));
    socket.write(Buffer.alloc(199_999));
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
    const dry = await ask(small, "POST", validationPath, { headers, body: { data } });
    expect(dry.body.data.errors).toEqual([expect.objectContaining(wrong)]);
    expect(outcome(await submit(small, headers, { ...data, any: data.any.slice(0, 1) }))).toBe("ok");
  });

  test("sent again with an Idempotency-Key returns the stored submission", async () => {
    const headers = { ...byKey(form, team), "idempotency-key": "files-1" };
    const value = { cv: [{ id: await stored() }] };
    const [first, second] = [await submit(app, headers, value), await submit(app, headers, value)];
    expect([outcome(first), second.body.data?.id]).toEqual(["ok", first.body.data.id]);
  });
});

describe("a file of a submission", () => {
  test("is downloaded by its owners as an attachment, which the audit has", async () => {
    const name = 'ä"b.pdf';
    const { id, file } = await submitted(pdf, name);
    const reply = await fetch(app.url + pathOf(id, `/files/${file}`), { headers: asOwner });
    expect(reply.status).toBe(200);
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(pdf);
    expect(reply.headers.get("content-disposition")).toBe(
      "attachment; filename=\"__b.pdf\"; filename*=UTF-8''%C3%A4%22b.pdf",
    );
    expect(reply.headers.get("content-security-policy")).toContain("sandbox");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.headers.get("content-digest")).toBe(digestOf(pdf));
    const ofFile = `${formsPath}/${form.id}/audit?kind=file.downloaded&objectId=${file}`;
    const audit = await ask(app, "GET", ofFile, { headers: asOwner });
    expect(audit.body.data.events).toHaveLength(1);
  });

  test("is compared with the receipt by formd receipt verify --file", async () => {
    const { id } = await submitted();
    const { body: note, headers } = await owner(`${id}/receipt`);
    const [{ key }] = (await ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`)).body.data.keys;
    const { data } = (await owner(id)).body.data.submission;
    const salt = headers.get("receipt-salt") ?? "";
    const verify = (file: Uint8Array, of = data) =>
      verifyReceipt(note, { key, salt, data: JSON.stringify(of), file });
    expect(await verify(pdf)).toMatchObject({ valid: true, failed: [] });
    expect(await verify(png)).toMatchObject({ valid: false, failed: ["file"] });
    // Data that names other bytes is not what the receipt commits to.
    const named = { cv: [{ ...data.cv[0], sha256: sha256(png) }] };
    expect(await verify(png, named)).toMatchObject({ valid: false, failed: ["data"] });
    const files = { key, data: JSON.stringify(data), file: pdf };
    await expect(verifyReceipt(note, files)).rejects.toThrow("1: formd: --file needs the stored data");
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
    expect(outcome(await owner(`${id}/files/${await stored()}`))).toBe("404 not_found");
  });

  test("goes with the submission: its name at once, its bytes with the sweep", async () => {
    const { id, file } = await submitted(pdf, "Ada Lovelace.pdf");
    await ask(app, "DELETE", pathOf(id), { headers: asOwner });
    expect((await rowOf(file))?.name ?? "").toBe("");
    expect(outcome(await owner(`${id}/files/${file}`))).toBe("404 not_found");
    await app.sweep();
    await until(async () => (await rowOf(file)) === undefined);
    expect(app.objects()).not.toContain(file);
  });

  const patch = async (id: string, value: unknown) => {
    const { submission } = (await owner(id)).body.data;
    return await ask(app, "PATCH", pathOf(id), {
      headers: asOwner,
      body: { expectedUpdatedAt: submission.updatedAt, edits: [{ fieldId: "cv", value }] },
    });
  };

  test("goes with the edit that removes it; an edit adds none", async () => {
    const { id, file } = await submitted();
    expect(outcomeAndCodes(await patch(id, [{ id: file }, { id: await stored() }]))).toEqual(notFound);
    expect(outcome(await patch(id, [{ id: file }]))).toBe("ok");
    expect((await rowOf(file))?.state).toBe("claimed");
    expect(outcome(await patch(id, null))).toBe("ok");
    expect((await rowOf(file))?.state ?? "deleted").toBe("deleted");
  });

  test("of a submission that is held stays: an edit that removes it is 409 held", async () => {
    const { id, file } = await submitted();
    const cookie = await makeOperator(app, team, "admin");
    const hold = (method: string) =>
      ask(app, method, pathOf(id, "/hold"), {
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
    const id = await stored();
    await expire(id);
    const value = { cv: [{ id }] };
    const dry = await ask(app, "POST", validationPath, { headers: byKey(form, team), body: { data: value } });
    expect(codes(dry.body.data)).toEqual(["upload_not_found"]);
    expect(outcomeAndCodes(await submit(app, byKey(form, team), value))).toEqual(notFound);
    await app.sweep();
    await until(async () => (await rowOf(id)) === undefined);
    expect(app.objects()).not.toContain(id);
    expect(outcomeAndCodes(await submit(app, byKey(form, team), { cv: [{ id }] }))).toEqual(notFound);
  });
});

test("a file that the store cannot delete does not keep the others", async () => {
  const { sql } = app.database;
  const [stuck, next] = [await stored(), await stored()];
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
  expect(await page()).toContain("use 1.8 KB of 2 KB");
  expect(await page()).toContain("When the space is full");
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
  expect([posted.status, text.includes("no space left"), text.includes('value="kept"')]).toEqual([
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

test("what no submission has named fills a quarter of a team's room, and a stranger's goes after an hour", async () => {
  const settings = { FILES_MAX_BYTES: "2048", FILES_MAX_PER_SUBMISSION: "2048", FILES_MAX_PER_TEAM: "16384" };
  const small = await fileService(settings);
  const mine = await makeTeam(small);
  const target = await makeForm(small, mine, [anything]);
  const key = { "x-form-access-key": target.accessKey };
  const { body: session } = await ask(small, "POST", "/papi/v1/auth/anonymous", { headers: key });
  const stranger = { ...key, "x-respondent-token": session.data.token };
  const send = (headers: Record<string, string>) =>
    upload(small, headers, new Uint8Array(1_024).fill(65), { field: "any", name: "a.txt" });
  const hours = ({ body }: Reply) => Math.round((Date.parse(body.data.expiresAt) - Date.now()) / 3_600_000);
  const first = await send(byKey(target, mine));
  expect([hours(first), hours(await send(stranger))]).toEqual([24, 1]);
  expect(outcome(await send(stranger))).toBe("ok");
  expect(outcome(await send(stranger))).toBe("ok");
  expect(outcome(await send(byKey(target, mine)))).toBe("403 storage_full");
  const { id } = first.body.data;
  expect(outcome(await submit(small, byKey(target, mine), { any: [{ id }] }))).toBe("ok");
  expect(outcome(await send(byKey(target, mine)))).toBe("ok");
  const totals = () => small.database.sql`
    select bytes::int, unclaimed_bytes::int from formd.file_totals where team_id = ${mine.id}`;
  expect([...(await totals())]).toEqual([{ bytes: 5_120, unclaimedBytes: 4_096 }]);
  await small.database
    .sql`update formd.files set expires_at = now() - interval '1 second' where expires_at is not null`;
  await small.sweep();
  await until(async () => (await totals())[0]?.unclaimedBytes === 0);
  expect([...(await totals())]).toEqual([{ bytes: 1_024, unclaimedBytes: 0 }]);
});

test("bytes that do not arrive take no room of the team, and those that arrive do as they come", async () => {
  const large = await fileService();
  const mine = await makeTeam(large);
  const target = await makeForm(large, mine, [anything]);
  const { hostname, port } = new URL(large.url);
  const declared = { ...byKey(target, mine), "content-length": "10000000" };
  const reserved = async () => {
    const rows = await large.database.sql<{ size: string; sum: string }[]>`
      select f.size, t.bytes as sum from formd.files f join formd.file_totals t using (team_id) order by f.size`;
    return rows.map(({ size, sum }) => [Number(size), Number(sum)]);
  };
  const sockets = [1, 1_200_000].map((size) => {
    const socket = connect(Number(port), hostname);
    socket.write(head(`POST ${uploadUrl("any", "a.bin")}`, declared));
    socket.write(Buffer.alloc(size));
    return socket;
  });
  await until(async () => ((await reserved())[1]?.[0] ?? 0) >= 1_200_000);
  const [[few = 0, sum] = [], [many = 0] = []] = await reserved();
  expect(few).toBe(limits.file.firstReservedBytes);
  expect(many).toBeLessThan(4 * 1_200_000);
  expect(sum).toBe(few + many);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await reserved()).length === 0);
  expect([
    ...(await large.database.sql`select bytes::int from formd.file_totals where team_id = ${mine.id}`),
  ]).toEqual([{ bytes: 0 }]);
});

test("the bytes that a client IP uploads per hour are limited, and rejected files count", async () => {
  const small = await fileService({ FILES_MAX_PER_IP_PER_HOUR: "2000" });
  // A bucket has the files of other tests, some of which are still on their way.
  const begun = uuidv7();
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
  expect(small.objects().filter((id) => id > begun)).toHaveLength(2);
  const left = await small.database.sql`select from formd.files where state = 'uploading'`;
  expect(left).toHaveLength(0);
});
