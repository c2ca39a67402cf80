import { Problem } from "../../../problem.ts";

/** A problem whose message a page has in the language of its reader. */
export class TranslatedProblem extends Problem {}
