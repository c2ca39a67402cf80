/** Expectations that many tests share. */
import type { Reply, Service } from "./setup.ts";

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** An id that nothing has. */
export const unknownId = "01900000-0000-7000-8000-000000000000";

/** "ok" or, for example, "403 no_grant". */
export const outcome = ({ status, body }: Reply) => (status === 200 ? "ok" : `${status} ${body.code}`);

export async function submissionCount({ database: { sql } }: Service, form: { id: string }): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int from formd.submissions where form_id = ${form.id}`;
  return count;
}

/** Waits until something is true. @returns how long it took, in milliseconds */
export async function until(condition: () => unknown, timeoutMs = 45_000): Promise<number> {
  const began = performance.now();
  while (!(await condition())) {
    if (performance.now() - began > timeoutMs) throw new Error(`never came true: ${condition}`);
    await Bun.sleep(20);
  }
  return performance.now() - began;
}
