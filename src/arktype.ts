/**
 * Configures arktype, before its import, to compile no shape: all took 0.6 s of CPU at each start.
 * A process needs few: `compiled` compiles those that check bodies, queries and values.
 */
import { configure } from "arktype/config";

configure({ jitless: true });
