/** The short form of a submission's id, for people. */

/** Two groups of four digits, by which the console's search finds the submission. */
export const referenceOf = (submission: string): string =>
  submission.slice(-8).toUpperCase().replace(/^.{4}/, "$&-");
