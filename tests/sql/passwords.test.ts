import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { addOperator, makeForm, makeTeam } from "../setup.ts";
import { endOf, hashOf, inParallel } from "./fixture.ts";
import { operatorsFixture } from "./operator-acts.ts";

const { app, sql, team, join, logIn, use } = await operatorsFixture();
const elsewhere = await makeTeam(app);
const followed = await makeForm(app, team, []);

async function makeReset(operator: string, lifetime = "30 minutes", actor = "(cli,,)") {
  const token = uuidv7();
  await sql`select formd.operator_reset_make(${team.id}, ${actor}, ${operator}, ${hashOf(token)}, ${lifetime})`;
  return token;
}

const reset = (operator: string, token: string, password: string, each = sql) =>
  endOf(
    each`select formd.operator_reset('(anonymous,,)', ${operator}, ${hashOf(token)}, 'new', ${hashOf(password)})`,
    password,
  );

async function challenge(operator: string) {
  const hash = hashOf(uuidv7());
  await sql`select formd.passkey_challenge_make(${hash}, ${operator}, '192.0.2.1', null, 9, 9, '5 minutes')`;
  return hash;
}

/** @returns the id of the new passkey, or how it was refused */
async function register(operator: string, challengeHash: Uint8Array, name = "Phone") {
  const id = uuidv7();
  const actor = `(operator,${operator},)`;
  return await endOf(
    sql`select formd.passkey_register(${team.id}, ${actor}, ${challengeHash}, ${id}, ${hashOf(id)}, ${hashOf("key")}, 0, ${name}, false)`,
    id,
  );
}

/** True if a passkey opens a session in the team. */
const opensBy = async (passkey: string): Promise<boolean> =>
  /^[\da-f-]{36}$/.test(passkey) &&
  (
    await sql`
      select * from formd.operator_login_passkey(${team.id}, '(anonymous,,)', ${passkey}, 0, ${uuidv7()}, ${hashOf(uuidv7())}, '1 hour', null, null, null, false)`
  ).length > 0;

/** A person with a role in the team, and in another one. */
async function makePerson() {
  const email = `${uuidv7()}@example.org`;
  const { id } = await join(email, "viewer");
  await join(email, "viewer", { to: elsewhere.id, workspace: elsewhere.workspace });
  return { id, email };
}
type Person = Awaited<ReturnType<typeof makePerson>>;

/**
 * Every way into an account, registered before, and used later to open the team. A way has the name of the
 * column whose secret it gives; the device cookie has none.
 */
const waysIn: Record<string, (person: Person) => Promise<() => Promise<boolean>>> = {
  "operators.password_hash":
    async ({ email }) =>
    async () =>
      (await logIn(email)) !== undefined,
  "operators.reset_hash": async ({ id, email }) => {
    const token = await makeReset(id);
    return async () =>
      (await reset(id, token, "stolen")) === "stolen" &&
      (await logIn(email, { password: "stolen" })) !== undefined;
  },
  "operator_passkeys.public_key": async ({ id }) => {
    const passkey = await register(id, await challenge(id));
    return () => opensBy(passkey);
  },
  "passkey_challenges.challenge_hash": async ({ id }) => {
    const begun = await challenge(id);
    return async () => opensBy(await register(id, begun));
  },
  "operator_sessions.token_hash": async ({ id, email }) => {
    const { token = "" } = (await logIn(email)) ?? {};
    return async () => (await use(token)) === id;
  },
  "operator_sessions.token_hash, in another team": async ({ email }) => {
    const { token = "" } = (await logIn(email, { to: elsewhere.id })) ?? {};
    const call = () => sql`
      select formd.operator_session_switch(${team.id}, '(anonymous,,)', ${elsewhere.id}, ${hashOf(token)}, ${uuidv7()}, ${hashOf(uuidv7())})`;
    return async () => (await endOf(call(), "switched")) === "switched";
  },
  "operator_invitations.token_hash": async ({ id, email }) => {
    const hash = hashOf(uuidv7());
    await sql`
      insert into formd.operator_invitations (team_id, id, workspace_id, email, role, token_hash, created_at, expires_at)
      values (${team.id}, ${uuidv7()}, ${team.workspace}, ${email}, 'viewer', ${hash}, now(), now() + interval '1 day')`;
    // It takes a session in any team.
    return async () =>
      (await logIn(email, { to: elsewhere.id })) !== undefined &&
      (await endOf(
        sql`select formd.operator_invitation_accept(${team.id}, '(anonymous,,)', ${hash}, ${id}, ${id}, null, null)`,
        "accepted",
      )) === "accepted" &&
      (await logIn(email)) !== undefined;
  },
  "form_followers.feed_hash": async ({ id }) => {
    const hash = hashOf(uuidv7());
    await sql`select formd.form_feed_make(${team.id}, ${`(operator,${id},)`}, ${followed.id}, ${hash})`;
    return async () => {
      const [row] = await sql<[{ outcome: string }]>`
        select outcome from formd.form_feed_read(${team.id}, ${followed.id}, ${hash}, ${uuidv7()}, 10, 10)`;
      return row.outcome === "allowed";
    };
  },
  "device cookie": async ({ email }) => {
    // Later than the password, in milliseconds.
    await Bun.sleep(2);
    const device = uuidv7();
    return async () => {
      const [row] = await sql<[{ isKnown: boolean }]>`
        select is_known from formd.operator_login_admit(${email}, ${team.id}, '192.0.2.1', 10, 10, ${device})`;
      return row.isKnown;
    };
  },
};

