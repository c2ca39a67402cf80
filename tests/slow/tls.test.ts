/** TLS to PostgreSQL, on Debian's, which has a certificate of its own. */
import { beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { connectOnce } from "../../src/platform/database/db.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { freePort, temporaryFolder } from "../setup.ts";
import { debianPostgres } from "./debian-postgres.ts";

const folder = temporaryFolder();
const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
const [withTls, withoutTls] = [await freePort(), await freePort()];

beforeAll(async () => {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-new", "-x509", "-days", "2", "-nodes", ...subject, ...files], {
    stdio: "ignore",
  });
  chmodSync(folder, 0o755);
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) execFileSync("chown", ["postgres", key]);
  const roles = ["create role formd_app nologin", "create role formd_admin nologin"];
  const start = (port: number, options: string) =>
    debianPostgres(`-c listen_addresses=127.0.0.1 ${options}`, roles, port);
  await Promise.all([
    start(withTls, `-c ssl=on -c ssl_cert_file=${certificate} -c ssl_key_file=${key}`),
    start(withoutTls, "-c ssl=off"),
  ]);
});

/** @returns whether the connection that the URL makes has TLS, or why there is none */
async function connection(port: number, parameters: string, host = "localhost"): Promise<boolean | string> {
  await using sql = connectOnce(`postgres://postgres@${host}:${port}/postgres${parameters}`);
  const query = sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  return await query.then(
    ([row]) => row?.ssl ?? "no row",
    (error: Error) => error.message,
  );
}

const rootCertificate = `&sslrootcert=${certificate}`;

const refusal = expect.stringContaining("the server offers no TLS, which sslmode requires");

describe("sslmode", () => {
  test.each([
    ["", true, false],
    ["?sslmode=disable", false, false],
    ["?sslmode=allow", true, false],
    ["?sslmode=prefer", true, false],
    ["?sslmode=require", true, refusal],
    [`?sslmode=require${rootCertificate}`, true, refusal],
    ["?sslmode=verify-ca", expect.stringMatching(/self.signed/), refusal],
    [`?sslmode=verify-ca${rootCertificate}`, true, refusal],
    ["?sslmode=verify-full", expect.stringMatching(/self.signed/), refusal],
    [`?sslmode=verify-full${rootCertificate}`, true, refusal],
  ])(
    "%s is what libpq makes of it, on a server with TLS and on one without",
    async (parameters, there, absent) => {
      expect(await connection(withTls, parameters)).toEqual(there);
      expect(await connection(withoutTls, parameters)).toEqual(absent);
    },
  );

  test("verify-full compares the host's name, verify-ca does not", async () => {
    expect(await connection(withTls, `?sslmode=verify-full${rootCertificate}`, "127.0.0.1")).toMatch(
      /does not match/,
    );
    expect(await connection(withTls, `?sslmode=verify-ca${rootCertificate}`, "127.0.0.1")).toBe(true);
  });

  test.each(["", "?sslmode=prefer", "?sslmode=require", `?sslmode=verify-full${rootCertificate}`])(
    "migrations take the same URL: %s",
    async (parameters) => {
      const admin = connectOnce(`postgres://postgres@localhost:${withTls}/postgres`);
      const name = `tls_${crypto.randomUUID().slice(0, 8)}`;
      await admin.unsafe(`create database ${name}`).finally(() => admin.end());
      const url = `postgres://postgres@localhost:${withTls}/${name}${parameters}`;
      expect((await migrate(url, () => {})).migrations).toHaveLength(1);
    },
  );
});
