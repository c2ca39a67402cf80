// stacks: one deno
import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, formd, makeAgent, makeForm, makeTeam, permissive, service, temporaryFolder } from "../setup.ts";
import { digestOf, makeSigner, newKey, now, type Recipe, signed, unsigned } from "../signing.ts";

const path = "/papi/v1/submitter/form/validation";
const body = '{"data":{"email":"ada@example.org"}}';

const app = await service(permissive);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
const key = await makeSigner(app, team, (await makeAgent(app, team, form)).id);
const url = app.url + path;
const directory = temporaryFolder();
const keyFile = write("key.pem", key.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
const publicFile = write("public.pem", key.pem);

function write(name: string, text: string): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}
const run = async (...args: string[]) => await formd(["sign", ...args]);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};
/** Runs what fails with this code, for this reason in one line. @returns what it says */
async function failed(args: string[], code: number, message: RegExp): Promise<string> {
  const ran = await run(...args);
  expect([args, ran.code, ran.stdout]).toEqual([args, code, ""]);
  expect(ran.stderr).toMatch(message);
  if (code === 1) expect(ran.stderr).toMatch(/^formd: [^\n]*\n$/);
  return ran.stderr;
}
const post = () => ["post", url, "--key", keyFile, "--access-key", form.accessKey, "--data", body];

describe("formd sign METHOD URL", () => {
  test("signs what the server accepts, under the key's own id", async () => {
    const { headers, base } = await json(...post());
    expect(Object.keys(headers)).toEqual([
      "x-form-access-key",
      "content-type",
      "content-digest",
      "signature-input",
      "signature",
    ]);
    expect(base).toStartWith(
      `"@method": POST\n"@authority": ${new URL(url).host}\n"@path": ${path}\n"x-form-access-key": ${form.accessKey}\n`,
    );
    expect(base).toEndWith(`"@signature-params": ${headers["signature-input"].slice(5)}`);
    expect(headers["signature-input"]).toContain(`;keyid="${key.id}";alg="ed25519";nonce="`);
    expect((await ask(app, "POST", path, { headers, body })).body.data.valid).toBe(true);
    expect((await ask(app, "POST", path, { headers, body })).status).toBe(401);
  });

  test("without --json prints the headers, the base and the same curl over several lines", async () => {
    const { code, stdout } = await run(...post());
    expect(code).toBe(0);
    const [, headers = "", base = "", curl = ""] =
      /^# headers\n(.*)\n\n# signature base\n(.*)\n\n# valid once, for 5 minutes\n(.*)\n$/s.exec(stdout) ??
      [];
    expect(headers).toMatch(/^signature: sig1=:/m);
    expect(base).toStartWith('"@method": POST\n');
    expect(JSON.parse(execFileSync("sh", ["-c", `${curl} -sS`]).toString()).data.valid).toBe(true);
  });

  test("reads the body from a file, quotes and all", async () => {
    const text = `{"data":{"email":"it's \\"me\\"\\n$(true)@example.org"}}`;
    const { headers, curl } = await json(...post().slice(0, -1), `@${write("body.json", text)}`);
    expect(headers["content-digest"]).toBe(digestOf(text));
    expect(JSON.parse(execFileSync("sh", ["-c", `${curl} -sS`]).toString()).data).toMatchObject({
      valid: false,
      errors: [{ code: "format" }],
    });
  });

  test("without a body or an access key covers neither, and drops a default port", async () => {
    const key = ["--key", keyFile, "--key-id", "key_0123456789abcdef"];
    const { headers, base } = await json("get", "HTTPS://Forms.Example:443/a%20b?c=d", ...key);
    expect(Object.keys(headers)).toEqual(["signature-input", "signature"]);
    expect(base).toStartWith(
      '"@method": GET\n"@authority": forms.example\n"@path": /a%20b\n"@signature-params": ("@method" "@authority" "@path");',
    );
    expect(base).toContain('keyid="key_0123456789abcdef"');
  });

  test("what cannot be signed fails with one line, which never shows the key", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();
    const cases: [args: string[], code: number, message: RegExp][] = [
      [["POST", url], 2, /--key/],
      [["POST"], 2, /missing METHOD, URL or --key/],
      [[], 2, /missing METHOD, URL or --key/],
      [["POST", "forms", "--key", keyFile], 1, /forms is not an absolute URL/],
      [["POST", url, "--key", join(directory, "none.pem")], 1, /none\.pem/],
      [["POST", url, "--key", write("rsa.pem", rsa)], 1, /openssl genpkey -algorithm ed25519/],
      [["POST", url, "--key", publicFile], 1, /./],
      [["POST", url, "--key", keyFile, "--data", `@${join(directory, "none.json")}`], 1, /none\.json/],
    ];
    for (const [args, code, message] of cases)
      expect(await failed(args, code, message)).not.toContain(rsa.split("\n")[1] ?? "");
  });
});

