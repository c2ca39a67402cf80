import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import naughty from "big-list-of-naughty-strings" with { type: "json" };
import { simpleParser } from "mailparser";
import { createTransport } from "nodemailer";
import { isEmail } from "../../src/fields/formats.ts";
import { readConfig } from "../../src/platform/config.ts";
import { renderHtml, renderText } from "../../src/platform/mail/letter.tsx";
import { closeMail, type Mail, MailError, mailMessage, sendMail } from "../../src/platform/mail/smtp.ts";
import { certificateFor, mailServer } from "../mail-server.ts";
import { words } from "./fields/fixture.ts";

const ended: (() => void)[] = [];
afterAll(() => {
  for (const end of ended) end();
});

const mail: Mail = {
  id: "0199",
  to: "ada@example.org",
  lang: "en",
  subject: "A subject",
  heading: "A heading",
  parts: [{ paragraph: "A text." }, { link: "https://forms.example.org/console", label: "Open" }],
  footer: [{ paragraph: "Why." }],
};

const unsubscribe = "https://forms.example.org/mail/unsubscribe/x";

const configFor = (url: string) => readConfig({ SMTP_URL: url, MAIL_FROM: "Forms <forms@town.example>" });

/** Returns the error of a mail; undefined if it was sent. */
async function attempt(url: string, more: Partial<Mail> = {}) {
  const config = configFor(url);
  try {
    await sendMail(config, { ...mail, ...more });
    return undefined;
  } catch (error) {
    if (error instanceof MailError) return { message: error.message, isFinal: error.isFinal };
    throw error;
  } finally {
    closeMail(config);
  }
}

/** A server that speaks only so far. */
async function script(...lines: (string | undefined)[]): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const left = [...lines];
    const say = () => {
      const line = left.shift();
      if (line === undefined) socket.destroy();
      else if (line) socket.write(`${line}\r\n`);
    };
    say();
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk.toString();
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (/^(?:EHLO|HELO|MAIL|RCPT|DATA|STARTTLS|\.$|QUIT)/.test(line)) say();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ended.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe("a mail server that is broken", () => {
  test("4xx and 5xx differ: a mail can be tried again, or not", async () => {
    for (const [status, text, shown, isFinal] of [
      [451, "4.7.1 greylisted ada@example.org", "4.7.1", false],
      [552, "too large", "552", true],
    ] as const) {
      const { settings } = await mailServer({}, () => ({ status, text }));
      const message = `The mail server refused the mail (${shown}).`;
      expect(await attempt(settings.SMTP_URL ?? "")).toEqual({ message, isFinal });
    }
  });

  test("a server that does not listen is reported by the system's code, without its address", async () => {
    const url = await script();
    await Promise.all(ended.splice(0).map((end) => end()));
    expect(await attempt(`smtp://${url}`)).toEqual({
      message: "The connection to the mail server failed (ECONNREFUSED).",
      isFinal: false,
    });
  });

  test("one that closes after DATA, or before it greets, was not reached", async () => {
    for (const lines of [[], ["220 hi", "250 hi", "250 ok", "250 ok", "354 go"]]) {
      const result = await attempt(`smtp://${await script(...lines, undefined)}`);
      expect([lines.length, result?.isFinal]).toEqual([lines.length, false]);
    }
  });

  test("a server that refuses the recipient is reported, without the e-mail address", async () => {
    const url = await script("220 hi", "250 hi", "250 ok", "550 5.1.1 <ada@example.org>: unknown", "221 bye");
    expect(await attempt(`smtp://${url}`)).toEqual({
      message: "The mail server refused the sender or the recipient (5.1.1).",
      isFinal: true,
    });
  });

  test("one that hangs costs 15 seconds", async () => {
    const began = Date.now();
    const result = await attempt(`smtp://${await script("")}`);
    expect(result).toEqual({ message: expect.stringContaining("did not respond in time"), isFinal: false });
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});

describe("the connection is verified, except on this machine", () => {
  // This machine by an address that is not a loopback one.
  const elsewhere = "0.0.0.0";
  const reach = (port: number) => `smtp://${elsewhere}:${port}`;

  test("STARTTLS that is missing from the greeting is refused, and nothing is sent", async () => {
    const plain = await mailServer();
    const message = expect.stringContaining("offers no STARTTLS");
    expect(await attempt(reach(plain.port))).toEqual({ message, isFinal: false });
    expect(plain.taken).toEqual([]);
  });

  test("a certificate of another name, or of nobody, is refused", async () => {
    for (const name of ["another.example", elsewhere]) {
      const server = await mailServer({ ...certificateFor(name), disabledCommands: [] });
      const message = expect.stringContaining("certificate is not valid");
      expect([name, await attempt(reach(server.port))]).toEqual([name, { message, isFinal: false }]);
      expect(server.taken).toEqual([]);
    }
  });

  test("on this machine both work: without TLS, and by STARTTLS with a certificate of nobody", async () => {
    const plain = await mailServer();
    const tls = await mailServer({ ...certificateFor("another.example"), disabledCommands: [] });
    for (const server of [plain, tls]) expect(await attempt(server.settings.SMTP_URL ?? "")).toBeUndefined();
    expect([plain.taken.length, tls.taken.length]).toEqual([1, 1]);
    const implicit = await mailServer({ ...certificateFor("another.example"), secure: true });
    expect(await attempt(`smtps://127.0.0.1:${implicit.port}`)).toBeUndefined();
  });
});

test("user and password of the URL are used, and a wrong one is not the mail's error", async () => {
  const server = await mailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === "a@b" && password === "p/w#" ? done(null, { user: username }) : done(new Error("no")),
  });
  expect(await attempt(`smtp://a%40b:p%2Fw%23@127.0.0.1:${server.port}`)).toBeUndefined();
  const message = expect.stringContaining("refused the user or the password");
  expect(await attempt(`smtp://a%40b:wrong@127.0.0.1:${server.port}`)).toEqual({ message, isFinal: false });
});

