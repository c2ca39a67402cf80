/** Request and response of a page's handler: the part of Elysia that the console uses. */
import type { Deps } from "../../../platform/deps.ts";

export interface Context {
  deps: Deps;
  request: Request;
  params: Record<string, string>;
  query: Record<string, string | undefined>;
  set: { status?: number | string; headers: Record<string, unknown> };
}

/** Returns a document. It is empty if the headers redirect. */
export type Handler = (context: Context) => string | Promise<string | Response>;

/** The handlers of a file, each by its name. */
export type Handlers = Readonly<Record<string, Handler>>;

/** Handlers by method and path. */
export type Routes = Readonly<Record<`${"GET" | "POST"} /${string}`, Handler>>;
