/** Submits data by MCP, after asking a person for missing values. */
import type { CompiledForm } from "../../fields/compile.ts";
import { isRecord } from "../../fields/definition.ts";
import { limits } from "../../limits.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { Problem } from "../../problem.ts";
import { prefilledUrl } from "../../resources/forms/prefilled-url.ts";
import { compiledVersion, publishedVersion } from "../../resources/submit/versions.ts";
import { type GrantedForm, type McpCaller, readGrantedForms } from "./caller.ts";
import type { Questions, Rounds } from "./elicitation.ts";
import { enteredIn, nextQuestions, requestedSchemaOf, withEntered } from "./elicitation.ts";
import type { Elicited, InputRequest, ToolCall, ToolResult } from "./tool.ts";
import { callRoute, declinedResult, quoted, toolResult } from "./tool.ts";

const { maxRounds } = limits.mcp;
const { maxKeyLength } = limits.idempotency;
/** Characters that every runtime sends unchanged in a header. */
export const keyPattern = new RegExp(`^[\\x21-\\x7e]{1,${maxKeyLength}}$`);
export const submitter = "/papi/v1/submitter/form";

/** The body of a submit or a dry run. */
export const submitBody = ({ data, metadata }: Record<string, unknown>): string =>
  JSON.stringify({ data, metadata });

/** @throws {Problem} `bad_request` for a key that is not valid in a header. */
function keyOf({ idempotencyKey }: Record<string, unknown>): string | undefined {
  if (idempotencyKey === undefined) return undefined;
  if (typeof idempotencyKey !== "string" || !keyPattern.test(idempotencyKey))
    throw new Problem(
      "bad_request",
      `idempotencyKey must have 1 to ${maxKeyLength} visible ASCII characters, without spaces.`,
    );
  return idempotencyKey;
}

/** Stores `data`, after asking a person for missing required values. */
export async function submitByTool(
  call: ToolCall,
  form: string,
  { data, metadata }: Record<string, unknown>,
  { partial, ...options }: Record<string, unknown> = {},
): Promise<ToolResult | InputRequest> {
  const { elicited } = call;
  if (elicited && elicited.action !== "accept") return declined(elicited);
  if (elicited?.remembered.url) return toolResult(handedOver(elicited));
  const givenKey = keyOf(options);
  const next = partial === true ? { data } : await nextRound(call, form, data);
  if ("ask" in next) return next;
  const key = elicited ? `mcp-${elicited.round}` : givenKey;
  return await callRoute(call, {
    method: "POST",
    path: `${submitter}/submissions${partial === true ? "?partial=true" : ""}`,
    headers: key === undefined ? {} : { "idempotency-key": key },
    body: submitBody({ data: next.data, metadata }),
    form,
  });
}

/** Result if the person submits on the form's page. The agent does not learn whether this happened. */
const handedOver = ({ remembered: { url } }: Elicited) => ({
  status: "handed_over",
  url,
  message: "Nothing was stored by this call: the person fills in the rest and sends the form on its page.",
});

function declined(elicited: Elicited): ToolResult {
  const { ids } = elicited.remembered as unknown as Rounds;
  return declinedResult(elicited, `enter ${ids.join(", ")}`, ids);
}

/**
 * Requests required values that `given` lacks, in a form that the client shows or on the form's page. Values
 * may open questions for the next round. Returns the data if none is missing or can be asked.
 */
async function nextRound(
  call: ToolCall,
  form: string,
  given: unknown,
): Promise<InputRequest | { data: unknown }> {
  const { deps, request, caller, canAsk, elicited } = call;
  const held = compiledVersion(form)?.form;
  const canBeAsked = (canAsk.form || canAsk.url) && deps.masterKey.isPresent && isRecord(given);
  const isWhole = elicited ? held?.hasLogic === false : canBeAsked && held?.missing(given).length === 0;
  const store = (compiled = held) => ({ data: elicited ? withEntered(compiled, given, elicited) : given });
  if (!canBeAsked || isWhole) return store();
  // Only agents that may submit at present get to know the required fields.
  const { forms } = await readGrantedForms(deps, request, caller, { limit: limits.page.maxItems });
  const granted = forms.find(({ id, scopes }) => id === form && scopes.includes("agent:submit"));
  if (!granted) return store();
  const compiled = await compiledForm(deps, caller, granted);
  const stored = store(compiled);
  const data = stored.data as Record<string, unknown>;
  const asked = await requestFor(call, granted, compiled, data, nextQuestions(compiled, data, elicited));
  return asked ?? stored;
}

/** Asks the questions, if there are any and a person can be asked. */
async function requestFor(
  { deps, caller, canAsk, elicited }: ToolCall,
  { id: form, name }: GrantedForm,
  compiled: CompiledForm,
  data: Record<string, unknown>,
  { required, opened }: Questions,
): Promise<InputRequest | undefined> {
  const ids = [...required, ...opened];
  if (ids.length === 0) return undefined;
  const last = elicited?.remembered as unknown as Rounds | undefined;
  const round = (last?.round ?? 0) + 1;
  const what = required.length > 0 ? "requires more values" : "has more questions";
  const message = `The form ${quoted(name)} ${what}.`;
  const mayAsk = canAsk.form && round <= maxRounds;
  const requestedSchema = mayAsk ? requestedSchemaOf(compiled, ids, required) : undefined;
  if (requestedSchema) {
    const earlier = [...(last?.earlier ?? []), ...(last?.ids ?? [])];
    const rounds: Rounds = { ids, earlier, entered: elicited ? enteredIn(elicited) : {}, round };
    return { ask: { mode: "form", message, requestedSchema }, remembered: { ...rounds } };
  }
  if (required.length === 0 || !canAsk.url) return undefined;
  const url = await prefilledUrl(deps, { team: caller.team, form }, compiled, data);
  return url === undefined ? undefined : { ask: { mode: "url", message, url }, remembered: { url, ids } };
}

/** The form's published version, cached or read. */
async function compiledForm({ sql }: Deps, { team }: McpCaller, { id, version }: GrantedForm) {
  const held = compiledVersion(id);
  if (held?.version === version) return held.form;
  const { schema } = oneRow(
    await sql<{ schema: { fields: unknown[] } }[]>`
      select schema from formd.form_versions where team_id = ${team} and form_id = ${id} and version = ${version}`,
  );
  return publishedVersion(id, held, { formVersion: version, formSchema: schema }).form;
}
