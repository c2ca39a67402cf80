/** The file of a form that a person sends, and its form, which travels in the next post. */
import { limits } from "../../../limits.ts";
import { sentenceIn } from "../../../messages.ts";
import { requireClientProblem } from "../../../problem.ts";
import { type FileContent, isWorkbook, parseFormFile } from "../../../resources/forms/file.ts";
import type { Imported } from "../../../resources/forms/import/draft.ts";
import { readForeign } from "../../../resources/forms/import/import-file.ts";
import { fileFormat } from "../../../resources/forms/shapes.ts";
import { Input, TextArea } from "../../ui/controls.tsx";
import { megabytes } from "../form/file-kinds.ts";
import { type FormControl, FormProblem, Wrong } from "../frame/form.tsx";
import type { PostRules } from "../frame/handler.ts";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.document;
const { maxSchemaBytes, maxSettingsBytes } = limits.form;
/** Bytes of JSON: its indent can make a form several times as large as it is stored. */
const maxJsonBytes = 4 * (maxSchemaBytes + maxSettingsBytes);

/** Rules of a post with a file: the other controls are small. */
export const documentPost = {
  hasFile: true,
  maxBytes: limits.workbook.maxBytes + maxSchemaBytes,
  tooLarge: () =>
    new FormProblem({ file: words.tooLarge(megabytes(limits.workbook.maxBytes)) }, "payload_too_large"),
} satisfies Partial<PostRules>;

interface SentDocument {
  bytes: Uint8Array;
  /** Name of the control that it comes from. */
  at: string;
}

/** A file, or its text. @param hint of the file */
export const documentControl = (hint: string): FormControl<SentDocument> => ({
  draw: () => (
    <>
      <Input name="file" type="file" accept=".json,.xlsx" label={words.file} hint={hint} />
      <TextArea name="text" label={words.text} hint={words.textHint} />
    </>
  ),
  read: (values) => {
    const file = values.get("file");
    const at = file ? "file" : "text";
    const bytes = Buffer.from(file || (values.get("text")?.trim() ?? ""), file ? "base64" : "utf8");
    const max = isWorkbook(bytes) ? limits.workbook.maxBytes : maxJsonBytes;
    if (bytes.length === 0) return new Wrong(words.nothing, "file");
    return bytes.length > max ? new Wrong(words.tooLarge(megabytes(max)), at) : { bytes, at };
  },
});

/** Reads a document as {@link readForeign}. @throws {FormProblem} at the control that it comes from */
export const readDocument = ({ bytes, at }: SentDocument, from?: string): Promise<Imported> =>
  readForeign(bytes, from).catch((error: unknown) => {
    const { said, message } = requireClientProblem(error);
    const { path } = (said?.values ?? {}) as { path?: string };
    const sentence = said && sentenceIn(frameText.messages, said);
    throw new FormProblem({ [at]: sentence || words.unreadable(message.replace(/^The body/, "It"), path) });
  });

/** A form that was read, as a hidden field: nothing is stored before the next post. */
export const ContentField = (content: FileContent) => (
  <input type="hidden" name="content" value={JSON.stringify({ format: fileFormat, ...content })} />
);

export const contentControl: FormControl<FileContent> = {
  read: (values, name) => parseFormFile(Buffer.from(values.get(name) ?? "")),
};
