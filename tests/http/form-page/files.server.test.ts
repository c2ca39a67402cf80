/** Files on the page of a form, as a browser without a script sends them. */
import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { until } from "../../expect.ts";
import { ask, freshIp, makeForm, makeTeam, type PublishedForm, type Team } from "../../setup.ts";
import { Browser } from "../console/browser.ts";
import { browserOf } from "../console/fixture.ts";
import { anything, cv, type FileService, fileService, pdf, png } from "../files/fixture.ts";
import { getPage, pathIn, postForm } from "./fixture.ts";

let app: FileService;
let team: Team;
beforeAll(async () => {
  app = await fileService({ FILES_MAX_BYTES: "300000" });
  team = await makeTeam(app);
});

const name = { id: "name", type: "text", label: "Name", required: true };
const published = (fields: object[] = [name, cv], page: object = {}) =>
  makeForm(app, team, fields, { settings: { page: { enabled: true, ...page } } });
const stored = async (form: PublishedForm) =>
  (
    await app.database.sql<{ data: Record<string, unknown> }[]>`
      select data from formd.submissions where form_id = ${form.id}`
  ).map(({ data }) => data);

const decoded = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

/** What a browser would send of a page, beside what is entered. */
const hiddenIn = (text: string): [string, string][] =>
  [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, key, value]) => [
    decoded(key ?? ""),
    decoded(value ?? ""),
  ]);

type Part = [name: string, value: string | File];
const file = (bytes: Uint8Array, fileName: string) => new File([bytes as never], fileName);

