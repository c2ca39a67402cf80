/**
 * Limits that no setting changes (config.ts has the others), for callers and for stored data. Units come last
 * in the names. Constants that only tune speed (batch sizes, caches, pools) are in the file that uses them.
 *
 * SQL gets a limit as an argument, or declares it as a constant with the same name: `agentSubmit.windowMs` is
 * `c_agent_submit_window_ms`. tests/unit/limits.test.ts compares these and the documentation.
 */
export const limits = {
  /** Forms of a team that have an alias. */
  team: { maxAliases: 20 },
  /**
   * Items per page: default, maximum. `maxCounted`: items that a page counts without a counter. Rows that it
   * looks at for filters that no index has together: `maxLookedAt`; `maxSpread` where an index of one filter
   * finds them all over the table.
   */
  page: {
    defaultItems: 20,
    maxItems: 100,
    maxCounted: 10_000,
    maxLookedAt: 50_000,
    maxSpread: 10_000,
    maxCursorLength: 200,
  },
  /** Unknown parameters that a response names. */
  query: { maxWarnings: 10 },
  name: { maxLength: 500 },
  body: {
    /** Levels of arrays and objects; the top one is level 1. */
    maxDepth: 32,
    /** Values at every level. PostgreSQL's cost for a body depends more on their number than on its bytes. */
    maxValues: 100_000,
    /**
     * Bytes for login, token mint, anonymous session and challenge response. A larger body, where allowed,
     * gets its part of the body budget before it is read, and a submission is authorized before it is parsed.
     */
    maxSmallBytes: 16_384,
    /** From the first byte to the last. */
    maxReadSeconds: 30,
    /**
     * Chunks (of the transfer coding or of TCP) in which a body may arrive, and more per KiB: each takes 1
     * µs, and memory. TCP's smallest default segments, 536 bytes, are two per KiB.
     */
    maxSmallChunks: 512,
    maxChunksPerKiB: 2,
  },
  /** Fields in the body of an HTML form. */
  formPost: { maxFields: 2_000 },
  form: {
    maxFields: 500,
    maxFieldIdLength: 128,
    maxSchemaBytes: 524_288,
    /** Bytes after a patch is merged. */
    maxSettingsBytes: 262_144,
    maxLanguages: 20,
    /** Limits of `settings.examples`, in entries and in characters. */
    maxExamples: 50,
    maxExampleNameLength: 200,
    maxPatchOperations: 100,
    /** Warnings, and problems, in the response of a form. */
    maxNotes: 100,
    /** Values (at any level) in all operations of one patch. `maxSettingsBytes` limits their size. */
    maxPatchSettingsValues: 1_000,
  },
  /** A workbook (`.xlsx`) of which a draft is made. `maxRows`: of all sheets together. */
  workbook: { maxBytes: 4_194_304, maxUnpackedBytes: 33_554_432, maxSheets: 20, maxRows: 10_000 },
  /** A CSV of translations. `maxCells`: of a row. */
  translations: { maxBytes: 4_194_304, maxRows: 20_000, maxCells: 64 },
  /** The page of a form: texts of `settings.page`, in characters, and requests. */
  formPage: {
    /** Controls and options together. A page with more has megabytes, which take seconds of the server. */
    maxControls: 5_000,
    maxTitleLength: 200,
    /** The introduction, and the text after the submission. */
    maxTextLength: 5_000,
    maxLabelLength: 100,
    /** The pictures of settings.page.theme: bytes of each, and characters of an alternative text. */
    maxLogoBytes: 65_536,
    maxCoverBytes: 98_304,
    maxLogoTextLength: 200,
    /** A prefilled URL, which an agent gives to a person. */
    maxPrefilledUrlLength: 2_000,
    maxRedirectUrlLength: 2_000,
    maxEmbedOrigins: 20,
    minAliasLength: 2,
    maxAliasLength: 40,
    /** Requests that only read, per client IP. */
    requestsPerMinute: 120,
    /** Body whose values an error page shows again. */
    maxKeptBytes: 16_384,
    /** The same, beyond the rate limit per client IP. A larger body would take over 1 ms to read and show. */
    maxRefusedBytes: 1_024,
    /** Time during which the page after a submission shows its values. */
    sentValuesMs: 30 * 60_000,
    /** Length of a page's key. */
    maxKeyLength: 64,
    /** Time for which the key of a sent page is remembered: a day longer than a browser keeps a draft. */
    keyLifetimeDays: 8,
  },
  /** Submissions among which the new ones are counted; entries of a news feed, and its requests. */
  followers: { maxFresh: 100, maxEntries: 50, requestsPerMinute: 60 },
  availability: { maxSubmissions: 1_000_000_000 },
  /**
   * Drafts that respondents save. `maxSealedBytes`: of what is stored of one. `maxOpen`: per form;
   * `maxCounted`: those that a form's response counts. New ones and saves: per client IP.
   */
  resume: {
    maxDays: 90,
    defaultDays: 14,
    maxSealedBytes: 65_536,
    maxOpen: 10_000,
    maxCounted: 1_000,
    newPerHour: 10,
    savesPerHour: 60,
  },
  /** Invitations of a form. `maxMails`: the first one and three reminders, each `mailHours` later. */
  invitation: {
    maxPerRequest: 500,
    maxPerForm: 100_000,
    maxLabelLength: 200,
    maxPrefillBytes: 16_384,
    defaultDays: 90,
    maxDays: 730,
    /** Time for which an expired one is kept. */
    keptDays: 90,
    maxMails: 4,
    mailHours: 24,
    /** Time for which a mail is tried, or waits for room in MAIL_MAX_PER_DAY. */
    mailRetryDays: 30,
    /** Invitations that a list searches for a label at a time. */
    maxLookedAt: 5_000,
  },
  /** The `limit` of an option; the text of such an option, in characters; such options, per form. */
  optionLimit: { maxTotal: 1_000_000_000, maxValueLength: 200, maxOptions: 500 },
  /** Uploads, and the fields that take them. */
  file: {
    maxPerField: 10,
    /** Entries of `accept`. */
    maxTypes: 50,
    /** Characters. A longer name is truncated. */
    maxNameLength: 255,
    /** Time after which an unclaimed upload is deleted. */
    unclaimedHours: 24,
    /** The same for one of a page, or of an anonymous session. */
    anonymousHours: 1,
    /** Bytes that an upload has of the team's room before they arrive. */
    firstReservedBytes: 262_144,
    /** Part of the team's room for uploads that no submission has claimed. */
    unclaimedShare: 0.25,
    /** From the first byte to the last. */
    maxReadSeconds: 600,
    /** Per client IP. */
    requestsPerMinute: 120,
  },
  submission: {
    maxMetadataBytes: 16_384,
    /** Members of `data` beyond the form's fields, each of which would be reported. */
    maxUnknownFields: 100,
    /** Rows of an export in the console without the password of the last 15 minutes. */
    maxUnprovedRows: 1_000,
    maxEdits: 100,
    maxReasonLength: 1_000,
    maxReviews: 500,
    /** Deletions in one form post. Each is a transaction of some milliseconds. */
    maxDeletes: 500,
  },
  /** Time for which a change of a submission is told. */
  submissionChange: { lifetimeDays: 30 },
  /** Submissions of a form that a search reads: rows and stored bytes; characters of the text. */
  submissionSearch: { maxRows: 10_000, maxBytes: 33_554_432, maxTextLength: 200 },
  /** Newest submissions of a form that are summarized per field, for at most 20 ms of CPU. */
  submissionSummary: { maxRows: 5_000, maxBytes: 16_777_216 },
  /** Details of an event. Larger ones are replaced by their size. */
  audit: { maxDetailsBytes: 16_384, maxKindLength: 100 },
  /** Scopes in a request, including repeated ones. */
  grant: { maxScopes: 10 },
  /** Window of the rate limits in the settings, which are per minute. */
  rateLimit: { windowMs: 60_000 },
  /** Submissions per agent (specification, "Limits"). */
  agentSubmit: { requests: 1, windowMs: 5_000 },
  idempotency: { maxKeyLength: 255, lifetimeHours: 24 },
  agentSession: { lifetimeDays: 7 },
  anonymousSession: { maxCaptchaTokenLength: 8_192 },
  /** Time from the challenge to the solution. */
  altcha: { lifetimeMinutes: 10 },
  /** A session ends when idle for `idleHours`. A risky action needs a password of the last `proofMinutes`. */
  operatorSession: { lifetimeHours: 12, idleHours: 2, proofMinutes: 15 },
  /** The link that the first start prints. */
  setup: { linkMinutes: 30 },
  operator: {
    maxEmailLength: 320,
    minPasswordLength: 8,
    maxPasswordLength: 1_024,
    minDifferentCharacters: 5,
    /** Passwords that are refused, from the most common one on. */
    commonPasswords: 10_000,
    /** Wrong passwords, per account and client IP, or per account and browser that has signed in before. */
    maxLoginsPerMinute: 10,
    /** Wrong passwords per account, for all client IPs, in browsers that have not signed in before. */
    maxStrangeLoginsPerMinute: 100,
    /** Time for which a browser that has signed in is known. */
    deviceDays: 365,
    /** Lifetimes of an invitation, and of a link to choose a new password. */
    invitationDays: 3,
    resetMinutes: 30,
    /** Limit of an IPv6 /48, as a multiple of the limit per client IP. */
    loginsPerSiteFactor: 4,
  },
  signInConnection: {
    maxPerTeam: 5,
    maxDomains: 20,
    maxRoles: 100,
    maxUrlLength: 2_000,
    maxSecretLength: 1_000,
    maxGroupLength: 200,
    maxScopes: 20,
    maxSubjectLength: 255,
    /** Time from the page to the identity provider and back. */
    stateMinutes: 10,
    /** Timeout of one request to an identity provider. */
    timeoutSeconds: 10,
    maxResponseBytes: 262_144,
    /** Requests to an identity provider at a time, of each process; further ones wait. */
    maxConcurrentRequests: 10,
    /** Requests that wait for it. */
    maxWaitingRequests: 50,
    /** Logouts by one client IP that wait, of each process: providers end sessions of many people at once. */
    maxWaitingLogouts: 1_000,
    /** Tolerated clock difference of an identity provider. */
    clockSkewSeconds: 60,
    /** Time for which an identity provider's endpoints and keys are cached. A sign-in reads the keys. */
    discoveryMinutes: 5,
    /** Time after which keys are read again for an assertion or a logout with an unknown key. */
    keysCooldownSeconds: 5,
    /** Time for which a password set at a terminal works although a connection is required. */
    wayBackMinutes: 60,
  },
  passkey: {
    maxPerOperator: 10,
    /** Time from the page or the button to the response. */
    challengeMinutes: 5,
    /** Time for which a passkey counts, if a workspace requires one before an action. */
    stepUpMinutes: 5,
    maxResponseLength: 8_192,
  },
  challenge: {
    lifetimeMs: 120_000,
    maxAttempts: 3,
    /** Per agent and form. */
    maxOpen: 5,
    /** Time for which a late response gets the error that the challenge has expired. */
    lateResponseHours: 1,
  },
  /** Deleting submissions by a rule. */
  retention: {
    /** The bounds of settings.retention.deleteAfter. */
    maxYears: 20,
    /** Submissions due within a day are counted up to this number. */
    maxCounted: 10_000,
  },
  hold: {
    maxReasonLength: 1_000,
    /** Holds that one response lists. */
    maxListed: 100,
  },
  /** Mails to one address. */
  mail: {
    /** Links to a new password, which anybody can ask for. */
    maxResetsPerHour: 3,
    /** Invitations, and links that an admin makes. */
    maxLinksPerDay: 10,
    /** Other mails to an operator, of all teams. */
    maxPerOperatorAndDay: 20,
    /** Time before an agent's key expires, at which its operators get a mail. */
    keyExpiryDays: 14,
    /** Copies to one address, of one form; of all forms. */
    maxCopiesPerHour: 3,
    maxCopiesPerDay: 10,
    /** Texts of settings.copy, in characters. */
    maxSubjectLength: 200,
    maxTextLength: 5_000,
    /** Recipients of settings.notify. */
    maxRecipients: 20,
    /** Time for which mails are listed. */
    lifetimeDays: 30,
    /** Time from the first attempt to the last. */
    retryHours: 24,
    /** Delay before each retry. The last value repeats. */
    retryDelaysSeconds: [60, 300, 900, 3_600, 7_200],
    /** Delay of a digest's mail: longer than a statement may take. */
    digestWaitSeconds: 30,
    /** The hour in which daily digests are sent. */
    dailyHourUtc: 6,
    /** Values of a mail, in characters. A longer value is truncated. */
    maxValueLength: 2_000,
  },
  webhook: {
    maxPerWorkspace: 20,
    maxUrlLength: 2_000,
    /** Requests to one webhook at a time. */
    maxConcurrent: 4,
    timeoutSeconds: 15,
    /** Time without a success after which a webhook is disabled. */
    failingHours: 120,
    /** Time for which events and their deliveries are kept. */
    lifetimeDays: 30,
    /** Delay before each retry. */
    retryDelaysSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
    maxRetryAfterSeconds: 86_400,
    /** Time for which deliveries are also signed with the previous secret. */
    secretOverlapHours: 24,
    /** Events that one call replays. */
    maxReplayedEvents: 5_000,
    /** Attempts kept per delivery. */
    maxAttemptsKept: 10,
    /** A larger full payload is sent thin. */
    maxFullPayloadBytes: 20_480,
    /** Bytes of a response that are read. */
    maxResponseBytes: 65_536,
  },
  /** Signature-Input of a signed request, for its receipt. A longer one is left out. */
  receipt: { maxSignatureInputLength: 2_000 },
  signingKey: {
    /** Per agent. */
    maxActive: 20,
    maxPemLength: 2_000,
    /** The metric counts keys that expire within this time, enough to register another one. */
    expiryNoticeDays: 7,
  },
  /** Counts per day for the charts of the console. */
  statistics: { keptDays: 90 },
  /** Difference between `created` and the server's clock (specification, "Limits"). */
  signature: { maxSkewSeconds: 300 },
  mcp: {
    /** Values of a message, at every level, without the arguments of a tool. */
    maxEnvelopeValues: 1_000,
    /** Limits of tools/list: tools for forms, the owner's text in a description, one form's schema. */
    maxFormTools: 50,
    maxDescriptionLength: 1_000,
    maxSchemaBytes: 65_536,
    /** Time from one round to the next. */
    stateMinutes: 10,
    /** Rounds in which a call asks a person in a form. After that it links to the form's page. */
    maxRounds: 5,
  },
  /** OAuth with private_key_jwt: time until `exp`, tolerated clock difference, and length of a `jti`. */
  clientAssertion: { maxLifetimeSeconds: 300, maxSkewSeconds: 60, maxIdLength: 255 },
  /** Time after the last assertion for which a person without submissions is kept. */
  respondent: { keptDays: 30 },
  /** An identity provider's assertions about a person: time until `exp`, length of `jti`, token lifetime. */
  personAssertion: { maxLifetimeMinutes: 60, maxIdLength: 255, tokenMinutes: 60 },
  /** Signatures with `tag="web-bot-auth"`: time from `created` to `expires`, and size of the nonce. */
  webBotAuth: { maxLifetimeHours: 24, minNonceBytes: 16, maxNonceBytes: 64 },
  /** Key directories of origins whose programs declare themselves on a page. */
  declaredAgent: {
    maxDirectories: 1_000,
    directoryMs: 300_000,
    /** Cache time of a failure, after which the directory may work again. */
    failureMs: 5_000,
    maxDirectoryBytes: 65_536,
    maxKeys: 50,
    /** Directories read at a time. Other origins are not verified meanwhile. */
    maxFetches: 4,
    timeoutSeconds: 3,
    maxOriginLength: 300,
  },
} as const;
