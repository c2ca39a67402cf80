import { compile, type FieldIssue } from "../../../src/fields/compile.ts";

/** The codes of one value in a form with one field `f`. */
export function codes(definition: Record<string, unknown>, value: unknown): string[] {
  return issues(definition, value).map(({ code }) => code);
}

/** The issues of one value in a form with one field `f`, missing and unknown ones included. */
export function issues(definition: Record<string, unknown>, value: unknown): FieldIssue[] {
  const form = compile({ fields: [{ id: "f", label: "F", ...definition }] });
  const { errors, unknown, missing } = form.validate({ f: value });
  return [...errors, ...unknown, ...missing.map(form.requiredIssue)];
}

/** A JSON text as the server reads it: `__proto__` is an own key. */
export const json = (text: string): Record<string, unknown> => JSON.parse(text);

/** CPU time of this process in milliseconds: unlike the clock, it does not count the other work of the machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
