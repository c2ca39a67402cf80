/** Sends a mail by the server that SMTP_URL names (RFC 5321, RFC 8314), over a verified connection. */
import { isIP } from "node:net";
import type { SendMailOptions, Transporter } from "nodemailer";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { type Letter, renderHtml, renderText } from "./letter.tsx";

export interface Mail extends Letter {
  to: string;
  /** Part of the Message-ID before the @. A mail that is sent twice keeps it. */
  id: string;
  subject: string;
  /** Address for `Reply-To`. */
  replyTo?: string;
  /** URL that unsubscribes with one click (RFC 8058). */
  unsubscribe?: string;
  /** A file, unchanged: in base64 no server in between changes its line ends. */
  attachment?: { filename: string; content: string };
}

/** A mail that was not sent. The message has no address and no text of a server, which may repeat one. */
export class MailError extends Error {
  override name = "MailError";

  /** @param isFinal true if another attempt cannot succeed @param status of SMTP, such as 550 */
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly status: number | null,
  ) {
    super(message);
  }
}

/** Mails that this process sends at a time, each with a connection. */
export const maxConnections = 5;
/** Timeout to open the connection, to receive the greeting, and between two responses. */
const timeoutMs = 15_000;

export const isMailOn = ({ SMTP_URL }: Pick<Config, "SMTP_URL">): boolean => SMTP_URL !== undefined;

/** Checks whether recorded mails are sent: the master key is needed for the links to unsubscribe. */
export const hasOutbox = ({ config, masterKey }: Pick<Deps, "config" | "masterKey">): boolean =>
  isMailOn(config) && masterKey.isPresent;

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** Options of nodemailer. Without STARTTLS (none offered, or removed on the way) the attempt fails. */
function optionsOf(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const secure = url.protocol === "smtps:";
  const isLocal = isLoopback(host);
  return {
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLocal,
    tls: { rejectUnauthorized: !isLocal, minVersion: "TLSv1.2" as const },
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    pool: true as const,
    maxConnections,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const transports = new WeakMap<Config, Transporter>();

async function transportOf(config: Config): Promise<Transporter> {
  const known = transports.get(config);
  if (known) return known;
  // Loaded with the first mail: commands and servers without mail start without it.
  const { createTransport } = await import("nodemailer");
  const made = createTransport(optionsOf(config.SMTP_URL ?? ""));
  transports.set(config, made);
  return made;
}

/** Formats text as one line of a header: line separators and other control characters become spaces. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .toWellFormed();

/** Closes the connections, which would keep a command's process alive. */
export function closeMail(config: Config): void {
  transports.get(config)?.close();
  transports.delete(config);
}

/** A mail as nodemailer takes it. */
export function mailMessage(from: NonNullable<Config["MAIL_FROM"]>, mail: Mail): SendMailOptions {
  const { to, id, subject, replyTo, unsubscribe, attachment } = mail;
  const headers = {
    "Auto-Submitted": "auto-generated",
    // Some programs join mails of a similar subject unless this differs.
    "X-Entity-Ref-ID": id,
    ...(unsubscribe && {
      "List-Unsubscribe": { prepared: true, value: `<${unsubscribe}>` },
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
  };
  return {
    from,
    to: { name: "", address: to },
    ...(replyTo && { replyTo: { name: "", address: replyTo } }),
    messageId: `<${id}@${from.address.split("@")[1]}>`,
    subject: oneLine(subject),
    headers,
    text: renderText(mail),
    html: renderHtml(mail),
    ...(attachment && { attachments: [{ ...attachment, contentTransferEncoding: "base64" as const }] }),
  };
}

/** @throws {MailError} also if SMTP_URL is not set */
export async function sendMail(config: Config, mail: Mail): Promise<void> {
  const { MAIL_FROM: from } = config;
  if (!from) throw new MailError("SMTP_URL is not set.", false, null);
  const transport = await transportOf(config);
  try {
    await transport.sendMail(mailMessage(from, mail));
  } catch (error) {
    throw mailErrorOf(error as SmtpError);
  }
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
  command?: string;
}

/** Descriptions of nodemailer's error codes. */
const failures: Record<string, string> = {
  EENVELOPE: "The mail server refused the sender or the recipient",
  EMESSAGE: "The mail server refused the mail",
  ESTREAM: "The mail server refused the mail",
  EAUTH: "The mail server refused the user or the password of SMTP_URL",
  ETLS: "The mail server offers no STARTTLS, or its certificate is not valid for its name",
  EDNS: "The mail server's name does not resolve",
  ETIMEDOUT: "The mail server did not respond in time",
};

/** Converts an error of nodemailer. A 5xx for this recipient or mail is final. */
function mailErrorOf({ code = "", responseCode, response = "", message }: SmtpError): MailError {
  const status = responseCode ?? null;
  const isCertificate = /certificate|altname|self.signed|CERT_/i.test(`${code} ${message}`);
  const reason = failures[isCertificate ? "ETLS" : code] ?? "The connection to the mail server failed";
  // "ESOCKET" is every failure of a connection; its message begins with the system's own code.
  const systemCode = /\b(?:ECONN|EHOST|ENET|EAI_|ENOTFOUND)\w*/.exec(message)?.[0] ?? code;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const detail = [enhanced ?? status, status ? "" : systemCode];
  const suffix = detail.filter(Boolean).join(" ");
  const isFinal = /^E(?:ENVELOPE|MESSAGE|STREAM)$/.test(code) && status !== null && status >= 500;
  return new MailError(`${reason}${suffix ? ` (${suffix})` : ""}.`, isFinal, status);
}
