/** The type `file`: a list of earlier uploads, by their ids. The server adds the other members. */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import { clause } from "../clauses.ts";
import { constraint, count } from "../constraints.ts";
import { controlName, toText } from "../control-values.ts";
import { type FieldType, jsonType, type ValueCheck, valueCheck } from "../field-type.ts";
import { boundsHint } from "../presentation.ts";
import { firstRepeat, isRecord } from "../values.ts";

const { maxPerField } = limits.file;

/** A file as the server stores it with the submission, so that receipts cover the bytes. */
export interface FileValue {
  id: string;
  /** Name that the client sent: text, and never a path. */
  name: string;
  /** Size in bytes. */
  size: number;
  /** Media type by its content. */
  type: string;
  /** SHA-256, in lower-case hexadecimal digits. */
  sha256: string;
}

export const uploadNotFound =
  "An upload does not exist, has expired, is another caller's, or is a part of another submission.";

/** An item that a client sends: only the id is used. */
type SentFile = { id: string } & Partial<FileValue>;

const SentFile = type({
  id: "string",
  "name?": "string",
  "size?": "number",
  "type?": "string",
  "sha256?": "string",
  "+": "reject",
});

/** Checks whether the server has completed the file: it exists, and its uploader is the submitter. */
const isKnown = (file: SentFile): file is FileValue =>
  file.name !== undefined && file.size !== undefined && file.type !== undefined && file.sha256 !== undefined;

const typePattern = /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]*)$/;
const TypeList = type("string[]").narrow(
  (list) =>
    list.length > 0 && list.length <= limits.file.maxTypes && list.every((each) => typePattern.test(each)),
);

/** Checks whether a media type is accepted; `image/*` accepts each type of that kind. */
export const acceptsType = (accept: readonly string[] | undefined, fileType: string): boolean =>
  accept?.some((each) =>
    each.endsWith("/*") ? fileType.startsWith(each.slice(0, -1)) : each === fileType,
  ) ?? true;

const patternOf = (accept: readonly string[]): string =>
  `^(?:${accept.map((each) => each.replace(/[.+]/g, "\\$&").replace("*", ".+")).join("|")})$`;

/** Words of languages that do not write units of data as CLDR has them. */
const unitWords: Readonly<Record<string, { byte: string; bytes: string }>> = {
  en: { byte: "byte", bytes: "bytes" },
  de: { byte: "Byte", bytes: "Bytes" },
};

/** Returns a size as people know it: a KB has 1,024 bytes, as in the lists of files of their computers. */
export const sizeText = (bytes: number, language = "en"): string => {
  const power = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : bytes < 1024 ** 3 ? 2 : 3;
  const number = { maximumFractionDigits: 1, useGrouping: false } as const;
  const words = unitWords[language.split("-")[0] ?? ""];
  if (!words) {
    const unit = ["byte", "kilobyte", "megabyte", "gigabyte"][power];
    const unitDisplay = power === 0 ? "long" : "short";
    const format = new Intl.NumberFormat(language, { ...number, style: "unit", unit, unitDisplay });
    return format.format(bytes / 1024 ** power);
  }
  const unit = power === 0 ? (bytes === 1 ? words.byte : words.bytes) : ["KB", "MB", "GB"][power - 1];
  return `${new Intl.NumberFormat(language, number).format(bytes / 1024 ** power)} ${unit}`;
};

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** The ids in a sent value; none if it has another shape. */
export const fileIdsIn = (value: unknown): string[] =>
  recordsIn(value).flatMap(({ id }) => (typeof id === "string" ? [id] : []));

