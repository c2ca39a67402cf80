/** The rules of functions: what their heads state, and what their sources hold. */
import type { TransactionSql } from "postgres";
import { problemCodes } from "../../src/problem.ts";
import { namesIn, type Rule } from "./schema-rule.ts";

interface Routine {
  oid: number;
  name: string;
  /** The body as it was written, and without comments and strings. */
  source: string;
  code: string;
  definer: boolean;
  language: string;
  volatility: string;
  config: string[] | null;
  arguments: string[];
  granted: boolean;
  /** True if it returns the row type of a table, a set or a list of it, or has a result column of it. */
  returnsTableRow: boolean;
}

async function routines(sql: TransactionSql): Promise<Routine[]> {
  const rows = await sql<Omit<Routine, "code">[]>`
    select p.oid::int, p.proname as name, p.prosrc as source, p.prosecdef as definer, p.provolatile::text as volatility,
      p.proconfig as config, (select lanname from pg_language where oid = p.prolang)::text as language, coalesce(p.proargnames[1:p.pronargs], '{}') as arguments,
      has_function_privilege('formd_app', p.oid, 'execute') as granted,
      exists (
        select from pg_class c join pg_type t on t.oid = c.reltype
        cross join lateral (
          select p.prorettype as type union all
          select a.type from unnest(p.proallargtypes, p.proargmodes) as a (type, mode) where a.mode in ('o', 'b', 't')
        ) result
        where c.relkind in ('r', 'p') and result.type in (t.oid, t.typarray)) as "returnsTableRow"
    from pg_proc p where p.pronamespace = 'formd'::regnamespace order by p.proname`;
  return rows.map((row) => ({ ...row, code: withoutStrings(withoutComments(row.source)) }));
}

const withoutComments = (text: string) => text.replace(/--[^\n]*/g, "");
const withoutStrings = (text: string) => text.replace(/'(?:[^']|'')*'/g, "''");

const written = ({ code }: Routine) =>
  [...code.matchAll(/\b(?:insert into|update|delete from|truncate)\s+formd\.(\w+)/g)].map(
    ([, table = ""]) => table,
  );

/**
 * Only other functions can call it, with their rights and settings: neither costs anything then (a call with
 * its own, about 10 µs).
 */
const isInternal = ({ definer, granted, config }: Routine) => !definer && !granted && config === null;

const touchesTable = ({ code }: Routine) => /\b(?:from|into|update|join)\s+formd\.\w+(?!\w*\s*\()/.test(code);

const callsAny = ({ code }: Routine, names: string[]) =>
  new RegExp(`\\bformd\\.(?:${names.join("|")})\\(`).test(code);

/** Functions that write, themselves or through another. */
function writers(all: Routine[]): Set<Routine> {
  const found = new Set(all.filter((routine) => written(routine).length > 0));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    const names = [...found].map(({ name }) => name);
    for (const routine of all) if (callsAny(routine, names)) found.add(routine);
  }
  return found;
}

