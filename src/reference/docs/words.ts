/** Words of the documentation, and of those who search in it. */
import { distance } from "fastest-levenshtein";
import { stemmer } from "stemmer";

/** Words of questions, which every page has. */
const common = new Set(
  (
    "a an and are as at be by can do does for from get has have how i if in into is it its me my of on or " +
    "our formd so that the their then there this to use using was we what when where which who why will with you your"
  ).split(" "),
);

/** Words that readers use for one thing; the first is that of the pages. */
const sameWords = [
  "excel xlsx xls spreadsheet workbook",
  "kubernetes k8s helm",
  "container docker podman",
  "mail email",
  "conditions conditional showif",
  "captcha recaptcha turnstile spam",
  "notice notification notify",
  "password passwort passphrase",
  "delete remove",
  "country nation",
  "maximum max",
  "postgresql postgres pg",
];

/** Words of readers that their page or section does not have, from the queries in tests/search-queries.ts. */
export const otherWords: Record<string, string> = {
  tutorial: "getting started quickstart hello world example first form submission step",
  guide: "getting started proof of work duplicate idempotency",
  "agents/rest":
    "sdk client library package npm pypi python typescript node curl example program upload send file multipart attachment missing required fields",
  "agents/typed-client": "java go rust csharp generator",
  "agents/signing": "ed25519 message signatures",
  "agents/mcp": "claude chatgpt model context protocol connector",
  "agents/oauth": "bearer token scopes",
  "agents/errors":
    "token expired retry after status 400 401 403 404 409 413 415 422 429 500 503 payload too large unauthorized forbidden conflict too many requests",
  "agents/limits": "maximum file body size quota too large",
  "api/fields": "list of countries country input question types signature",
  "owners/forms":
    "publish unpublish create update rename add field updateField addField removeField expectedVersion patch operations",
  "owners/import":
    "typeform google forms surveyjs form.io formio formbricks xlsform kobo odk json schema rjsf migrate import from another tool",
  "owners/files": "version control gitops infrastructure as code migrate move backup",
  "owners/pages": "embed iframe widget public link qr code prefill redirect branding logo",
  "owners/coming-back":
    "save resume continue later saved edit response change withdraw invite reminder anonymous survey dropout",
  "owners/languages":
    "translate translation multiple several languages multilingual localization i18n l10n right to left rtl",
  "owners/conditions": "conditional fields skip logic branching hide show required if",
  "owners/availability-captcha": "close open deadline spam bot limit number of submissions",
  "owners/webhooks": "create localhost ngrok callback events zapier",
  "owners/exports": "download filter submissions pagination spreadsheet bulk google sheets json",
  "owners/personal-data":
    "gdpr dsgvo right to be forgotten data subject access request privacy ip address of respondents",
  "owners/mail": "email notification notify confirmation",
  "owners/review-audit": "audit log history approve who changed",
  "owners/retention": "delete submission old data",
  "operate/install": "binary linux service executable setup",
  "operate/kubernetes": "helm chart pod deployment",
  "operate/proxy": "https reverse ssl certificate x-forwarded-for nginx 413 upload behind",
  "operate/scale-and-restart": "zero downtime high availability cluster replicas load balancer",
  "operate/upgrade#there-is-no-way-back": "rollback roll back downgrade revert",
  "operate/files": "s3 minio object storage virus scan antivirus clamav upload",
  "operate/backup": "restore disaster recovery dump snapshot",
  "operate/master-key": "FORMD_SECRET_KEY encryption lost rotate",
  "operate/sign-in": "sso single sign-on okta azure ad entra google keycloak ldap saml oidc",
  "operate/mail": "smtp server",
  "operate/metrics-logs": "prometheus monitor monitoring grafana health check alerting observability",
  "operate/overload": "slow load shedding 503 backpressure performance",
  "operate/runbook": "troubleshooting incident problem",
  "operate/runbook#a-lost-password-or-the-only-operator-is-gone":
    "lost forgot forgotten reset admin password locked out",
  "operate/settings": "environment variables configuration config options",
  "operate/commands": "cli command line terminal doctor create remove operator account user",
  "dba/roles": "postgres database permissions privileges grants users connection pool",
  "dba/capacity": "how many rows disk space growth",
  "dba/statements-and-plans": "slow queries explain index performance",
  "dba/recovery": "pitr standby replica wal",
  "dba/citus": "sharding shard distributed",
  "owners/receipts": "proof of submission evidence",
  security: "tenant isolation threat model secrets",
  "owners/coming-back#save-and-continue-later": "draft and resume later of a respondent",
  "owners/forms#draft-and-versions": "restore an old version earlier archive",
  "owners/forms#roles": "read only user permissions role",
  "dba/tables-and-retention": "vacuum bloat autovacuum",
  "operate/leaks#an-agents-secret-leaked": "agent secret lost",
  "owners/pages#what-people-see": "thank you page redirect after submit",
  "owners/pages#theme": "custom css style",
  "security#passkeys": "two factor authentication 2fa mfa",
  "operate/settings#port": "change",
};

