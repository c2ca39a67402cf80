/** `GET /developer/database`: the reference of the database that this server uses. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { pageHeaders, pageOf } from "./page.ts";
import { readReference, referenceMarkdown } from "./reference.ts";
import { renderMarkdown, style } from "./render.ts";

export const databaseReference = ({ sql }: Deps) => {
  /** Read at the first request and kept: the functions are those of this build. */
  let page: Promise<string> | undefined;
  const read = async () =>
    pageOf("Database", renderMarkdown(referenceMarkdown(await readReference(sql))), style);
  return new Elysia({ name: "database-reference" }).get("/developer/database", async ({ set }) => {
    page ??= read();
    const html = await page.catch((error) => {
      page = undefined;
      throw error;
    });
    Object.assign(set.headers, pageHeaders);
    return html;
  });
};