/** Secrets beside them which open no account of a person. */
const noWaysIn = ["operator_passkeys.credential_id", "setup_links.token_hash", "mails.recipient_hash"];

/** Actions that end them, each with the ways that it leaves. */
const ends: Record<string, { end: (person: Person) => Promise<unknown>; leaves?: string[] }> = {
  "a new password by a link": { end: async ({ id }) => reset(id, await makeReset(id), "new") },
  "a new password at a terminal": {
    end: ({ email }) =>
      sql`select formd.operator_set_password('(cli,,)', ${email}, 'salt', ${hashOf("new")})`,
  },
  "a new password of one's own that removes the passkeys": {
    end: async ({ email }) => {
      const { token = "" } = (await logIn(email)) ?? {};
      return await sql`
        select formd.operator_change_password(${team.id}, '(anonymous,,)', ${hashOf(token)}, ${hashOf("right")}, 'salt', ${hashOf("new")})`;
    },
  },
  "the removal from the team": {
    end: ({ email }) => sql`select formd.operator_remove('(cli,,)', ${email}, ${team.workspace})`,
    // It is for the limit of wrong passwords alone.
    leaves: ["device cookie"],
  },
  "the removal of all passkeys at a terminal, for a lost device": {
    end: ({ email }) => sql`select formd.operator_remove_passkeys('(cli,,)', ${email})`,
    // No device has them.
    leaves: [
      "operators.password_hash",
      "operators.reset_hash",
      "operator_invitations.token_hash",
      "form_followers.feed_hash",
      "device cookie",
    ],
  },
};

describe("what was registered before", () => {
  for (const [way, make] of Object.entries(waysIn)) {
    test(`${way}: it opens the team`, async () => {
      expect(await (await make(await makePerson()))()).toBe(true);
    });
    for (const [name, { end, leaves = [] }] of Object.entries(ends))
      test(`${way}: ${leaves.includes(way) ? "it stays after" : "not after"} ${name}`, async () => {
        const person = await makePerson();
        const opens = await make(person);
        await Bun.sleep(2);
        await end(person);
        expect(await opens()).toBe(leaves.includes(way));
      });
  }

  test("is one of these: every secret that is stored with a person", async () => {
    const stored = await sql<{ name: string }[]>`
      select c.table_name || '.' || c.column_name as name from information_schema.columns c
      where c.table_schema = 'formd' and c.data_type = 'bytea' and (
        c.table_name ~ '^(operator|setup)' or exists (
          select from information_schema.columns o
          where o.table_schema = 'formd' and o.table_name = c.table_name and o.column_name = 'operator_id'))`;
    const listed = Object.keys(waysIn).filter((way) => /^\w+\.\w+$/.test(way));
    expect(stored.map(({ name }) => name).sort()).toEqual([...listed, ...noWaysIn].sort());
  });
});

test("a passkey whose registration waits for the new password is not registered", async () => {
  const { id } = await makePerson();
  const [token, begun] = [await makeReset(id), await challenge(id)];
  let waiting: Promise<string> | undefined;
  await sql.begin(async (inner) => {
    await inner`select formd.operator_reset('(anonymous,,)', ${id}, ${hashOf(token)}, 'new', ${hashOf("new")})`;
    waiting = register(id, begun);
    await Bun.sleep(200);
  });
  expect(await waiting).toBe("bad_request");
  expect(await sql`select from formd.operator_passkeys where operator_id = ${id}`).toHaveLength(0);
});

