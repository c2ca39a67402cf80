/** Submits data by MCP, after asking a person for missing values. */
import type { CompiledForm } from "../../fields/compile.ts";
import { isRecord } from "../../fields/definition.ts";
import { lookUp } from "../../fields/languages.ts";
import { limits } from "../../limits.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { acceptedLanguages } from "../../platform/http/accept-language.ts";
import { prefilledUrl } from "../../resources/forms/prefilled-url.ts";
import { requireIdempotencyKey } from "../../resources/submit/shapes.ts";
import {
  type CompiledVersion,
  compiledVersion,
  formInLanguage,
  publishedVersion,
} from "../../resources/submit/versions.ts";
import { type GrantedForm, type McpCaller, readGrantedForms } from "./caller.ts";
import type { Questions, Rounds } from "./elicitation.ts";
import { enteredIn, nextQuestions, requestedSchemaOf, withEntered } from "./elicitation.ts";
import { withIds, withKeys } from "./form-tool.ts";
import type { RestCall } from "./rest.ts";
import type { Elicited, InputRequest, ToolCall, ToolResult } from "./tool.ts";
import { callRoute, declinedResult, quoted, toolResult } from "./tool.ts";

const { maxRounds } = limits.mcp;
export const submitter = "/papi/v1/submitter/form";

/** Data as a call has it. */
interface Given {
  data: unknown;
  /** True: by the form's own tool, so that options are texts. */
  hasTexts: boolean;
}

/** Calls a submitter route with data whose fields have the keys of the form's own tool, or their ids. */
export async function callWithData(
  call: ToolCall,
  form: string,
  rest: Pick<RestCall, "path" | "headers">,
  { data, metadata }: Record<string, unknown>,
  { hasTexts, isOwnTool }: { hasTexts: boolean; isOwnTool: boolean },
): Promise<ToolResult> {
  const route = { method: "POST", ...rest, body: JSON.stringify({ data, metadata }), form };
  // Not `data`, which has what a person has entered too, by ids.
  const sent = isOwnTool ? call.arguments : call.arguments.data;
  return await callRoute(
    call,
    { ...route, withIds: (compiled, sent) => withIds(compiled, sent, hasTexts) },
    (content) => named(form, sent, content, isOwnTool),
  );
}

/** The content of a result with the keys that were sent. */
function named(form: string, sent: unknown, content: Record<string, unknown>, isOwnTool: boolean) {
  const compiled = compiledVersion(form)?.form;
  return compiled ? withKeys(compiled, isRecord(sent) ? sent : {}, content, isOwnTool) : content;
}

/**
 * Stores `data`, after asking a person for missing required values.
 * @param options of the tool `submit`; undefined: by the form's own tool
 */
export async function submitByTool(
  call: ToolCall,
  form: string,
  { data, metadata }: Record<string, unknown>,
  options?: Record<string, unknown>,
): Promise<ToolResult | InputRequest> {
  const { elicited } = call;
  const isOwnTool = options === undefined;
  if (elicited && elicited.action !== "accept") return declined(elicited, form, isOwnTool);
  if (elicited?.remembered.url) return toolResult(handedOver(elicited));
  const isPartial = options?.partial === true;
  const givenKey = requireIdempotencyKey(options?.idempotencyKey, "idempotencyKey");
  const given: Given = { data, hasTexts: isOwnTool };
  const next = isPartial ? given : await nextRound(call, form, given);
  if ("ask" in next) return next;
  const key = elicited ? `mcp-${elicited.round}` : givenKey;
  const route = {
    path: `${submitter}/submissions${isPartial ? "?partial=true" : ""}`,
    headers: key === undefined ? {} : { "idempotency-key": key },
  };
  const { hasTexts } = next;
  return await callWithData(call, form, route, { data: next.data, metadata }, { hasTexts, isOwnTool });
}

/** Result if the person submits on the form's page. The agent does not learn whether this happened. */
const handedOver = ({ remembered: { url } }: Elicited) => ({
  status: "handed_over",
  url,
  message: "Nothing was stored by this call: the person fills in the rest and sends the form on its page.",
});

function declined(elicited: Elicited, form: string, isOwnTool: boolean): ToolResult {
  const { fields } = named(form, {}, { fields: elicited.remembered.ids }, isOwnTool);
  const names = fields as string[];
  return declinedResult(elicited, `enter ${names.join(", ")}`, names);
}

/**
 * Requests required values that `given` lacks, in a form that the client shows or on the form's page. Values
 * may open questions for the next round. Returns the data if none is missing or can be asked.
 */
async function nextRound(call: ToolCall, form: string, given: Given): Promise<InputRequest | Given> {
  const { deps, request, caller, canAsk, elicited } = call;
  const held = compiledVersion(form)?.form;
  const { data: sent, hasTexts } = given;
  const canBeAsked = (canAsk.form || canAsk.url) && deps.masterKey.isPresent && isRecord(sent);
  const byIds = (compiled: CompiledForm) =>
    withIds(compiled, { data: sent as Record<string, unknown>, unstorable: new Map() }, hasTexts).data;
  const isWhole = elicited ? held?.hasLogic === false : canBeAsked && held?.missing(byIds(held)).length === 0;
  const store = (compiled = held): Given => {
    if (!elicited) return given;
    const own = compiled ? byIds(compiled) : sent;
    return { data: withEntered(compiled, own, elicited), hasTexts: hasTexts && !compiled };
  };
  if (!canBeAsked || isWhole) return store();
  // Only agents that may submit at present get to know the required fields.
  const { forms } = await readGrantedForms(deps, request, caller, { limit: limits.page.maxItems });
  const granted = forms.find(({ id, scopes }) => id === form && scopes.includes("agent:submit"));
  if (!granted) return store();
  const published = await readVersion(deps, caller, granted);
  const { form: compiled } = published;
  const stored = store(compiled);
  const data = elicited ? (stored.data as Record<string, unknown>) : byIds(compiled);
  const asked = await requestFor(call, granted, published, data, nextQuestions(compiled, data, elicited));
  return asked ?? stored;
}

/** Asks the questions, if there are any and a person can be asked. */
async function requestFor(
  { deps, request, caller, canAsk, elicited }: ToolCall,
  { id: form, name }: GrantedForm,
  published: CompiledVersion,
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
  // The question is for the person before the client, whose language its requests may have.
  const spoken = formInLanguage(published, lookUp(acceptedLanguages(request), published.languages ?? []));
  const requestedSchema = mayAsk ? requestedSchemaOf(spoken, ids, required) : undefined;
  if (requestedSchema) {
    const earlier = [...(last?.earlier ?? []), ...(last?.ids ?? [])];
    const rounds: Rounds = { ids, earlier, entered: elicited ? enteredIn(elicited) : {}, round };
    return { ask: { mode: "form", message, requestedSchema }, remembered: { ...rounds } };
  }
  if (required.length === 0 || !canAsk.url) return undefined;
  const url = await prefilledUrl(deps, { team: caller.team, form }, published.form, data);
  return url === undefined ? undefined : { ask: { mode: "url", message, url }, remembered: { url, ids } };
}

/** The form's published version, cached or read. */
async function readVersion({ sql }: Deps, { team }: McpCaller, { id, version }: GrantedForm) {
  const held = compiledVersion(id);
  if (held?.version === version) return held;
  const { schema } = oneRow(
    await sql<{ schema: { fields: unknown[] } }[]>`
      select schema from formd.form_versions where team_id = ${team} and form_id = ${id} and version = ${version}`,
  );
  return publishedVersion(id, held, { formVersion: version, formSchema: schema });
}
