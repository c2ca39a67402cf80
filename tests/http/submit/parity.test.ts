// stacks: one
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyValue, samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";
import { makeForm, permissive, service } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

const fixture = await submissionsFixture([], service(permissive));
const { app, team, byKey, agentOn, anonymousOn, validate } = fixture;

interface FieldError {
  field: string;
  code: string;
}

const isNot =
  (...codes: string[]) =>
  ({ code }: FieldError) =>
    !codes.includes(code);

/**
 * The results for one payload: the dry run by an agent, the submit by an API key, the partial submit by an
 * anonymous respondent.
 */
async function judge(
  headers: { agent: Record<string, string>; key: Record<string, string>; person: Record<string, string> },
  body: object,
) {
  const [dry, submit, partial] = await Promise.all([
    validate(headers.agent, body),
    fixture.submit(headers.key, body),
    fixture.submit(headers.person, body, "?partial=true"),
  ]);
  return { dry, submit, partial };
}

describe("dry run and submit", () => {
  test("say the same of any payload to any form: valid is 200, and the errors are the same errors", async () => {
    const cases = generatedCases(100, 50);
    let [accepted, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        samples(6),
        fc.array(anyValue, { minLength: 5, maxLength: 5 }),
        async ({ fields, data }, others) => {
          const form = await makeForm(app, team, fields);
          const headers = {
            agent: await agentOn(form, "agent:validate"),
            key: byKey(form),
            person: await anonymousOn(form),
          };
          const changed = others.map((value, i) => ({
            ...data,
            [String(fields[i % fields.length]?.id)]: value,
          }));
          for (const payload of [data, {}, ...changed]) {
            const { dry, submit, partial } = await judge(headers, { data: payload });
            if (dry.status === 400) {
              expect([submit.status, submit.body, partial.body]).toEqual([400, dry.body, dry.body]);
              continue;
            }
            expect(dry.status).toBe(200);
            const { valid, errors, warnings, missingRequired } = dry.body.data;
            expect(valid).toBe(errors.length === 0 && missingRequired.length === 0);

            expect(submit.status).toBe(valid && warnings.length === 0 ? 200 : 422);
            const faults: FieldError[] = submit.body.errors ?? [];
            expect(faults.filter(isNot("required", "unknown_field"))).toEqual(errors);
            expect(faults.filter(({ code }) => code === "unknown_field")).toEqual(warnings);
            expect(faults.filter(({ code }) => code === "required").map(({ field }) => field)).toEqual(
              missingRequired,
            );
            if (submit.status === 200)
              expect(submit.body.data).toMatchObject({ status: "completed", missingRequired: [] });
            else expect(submit.body.code).toBe("validation_failed");

            expect(partial.status).toBe(errors.length === 0 && warnings.length === 0 ? 200 : 422);
            if (partial.status === 200)
              expect(partial.body.data).toMatchObject({ status: "partial", missingRequired });
            else expect(partial.body.errors).toEqual(faults.filter(isNot("required")));
            if (submit.status === 200) accepted++;
            else refused++;
          }
        },
      ),
      { numRuns: cases, endOnFailure: true },
    );
    // Each case counts several payloads; the generator must make both kinds.
    expect(Math.min(accepted, refused)).toBeGreaterThan(0);
  });
});