test("the page, the audit of every team and the mail say what a new password has ended", async () => {
  const { id, email } = await makePerson();
  await register(id, await challenge(id), "Laptop");
  await logIn(email);
  const token = await makeReset(id);
  const ended = { passkeys: ["Laptop"], sessions: 1 };
  const [shown] = await sql`
    select passkeys, sessions from formd.operator_reset_read(${id}, ${hashOf(token)})`;
  const [done] = await sql`
    select * from formd.operator_reset('(anonymous,,)', ${id}, ${hashOf(token)}, 'new', ${hashOf("new")}, true)`;
  expect([shown, done]).toEqual([ended, ended]);
  const events = await sql`
    select team_id, details from formd.audit_events where object_id = ${id} and kind = 'operator.password_changed'`;
  expect(events.map(({ teamId }) => teamId).sort()).toEqual([team.id, elsewhere.id].sort());
  expect(events[0]?.details).toEqual({ passkeysRemoved: ["Laptop"], sessionsEnded: 1 });
  expect(await sql`select from formd.mails where operator_id = ${id} and kind = 'password'`).toHaveLength(1);
});

test("a new password of one's own leaves the passkeys where it is asked to", async () => {
  const { id, email } = await makePerson();
  const passkey = await register(id, await challenge(id));
  const { token = "" } = (await logIn(email)) ?? {};
  await sql`
    select formd.operator_change_password(${team.id}, '(anonymous,,)', ${hashOf(token)}, ${hashOf("right")}, 'salt', ${hashOf("new")}, true)`;
  expect([await opensBy(passkey), await use(token)]).toEqual([true, id]);
});

test("an account is unconfirmed while an admin has seen the link by which its password was chosen", async () => {
  const { id: admin } = await addOperator(app, team.id, team.workspace, "admin");
  const email = `${uuidv7()}@example.org`;
  const byAdmin = `(operator,${admin},)`;
  const accept = async (isMailed: boolean, to = team, operator: string | null = null) => {
    const [hash, id] = [hashOf(uuidv7()), uuidv7()];
    const by = to === team ? byAdmin : `(operator,${elsewhere.operator.id},)`;
    await sql`
      select formd.operator_invite(${to.id}, ${by}, ${to.workspace}, ${uuidv7()}, ${email}, 'viewer', ${hash}, '1 day', ${isMailed})`;
    await sql`
      select formd.operator_invitation_accept(${to.id}, '(anonymous,,)', ${hash}, ${operator}, ${id}, 'salt', ${hashOf("right")})`;
    return operator ?? id;
  };
  const id = await accept(false);
  const isMarked = async () =>
    (
      await sql<[{ isUnconfirmed: boolean }]>`
        select is_unconfirmed from formd.workspace_operator_list(${team.id}, ${team.workspace}, 1000, 0, 1000)
        where id = ${id}`
    )[0].isUnconfirmed;
  const chosen = async (actor: string) => {
    await reset(id, await makeReset(id, "1 hour", actor), "new");
    return await isMarked();
  };
  expect(await isMarked()).toBe(true);
  // The links of a mail, of an admin, and of a terminal.
  expect([await chosen("(anonymous,,)"), await chosen(byAdmin), await chosen("(cli,,)")]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await chosen(byAdmin)).toBe(true);
  await accept(true, elsewhere, id);
  expect(await isMarked()).toBe(false);
});

test("of eight who use one reset link at once, one sets the password", async () => {
  const { id } = await join("reset@example.org");
  const token = await makeReset(id);
  const results = await inParallel(app.database.ownerUrl, 8, (each, index) =>
    reset(id, token, `password ${index}`, each),
  );
  const [password = "", ...others] = results.filter((result) => result !== "not_found");
  expect(others).toEqual([]);
  expect(await logIn("reset@example.org")).toBeUndefined();
  expect((await logIn("reset@example.org", { password }))?.operatorId).toBe(id);
});

test("a new reset link ends the one before, and an expired one sets nothing", async () => {
  const { id } = await join("resets@example.org");
  const first = await makeReset(id);
  const second = await makeReset(id, "0 seconds");
  expect([await reset(id, first, "one"), await reset(id, second, "two")]).toEqual(["not_found", "not_found"]);
  expect(await logIn("resets@example.org")).toBeDefined();
});

test("a reset link ends with the role of the admin who made it", async () => {
  const { id } = await join("led@example.org");
  const { id: admin } = await addOperator(app, team.id, team.workspace, "admin");
  const token = await makeReset(id, "1 hour", `(operator,${admin},)`);
  const isOpen = async () =>
    (await sql`select from formd.operator_reset_read(${id}, ${hashOf(token)})`).length === 1;
  expect(await isOpen()).toBe(true);
  await sql`update formd.workspace_roles set role = 'viewer' where operator_id = ${admin}`;
  expect([await isOpen(), await reset(id, token, "new")]).toEqual([false, "not_found"]);
});
