/** Settings of a server that collects all garbage at SIGUSR2, so that its memory shows what is held. */
import { join } from "node:path";

const script = join(import.meta.dir, "collect-garbage.cjs");

export const collecting = {
  BUN_OPTIONS: `--preload ${script}`,
  NODE_OPTIONS: `--require ${script}`,
  DENO_V8_FLAGS: "--expose-gc",
};