async function send(path: string, parts: Part[], headers: Record<string, string> = {}) {
  const body = new FormData();
  for (const [key, value] of parts) body.append(key, value);
  const response = await fetch(app.url + path, {
    method: "POST",
    body,
    headers: { accept: "text/html", "x-forwarded-for": freshIp(), ...headers },
    redirect: "manual",
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, hidden: hiddenIn(text) };
}

const open = async (form: PublishedForm) => {
  const path = pathIn(team, form);
  const page = await getPage(app, path);
  return { path, ...page, hidden: hiddenIn(page.text) };
};
const fileIds = (hidden: [string, string][], field = "cv") =>
  hidden.filter(([key]) => key === field).map(([, value]) => JSON.parse(value).id as string);
const rows = (ids: string[]) =>
  app.database.sql<{ state: string }[]>`select state from formd.files where id = any (${ids})`;

describe("a form with a file", () => {
  test("of a page that refuses programs that declare themselves, stores none of theirs", async () => {
    const form = await published([cv], { agents: "refuse" });
    const rows = () => app.database.sql`select from formd.files where form_id = ${form.id}`;
    const declared = { "signature-input": 'sig1=("@authority");tag="web-bot-auth"' };
    const post = async (headers: Record<string, string>) =>
      (await send(pathIn(team, form), [["cv", file(pdf, "cv.pdf")]], headers)).status;
    expect([await post(declared), (await rows()).length]).toEqual([403, 0]);
    expect([await post({}), (await rows()).length]).toEqual([303, 1]);
  });

  test("takes it with the form, keeps it through an error, and stores it with the submission", async () => {
    const form = await published();
    const { path, text, hidden } = await open(form);
    expect(text).toContain('enctype="multipart/form-data"');
    expect(text).toMatch(/<input type="file"[^>]*accept="application\/pdf,image\/\*"/);
    const refused = await send(path, [...hidden, ["name", ""], ["cv", file(pdf, 'my "cv" ä.pdf')]]);
    expect(refused.status).toBe(422);
    expect(decoded(refused.text)).toContain('my "cv" ä.pdf');
    expect(refused.text).toContain("formd.remove");
    const [id = ""] = fileIds(refused.hidden);
    expect((await rows([id]))[0]?.state).toBe("uploaded");
    const sent = await send(path, [...refused.hidden, ["name", "Ada"], ["cv", file(new Uint8Array(), "")]]);
    expect(sent.status).toBe(303);
    const [data] = await stored(form);
    expect(data).toEqual({
      name: "Ada",
      cv: [
        {
          id,
          name: 'my "cv" ä.pdf',
          size: pdf.length,
          type: "application/pdf",
          sha256: new Bun.CryptoHasher("sha256").update(pdf).digest("hex"),
        },
      ],
    });
    expect((await rows([id]))[0]?.state).toBe("claimed");
    const after = await getPage(app, sent.headers.get("location") ?? "");
    expect(after.text).toContain(`${pdf.length} bytes`);
    expect(after.text).not.toMatch(/[0-9a-f]{64}/);
  });

  test("shows it again without what is removed, and keeps the rest", async () => {
    const form = await published();
    const { path, hidden } = await open(form);
    const both: Part[] = [
      ["cv", file(pdf, "a.pdf")],
      ["cv", file(png, "b.png")],
    ];
    const first = await send(path, [...hidden, ["name", ""], ...both]);
    const [one = "", two = ""] = fileIds(first.hidden);
    const action = /formaction="([^"]*)"/.exec(first.text)?.[1] ?? "";
    expect(action).toBe(`${path}/steps`);
    const second = await send(action, [
      ...first.hidden,
      ["name", "Grace"],
      ["formd.remove", one],
      ["cv", file(new Uint8Array(), "")],
    ]);
    expect(second.status).toBe(200);
    expect(fileIds(second.hidden)).toEqual([two]);
    expect(second.text).toContain('value="Grace"');
    expect((await send(path, [...second.hidden, ["name", "Grace"]])).status).toBe(303);
    expect((await stored(form))[0]?.cv).toMatchObject([{ id: two }]);
    expect(await rows([one])).toMatchObject([{ state: "uploaded" }]);
  });

  test("says what is wrong with one that is not taken, and keeps the other", async () => {
    const form = await published([name, cv, anything]);
    const { path, hidden } = await open(form);
    const parts = (wrong: File): Part[] => [
      ...hidden,
      ["name", "Ada"],
      ["cv", wrong],
      ["any", file(png, "b.png")],
    ];
    const text = await send(path, parts(file(new TextEncoder().encode("hello"), "cv.pdf")));
    expect([text.status, fileIds(text.hidden), fileIds(text.hidden, "any").length]).toEqual([422, [], 1]);
    expect(text.text).toContain("is of another type than the end of its name says");
    const empty = await send(path, parts(file(new Uint8Array(), "cv.pdf")));
    expect([empty.status, empty.text.includes("is empty")]).toEqual([422, true]);
    const zip = await send(path, parts(file(Uint8Array.of(80, 75, 5, 6, ...new Uint8Array(18)), "cv.zip")));
    expect([zip.status, zip.text.includes("is of a type that is not accepted")]).toEqual([422, true]);
    const large = await send(path, parts(file(new Uint8Array(200_000), "cv.pdf")));
    expect(large.status).toBe(422);
    expect(large.text).toContain("is too large: it may have at most 97.7 KiB");
    expect(fileIds(large.hidden, "any")).toHaveLength(1);
    const json = await send(path, parts(file(png, "cv.pdf")), { accept: "application/json" });
    expect([json.status, JSON.parse(json.text).errors[0].code]).toEqual([422, "type_not_accepted"]);
    expect(await stored(form)).toEqual([]);
  });

  test("whose part has no name is taken all the same", async () => {
    const form = await published([name, cv, anything]);
    const { path } = await open(form);
    const part = (disposition: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
    const pdfText = new TextDecoder().decode(pdf);
    const unnamed = [part('name="cv"; filename=""', pdfText), part('name="any"; filename=""', "")].join("");
    const reply = await fetch(app.url + path, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x", accept: "application/json" },
      body: `${part('name="name"', "Ada")}${unnamed}--x--\r\n`,
    });
    expect([reply.status, await stored(form)]).toMatchObject([
      200,
      [{ name: "Ada", cv: [{ name: "file", size: pdf.length, type: "application/pdf" }] }],
    ]);
  });

  test("is required where the field is, and may have as many as the field says", async () => {
    const form = await published([{ ...cv, required: true }]);
    const { path, hidden } = await open(form);
    const none = await send(path, [...hidden, ["cv", file(new Uint8Array(), "")]]);
    expect([none.status, none.text.includes("Choose a file for")]).toEqual([422, true]);
    const three = Array.from({ length: 3 }, (_, index): Part => ["cv", file(pdf, `${index}.pdf`)]);
    const many = await send(path, [...hidden, ...three]);
    expect([many.status, many.text.includes("takes at most 2 files")]).toEqual([422, true]);
    const eleven = Array.from({ length: 11 }, (_, index): Part => ["cv", file(pdf, `${index}.pdf`)]);
    expect(fileIds((await send(path, [...hidden, ...eleven])).hidden)).toHaveLength(10);
  });

  test("beside a matrix whose rows have long ids is sent as well", async () => {
    const row = "ä%.".repeat(150);
    const matrix = { id: "m", type: "matrix", label: "M", rows: [row], columns: ["good", "bad"] };
    const form = await published([matrix, cv]);
    const { path, text, hidden } = await open(form);
    const control = decoded(/type="radio"[^>]* name="([^"]*)"/.exec(text)?.[1] ?? "");
    const sent = await send(path, [...hidden, [control, "good"], ["cv", file(pdf, "cv.pdf")]]);
    expect([sent.status, await stored(form)]).toMatchObject([303, [{ m: { [row]: "good" } }]]);
  });

  test("sent twice is one submission", async () => {
    const form = await published();
    const { path, hidden } = await open(form);
    const parts: Part[] = [...hidden, ["name", "Ada"], ["cv", file(pdf, "cv.pdf")]];
    const [first, second] = [await send(path, parts), await send(path, parts)];
    const reference = /reference=[^&]*/;
    expect(first.status).toBe(303);
    expect(reference.exec(second.headers.get("location") ?? "")?.[0]).toBe(
      reference.exec(first.headers.get("location") ?? "")?.[0] ?? "",
    );
    expect(await stored(form)).toHaveLength(1);
  });

  test("is not that of another page, nor of one without a key", async () => {
    const form = await published();
    const { path, hidden } = await open(form);
    const kept = (await send(path, [...hidden, ["cv", file(pdf, "cv.pdf")]])).hidden;
    const foreign = (await open(form)).hidden.concat(kept.filter(([key]) => key === "cv"));
    const other = await send(path, [...foreign, ["name", "Eve"]]);
    expect([other.status, other.text.includes("is no longer there")]).toEqual([422, true]);
    const [claimed] = kept.filter(([key]) => key === "cv");
    const without = await postForm(app, path, { name: "Eve", cv: claimed?.[1] ?? "" });
    expect(without.status).toBe(422);
    expect(await stored(form)).toEqual([]);
    expect((await send(path, [...kept, ["name", "Ada"]])).status).toBe(303);
  });

  test("takes one of a program that sends no key", async () => {
    const form = await published();
    const path = pathIn(team, form);
    const parts: Part[] = [
      ["cv", file(pdf, "cv.pdf")],
      ["name", "Ada"],
    ];
    const reply = await send(path, parts, { accept: "application/json" });
    expect([reply.status, JSON.parse(reply.text).data.status]).toEqual([200, "completed"]);
    const late = await send(path, [...parts, ["formd.key", "a"]], { accept: "application/json" });
    expect(late.status).toBe(400);
    for (const key of ["", "no key", "a".repeat(65)]) {
      const refused = await send(path, [["formd.key", key], ...parts], { accept: "application/json" });
      expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, "bad_request"]);
    }
    const described = await ask(app, "GET", path, { headers: { accept: "application/json" } });
    expect(described.body.data.submit).toMatchObject({
      contentType: "multipart/form-data",
      names: { cv: ["cv"] },
    });
  });

  test("in steps carries it to the values to check, and to a newer version", async () => {
    const page = { layout: "steps" };
    const fields = [cv, { id: "more", type: "page_break", label: "You" }, name];
    const form = await published(fields, page);
    const { path, hidden } = await open(form);
    const steps = `${path}/steps`;
    const second = await send(steps, [...hidden, ["cv", file(pdf, "cv.pdf")]]);
    expect(second.text).toContain('name="name"');
    const check = await send(steps, [...second.hidden, ["name", "Ada"]]);
    expect(check.text).toContain(`cv.pdf, ${pdf.length} bytes`);
    const back = await send(steps, [...check.hidden, ["formd.goto", "1"]]);
    const [id = ""] = fileIds(back.hidden);
    const removed = await send(steps, [...back.hidden, ["formd.remove", id]]);
    expect([removed.status, fileIds(removed.hidden)]).toEqual([200, []]);
    expect(removed.text).toContain("Step 1 of 2");
    await app.database
      .sql`update formd.forms set schema = ${JSON.stringify({ fields: [...fields, { id: "note", type: "text", label: "Note" }] })}::text::jsonb where id = ${form.id}`;
    await publishForm(app.database.sql, cliActor, team.id, form.id);
    const changed = await send(path, check.hidden);
    expect(changed.status).toBe(409);
    const [, last] = [changed, await send(steps, changed.hidden)];
    const sent = await send(path, last.hidden.concat([["name", "Ada"]]));
    expect([sent.status, (await stored(form)).map((data) => data.cv)]).toEqual([303, [[expect.any(Object)]]]);
  });
});

