// stacks: one months
/** Submissions with their files as a ZIP: by API and in the console. */
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { storageKey } from "../../../src/platform/files/store.ts";
import { outcome, until } from "../../expect.ts";
import { makeForm, makeTeam, temporaryFolder, testRequiring } from "../../setup.ts";
import { Browser } from "../console/browser.ts";
import { browserOf } from "../console/fixture.ts";
import { anything, byKey, cv, fileService, pdf, png, submit, submitFiles, upload } from "./fixture.ts";

const app = await fileService();
const team = await makeTeam(app);
const form = await makeForm(app, team, [cv, anything]);

/** A submission with these files of the field `any`. */
const submitted = (...files: [name: string, bytes: Uint8Array][]) =>
  submitFiles(app, form, team, "any", ...files);

const script = `import sys, zipfile, json
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({ name: archive.read(name).hex() for name in archive.namelist() }))`;
/** The entries of an archive, as Python reads them. */
async function entriesOf(reply: Response): Promise<Record<string, Uint8Array>> {
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/zip"]);
  const path = join(temporaryFolder(), "a.zip");
  writeFileSync(path, new Uint8Array(await reply.arrayBuffer()));
  const read: Record<string, string> = JSON.parse(
    execFileSync("python3", ["-c", script, path], { encoding: "utf8" }),
  );
  return Object.fromEntries(
    Object.entries(read).map(([name, hex]) => [name, new Uint8Array(Buffer.from(hex, "hex"))]),
  );
}

const exported = (query: string, key = team.key, of = form) =>
  fetch(`${app.url}/papi/v1/management/forms/${of.id}/submissions/export?${query}`, {
    headers: { "x-api-key": key },
  });
const downloads = async (ids: string[]) =>
  (
    await app.database.sql`
      select from formd.audit_events where kind = 'file.downloaded' and object_id = any (${ids})`
  ).length;

testRequiring("python3")("an export has the list and the files, each under a name that is safe", async () => {
  const one = await submitted(["a.pdf", pdf], ["a.pdf", pdf], ["..", pdf]);
  const two = await submitted(['ä:<b>"|?*.png', png], [`${"履".repeat(250)}.png`, png]);
  const none = await submitted();
  const entries = await entriesOf(await exported("format=jsonl&files=zip"));
  const { "submissions.jsonl": list, ...files } = entries;
  const lines = new TextDecoder().decode(list).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual([one.id, two.id, none.id].sort());
  expect(files).toEqual({
    [`${one.id}/1 a.pdf`]: pdf,
    [`${one.id}/2 a.pdf`]: pdf,
    [`${one.id}/3 ..`]: pdf,
    [`${two.id}/1 ä__b_____.png`]: png,
    // A file system takes 255 bytes.
    [`${two.id}/2 ${"履".repeat(78)}.png`]: png,
  });
  expect(await downloads([...one.files, ...two.files])).toBe(5);
  const inFormat = async (format: string) =>
    (await entriesOf(await exported(`format=${format}&files=zip&status=completed`)))[`submissions.${format}`];
  expect(await inFormat("csv")).toBeDefined();
  const { sheets } = await readXlsx((await inFormat("xlsx")) ?? new Uint8Array());
  expect(sheets.map(({ rows }) => rows.slice(1).map((row) => row.includes(none.id)))).toEqual(
    [0, 1].map(() => [true, false, false]),
  );
  expect((await exported("format=csv&files=tar")).status).toBe(400);
  const foreign = await exported("format=csv&files=zip", (await makeTeam(app)).key);
  expect(foreign.status).toBe(404);
});

testRequiring("python3")("a file whose bytes are gone is named, and the others are there", async () => {
  const { id, files } = await submitted(["gone.pdf", pdf], ["here.pdf", pdf]);
  rmSync(join(app.directory, storageKey(team.id, files[0] ?? "")));
  const entries = await entriesOf(await exported("format=jsonl&files=zip"));
  expect(new TextDecoder().decode(entries["missing.txt"])).toBe(`${id}/1 gone.pdf (gone)\n`);
  expect(entries[`${id}/2 here.pdf`]).toEqual(pdf);
});

