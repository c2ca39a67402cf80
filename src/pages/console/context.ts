/** What a handler of a page gets and gives: the part of Elysia that the console uses. */

export interface Context {
  request: Request;
  params: Record<string, string>;
  query: Record<string, string | undefined>;
  set: { status?: number | string; headers: Record<string, unknown> };
}

/** The response is a document; empty where its headers lead elsewhere. */
export type Handler = (context: Context) => string | Promise<string | Response>;
