/** Words of the controls of fields. The console and the pages of forms share them. */
import type { FieldWords } from "../../ui/fields/props.ts";
import { fillerIn } from "./sentences.ts";
import type { PageWords } from "./words.ts";

export interface LanguageTags {
  /** The language of the page. */
  readonly lang: string;
  /** The language of its own words. */
  readonly wordsLang: string;
  /** The language and region by which numbers and days are written. */
  readonly locale: string;
}

export function fieldWordsOf(words: PageWords, tags: LanguageTags) {
  const fill = fillerIn(tags);
  const { yes, no, choose, other, noAnswer, scaleEnds, optional, remove, addressParts, moment } = words;
  return {
    ...{ lang: tags.lang, locale: tags.locale },
    ...{ yes, no, choose, other, noAnswer, optional, remove, addressParts },
    scaleEnds: [scaleEnds.least, scaleEnds.greatest],
    full: (label) => fill(words.full, { label: () => label }),
    left: (label, places) => fill(words.left, { label: () => label, n: () => places }),
    place: (position) => fill(words.place, { n: () => position }, "ordinal"),
    moment: { ...moment, inZone: (zone) => fill(moment.inZone, { zone: () => zone }) },
  } satisfies FieldWords;
}
