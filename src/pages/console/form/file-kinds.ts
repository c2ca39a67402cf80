/** Kinds of files by the names that people know, and the size of files in MB. */
import { numberText } from "../../../fields/spelling.ts";
import { parseNumber } from "./entered-number.ts";
import { formText } from "./words.ts";

const office = "application/vnd.openxmlformats-officedocument.";

/** Media types of each kind. */
export const fileKinds = {
  pdf: ["application/pdf"],
  pictures: ["image/*"],
  office: [
    ...["application/msword", `${office}wordprocessingml.document`],
    ...["application/vnd.ms-excel", `${office}spreadsheetml.sheet`],
  ],
} as const;

/** Returns kinds for media types: each whose types are all there, then other types as they are. */
export function kindsOf(types: readonly unknown[]): string[] {
  const names = Object.keys(fileKinds) as (keyof typeof fileKinds)[];
  const known = names.filter((name) => fileKinds[name].every((each) => types.includes(each)));
  const covered = new Set<unknown>(known.flatMap((name) => fileKinds[name]));
  return [...known, ...types.filter((each) => !covered.has(each)).map(String)];
}

/** Returns the name of a kind, or a media type as it is. */
export const kindName = (kind: string): string =>
  Object.hasOwn(formText.fileKinds, kind) ? formText.fileKinds[kind as keyof typeof fileKinds] : kind;

const bytesPerMegabyte = 1024 ** 2;

/** Returns a size in MB with at most three decimals. */
export const megabytes = (bytes: number): string =>
  numberText(Math.round((bytes / bytesPerMegabyte) * 1000) / 1000, formText.fieldInput.locale, "ungrouped");

/** Returns bytes for a size in MB. Another text stays. */
export function parseMegabytes(text: string): number | string {
  const size = parseNumber(text);
  return typeof size === "number" ? Math.round(size * bytesPerMegabyte) : size;
}
