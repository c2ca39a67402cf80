/** The guide's words and examples; a test runs every example. @module */
import type { Config } from "../config.ts";
import { problemCodes } from "../problem.ts";

/**
 * A paragraph, a list, a table, or an example: what to run, and what it answers ("…" stands for what differs from run to run).
 * Words may hold `code` and [links](address).
 */
export type Block =
  | string
  | { list: string[] }
  | { table: string[][] }
  | { run: "sh" | "js"; code: string; answer?: unknown };

export interface Section {
  id: string;
  title: string;
  blocks: Block[];
}

const headers = `-H "x-form-access-key: $ACCESS_KEY" -H "x-respondent-token: $TOKEN"`;
const post = `-H 'content-type: application/json'`;

const program = `const { BASE, AGENT_SECRET, ACCESS_KEY } = process.env;

/** One call; a throttle or an outage is waited for, any other refusal is thrown. */
async function call(method, path, headers, body) {
  for (;;) {
    const reply = await fetch(BASE + "/papi/v1" + path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: body && JSON.stringify(body),
    });
    const answer = await reply.json();
    if (reply.ok) return answer.data;
    if (reply.status !== 429 && reply.status !== 503) throw Object.assign(new Error(answer.error), answer);
    const seconds = Number(reply.headers.get("retry-after") ?? 5);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

const { token } = await call("POST", "/auth/token", { "x-agent-secret": AGENT_SECRET });
const session = { "x-form-access-key": ACCESS_KEY, "x-respondent-token": token };
const { form } = await call("GET", "/submitter/form", session);
const data = { name: "Ada", email: "ada@example.org", topic: "sales", people: 2 };

const verdict = await call("POST", "/submitter/form/validation", session, { data });
if (!verdict.valid) throw new Error(JSON.stringify(verdict));

const once = { ...session, "idempotency-key": crypto.randomUUID() };
const { id, status } = await call("POST", "/submitter/form/submissions", once, { data });
console.log(JSON.stringify({ form: form.name, id, status }));`;

