/** The part of the page about the texts as a file. */
import { limits } from "../../../limits.ts";
import { Input } from "../../ui/controls.tsx";
import { megabytes } from "../form/file-kinds.ts";
import { type FormControl, FormProblem, formOf, Wrong } from "../frame/form.tsx";
import type { PostRules } from "../frame/handler.ts";
import { PostForm, useRefused } from "../frame/layout.tsx";
import { FormActions, LinkLine } from "../frame/parts.tsx";
import { translationsText } from "./words.ts";

const words = translationsText.csv;
const { maxBytes } = limits.translations;

const tooLarge = () => words.tooLarge(megabytes(maxBytes));

const fileControl: FormControl<Uint8Array> = {
  draw: (name) => (
    <Input name={name} type="file" accept=".csv,text/csv" label={words.file} hint={words.fileHint} />
  ),
  read: (values, name) => {
    const bytes = Buffer.from(values.get(name) ?? "", "base64");
    if (bytes.length === 0) return new Wrong(words.nothing);
    return bytes.length > maxBytes ? new Wrong(tooLarge()) : bytes;
  },
};

export const csvForm = formOf({ file: fileControl });

/** Rules of a post with the file. The other controls are small. */
export const csvPost = {
  hasFile: true,
  maxBytes: maxBytes + 65_536,
  tooLarge: () => new FormProblem({ file: tooLarge() }, "payload_too_large"),
} satisfies Partial<PostRules>;

export const CsvSection = ({ path, to, canEdit }: { path: string; to: string; canEdit: boolean }) => {
  const action = `${path}/import`;
  const refused = useRefused(action);
  return (
    <details class="panel" open={refused !== undefined}>
      <summary>{words.title}</summary>
      <div class="stacked">
        {canEdit && <p class="quiet">{words.intro}</p>}
        <LinkLine href={`${path}.csv`} download label={words.download} />
      </div>
      {canEdit && (
        <PostForm action={action} form={csvForm} fields={{ to }} class="stacked" hasFile>
          <FormActions submit={words.send} />
        </PostForm>
      )}
    </details>
  );
};
