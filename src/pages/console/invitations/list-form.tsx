/** The form of a list of people: addresses as text, or a CSV file. */
import { Input, TextArea } from "../../ui/controls.tsx";
import { megabytes } from "../form/file-kinds.ts";
import { FormProblem, formOf, Wrong } from "../frame/form.tsx";
import type { PostRules } from "../frame/handler.ts";
import { invitationsText } from "./words.ts";

const words = invitationsText.add;

const maxFileBytes = 1_048_576;

interface List {
  people: Uint8Array | null;
  file: Uint8Array | null;
}

const tooLarge = () => words.tooLarge(megabytes(maxFileBytes));

export const listForm = () =>
  formOf<List>(
    {
      people: {
        draw: (name) => (
          <TextArea name={name} rows={6} label={words.people} hint={words.peopleHint} required={false} />
        ),
        read: (values, name) => {
          const text = values.get(name)?.trim();
          return text ? Buffer.from(text) : null;
        },
      },
      file: {
        draw: (name) => (
          <Input
            name={name}
            type="file"
            accept=".csv,text/csv"
            label={words.file}
            hint={words.fileHint}
            required={false}
          />
        ),
        read: (values, name) => {
          const bytes = Buffer.from(values.get(name) ?? "", "base64");
          if (bytes.length > maxFileBytes) return new Wrong(tooLarge());
          return bytes.length > 0 ? bytes : null;
        },
      },
    },
    {
      check: ({ people, file }): Record<string, string> =>
        (people ?? file) ? {} : { people: words.nothing },
    },
  );

/** Rules of a post with the list. */
export const listPost = {
  hasFile: true,
  maxBytes: 2 * maxFileBytes,
  tooLarge: () => new FormProblem({ file: tooLarge() }, "payload_too_large"),
} satisfies Partial<PostRules>;
