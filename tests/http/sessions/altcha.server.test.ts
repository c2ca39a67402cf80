// stacks: one deno
/** ALTCHA: a challenge of our own, and its solution as the CAPTCHA token. */
import { describe, expect, test } from "bun:test";
import { createHmac, hkdfSync } from "node:crypto";
import { type Challenge, createChallenge, solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { outcome } from "../../expect.ts";
import { ask, makeForm, makeTeam, server, service } from "../../setup.ts";

const path = "/papi/v1/auth/altcha";
const masterKey = Buffer.alloc(32, 7);
const derived = hkdfSync("sha256", masterKey, "", "formd/1 altcha ", 32);
const hmacSignatureSecret = Buffer.from(derived).toString("hex");

const app = await service({ CAPTCHA_PROVIDER: "altcha", FORMD_SECRET_KEY: masterKey.toString("base64") });
const form = await makeForm(app, await makeTeam(app), [], { settings: { captcha: { enabled: true } } });

const challenge = async (): Promise<Challenge> => (await ask(app, "GET", path)).body as never;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const solve = async (given: Challenge) => {
  const solution = await solveChallenge({ challenge: given, deriveKey });
  return { challenge: given, solution };
};
const open = async (captchaToken: unknown, at: { url: string } = app) =>
  outcome(
    await ask(at, "POST", "/papi/v1/auth/anonymous", {
      headers: { "x-form-access-key": form.accessKey },
      body: { captchaToken },
    }),
  );

describe(`GET ${path}`, () => {
  test("is a signed challenge that expires in ten minutes", async () => {
    const { parameters, signature } = await challenge();
    expect(Math.abs((parameters.expiresAt ?? 0) * 1000 - Date.now() - 600_000)).toBeLessThan(5_000);
    expect(signature).toBe(
      createHmac("sha256", hmacSignatureSecret).update(JSON.stringify(parameters)).digest("hex"),
    );
  });

  test("thirty of one client IP in a minute", async () => {
    const once = () => ask(app, "GET", path, { ip: "192.0.2.7" });
    const replies = await Promise.all(Array.from({ length: 31 }, once));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(30).fill(200), 429]);
  });

  test("does not exist for another provider; without a master key it is 503", async () => {
    const DATABASE_URL = app.database.url;
    const other = await server({ DATABASE_URL });
    const keyless = await server({ DATABASE_URL, CAPTCHA_PROVIDER: "altcha", FORMD_SECRET_KEY: "" });
    expect(outcome(await ask(other, "GET", path))).toBe("404 not_found");
    expect(outcome(await ask(keyless, "GET", path))).toBe("503 captcha_unavailable");
    expect(await open("e30=", keyless)).toBe("503 captcha_unavailable");
  });
});

describe("a solution as captchaToken", () => {
  test("opens one session, also when it is sent several times at once", async () => {
    const token = encode(await solve(await challenge()));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => open(token)));
    expect(outcomes.sort()).toEqual([...Array(4).fill("403 captcha_failed"), "ok"]);
    expect(await open(token)).toBe("403 captcha_failed");
  });

  test("of an expired challenge is refused", async () => {
    const given = { algorithm: "PBKDF2/SHA-256", cost: 10, deriveKey, hmacSignatureSecret };
    const at = (seconds: number) => createChallenge({ ...given, expiresAt: Date.now() / 1000 + seconds });
    expect(await open(encode(await solve(await at(60))))).toBe("ok");
    expect(await open(encode(await solve(await at(-2))))).toBe("403 captcha_failed");
  });

  test("is refused when the challenge or the solution is not what it was", async () => {
    const solved = await solve(await challenge());
    const { parameters, signature } = solved.challenge;
    const changed = (more: object) => ({
      ...solved,
      challenge: { parameters: { ...parameters, ...more }, signature },
    });
    const forged: unknown[] = [
      changed({ expiresAt: 9_999_999_999 }),
      changed({ nonce: "00".repeat(16) }),
      changed({ nonce: parameters.nonce.toUpperCase() }),
      { ...solved, challenge: { parameters } },
      { ...solved, solution: { ...solved.solution, counter: (solved.solution?.counter ?? 0) + 1 } },
      { ...solved, solution: { counter: -1, derivedKey: "00" } },
      await solve(
        await createChallenge({ algorithm: "PBKDF2/SHA-256", cost: 1, deriveKey, hmacSignatureSecret: "x" }),
      ),
      { challenge: { parameters: { nonce: null } } },
      [],
      null,
    ];
    for (const each of forged) expect([each, await open(encode(each))]).toEqual([each, "403 captcha_failed"]);
    for (const text of ["x", "%", "good"]) expect(await open(text)).toBe("403 captcha_failed");
    expect(await open(undefined)).toBe("403 captcha_required");
    expect(await open(encode(solved))).toBe("ok");
  });
});
