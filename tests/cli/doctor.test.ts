import { expect, setDefaultTimeout, test } from "bun:test";
import { database, formd, settingsFor } from "../setup.ts";

setDefaultTimeout(120_000);

const key = Buffer.alloc(32, 7).toString("base64");

/** The checks that are not in order, with their messages, and the exit code. */
async function examine(environment: Record<string, string>) {
  const { code, stdout, stderr } = await formd(["doctor", "--json"], environment);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; message: string }[] };
  const wrong = Object.fromEntries(
    checks.filter(({ ok }) => !ok).map(({ name, message }) => [name, message]),
  );
  return { code, stderr, names: checks.map(({ name }) => name), wrong };
}

test("a server's own login on a migrated database is in order", async () => {
  const { code, names, wrong } = await examine({ ...settingsFor(await database()), FORMD_SECRET_KEY: key });
  expect([code, wrong]).toEqual([0, {}]);
  expect(names).toEqual([
    "settings",
    "database",
    "rights",
    "plans",
    "master key",
    "captcha",
    "clock",
    "proxies",
    "pool",
  ]);
});

test("the owner is no server's login, though the audit refuses its changes too", async () => {
  const { ownerUrl } = await database();
  const { code, wrong } = await examine({ DATABASE_URL: ownerUrl, FORMD_SECRET_KEY: key });
  expect([code, wrong]).toEqual([
    1,
    {
      rights: expect.stringContaining("has the rights of the owner"),
      plans: expect.stringContaining("alter role formd_owner set enable_seqscan = off;"),
    },
  ]);
});

test("what is not in order is said with what to change, and the exit code is 1", async () => {
  const { url, ownerUrl } = await database();
  const { code, stderr, wrong } = await examine({
    DATABASE_URL: ownerUrl.replace(/\/\/[^@]*@/, "//postgres@"),
    BASE_URL: "https://forms.example.org",
    FORMD_LOG_LEVLE: "info",
    DATABASE_POOL_SIZE: "1000",
    CAPTCHA_PROVIDER: "altcha",
  });
  expect([code, url === ownerUrl]).toEqual([1, false]);
  expect(stderr).toContain("not in order: settings, rights, plans, master key, proxies, pool.");
  expect(wrong).toEqual({
    settings: expect.stringContaining("FORMD_LOG_LEVLE"),
    rights: expect.stringContaining("is a superuser"),
    plans: expect.stringContaining("alter role postgres set enable_seqscan = off;"),
    "master key": expect.stringMatching(/the CAPTCHA.*formd secret generate/),
    proxies: expect.stringContaining("TRUSTED_PROXY_HOPS"),
    pool: expect.stringContaining("Lower DATABASE_POOL_SIZE"),
  });
});
