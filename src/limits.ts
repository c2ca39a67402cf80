/**
 * Limits that no setting changes (those with a setting are in config.ts), for callers and for what is kept.
 * Units come last in the names. What only tunes speed (batch sizes, caches, pools) is a constant of the file
 * that uses it.
 *
 * SQL gets a limit as an argument, or declares it as a constant with the same name: `agentSubmit.windowMs` is
 * `c_agent_submit_window_ms`. tests/unit/limits.test.ts compares this file, those constants and the
 * documentation.
 */
export const limits = {
  /** Forms of a team that have an alias. */
  team: { maxAliases: 20 },
  /**
   * Items per page of a list: by default, and at most. Items that a page counts, from its first one on, where
   * no counter has their number.
   */
  page: { defaultItems: 20, maxItems: 100, maxCounted: 10_000 },
  name: { maxLength: 500 },
  body: {
    /** Levels of arrays and objects; the top one is level 1. */
    maxDepth: 32,
    /**
     * Values at every level: what PostgreSQL spends on a body grows with their number more than with its
     * bytes.
     */
    maxValues: 100_000,
    /**
     * For login, token mint, anonymous session and challenge response. Where larger ones are allowed, they
     * have their part of the body budget before they are read, and a submission is authorized before it is
     * parsed.
     */
    maxSmallBytes: 16_384,
    /** From the first byte to the last. */
    maxReadSeconds: 30,
    /**
     * Chunks (of the transfer coding, or as TCP brings them) that a body may arrive in, and more per KiB:
     * each takes 1 µs, and memory. The smallest segments that TCP has by default, 536 bytes, are two per KiB.
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
    /** After the merge of a patch. */
    maxSettingsBytes: 131_072,
    /** Limits of `settings.examples`, in entries and in characters. */
    maxExamples: 50,
    maxExampleNameLength: 200,
    maxPatchOperations: 100,
    /** All operations together; values at every level. The bytes are those of maxSettingsBytes. */
    maxPatchSettingsValues: 1_000,
  },
  /** The page of a form: texts of `settings.page`, in characters, and requests. */
  formPage: {
    /** Controls and options together: a page of more is megabytes, which take seconds of the server. */
    maxControls: 5_000,
    maxTitleLength: 200,
    /** The introduction, and the text after the submission. */
    maxTextLength: 5_000,
    maxLabelLength: 100,
    /** The logo, settings.page.theme.logo: of the picture, and characters of the text in its place. */
    maxLogoBytes: 65_536,
    maxLogoTextLength: 200,
    /** A URL with values, which an agent leads a person to. */
    maxPrefilledUrlLength: 2_000,
    maxRedirectUrlLength: 2_000,
    maxEmbedOrigins: 20,
    minAliasLength: 2,
    maxAliasLength: 40,
    /** Requests that only read, per client IP. */
    requestsPerMinute: 120,
    /** A body whose values the page of a failure keeps. */
    maxKeptBytes: 16_384,
    /** The same, over the rate limit of the client IP: more would take over 1 ms to read and to show. */
    maxRefusedBytes: 1_024,
    /** How long the page after a submission shows the values. */
    sentValuesMs: 30 * 60_000,
    /** The key of one page. */
    maxKeyLength: 64,
  },
  availability: { maxSubmissions: 1_000_000_000 },
  /** The `limit` of an option; the text of such an option, in characters; such options, per form. */
  optionLimit: { maxTotal: 1_000_000_000, maxValueLength: 200, maxOptions: 500 },
  /** Uploads, and the fields that take them. */
  file: {
    maxPerField: 10,
    /** Entries of `accept`. */
    maxTypes: 50,
    /** Characters; a longer name is cut. */
    maxNameLength: 255,
    /** An upload that no submission names is deleted. */
    unclaimedHours: 24,
    /** From the first byte to the last. */
    maxReadSeconds: 600,
    /** Per client IP. */
    requestsPerMinute: 120,
  },
  submission: {
    maxMetadataBytes: 16_384,
    maxEdits: 100,
    maxReasonLength: 1_000,
    maxReviews: 500,
    /** In one form post; each is a transaction of some milliseconds. */
    maxDeletes: 500,
  },
  /** The newest of a form that a search reads: rows, bytes as they are stored; and the text's characters. */
  submissionSearch: { maxRows: 10_000, maxBytes: 33_554_432, maxTextLength: 200 },
  /** The newest of a form whose values are summed up field by field, for 20 ms of CPU at most. */
  submissionSummary: { maxRows: 5_000, maxBytes: 16_777_216 },
  /** Details of an event; larger ones are replaced by their size. */
  audit: { maxDetailsBytes: 16_384, maxKindLength: 100 },
  /** In a request, repeated ones included. */
  grant: { maxScopes: 10 },
  /** The span in which the rate limits of the settings, which are per minute, count. */
  rateLimit: { windowMs: 60_000 },
  /** Submissions per agent (specification, "Limits"). */
  agentSubmit: { requests: 1, windowMs: 5_000 },
  idempotency: { maxKeyLength: 255, lifetimeHours: 24 },
  agentSession: { lifetimeDays: 7 },
  anonymousSession: { maxCaptchaTokenLength: 8_192 },
  /** From the challenge to the solution. */
  altcha: { lifetimeMinutes: 10 },
  /**
   * A session ends after its lifetime, and earlier when it has not been used for `idleHours`. A risky act
   * asks for the password again when it was given longer ago than `proofMinutes`.
   */
  operatorSession: { lifetimeHours: 12, idleHours: 2, proofMinutes: 15 },
  /** The link that the first start prints. */
  setup: { linkMinutes: 30 },
  operator: {
    maxEmailLength: 320,
    minPasswordLength: 8,
    maxPasswordLength: 1_024,
    /** Passwords that are refused, from the most common one on. */
    commonPasswords: 10_000,
    /** Wrong passwords, per account and client IP, or browser that has signed in before. */
    maxLoginsPerMinute: 10,
    /** Wrong passwords for an account, whatever the client IP, of browsers that have not signed in before. */
    maxStrangeLoginsPerMinute: 100,
    /** For which a browser that has signed in is known. */
    deviceDays: 365,
    /** An invitation, and a link to choose a new password. */
    invitationDays: 3,
    resetMinutes: 30,
    /** What the /48 of an IPv6 address may do, in multiples of what one client IP may. */
    loginsPerSiteFactor: 4,
  },
  signInConnection: {
    maxPerTeam: 5,
    maxDomains: 20,
    maxRoles: 100,
    maxUrlLength: 2_000,
    maxSecretLength: 1_000,
    maxGroupLength: 200,
    maxSubjectLength: 255,
    /** From the page to the identity provider and back. */
    stateMinutes: 10,
    /** For one request to an identity provider. */
    timeoutSeconds: 10,
    maxResponseBytes: 262_144,
    /** By which the clock of an identity provider may differ. */
    clockSkewSeconds: 60,
    /** For which what an identity provider says of its endpoints is used; its keys are read each time. */
    discoveryMinutes: 5,
    /** After which keys are read again for an assertion by a key that is not known. */
    keysCooldownSeconds: 5,
    /** For which a password that was set at a terminal works although a connection is required. */
    wayBackMinutes: 60,
  },
  passkey: {
    maxPerOperator: 10,
    /** From the page or the button to the response. */
    challengeMinutes: 5,
    /** For which a passkey counts, where a workspace asks for one before an act. */
    stepUpMinutes: 5,
    maxResponseLength: 8_192,
  },
  challenge: {
    lifetimeMs: 120_000,
    maxAttempts: 3,
    /** Per agent and form. */
    maxOpen: 5,
    /** For so long a late response is told that the challenge has expired. */
    lateResponseHours: 1,
  },
  /** Deleting submissions by a rule. */
  retention: {
    /** The bounds of settings.retention.deleteAfter. */
    maxYears: 20,
    /** What goes within a day is counted up to this number. */
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
    /** Before an agent's key expires, its operators get a mail. */
    keyExpiryDays: 14,
    /** Copies to one address, of one form; of all forms. */
    maxCopiesPerHour: 3,
    maxCopiesPerDay: 10,
    /** Texts of settings.copy, in characters. */
    maxSubjectLength: 200,
    maxTextLength: 5_000,
    /** Recipients of settings.notify. */
    maxRecipients: 20,
    /** The list of mails. */
    lifetimeDays: 30,
    /** From the first attempt to the last. */
    retryHours: 24,
    /** From a failed attempt to the next one; the last is that of all that follow. */
    retryDelaysSeconds: [60, 300, 900, 3_600, 7_200],
    /** Between the time of a digest and its mail: longer than a statement may take. */
    digestWaitSeconds: 30,
    /** The hour in which daily digests are sent. */
    dailyHourUtc: 6,
    /** Values of a mail, in characters; a longer one is cut. */
    maxValueLength: 2_000,
  },
  webhook: {
    maxPerWorkspace: 20,
    maxUrlLength: 2_000,
    /** Requests to one webhook at a time. */
    maxConcurrent: 4,
    timeoutSeconds: 15,
    /** After this time without a success a webhook is disabled. */
    failingHours: 120,
    /** Events and their deliveries. */
    lifetimeDays: 30,
    /** From a failed attempt to the next one. */
    retryDelaysSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
    maxRetryAfterSeconds: 86_400,
    /** How long deliveries are signed with the previous secret as well. */
    secretOverlapHours: 24,
    /** By one call. */
    maxReplayedEvents: 5_000,
    /** Attempts kept per delivery. */
    maxAttemptsKept: 10,
    /** A full payload that is larger is sent thin. */
    maxFullPayloadBytes: 20_480,
    /** The part of a response that is read. */
    maxResponseBytes: 65_536,
  },
  /** Signature-Input of a signed request, for its receipt; a longer one is left out. */
  receipt: { maxSignatureInputLength: 2_000 },
  signingKey: {
    /** Per agent. */
    maxActive: 20,
    maxPemLength: 2_000,
    /** The metric counts keys that expire within these days: enough time to register another one. */
    expiryNoticeDays: 7,
  },
  /** What the charts of the console count per day. */
  statistics: { keptDays: 90 },
  /** Between `created` and our clock (specification, "Limits"). */
  signature: { maxSkewSeconds: 300 },
  mcp: {
    /** Values of a message, at every level, without the arguments of a tool. */
    maxEnvelopeValues: 1_000,
    /** In tools/list: tools for forms, the owner's text in a description, and the JSON Schema of one form. */
    maxFormTools: 50,
    maxDescriptionLength: 1_000,
    maxSchemaBytes: 65_536,
    /** From one round to the next. */
    stateMinutes: 10,
    /** In which one call asks a person in a form; then it leads to the form's page. */
    maxRounds: 5,
  },
  /** OAuth by private_key_jwt: from now to `exp`, how far clocks may differ, and of a `jti`. */
  clientAssertion: { maxLifetimeSeconds: 300, maxSkewSeconds: 60, maxIdLength: 255 },
  /** For a person whom no submission names, from the last assertion on. */
  respondent: { keptDays: 30 },
  /** Assertions of an identity provider that name a person: to `exp`, of a `jti`, and the token's life. */
  personAssertion: { maxLifetimeMinutes: 60, maxIdLength: 255, tokenMinutes: 60 },
  /**
   * Signatures with `tag="web-bot-auth"`: the time from `created` to `expires`, and the nonce as it is sent.
   */
  webBotAuth: { maxLifetimeHours: 24, minNonceBytes: 16, maxNonceBytes: 64 },
  /** Directories of origins whose programs declare themselves on a page, and how they are read. */
  declaredAgent: {
    maxDirectories: 1_000,
    directoryMs: 300_000,
    /** For one that could not be read, which may work again soon. */
    failureMs: 5_000,
    maxDirectoryBytes: 65_536,
    maxKeys: 50,
    /** At the same time; meanwhile other origins are not verified. */
    maxFetches: 4,
    timeoutSeconds: 3,
    maxOriginLength: 300,
  },
} as const;
