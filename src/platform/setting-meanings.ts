/** What each setting means, for docs/operate/settings.md: a setting without its sentence does not compile. */
import type { SettingName } from "./config.ts";

export const settingMeanings: Record<SettingName, string> = {
  PORT: "port to listen on",
  HOST: "IP address or host name to listen on; on Deno the default is 127.0.0.1",
  BASE_URL: "public URL of this server, without a path",
  ALLOWED_HOSTS: "more hosts that requests may name",
  DOCS_URL: "where links to the documentation lead",
  DATABASE_URL: "the server's connection; PostgreSQL 15 or newer, encoding UTF8",
  MIGRATION_DATABASE_URL: "the owner's connection, for `migrate` and other commands",
  DATABASE_POOL_SIZE: "connections per process at most; a warning when PostgreSQL has fewer",
  DATABASE_PREPARE: "false behind a pooler without prepared statements",
  FORMD_DATA_DIR: "directory of the embedded database",
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