test("a mail that is sent twice has one Message-ID, and one-click unsubscribe has its two headers", async () => {
  const server = await mailServer();
  for (let sent = 0; sent < 2; sent++) await attempt(server.settings.SMTP_URL ?? "", { unsubscribe });
  expect(server.taken.map(({ mail }) => mail.messageId)).toEqual(Array(2).fill("<0199@town.example>"));
  expect(server.taken[0]?.source).toContain(`List-Unsubscribe: <${unsubscribe}>`);
  expect(server.taken[0]?.source).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
});

/** Composes what sendMail sends, without a connection: ten thousand of them take seconds. */
test("no header is written by an e-mail address, a subject, a name or a value, in 10,000 tries", async () => {
  const strings = naughty as string[];
  const breaks = [
    ...["\r\n", "\n", "\r", "\u2028", "\u0000\r\n", "\r\n\r\n", "\u0085"],
    ...["%0d%0a", "=0D=0A", "\\r\\n"],
  ];
  const expected = words(
    "Auto-Submitted Content-Type Date From List-Unsubscribe List-Unsubscribe-Post MIME-Version Message-ID Subject To X-Entity-Ref-ID",
  );
  const composer = createTransport({ streamTransport: true, buffer: true });
  const from = configFor("smtp://localhost").MAIL_FROM ?? { name: "", address: "" };
  let addresses = 0;
  for (let count = 0; count < 10_000; count++) {
    const lineEnd = breaks[count % breaks.length];
    const evil = `${strings[count % strings.length]}${lineEnd}Bcc: evil@example.org${breaks[(count * 7) % breaks.length]}X-Evil: 1`;
    // Texts that the check rejects are not used as addresses, except every tenth.
    const address = `${strings[count % strings.length]}${lineEnd}a@town.example`;
    const isAddress = isEmail(address) || count % 10 === 0;
    if (isEmail(address)) addresses++;
    const { message, envelope } = await composer.sendMail(
      mailMessage(from, {
        ...mail,
        subject: evil,
        heading: evil,
        ...(isAddress && { to: address }),
        parts: [{ paragraph: evil }, { values: [{ label: evil, value: evil }] }],
        unsubscribe,
      }),
    );
    const head = message.toString().split("\r\n\r\n")[0] ?? "";
    const names = [...head.matchAll(/(?:^|\r\n)(?!\s)([^\r\n:]*)/g)].map(([, name]) => name);
    expect([evil, names.sort()]).toEqual([evil, expected]);
    expect([address, envelope.to.length <= 1]).toEqual([address, true]);
    expect([address, /[\r\n]/.test(envelope.to.join())]).toEqual([address, false]);
    if (count % 100 === 0) expect((await simpleParser(message as Buffer)).bcc).toBeUndefined();
  }
  // %0d%0a and the like are text, and some are part of a valid address.
  expect(addresses).toBeGreaterThan(0);
});

test("both texts say the same, and HTML escapes what people wrote", () => {
  const letter = { ...mail, parts: [{ values: [{ label: "<b>Name", value: "<script>\nx&y" }] }] };
  expect(renderText(letter)).toBe("A heading\n\n<b>Name:\n  <script>\n  x&y\n\n-- \nWhy.");
  const html = renderHtml(letter);
  expect(html).toContain("&lt;b>Name");
  expect(html).toContain("&lt;script>\nx&amp;y");
  expect(html).toContain("prefers-color-scheme:dark");
});

test("SMTP_URL and MAIL_FROM are checked at the start, and the password is never shown", () => {
  const fault = (environment: Record<string, string>) => {
    try {
      readConfig(environment);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(fault({ SMTP_URL: "smtp://mail.example.org" })).toContain("MAIL_FROM is not set");
  const urls = words(
    "http://mail.example.org smtp://u:secret@mail/?tls.rejectUnauthorized=false smtp:// smtp://h/path",
  );
  for (const url of urls) {
    const message = fault({ SMTP_URL: url, MAIL_FROM: "a@b.example" });
    expect(message).toContain("SMTP_URL cannot be used");
    expect(message).not.toContain("secret");
  }
  for (const from of ["nobody", "A <nobody>", "A\nBcc: x@y.example <a@b.example>", "<a@b.example"])
    expect(fault({ MAIL_FROM: from })).toContain("MAIL_FROM cannot be");
});
