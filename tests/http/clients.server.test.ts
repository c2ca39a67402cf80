// stacks: one
/** The clients for agents in docs/clients, which people copy: one scenario, in each language. */
import { beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuid } from "../expect.ts";
import {
  ask,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  root,
  type Service,
  service,
  type Team,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";
import { makeSigningAgent } from "../signing.ts";
import { local, receiver } from "./webhooks/receiver.ts";

let app: Service;
let team: Team;
let form: PublishedForm;
beforeAll(async () => {
  app = await service({ ...permissive, ...local });
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail", required: true }]);
});

const typescript = `
import { Agent, FormdError, verifyReceipt, verifyWebhook } from "${join(root, "docs/clients/formd-agent.ts")}";
const given = JSON.parse(process.env.GIVEN);
const failure = async (work) => { try { await work(); return "ok"; } catch (error) { return error.message; } };
const print = (result) => console.log(JSON.stringify(result));
if (given.receipt) {
  const headers = new Headers(given.headers);
  const [receipt, key, body] = [given.receipt, given.key, given.body];
  print({
    receipt: await verifyReceipt(receipt, key, body),
    receiptFailures: [
      await failure(() => verifyReceipt(receipt.replace("form:", "FORM:"), key)),
      await failure(() => verifyReceipt(receipt, key, body + " ")),
      await failure(() => verifyReceipt(receipt, given.otherKey)),
      await failure(() => verifyReceipt("hello", key)),
    ],
    webhooks: await Promise.all(given.secrets.map((secret) => failure(() => verifyWebhook(headers, given.text, secret)))),
    webhookFailures: [
      await failure(() => verifyWebhook(headers, given.text + " ", given.secrets[0])),
      await failure(() => verifyWebhook(headers, given.text + " ", given.secrets[1])),
      await failure(() => verifyWebhook(new Headers({ ...given.headers, "webhook-timestamp": "1" }), given.text, given.secrets[0])),
      await failure(() => verifyWebhook(new Headers(), given.text, given.secrets[0])),
    ],
  });
} else {
  const agent = new Agent(given);
  const data = { email: "ada@example.org" };
  const invalid = await agent.submit({ email: "ada" }).catch((error) => error);
  const stored = await agent.submit(data, { idempotencyKey: "one", metadata: { from: "a test" } });
  const again = await agent.submit(data, { idempotencyKey: "one", metadata: { from: "a test" } });
  const refused = await new Agent({ ...given, accessKey: "fdf_no" }).form().catch((error) => error);
  print({
    form: (await agent.form()).form.id,
    valid: (await agent.validate(data)).valid,
    invalid: [invalid instanceof FormdError, invalid.status, invalid.code, invalid.errors.map(({ code }) => code)],
    stored, again: again.id,
    partial: (await agent.submit({}, { partial: true })).status,
    refused: [refused.status, refused.code],
  });
}`;

const python = `
import json, os, sys
sys.path.insert(0, "${join(root, "docs/clients")}")
sys.dont_write_bytecode = True
from formd_agent import Agent, FormdError, verify_receipt, verify_webhook
given = json.loads(os.environ["GIVEN"])
def failure(work, *arguments):
    try:
        work(*arguments)
        return "ok"
    except ValueError as error:
        return str(error)
def caught(work, *arguments):
    try:
        return work(*arguments)
    except FormdError as error:
        return error
if "receipt" in given:
    receipt, key, body, text = given["receipt"], given["key"], given["body"].encode(), given["text"].encode()
    headers, secrets = given["headers"], given["secrets"]
    result = {
        "receipt": verify_receipt(receipt, key, body),
        "receiptFailures": [
            failure(verify_receipt, receipt.replace("form:", "FORM:"), key),
            failure(verify_receipt, receipt, key, body + b" "),
            failure(verify_receipt, receipt, given["otherKey"]),
            failure(verify_receipt, "hello", key),
        ],
        "webhooks": [failure(verify_webhook, headers, text, secret) for secret in secrets],
        "webhookFailures": [
            failure(verify_webhook, headers, text + b" ", secrets[0]),
            failure(verify_webhook, headers, text + b" ", secrets[1]),
            failure(verify_webhook, {**headers, "webhook-timestamp": "1"}, text, secrets[0]),
            failure(verify_webhook, {}, text, secrets[0]),
        ],
    }
else:
    names = {"secret": "secret", "keyId": "key_id", "privateKey": "private_key"}
    proof = {names[name]: given[name] for name in names if name in given}
    agent = Agent(given["base"], given["accessKey"], **proof)
    data = {"email": "ada@example.org"}
    invalid = caught(agent.submit, {"email": "ada"})
    stored = agent.submit(data, idempotency_key="one", metadata={"from": "a test"})
    again = agent.submit(data, idempotency_key="one", metadata={"from": "a test"})
    refused = caught(Agent(given["base"], "fdf_no", **proof).form)
    result = {
        "form": agent.form()["form"]["id"],
        "valid": agent.validate(data)["valid"],
        "invalid": [isinstance(invalid, FormdError), invalid.status, invalid.code, [each["code"] for each in invalid.errors]],
        "stored": stored, "again": again["id"],
        "partial": agent.submit({}, partial=True)["status"],
        "refused": [refused.status, refused.code],
    }
print(json.dumps(result))`;

const typescriptBehindProxy = `
import { Agent, FormdError } from "${join(root, "docs/clients/formd-agent.ts")}";
const given = JSON.parse(process.env.GIVEN);
const stored = await new Agent(given).submit({ email: "ada@example.org" });
const error = await new Agent({ ...given, maxWaitSeconds: 0 }).form().catch((error) => error);
console.log(JSON.stringify({ stored: stored.status, error: error instanceof FormdError && error.message }));`;

const pythonBehindProxy = `
import json, os, sys
sys.path.insert(0, "${join(root, "docs/clients")}")
sys.dont_write_bytecode = True
from formd_agent import Agent, FormdError
given = json.loads(os.environ["GIVEN"])
stored = Agent(given["base"], given["accessKey"], given["secret"]).submit({"email": "ada@example.org"})
try:
    Agent(given["base"], given["accessKey"], given["secret"], max_wait_seconds=0).form()
except FormdError as error:
    print(json.dumps({"stored": stored["status"], "error": str(error)}))`;

const debianPython = "/usr/bin/python3";
const languages = [
  ["TypeScript", "scenario.mjs", typescript, process.execPath],
  ["Python", "scenario.py", python, debianPython],
] as const;
const folder = temporaryFolder();

/** Runs the scenario of a language. @returns what it prints, parsed */
async function run([, name, program, runtime]: readonly [string, string, string, string], given: object) {
  const path = join(folder, `${crypto.randomUUID()}-${name}`);
  writeFileSync(path, program);
  const child = spawn(runtime, [path], {
    env: { PATH: process.env.PATH ?? "", GIVEN: JSON.stringify(given) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\{/) });
  return JSON.parse(out);
}

describe.each(languages)("the client in %s", (...language) => {
  const check = language[0] === "Python" ? testRequiring(debianPython) : test;

  check("has at most 200 lines", () => {
    const file = language[0] === "Python" ? "formd_agent.py" : "formd-agent.ts";
    expect(readFileSync(join(root, "docs/clients", file), "utf8").split("\n").length - 1).toBeLessThanOrEqual(
      200,
    );
  });

  // An agent waits 5 s between submissions: the runs of a language wait at the same time.
  const proofs = ["secret", "key"] as const;
  const runs = new Map<string, Promise<{ stored: { id: string } }>>();
  beforeAll(async () => {
    for (const proof of language[0] === "Python" && !existsSync(debianPython) ? [] : proofs) {
      const { secret, key } = await makeSigningAgent(app, team, form);
      const privateKey = key.privateKey.export({ type: "pkcs8", format: "pem" });
      const given = { base: app.url, accessKey: form.accessKey };
      runs.set(
        proof,
        run(language, { ...given, ...(proof === "key" ? { keyId: key.id, privateKey } : { secret }) }),
      );
    }
  });

  check.each(proofs)(
    "reads the form, validates, submits once however often it repeats, and waits when it must, by its %s",
    async (proof) => {
      const result: unknown = await runs.get(proof);
      expect(result).toEqual({
        form: form.id,
        valid: true,
        invalid: [true, 422, "validation_failed", ["format"]],
        stored: { id: expect.stringMatching(uuid), status: "completed", missingRequired: [] },
        again: (await runs.get(proof))?.stored.id,
        partial: "partial",
        refused: [401, "unauthorized"],
      });
    },
  );

  check("verifies webhooks and receipts, and says which check fails", async () => {
    const at = await receiver();
    const owner = { headers: { "x-api-key": team.key } };
    const { body: made } = await ask(app, "POST", "/papi/v1/management/webhooks", {
      ...owner,
      body: { url: at.url, eventTypes: ["submission.created"] },
    });
    const body = JSON.stringify({ data: { email: "ada@example.org" } });
    const { body: stored } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { ...owner.headers, "x-form-access-key": form.accessKey, "content-type": "application/json" },
      body,
    });
    const { id } = stored.data;
    const of = (team: Team) => ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`);
    const receiptPath = `/papi/v1/management/forms/${form.id}/submissions/${id}/receipt`;
    const { body: receipt } = await ask(app, "GET", receiptPath, owner);
    const [{ key }] = (await of(team)).body.data.keys;
    while (at.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const [{ headers, text }] = at.received as [(typeof at.received)[number]];
    const { secret, publicKey } = made.data.secrets;
    const otherKey = key.replace(team.id, "another");
    const given = { receipt, key, otherKey, body, headers, text, secrets: [secret, publicKey] };
    const result = await run(language, given);
    expect(result.receipt).toMatchObject({ submission: id, form: form.id });
    expect({ ...result, receipt: undefined }).toEqual({
      receiptFailures: [
        "The signature is not by this key over this receipt.",
        "The receipt is for another body.",
        "Another key signed it.",
        "This is no receipt, or no key of one.",
      ],
      webhooks: ["ok", "ok"],
      webhookFailures: [
        "No signature in webhook-signature is by this secret.",
        "No signature in webhook-signature is by this secret.",
        "webhook-timestamp is over 300 s away.",
        "A header is missing: webhook-id, -timestamp or -signature.",
      ],
    });
  });
});

testRequiring(debianPython)(
  "a proxy's 502 is waited for, and is an error of the client in the end",
  async () => {
    for (const [name, program, runtime] of [
      ["TypeScript", typescriptBehindProxy, process.execPath],
      ["Python", pythonBehindProxy, debianPython],
    ] as const) {
      const { secret } = await makeSigningAgent(app, team, form);
      let requests = 0;
      // As nginx responds while both instances are away: to one request for a token, one that submits, and
      // all from the fifth on.
      using proxy = Bun.serve({
        port: 0,
        fetch(request) {
          const { pathname, search } = new URL(request.url);
          if ([1, 3].includes(++requests) || requests > 4)
            return new Response("<html>502 Bad Gateway</html>", {
              status: 502,
              headers: { "retry-after": new Date().toUTCString() },
            });
          return fetch(app.url + pathname + search, {
            method: request.method,
            headers: request.headers,
            body: request.body,
          });
        },
      });
      const given = {
        base: `http://localhost:${proxy.port}`,
        accessKey: form.accessKey,
        secret,
      };
      const printed = await run(["", name === "Python" ? "proxy.py" : "proxy.mjs", program, runtime], given);
      expect([name, printed]).toEqual([
        name,
        { stored: "completed", error: "502 not_json: The response is not of formd: it is no JSON." },
      ]);
    }
  },
);

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

