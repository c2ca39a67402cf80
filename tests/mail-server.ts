/** A mail server on this machine, which keeps what it takes. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onCleanup } from "./setup.ts";

export interface Taken {
  from: string;
  to: string[];
  source: string;
  mail: ParsedMail;
}

export interface MailServer {
  port: number;
  /** The settings of a server that sends by it. */
  settings: Record<string, string>;
  taken: Taken[];
  /** The next mail to an address that no call has returned yet. */
  next(to: string): Promise<Taken>;
}

/** Response to a mail that was read; undefined accepts the mail. */
type Respond = (taken: Taken, count: number) => { status: number; text?: string } | undefined;

export async function mailServer(
  options: SMTPServerOptions = {},
  respond: Respond = () => undefined,
): Promise<MailServer> {
  const waiting: (() => void)[] = [];
  const returned = new Set<Taken>();
  const taken: Taken[] = [];
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    ...options,
    onData(stream, session, callback) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", async () => {
        const source = Buffer.concat(chunks).toString();
        const { mailFrom, rcptTo } = session.envelope;
        const one: Taken = {
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          source,
          mail: await simpleParser(source),
        };
        const refused = respond(one, ++count);
        if (refused)
          return callback(Object.assign(new Error(refused.text ?? "no"), { responseCode: refused.status }));
        taken.push(one);
        for (const wake of waiting.splice(0)) wake();
        callback();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanup(async () => void server.close());
  const { port } = server.server.address() as AddressInfo;
  const next = async (to: string): Promise<Taken> => {
    for (const until = Date.now() + 20_000; Date.now() < until; ) {
      const found = taken.find((one) => !returned.has(one) && one.to.includes(to));
      if (found) {
        returned.add(found);
        return found;
      }
      await Promise.race([new Promise<void>((wake) => waiting.push(wake)), Bun.sleep(200)]);
    }
    throw new Error(`no mail came for ${to}`);
  };
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: "Forms of the town <forms@town.example>",
  };
  return { port, settings, taken, next };
}

/** A certificate for a name, by an issuer of its own that nobody trusts without being told. */
export function certificateFor(name: string): { key: string; cert: string; issuer: string } {
  const directory = mkdtempSync(join(tmpdir(), "formd-mail-"));
  const file = (of: string) => join(directory, `${of}.pem`);
  const make = (of: string, ...more: string[]) =>
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-keyout", file(`${of}-key`), "-out", file(of), "-days", "2", "-subj", `/CN=${of} of ${name}`],
        ...more,
      ],
      { stdio: "ignore" },
    );
  make("issuer");
  const alternative = `subjectAltName=${isIP(name) ? "IP" : "DNS"}:${name}`;
  const byIssuer = ["-CA", file("issuer"), "-CAkey", file("issuer-key")];
  make("server", ...byIssuer, "-addext", alternative, "-addext", "basicConstraints=critical,CA:FALSE");
  const [key = "", cert = "", issuer = ""] = ["server-key", "server", "issuer"].map((of) =>
    readFileSync(file(of), "utf8"),
  );
  rmSync(directory, { recursive: true });
  return { key, cert, issuer };
}
