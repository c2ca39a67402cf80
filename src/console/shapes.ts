/** Shapes of the console's queries. */
import { type } from "arktype";
import { PageQuery } from "../http/shapes.ts";

/** The page of a list. */
export const ListQuery = PageQuery.pick("page");

const Flag = type("'true' | 'false'").pipe((text) => text === "true");

export const FormsQuery = ListQuery.and({ archived: Flag.default("false") });