const tablesRead = ({ code }: Routine) =>
  [
    ...code
      .replace(/\bdelete from\b/g, "")
      .matchAll(/\b(?:from|join|using)\s+(?:only\s+)?formd\.(\w+)\b(?!\s*\()/g),
  ].map(([, table = ""]) => table);

/** The labelled lines at the head of a body, each with the lines that continue it. */
function headerOf({ source }: Routine): Map<string, string> {
  const lines = /^\s*((?:--[^\n]*\n)*)/.exec(source)?.[1]?.split("\n") ?? [];
  const header = new Map<string, string>();
  let label = "Summary";
  for (const line of lines) {
    const [, found, text = line.replace(/^--\s*/, "")] =
      /^-- ([A-Z][a-z]+)(?:, [^:]*)?: (.*)$/.exec(line) ?? [];
    if (found) label = found;
    header.set(label, `${header.get(label) ?? ""} ${text}`.trim());
  }
  return header;
}

/** The functions that each function calls, itself or through others, and itself. */
function calleesOf(routine: Routine, all: Routine[]): Set<Routine> {
  const found = new Set([routine]);
  for (const { code } of found)
    for (const [, name] of code.matchAll(/\bformd\.(\w+)\s*\(/g))
      for (const each of all) if (each.name === name) found.add(each);
  return found;
}

/** The tables that a function writes, itself or through the functions that it calls. */
const writtenThrough = (routine: Routine, all: Routine[]) =>
  new Set([...calleesOf(routine, all)].flatMap(written));

/** Tables of a header's `Writes`: the named tables, and the tables that the named functions write. */
function writesNamed(routine: Routine, all: Routine[]): { tables: Set<string>; strays: string[] } {
  const stated = headerOf(routine).get("Writes") ?? "";
  const words: string[] = stated.match(/\w+/g) ?? [];
  const outright: string[] = stated.replace(/;? ?by cascade.*$/, "").match(/\w+/g) ?? [];
  const callees = [...calleesOf(routine, all)].filter((each) => each !== routine);
  const named = callees.filter(({ name }) => words.includes(name));
  const actual = writtenThrough(routine, all);
  const known = new Set(all.flatMap(written));
  const strays = outright.filter((word) => known.has(word) && !actual.has(word));
  return {
    tables: new Set([...words, ...named.flatMap((each) => [...writtenThrough(each, all)])]),
    strays,
  };
}

/** The comments of a body below its header. Lines in a row are one comment. */
const commentsInBody = ({ source }: Routine) =>
  (
    source.replace(/^\s*(?:--[^\n]*\n)*/, "").match(/'(?:[^']|'')*'|--[^\n]*(?:\n[^\S\n]*--[^\n]*)*/g) ?? []
  ).filter((found) => found.startsWith("--"));

/** Lines between the `$$` of a long function. Its arguments and what it returns are about ten more. */
const longLines = 80;

const labels = ["Summary", "Route", "Reads", "Writes", "Locks", "Raises", "Outcomes", "Index", "Why"];

/** Returns the labels that a function's header lacks or has in the wrong order. */
function headerFaults(routine: Routine): string[] {
  const { code } = routine;
  const header = headerOf(routine);
  const found = [...header.keys()];
  const lacks = (label: string, words: (string | undefined)[]) =>
    words.some((word) => !new RegExp(`\\b${word}\\b`).test(header.get(label) ?? ""));
  const raised = [...routine.source.matchAll(/\braise_problem\(\s*'(\w+)'/g)].map(([, code]) => code);
  const faults: [fault: string, is: boolean][] = [
    ["no summary", !/^[A-Z].{15}/.test(header.get("Summary") ?? "")],
    ["unknown label", found.some((label) => !labels.includes(label))],
    ["order", found.join() !== labels.filter((label) => header.has(label)).join()],
    ["Writes", lacks("Writes", written(routine))],
    [
      "Reads",
      lacks(
        "Reads",
        tablesRead(routine).filter((table) => !written(routine).includes(table)),
      ),
    ],
    ["Index", tablesRead(routine).length > 0 && !header.has("Index")],
    ["Locks", /\bfor (?:no key )?update\b/.test(code) && !header.has("Locks")],
    ["Raises", lacks("Raises", raised)],
    ["Outcomes", /\boutcome\s*:=/.test(code) && !header.has("Outcomes")],
  ];
  return faults.filter(([, is]) => is).map(([fault]) => fault);
}

/** A rule about functions, one at a time. */
const each = (
  name: string,
  isOffender: (routine: Routine, all: Routine[]) => boolean,
  ...broken: Rule["broken"]
): Rule => ({
  name,
  offenders: async (sql) => {
    const all = await routines(sql);
    return all.filter((routine) => isOffender(routine, all)).map((routine) => routine.name);
  },
  broken,
});

const stray = (
  body: string,
  { args = "", options = "volatile security definer set search_path = pg_catalog, pg_temp" } = {},
) => `create function formd.stray(${args}) returns void language plpgsql ${options} as $$${body}$$`;

const clock =
  /\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid)\s*\(|\bcurrent_(?:date|time|timestamp)\b|\blocaltime|\binterval\b/;

/** Outcomes that are not problems, or that a route turns into one. */
const ownOutcomes = new Set([
  ...["allowed", "issued", "minted", "stored", "replayed", "passed", "wrong", "exhausted"],
  ...["admitted", "admitted", "stale_version", "malformed", "rejected", "key_unusable", "nonce_used"],
  "option_full",
  "upload_not_found",
  ...["saved", "resume_off", "too_many"],
  "claim_required",
  "assertion",
]);

/** The codes that a function raises, and the outcomes that it assigns. */
function codesOf({ source }: Routine): string[] {
  const statements = source.replace(/--[^\n]*/g, "").split(";");
  const literals = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, code = ""]) => code);
  return statements.flatMap((statement) => [
    ...literals(statement, /\braise_problem\(\s*'([^']*)'/g),
    ...(/\boutcome\s*:=|\binto\b[^;]*\boutcome\b/.test(statement)
      ? literals(statement, /(?:\bthen|\belse|:=|,)\s*'([^']*)'/g)
      : []),
  ]);
}

