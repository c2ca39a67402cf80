// stacks: one months
import { expect, test } from "bun:test";
import { columnNames } from "../../src/platform/http/resource.ts";
import { Agent } from "../../src/resources/agents/shapes.ts";
import { Form } from "../../src/resources/forms/shapes.ts";
import { Grant } from "../../src/resources/grants/shapes.ts";
import { Hold } from "../../src/resources/holds/shapes.ts";
import { AgentKey } from "../../src/resources/signing-keys/shapes.ts";
import { Submission, SubmissionEdit } from "../../src/resources/submissions/shapes.ts";
import { database } from "../setup.ts";

/** `hidden`: columns that no response shows. `computed`: members that are made of other columns. */
const resources = [
  {
    table: "forms",
    shape: Form,
    hidden: ["archived_at", "published_settings", "settings_in_force", "has_limits", "was_online"],
  },
  {
    table: "submissions",
    shape: Submission,
    hidden: [
      ...["team_id", "completed_at", "submitter_type", "submitter_id", "request_digest", "salt"],
      ...["review_decision", "review_reason", "reviewed_at", "reviewed_by"],
    ],
    computed: ["submitter", "review"],
  },
  {
    table: "submission_edits",
    shape: SubmissionEdit,
    hidden: ["team_id", "form_id", "submission_id", "actor_type", "actor_id"],
    computed: ["actor", "api_key_id", "client_request_id"],
  },
  { table: "agents", shape: Agent, hidden: ["team_id", "secret_hash", "disabled_at", "revoked_at"] },
  { table: "holds", shape: Hold, hidden: ["team_id", "released_by", "released_at"] },
  { table: "grants", shape: Grant, hidden: ["team_id"] },
  { table: "signing_keys", shape: AgentKey, hidden: ["team_id", "public_key_pem", "thumbprint"] },
];

const { sql } = await database();

test.each(resources)(
  "the members of $table are the table's columns",
  async ({ table, shape, hidden, computed = [] }) => {
    const [{ columns }] = await sql<[{ columns: string[] }]>`
    select array_agg(attname::text) as columns
    from pg_attribute where attrelid = ${`formd.${table}`}::regclass and attnum > 0 and not attisdropped`;
    expect([...columnNames(shape), ...hidden].sort()).toEqual([...columns, ...computed].sort());
  },
);