const sample = {
  id: "0192f0c1-7e57-7abc-8def-0123456789ab",
  name: "cv.pdf",
  size: 48_213,
  type: "application/pdf",
};
const sampleDigest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const file: FieldType<SentFile[]> = {
  nature: "files",
  // A control per received upload, with the name and size for display.
  toControls: ({ id }, value) => recordsIn(value).map((each) => [controlName(id), JSON.stringify(each)]),
  toText: (_, value, words) =>
    recordsIn(value)
      .map(({ name, size }) =>
        [toText(name), typeof size === "number" ? sizeText(size, words.lang) : ""].filter(Boolean).join(", "),
      )
      .join("\n"),
  hints: ({ constraints: { minItems, maxItems, maxBytes } }, words) => [
    maxItems !== undefined && maxItems > 1 && boundsHint(words.files, minItems, maxItems),
    maxBytes !== undefined && words.fileSize(maxBytes, maxItems === 1),
  ],
  flatSchema: () => undefined,
  ...jsonType(
    "a list of uploads, each an object with its id",
    { type: "array", items: { type: "object", required: ["id"] } },
    SentFile.array(),
  ),
  aliases: ["upload"],
  meaning:
    'A list of files that were uploaded before, each as `{ "id" }`. It is stored with `name`, `size`, `type` and `sha256`.',
  example: {
    field: { accept: ["application/pdf", "image/*"], maxBytes: 5_242_880, minItems: 1, maxItems: 2 },
    value: [{ ...sample, sha256: sampleDigest }],
  },
  constraints: {
    accept: constraint(TypeList, clause("media_types"), {
      type: "array",
      minItems: 1,
      maxItems: limits.file.maxTypes,
      items: { type: "string", pattern: typePattern.source },
    }),
    maxBytes: constraint(type("number.safe & number.integer >= 1"), clause("whole_number", { least: 1 }), {
      type: "integer",
      minimum: 1,
    }),
    minItems: count,
    maxItems: constraint(
      type(`1 <= number.integer <= ${maxPerField}`),
      clause("whole_number_up_to", { max: maxPerField }),
      { type: "integer", minimum: 1, maximum: maxPerField },
    ),
  },
  defaults: { maxItems: maxPerField },
  checkable: false,
  checks: ({ accept, maxBytes, minItems, maxItems = maxPerField }, issue) => {
    const checks: ValueCheck<SentFile[]>[] = [
      valueCheck(
        (files) => files.length <= maxItems,
        issue("max_items", `Must have at most ${maxItems} files.`, "maxItems", maxItems),
      ),
      valueCheck(
        (files) => firstRepeat(files.map(({ id }) => id)) < 0,
        issue("duplicate_item", "Must not name an upload twice.", "uniqueItems", true),
      ),
      valueCheck((files) => files.every(isKnown), issue("upload_not_found", uploadNotFound, "id")),
    ];
    if (minItems !== undefined)
      checks.push(
        valueCheck(
          (files) => files.length >= minItems,
          issue("min_items", `Must have at least ${minItems} files.`, "minItems", minItems),
        ),
      );
    if (maxBytes !== undefined)
      checks.push(
        valueCheck(
          (files) => files.every(({ size = 0 }) => size <= maxBytes),
          issue("max_bytes", `A file may have at most ${sizeText(maxBytes)}.`, "maxBytes", maxBytes),
        ),
      );
    if (accept !== undefined)
      checks.push(
        valueCheck(
          (files) => files.every(({ type }) => type === undefined || acceptsType(accept, type)),
          issue("type_not_accepted", "A file is of a type that is not accepted.", "accept", accept),
        ),
      );
    return checks;
  },
  jsonSchema: ({ accept, maxBytes, minItems, maxItems = maxPerField }) => ({
    type: "array",
    items: {
      type: "object",
      properties: {
        id: { type: "string", description: "As the upload returned it." },
        name: { type: "string" },
        size: { type: "number", maximum: maxBytes },
        type: { type: "string", pattern: accept && patternOf(accept) },
        sha256: { type: "string" },
      },
      required: ["id"],
      additionalProperties: false,
    },
    minItems: Math.max(minItems ?? 1, 1),
    maxItems,
    $comment: "Looser than the form, which also requires that each id is an upload of the caller's.",
    examples: [[{ ...sample, sha256: sampleDigest }]],
  }),
  hint: "a JSON array",
};

export const fileTypes = { file };
