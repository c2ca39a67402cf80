/** Ids that people take for the same: in Unicode (UAX #15), by white space, or by invisible characters. */
import { parseFields } from "./definition.ts";

const asSeen = (id: string): string =>
  id
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{DI}]/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();

/** An id with its characters beyond printable ASCII as code points, by which it differs from others. */
const withCodes = (id: string): string =>
  id.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** The ids of fields that look alike, as text: `"name" = "name\u{200b}"; …`. Empty: there are none. */
export const lookAlikes = (
  schema: Parameters<typeof parseFields>[0],
  quoted = JSON.stringify as (id: string) => string,
) =>
  Map.groupBy(new Set(parseFields(schema).map(({ id }) => id)), asSeen)
    .values()
    .filter((ids) => ids.length > 1)
    .map((ids) => ids.map((id) => quoted(withCodes(id))).join(" = "))
    .toArray()
    .join("; ");
