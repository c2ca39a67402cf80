/**
 * Typed reads of another tool's document: a member of another type is absent. Members that the document names
 * itself are read by `ownIn`, since such a name may be `constructor`. Pure.
 */
import { isEmpty, isRecord } from "../../../fields/values.ts";
import { pageLanguages } from "../settings.ts";

/** An object of a document. */
export type Node = Readonly<Record<string, unknown>>;

/** Numbers of rows in the sheets of a workbook, as people see them. */
export const rowNumbers = new WeakMap<Node, number>();

export const nodeOf = (value: unknown): Node => (isRecord(value) ? value : {});

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const nodesOf = (value: unknown): Node[] => itemsOf(value).filter(isRecord);

/** A text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && !isEmpty(value) ? value : undefined;

/** A number, also one that is written as a text. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return Number.isFinite(number) ? (number as number) : undefined;
};

/** The language of a form's page, of a tag or a name that ends with one: `de`, `de-AT`, `Deutsch (de)`. */
export function pageLanguageOf(value: unknown): { language?: (typeof pageLanguages)[number] } {
  const [, tag] = /(?:^|\()([a-z]{2})(?:[-_][a-z\d]{2,8})?\)?$/i.exec(textOf(value)?.trim() ?? "") ?? [];
  const language = pageLanguages.find((each) => each === tag?.toLowerCase());
  return language === undefined ? {} : { language };
}

/** Checks for `true`, also one that is written as a text. */
export const isTrue = (value: unknown): boolean => value === true || value === "true";

/** Checks if a member is set: `false`, `null`, empty texts, lists and objects are not. */
export const isSet = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some(isSet)
    : value !== false && !isEmpty(value);
