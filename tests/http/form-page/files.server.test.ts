/** Files on the page of a form, as a browser without a script sends them. */
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../../expect.ts";
import { invite } from "../../invite.ts";
import { ask, makeForm, makeTeam } from "../../setup.ts";
import { Browser } from "../console/browser.ts";
import { browserOf } from "../console/fixture.ts";
import { anything, cv, fileService, pdf, png } from "../files/fixture.ts";
import { decoded, formsOf, type Page } from "./fixture.ts";
import { langOf, switchTo } from "./languages.ts";

const app = await fileService({ FILES_MAX_BYTES: "300000" });
const team = await makeTeam(app);
const fixture = formsOf(app, team);
const { pathOf, stored, republish, get, post, send } = fixture;
const { sql } = app.database;

const name = { id: "name", type: "text", label: "Name", required: true };
const published = (fields: object[] = [name, cv], page: object = {}) => fixture.published(fields, page);

type Part = [name: string, value: string | File];
const file = (bytes: Uint8Array, fileName: string) => new File([bytes as never], fileName);
const cvOf = (bytes: Uint8Array, fileName = "cv.pdf"): Part => ["cv", file(bytes, fileName)];
/** Part that a browser sends if no file is chosen. */
const noFile = cvOf(new Uint8Array(), "");

/** Sends parts that no page has been read for. */
function postParts(path: string, parts: Part[], headers?: Record<string, string>) {
  const body = new FormData();
  for (const [key, value] of parts) body.append(key, value);
  return post(path, body, headers);
}
const json = { accept: "application/json" };

const fileIds = ({ hidden }: Page, field = "cv") =>
  hidden.filter(([key]) => key === field).map(([, value]) => JSON.parse(value).id as string);
const stateOf = async (id: string) => (await sql`select state from formd.files where id = ${id}`)[0]?.state;

