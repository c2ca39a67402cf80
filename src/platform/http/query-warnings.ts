/** Warnings of parameters of a query without an effect: unknown ones, and all but the last of a name. */
import type { Type } from "arktype";
import { limits } from "../../limits.ts";
import { escaped, memberNames, shownName, unknownName } from "./known-members.ts";
import { contextOf, rawQueryOf, type UnknownParameter } from "./request-context.ts";

/** The used part of an operation. */
interface Documented {
  tag: string;
  query?: { shape: Type };
  response: { media?: object };
}

const maxWarnings = limits.query.maxWarnings;

function warningsOf(request: Request, shape: Type | undefined): UnknownParameter[] {
  const known = shape ? memberNames(shape) : [];
  const sent = [...new URLSearchParams(rawQueryOf(request)).keys()];
  const repeated = known.filter((name) => sent.indexOf(name) !== sent.lastIndexOf(name));
  const unknown = [...new Set(sent)].filter((name) => !known.includes(name)).slice(0, maxWarnings);
  return [
    ...repeated.map((name) => ({
      path: name,
      message: `${name} is sent more than once. The last one counts.`,
    })),
    ...unknown.map((name) => {
      const found = unknownName(name, known, { nothing: "the route has no parameters" });
      return { path: shownName(name), ...found, message: `${found.message} It has no effect.` };
    }),
  ].slice(0, maxWarnings);
}

/** The headers of a response must fit into 4 KiB: nginx makes a 502 of more. */
const maxHeaderLength = 1_500;

/** `Warning` (RFC 7234, section 5.5): 299 for each that has room, in ASCII. */
const headerOf = (warnings: readonly { message: string }[]): string =>
  warnings
    .map(({ message }) => `299 formd "${escaped(message.replace(/[\\"]/g, "\\$&"), /[^\x20-\x7e]/gu)}"`)
    .reduce((all, each) => (all.length + each.length > maxHeaderLength ? all : `${all}, ${each}`));

/** Adds a warning of a value that has no effect. */
export function addQueryWarning(request: Request, warning: UnknownParameter): void {
  const context = contextOf(request);
  context.queryWarnings = [...(context.queryWarnings ?? []), warning];
}

/** Returns the warnings that no part of the response has yet. */
function takeQueryWarnings(request: Request): readonly UnknownParameter[] {
  const context = contextOf(request);
  const { queryWarnings = [] } = context;
  context.queryWarnings = undefined;
  return queryWarnings;
}

/** The header for the warnings that no part of the response has, such as of an error. */
export function queryWarningHeader(request: Request): { warning?: string } {
  const warnings = takeQueryWarnings(request);
  return warnings.length > 0 ? { warning: headerOf(warnings) } : {};
}

/** Returns `data` of a response with the warnings of the request. */
export function withQueryWarnings(request: Request, data: object): object {
  const found = takeQueryWarnings(request);
  if (found.length === 0) return data;
  const { warnings = [] } = data as { warnings?: object[] };
  return { ...data, warnings: [...warnings, ...found] };
}

/** Checks that `data` of the operation's response has the warnings. Others have them as a header. */
export const hasWarnings = ({ tag, response }: Pick<Documented, "tag" | "response">): boolean =>
  (tag === "management" || tag === "identity") && !response.media;

const warnedTags: readonly string[] = ["management", "identity", "submitter", "challenge"];

/** Checks that the operation warns of unknown parameters. */
export const isWarned = ({ tag }: Pick<Documented, "tag">): boolean => warnedTags.includes(tag);

/**
 * The hooks of a route of the API. Pages, protocols and the reference have none: the query of a page holds
 * values, and OAuth ignores what it does not know (RFC 6749, section 3.2).
 */
export function queryHooks(operation: Documented): object {
  const { query } = operation;
  if (!isWarned(operation)) return {};
  const inData = hasWarnings(operation);
  const beforeHandle = ({ request }: { request: Request }) => {
    if (!request.url.includes("?")) return;
    const context = contextOf(request);
    context.queryWarnings = warningsOf(request, query?.shape);
    if (!inData) Object.assign(context.headers, queryWarningHeader(request));
  };
  const afterHandle = ({ request, responseValue }: { request: Request; responseValue: unknown }) => {
    if (!contextOf(request).queryWarnings || !isEnvelope(responseValue)) return undefined;
    return { ...responseValue, data: withQueryWarnings(request, responseValue.data) };
  };
  return inData ? { beforeHandle, afterHandle } : { beforeHandle };
}

const isEnvelope = (response: unknown): response is { data: object } =>
  typeof response === "object" && response !== null && "apiVersion" in response && "data" in response;
