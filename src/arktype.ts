/**
 * Configures arktype to compile no shape when it is made: compiling all took 0.6 s of CPU at every start, and
 * a process needs few. `compiled` compiles the shapes that check bodies, queries and values. Import this
 * before arktype, whose `type` keeps the settings it finds.
 */
import { configure } from "arktype/config";

configure({ jitless: true });
