// stacks: one months
import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import type { SubmitterCredentials } from "../../src/platform/auth/submitter.ts";
import { toByteaText } from "../../src/platform/database/db.ts";
import { makeAgent, makeForm, makeTeam, type PublishedForm, type Team } from "../setup.ts";
import { inParallel, type SubmitResult, sqlFixture, submitAll } from "./fixture.ts";
import { totalsOf } from "./submissions-fixture.ts";

const { app, sql, team } = await sqlFixture();
const fields = [{ id: "a", type: "text", label: "A" }];
const form = await makeForm(app, team, fields);

const credentialsOf = (of: Team, { accessKey }: PublishedForm): SubmitterCredentials => ({
  access_key_hash: toByteaText(sha256(accessKey)),
  credential: "api_key",
  credential_hash: toByteaText(sha256(of.key)),
  key_id: undefined,
  nonce: undefined,
  nonce_expires_at: undefined,
});

describe("a list of several teams", () => {
  test("each item is decided in its own team, and no key of one team is valid in another", async () => {
    const other = await makeTeam(app);
    const theirs = await makeForm(app, other, fields);
    const list = [
      { form, item: { team_id: team.id } },
      { form: theirs, item: { team_id: other.id, credentials: credentialsOf(other, theirs) } },
      // The form, the API key and the access key of the other team.
      { form: theirs, item: { team_id: team.id } },
      { form: theirs, item: { team_id: other.id } },
      { form, item: { team_id: other.id, credentials: credentialsOf(other, form) } },
      { form, item: { team_id: uuidv7() } },
    ];
    const results = await submitAll(sql, team, list, null);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "stored",
      "stored",
      ...Array(4).fill("unauthorized"),
    ]);
    const stored = await sql`
      select team_id, form_id, submitter_id from formd.submissions where id in ${sql(results.flatMap(({ response }) => response?.id ?? []))}
      order by id`;
    expect([...stored]).toEqual([
      { teamId: team.id, formId: form.id, submitterId: team.keyId },
      { teamId: other.id, formId: theirs.id, submitterId: other.keyId },
    ]);
    await totalsOf(sql, theirs);
  });

  test("two teams may use one Idempotency-Key", async () => {
    const other = await makeTeam(app);
    const theirs = await makeForm(app, other, fields);
    const idempotencyKey = "of two teams";
    const item = { team_id: other.id, credentials: credentialsOf(other, theirs) };
    const list = [
      { form, idempotencyKey },
      { form: theirs, idempotencyKey, item },
    ];
    const results = await submitAll(sql, team, list, null);
    expect(results.map(({ outcome }) => outcome)).toEqual(["stored", "stored"]);
    expect(results[0]?.response).not.toEqual(results[1]?.response as SubmitResult["response"]);
  });

  test("lists that name two agents on crossed client IPs run at once without a deadlock", async () => {
    const agents = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
    const began = performance.now();
    const ends = await inParallel(app.database.ownerUrl, 60, (each, index) => {
      const tokens = (index % 2 ? agents : agents.toReversed()).map(({ token }) => token);
      return submitAll(
        each,
        team,
        tokens.map((token, position) => ({
          form,
          token,
          idempotencyKey: uuidv7(),
          item: { ip_key: `submit:ip:${index}:${position}` },
        })),
        null,
      );
    });
    const outcomes = ends.flat().map(({ outcome }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(["stored", "rate_limited"]));
    // An agent submits once in five seconds, and a busy machine may take longer.
    const windows = 1 + Math.floor((performance.now() - began) / 5_000);
    expect(outcomes.filter((outcome) => outcome === "stored").length).toBeWithin(2, 2 * windows + 1);
  });
});
