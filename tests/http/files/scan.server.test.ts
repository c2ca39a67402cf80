// stacks: one deno
/** Scanning by clamd: infected files, and files that wait while the scanner is absent. */
import { describe, expect } from "bun:test";
import { checkScanner } from "../../../src/platform/files/check.ts";
import { clamd, eicar } from "../../clamd.ts";
import { outcome, until } from "../../expect.ts";
import { ask, makeForm, makeTeam, testRequiring } from "../../setup.ts";
import { browserOf } from "../console/fixture.ts";
import { submissionPath } from "../submissions/fixture.ts";
import { anything, byKey, fileService, pdf, submitFiles, upload } from "./fixture.ts";

const test = testRequiring("clamd");

const scanner = await clamd();
const app = await fileService({ CLAMD_URL: scanner.url, FILES_MAX_BYTES: "4000000" });
const team = await makeTeam(app);
const form = await makeForm(app, team, [anything]);

const send = (bytes: Uint8Array, name: string) =>
  upload(app, byKey(form, team), bytes, { field: "any", name });
const scanOf = async (id: string) =>
  (
    await app.database.sql<{ scan: string; state: string }[]>`
    select scan, state from formd.files where id = ${id}`
  )[0];
async function submitted(bytes: Uint8Array, name: string) {
  const { id, files } = await submitFiles(app, form, team, "any", [name, bytes]);
  const file = files[0] as string;
  const path = submissionPath({ id, formId: form.id }, `/files/${file}`);
  return { file, page: `/console/forms/${form.id}/submissions/${id}`, path };
}
const download = async (path: string) =>
  await fetch(app.url + path, { headers: { "x-api-key": team.key } }).then(({ status }) => status);

describe("with a scanner", () => {
  test("a file is clean, and one with malware is refused and gone", async () => {
    await scanner.start();
    const clean = await submitted(pdf, "a.pdf");
    expect((await scanOf(clean.file))?.scan).toBe("clean");
    expect(await download(clean.path)).toBe(200);
    const objects = app.objects().length;
    const refused = await send(eicar, "a.txt");
    expect([outcome(refused), refused.body.errors]).toEqual([
      "422 validation_failed",
      [expect.objectContaining({ code: "type_not_accepted", constraint: "scan" })],
    ]);
    expect(app.objects()).toHaveLength(objects);
    await app.sweep();
    const events = await app.database.sql`
      select actor_type, details from formd.audit_events where kind = 'file.infected' and form_id = ${form.id}`;
    expect(events).toMatchObject([
      { actorType: "system", details: { malware: "Test.EICAR.UNOFFICIAL", submissionId: null } },
    ]);
    const left = () => app.database.sql`select from formd.files where scan = 'infected'`;
    await until(async () => (await left()).length === 0);
  });

  test("what it does not scan waits, and nobody downloads it", async () => {
    await scanner.start();
    const large = await submitted(new Uint8Array(3_000_000).fill(65), "a.txt");
    expect((await scanOf(large.file))?.scan).toBe("pending");
    expect(await download(large.path)).toBe(409);
    // TCP may lose what it says when it hangs up.
    expect(app.log()).toMatch(/INSTREAM size limit exceeded|its StreamMaxLength should be/);
  });

  test("what is beyond its limits of a scan waits: it is neither clean nor malware", async () => {
    await scanner.start();
    const large = await submitted(new Uint8Array(1_500_000).fill(65), "a.txt");
    expect((await scanOf(large.file))?.scan).toBe("pending");
    expect(await download(large.path)).toBe(409);
    expect(app.log()).toContain("Heuristics.Limits.Exceeded");
  });
});

test("a clamd that does not say what it has not scanned finds nothing clean", async () => {
  await scanner.stop();
  await scanner.start("no");
  const { file, path } = await submitted(pdf, "a.pdf");
  expect([(await scanOf(file))?.scan, await download(path)]).toEqual(["pending", 409]);
  expect(app.log()).toContain("clamd.conf needs AlertExceedsMax yes");
  const doctor = () => checkScanner(app.database.sql, app.files);
  expect(await doctor()).toMatchObject({ ok: false, message: expect.stringContaining("AlertExceedsMax") });
  await scanner.stop();
  await scanner.start();
  expect(await doctor()).toMatchObject({
    ok: true,
    isAdvice: true,
    message: expect.stringMatching(/^clamd scans files. Nobody can download \d+ files/),
  });
  await until(async () => /^formd_files_waiting [1-9]/m.test((await ask(app, "GET", "/metrics")).body));
});

test("without it files are taken and wait; once it is back, malware is found in them and deleted", async () => {
  await scanner.stop();
  const [clean, infected] = [await submitted(pdf, "a.pdf"), await submitted(eicar, "b.txt")];
  for (const { file, path } of [clean, infected]) {
    expect(await scanOf(file)).toEqual({ scan: "pending", state: "claimed" });
    const reply = await ask(app, "GET", path, { headers: { "x-api-key": team.key } });
    expect(outcome(reply)).toBe("409 conflict");
  }
  const viewer = await browserOf(app, team, "viewer");
  const shown = async (page: string) => (await viewer.get(page)).html;
  expect(await shown(clean.page)).toContain("Not scanned for malware yet");
  expect(await shown(clean.page)).not.toContain(`/files/${clean.file}`);
  await app.scan();
  expect((await scanOf(infected.file))?.scan).toBe("pending");
  await scanner.start();
  await app.scan();
  await until(async () => (await scanOf(infected.file))?.scan === "infected");
  await until(async () => (await scanOf(clean.file))?.scan === "clean");
  expect(await download(clean.path)).toBe(200);
  expect(await download(infected.path)).toBe(410);
  const events = await app.database.sql`
    select details ->> 'submissionId' as id from formd.audit_events where object_id = ${infected.file}`;
  expect(infected.path).toContain(events[0]?.id);
  expect(await shown(clean.page)).toContain(`/files/${clean.file}`);
  expect(await shown(infected.page)).toContain("Contained malware and was deleted.");
  expect(await shown(infected.page)).not.toContain(`/files/${infected.file}`);
  expect(app.objects()).toContain(clean.file);
  expect(app.objects()).not.toContain(infected.file);
});
