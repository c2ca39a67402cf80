/**
 * `bun run docs`: writes what the code knows (commands, settings, limits, codes) and compose.yaml into the
 * pages of docs/, between their markers. A test compares; so a page is never behind the code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Argument, Command, Option } from "commander";
import { program } from "../src/cli/program.ts";
import { fieldCodes } from "../src/fields/codes.ts";
import { limits } from "../src/limits.ts";
import { ConfigError, readConfig, type SettingName, settingMeanings } from "../src/platform/config.ts";
import { problemCodes } from "../src/problem.ts";
import { importSources } from "../src/resources/forms/import/sources.ts";

const docs = join(import.meta.dir, "../docs");

/** A cell's bar would end the cell. */
const table = (...rows: string[][]): string =>
  rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
export const tableOf = (head: string[], rows: string[][]): string =>
  table(
    head,
    head.map(() => "---"),
    ...rows,
  );
const code = (text: string) => `\`${text}\``;

/** Defaults that are another setting's value, or no value at all. */
const otherDefaults: Partial<Record<SettingName, string>> = {
  BASE_URL: "`http://localhost:PORT`",
  DOCS_URL: "`BASE_URL`",
  DATABASE_URL: "the embedded database",
  MIGRATION_DATABASE_URL: "`DATABASE_URL`",
  POSTGRES_PROGRAMS: "those that came with formd",
  CAPTCHA_VERIFY_URL: "the provider's",
};

/** Returns the values that a setting takes, from the error message about another value. */
function takenBy(name: string): string {
  try {
    readConfig({ [name]: "?" });
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(/^.*?: it must be (.*)\.$/s, "$1");
    throw error;
  }
  return "a text";
}

function settings(): string {
  const defaults = readConfig({}) as unknown as Record<string, unknown>;
  const defaultOf = (name: SettingName) => {
    const value = String(defaults[name] ?? "");
    return otherDefaults[name] ?? (value === "" ? "none" : code(value));
  };
  return tableOf(
    ["variable", "default", "meaning", "takes"],
    (Object.keys(settingMeanings) as SettingName[]).map((name) => [
      code(name),
      defaultOf(name),
      settingMeanings[name],
      takenBy(name),
    ]),
  );
}

interface Leaf {
  name: string;
  /** Heading of its group in `formd --help`. */
  group: string;
  command: Command;
}

/** The commands that do something, such as "form publish". */
const leavesOf = (command: Command, parent = "", ofGroup?: string): Leaf[] =>
  command.commands.flatMap((each) => {
    const name = `${parent}${each.name()}`;
    const group = ofGroup ?? each.helpGroup().replace(/:$/, "");
    return each.commands.length > 0 ? leavesOf(each, `${name} `, group) : [{ name, group, command: each }];
  });

const usageOf = ({ name, command }: Leaf) =>
  [
    name,
    ...command.registeredArguments.map((argument: Argument) =>
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    ),
    ...command.options.flatMap((option: Option) => (option.mandatory ? [option.flags] : [])),
  ].join(" ");

function optionText({ description, defaultValue, argChoices }: Option): string {
  const isShown = typeof defaultValue === "boolean" || description.includes("default:");
  return [
    description,
    ...(argChoices ? [`one of ${argChoices.join(", ")}`] : []),
    ...(defaultValue === undefined || isShown ? [] : [`default: ${defaultValue}`]),
  ]
    .filter(Boolean)
    .join("; ");
}

const unused = () => {
  throw new Error("nothing is served here");
};
const leaves = leavesOf(await program({ name: "docs", listen: unused, environment: {} }));

export const commandNames = (): string[] => leaves.map(({ name }) => name);

/** Options with a sentence above the tables, in place of a row per command. */
const ofMany = ["--json", "--quiet"];

/** The options of a command, in a cell below what it does. */
const optionsOf = ({ command }: Leaf): string[] =>
  command.options
    .filter(({ long, hidden }) => !ofMany.includes(long ?? "") && !hidden)
    .map((option) => `${code(option.flags)}: ${optionText(option)}`);