describe("formd sign --explain", () => {
  const captured = ({
    recipe = {} as Recipe,
    by = key,
    headers = {} as Record<string, string>,
    text = body,
  } = {}) => {
    const request = signed(by, unsigned(app, path, form, JSON.parse(body)), recipe);
    return {
      method: request.method,
      url,
      headers: { ...request.headers, ...headers },
      body: text as string | object,
    };
  };
  const explain = (request: object, ...args: string[]) =>
    json("--explain", write(`${crypto.randomUUID()}.json`, JSON.stringify(request)), ...args);

  const steps: [step: string | null, request: () => object, advice: RegExp][] = [
    [null, () => captured(), /^Every step passes\.$/],
    [null, () => ({ ...captured(), method: "post", body: JSON.parse(body) }), /^Every step passes\.$/],
    ["signature-input", () => captured({ headers: { "signature-input": "sig2=()" } }), /sig1/],
    ["signature", () => captured({ headers: { signature: "sig1=:AAAA:" } }), /64 bytes/],
    ["components", () => captured({ recipe: { components: ["@method", "@path"] } }), /@authority/],
    ["parameters", () => captured({ recipe: { parameters: { nonce: null } } }), /nonce/],
    ["created", () => captured({ recipe: { parameters: { created: String(now() - 301) } } }), /300 seconds/],
    ["content-digest", () => captured({ text: `${body}\n` }), /exact bytes/],
    ["key", () => captured({ by: newKey() }), /SHA-256 of the PEM/],
    ["verify", () => captured({ recipe: { values: { "@method": "PUT" } } }), /compare the base/],
  ];
  test.each(steps)("%s", async (step, request, advice) => {
    const explanation = await explain(request(), "--public-key", publicFile);
    expect(explanation).toMatchObject({ ok: step === null, step, advice: expect.stringMatching(advice) });
    if (!["signature-input", "signature"].includes(step ?? ""))
      expect(explanation.base).toContain('"@method": POST\n');
  });

  test("without a public key it checks the other steps, and reports the missing key", async () => {
    const explanation = await explain(captured({ recipe: { values: { "@method": "PUT" } } }));
    expect(explanation).toMatchObject({
      ok: true,
      step: null,
      advice: expect.stringContaining("--public-key"),
    });
  });

  test("checks at another time, and with the captured Host", async () => {
    const at = 1_700_000_000;
    const old = captured({ recipe: { parameters: { created: String(at) } } });
    expect((await explain(old, "--at", String(at + 300))).ok).toBe(true);
    expect((await explain(old, "--at", String(at + 301))).step).toBe("created");
    const request = { ...captured(), url: `https://proxy.example${path}` };
    const headers = { ...request.headers, Host: new URL(url).host.toUpperCase() };
    expect((await explain(request, "--public-key", publicFile)).step).toBe("verify");
    expect((await explain({ ...request, headers }, "--public-key", publicFile)).ok).toBe(true);
  });

  test("in a challenge response the access key is optional", async () => {
    const response = signed(
      key,
      unsigned(app, `/papi/v1/submitter/challenges/${crypto.randomUUID()}/responses`, null, { answer: 1 }),
    );
    const request = { ...response, url: app.url + response.path };
    expect((await explain(request, "--public-key", publicFile)).ok).toBe(true);
    expect((await explain({ ...request, url })).step).toBe("components");
  });

  test("without --json prints the step, what to check, and the base", async () => {
    const request = captured({ recipe: { parameters: { alg: '"rsa"' } } });
    const file = write("captured.json", JSON.stringify(request));
    const { stdout, code } = await run("--explain", file);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^fails at: parameters\nNeeded are [^\n]*\n\n# expected signature base\n"@method": POST\n/,
      ),
    ]);
  });

  test("what cannot be explained fails with one line", async () => {
    const cases: [args: string[], code: number, message: RegExp][] = [
      [[join(directory, "none.json")], 1, /none\.json/],
      [[write("a.json", "{")], 1, /JSON/],
      [[write("b.json", "{}")], 1, /captured request: headers must be an object/],
      [[write("c.json", '{"method":"GET","url":"x","headers":{}}')], 1, /x is not an absolute URL/],
      [[write("d.json", JSON.stringify(captured())), "--public-key", keyFile], 1, /publicKeyPem|key/],
      [[write("e.json", JSON.stringify(captured())), "--at", "noon"], 2, /--at/],
    ];
    for (const [args, code, message] of cases) await failed(["--explain", ...args], code, message);
  });
});