test("a storage that cannot be read cuts the export off, which would look complete without the file", async () => {
  const { files } = await submitted(["away.pdf", pdf]);
  const path = join(app.directory, storageKey(team.id, files[0] ?? ""));
  rmSync(path);
  symlinkSync(path, path);
  const reply = await exported("format=jsonl&files=zip");
  await expect(reply.arrayBuffer()).rejects.toThrow();
  rmSync(path);
});

testRequiring("python3")(
  "what a submitter makes look like a file in a field of another type is none",
  async () => {
    const own = await makeForm(app, team, [anything, { id: "x", type: "x-any", label: "X" }]);
    const headers = byKey(own, team);
    const { body } = await upload(app, headers, pdf, { field: "any", name: "a.pdf" });
    const forged = { id: body.data.id, sha256: "0".repeat(64) };
    const x = [forged, { ...forged, name: 1 }, { ...forged, id: 1, name: "b" }, { ...forged, name: "c" }];
    const reply = await submit(app, headers, { any: [{ id: body.data.id }], x });
    expect(outcome(reply)).toBe("ok");
    const entries = await entriesOf(await exported("format=jsonl&files=zip", team.key, own));
    expect(Object.keys(entries)).toEqual(["submissions.jsonl", `${reply.body.data.id}/1 a.pdf`]);
  },
);

test.skipIf(process.platform !== "linux")(
  "a reader who leaves closes the file that was being read",
  async () => {
    const own = await makeForm(app, team, [anything]);
    const large = new Uint8Array(9_000_000).fill(65);
    const { files } = await submitFiles(app, own, team, "any", ["a.txt", large]);
    const descriptors = `/proc/${app.process.pid}/fd`;
    const isOpen = () =>
      readdirSync(descriptors).some((each) => {
        try {
          return readlinkSync(`${descriptors}/${each}`).endsWith(files[0] as string);
        } catch {
          return false;
        }
      });
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    const path = `/papi/v1/management/forms/${own.id}/submissions/export?format=jsonl&files=zip`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-api-key: ${team.key}\r\n\r\n`);
    socket.once("data", () => socket.pause());
    await until(isOpen);
    socket.destroy();
    await until(() => !isOpen());
  },
);

testRequiring("python3")("the console has those of a filter, and those that are chosen", async () => {
  const [one, two] = [await submitted(["one.pdf", pdf]), await submitted(["two.pdf", pdf])];
  const viewer = await browserOf(app, team, "viewer");
  const list = `/console/forms/${form.id}/submissions`;
  const { html } = await viewer.get(list);
  expect(html).toContain(`href="${list}/export?files=zip"`);
  expect(html).toContain(`formaction="${list}/export"`);
  expect(html).not.toContain('name="chosen"');
  const get = (query: string, of = viewer) =>
    fetch(`${app.url}${list}/export?${query}`, { headers: { cookie: of.cookie } });
  const chosen = await entriesOf(await get(`files=chosen&submissions=${two.id}`));
  expect(Object.keys(chosen)).toEqual(["submissions.csv", `${two.id}/1 two.pdf`]);
  expect(new TextDecoder().decode(chosen["submissions.csv"])).not.toContain(one.id);
  expect(Object.keys(await entriesOf(await get("files=chosen")))).toEqual(["submissions.csv"]);
  expect(Object.keys(await entriesOf(await get("files=zip&before=2020-01-01")))).toEqual(["submissions.csv"]);
  expect(Object.keys(await entriesOf(await get("files=zip")))).toContain(`${one.id}/1 one.pdf`);
  expect((await get("files=chosen&submissions=x")).status).toBe(400);
  const elsewhere = await makeTeam(app);
  for (const other of [await browserOf(app, elsewhere, "admin"), new Browser(app)])
    expect([401, 404]).toContain((await get(`files=chosen&submissions=${two.id}`, other)).status);
  // A submission of another form is not found in this one.
  const foreign = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const path = `/console/forms/${foreign.id}/submissions`;
  const none = await fetch(`${app.url}${path}/export?files=chosen&submissions=${two.id}`, {
    headers: { cookie: viewer.cookie },
  });
  expect(Object.keys(await entriesOf(none))).toEqual(["submissions.csv"]);
  expect((await viewer.get(path)).html).not.toContain("files=zip");
});
