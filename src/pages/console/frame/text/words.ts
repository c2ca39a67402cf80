import { Problem } from "../../../../problem.ts";

/** The words of a language that is not English: one that is missing, or of another kind, does not compile. */
export type Words<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof T]: Words<T[Name]> };

/** A problem whose message a page has in the language of its reader. */
export class TranslatedProblem extends Problem {}
