/** Settings of generated tests: seed and number of cases. */
import fc from "fast-check";

/**
 * The same in each run, so that CI fails by what was changed. FORMD_TEST_SEED: another one, which finds other
 * cases.
 */
export const seed = Number(process.env.FORMD_TEST_SEED ?? 1);
fc.configureGlobal({ seed });

/** Tells the matrix (.ci/run --all), which tries all cases, from other runs, which try some. */
export const isMatrix = Boolean(process.env.FORMD_TEST_FULL);

/** Number of cases that a test generates. */
export const generatedCases = (all: number, some = all / 10) => (isMatrix ? all : some);