const stems = new Map(
  sameWords.flatMap((line) => {
    const [first = "", ...others] = line.split(" ");
    return others.map((word) => [stemmer(word), stemmer(first)] as const);
  }),
);

const wordsIn = (text: string): string[] =>
  text.replace(/\be-mail/gi, "email").match(/[\p{L}\p{N}_]+/gu) ?? [];

/** The parts of a name: `form` and `Closed` of `formClosed`. Empty for a word that has none. */
function partsOf(word: string): string[] {
  const parts = word.split(/_+|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
  return parts.length > 1 ? parts : [];
}

/** The words of a text, and the parts of the names in it. */
export const wordsOf = (text: string): string[] => wordsIn(text).flatMap((word) => [word, ...partsOf(word)]);

/** @returns the stem by which a word is compared; undefined if the word is common */
function termOf(lower: string): string | undefined {
  if (common.has(lower)) return undefined;
  const stem = stemmer(lower);
  return stems.get(stem) ?? stem;
}

/** The words of all pages, by which others are corrected. */
export class Vocabulary {
  readonly #uses = new Map<string, { term: string | undefined; count: number }>();
  readonly #terms = new Set<string>();

  /** Adds a word of a page. @returns its term */
  add(word: string): string | undefined {
    const lower = word.toLowerCase();
    const use = this.#uses.get(lower) ?? { term: termOf(lower), count: 0 };
    this.#uses.set(lower, use);
    use.count++;
    if (use.term) this.#terms.add(use.term);
    return use.term;
  }

  /**
   * @returns the terms of a query, each once. A word that no page has is taken for its parts, or for the
   * beginning of another, or else for a misspelling of one that begins with the same letter.
   */
  termsOf(query: string): string[] {
    const terms = wordsIn(query.toLowerCase()).flatMap((word) => {
      const term = this.#termOf(word);
      const isKnown = term === undefined || this.#terms.has(term);
      return isKnown ? (term ?? []) : [term, ...partsOf(word)].flatMap((each) => this.#termOf(each) ?? []);
    });
    return [...new Set(terms)];
  }

  #termOf(word: string): string | undefined {
    const term = termOf(word);
    return term === undefined || this.#terms.has(term) ? term : (this.#nearest(word) ?? term);
  }

  #nearest(word: string): string | undefined {
    if (word.length < 3) return undefined;
    const most = word.length < 4 ? 0 : word.length < 5 ? 1 : 2;
    let nearest: { term?: string | undefined; edits: number; count: number } = { edits: most, count: 0 };
    for (const [known, { term, count }] of this.#uses) {
      if (known[0] !== word[0]) continue;
      const isNear = Math.abs(known.length - word.length) <= most;
      const edits = known.startsWith(word) ? 0 : isNear ? distance(known, word) : Number.POSITIVE_INFINITY;
      if (edits < nearest.edits || (edits === nearest.edits && count > nearest.count))
        nearest = { term, edits, count };
    }
    return nearest.term;
  }
}
