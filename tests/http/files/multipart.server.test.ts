/** Uploads as multipart/form-data, as curl -F, FormData and requests send them. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { outcome } from "../../expect.ts";
import { ask, makeAgent, makeForm, makeTeam, run, temporaryFolder, testRequiring } from "../../setup.ts";
import { digestOf, makeSigningAgent, signed } from "../../signing.ts";
import { anything, byKey, cv, fileService, pdf, uploadPath } from "./fixture.ts";

const maxBytes = 1_000_000;

const app = await fileService({ FILES_MAX_BYTES: String(maxBytes) });
const team = await makeTeam(app);
const form = await makeForm(app, team, [cv, anything]);

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Sends a form to the route of uploads. */
async function send(body: FormData | string, query = "field=cv", headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}${uploadPath}?${query}`, {
    method: "POST",
    headers: { ...byKey(form, team), ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}

function formOf(...files: [bytes: Uint8Array, name: string][]): FormData {
  const sent = new FormData();
  for (const [bytes, name] of files) sent.append("file", new File([bytes as never], name));
  return sent;
}
const rows = () => app.database.sql`select from formd.files where team_id = ${team.id}`;

test("FormData: the bytes, their SHA-256 and the name are those of the file", async () => {
  const { body } = await send(formOf([pdf, "mine.pdf"]));
  expect(body.data).toMatchObject({
    name: "mine.pdf",
    size: pdf.length,
    type: "application/pdf",
    sha256: sha256(pdf),
  });
  expect((await send(formOf([pdf, "mine.pdf"]), "field=cv&name=cv.pdf")).body.data.name).toBe("cv.pdf");
});

test("a file of the largest size is stored, and one of a byte more is refused as without a form", async () => {
  const bytes = new Uint8Array(maxBytes).fill(65);
  expect((await send(formOf([bytes, "a.txt"]), "field=any")).body.data.size).toBe(maxBytes);
  const more = new Uint8Array(maxBytes + 1).fill(65);
  expect((await send(formOf([more, "a.txt"]), "field=any")).body.errors).toMatchObject([
    { code: "max_bytes", expected: maxBytes },
  ]);
  const most = new Uint8Array(maxBytes + 100_000);
  expect((await send(formOf([most, "a.bin"]), "field=any")).status).toBe(413);
});

testRequiring("curl")("curl -F: the file; -F of a text, -d and --data-binary alone say how", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "cv.txt");
  writeFileSync(path, "my cv\n");
  const curl = async (...args: string[]) => {
    const headers = Object.entries(byKey(form, team)).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const url = `${app.url}${uploadPath}?field=any`;
    return JSON.parse((await run("curl", ["-s", url, ...headers, ...args])).stdout);
  };
  expect((await curl("-F", `file=@${path}`)).data).toMatchObject({
    name: "cv.txt",
    size: 6,
    type: "text/plain",
    sha256: sha256(Buffer.from("my cv\n")),
  });
  expect(await curl("-F", `file=<${path}`)).toMatchObject({
    code: "bad_request",
    error: expect.stringContaining('The part "file" has no file name'),
  });
  for (const option of ["-d", "--data-binary"])
    expect(await curl(option, `@${path}`)).toMatchObject({
      code: "invalid_content_type",
      error: expect.stringContaining("--data-binary @FILE -H 'content-type: application/octet-stream'"),
    });
  const asTold = await curl("--data-binary", `@${path}`, "-H", "content-type: application/octet-stream");
  expect(asTold.data).toMatchObject({ size: 6 });
});

test("requests of Python: the file, also with a name that is no ASCII", async () => {
  const boundary = "8f0c2a5e1b7d4c3f9a6e0d1c2b3a4f5e";
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="Übersicht.txt"\r\n\r\na\nb\r\n--${boundary}--\r\n`;
  const { body } = await send(part, "field=any", {
    "content-type": `multipart/form-data; boundary=${boundary}`,
  });
  expect(body.data).toMatchObject({ name: "Übersicht.txt", size: 3, type: "text/plain" });
});

test("a form without a file, with two, or with a text beside it leaves nothing", async () => {
  const before = (await rows()).length;
  const objects = app.objects().length;
  const withText = formOf([pdf, "cv.pdf"]);
  withText.append("field", "cv");
  for (const [sent, message] of [
    [new FormData(), "The body has no file."],
    [formOf([pdf, "a.pdf"], [pdf, "b.pdf"]), "The body has more than one file"],
    [withText, 'The part "field" has no file name'],
  ] as const)
    expect(await send(sent)).toMatchObject({
      status: 400,
      body: { code: "bad_request", error: expect.stringContaining(message) },
    });
  expect(await rows()).toHaveLength(before);
  expect(app.objects()).toHaveLength(objects);
});

test("a caller that may not submit stores nothing", async () => {
  const objects = app.objects().length;
  const agent = await makeAgent(app, team, form, ["agent:read"]);
  const response = await send(formOf([pdf, "cv.pdf"]), "field=cv", {
    "x-api-key": "",
    "x-respondent-token": agent.token,
  });
  expect(response).toMatchObject({ status: 403, body: { code: "missing_scope" } });
  const type = { "content-type": "multipart/form-data; boundary=x" };
  const unread = await send("no form", "field=cv", { ...type, "x-api-key": "" });
  expect(unread.status, "it is refused before its body is read").toBe(401);
  expect(app.objects()).toHaveLength(objects);
});

test("a signed form has the digest of its whole body", async () => {
  const { key } = await makeSigningAgent(app, team, form);
  const boundary = "x".repeat(30);
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--${boundary}--\r\n`,
  );
  const sendSigned = (sent: Uint8Array) => {
    const {
      path,
      query = "",
      headers,
    } = signed(key, {
      method: "POST",
      authority: new URL(app.url).host,
      path: uploadPath,
      query: "?field=any",
      headers: {
        "x-form-access-key": form.accessKey,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-digest": digestOf(body),
      },
      body: body as never,
    });
    return ask(app, "POST", path + query, { headers, body: sent });
  };
  const other = Buffer.from(body.toString().replace("hello", "hullo"));
  expect(outcome(await sendSigned(other))).toBe("401 unauthorized");
  const sent = await sendSigned(body);
  expect(sent.body.data ?? sent.body).toMatchObject({ size: 5, sha256: sha256(Buffer.from("hello")) });
});
