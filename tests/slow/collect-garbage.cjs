/**
 * Loaded into a tested server before its own code: at SIGUSR2 it collects all garbage, so that memory shows
 * what is held.
 */
const { Bun, gc } = globalThis;
process.on("SIGUSR2", () => (Bun ? Bun.gc(true) : gc?.()));
