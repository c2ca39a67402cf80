/** The short form of a submission's id, for people. */

/** Two groups of four digits, to read out: the end of the id, by which the console's search finds it. */
export const referenceOf = (submission: string): string =>
  submission.slice(-8).toUpperCase().replace(/^.{4}/, "$&-");