/** The guide for a server with these settings. */
export const guideOf = ({ BASE_URL, DOCS_URL }: Pick<Config, "BASE_URL" | "DOCS_URL">): Section[] => [
  {
    id: "start",
    title: "What you need",
    blocks: [
      "Two secrets, from whoever runs the form: your agent's secret (`fda_…`, shown once when the agent was registered) and the form's access key (`fdf_…`). To try it on your own machine, `bun run formd demo` makes a published form, an agent that may read, validate and submit, and prints both. The examples are about that form.",
      {
        run: "sh",
        code: `BASE=${BASE_URL}\nAGENT_SECRET='fda_…'\nACCESS_KEY='fdf_…'`,
      },
      "Keep both out of addresses, logs and prompts. They travel in headers only.",
    ],
  },
  {
    id: "token",
    title: "1. Buy a session with the secret",
    blocks: [
      {
        run: "sh",
        code: `ANSWER=$(curl -s -X POST $BASE/papi/v1/auth/token -H "x-agent-secret: $AGENT_SECRET")\nTOKEN=$(echo "$ANSWER" | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')\necho "$ANSWER"`,
        answer: { data: { token: "…", expiresAt: "…" }, apiVersion: "v1" },
      },
      "A session lasts 7 days. Keep the token and use it until `expiresAt`; minting is throttled by address. Every refusal here is the same 401, whether the secret is wrong, the agent disabled or gone.",
    ],
  },
  {
    id: "form",
    title: "2. Read the form",
    blocks: [
      {
        run: "sh",
        code: `curl -s $BASE/papi/v1/submitter/form ${headers}`,
        answer: {
          data: {
            form: {
              id: "…",
              name: "Contact",
              description: "…",
              version: 1,
              schema: {
                fields: [
                  {
                    id: "name",
                    type: "text",
                    label: "Your name",
                    required: true,
                    validation: { minLength: 2, maxLength: 80 },
                  },
                  "…",
                ],
              },
            },
            jsonSchema: "…",
          },
          apiVersion: "v1",
        },
      },
      "`schema.fields` is the form's own field schema; `jsonSchema` says the same as a JSON Schema of `data`, for tools and structured output. Where it is looser than the form, a `$comment` says so: the dry run decides.",
    ],
  },
  {
    id: "validate",
    title: "3. Ask what is wrong, before it counts",
    blocks: [
      "The dry run stores nothing and always answers 200 for a payload that it can read.",
      {
        run: "sh",
        code: `curl -s $BASE/papi/v1/submitter/form/validation ${headers} ${post} \\\n  -d '{"data":{"name":"A","topic":"gossip","colour":"red"}}'`,
        answer: {
          data: {
            valid: false,
            errors: [
              {
                field: "name",
                code: "min_length",
                message: "…",
                constraint: "minLength",
                expected: 2,
                help: "…",
              },
              {
                field: "topic",
                code: "invalid_option",
                message: "…",
                constraint: "options",
                expected: ["sales", "support", "press"],
                help: "…",
              },
            ],
            warnings: [{ field: "colour", code: "unknown_field", message: "…", help: "…" }],
            missingRequired: ["email"],
          },
          apiVersion: "v1",
        },
      },
      `Branch on \`code\`, never on \`message\`. \`constraint\` and \`expected\` say what would have been right; the [list of codes](${DOCS_URL}/developer/api/validation) has an example of each. On submit the warnings are errors, too.`,
    ],
  },
  {
    id: "submit",
    title: "4. Submit",
    blocks: [
      {
        run: "sh",
        code: `curl -s $BASE/papi/v1/submitter/form/submissions ${headers} ${post} \\\n  -H 'idempotency-key: first-contact-1' \\\n  -d '{"data":{"name":"Ada","email":"ada@example.org","topic":"sales","people":2}}'`,
        answer: { data: { id: "…", status: "completed", missingRequired: [] }, apiVersion: "v1" },
      },
      "With an `Idempotency-Key` a retry is safe: for 24 hours the same key and body answer the same, and nothing is stored twice. An agent may submit once in 5 seconds. With `?partial=true` an incomplete row is stored as `partial`.",
    ],
  },
  {
    id: "program",
    title: "The same as a program",
    blocks: [
      "With `BASE`, `AGENT_SECRET` and `ACCESS_KEY` in the environment, on Bun, Deno or Node:",
      { run: "js", code: program, answer: { form: "Contact", id: "…", status: "completed" } },
    ],
  },
  {
    id: "refusals",
    title: "When you are refused",
    blocks: [
      "Every refusal is `{ error, code, apiVersion }`; `_docs` and `_guide` in it lead to the reference and to this page.",
      {
        table: [
          ["status", "what to do"],
          ["400, 413, 415", "The request is malformed: mend it. Do not repeat it as it is."],
          [
            "401",
            "The token or access key is not valid (any more). Mint a token; if that is 401 too, ask for a new secret.",
          ],
          [
            "403",
            "You may not. The code says what is missing; only a person can grant it, at any time, and it counts from your next call on.",
          ],
          ["404", "No such route or thing."],
          ["409", "The same Idempotency-Key is in flight: wait, then ask again."],
          ["422", "The payload breaks the form's rules: `errors` lists every fault. Mend and submit again."],
          ["429, 503", "Wait as many seconds as `Retry-After` says, longer each time, then repeat."],
          ["500", "A fault of the server. `x-request-id` finds it in its log."],
        ],
      },
      "Every code:",
      {
        table: [
          ["code", "status", "meaning"],
          ...Object.entries(problemCodes).map(([code, [status, sentence]]) => [
            `\`${code}\``,
            String(status),
            sentence,
          ]),
        ],
      },
    ],
  },
  {
    id: "challenges",
    title: "Challenges and signatures",
    blocks: [
      "A form can ask agents to show that they know its rules: a submit is then refused with `challenge_required`. Ask for a challenge at `POST /papi/v1/submitter/form/challenges`, and answer it at `POST /papi/v1/submitter/challenges/{challenge_id}/responses` within 2 minutes and 3 attempts, by any value that the named field would accept. The answer must be signed with the agent's registered Ed25519 key (HTTP Message Signatures, RFC 9421). A right one earns a pass for a while; then submit.",
      "Where the server has signing on, any submitter call can be signed instead of carrying a token. `formd sign` writes a signed request, and `formd sign --explain` says at which step one fails.",
    ],
  },
  {
    id: "more",
    title: "More",
    blocks: [
      {
        list: [
          `[Reference](${DOCS_URL}/papi/v1/docs): every route, with examples to try`,
          `[OpenAPI 3.1 document](${DOCS_URL}/papi/v1/openapi.json): for generated clients`,
          `[Validation codes](${DOCS_URL}/developer/api/validation): what is wrong with a value, and how to mend it`,
          `[This guide as Markdown](${DOCS_URL}/developer/guide.md)`,
        ],
      },
    ],
  },
];