describe("a form with a file", () => {
  test("of a page that refuses programs that declare themselves, stores none of theirs", async () => {
    const form = await published([cv], { agents: "refuse" });
    const sent = async (headers: Record<string, string>) => [
      (await postParts(pathOf(form), [cvOf(pdf)], headers)).status,
      (await sql`select from formd.files where form_id = ${form.id}`).length,
    ];
    expect(await sent({ "signature-input": 'sig1=("@authority");tag="web-bot-auth"' })).toEqual([403, 0]);
    expect(await sent({})).toEqual([303, 1]);
  });

  test("for invited people, stores none of a stranger; by a link one, also when it is sent again", async () => {
    for (const settings of [{}, { invitations: { anonymous: true } }]) {
      const form = await fixture.published([cv], { access: "invited" }, settings);
      const files = async () => (await sql`select from formd.files where form_id = ${form.id}`).length;
      expect([(await postParts(pathOf(form), [cvOf(pdf)])).status, await files()]).toEqual([403, 0]);
      const link = `${pathOf(form)}/i/${await invite(sql, team, form)}`;
      const page = await get(link);
      const [first, again] = [await send(page, [cvOf(pdf)]), await send(page, [cvOf(pdf)])];
      expect([first.status, again.headers.get("location")]).toEqual([
        303,
        first.headers.get("location") ?? "",
      ]);
      const before = await files();
      expect([(await postParts(link, [cvOf(pdf)])).status, (await files()) - before]).toEqual([410, 0]);
      expect(await stored(form)).toHaveLength(1);
    }
  });

  test("takes it with the form, keeps it through an error, and stores it with the submission", async () => {
    const form = await published();
    const page = await get(form);
    expect(page.text).toContain('enctype="multipart/form-data"');
    expect(page.text).toMatch(/<input type="file"[^>]*accept="application\/pdf,image\/\*"/);
    const fileName = 'my "cv" ä.pdf';
    const refused = await send(page, [["name", ""], cvOf(pdf, fileName)]);
    expect(refused.status).toBe(422);
    expect(decoded(refused.text)).toContain(fileName);
    expect(refused.text).toContain("formd.remove");
    const [id = ""] = fileIds(refused);
    expect(await stateOf(id)).toBe("uploaded");
    const sent = await send(refused, [["name", "Ada"], noFile]);
    expect(sent.status).toBe(303);
    const sha256 = new Bun.CryptoHasher("sha256").update(pdf).digest("hex");
    expect(await stored(form)).toEqual([
      { name: "Ada", cv: [{ id, name: fileName, size: pdf.length, type: "application/pdf", sha256 }] },
    ]);
    expect(await stateOf(id)).toBe("claimed");
    const after = await get(sent.headers.get("location") ?? "");
    expect(after.text).toContain(`${pdf.length} bytes`);
    expect(after.text).not.toMatch(/[0-9a-f]{64}/);
  });

  test("keeps it when the page is shown in another language", async () => {
    const form = await fixture.published([name, cv], {}, { languages: ["en", "de", "ja"] });
    const page = await switchTo(app, await get(form), "de", [["name", "Ada"], cvOf(pdf)]);
    expect([page.status, langOf(page), fileIds(page).length]).toEqual([200, "de", 1]);
    const japanese = await switchTo(app, page, "ja", [["name", "Ada"]]);
    expect(japanese.text).toContain(`<span class="quiet" lang="ja" dir="ltr">(${pdf.length} バイト)</span>`);
    const sent = await send(page, [["name", "Ada"], noFile]);
    expect(sent.status).toBe(303);
    const after = await get(`${sent.headers.get("location")}&lang=ja`);
    expect(after.text).toContain(`, <span lang="ja" dir="ltr">${pdf.length} バイト</span>`);
    expect(await stored(form)).toMatchObject([{ name: "Ada", cv: [{ id: fileIds(page)[0] }] }]);
  });

  test("shows it again without what is removed, and keeps the rest", async () => {
    const form = await published();
    const first = await send(await get(form), [["name", ""], cvOf(pdf, "a.pdf"), cvOf(png, "b.png")]);
    const [one = "", two = ""] = fileIds(first);
    const action = /formaction="([^"]*)"/.exec(first.text)?.[1] ?? "";
    expect(action).toBe(`${pathOf(form)}/steps`);
    const second = await send({ ...first, action }, [["name", "Grace"], ["formd.remove", one], noFile]);
    expect([second.status, fileIds(second)]).toEqual([200, [two]]);
    expect(second.text).toContain('value="Grace"');
    expect((await send(second, { name: "Grace" })).status).toBe(303);
    expect(await stored(form)).toMatchObject([{ cv: [{ id: two }] }]);
    expect(await stateOf(one)).toBe("uploaded");
  });

  test.each([
    [
      "of another type",
      cvOf(Buffer.from("hello")),
      "This file is not a PDF or a picture, or the end of its name",
    ],
    ["empty", cvOf(new Uint8Array()), "is empty"],
    [
      "not accepted",
      cvOf(Uint8Array.of(80, 75, 5, 6, ...new Uint8Array(18)), "cv.zip"),
      "This file is not a PDF or a picture.",
    ],
    ["too large", cvOf(new Uint8Array(200_000)), "Choose a smaller file: it may have at most 97.7 KB."],
  ])("says what is wrong with one that is %s, and keeps the other", async (_, wrong, message) => {
    const form = await published([name, cv, anything]);
    const page = await get(form);
    const refused = await send(page, [["name", "Ada"], wrong, ["any", file(png, "b.png")]]);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(message)]);
    expect([fileIds(refused), fileIds(refused, "any").length]).toEqual([[], 1]);
    expect(await stored(form)).toEqual([]);
  });

  test("says in German too what it is not, in words that people know", async () => {
    const accept = ["application/pdf", "image/*", "text/csv", "application/msword"];
    const form = await published([name, { ...cv, validation: { accept } }], { language: "de" });
    const { text } = await send(await get(form), [
      ["name", "Ada"],
      ["cv", file(Buffer.from("hello"), "cv.txt")],
    ]);
    expect(text).toContain("Diese Datei ist kein PDF, kein Bild, keine CSV-Datei und kein Word-Dokument.");
    expect(text).not.toContain("octet-stream");
  });

  test("that is not taken has the code for programs", async () => {
    const { status, text } = await postParts(pathOf(await published()), [["name", "A"], cvOf(png)], json);
    expect([status, JSON.parse(text).errors[0].code]).toEqual([422, "type_not_accepted"]);
  });

  test("whose part has no name is taken all the same", async () => {
    const form = await published([name, cv, anything]);
    const part = (disposition: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
    const unnamed = [
      part('name="cv"; filename=""', new TextDecoder().decode(pdf)),
      part('name="any"; filename=""', ""),
    ].join("");
    const { status } = await fetch(app.url + pathOf(form), {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x", ...json },
      body: `${part('name="name"', "Ada")}${unnamed}--x--\r\n`,
    });
    expect([status, await stored(form)]).toMatchObject([
      200,
      [{ name: "Ada", cv: [{ name: "file", size: pdf.length, type: "application/pdf" }] }],
    ]);
  });

  test("is required where the field is, and may have as many as the field says", async () => {
    const page = await get(await published([{ ...cv, required: true }]));
    const sent = (count: number) =>
      send(page, count === 0 ? [noFile] : Array.from({ length: count }, (_, i) => cvOf(pdf, `${i}.pdf`)));
    const [none, three, eleven] = [await sent(0), await sent(3), await sent(11)];
    expect([none.status, none.text]).toEqual([422, expect.stringContaining("Choose a file.")]);
    expect([three.status, three.text]).toEqual([422, expect.stringContaining("Choose at most 2 files.")]);
    expect(fileIds(eleven)).toHaveLength(10);
  });

  test("beside a matrix whose rows have long ids is sent as well", async () => {
    const row = "ä%.".repeat(150);
    const matrix = { id: "m", type: "matrix", label: "M", rows: [row], columns: ["good", "bad"] };
    const form = await published([matrix, cv]);
    const page = await get(form);
    const control = decoded(/type="radio"[^>]* name="([^"]*)"/.exec(page.text)?.[1] ?? "");
    expect((await send(page, [[control, "good"], cvOf(pdf)])).status).toBe(303);
    expect(await stored(form)).toMatchObject([{ m: { [row]: "good" } }]);
  });

  test("sent twice is one submission", async () => {
    const form = await published();
    const page = await get(form);
    const sent = async () => {
      const { status, headers } = await send(page, [["name", "Ada"], cvOf(pdf)]);
      return [status, /reference=[^&]*/.exec(headers.get("location") ?? "")?.[0]];
    };
    const first = await sent();
    expect(first).toEqual([303, expect.stringMatching(/^reference=./)]);
    expect(await sent()).toEqual(first);
    expect(await stored(form)).toHaveLength(1);
  });

  test("is not accepted by another page, nor by a page without a key", async () => {
    const form = await published();
    const kept = await send(await get(form), [cvOf(pdf)]);
    const claimed = kept.hidden.filter(([key]) => key === "cv");
    const other = await send(await get(form), [...claimed, ["name", "Eve"]]);
    expect([other.status, other.text]).toEqual([422, expect.stringContaining("is no longer there")]);
    expect((await post(form, { name: "Eve", cv: claimed[0]?.[1] ?? "" })).status).toBe(422);
    expect(await stored(form)).toEqual([]);
    expect((await send(kept, { name: "Ada" })).status).toBe(303);
  });

  test("takes one of a program that sends no key", async () => {
    const path = pathOf(await published());
    const parts: Part[] = [cvOf(pdf), ["name", "Ada"]];
    const sent = async (...all: Part[]) => {
      const { status, text } = await postParts(path, all, json);
      return [status, JSON.parse(text).data?.status ?? JSON.parse(text).code];
    };
    expect(await sent(...parts)).toEqual([200, "completed"]);
    expect(await sent(...parts, ["formd.key", "a"])).toEqual([400, "bad_request"]);
    for (const key of ["", "no key", "a".repeat(65)])
      expect(await sent(["formd.key", key], ...parts)).toEqual([400, "bad_request"]);
    const described = await ask(app, "GET", path, { headers: json });
    expect(described.body.data.submit).toMatchObject({
      contentType: "multipart/form-data",
      names: { cv: ["cv"] },
    });
  });

  test("in steps carries it to the values to check, and to a newer version", async () => {
    const fields = [cv, { id: "more", type: "page_break", label: "You" }, name];
    const form = await published(fields, { layout: "steps" });
    const second = await send(await get(form), [cvOf(pdf)]);
    expect(second.names).toEqual(["name"]);
    const check = await send(second, { name: "Ada" });
    expect(check.text).toContain(`cv.pdf, ${pdf.length} bytes`);
    const back = await send(check, {}, "1");
    const removed = await send(back, { "formd.remove": fileIds(back)[0] ?? "" });
    expect([removed.status, fileIds(removed)]).toEqual([200, []]);
    expect(removed.text).toContain("Step 1 of 2");
    await republish(form, [{ op: "addField", field: { id: "note", type: "text", label: "Note" } }]);
    const changed = await send(check);
    expect(changed.status).toBe(409);
    expect((await send(await send(changed, { name: "Ada" }))).status).toBe(303);
    expect((await stored(form)).map((data) => data.cv)).toEqual([[expect.any(Object)]]);
  });
});

