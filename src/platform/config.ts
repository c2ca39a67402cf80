/** Parses the environment to one frozen object. Limits that no setting changes are in limits.ts. */
import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { type } from "arktype";
import ipaddr from "ipaddr.js";
import { isEmail } from "../fields/formats.ts";
import { connect } from "./database/db.ts";
import { TlsError } from "./database/tls.ts";
import { parseMasterKeys } from "./master-key.ts";

/** An invalid setting; the message is one line. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** An arktype morph for a variable's text. `parse` returns undefined for a text that `expected` excludes. */
const setting = <T>(expected: string, parse: (text: string) => T | undefined) =>
  type("string").pipe((text, context): T => parse(text) ?? (context.error(expected) as never));

const integer = (min: number, max: number) =>
  setting(`a whole number from ${min} to ${max}`, (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  );
const flag = setting("true or false", (text) =>
  text === "true" ? true : text === "false" ? false : undefined,
);
const oneOf = <T extends string>(...values: T[]) =>
  setting(`one of ${values.join(", ")}`, (text) => values.find((value) => value === text));
const httpUrl = setting("an http or https URL such as https://forms.example.org", (text) => {
  const url = URL.parse(text);
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  return plain ? text.replace(/\/+$/, "") : undefined;
});
/** Routes are at its root: a proxy that serves formd below a path would make every link wrong. */
const baseUrl = setting("an http or https URL without a path, such as https://forms.example.org", (text) =>
  /^https?:\/\/[^/?#@\\]+\/*$/i.test(text) && URL.canParse(text) ? text.replace(/\/+$/, "") : undefined,
);
/** Parsed, without connecting, by the driver: unlike `URL` it takes several hosts and socket directories. */
const postgresUrl = type("string").pipe((text, context): string => {
  const expected =
    "a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE; in a password # is %23, / is %2F, : is %3A and @ is %40";
  try {
    connect(text, { poolSize: 1, prepare: false });
  } catch (error) {
    return context.error(error instanceof TlsError ? error.message : expected) as never;
  }
  return /^postgres(ql)?:\/\/./.test(text) ? text : (context.error(expected) as never);
});
const listenHost = setting("a host name or an IP address to listen on, such as 0.0.0.0 or ::", (text) =>
  isIP(text) > 0 || /^[a-z0-9._-]+$/i.test(text) ? text : undefined,
);
/** The entries of a comma-separated list. */
export const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const authorities = setting("host names, comma-separated, each with its port if it has one", (text) =>
  listOf(text).every((host) => isAuthority(host)) ? listOf(text.toLowerCase()) : undefined,
);
const origins = setting("* or origins such as https://www.example.org, comma-separated", (text) =>
  text.trim() === "*" ||
  (listOf(text).length > 0 && listOf(text).every((origin) => URL.parse(origin)?.origin === origin))
    ? listOf(text)
    : undefined,
);
const masterKeys = setting(
  "32 bytes in base64, as formd secret generate prints them, or several, comma-separated",
  parseMasterKeys,
);
const networks = setting("networks such as 10.0.0.0/8 or fd00::/8, or addresses, comma-separated", (text) => {
  const list = listOf(text).map((entry) =>
    isIP(entry) ? `${entry}/${isIP(entry) === 4 ? 32 : 128}` : entry,
  );
  return list.every((entry) => ipaddr.isValidCIDR(entry)) ? list : undefined;
});
/** A URI, as RFC 9116 requires (section 2.5.3). An e-mail address is converted. */
const contact = setting(
  "an e-mail address, or a URL such as https://example.org/security or tel:+493012345",
  (text) => {
    const uri = /^[^\s@:]+@[^\s@]+$/.test(text) ? `mailto:${text}` : text;
    return /^(?:https:\/\/|mailto:|tel:)[^\s]+$/.test(uri) && URL.canParse(uri) ? uri : undefined;
  },
);
/** The server and the credentials only. Options in a query could disable the check of certificates. */
const smtpUrl = setting(
  "smtps://USER:PASSWORD@HOST, or smtp:// for a server with STARTTLS; in a password # is %23, / is %2F, : is %3A and @ is %40",
  (text) => {
    const url = URL.parse(text);
    const isPlain = url && /^smtps?:$/.test(url.protocol) && url.hostname && !url.search && !url.hash;
    return isPlain && /^\/?$/.test(url.pathname) ? url.href : undefined;
  },
);
/** A bucket: credentials, name, prefix, and endpoint or region. */
const bucket =
  /^s3:\/\/(?:[\w.~+=-]|%[2-7][\da-f])+:(?:[\w.~+=-]|%[2-7][\da-f])+@[a-z\d][a-z\d.-]*(?:\/[\w./-]*)?(?:[?&](?:endpoint=https?:\/\/[^\s?#&@]+|region=[a-z\d-]+))*$/i;
/** A directory as a URL with an absolute path, or a bucket. */
const filesUrl = setting(
  "a directory such as file:///var/lib/formd/files, s3://KEY:SECRET@BUCKET?endpoint=https://HOST&region=NAME with %2F for / in the secret, or none",
  (text) => {
    const url = URL.parse(text);
    const isPlain = url?.protocol === "file:" && url.host === "" && url.search === "" && url.hash === "";
    const isDirectory = isPlain && url.pathname.length > 1;
    return text === "none" || isDirectory || (url !== null && bucket.test(text)) ? text : undefined;
  },
);
const clamdUrl = setting("tcp://HOST:3310, or unix:///run/clamav/clamd.ctl", (text) => {
  const url = URL.parse(text);
  const isTcp = url?.protocol === "tcp:" && url.hostname !== "" && /^\/?$/.test(url.pathname);
  const isPath = url?.protocol === "unix:" && url.host === "" && url.pathname.length > 1;
  return url && (isTcp || isPath) && !url.username && !url.search && !url.hash ? text : undefined;
});
const postgresPrograms = setting(
  "auto, or the absolute path of a directory of postgres, initdb and pg_ctl, such as /usr/lib/postgresql/17/bin",
  (text) => (text === "auto" || isAbsolute(text) ? text : undefined),
);
const mailFrom = setting("an address such as forms@example.org, or Name <forms@example.org>", (text) => {
  const [, name = "", inner, plain] =
    /^(?:([^<>"\p{Cc}]{0,100})<([^<>]+)>|([^<>]+))$/u.exec(text.trim()) ?? [];
  const address = inner ?? plain ?? "";
  return isEmail(address) ? { name: name.trim(), address } : undefined;
});
/** The URL becomes part of two headers, and must not end their values. */
const reportUrl = setting(
  "an https URL such as https://reports.example.org/csp, with ; and , and quotes encoded",
  (text) => (/^https:\/\/[^\s"'\\;,]+$/.test(text) && URL.canParse(text) ? text : undefined),
);
const perMinute = integer(1, 1_000_000_000);

/** Checks for a possible Host header: a name, IPv4 or bracketed IPv6, optionally with a port. */
export const isAuthority = (text: string): boolean =>
  /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text);

const Environment = type({
  PORT: integer(0, 65_535).default("8080"),
  HOST: listenHost.default("0.0.0.0"),
  "BASE_URL?": baseUrl,
  "DOCS_URL?": httpUrl,
  LANDING: oneOf("door", "/developer").default("door"),
  "DATABASE_URL?": postgresUrl,
  "MIGRATION_DATABASE_URL?": postgresUrl,
  DATABASE_POOL_SIZE: integer(1, 1000).default("16"),
  DATABASE_PREPARE: flag.default("true"),
  "FORMD_DATA_DIR?": "string",
  "POSTGRES_PROGRAMS?": postgresPrograms,
  /** Other keys are derived from it. Embedded default: a file of the data directory. */
  "FORMD_SECRET_KEY?": masterKeys,
  FEATURE_AGENT_SIGNING: flag.default("false"),
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: perMinute.default("30"),
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: perMinute.default("30"),
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: perMinute.default("60"),
  RATE_LIMIT_PAPI_AUTH_PER_MINUTE: perMinute.default("30"),
  RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE: perMinute.default("30"),
  /** Limit of writes per API key or operator, and per client IP of refused and unknown callers. */
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: perMinute.default("600"),
  /** Callers that may give credentials to an agent that may submit: keys with forms:write, or operators. */
  AGENT_CREDENTIALS: oneOf("api-key", "operator").default("api-key"),
  BEHIND_PROXY: flag.default("false"),
  TRUSTED_PROXY_HOPS: integer(0, 16).default("0"),
  ALLOWED_HOSTS: authorities.default(""),
  MAX_BODY_BYTES: integer(1024, 104_857_600).default("1048576"),
  "MAX_IN_FLIGHT_BODY_BYTES?": integer(4096, 1_099_511_627_776),
  ANONYMOUS_SESSION_MINUTES: integer(1, 10_080).default("30"),
  CHALLENGE_PASS_MINUTES: integer(1, 10_080).default("10"),
  "CAPTCHA_PROVIDER?": oneOf("turnstile", "hcaptcha", "recaptcha", "altcha"),
  "CAPTCHA_SECRET?": "string",
  "CAPTCHA_SITE_KEY?": "string",
  "CAPTCHA_VERIFY_URL?": httpUrl,
  CORS_ORIGINS: origins.default("*"),
  WEBHOOKS: flag.default("true"),
  "FILES_URL?": filesUrl,
  /** A bucket takes 5 GiB in one request. */
  FILES_MAX_BYTES: integer(1024, 5_368_709_120).default("10485760"),
  FILES_MAX_PER_SUBMISSION: integer(1024, 53_687_091_200).default("52428800"),
  FILES_MAX_PER_TEAM: integer(1024, 999_999_999_999_999).default("10737418240"),
  FILES_MAX_PER_IP_PER_HOUR: integer(1024, 999_999_999_999_999).default("2147483648"),
  "CLAMD_URL?": clamdUrl,
  "ERASURES_FILE?": "string",
  /** Non-public networks that outgoing requests may reach, also over http. */
  OUTGOING_ALLOWED_NETWORKS: networks.default(""),
  /** The same for directories that a stranger names on a form's page. */
  DECLARED_AGENT_NETWORKS: networks.default(""),
  "SMTP_URL?": smtpUrl,
  "MAIL_FROM?": mailFrom,
  MAIL_MAX_PER_DAY: integer(1, 1_000_000_000).default("2000"),
  LOG_LEVEL: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent").default("info"),
  LOG_CLIENT_IP: flag.default("true"),
  "METRICS_TOKEN?": "string",
  /** True if browsers must use https for subdomains too. All subdomains need it then. */
  HSTS_SUBDOMAINS: flag.default("false"),
  "CSP_REPORT_URL?": reportUrl,
  "SECURITY_CONTACT?": contact,
  /** Time after SIGTERM with 503 on /readyz, still serving: longer than two checks of a load balancer. */
  DRAIN_SECONDS: integer(0, 300).default("3"),
});

export type SettingName = keyof typeof Environment.infer;

/** Descriptions, for docs/operate/settings.md. A setting without one does not compile. */
export const settingMeanings: Record<SettingName, string> = {
  PORT: "port to listen on",
  HOST: "IP address or host name to listen on; on Deno the default is 127.0.0.1",
  BASE_URL: "public URL of this server, without a path",
  ALLOWED_HOSTS: "more hosts that requests may name",
  DOCS_URL: "where links to the documentation lead",
  LANDING:
    "what a browser gets at `/`: the name of the installation with the way to sign in, or the documentation",
  DATABASE_URL: "the server's connection; PostgreSQL 15 or newer, encoding UTF8",
  MIGRATION_DATABASE_URL: "the owner's connection, for `migrate` and other commands",
  DATABASE_POOL_SIZE: "connections per process at most; a warning when PostgreSQL has fewer",
  DATABASE_PREPARE: "false behind a pooler without prepared statements",
  FORMD_DATA_DIR: "directory of the embedded database",
  POSTGRES_PROGRAMS:
    "programs of PostgreSQL 15 to 18 that run the embedded database: a directory, or `auto` for the newest of this machine",
  FORMD_SECRET_KEY:
    "master key; several: all verify, and from `secret rotate` on the first makes; embedded: by default in `secret.key`",
  FEATURE_AGENT_SIGNING: "accept signed requests and challenge responses",
  AGENT_CREDENTIALS: "who may give new credentials to an agent that may submit",
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "submissions per client IP",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "validations per agent",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "validations per client IP",
  RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "per client IP, each: tokens, anonymous sessions, sign-ins, ALTCHA",
  RATE_LIMIT_PAPI_CHALLENGE_IP_PER_MINUTE: "per client IP, each: challenges, challenge responses",
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: "writes per caller; unknown callers, refused requests per client IP",
  BEHIND_PROXY: "on Deno: a proxy closes slow connections, so that `HOST` may be any",
  TRUSTED_PROXY_HOPS: "proxies in front that append to `X-Forwarded-For`",
  MAX_BODY_BYTES: "larger bodies are 413",
  MAX_IN_FLIGHT_BODY_BYTES: "bytes of bodies in progress; one client IP has 3/8; beyond, 503",
  ANONYMOUS_SESSION_MINUTES: "lifetime of an anonymous session",
  CHALLENGE_PASS_MINUTES: "lifetime of the pass that a solved challenge earns",
  CAPTCHA_PROVIDER:
    "whose CAPTCHA anonymous sessions need, where a form asks for one; `altcha` needs no third party",
  CAPTCHA_SECRET: "the provider's secret; `altcha` needs `FORMD_SECRET_KEY` instead",
  CAPTCHA_SITE_KEY: "the provider's public key, for the pages of forms; not of `altcha`",
  CAPTCHA_VERIFY_URL: "where tokens are verified",
  CORS_ORIGINS: "origins whose pages may call submitter and session routes",
  WEBHOOKS: "false: this server delivers no webhooks",
  OUTGOING_ALLOWED_NETWORKS:
    "networks that webhooks and identity providers may reach although they are not public",
  DECLARED_AGENT_NETWORKS:
    "networks that are not public and may have programs that declare themselves on pages: anyone who opens a page can make the server send a request there",
  FILES_URL:
    "where files are: `file:///DIRECTORY`, a bucket as `s3://KEY:SECRET@BUCKET/PREFIX?endpoint=URL&region=NAME`, or `none`; by default beside the embedded database, else none",
  FILES_MAX_BYTES: "bytes of a file at most",
  FILES_MAX_PER_SUBMISSION: "bytes of all files of a submission at most, and no fewer than `FILES_MAX_BYTES`",
  FILES_MAX_PER_TEAM: "bytes of all files of a team at most",
  FILES_MAX_PER_IP_PER_HOUR: "bytes of uploads per client IP in an hour, to each process of a server",
  CLAMD_URL: "clamd of ClamAV, which scans files: `tcp://HOST:PORT`, or `unix:///PATH`; without it none is",
  ERASURES_FILE:
    "file to which what was erased is appended, for after a restore, or `none`; by default beside the embedded database, else none",
  SMTP_URL: "mail server: `smtps://`, or `smtp://`, which needs STARTTLS; without it no mail is sent",
  MAIL_FROM: "sender of mails: an address, or `Name <address>`",
  MAIL_MAX_PER_DAY: "mails of a team per day; what is beyond waits, for a day at most",
  LOG_LEVEL: "the least severe level that is logged",
  LOG_CLIENT_IP: "whether log lines, and the sessions that Account lists, have the client IP",
  METRICS_TOKEN: "bearer token for `/metrics`; without it, only this machine may read them",
  HSTS_SUBDOMAINS:
    "with an `https` `BASE_URL`: whether `Strict-Transport-Security` holds for subdomains, too",
  CSP_REPORT_URL: "where browsers report violations of the pages' Content-Security-Policy",
  SECURITY_CONTACT:
    "whom to tell of a weakness, in `/.well-known/security.txt`, which does not exist without",
  DRAIN_SECONDS: "seconds between SIGTERM, when `/readyz` turns 503, and shutdown",
};

/** The names of all settings. */
export const settingNames: readonly string[] = Environment.props.map(({ key }) => key);

/** The settings, including defaults that depend on other settings. */
export type Config = Readonly<
  typeof Environment.infer & {
    BASE_URL: string;
    DOCS_URL: string;
    FORMD_DATA_DIR: string;
    MAX_IN_FLIGHT_BODY_BYTES: number;
    dataDirIsDefault: boolean;
    /** Variables that look like a setting and are not: a misspelt setting would have no effect. */
    unknownNames: readonly string[];
  }
>;

/** Checks whether a server with these settings stores files. */
export const storesFiles = ({ FILES_URL, DATABASE_URL }: Pick<Config, "FILES_URL" | "DATABASE_URL">) =>
  FILES_URL === undefined ? DATABASE_URL === undefined : FILES_URL !== "none";

/** Checks whether a server with these settings has a master key. Its own database has one of its own. */
export const hasMasterKey = ({
  FORMD_SECRET_KEY,
  DATABASE_URL,
}: Pick<Config, "FORMD_SECRET_KEY" | "DATABASE_URL">) =>
  FORMD_SECRET_KEY !== undefined || DATABASE_URL === undefined;

const holdsSecret = /DATABASE_URL|SECRET|TOKEN/;

/** An empty CLAMD_URL would switch scanning off. */
const isNeverEmpty = (name: string) => name === "CLAMD_URL" || holdsSecret.test(name);

/** First characters of a setting that no other program's variables have, unlike `POSTGRES_USER`. */
const beginningOf = (name: string) => name.slice(0, name.startsWith("POSTGRES_") ? 12 : 8);

/** Checks for the first characters of a setting, for `FORMD_`, or a difference by underscores only. */
const looksLikeSetting = (name: string): boolean =>
  !settingNames.includes(name) &&
  (name.startsWith("FORMD_") ||
    settingNames.some(
      (known) =>
        (known.length >= 8 && name.startsWith(beginningOf(known))) ||
        known.replaceAll("_", "") === name.replaceAll("_", ""),
    ));

type Texts = Record<string, string | undefined>;

/** The variables that are set: an empty one is not. */
const withoutEmpty = (environment: Texts): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/**
 * Parses the settings. An empty variable is unset, except where this would skip a check or change database.
 * @param defaults of the runtime, before those of the settings
 * @throws {ConfigError} naming variable, error and allowed values; the value unless it may hold a secret
 */
export function readConfig(environment: Texts, defaults: Record<string, string> = {}): Config {
  const empty = settingNames.find((name) => environment[name] === "" && isNeverEmpty(name));
  if (empty) throw new ConfigError(`${empty} is empty: give it a value, or remove the variable.`);
  const set = { ...defaults, ...withoutEmpty(environment) };
  const parsed = Environment(set);
  if (parsed instanceof type.errors) {
    const name = String(parsed[0]?.path[0]);
    const shown =
      holdsSecret.test(name) || name.endsWith("URL")
        ? "cannot be used"
        : `cannot be ${JSON.stringify(set[name])}`;
    throw new ConfigError(`${name} ${shown}: it must be ${parsed[0]?.expected}.`);
  }
  if (parsed.CAPTCHA_PROVIDER && parsed.CAPTCHA_PROVIDER !== "altcha" && !parsed.CAPTCHA_SECRET) {
    throw new ConfigError(
      "CAPTCHA_SECRET is not set: it must be the provider's secret when CAPTCHA_PROVIDER is turnstile, hcaptcha or recaptcha.",
    );
  }
  if (parsed.SMTP_URL && !parsed.MAIL_FROM)
    throw new ConfigError("MAIL_FROM is not set: it must be the sender's address when SMTP_URL is set.");
  // One client may hold three eighths of the budget, and must be able to send a body of the maximum size.
  const minBytesInProgress = 4 * parsed.MAX_BODY_BYTES;
  const maxBytesInProgress = parsed.MAX_IN_FLIGHT_BODY_BYTES ?? Math.max(33_554_432, minBytesInProgress);
  if (maxBytesInProgress < minBytesInProgress)
    throw new ConfigError(
      `MAX_IN_FLIGHT_BODY_BYTES cannot be ${maxBytesInProgress}: it must be at least 4 times MAX_BODY_BYTES, ${minBytesInProgress}.`,
    );
  const base = parsed.BASE_URL ?? `http://localhost:${parsed.PORT}`;
  return Object.freeze({
    ...parsed,
    BASE_URL: base,
    DOCS_URL: parsed.DOCS_URL ?? base,
    FORMD_DATA_DIR: parsed.FORMD_DATA_DIR ?? ".formd",
    MAX_IN_FLIGHT_BODY_BYTES: maxBytesInProgress,
    dataDirIsDefault: parsed.FORMD_DATA_DIR === undefined,
    unknownNames: Object.keys(set).filter(looksLikeSetting),
  });
}

/** Shown in place of a secret. */
export const redacted = "[redacted]";

/** Removes secrets. In a URL these are all up to an @, which may be in the password, and some parameters. */
function withoutSecrets(name: string, text: string): string {
  if (!name.endsWith("URL")) return holdsSecret.test(name) ? redacted : text;
  return text
    .replace(/:\/\/.*@/s, `://${redacted}@`)
    .replace(/([?&])([^=&]*)=[^&]*/g, (parameter, sign, name) =>
      /pass|secret|token|key|auth|%/i.test(name) ? `${sign}${name}=${redacted}` : parameter,
    );
}

/** A setting as `formd config` shows it. */
export interface SettingInEffect {
  name: SettingName;
  /** Without what is secret. Null: not set, and without a default. */
  value: string | null;
  /** `environment`, `default`, or the path of a file. */
  source: string;
}

/** Returns all settings in effect, in the order of their descriptions. @throws {ConfigError} as readConfig */
export function settingsInEffect(
  environment: Texts,
  defaults: Record<string, string> = {},
): SettingInEffect[] {
  const config = readConfig(environment, defaults);
  const set = withoutEmpty(environment);
  return (Object.keys(settingMeanings) as SettingName[]).map((name) => {
    const owner = name === "MIGRATION_DATABASE_URL" ? set.DATABASE_URL : undefined;
    const text = set[name] ?? owner ?? String(config[name] ?? "");
    return {
      name,
      value: text === "" ? null : withoutSecrets(name, text),
      source: set[name] === undefined ? "default" : "environment",
    };
  });
}