function commands(): string {
  const groups = [...Map.groupBy(leaves, ({ group }) => group)].flatMap(([group, list]) => [
    `### ${group}`,
    "",
    tableOf(
      ["command", "does"],
      list.map((leaf) => [
        code(usageOf(leaf)),
        [leaf.command.description(), ...optionsOf(leaf)].join("<br>"),
      ]),
    ),
    "",
  ]);
  return groups.slice(0, -1).join("\n");
}

type Limits = typeof limits;
type LimitName = { [Group in keyof Limits]: `${Group}.${keyof Limits[Group] & string}` }[keyof Limits];

/** Meanings of the limits, for one kind of reader. */
type Meanings = Partial<Record<LimitName, string>>;

const forAgents = {
  "page.defaultItems": "items on a page of a list, by default",
  "page.maxItems": "items on a page of a list",
  "page.maxCursorLength": "characters of a cursor",
  "query.maxWarnings": "unknown parameters of a query that a response names",
  "name.maxLength": "characters of a name",
  "body.maxDepth": "levels of arrays and objects in a body",
  "body.maxValues": "values in a body, at every level",
  "body.maxSmallBytes": "a body of sign-in, token, anonymous session, challenge response",
  "body.maxReadSeconds": "time in which a body must arrive",
  "file.maxNameLength": "characters of a file's name; a longer one is cut",
  "file.unclaimedHours": "time in which a submission must name an upload",
  "file.anonymousHours": "time in which a submission must name an upload by a page or an anonymous session",
  "file.maxReadSeconds": "time in which a file must arrive",
  "file.requestsPerMinute": "uploads per client IP and minute",
  "submission.maxMetadataBytes": "metadata of a submission",
  "submission.maxUnknownFields": "members of `data` beyond the number of the form's fields",
  "grant.maxScopes": "scopes in a request, repeated ones included",
  "agentSubmit.requests": "submissions of an agent per window",
  "agentSubmit.windowMs": "window in which submissions of an agent count",
  "idempotency.maxKeyLength": "characters of an `Idempotency-Key`",
  "idempotency.lifetimeHours": "time for which an `Idempotency-Key` is remembered",
  "agentSession.lifetimeDays": "lifetime of an agent's session token",
  "anonymousSession.maxCaptchaTokenLength": "characters of a CAPTCHA token",
  "altcha.lifetimeMinutes": "time from an ALTCHA challenge to its solution",
  "challenge.lifetimeMs": "lifetime of a challenge",
  "challenge.maxAttempts": "attempts at a challenge",
  "challenge.maxOpen": "open challenges per agent and form",
  "challenge.lateResponseHours": "time in which a late response is told that its challenge has expired",
  "receipt.maxSignatureInputLength": "characters of `Signature-Input` that a receipt has",
  "signingKey.maxActive": "active signing keys of an agent",
  "signingKey.maxPemLength": "characters of a public key",
  "signature.maxSkewSeconds": "difference between `created` of a signature and the server's clock",
  "mcp.maxFormTools": "tools of forms in `tools/list`",
  "mcp.maxDescriptionLength": "characters of an owner's text in a tool's description",
  "mcp.maxSchemaBytes": "JSON Schema of one form's tool",
  "mcp.stateMinutes": "time from one round of a tool call to the next",
  "mcp.maxRounds": "rounds in which one tool call asks a person",
  "clientAssertion.maxLifetimeSeconds": "lifetime of an OAuth assertion",
  "clientAssertion.maxSkewSeconds": "tolerated difference of clocks for an OAuth assertion",
  "clientAssertion.maxIdLength": "characters of the `jti` of an OAuth assertion",
  "personAssertion.maxLifetimeMinutes": "time to `exp` of an assertion that names a person",
  "personAssertion.maxIdLength": "characters of the `jti` of an assertion that names a person",
  "personAssertion.tokenMinutes": "lifetime of the token for a person",
  "webBotAuth.maxLifetimeHours": "time from `created` to `expires` (Web Bot Auth)",
  "webBotAuth.minNonceBytes": "nonce, at least (Web Bot Auth)",
  "webBotAuth.maxNonceBytes": "nonce (Web Bot Auth)",
} satisfies Meanings;

