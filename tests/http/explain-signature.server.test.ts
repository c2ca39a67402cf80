// stacks: one
/** `/developer/sign`: what is wrong with a signed request, for the one who signed it. */
import { expect, test } from "bun:test";
import { ask, freshIp, service } from "../setup.ts";
import { newKey, now, type Recipe, signed, unsigned } from "../signing.ts";

const path = "/papi/v1/submitter/form/submissions";
const query = "?partial=true";
const key = newKey();
const app = await service({ RATE_LIMIT_MANAGEMENT_PER_MINUTE: "30" });

/** A signed request as `curl -v` prints it, or as it is on the connection. */
function pasted(recipe: Recipe = {}, prefix = "> "): string {
  const request = unsigned(app, path, null, { data: { n: 1 } });
  request.headers["x-form-access-key"] = `fak_${"a".repeat(32)}`;
  const { method, headers, body } = signed(key, request, recipe);
  const lines = Object.entries({ Host: new URL(app.url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`${method} ${path}${query} HTTP/1.1`, ...lines, ""].map((line) => prefix + line);
  return `${head.join("\r\n")}\r\n${body}`;
}
async function explain(
  request: string,
  fields: Record<string, string> = { publicKey: key.pem },
  ip = freshIp(),
) {
  const reply = await fetch(`${app.url}/developer/sign`, {
    method: "POST",
    headers: { "x-forwarded-for": ip, accept: "text/html" },
    body: new URLSearchParams({ request, ...fields }),
  });
  const html = (await reply.text()).replaceAll("&quot;", '"');
  const [, heading = ""] = /<h2 id="result">([^<]*)</.exec(html) ?? [];
  const [, alert = ""] = /<p role="alert">([^<]*)</.exec(html) ?? [];
  return { status: reply.status, html, heading, alert };
}

test("the page has the form, and is in the list of pages", async () => {
  const { status, body } = await ask(app, "GET", "/developer/sign");
  expect(status).toBe(200);
  expect(body).toContain('<form method="post" action="/developer/sign">');
  expect((await ask(app, "GET", "/developer")).body).toContain('href="/developer/sign"');
});

test.each([
  ["as curl prints it", "> "],
  ["as it is sent", ""],
])("a valid signature is reported as valid, with what was signed: %s", async (_, prefix) => {
  const publicKey = key.pem.replaceAll("\n", "\r\n");
  const { heading, html } = await explain(pasted({}, prefix), { publicKey });
  expect(heading).toBe("Nothing is wrong with it");
  expect(html).toContain('"@path": /papi/v1/submitter/form/submissions\n');
});

const verifyFault = { values: { "@method": "PUT" } };
const old = { parameters: { created: String(now() - 301) } };
test.each<[string, string, Recipe, Record<string, string>]>([
  ["another method was signed", "It fails at: verify", verifyFault, { publicKey: key.pem }],
  ["without a key the signature is not verified", "Nothing is wrong with it", verifyFault, {}],
  ["it is of another key", "It fails at: key", {}, { publicKey: newKey().pem }],
  ["a component is missing", "It fails at: components", { components: ["@method", "@path"] }, {}],
  ["it is old", "It fails at: created", old, {}],
  ["it is old, and may be", "Nothing is wrong with it", old, { ignoresAge: "on" }],
])("%s: %s", async (_, heading, recipe, fields) => {
  expect((await explain(pasted(recipe), fields)).heading).toBe(heading);
});

test("a request for another host is explained, with that host", async () => {
  const { html } = await explain(pasted().replace(/Host: .*/, "Host: other.example"));
  expect(html).toContain("Its host is <code>other.example</code>");
});

test("a text that is not a request is shown again with the error, and changes nothing", async () => {
  for (const [request, fault] of [
    ["", /first line of a request/],
    ["hello", /“hello” is not the first line/],
    ["POST //[ HTTP/1.1\n\n", /first line/],
    ["POST / HTTP/1.1\nno header\n\n", /“no header” is not a header/],
    ["POST / HTTP/1.1\nx: \u0001\n\n", /is not a header/],
    ["POST / HTTP/1.1\nhost: a b\n\n<script>", /is not a header|fails at/],
  ] as const) {
    const { status, alert, heading, html } = await explain(request);
    expect([request, status, `${alert}${heading}`]).toEqual([request, 200, expect.stringMatching(fault)]);
    expect(html).not.toContain("<script>");
  }
  expect((await explain(pasted(), { publicKey: "x" })).alert).toContain("publicKeyPem must be one block");
});

test("a private key is refused, and not sent back", async () => {
  const pem = key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { alert, html } = await explain(pasted(), { publicKey: pem });
  expect(alert).toContain("This is a private key.");
  expect(html).not.toContain(pem.split("\n")[1] ?? "");
});

test("it costs strangers a bounded amount: 16 KiB, and as many as requests without a credential", async () => {
  expect((await explain("x".repeat(20_000))).status).toBe(413);
  const ip = freshIp();
  for (let turn = 0; turn < 30; turn++) expect((await explain("x", {}, ip)).status).toBe(200);
  expect((await explain("x", {}, ip)).status).toBe(429);
});
