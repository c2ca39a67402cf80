/** Query, body and report of the import. */
import { type } from "arktype";
import { documented } from "../../../platform/http/documented.ts";
import { JsonObject, Uuid } from "../../../platform/http/shapes.ts";
import { importNames } from "./import-file.ts";

export const FormImportQuery = type({
  "from?": type.enumerated(...importNames),
  "workspaceId?": Uuid,
  "dryRun?": type("'true' | 'false'").pipe((text) => text === "true"),
}).onUndeclaredKey("delete");

export const ForeignForm = documented(JsonObject.describe("a form of another tool"), {
  text: "As the tool exports it, or a `FormFile`.",
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