const forOwners = {
  "team.maxAliases": "forms of a team that have an alias",
  "page.maxCounted": "items of a list that `total` counts",
  "page.maxLookedAt":
    "submissions, or events of each filter, that a page of a list looks at for filters without an index",
  "page.maxSpread":
    "submissions of one filter with an index that a page of a list looks at for the other filters",
  "form.maxFields": "fields of a form",
  "form.maxFieldIdLength": "characters of a field's id",
  "form.maxSchemaBytes": "schema of a form",
  "form.maxSettingsBytes": "settings of a form",
  "form.maxLanguages": "languages of a form",
  "form.maxExamples": "examples of a form",
  "form.maxNotes": "warnings, and problems, in the response of a form",
  "form.maxExampleNameLength": "characters of the name of an example",
  "form.maxPatchOperations": "operations of a patch",
  "form.maxPatchSettingsValues": "values of settings in a patch, all operations together",
  "workbook.maxBytes": "workbook (`.xlsx`) of which a draft is made; JSON: `MAX_BODY_BYTES`",
  "workbook.maxUnpackedBytes": "parts of such a workbook that are read, unpacked",
  "workbook.maxSheets": "sheets of such a workbook",
  "workbook.maxRows": "rows of such a workbook that are read",
  "translations.maxBytes": "CSV of translations that is read",
  "translations.maxRows": "rows of such a CSV",
  "translations.maxCells": "cells of such a row",
  "formPage.maxControls": "controls and options of the page of a form, together",
  "formPage.maxTitleLength": "characters of a page's title",
  "formPage.maxTextLength": "characters of a page's introduction, and of the text after the submission",
  "formPage.maxLabelLength": "characters of the label of a page's button",
  "formPage.maxLogoBytes": "bytes of a page's logo",
  "formPage.maxCoverBytes": "bytes of a page's cover picture",
  "formPage.maxLogoTextLength": "characters of the text in place of a picture",
  "formPage.maxPrefilledUrlLength": "characters of a page's address with values",
  "formPage.maxRedirectUrlLength": "characters of the address that follows a submission",
  "formPage.maxEmbedOrigins": "sites that may show a page in a frame",
  "formPage.minAliasLength": "characters of a page's alias, at least",
  "formPage.maxAliasLength": "characters of a page's alias",
  "formPage.requestsPerMinute": "pages that a client IP reads per minute",
  "formPage.sentValuesMs": "time for which the page after a submission shows its values",
  "formPage.maxKeyLength": "characters of the key of one page",
  "formPage.keyLifetimeDays": "time for which the key of a sent page is remembered",
  "followers.maxFresh": "submissions that the console counts as new",
  "followers.maxEntries": "submissions in a news feed",
  "followers.requestsPerMinute": "requests of news feeds per client IP and minute",
  "availability.maxSubmissions": "the largest `maxSubmissions`",
  "optionLimit.maxTotal": "the largest `limit` of an option",
  "optionLimit.maxValueLength": "characters of the value of an option with a limit",
  "optionLimit.maxOptions": "options with a limit in a form",
  "file.maxPerField": "files of a field",
  "file.maxTypes": "entries of `accept`",
  "submission.maxEdits": "edits in one request",
  "submission.maxReasonLength": "characters of a reason",
  "submission.maxReviews": "submissions that one decision in the console reviews",
  "submission.maxDeletes": "submissions that one step of a deletion in the console deletes",
  "submissionChange.lifetimeDays": "time for which a list of changes has a change",
  "submissionSearch.maxRows": "newest submissions that a search reads",
  "submissionSearch.maxTextLength": "characters of a text that is searched for",
  "submissionSummary.maxRows": "newest submissions that the console summarizes per question",
  "audit.maxDetailsBytes": "details of an event; larger ones are replaced by their size",
  "audit.maxKindLength": "characters of an event's kind in a filter",
  "retention.maxYears": "longest `settings.retention.deleteAfter`, in years",
  "retention.maxCounted": "submissions due within a day that are counted",
  "hold.maxReasonLength": "characters of the reason of a hold",
  "hold.maxListed": "holds that one response lists",
  "mail.maxCopiesPerHour": "copies of one form that an address gets per hour",
  "mail.maxCopiesPerDay": "copies that an address gets per day",
  "mail.maxSubjectLength": "characters of the subject of copies",
  "mail.maxTextLength": "characters of the text of copies",
  "mail.maxRecipients": "recipients in `settings.notify`",
  "mail.maxValueLength": "characters of a value in a mail",
  "webhook.maxPerWorkspace": "webhooks of a workspace",
  "webhook.maxUrlLength": "characters of a webhook's URL",
  "webhook.timeoutSeconds": "time in which a receiver must respond",
  "webhook.failingHours": "time without a success after which a webhook is disabled",
  "webhook.lifetimeDays": "time for which events are kept",
  "webhook.retryDelaysSeconds": "delay before each retry of a delivery",
  "webhook.maxRetryAfterSeconds": "the longest `Retry-After` of a webhook's receiver that is followed",
  "webhook.secretOverlapHours": "time for which deliveries are signed with the previous secret as well",
  "webhook.maxReplayedEvents": "events that one call sends again",
  "webhook.maxAttemptsKept": "attempts of a delivery that are kept",
  "webhook.maxFullPayloadBytes": "a full payload; a larger one is sent thin",
  "resume.maxDays": "time for which a saved draft is kept, at most",
  "resume.defaultDays": "time for which a saved draft is kept, unless the form says another",
  "resume.maxCounted": "open drafts that a form's response counts",
  "invitation.maxPerRequest": "invitations in one request",
  "invitation.maxPerForm": "invitations of a form",
  "invitation.maxLabelLength": "characters of an invitation's label",
  "invitation.maxPrefillBytes": "values of an invitation",
  "invitation.defaultDays": "time after which an invitation expires, unless it says another",
  "invitation.maxDays": "time after which an invitation expires, at most",
  "invitation.keptDays": "time for which an expired invitation is kept",
  "invitation.maxMails": "mails to an invited person: the first one and reminders",
  "invitation.mailHours": "time between two mails to an invited person",
  "invitation.mailRetryDays": "time for which a mail of an invitation is tried, or waits",
  "invitation.maxLookedAt": "invitations that a search for a label looks at in one page",
} satisfies Meanings;

