/** Values of the OpenAPI examples. The form is the one that `formd demo` creates. */

export const ids = {
  form: "0199aa00-0000-7000-8000-000000000001",
  workspace: "0199aa00-0000-7000-8000-000000000002",
  team: "0199aa00-0000-7000-8000-000000000003",
  submission: "0199aa00-0000-7000-8000-000000000004",
  agent: "0199aa00-0000-7000-8000-000000000005",
  grant: "0199aa00-0000-7000-8000-000000000006",
  key: "0199aa00-0000-7000-8000-000000000007",
  edit: "0199aa00-0000-7000-8000-000000000008",
  apiKey: "0199aa00-0000-7000-8000-000000000009",
  challenge: "0199aa00-0000-7000-8000-00000000000a",
  operator: "0199aa00-0000-7000-8000-00000000000b",
  webhook: "0199aa00-0000-7000-8000-00000000000c",
  mail: "0199aa00-0000-7000-8000-00000000000e",
  event: "0199aa00-0000-7000-8000-00000000000d",
  hold: "0199aa00-0000-7000-8000-00000000000f",
  request: "0199aa00-0000-4000-8000-000000000010",
  invitation: "0199aa00-0000-7000-8000-000000000011",
};

export const times = {
  createdAt: "2026-11-20T09:00:00.123Z",
  updatedAt: "2026-11-20T09:00:00.123Z",
};

/** A file of a submission. */
export const file = {
  id: "0199aa00-0000-7000-8000-00000000000f",
  name: "cv.pdf",
  size: 48_213,
  type: "application/pdf",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};

/** The 7 days of an agent's session after {@link times}. */
export const expiresAt = "2026-11-27T09:00:00.123Z";

export const pagination = { page: 1, limit: 20, total: 1 };
export const cursorPagination = { ...pagination, next: null };
export const countedPagination = { ...cursorPagination, isTotalExact: true };

const schema = {
  fields: [
    {
      id: "name",
      type: "text",
      label: "Your name",
      required: true,
      validation: { minLength: 2, maxLength: 80 },
    },
    { id: "email", type: "email", label: "E-mail", required: true },
    {
      id: "topic",
      type: "select",
      label: "What is it about?",
      required: true,
      options: ["sales", "support", "press"],
    },
    {
      id: "people",
      type: "integer",
      label: "How many people are you?",
      validation: { minimum: 1, maximum: 10000 },
    },
    { id: "message", type: "textarea", label: "Message", validation: { maxLength: 2000 } },
  ],
};

export const form = {
  id: ids.form,
  name: "Contact",
  description: "How to reach us.",
  schema,
  settings: {
    captcha: { enabled: false },
    anonymous: { enabled: true },
    challenge: { required: false },
    review: { required: false },
  },
  status: "published",
  currentVersion: 1,
  teamId: ids.team,
  workspaceId: ids.workspace,
  ...times,
};

export const formWithPublished = { ...form, publishedSettings: form.settings };

/** The version that submitters see. */
export const publishedForm = {
  id: form.id,
  name: form.name,
  description: form.description,
  version: 1,
  schema,
};
export const jsonSchema = {
  type: "object",
  properties: { email: { title: "E-mail", type: "string" } },
  required: ["email"],
};

/** One of `settings.examples`. */
export const formExample = {
  name: "No e-mail address",
  data: { name: "Ada" },
  expect: { valid: false, codes: ["required"] },
};

/** Data that a submitter sends. */
export const payload = { name: "Ada", email: "ada@example.org", topic: "sales", people: 2 };

export const wholePayload = { summary: "A whole payload", value: { data: payload } };

export const submission = {
  id: ids.submission,
  formId: ids.form,
  formVersion: 1,
  status: "completed",
  data: payload,
  metadata: null,
  submitter: { type: "agent", id: ids.agent },
  respondentId: null,
  provenance: "agent",
  declaredAgent: null,
  review: null,
  ...times,
};

export const agent = {
  id: ids.agent,
  clientId: "agent_0199aa0000007000800000000000005",
  secretPrefix: "fda_AZmqAAAAcACAAAAAAAAAAw1a2b3c",
  name: "Intake agent",
  status: "active",
  workspaceId: ids.workspace,
  ...times,
};

/** Looks like a secret, and is not valid. */
export const agentSecret = "fda_EXAMPLE-the-agent-secret-is-shown-once";
export const sessionToken = "fds_EXAMPLE-send-it-as-x-respondent-token";

/** The public half of the key of RFC 9421, appendix B.1.4. */
export const publicKeyPem =
  "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----\n";
export const keyId = "key_22ce02aa18eb1ee5";

export const fullPagination = { ...pagination, limit: 100 };
export const fullCursorPagination = { ...cursorPagination, limit: 100 };

export const grant = {
  id: ids.grant,
  agentId: ids.agent,
  formId: ids.form,
  scopes: ["agent:read", "agent:validate"],
  respondentId: null,
  bindingRequired: false,
  respondent: null,
  ...times,
};

export const signingKey = {
  id: ids.key,
  agentId: ids.agent,
  keyId,
  alg: "ed25519",
  status: "active",
  createdAt: times.createdAt,
  revokedAt: null,
  expiresAt: null,
};

export const session = { token: sessionToken, expiresAt };

