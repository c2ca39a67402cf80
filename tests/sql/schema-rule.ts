/**
 * The rules of the schema, as queries of the catalogs: each returns the offenders, and knows a change that
 * breaks it, so that the question itself is proven to be able to find one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TransactionSql } from "postgres";
import { root } from "../setup.ts";

export interface Rule {
  /** A sentence that holds. */
  name: string;
  offenders(sql: TransactionSql): Promise<string[]>;
  /** Statements that break it, and the offender that they make. */
  broken: [statements: string, offender: string][];
}

const filesOf = (folder: string) =>
  readdirSync(join(root, folder)).map((name) => readFileSync(join(root, folder, name), "utf8"));

/** Every name that `pattern`'s group finds in a directory of SQL, sorted. */
export const namesIn = (folder: string, pattern: RegExp): string[] =>
  filesOf(folder)
    .flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name))
    .sort();