/** Texts of the assignments in `update … set` and `on conflict … do update`. */
const assignments = ({ code }: Routine) =>
  [...code.matchAll(/\b(?:update\s+formd\.[^;]*?\bset\b|on conflict[^;]*?\bdo update\b)([^;]*)/g)].map(
    ([, text = ""]) => text,
  );

/**
 * Functions about an operator, who belongs to no team and has sessions in several, those that take what is
 * due, or a list, of several teams, and the one for the front page, which has the only team's name.
 */
const ofNoTeam = new Set([
  "installation_read",
  "connection_is_required",
  "connection_record",
  "connection_roles",
  "connection_roles_set",
  "operator_login_connection",
  "operator_logout_connection",
  "operator_team",
  "sign_in_connection_change",
  "sign_in_connection_create",
  "sign_in_connection_remove",
  "sign_in_connection_reseal",
  "master_key_use",
  "master_key_rotate",
  "expired_purge",
  "feed_mark",
  "retention_forms",
  "files_expire",
  "oauth_client_admit",
  "oauth_person_admit",
  "respondents_purge",
  "operator_change_password",
  "operator_administers",
  "operator_entries",
  "operator_invitation_accept",
  "operator_join",
  "operator_password_settle",
  "operator_login_settle",
  "operator_reset",
  "setup_offer",
  "submissions_submit_set",
  "setup_is_open",
  "operator_reset_make",
  "operator_set_password",
  "operator_session_end",
  "operator_session_list",
  "operator_session_switch",
  "operator_sessions_end",
  "operator_sign_in_failed",
  "operator_remove",
  "operator_remove_passkeys",
  "passkey_challenge_make",
  "passkey_challenge_use",
  "passkey_find",
  "operator_record",
  "passkey_register",
  "passkey_remove",
  "passkey_rename",
  "passkey_use",
  "partition_drop",
  "mail_due_after",
  "mail_key_expiry_record",
  "webhook_due",
  "webhook_due_after",
]);

