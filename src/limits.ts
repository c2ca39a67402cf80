/**
 * Limits that no setting changes (those with a setting are in config.ts), for callers and for what is kept. Units come last in the names.
 * What only tunes speed (batch sizes, caches, pools) is a constant of the file that uses it.
 *
 * SQL gets a limit as an argument, or declares it as a constant with the same name: `agentSubmit.windowMs` is
 * `c_agent_submit_window_ms`. tests/unit/limits.test.ts compares this file, those constants and the documentation.
 */
export const limits = {
  /** Items per page of a list: by default, and at most. Items that a page counts, from its first one on, where no counter has their number. */
  page: { defaultItems: 20, maxItems: 100, maxCounted: 10_000 },
  name: { maxLength: 500 },
  body: {
    /** Levels of arrays and objects; the top one is level 1. */
    maxDepth: 32,
    /** Values at every level: what PostgreSQL spends on a body grows with their number more than with its bytes. */
    maxValues: 100_000,
    /**
     * Of login, token mint, anonymous session and challenge response. Where larger ones are allowed, they have their part of the body budget
     * before they are read, and a submission is authorized before it is parsed.
     */
    maxSmallBytes: 16_384,
    /** From the first byte to the last. */
    maxReadSeconds: 30,
    /**
     * Chunks (of the transfer coding, or as TCP brings them) that a body may arrive in, and more per KiB: each takes 1 µs, and memory. The smallest
     * segments that TCP has by default, 536 bytes, are two per KiB.
     */
    maxSmallChunks: 512,
    maxChunksPerKiB: 2,
  },
  /** Of an HTML form's body: names and values. */
  formPost: { maxFields: 2_000 },
  form: {
    maxFields: 500,
    maxFieldIdLength: 128,
    maxSchemaBytes: 524_288,
    /** After the merge of a patch. */
    maxSettingsBytes: 65_536,
    maxPatchOperations: 100,
    /** Of all operations together; values at every level. The bytes are those of maxSettingsBytes. */
    maxPatchSettingsValues: 1_000,
  },
  /** The page of a form: texts of `settings.page`, in characters, and requests. */
  formPage: {
    maxTitleLength: 200,
    /** Of the introduction and of the text after the submission. */
    maxTextLength: 5_000,
    maxLabelLength: 100,
    /** Of an address with values, which an agent leads a person to. */
    maxPrefilledUrlLength: 2_000,
    maxRedirectUrlLength: 2_000,
    maxEmbedOrigins: 20,
    minAliasLength: 2,
    maxAliasLength: 40,
    /** Of what is read, per client IP. */
    requestsPerMinute: 120,
    /** Of a body whose values the page of a failure keeps. */
    maxKeptBytes: 16_384,
    /** The same, over the rate limit of the client IP: more would take over 1 ms to read and to show. */
    maxRefusedBytes: 1_024,
    /** Of the key of one page. */
    maxKeyLength: 64,
  },
  availability: { maxSubmissions: 1_000_000_000 },
  submission: { maxMetadataBytes: 16_384, maxEdits: 100, maxReasonLength: 1_000, maxReviews: 500 },
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
  /** A session ends after its lifetime, and earlier when it has not been used for `idleHours`. */
  operatorSession: { lifetimeHours: 12, idleHours: 2 },
  /** The link that the first start prints. */
  setup: { linkMinutes: 30 },
  operator: {
    maxEmailLength: 320,
    minPasswordLength: 8,
    maxPasswordLength: 1_024,
    /** Per account, whatever the client IP. */
    maxLoginsPerMinute: 10,
    /** What the /48 of an IPv6 address may do, in multiples of what one client IP may. */
    loginsPerSiteFactor: 4,
  },
  challenge: {
    lifetimeMs: 120_000,
    maxAttempts: 3,
    /** Per agent and form. */
    maxOpen: 5,
  },
  webhook: {
    maxPerWorkspace: 20,
    maxUrlLength: 2_000,
    /** Requests to one webhook at a time. */
    maxConcurrent: 4,
    timeoutSeconds: 15,
    /** After this time without a success a webhook is disabled. */
    failingHours: 120,
    /** Of events and their deliveries. */
    lifetimeDays: 30,
    /** By one call. */
    maxReplayedEvents: 5_000,
    /** Of a delivery. */
    maxAttemptsKept: 10,
    /** A full payload that is larger is sent thin. */
    maxFullPayloadBytes: 20_480,
    /** Of a response. */
    maxResponseBytes: 65_536,
  },
  /** Of a signed request, for its receipt; a longer one is left out. */
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
    /** Of a message, at every level, without the arguments of a tool. */
    maxEnvelopeValues: 1_000,
    /** Of tools/list: tools of forms, of the owner's words in a description, and of one form's JSON Schema. */
    maxFormTools: 50,
    maxDescriptionLength: 1_000,
    maxSchemaBytes: 65_536,
    /** From one round to the next. */
    stateMinutes: 10,
  },
  /** OAuth by private_key_jwt: from now to `exp`, how far clocks may differ, and of a `jti`. */
  clientAssertion: { maxLifetimeSeconds: 300, maxSkewSeconds: 60, maxIdLength: 255 },
  /** Signatures with `tag="web-bot-auth"`: the time from `created` to `expires`, and the nonce as it is sent. */
  webBotAuth: { maxLifetimeHours: 24, minNonceBytes: 16, maxNonceBytes: 64 },
} as const;