describe("a post that is no such form", () => {
  const post = (path: string, type: string, body: string) =>
    ask(app, "POST", path, { headers: { "content-type": type, accept: "application/json" }, body });
  const boundary = "multipart/form-data; boundary=x";
  const part = (key: string, value: string, more = "") =>
    `--x\r\ncontent-disposition: form-data; name="${key}"${more}\r\n\r\n${value}\r\n`;
  /** A post of this length of which only the start is sent. */
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

  test("is refused: without a boundary or an end, with too many parts or characters", async () => {
    const path = pathIn(team, await published());
    const code = async (type: string, body: string) => (await post(path, type, body)).body.code;
    expect(await code("multipart/form-data; x=y", part("name", "Ada"))).toBe("bad_request");
    expect(await code(boundary, part("name", "Ada"))).toBe("bad_request");
    expect(await code(boundary, "nothing")).toBe("bad_request");
    expect(await code(boundary, `--x\r\n\r\n\r\n--x--\r\n`)).not.toBe("internal_error");
    expect(await code(boundary, `${part("a", "1").repeat(10_000)}--x--\r\n`)).toBe("bad_request");
    expect(await code(boundary, `${part("name", "a".repeat(1_100_000))}--x--\r\n`)).toBe("payload_too_large");
    const named = Array.from({ length: 1_500 }, (_, index) => part(`${index}${"a".repeat(800)}`, ""));
    expect(await code(boundary, `${named.join("")}--x--\r\n`)).toBe("payload_too_large");
    expect(await code(boundary, `${part("a".repeat(20_000), "")}--x--\r\n`)).toBe("bad_request");
    const encoded = part("name", "ä".repeat(250_000));
    expect(await code(boundary, `${encoded}--x--\r\n`)).toBe("payload_too_large");
    const malformed = part("cv", "%PDF-", "; filename*=UTF-8''%ff");
    expect(await code(boundary, `${malformed}--x--\r\n`)).toBe("bad_request");
  });

  test("is refused before it is read where there is no such page, or the body is too large", async () => {
    const form = await published();
    const hidden = await makeForm(app, team, [cv]);
    expect((await post(pathIn(team, hidden), boundary, part("name", "Ada"))).status).toBe(404);
    const { socket, reply } = begin(pathIn(team, form), 100_000_000, "");
    await until(() => reply().startsWith("HTTP/1.1 413"));
    socket.destroy();
  });

  test("of the script gets its values back before a file has arrived for which the team has no room", async () => {
    const full = await makeTeam(app);
    await app.database.sql`insert into formd.file_totals (team_id, bytes) values (${full.id}, 1e15)`;
    const form = await makeForm(app, full, [name, anything], { settings: { page: { enabled: true } } });
    const values = `${part("name", "Ada L.")}${part("formd.remove", "")}`;
    const start = `${values}${part("any", "a".repeat(100_000), '; filename="a.txt"')}`;
    const { socket, reply } = begin(`${pathIn(full, form)}/steps`, 250_000, start);
    await until(() => reply().includes("there is no more room for files") && reply().includes("Ada L."));
    socket.destroy();
    // A browser names the file that a button removes, and sends values after files.
    const mixed = `${part("formd.remove", crypto.randomUUID())}${part("any", "a", '; filename="a.txt"')}${part("name", "Grace H.")}--x--\r\n`;
    const headers = { "content-type": boundary };
    const shown = await ask(app, "POST", pathIn(full, form), { headers, body: mixed });
    expect(JSON.stringify(shown.body)).toContain("Grace H.");
  });

  test("leaves neither bytes nor a row when it breaks off in a file", async () => {
    const form = await published([anything]);
    const objects = app.objects().length;
    const body = part("any", "a".repeat(200_000), '; filename="a.txt"');
    const { socket } = begin(pathIn(team, form), body.length + 10, body.slice(0, 150_000));
    await until(() => app.objects().length === objects + 1);
    socket.destroy();
    await until(() => app.objects().length === objects);
    const left = () => app.database.sql`select from formd.files where form_id = ${form.id}`;
    await until(async () => (await left()).length === 0);
  });
});

test("an operator lists and downloads the files of a submission, and one of another team does not", async () => {
  const form = await published();
  const path = pathIn(team, form);
  await send(path, [
    ["name", "Ada"],
    ["cv", file(pdf, '<b>"ä.pdf')],
  ]);
  const [row] = await app.database.sql<{ id: string; cv: { id: string }[] }[]>`
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
  const { headers } = reply;
  expect(headers.get("content-type")).toBe("application/octet-stream");
  expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-disposition")).toStartWith("attachment;");
  const events = await app.database.sql`select from formd.audit_events where kind = 'file.downloaded'`;
  expect(events).toHaveLength(1);
  const others = [await browserOf(app, await makeTeam(app), "admin"), new Browser(app)];
  for (const other of others) expect([401, 404]).toContain((await download(other)).status);
  const edit = await viewer.get(`${page}/edit`);
  expect(edit.status).toBe(200);
});