export const functionRules: Rule[] = [
  {
    name: "the functions are those of sql/, each once",
    offenders: async (sql) => {
      const files = namesIn("sql", /^create or replace function formd\.(\w+)\s*\(/gm);
      const found = (await routines(sql)).map(({ name }) => name).sort();
      const counted = (names: string[], name: string) => names.filter((each) => each === name).length;
      return [...new Set([...files, ...found])].filter(
        (name) => counted(files, name) !== counted(found, name),
      );
    },
    broken: [
      [stray("begin end"), "stray"],
      ["drop function formd.uuid_time", "uuid_time"],
      ["create function formd.uuid_time(text) returns int language sql as 'select 1'", "uuid_time"],
    ],
  },
  {
    // They are loaded unchecked, since one may call another of a later file.
    name: "every function's body compiles",
    offenders: async (sql) => {
      const broken: string[] = [];
      for (const { oid, name } of await routines(sql)) {
        const [{ validator }] = await sql<[{ validator: string }]>`
          select l.lanvalidator::regproc::text as validator from pg_proc p join pg_language l on l.oid = p.prolang where p.oid = ${oid}`;
        await sql
          .savepoint((inner) =>
            inner.unsafe(`set local check_function_bodies = on; select ${validator}(${oid})`),
          )
          .catch(() => broken.push(name));
      }
      return broken;
    },
    broken: [
      [`set local check_function_bodies = off; ${stray("begin if end")}`, "stray"],
      [
        "set local check_function_bodies = off; create function formd.stray() returns int language sql as 'select nothing'",
        "stray",
      ],
    ],
  },
  each(
    "every function has a header: a summary, then what it reads, writes, locks, raises, returns as outcome, and by which index",
    (routine) => headerFaults(routine).length > 0,
    [stray("begin end"), "stray"],
    [stray("-- x\nbegin end"), "stray"],
    [stray("-- Does what it does, well.\n-- Note: this\nbegin end"), "stray"],
    [stray("-- Does what it does, well.\n-- Locks: it\n-- Reads: forms\nbegin end"), "stray"],
    [stray("-- Does what it does, well.\nbegin perform from formd.forms f; end"), "stray"],
    [stray("-- Does what it does, well.\n-- Reads: forms\nbegin perform from formd.forms f; end"), "stray"],
    [
      stray(
        "-- Does what it does, well.\n-- Reads: forms\n-- Index: forms_pkey\nbegin perform from formd.forms f for update; end",
      ),
      "stray",
    ],
    [stray("-- Does what it does, well.\n-- Writes: grants\nbegin delete from formd.forms f; end"), "stray"],
    [
      stray(
        "-- Does what it does, well.\n-- Raises: conflict\nbegin perform formd.raise_problem('not_found', 'No.'); end",
      ),
      "stray",
    ],
    [
      stray("-- Does what it does, well.\nbegin outcome := 'allowed'; end", {
        args: "out outcome text",
      }).replace("returns void", "returns text"),
      "stray",
    ],
  ),
  each(
    "a header names every table that its function writes, itself or through the functions that it calls, and no other",
    (routine, all) => {
      const { tables, strays } = writesNamed(routine, all);
      // Dynamic SQL takes the names of its tables from a list.
      return (
        (!/\bexecute\b/.test(routine.code) && strays.length > 0) ||
        [...writtenThrough(routine, all)].some((table) => !tables.has(table))
      );
    },
    [stray("-- Does what it does, well.\nbegin perform formd.audit_record(); end"), "stray"],
    [
      stray("-- Does what it does, well.\n-- Writes: audit_events\nbegin perform formd.audit_record(); end"),
      "stray",
    ],
    [stray("-- Does what it does, well.\n-- Writes: forms\nbegin end"), "stray"],
  ),
  each(
    // Its header tells why it is as it is, and its reader has lost the line by then.
    `every function of more than ${longLines} lines has at least two comments below its header`,
    (routine) => routine.source.trim().split("\n").length > longLines && commentsInBody(routine).length < 2,
    [stray(`-- Does what it does, well.\nbegin${"\n".repeat(longLines)}end`), "stray"],
    [
      stray(
        `-- Does what it does, well.\n-- Why: so.\nbegin\n-- One,\n-- in two lines.${"\n".repeat(longLines)}perform '-- no comment'; end`,
      ),
      "stray",
    ],
  ),
  each(
    "every variable has a type, except the target of a loop over rows",
    ({ code }) =>
      [...code.matchAll(/\b(v_\w+)\s+record\b/g)].some(
        ([, name]) => !new RegExp(`\\bfor ${name} in\\b`).test(code),
      ),
    [stray("declare v_row record; begin select * into v_row from formd.forms f; end"), "stray"],
  ),
  each(
    "every number beyond 2, and every span of time, is a constant with a name",
    ({ language, source }) => {
      if (language !== "plpgsql") return false; // SQL has no constants
      return withoutComments(source)
        .split(";")
        .filter((statement) => !/^\s*(?:declare\s+)?c_\w+ constant\b/.test(statement))
        .some(
          (statement) =>
            /\binterval\s+'(?!1 millisecond')/.test(statement) ||
            /(?<![\w$.])(?![0-2](?![\d.]))\d[\d.]*/.test(
              withoutStrings(statement).replace(/\b(?:timestamptz|bit)\s*\(\d+\)/g, ""),
            ),
        );
    },
    [stray("begin perform from formd.forms f limit 20; end"), "stray"],
    [stray("declare v_end timestamptz(3) := now() + interval '2 minutes'; begin end"), "stray"],
  ),
  each(
    "every function searches pg_catalog and then pg_temp, and nothing else; an internal one has what its caller has",
    (routine) => !isInternal(routine) && !routine.config?.includes("search_path=pg_catalog, pg_temp"),
    [stray("-- x\nbegin end", { options: "volatile security definer" }), "stray"],
    [
      `${stray("begin end", { options: "volatile" })}; grant execute on function formd.stray to formd_app`,
      "stray",
    ],
    [stray("begin end", { options: "set search_path = 'formd'" }), "stray"],
  ),
  each(
    "every function that touches a table has its owner's rights, or is internal",
    (routine) => !routine.definer && !isInternal(routine) && touchesTable(routine),
    [
      stray("begin perform from formd.forms; end", {
        options: "stable set search_path = pg_catalog, pg_temp",
      }),
      "stray",
    ],
  ),
  each(
    // A connection keeps the plan that an internal function made first.
    "every function that calls an internal one has no plans with sequential scans",
    (routine, all) =>
      !isInternal(routine) &&
      !routine.config?.includes("enable_seqscan=off") &&
      callsAny(
        routine,
        all.filter((each) => isInternal(each) && touchesTable(each)).map(({ name }) => name),
      ),
    [stray("begin perform formd.rate_limit_lock('x'); end"), "stray"],
  ),
  each(
    // A call fixes its columns when it begins: one that waits while the table gains another would fail with a
    // longer row.
    "no function that the server calls returns the row type of a table",
    ({ granted, returnsTableRow }) => granted && returnsTableRow,
    ...[
      ...["formd.forms", "setof formd.forms", "formd.forms[]"],
      ...["table (a int, b formd.forms)", "table (a formd.forms[])"],
    ].map((type): [string, string] => [
      `${stray("begin end").replace("returns void", `returns ${type}`)}; grant execute on function formd.stray to formd_app`,
      "stray",
    ]),
  ),
  each(
    "every function that writes is volatile",
    (routine, all) => routine.volatility !== "v" && writers(all).has(routine),
    [stray("begin delete from formd.forms; end", { options: "stable" }), "stray"],
    [stray("begin perform formd.expired_purge(1); end", { options: "immutable" }), "stray"],
  ),
  each(
    "every function that writes a team's rows takes the team first, unless they are of no team",
    (routine) =>
      routine.arguments[0] !== "p_team" &&
      !ofNoTeam.has(routine.name) &&
      written(routine).some((table) => table !== "rate_limits"),
    [
      stray("begin delete from formd.forms where id = p_id; end", { args: "p_id uuid, p_team uuid" }),
      "stray",
    ],
  ),
  each(
    "every statement of a team's function names the team",
    ({ name, code }) =>
      !ofNoTeam.has(name) &&
      code
        .split(";")
        .some(
          (statement) =>
            /\b(?:from|update)\s+formd\.\w+\s+\w+\b/.test(statement) &&
            !/\bformd\.(?:operators|master_keys|form_aliases|rate_limits|feed_marks|setup_links|operator_passkeys|passkey_challenges|sign_in_connections)\b/.test(
              statement,
            ) &&
            !/\bteam_id = (?:p_team\b|any \(v_teams\))/.test(statement),
        ),
    [
      stray("begin delete from formd.forms f where f.id = p_id; end", { args: "p_team uuid, p_id uuid" }),
      "stray",
    ],
  ),
  each(
    // Citus plans no statement of such a function: it sees parameters, and not their values.
    "no function in SQL names a table",
    (routine) => routine.language === "sql" && touchesTable(routine),
    [
      `create function formd.stray(p_team uuid) returns bigint language sql as $$select count(*) from formd.forms f where f.team_id = p_team$$`,
      "stray",
    ],
  ),
  each(
    "rows that are locked are one team's, or of a table that is no team's",
    ({ code }) =>
      code
        .split(";")
        .some(
          (statement) =>
            /\bfor (?:(?:no key )?update|(?:key )?share)\b/.test(statement) &&
            !/\bteam_id = [\w$]|\bformd\.(?:operators|rate_limits|feed_marks|form_aliases|setup_links|operator_passkeys|passkey_challenges|sign_in_connections)\b/.test(
              statement,
            ),
        ),
    [
      stray("begin perform from formd.forms f where f.id = p_id for update; end", { args: "p_id uuid" }),
      "stray",
    ],
  ),
  each(
    // Rows of a query go to a machine by COPY, and are committed in two phases.
    "a row that no query returns is inserted by values",
    ({ code }) =>
      code
        .split(";")
        .some((statement) => /\binsert into\b[^;]*\)\s*select\b(?![\s\S]*\bfrom\b)/.test(statement)),
    [
      stray("begin insert into formd.teams (team_id, name) select p_team, 'x'; end", { args: "p_team uuid" }),
      "stray",
    ],
  ),
  each(
    // Citus keeps a plan without values only of a statement on one table.
    "a function whose plans are generic names one table per statement",
    ({ code, config }) =>
      config?.includes("plan_cache_mode=force_generic_plan") === true &&
      code
        .split(";")
        .some((statement) => (statement.match(/\b(?:from|join)\s+formd\.\w+\b(?!\s*\()/g) ?? []).length > 1),
    [
      stray("begin perform from formd.forms f, formd.teams t join formd.api_keys k on true; end", {
        options: "set plan_cache_mode = force_generic_plan",
      }),
      "stray",
    ],
  ),
  each(
    // A function that a query runs on a worker can call no distributed table itself.
    "no query on a table calls a function that names a table",
    ({ code }, all) =>
      code.split(/;|\bloop\b|\bthen\b/).some(
        (statement) =>
          /\b(?:from|join)\s+formd\.\w+\s+\w+\b(?!\s*\()/.test(statement) &&
          callsAny(
            { code: statement } as Routine,
            all.filter(touchesTable).map(({ name }) => name),
          ),
      ),
    [stray("begin perform formd.workspace_choose(w.team_id, w.id) from formd.workspaces w; end"), "stray"],
  ),
  each(
    "no assignment of an update calls the clock, chance or time arithmetic",
    (routine) => assignments(routine).some((text) => clock.test(text)),
    [stray("begin update formd.forms f set updated_at = now() where true; end"), "stray"],
    [
      stray("begin update formd.forms f set name = 'x',\n updated_at = v_now + interval '1 ms'; end"),
      "stray",
    ],
    [
      stray(
        "begin insert into formd.teams values (1) on conflict (team_id) do update set created_at = clock_timestamp(); end",
      ),
      "stray",
    ],
  ),
  each(
    "no assignment of an update compares a column by `case column when`, which Citus sends as text = boolean",
    (routine) => assignments(routine).some((text) => /\bcase\s+[a-z_]+\.[a-z_]+\s+when\b/.test(text)),
    [stray("begin update formd.forms f set name = case f.status when 'draft' then 'x' end; end"), "stray"],
  ),
  each("the clock is kept in milliseconds", ({ code }) => /\bv_\w+\s+timestamptz\b(?!\(3\))/.test(code), [
    stray("declare v_now timestamptz := clock_timestamp(); begin end"),
    "stray",
  ]),
  each(
    "arguments are p_, variables v_, constants c_",
    ({ code, arguments: names }) =>
      names.some((name) => !/^p_\w+$/.test(name)) ||
      /^\s*declare\b([\s\S]*?)\bbegin\b/
        .exec(code)?.[1]
        ?.split(";")
        .some((line) => /\S/.test(line) && !/^\s*(?:v_\w+ (?!constant\b)|c_\w+ constant )/.test(line)) ===
        true,
    [stray("begin end", { args: "team uuid" }), "stray"],
    [stray("declare now timestamptz; begin end"), "stray"],
    [stray("declare v_max constant integer := 1; begin end"), "stray"],
  ),
  each(
    "no function takes an advisory lock, notifies, makes a temporary table or, except for the purge and the functions of months, sends dynamic SQL",
    ({ name, code }) =>
      /_advisory_|\bnotify\b|\btemp\b|\btemporary\b/.test(code) ||
      (!/^(expired_purge$|partition_)/.test(name) && /\bexecute\b/.test(code)),
    [stray("begin execute 'select 1'; end"), "stray"],
    [stray("begin perform pg_advisory_xact_lock(1); end"), "stray"],
  ),
  each(
    "no function opens a subtransaction for each of a list: more than 64 make every snapshot slow",
    ({ code }) => /\bloop\b(?:(?!\bend loop\b)[\s\S])*\bexception\s+when\b/.test(code),
    [
      stray(
        "declare v_n integer; begin for v_n in select 1 loop begin perform 1; exception when others then null; end; end loop; end",
      ),
      "stray",
    ],
  ),
  each(
    "no function changes a published version, and none but the erasure changes an audit",
    ({ name, code }) =>
      /\b(?:update|delete from)\s+formd\.(?:form_versions|submission_erasures)\b|\bdelete from\s+formd\.submission_edits\b/.test(
        code,
      ) ||
      (/\bupdate\s+formd\.submission_edits\b/.test(code) && name !== "submission_erase"),
    [
      stray("begin delete from formd.submission_edits e where e.team_id = p_team; end", {
        args: "p_team uuid",
      }),
      "stray",
    ],
    [stray("begin update formd.form_versions v set name = 'x'; end"), "stray"],
  ),
  each(
    "every code that is raised, and every outcome, is one that the API or its route knows",
    (routine) =>
      codesOf(routine).some((code) => !Object.hasOwn(problemCodes, code) && !ownOutcomes.has(code)),
    [stray("begin perform formd.raise_problem('vanished', 'No.'); end"), "stray"],
    [
      stray("begin outcome := case when true then 'unauthorised' else 'rate_limited' end; end", {
        args: "out outcome text",
      }).replace("returns void", "returns text"),
      "stray",
    ],
  ),
];
