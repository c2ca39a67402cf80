// stacks: one months citus
/** Submissions by the links of invitations: one each, exactly, and in an anonymous form untied. */
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { invitationOf, invite, invitedBy } from "../invite.ts";
import { makeForm, type PublishedForm, workerPorts } from "../setup.ts";
import {
  inParallel,
  type NewSubmission,
  type SubmitResult,
  sqlFixture,
  submit,
  submitAll,
} from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const fields = [{ id: "a", type: "text", label: "A" }];
const page = { enabled: true, access: "invited" };
const named = await makeForm(app, team, fields, { settings: { page } });
const anonymous = await makeForm(app, team, fields, {
  settings: { page, invitations: { anonymous: true } },
});

/** A submission of the page with this key, opened by an invitation. */
const from = (
  form: PublishedForm,
  token: string | undefined,
  key: string = uuidv7(),
  item: NewSubmission["item"] = {},
): NewSubmission => ({
  form,
  idempotencyKey: key,
  item: {
    credentials: {
      access_key_hash: undefined,
      credential: "page",
      key_id: undefined,
      nonce: undefined,
      nonce_expires_at: undefined,
      ...(token === undefined ? { credential_hash: toByteaText(sha256(key)) } : invitedBy(token, key)),
    },
    ...item,
  },
});

/** The claim of a request that has made or joined it. */
const claimOf = (key: string) => sha256(sha256(`claim ${key}`));
const claim = async (on: Sql, form: PublishedForm, token: string, key: string) =>
  (
    await on<{ claim: string }[]>`
      select formd.invitation_claim(p_team => ${team.id}, p_form => ${form.id}, p_token_hash => ${sha256(token)},
        p_claim_hash => ${claimOf(key)}) as claim`
  )[0]?.claim;
const endClaim = (on: Sql, form: PublishedForm, token: string, key: string, isStored: boolean) => on`
  select formd.invitation_claim_end(p_team => ${team.id}, p_form => ${form.id}, p_token_hash => ${sha256(token)},
    p_claim_hash => ${claimOf(key)}, p_is_stored => ${isStored})`;

/** Sends as the server does: an anonymous invitation is claimed in between. */
async function send(
  on: Sql,
  form: PublishedForm,
  token: string,
  key: string = uuidv7(),
  item: NewSubmission["item"] = {},
): Promise<SubmitResult> {
  const first = await submit(on, team, from(form, token, key, item));
  if (first.outcome !== "claim_required") return first;
  const claimed = await claim(on, form, token, key);
  const again = from(form, token, key, { ...item, admitted: true });
  const credentials = { ...again.item?.credentials, claim_hash: toByteaText(claimOf(key)) };
  const last = await submit(on, team, { ...again, item: { ...again.item, credentials } as typeof item });
  if (last.outcome === "stored" || claimed === "claimed")
    await endClaim(on, form, token, key, last.outcome === "stored");
  return last;
}

const outcomesOf = (results: readonly SubmitResult[]) => results.map(({ outcome }) => outcome).sort();
const countIn = async ({ id }: PublishedForm) =>
  (await sql<{ count: number }[]>`select count(*)::int from formd.submissions where form_id = ${id}`)[0]
    ?.count ?? 0;

describe.each([
  ["named", named],
  ["anonymous", anonymous],
])("in a %s form", (_, form) => {
  test("1,000 submissions on one link, in parallel, store one", async () => {
    const [token, before] = [await invite(sql, team, form), await countIn(form)];
    const results = await inParallel(app.database.ownerUrl, 1000, (each) => send(each, form, token));
    expect(outcomesOf(results)).toEqual([...Array(999).fill("gone"), "stored"]);
    expect((await countIn(form)) - before).toBe(1);
  });

  test("twins of one page, in parallel, are one submission with one response", async () => {
    const [token, before] = [await invite(sql, team, form), await countIn(form)];
    const results = await inParallel(app.database.ownerUrl, 40, (each) => send(each, form, token, "twin"));
    expect(outcomesOf(results)).toEqual([...Array(39).fill("replayed"), "stored"]);
    expect(new Set(results.map(({ response }) => response?.id)).size).toBe(1);
    expect((await countIn(form)) - before).toBe(1);
  });

  test("one key on two links, in parallel, stores one, and the other link stays open", async () => {
    for (let round = 0; round < 10; round++) {
      const tokens = [await invite(sql, team, form), await invite(sql, team, form)] as const;
      const key = uuidv7();
      const results = await inParallel(app.database.ownerUrl, 2, (each, index) =>
        send(each, form, tokens[index] as string, key),
      );
      expect(outcomesOf(results)).toEqual(["replayed", "stored"]);
      const states = await Promise.all(tokens.map(async (token) => (await invitationOf(sql, token)).state));
      expect(states.sort()).toEqual(["open", "submitted"]);
    }
  });

  test("what is refused uses nothing: malformed and rejected data, an older version, a closed form", async () => {
    const token = await invite(sql, team, form);
    for (const item of [{ validation: "rejected" }, { validation: "malformed" }, { version: 7 }] as const)
      expect((await submit(sql, team, from(form, token, uuidv7(), item))).outcome).toBe(
        "version" in item ? "admitted" : item.validation,
      );
    expect((await invitationOf(sql, token)).state).toBe("open");
  });

  test("unknown, revoked and expired are not_found; no invitation is anonymous_not_allowed", async () => {
    const past = new Date(Date.now() - 1000);
    const tokens = [
      "unknown",
      await invite(sql, team, form, { state: "revoked" }),
      await invite(sql, team, form, { expiresAt: past }),
    ];
    for (const token of tokens) expect((await send(sql, form, token)).outcome).toBe("not_found");
    expect((await submit(sql, team, from(form, undefined))).outcome).toBe("anonymous_not_allowed");
  });
});

