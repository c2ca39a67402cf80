/** What tests generate. */
import fc from "fast-check";

/**
 * The same in each run, so that CI fails by what was changed. FORMD_TEST_SEED: another one, which finds other
 * cases.
 */
export const seed = Number(process.env.FORMD_TEST_SEED ?? 1);
fc.configureGlobal({ seed });

/**
 * How many cases a test generates: all of them in .ci/run, which sets FORMD_TEST_FULL, and some in a local
 * run.
 */
export const generatedCases = (all: number, some = all / 10) => (process.env.FORMD_TEST_FULL ? all : some);
