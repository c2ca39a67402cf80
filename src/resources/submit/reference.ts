/** The short form of a submission's id, for people. */

/**
 * Two groups of four digits, which people can read out: the end of the id, by which an owner finds the
 * submission in the console's search (sql/521_submission_search.sql).
 */
export const referenceOf = (submission: string): string =>
  submission.slice(-8).toUpperCase().replace(/^.{4}/, "$&-");
