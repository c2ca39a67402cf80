/** Each way out of the server, and who names the destination. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../src/platform/config.ts";
import { networksFor } from "../../src/platform/outgoing/guard.ts";
import { root } from "../setup.ts";

const sources = (readdirSync(join(root, "src"), { recursive: true }) as string[])
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith("pages/ui/"))
  .map((path) => ({ path, text: readFileSync(join(root, "src", path), "utf8") }));
const matching = (pattern: RegExp) =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();

test("nothing but the guarded sender reaches what others name", () => {
  const clients =
    /import \{[^}]*\b(?:request|connect|createConnection)\b[^}]*\} from "node:(?:https?|http2|net|tls)"|(?:await|=|return) fetch\(|import\("nodemailer/m;
  expect(matching(clients)).toEqual([
    "platform/files/clamd.ts", // CLAMD_URL
    "platform/files/s3.ts", // FILES_URL
    "platform/mail/smtp.ts", // SMTP_URL
    "platform/outgoing/request.ts", // sendOutgoing: what others name
    "protocols/mcp/rest.ts", // this server, without a connection
    "resources/sessions/captcha.ts", // CAPTCHA_VERIFY_URL
  ]);
});

test("who names the destination of a request is stated where it is sent, and gets the networks by that", () => {
  const stated = Object.fromEntries(
    sources.flatMap(({ path, text }) => {
      const purposes = [...text.matchAll(/networksFor\(config, "(\w+)"\)/g)].map(([, purpose]) => purpose);
      return purposes.length > 0 ? [[path, [...new Set(purposes)].join()]] : [];
    }),
  );
  expect(stated).toEqual({
    "platform/auth/declared-agent.ts": "stranger",
    "resources/operators/identity-provider.ts": "provider",
    "resources/operators/sign-in-connections.ts": "provider",
    "resources/webhooks/webhooks.ts": "webhook",
    "resources/webhooks/worker.ts": "webhook",
  });
  expect(matching(/(?:OUTGOING_ALLOWED|DECLARED_AGENT)_NETWORKS(?!=|\))/)).toEqual([
    "messages.ts",
    "platform/config.ts",
    "platform/outgoing/guard.ts",
  ]);
  expect(matching(/\bsendOutgoing\(/)).toEqual([
    "platform/auth/declared-agent.ts",
    "platform/outgoing/request.ts",
    "resources/operators/identity-provider.ts",
    "resources/webhooks/deliver.ts",
  ]);
});

test("a stranger gets none of the networks that are open to webhooks and providers", () => {
  const config = { OUTGOING_ALLOWED_NETWORKS: ["10.0.0.0/8"], DECLARED_AGENT_NETWORKS: [] as string[] };
  const networks = (["webhook", "provider", "stranger"] as const).map((purpose) =>
    networksFor(config as unknown as Config, purpose),
  );
  expect(networks).toEqual([["10.0.0.0/8"], ["10.0.0.0/8"], []]);
});
