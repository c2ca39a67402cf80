/** A dry run is counted and decided item by item, and stores nothing. */
import { expect, test } from "bun:test";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { jsonb, toByteaText } from "../../src/platform/database/db.ts";
import type { ValidationItem } from "../../src/resources/submit/validate.ts";
import { makeAgent, makeForm, makeTeam, type PublishedForm, type Team } from "../setup.ts";
import { sqlFixture } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const fields = [{ id: "a", type: "text", label: "A" }];

const itemOf = (of: Team, form: PublishedForm, token: string, item: Partial<ValidationItem> = {}) => ({
  team_id: of.id,
  form_id: form.id,
  version: 1,
  credentials: {
    access_key_hash: toByteaText(sha256(form.accessKey)),
    credential: "session",
    credential_hash: toByteaText(sha256(token)),
  },
  ip_key: "validate:ip:one",
  ip_limit: 30,
  agent_limit: 2,
  ...item,
});

test("of a list each item is decided in its own team, and what the agent's limit refuses is not the client IP's", async () => {
  const other = await makeTeam(app);
  const [form, theirs] = [await makeForm(app, team, fields), await makeForm(app, other, fields)];
  const [{ token }, their] = [await makeAgent(app, team, form), await makeAgent(app, other, theirs)];
  const list = [
    itemOf(team, form, token),
    itemOf(team, form, token, { version: 0 }),
    itemOf(team, form, token),
    itemOf(other, theirs, their.token),
    // The session of the other team.
    itemOf(team, form, their.token),
  ];
  const results = await sql<{ outcome: string; formVersion: number | null }[]>`
    select outcome, form_version from formd.validations_admit(p_team => null, p_items => ${jsonb(sql, list)})`;
  expect(results.map(({ outcome, formVersion }) => [outcome, formVersion])).toEqual([
    ["admitted", null],
    ["admitted", 1],
    ["rate_limited", null],
    ["admitted", null],
    ["unauthorized", null],
  ]);
  const [{ counted }] = await sql<[{ counted: number }]>`
    select sum(n)::int as counted from formd.rate_limits, unnest(counts) as n where key = 'validate:ip:one'`;
  expect(counted).toBe(4);
  const [{ stored }] = await sql<[{ stored: number }]>`select count(*)::int as stored from formd.submissions`;
  expect(stored).toBe(0);
});
