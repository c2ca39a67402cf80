/** Rows of the page: each a text, what is entered for it, and what was shown when it was entered. */

import { parseField } from "../../../fields/definition.ts";
import { sha256 } from "../../../platform/auth/secret.ts";
import { type FormText, textsOfForm } from "../../../resources/forms/form-texts.ts";
import {
  normalText,
  type Translation,
  translationFault,
} from "../../../resources/forms/translation-operations.ts";
import type { FormView } from "../form/form.tsx";
import { nameOfField, ruleLabel } from "../form/issues.ts";
import { cutText } from "../frame/flash.ts";
import { frameText } from "../frame/words.ts";
import { translationsText } from "./words.ts";

/** Rows of a page. */
export const pageSize = 50;

/** Bytes of the name of a question. */
const maxNameBytes = 120;

export interface TextRow {
  place: string;
  /** Undefined: the form no longer has it. */
  text: FormText | undefined;
  /** The stored translation. */
  stored: string;
  entered: string;
  error?: string | undefined;
  /** True if another person saved a different translation. */
  isConflict?: boolean;
}

const digest = (text: string): string =>
  Buffer.from(sha256(normalText(text)))
    .toString("base64url")
    .slice(0, 16);

/** Digests of the texts that a row shows, for the post that changes it. */
export const seenOf = (text: string, stored: string): string => `${digest(text)}.${digest(stored)}`;

export const textRow = (text: FormText, language: string): TextRow => {
  const stored = text.in(language) ?? "";
  return { place: text.place, text, stored, entered: stored };
};

/** The rows of a post, compared with the form. A row that was not changed has what is stored. */
export function postedRows(form: FormView, language: string, values: URLSearchParams): TextRow[] {
  const texts = new Map(textsOfForm(form).map((text) => [text.place, text]));
  return Array.from({ length: pageSize }, (_, index): TextRow[] => {
    const place = values.get(`${index}.place`);
    if (place === null) return [];
    const text = texts.get(place);
    const row = text ? textRow(text, language) : { place, text, stored: "", entered: "" };
    const entered = normalText(values.get(`${index}.text`) ?? row.stored);
    const [ofText, ofTranslation] = (values.get(`${index}.seen`) ?? "").split(".");
    if (entered === normalText(row.stored) || digest(entered) === ofTranslation) return [row];
    const isConflict = text !== undefined && digest(row.stored) !== ofTranslation;
    return [{ ...row, entered, isConflict, error: errorOf(text, entered, isConflict, ofText) }];
  }).flat();
}

function errorOf(
  text: FormText | undefined,
  entered: string,
  isConflict: boolean,
  seenText: string | undefined,
): string | undefined {
  const { gone, changed, both } = translationsText.errors;
  if (!text) return gone;
  if (digest(text.text) !== seenText) return changed(placeLabel(text));
  return isConflict ? both(placeLabel(text)) : faultSentence(text, translationFault(text, entered));
}

/** Sentence about a translation that is too long or not valid. */
export function faultSentence(text: FormText, fault: number | "wrong" | undefined): string | undefined {
  const { tooLong, wrong } = frameText.controls;
  if (fault === undefined) return undefined;
  return fault === "wrong" ? wrong(placeLabel(text)) : tooLong(placeLabel(text), fault);
}

const isEntry = (member: string): member is keyof typeof translationsText.entries =>
  Object.hasOwn(translationsText.entries, member);

/** The place of a text in words, such as "Size · choice 2". */
export function placeLabel({ place, of }: FormText): string {
  const { places, entries } = translationsText;
  if (!("field" in of)) return places[place as keyof typeof places];
  // Without its lists, which can be long and are not named.
  const { id, label, type } = of.field;
  const field = parseField({ id, label, type });
  const [member, key] = of.at;
  const inField = isEntry(member)
    ? entries[member](member === "messages" ? Number(key) + 1 : of.position)
    : (ruleLabel(member, field.type) ?? member);
  return `${cutText(nameOfField(field), maxNameBytes)} · ${inField}`;
}

export const changesIn = (rows: readonly TextRow[], language: string): Translation[] =>
  rows.flatMap(({ text, stored, entered }) =>
    text && entered !== stored ? [{ text, language, translation: entered }] : [],
  );
