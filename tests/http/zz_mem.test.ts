import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { makeForm } from "../setup.ts";
import { records, root } from "./management/records.ts";
const { on, team } = await records([]);
const { sql } = on.database;
const memory = () => Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${on.process.pid}/status`, "utf8"))?.[1]) / 1024;
test("m", async () => {
  const form = await makeForm(on, team, [{ id: "a", type: "text", label: "a" }]);
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, submitter_id, data, created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, ('01800000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'completed', 'api_key', ${team.keyId},
      jsonb_build_object('a', n || repeat('x', 400)), now(), now(), now() from generate_series(1, 200000) as n`;
  for (const format of ["csv", "csv", "csv", "jsonl", "jsonl", "csv"]) {
    const before = memory(); let lines = 0; const most = [0,0,0,0]; const t = performance.now();
    const reply = await fetch(`${on.url}${root}/${form.id}/submissions/export?format=${format}`, { headers: { "x-api-key": team.key } });
    for await (const chunk of reply.body ?? []) { for (const byte of chunk) if (byte === 10) lines++; const q = Math.min(Math.floor(lines*4/200000),3); most[q] = Math.max(most[q]!, memory()); }
    console.log(format, before.toFixed(0), most.map((m) => m.toFixed(0)).join(","), ((performance.now()-t)/1000).toFixed(1)+"s");
  }
}, 300_000);