const forOperators = {
  "body.maxSmallChunks": "chunks in which a body may arrive",
  "body.maxChunksPerKiB": "further chunks per KiB of a body",
  "formPost.maxFields": "names and values of a posted HTML form",
  "formPage.maxKeptBytes": "a posted page whose values are shown again after a failure",
  "formPage.maxRefusedBytes":
    "a posted page whose values are shown again after a failure, over the rate limit",
  "file.firstReservedBytes": "space of a team that an upload reserves before it arrives",
  "file.unclaimedShare": "share of a team's space for uploads that no submission has named",
  "submission.maxUnprovedRows":
    "submissions of an export in the console without a password or passkey of the last 15 minutes",
  "submissionSearch.maxBytes": "stored bytes of the values that a search reads",
  "submissionSummary.maxBytes": "stored bytes of the values that the console summarizes",
  "rateLimit.windowMs": "window of the rate limits in the settings",
  "operatorSession.lifetimeHours": "lifetime of an operator's session",
  "operatorSession.idleHours": "time without use after which an operator's session ends",
  "operatorSession.proofMinutes": "time after which a risky action asks for the password again",
  "setup.linkMinutes": "lifetime of the link that the first start prints",
  "operator.maxEmailLength": "characters of an e-mail address",
  "operator.minPasswordLength": "characters of a password, at least",
  "operator.maxPasswordLength": "characters of a password",
  "operator.minDifferentCharacters": "different characters of a password, at least",
  "operator.commonPasswords": "the most common passwords, which are refused",
  "operator.maxLoginsPerMinute": "wrong passwords per minute, of one account and client IP",
  "operator.maxStrangeLoginsPerMinute": "wrong passwords per minute, of one account",
  "operator.deviceDays": "time for which a browser that has signed in is known",
  "operator.invitationDays": "lifetime of an invitation",
  "operator.resetMinutes": "lifetime of a link to a new password",
  "operator.loginsPerSiteFactor":
    "limit of wrong passwords of an IPv6 /48, as a multiple of the one per client IP",
  "signInConnection.maxPerTeam": "sign-in connections per team, and of the installation",
  "signInConnection.maxDomains": "domains of a sign-in connection",
  "signInConnection.maxRoles": "roles of a sign-in connection",
  "signInConnection.maxUrlLength": "characters of an issuer",
  "signInConnection.maxSecretLength": "characters of a client id, and of a client secret",
  "signInConnection.maxGroupLength": "characters of a group, and of the name of the groups' claim",
  "signInConnection.maxScopes": "scopes of a connection beside `openid`, `email` and `profile`",
  "signInConnection.maxSubjectLength": "characters of a subject, and of an identity provider's session",
  "signInConnection.stateMinutes": "time from the page to the identity provider and back",
  "signInConnection.timeoutSeconds": "time for one request to an identity provider",
  "signInConnection.maxResponseBytes": "bytes of an identity provider's response",
  "signInConnection.maxConcurrentRequests": "requests to an identity provider at a time, per process",
  "signInConnection.maxWaitingRequests": "requests that wait to be sent to an identity provider",
  "signInConnection.maxWaitingLogouts": "logouts by one client IP that wait, per process",
  "signInConnection.clockSkewSeconds": "tolerated difference of an identity provider's clock",
  "signInConnection.discoveryMinutes": "time for which an identity provider's endpoints and keys are kept",
  "signInConnection.keysCooldownSeconds":
    "time after which keys are read again for an assertion with an unknown key",
  "signInConnection.wayBackMinutes":
    "time for which a password set at a terminal works although a connection is required",
  "passkey.maxPerOperator": "passkeys per operator",
  "passkey.challengeMinutes": "time in which a browser must give the passkey that a page asks for",
  "passkey.stepUpMinutes":
    "time after which an action asks for the passkey again, where a workspace requires one",
  "passkey.maxResponseLength": "length of a member of a browser's response for a passkey",
  "mail.maxResetsPerHour": "links to a new password that an address gets per hour, from all requests",
  "mail.maxLinksPerDay": "links of admins that an address gets per day: invitations, new passwords",
  "mail.maxPerOperatorAndDay": "other mails that an operator gets per day, of all teams",
  "mail.keyExpiryDays": "time from the mail about an agent's key that expires to the end of the key",
  "mail.lifetimeDays": "time for which the list of mails has a mail",
  "mail.retryHours": "time for which a mail is retried",
  "mail.retryDelaysSeconds": "delay before each retry of a mail",
  "mail.digestWaitSeconds": "time from a digest's period to its mail",
  "mail.dailyHourUtc": "the hour (UTC) of daily digests",
  "webhook.maxConcurrent": "requests to one webhook at a time",
  "webhook.maxResponseBytes": "bytes of a webhook's response that are read",
  "signingKey.expiryNoticeDays": "time before a signing key's end from which the metric counts it",
  "statistics.keptDays": "days of the console's charts",
  "mcp.maxEnvelopeValues": "values in an MCP message, without the arguments of a tool",
  "respondent.keptDays":
    "time after the last assertion for which a person without submissions and grants is kept",
  "declaredAgent.maxDirectories": "key directories of declared programs that a server keeps",
  "declaredAgent.directoryMs": "time for which a server keeps a key directory",
  "declaredAgent.failureMs": "time after which a key directory that failed is read again",
  "declaredAgent.maxDirectoryBytes": "a key directory",
  "declaredAgent.maxKeys": "keys of a key directory",
  "declaredAgent.maxFetches": "key directories that are read at a time",
  "declaredAgent.timeoutSeconds": "time in which a key directory must arrive",
  "declaredAgent.maxOriginLength": "characters of the origin of a declared program",
  "resume.maxSealedBytes": "a saved draft, sealed",
  "resume.maxOpen": "drafts of a form that are open",
  "resume.newPerHour": "new drafts, per client IP, in an hour",
  "resume.savesPerHour": "saves of drafts, per client IP, in an hour",
} satisfies Meanings;

