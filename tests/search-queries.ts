/** Queries of agents, owners, operators and DBAs to the documentation, and the pages that they need. */
const forms = "/papi/v1/management/forms";

/** The pages of a query, any of which is right, and the queries. */
export const queries: [pages: string[], queries: string[]][] = [
  // Agents
  [
    ["agents/rest", "guide", "tutorial"],
    ["getting started", "quickstart", "first submission"],
  ],
  [["agents/rest"], ["sdk", "client sdk", "python client", "node example", "curl example"]],
  [
    ["agents/rest", "operate/files", "guide"],
    ["upload a file", "send file", "multipart", "attachment"],
  ],
  [["agents/typed-client"], ["generate client", "openapi generator", "typed client", "java client"]],
  [
    ["agents/signing", "guide"],
    ["signed requests", "http message signatures", "ed25519", "sign a request"],
  ],
  [["agents/mcp"], ["mcp server", "connect claude", "model context protocol"]],
  [["agents/mcp-clients"], ["mcp clients", "langchain"]],
  [["agents/oauth", "agents/mcp-clients"], ["bearer token"]],
  [["agents/oauth"], ["oauth", "client credentials", "private_key_jwt"]],
  [["agents/oauth", "owners/forms", "security"], ["scopes"]],
  [["agents/errors", "api/validation"], ["error codes"]],
  [["agents/errors"], ["429", "409 conflict", "415", "401 unauthorized"]],
  [
    ["agents/errors", "agents/rest", "guide"],
    ["retry", "retry after", "too many requests"],
  ],
  [["agents/errors", "agents/rest", "agents/limits", "operate/overload"], ["rate limited"]],
  [
    ["agents/errors", "operate/runbook", "operate/files", "operate/proxy"],
    ["413", "payload too large"],
  ],
  [
    ["agents/limits", "operate/overload", "agents/rest"],
    ["rate limits", "limits", "maximum body size"],
  ],
  [
    ["agents/limits", "operate/files", "agents/errors"],
    ["file too large", "max file size"],
  ],
  [
    ["agents/rest", "guide", "agents/errors"],
    ["idempotency key", "duplicate submission", "dry run"],
  ],
  [["guide", "owners/availability-captcha"], ["proof of work"]],
  [["guide"], ["challenge", "validate without submitting"]],
  [["api/validation"], ["validation codes", "min_length", "type_mismatch"]],
  // Owners
  [["api/fields"], ["field types", "date field", "multi_select", "phone number", "matrix"]],
  [
    ["api/fields", "owners/forms", "owners/rest"],
    ["list of countries", "countries", "country list"],
  ],
  [
    ["owners/forms", "owners/rest"],
    ["publish", "publish a form", "draft", "versions"],
  ],
  [["owners/forms", "owners/rest", `POST ${forms}`], ["create a form"]],
  [
    ["owners/forms", "owners/rest", `PATCH ${forms}/{form_id}`],
    ["patch operations", "updateField", "expectedVersion", "add a field", "rename a field"],
  ],
  [
    ["owners/forms", "owners/rest", "security"],
    ["api key", "access key"],
  ],
  [["owners/conditions"], ["conditional", "conditional fields", "showIf", "calculated value", "skip logic"]],
  [["owners/pages"], ["embed form on website", "iframe", "qr code", "theme", "public link"]],
  [["owners/pages", "api/fields"], ["prefill"]],
  [["owners/availability-captcha"], ["captcha", "close a form", "spam", "limit number of submissions"]],
  [
    ["owners/review-audit", "owners/rest"],
    ["audit log", "approve submissions", "edit a submission"],
  ],
  [
    ["owners/rest", "owners/retention", "owners/review-audit", "owners/personal-data"].concat(
      `DELETE ${forms}/{form_id}/submissions/{submission_id}`,
    ),
    ["delete submission", "delete a submission", "remove submission"],
  ],
  [
    ["owners/retention", "dba/tables-and-retention"],
    ["retention", "delete old data", "legal hold"],
  ],
  [["owners/personal-data"], ["gdpr", "right to be forgotten", "data subject request"]],
  [
    ["owners/webhooks", "owners/rest"],
    ["webhook", "localhost webhook", "verify webhook"],
  ],
  [["owners/webhooks", "owners/rest", "POST /papi/v1/management/webhooks"], ["create webhook"]],
  [
    ["owners/personal-data", "owners/review-audit"],
    ["erase a person", "delete a person"],
  ],
  [["owners/webhooks"], ["webhook signature", "webhook events", "whsec"]],
  [
    ["owners/mail", "operate/mail"],
    ["email notification", "notify me", "confirmation mail"],
  ],
  [["owners/receipts"], ["receipt", "verify receipt", "proof of submission"]],
  [["owners/exports"], ["export xlsx", "excel", "csv export", "download submissions", "parquet"]],
  [
    ["owners/exports", "owners/rest"],
    ["filter submissions", "pagination", "cursor pagination"],
  ],
  // Operators
  [["operate/install"], ["install", "systemd", "binary", "linux service"]],
  [["operate/container"], ["docker", "docker compose", "podman", "container image"]],
  [["operate/kubernetes"], ["kubernetes", "k8s", "helm chart"]],
  [["operate/deno"], ["deno"]],
  [["operate/proxy"], ["nginx", "reverse proxy", "haproxy", "caddy", "client ip", "https"]],
  [
    ["operate/proxy", "operate/runbook", "operate/files"],
    ["nginx 413", "upload fails behind nginx"],
  ],
  [
    ["operate/scale-and-restart"],
    ["zero downtime", "rolling restart", "high availability", "several instances"],
  ],
  [["operate/upgrade"], ["upgrade", "rollback", "downgrade", "upgrade to a new release"]],
  [["operate/files"], ["s3", "minio", "virus scan", "clamav", "bucket"]],
  [["operate/backup"], ["backup", "restore", "restore backup", "disaster recovery"]],
  [["operate/master-key"], ["rotate master key", "master key", "FORMD_SECRET_KEY", "secret key lost"]],
  [["operate/sign-in"], ["sso", "okta", "single sign-on", "openid connect", "azure ad"]],
  [["operate/mail"], ["smtp", "smtp server"]],
  [["operate/metrics-logs"], ["prometheus", "logs", "health check", "alerts", "monitoring", "grafana"]],
  [
    ["operate/overload", "operate/runbook"],
    ["overload", "503", "server is slow", "load shedding"],
  ],
  [
    ["operate/runbook"],
    ["lost password", "forgot password", "reset admin password", "502", "disk full", "locked out"],
  ],
  [["operate/settings"], ["environment variables", "DATABASE_POOL_SIZE", "BASE_URL", "configuration"]],
  [["operate/commands"], ["command line", "cli commands", "formd doctor"]],
  // DBAs
  [["dba/roles"], ["database roles", "pgbouncer", "postgres permissions", "grants for database users"]],
  [["dba/months"], ["partitioning", "partitions by month"]],
  [["dba/capacity"], ["disk space", "database size"]],
  [["dba/statements-and-plans"], ["locks", "slow queries", "query plans"]],
  [["dba/recovery"], ["point in time recovery", "replication", "standby", "pitr"]],
  [["dba/citus"], ["citus", "sharding"]],
  [["security"], ["which secret is which", "stolen database url", "tenant isolation"]],
  // Misspelt
  [["owners/webhooks"], ["webook signature", "webhok"]],
  [["operate/kubernetes"], ["kubernets"]],
  [["agents/rest", "guide", "agents/errors"], ["idempotancy"]],
  [["owners/retention", "dba/tables-and-retention"], ["retension"]],
  [["operate/runbook"], ["lost pasword", "forgotten passwort"]],
  [["owners/receipts"], ["reciept"]],
  [["agents/oauth"], ["client credentails"]],
  [["operate/proxy"], ["revers proxy"]],
  [["owners/availability-captcha"], ["capcha"]],
  [["owners/conditions"], ["conditionnal fields"]],
  [["agents/signing", "guide"], ["signd request"]],
  [["agents/errors", "agents/rest", "guide"], ["retrys"]],
];
