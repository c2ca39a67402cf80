import { describe, expect, test } from "bun:test";
import { makeSecret } from "../src/platform/auth/secret.ts";
import { redact } from "../src/platform/log.ts";
import { findLeak, rememberSecrets } from "./setup.ts";

const [team, form] = ["01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"];

describe("the search for secrets in servers' logs", () => {
  test.each(["fdk", "fda", "fds", "fdo", "fdf"] as const)(
    "sees an %s_ secret, whole or in part, and nothing else",
    (kind) => {
      const { secret, prefix } = makeSecret(kind, team, ...(kind === "fdf" ? [form] : []));
      const stranger = makeSecret(kind, team).secret;
      rememberSecrets(`{"it":"${secret}"}`);
      for (const text of [secret, secret.slice(-43), `\\n${secret}`, `a-${secret}-b`])
        expect(findLeak(`first\n{"msg":"${text}"}\nlast`)).toBe(`{"msg":"${text}"}`);
      for (const text of [prefix, stranger, secret.slice(-42), redact(secret), crypto.randomUUID()])
        expect(findLeak(`{"msg":"${text}"}`)).toBeUndefined();
    },
  );

  test("sees a password", () => {
    expect(findLeak('{"password":"correct horse"}')).toBeDefined();
  });
});