// A limit without its sentence does not compile.
({ ...forAgents, ...forOwners, ...forOperators }) satisfies Record<LimitName, string>;

const mebibyte = 1024 ** 2;

/** A limit with its unit, which its name ends with. */
function shownValue(name: string, value: number): string {
  const count = value.toLocaleString("en");
  const plural = (unit: string) => `${count} ${unit}${value === 1 ? "" : "s"}`;
  if (name.endsWith("Ms")) return `${(value / 1000).toLocaleString("en")} s`;
  if (name.endsWith("Bytes"))
    return value % mebibyte === 0
      ? `${value / mebibyte} MiB`
      : value % 1024 === 0
        ? `${value / 1024} KiB`
        : plural("byte");
  if (name.endsWith("Seconds")) return `${count} s`;
  const [unit] = /Minutes|Hours|Days/.exec(/(?:Minutes|Hours|Days)$/.test(name) ? name : "") ?? [];
  return unit ? plural(unit.slice(0, -1).toLowerCase()) : count;
}

const shownLimit = (name: string): string => {
  const [group = "", member = ""] = name.split(".");
  const value = (limits as Record<string, Record<string, number | readonly number[]>>)[group]?.[member];
  return [value ?? []]
    .flat()
    .map((each) => shownValue(member, each))
    .join(", ");
};

