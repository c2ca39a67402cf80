/** Bodies of HTML forms (`application/x-www-form-urlencoded`, URL standard, section 5). */
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { requireIdentity } from "./body.ts";

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export const isFormPost = (request: Request): boolean =>
  formType.test(request.headers.get("content-type") ?? "");

/** Parses the fields of a form, in order. A name may repeat. */
export function parseForm(request: Request, bytes: Uint8Array): URLSearchParams {
  const fields = parseFormText(request, bytes);
  for (const [name, value] of fields)
    if (name.includes("\0") || value.includes("\0"))
      throw new Problem("bad_request", say("text_not_storable"));
  return fields;
}

/** {@link parseForm} for a caller that checks for U+0000 itself. */
export function parseFormText(request: Request, bytes: Uint8Array): URLSearchParams {
  if (!isFormPost(request))
    throw new Problem("invalid_content_type", "The body must be that of an HTML form.");
  requireIdentity(request);
  return parseFormFields(new TextDecoder().decode(bytes));
}

/** Parses a text. @throws {Problem} `bad_request` for too many fields, counted before: each costs memory */
export function parseFormFields(text: string): URLSearchParams {
  const { maxFields } = limits.formPost;
  let fields = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1))
    if (++fields > maxFields)
      throw new Problem("bad_request", say("too_many_sent_fields", { max: maxFields }));
  return new URLSearchParams(text);
}