test("in one list a link is used once, whatever the order of its pages; two lists never wait for each other", async () => {
  const tokens = await Promise.all(Array.from({ length: 10 }, () => invite(sql, team, named)));
  const list = (order: readonly string[]) => order.map((token) => from(named, token));
  const results = await inParallel(app.database.ownerUrl, 20, (each, index) =>
    submitAll(each, team, list(index % 2 ? tokens : tokens.toReversed())),
  );
  const outcomes = results.flat().map(({ outcome }) => outcome);
  expect(outcomes.filter((each) => each === "stored")).toHaveLength(10);
  expect(outcomes.filter((each) => each === "gone")).toHaveLength(190);
});

describe("the person of an invitation", () => {
  const makePerson = async () => {
    const [{ id }] = await sql<[{ id: string }]>`
      insert into formd.respondents (team_id, id, issuer, subject, created_at, expires_at)
      values (${team.id}, ${uuidv7()}, 'https://id.example', ${uuidv7()}, now(), now() + interval '1 day')
      returning id`;
    return id;
  };

  test("is the submission's, whose provenance stays person", async () => {
    const respondent = await makePerson();
    const token = await invite(sql, team, named, { respondent });
    const { response } = await send(sql, named, token);
    const [row] = await sql`
      select respondent_id, provenance, submitter_type from formd.submissions where id = ${response?.id ?? ""}`;
    expect(row).toEqual({ respondentId: respondent, provenance: "person", submitterType: "anonymous" });
    expect(await invitationOf(sql, token)).toMatchObject({
      state: "submitted",
      submissionId: response?.id ?? "",
    });
  });

  test("who was erased meanwhile has a link that leads nowhere; an anonymous form stores no person", async () => {
    const respondent = await makePerson();
    const [token, other] = [
      await invite(sql, team, named, { respondent }),
      await invite(sql, team, anonymous, { respondent }),
    ];
    const { response } = await send(sql, anonymous, other);
    const [row] = await sql`select respondent_id from formd.submissions where id = ${response?.id ?? ""}`;
    expect(row?.respondentId).toBeNull();
    await sql`delete from formd.respondents where id = ${respondent}`;
    expect((await send(sql, named, token)).outcome).toBe("not_found");
    expect((await invitationOf(sql, token)).state).toBe("open");
  });
});

describe("the claim of an anonymous invitation", () => {
  test("is needed, is the page's, and lets the same page be sent after a crash", async () => {
    const token = await invite(sql, team, anonymous);
    expect((await submit(sql, team, from(anonymous, token, "one"))).outcome).toBe("claim_required");
    expect(await claim(sql, anonymous, token, "one")).toBe("claimed");
    // The server ends here. Another page finds the link used; the same one is stored.
    expect((await send(sql, anonymous, token, "two")).outcome).toBe("gone");
    expect(await claim(sql, anonymous, token, "two")).toBe("gone");
    expect((await send(sql, anonymous, token, "one")).outcome).toBe("stored");
    expect((await send(sql, anonymous, token, "one")).outcome).toBe("replayed");
  });

  test("is given back by the request that has it alone, and by no other", async () => {
    const token = await invite(sql, team, anonymous);
    expect(await claim(sql, anonymous, token, "one")).toBe("claimed");
    await endClaim(sql, anonymous, token, "two", false);
    expect((await invitationOf(sql, token)).state).toBe("submitted");
    await endClaim(sql, anonymous, token, "one", false);
    expect(await invitationOf(sql, token)).toMatchObject({ state: "open", claimHash: null });
    expect([await claim(sql, anonymous, token, "one"), await claim(sql, anonymous, token, "one")]).toEqual([
      "claimed",
      "joined",
    ]);
    // The twin may be storing now.
    await endClaim(sql, anonymous, token, "one", false);
    expect((await invitationOf(sql, token)).state).toBe("submitted");
  });

  test("ties nothing: no column of it, and no transaction, is one of what the submission wrote", async () => {
    expect(await tiedTo(named)).toContain("submissions");
    expect(await tiedTo(anonymous)).toEqual([]);
  });
});

/** Uses an invitation; returns the tables with rows that have one of its values, or its transactions. */
async function tiedTo(form: PublishedForm): Promise<string[]> {
  const token = await invite(sql, team, form);
  const { response } = await send(sql, form, token);
  const [own] = await sql<{ xmin: string; xmax: string; row: Record<string, unknown> }[]>`
    select i.xmin::text, i.xmax::text, to_jsonb(i) as row from formd.invitations i
    where token_hash = ${sha256(token)}`;
  const { team_id, form_id, state, mails, bounced, unsubscribed, ...row } = own?.row ?? {};
  const values = Object.values(row).filter((value) => value !== null);
  if (form === anonymous) {
    expect(values).toHaveLength(3);
    expect(JSON.stringify(own?.row)).not.toContain(response?.id ?? "");
  }
  const transactions = [own?.xmin ?? "", own?.xmax ?? ""].filter((each) => each !== "0");
  // Each node of Citus counts its own transactions: only rows of one team are on one.
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'formd' and c.relkind in ('r', 'p') and c.relname <> 'invitations'
      and (${workerPorts.length} = 0 or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id'))
    order by c.relname`;
  const tied: string[] = [];
  for (const { name } of tables) {
    const found = await sql`
      select from formd.${sql(name)} t
      where t.xmin::text = any (${transactions}::text[]) or t.xmax::text = any (${transactions}::text[])
        or jsonb_path_exists(to_jsonb(t), 'strict $.** ? (@ == $own[*])', ${sql.json({ own: values } as never)})
      limit 1`;
    if (found.length > 0) tied.push(name);
  }
  return tied;
}