describe("a post that is not a valid form", () => {
  const postText = (path: string, type: string, body: string) =>
    ask(app, "POST", path, { headers: { "content-type": type, ...json }, body });
  const boundary = "multipart/form-data; boundary=x";
  const part = (key: string, value: string, more = "") =>
    `--x\r\ncontent-disposition: form-data; name="${key}"${more}\r\n\r\n${value}\r\n`;
  const manyNames = Array.from({ length: 1_500 }, (_, index) => part(`${index}${"a".repeat(800)}`, ""));
  /** A post of this length; only its start is sent. */
  const begin = (path: string, length: number, start: string) => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    const lines = [
      `POST ${path} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      "accept: text/html",
      `content-type: ${boundary}`,
      `content-length: ${length}`,
    ];
    let reply = "";
    socket.on("data", (data) => (reply += data));
    socket.write(`${lines.join("\r\n")}\r\n\r\n${start}`);
    return { socket, reply: () => reply };
  };

  test.each([
    ["multipart/form-data; x=y", part("name", "Ada"), "bad_request"],
    [boundary, part("name", "Ada"), "bad_request"],
    [boundary, "nothing", "bad_request"],
    [boundary, `${part("a", "1").repeat(10_000)}--x--\r\n`, "bad_request"],
    [boundary, `${part("a".repeat(20_000), "")}--x--\r\n`, "bad_request"],
    [boundary, `${part("cv", "%PDF-", "; filename*=UTF-8''%ff")}--x--\r\n`, "bad_request"],
    [boundary, `${part("name", "a".repeat(1_100_000))}--x--\r\n`, "payload_too_large"],
    [boundary, `${part("name", "ä".repeat(250_000))}--x--\r\n`, "payload_too_large"],
    [boundary, `${manyNames.join("")}--x--\r\n`, "payload_too_large"],
  ])(
    "is refused: without a boundary or an end, with too many parts or characters: %#",
    async (type, body, code) => {
      expect((await postText(pathOf(await published()), type, body)).body.code).toBe(code);
    },
  );

  test("whose part has no headers is not a server error", async () => {
    const { body } = await postText(pathOf(await published()), boundary, `--x\r\n\r\n\r\n--x--\r\n`);
    expect(body.code).not.toBe("internal_error");
  });

  test("is refused before it is read if the page does not exist, or the body is too large", async () => {
    const form = await published();
    const hidden = await makeForm(app, team, [cv]);
    expect((await postText(pathOf(hidden), boundary, part("name", "Ada"))).status).toBe(404);
    const { socket, reply } = begin(pathOf(form), 100_000_000, "");
    await until(() => reply().startsWith("HTTP/1.1 413"));
    socket.destroy();
  });

  test("of the script gets its values back before a file has arrived for which the team has no room", async () => {
    const full = await makeTeam(app);
    await sql`insert into formd.file_totals (team_id, bytes) values (${full.id}, 1e15)`;
    const { published: publishFor, pathOf: pathFor } = formsOf(app, full);
    const path = pathFor(await publishFor([name, anything]));
    const values = `${part("name", "Ada L.")}${part("formd.remove", "")}`;
    const start = `${values}${part("any", "a".repeat(100_000), '; filename="a.txt"')}`;
    const { socket, reply } = begin(`${path}/steps`, 250_000, start);
    await until(() => reply().includes("there is no space left for files") && reply().includes("Ada L."));
    socket.destroy();
    // A browser names the file that a button removes, and sends values after files.
    const mixed = `${part("formd.remove", crypto.randomUUID())}${part("any", "a", '; filename="a.txt"')}${part("name", "Grace H.")}--x--\r\n`;
    const headers = { "content-type": boundary };
    const shown = await ask(app, "POST", path, { headers, body: mixed });
    expect(JSON.stringify(shown.body)).toContain("Grace H.");
  });

  test("leaves neither bytes nor a row when it breaks off in a file", async () => {
    const form = await published([anything]);
    const objects = app.objects().length;
    const body = part("any", "a".repeat(200_000), '; filename="a.txt"');
    const { socket } = begin(pathOf(form), body.length + 10, body.slice(0, 150_000));
    await until(() => app.objects().length === objects + 1);
    socket.destroy();
    await until(() => app.objects().length === objects);
    const left = () => sql`select from formd.files where form_id = ${form.id}`;
    await until(async () => (await left()).length === 0);
  });
});

test("an operator lists and downloads the files of a submission, and one of another team does not", async () => {
  const form = await published();
  await postParts(pathOf(form), [["name", "Ada"], cvOf(pdf, '<b>"ä.pdf')]);
  const [row] = await sql<{ id: string; cv: { id: string }[] }[]>`
    select id, data -> 'cv' as cv from formd.submissions where form_id = ${form.id}`;
  const page = `/console/forms/${form.id}/submissions/${row?.id}`;
  const address = `${page}/files/${row?.cv[0]?.id}`;
  const viewer = await browserOf(app, team, "viewer");
  const shown = await viewer.get(page);
  expect(shown.html).toContain(`href="${address}"`);
  expect(shown.html).not.toContain("<b>");
  const download = (of: Browser) => fetch(app.url + address, { headers: { cookie: of.cookie } });
  const reply = await download(viewer);
  expect(new Uint8Array(await reply.arrayBuffer())).toEqual(pdf);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "content-disposition": expect.stringMatching(/^attachment;/),
  });
  expect(await sql`select from formd.audit_events where kind = 'file.downloaded'`).toHaveLength(1);
  const others = [await browserOf(app, await makeTeam(app), "admin"), new Browser(app)];
  for (const other of others) expect([401, 404]).toContain((await download(other)).status);
  const editor = await browserOf(app, team, "editor");
  expect((await editor.get(`${page}/edit`)).status).toBe(200);
});
