/** A form's draft as a file. */
import { fileHeadersOf, writeFormFile } from "../../../resources/forms/file.ts";
import { findForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { stream } from "../frame/handler.ts";

export const formFilePages = {
  download: stream(async (view, headers) => {
    const form = await findForm(view);
    Object.assign(headers, fileHeadersOf(form.name));
    return writeFormFile(form);
  }),
} satisfies Handlers;
