/** What the import route takes and returns. */
import { type } from "arktype";
import { documented } from "../../../platform/http/documented.ts";
import { JsonObject, Uuid } from "../../../platform/http/shapes.ts";
import { importSources } from "./sources.ts";

const titles = importSources.map(([name, { title }]) => `\`${name}\` (${title})`).join(", ");

/** The names that `from` takes: of the sources, and of formd's own files. */
export const importNames = ["auto", "formd", ...importSources.map(([name]) => name)] as const;

export const FormImportQuery = type({
  "from?": type.enumerated(...importNames),
  "workspaceId?": Uuid,
  "dryRun?": type("'true' | 'false'").pipe((text) => text === "true"),
}).onUndeclaredKey("delete");

export const ForeignForm = documented(JsonObject, {
  text: `A form of another tool, as it exports it, or a \`FormFile\`. The tools: ${titles}.`,
});

export const FormImportReport = documented(
  type({
    source: "string",
    fields: "number.integer",
    converted: "number.integer",
    approximated: "number.integer",
    leftOut: "number.integer",
    items: type({
      severity: "'approximated' | 'left_out' | 'note'",
      path: "string",
      code: "string",
      message: "string",
    }).array(),
  }),
  {
    text: "What became of a form of another tool. Whatever is not in the draft is an item.",
    members: {
      source: "The tool, or `formd`.",
      fields: "Questions of the document: the sum of the next three.",
      approximated: "Kept with a looser rule, or as another type.",
      items: {
        items: {
          members: {
            severity: "`note`: no question lost a thing.",
            path: "The place in the document.",
            code: "Stable: `type`, `rule`, `condition`, `options`, `default`, `text`, `translation`, `setting`, `repeat`, `too_many` or `not_accepted`.",
            message: "For people.",
          },
        },
      },
    },
  },
);
