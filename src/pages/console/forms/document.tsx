/** The file of a form that a person sends: chosen, or pasted; and its form, which comes with the next post. */
import { Buffer } from "node:buffer";
import { limits } from "../../../limits.ts";
import { requireClientProblem } from "../../../problem.ts";
import { type FileContent, parseFormFile } from "../../../resources/forms/file.ts";
import { isWorkbook } from "../../../resources/forms/import/import-file.ts";
import { fileFormat } from "../../../resources/forms/shapes.ts";
import { Input, TextArea } from "../../ui/controls.tsx";
import { megabytes } from "../form/file-kinds.ts";
import { type FormControl, FormProblem, Wrong } from "../frame/form.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.document;
const [fileName, textName] = ["file", "text"];

const { maxSchemaBytes, maxSettingsBytes } = limits.form;
/** Bytes of JSON: its indent can make a form several times as large as it is stored. */
const maxJsonBytes = 4 * (maxSchemaBytes + maxSettingsBytes);

/** Bytes of a post with a document: the other controls are small. */
export const maxDocumentPost = limits.workbook.maxBytes + maxSchemaBytes;

interface SentDocument {
  bytes: Uint8Array;
  /** Name of the control that it comes from. */
  at: string;
}

/** @param takesWorkbooks true: not only JSON */
export const documentControl = (takesWorkbooks: boolean): FormControl<SentDocument> => {
  const types = takesWorkbooks ? words.workbookTypes : words.types;
  const maxBytes = takesWorkbooks ? limits.workbook.maxBytes : maxJsonBytes;
  return {
    draw: () => (
      <>
        <Input
          name={fileName}
          type="file"
          accept={takesWorkbooks ? ".json,.xlsx" : ".json"}
          label={words.file}
          hint={words.fileHint(types, megabytes(maxBytes))}
        />
        <TextArea name={textName} label={words.text} hint={words.textHint} rows={4} />
      </>
    ),
    read: (values) => {
      const file = values.get(fileName);
      const at = file ? fileName : textName;
      const bytes = Buffer.from(file || (values.get(textName)?.trim() ?? ""), file ? "base64" : "utf8");
      if (bytes.length === 0) return new Wrong(words.nothing, fileName);
      const max = takesWorkbooks && isWorkbook(bytes) ? limits.workbook.maxBytes : maxJsonBytes;
      return bytes.length > max ? new Wrong(words.tooLarge(megabytes(max)), at) : { bytes, at };
    },
  };
};

/** Reads a document. @throws {FormProblem} at its control, for one that cannot be read */
export async function readDocument<T>(
  { bytes, at }: SentDocument,
  read: (bytes: Uint8Array) => T | Promise<T>,
): Promise<T> {
  try {
    return await read(bytes);
  } catch (error) {
    const problem = requireClientProblem(error);
    const { sentence } = frameText.errors;
    throw new FormProblem({ [at]: problem.said ? sentence(problem) : words.unreadable(problem.message) });
  }
}

export const contentName = "content";

/** A form that was read, as a hidden field of the next post: nothing is stored in between. */
export const ContentField = ({ name, description, schema, settings }: FileContent) => (
  <input
    type="hidden"
    name={contentName}
    value={JSON.stringify({ format: fileFormat, name, description, schema, settings })}
  />
);

export const contentControl: FormControl<FileContent> = {
  read: (values, name) => parseFormFile(Buffer.from(values.get(name) ?? "")),
};
