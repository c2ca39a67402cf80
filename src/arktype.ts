/**
 * arktype compiles no shape when it is made: all of them took 0.6 s of CPU at every start, and a process
 * needs few. `compiled` makes those that bodies, queries and values are checked by. Imported before arktype
 * itself, whose `type` keeps the settings that it finds.
 */
import { configure } from "arktype/config";

configure({ jitless: true });
