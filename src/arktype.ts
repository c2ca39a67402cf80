/**
 * arktype compiles no shape when it is made: all of them took 0.6 s of CPU at every start, and a process
 * needs few. `assertShape` compiles those that requests are checked by. Imported before the first shape.
 */
import { configure } from "arktype/config";

configure({ jitless: true });