export const agentRegistration = {
  id: ids.agent,
  clientId: agent.clientId,
  secret: agentSecret,
  secretPrefix: agent.secretPrefix,
  name: agent.name,
  status: agent.status,
  workspaceId: ids.workspace,
};

export const agentSecretResponse = { id: ids.agent, secret: agentSecret, secretPrefix: agent.secretPrefix };

export const webhookCreation = { url: "https://hooks.example.org/formd", eventTypes: ["submission.created"] };

export const webhook = {
  id: ids.webhook,
  workspaceId: ids.workspace,
  formId: null,
  ...webhookCreation,
  payload: "thin",
  status: "active",
  disabledReason: null,
  previousSecretEndsAt: null,
  failingSinceAt: null,
  ...times,
};

/** Look like secrets, and are not valid. */
export const webhookSecrets = { secret: "whsec_EXAMPLE", publicKey: "whpk_EXAMPLE" };

export const hold = {
  id: ids.hold,
  formId: ids.form,
  submissionId: ids.submission,
  reason: "Case 2027-114",
  placedBy: ids.operator,
  placedAt: times.createdAt,
};

export const invitationsCreation = {
  invitations: [{ label: "Ada Lovelace" }, { label: "Grace Hopper" }],
};

export const madeInvitation = {
  id: ids.invitation,
  link: "https://forms.example.org/f/AZmqAAAAcACAAAAAAAAAAwGZqgAAAHAAgAAAAAAAAAE/i/3q2-7wAAAAAAAAAAAAAAAA",
  label: "Ada Lovelace",
  email: "ada@example.org",
  expiresAt,
};

export const invitation = {
  id: ids.invitation,
  label: "Ada Lovelace",
  email: "ada@example.org",
  respondentId: null,
  language: null,
  state: "open",
  submissionId: null,
  createdAt: times.createdAt,
  expiresAt,
  lastMailedAt: times.createdAt,
  mails: 1,
  bounced: false,
  unsubscribed: false,
};

export const invitationCounts = { open: 1, submitted: 0, revoked: 0, mailed: 1 };

export const formMail = {
  id: ids.mail,
  kind: "notice",
  submissionId: ids.submission,
  submissions: 1,
  state: "failed",
  attempts: 1,
  dueAt: null,
  lastError: "The mail server refused the sender or the recipient (5.1.1).",
  sentAt: null,
  createdAt: times.createdAt,
};

export const webhookDelivery = {
  id: ids.event,
  type: "submission.created",
  formId: ids.form,
  subjectId: ids.submission,
  state: "delivered",
  attempts: 1,
  dueAt: null,
  lastStatus: 204,
  lastError: null,
  deliveredAt: times.createdAt,
  createdAt: times.createdAt,
};

export const webhookAttempt = {
  attempt: 1,
  startedAt: times.createdAt,
  durationMs: 42,
  responseStatus: 204,
  error: null,
  responseStart: null,
};

export const auditEvent = {
  id: ids.event,
  kind: "form.published",
  formId: ids.form,
  object: { type: "form", id: ids.form },
  actor: { type: "operator", id: ids.operator },
  requestId: ids.request,
  clientRequestId: "req-1",
  details: { version: 1 },
  createdAt: times.updatedAt,
};

export const receiptServerKey =
  "https://forms.example.org/receipts+c75ec3f0+Ad1r2sBwauwjVIR9h4sAUj17k9/9Un5ZCPbzWuGqBZbU";

const receiptKeyText = `https://forms.example.org/receipts/${ids.team}+ee9348aa+AeQeEnh2ThcePvvUxK/Mg4eN3MYjw576F5LhyWAWvoaL`;

export const receiptKey = {
  name: `https://forms.example.org/receipts/${ids.team}`,
  key: receiptKeyText,
  statement: `formd receipt key
key: ${receiptKeyText}
version: 1
previous: none

\u2014 https://forms.example.org/receipts x17D8CIcLMoF8/1wYDmtuoXVxYbO/Xn4pw7h+B6/qi2XlA/EAaxyjQUBYkCsYxCT1hm1j9OLYdxcKImDcbTpyMKYmgA=
`,
  createdAt: times.createdAt,
  retiredAt: null,
};

export const receipt = `submission: ${ids.submission}
form: ${ids.form}
version: 1
schema-digest: sha-256=:AfL5woqh1NNqgf8EJiC2Z30lvwfCv0rMN7WGWHeKT8o=:
request-digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:
data-commitment: sha-256=:+xY0xObNSx8a/jzi1u8ID3rF0fNX1yOtTfyngnM7Yts=:
submitter: agent ${ids.agent}
accepted: ${times.createdAt}

\u2014 ${receiptKey.name} 7pNIqgzHpCLvfAK/ByxTyejSuMKqUIasiMM0TvUAkK0TVzAKF6djTqx2c03fp6dt+7E2gWePLkgSuvpE+5O/w/RBtQE=
`;

/** One operation of a patch of a form by each `op`, for {@link form}. */
export const formOperations = {
  setMeta: { op: "setMeta", name: "Contact us", settings: { availability: { maxSubmissions: 500 } } },
  addField: {
    op: "addField",
    field: { id: "phone", type: "phone", label: "Phone" },
    afterFieldId: "email",
  },
  updateField: { op: "updateField", fieldId: "topic", set: { label: "Topic", help: null } },
  removeField: { op: "removeField", fieldId: "people" },
  moveField: { op: "moveField", fieldId: "email", toIndex: 0 },
};