testRequiring(debianPython)("names and errors are alike in both languages", async () => {
  const source = readFileSync(join(root, "docs/clients/formd-agent.ts"), "utf8");
  const module = await import(join(root, "docs/clients/formd-agent.ts"));
  const membersOf = (object: object) => Object.keys(object).filter((name) => name !== "name");
  const [, options = ""] = /interface AgentOptions \{(.*?)^\}/ms.exec(source) ?? [];
  const [, submitted = ""] = /submit\(data: object, \{ (.*?) \} = \{\}/.exec(source) ?? [];
  const thrown = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, each]) => each).sort();
  const inTypeScript = {
    // A function in one language, a class in the other: each is what the libraries of the language take.
    exported: Object.keys(module)
      .map((name) => (name === "signedFetch" ? "SignedAuth" : /^[A-Z]/.test(name) ? name : snake(name)))
      .sort(),
    options: [...options.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = ""]) => snake(name)).sort(),
    methods: membersOf(new module.Agent({ base: "", accessKey: "" }))
      .concat(Object.getOwnPropertyNames(module.Agent.prototype))
      .filter((name) => name !== "constructor")
      .sort(),
    submit: submitted.split(", ").map((part) => snake(part.split(" = ")[0] ?? "")),
    error: [...membersOf(new module.FormdError(400, {}))].sort(),
    message: new module.FormdError(422, { code: "a", error: "b" }).message,
    errors: thrown(source, /new Error\("([^"]+)"\)/g),
  };
  const program = `
import inspect, json, sys
sys.path.insert(0, "${join(root, "docs/clients")}")
sys.dont_write_bytecode = True
import formd_agent as module
Agent, FormdError = module.Agent, module.FormdError
public = lambda names: sorted(name for name in names if not name.startswith("_"))
named = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == "formd_agent"]
print(json.dumps({
    "exported": public(named),
    "options": sorted(list(inspect.signature(Agent).parameters)),
    "methods": public(vars(Agent)),
    "submit": list(inspect.signature(Agent.submit).parameters)[2:],
    "error": public(vars(FormdError(400, {}))),
    "message": str(FormdError(422, {"code": "a", "error": "b"})),
}))`;
  const { errors, ...names } = inTypeScript;
  expect(await run(["Python", "names.py", program, debianPython], {})).toEqual(names);
  const text = readFileSync(join(root, "docs/clients/formd_agent.py"), "utf8");
  expect(thrown(text, /raise ValueError\("([^"]+)"\)/g)).toEqual(errors);
  expect(errors.length).toBeGreaterThan(5);
});
