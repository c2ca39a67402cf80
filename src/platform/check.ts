/** One check of `formd doctor`. */
export interface Check {
  name: string;
  ok: boolean;
  /** Whether it works and may be a mistake, or could be safer: the exit code stays 0. */
  isAdvice?: boolean;
  /** What was found, and what to change when it is not in order. */
  message: string;
  /** Where the schema is not what this release makes. */
  differences?: { fault: string; statement: string }[];
}