/** Tables of the questions of each source, and lists of other losses. */
const importTables = (): string =>
  importSources
    .map(([name, { title, kinds, losses }]) => {
      const rows = Object.entries(kinds).map(([kind, { type, loss }]) => [
        code(kind),
        type === undefined ? "left out" : code(type),
        loss ?? (type === undefined ? "There is no such question." : ""),
      ]);
      const lost =
        losses.length === 0
          ? ""
          : `\n\nLost or changed, too:\n\n${losses.map((each) => `- ${each}`).join("\n")}`;
      return `### ${title}\n\n\`--from ${name}\`\n\n${tableOf(["question", "in formd", "what is lost"], rows)}${lost}`;
    })
    .join("\n\n");

/** A table for one kind of reader, in the order of its meanings. */
const limitsFor = (meanings: Meanings): string =>
  tableOf(
    ["what", "limit"],
    Object.entries(meanings).map(([name, meaning]) => [meaning, shownLimit(name)]),
  );

/** The parts that are written, each with its page. */
export const parts: Record<string, { page: string; write: () => string }> = {
  settings: { page: "operate/settings.md", write: settings },
  commands: { page: "operate/commands.md", write: commands },
  "limits for agents": { page: "agents/limits.md", write: () => limitsFor(forAgents) },
  "limits for owners": { page: "owners/limits.md", write: () => limitsFor(forOwners) },
  "limits for operators": { page: "operate/limits.md", write: () => limitsFor(forOperators) },
  problems: {
    page: "agents/errors.md",
    write: () =>
      tableOf(
        ["code", "status", "message"],
        Object.entries(problemCodes).map(([name, [status, message]]) => [
          code(name),
          String(status),
          message,
        ]),
      ),
  },
  "sources of imports": { page: "owners/import.md", write: importTables },
  compose: {
    page: "operate/container.md",
    write: () => `\`\`\`yaml\n${readFileSync(join(docs, "../compose.yaml"), "utf8")}\`\`\``,
  },
  values: {
    page: "agents/errors.md",
    write: () =>
      tableOf(
        ["code", "meaning", "how to fix it"],
        Object.entries(fieldCodes).map(([name, { meaning, fix }]) => [code(name), meaning, fix]),
      ),
  },
};

/** A page with another part between its markers. @throws when the page has no place for it */
export function withPart(text: string, name: string, part: string): string {
  const begin = `<!-- Written by bun run docs: ${name} -->\n`;
  const end = `<!-- End of ${name} -->`;
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`There is no place for ${name}.`);
  return `${head}${begin}\n${part}\n\n${end}${tail}`;
}

if (import.meta.main)
  for (const [name, { page, write }] of Object.entries(parts)) {
    const path = join(docs, page);
    writeFileSync(path, withPart(readFileSync(path, "utf8"), name, write()));
  }
