/**
 * The proof that no rule loses its test: each mutation breaks one rule of `src` or `sql` in one line, and the
 * tests of its noun must fail. For who moves or removes tests; `bun .ci/mutations.ts` runs all, `3 7-12` some,
 * `--list` prints them, `--baseline` runs their tests without a mutation.
 *
 * Only a test that fails by its name counts: a program that does not start, or does not migrate, proves
 * nothing. The files are written back, also when the run is broken off.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Mutation {
  rule: string;
  file: string;
  /** Occurs in the file exactly once. */
  from: string;
  to: string;
  /** Files and folders that could hold the rule, on all levels. Those that are not there are left out. */
  tests: string[];
}

const mutations: Mutation[] = [
  {
    rule: "Granting again changes the one grant",
    file: "sql/310_grants.sql",
    from: "  on conflict (team_id, agent_id, form_id) do nothing;",
    to: "  ;",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants"],
  },
  {
    rule: "Granting again keeps what is not said",
    file: "sql/310_grants.sql",
    from: "coalesce(p_binding_required, v_grant.binding_required);",
    to: "coalesce(p_binding_required, false);",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants"],
  },
  {
    rule: "An API key loosens no binding",
    file: "sql/310_grants.sql",
    from: "and (v_grant.binding_required and not p_binding_required or",
    to: "and (",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants"],
  },
  {
    rule: "An API key grants no agent:submit",
    file: "sql/310_grants.sql",
    from: "if not v_is_person and 'agent:submit' = any (p_scopes) then",
    to: "if false then",
    tests: ["tests/sql/grants.test.ts", "tests/http/grants", "tests/http/agents"],
  },
  {
    rule: "Changes of one agent wait for each other: none comes after its revocation",
    file: "sql/300_agents.sql",
    from: "from formd.agents a where a.team_id = p_team and a.id = p_agent for no key update;",
    to: "from formd.agents a where a.team_id = p_team and a.id = p_agent;",
    tests: [
      "tests/sql/agents.test.ts",
      "tests/sql/grants.test.ts",
      "tests/sql/signing_keys.test.ts",
      "tests/http/signing-keys",
      "tests/http/grants",
    ],
  },
  {
    rule: "An agent has at most 20 active signing keys",
    file: "sql/320_signing_keys.sql",
    from: "if v_active >= c_signing_key_max_active then",
    to: "if v_active > c_signing_key_max_active then",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "One PEM belongs to one agent",
    file: "sql/320_signing_keys.sql",
    from: "if v_key.agent_id <> p_agent or v_key.public_key_pem <> p_pem then",
    to: "if v_key.public_key_pem <> p_pem then",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "Another team neither blocks nor borrows a signing key",
    file: "sql/320_signing_keys.sql",
    from: "where k.team_id = p_team and k.key_id = p_key_id;\n  if not found then\n    select",
    to: "where k.key_id = p_key_id;\n  if not found then\n    select",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "A revoked signing key is not registered again",
    file: "sql/320_signing_keys.sql",
    from: "elsif v_key.status = 'revoked' then",
    to: "elsif false then",
    tests: ["tests/sql/signing_keys.test.ts", "tests/http/signing-keys"],
  },
  {
    rule: "A nonce counts once",
    file: "sql/320_signing_keys.sql",
    from: "where nonces.expires_at < v_now;",
    to: "where nonces.expires_at > v_now;",
    tests: [
      "tests/sql/signing_keys.test.ts",
      "tests/http/signed-requests-refused.test.ts",
      "tests/http/signed-requests.test.ts",
      "tests/http/challenges",
      "tests/http/oauth",
    ],
  },
];

const root = join(import.meta.dir, "..");
/** Such a text in the output says that the program was broken, not a rule. */
const broken = /SyntaxError|ReferenceError|syntax error at|does not exist|error: Could not|ERROR: Could not/;
let restore = () => {};
let stop = () => {};
process.on("exit", () => restore());
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    stop();
    process.exit(130);
  });

/** Runs tests up to the first that fails. @returns whether they pass, and what they print */
async function run(tests: string[]): Promise<{ passes: boolean; output: string }> {
  const there = tests.filter((path) => existsSync(join(root, path)));
  if (there.length === 0) throw new Error(`None of these is there: ${tests.join(", ")}`);
  const runner = [join(root, "tests/run.ts"), "--parallel=1", "--bail", "--timeout", "120000"];
  const child = spawn(process.execPath, [...runner, ...there], { cwd: root });
  stop = () => child.kill("SIGTERM");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { passes: code === 0, output };
}

/** The test that catches it; undefined: none does, and the output says why. */
async function catchIt({ file, from, to, tests }: Mutation): Promise<{ by?: string; output: string }> {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have this exactly once: ${from}`);
  restore = () => writeFileSync(path, text);
  try {
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const { passes, output } = await run(tests);
    const [, by] = /^\(fail\) (?!\(unnamed\))(.+?)(?: \[[\d.]+ms\])?$/m.exec(output) ?? [];
    return passes || by === undefined || broken.test(output) ? { output } : { by, output };
  } finally {
    restore();
    restore = () => {};
  }
}

const numbers = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const ranges = numbers.map((text) => text.split("-").map(Number));
const chosen = [...mutations.entries()].filter(
  ([index]) =>
    ranges.length === 0 || ranges.some(([first = 0, last = first]) => first <= index + 1 && index < last),
);
if (process.argv.includes("--list"))
  for (const [index, { rule, file }] of chosen) console.log(`${index + 1}\t${file}\t${rule}`);
else if (process.argv.includes("--baseline")) {
  const { passes, output } = await run([...new Set(chosen.flatMap(([, { tests }]) => tests))]);
  console.log(passes ? "the tests pass without a mutation" : output);
  process.exitCode = passes ? 0 : 1;
} else {
  let missed = 0;
  for (const [index, mutation] of chosen) {
    const startedAt = performance.now();
    const { by, output } = await catchIt(mutation);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(`${by ? "caught" : "MISSED"} ${index + 1} (${seconds} s) ${mutation.rule}`);
    console.log(by ? `  by: ${by}` : output.split("\n").slice(-15).join("\n"));
    if (!by) missed += 1;
  }
  console.log(`${chosen.length - missed} caught, ${missed} missed`);
  process.exitCode = missed > 0 ? 1 : 0;
}
