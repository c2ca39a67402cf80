/** The words of another language than English: a text that is missing, or of another kind, does not compile. */
export type Words<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Name in keyof T]: Words<T[Name]> };
