import { controlName, fileIn } from "../../../fields/control-values.ts";
import { sizeText } from "../../../fields/types/file.ts";
import { Input, idOf } from "../controls.tsx";
import { Buttons } from "./choices.tsx";
import { Group } from "./group.tsx";
import { commonOf, type ShownProps } from "./props.ts";

type File = Record<string, unknown> & { id: string };

const nameOf = ({ id, name }: File): string => (typeof name === "string" ? name : id);
const sizeOf = ({ size }: File, language: string): string =>
  typeof size === "number" ? sizeText(size, language) : "";

/** Uploaded files, each with a button that removes it, and a control for more. */
export const FileControl = (props: ShownProps) => {
  const { field, words, shown, scope, removeAction, intlMark } = props;
  const name = controlName(field.id);
  const files: File[] = shown.getAll(name).flatMap((text) => fileIn(text) ?? []);
  if (removeAction === undefined) return <KeptFiles {...props} files={files} />;
  const { accept, maxItems = 2 } = field.constraints;
  const { placeholder, maxLength, required, ...common } = commonOf(props);
  return (
    <div class="files" data-action={removeAction}>
      <Input
        {...common}
        type="file"
        required={required === true && files.length > 0 ? undefined : required}
        accept={accept?.join(",")}
        multiple={maxItems > 1}
      />
      {files.length > 0 && (
        <ul>
          {files.map((file) => {
            const id = idOf(`${name}-${file.id}`, scope);
            return (
              <li key={file.id}>
                <span id={id} dir="auto">
                  {nameOf(file)}{" "}
                  <span class="quiet" {...intlMark}>
                    ({sizeOf(file, words.lang)})
                  </span>
                </span>{" "}
                <input type="hidden" name={name} value={JSON.stringify(file)} />
                <button
                  type="submit"
                  class="link"
                  name="formd.remove"
                  value={file.id}
                  formaction={removeAction}
                  aria-describedby={id}
                >
                  {words.remove}
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
};

/** Files of a submission that is edited. No files can be added. An unchecked file is removed. */
const KeptFiles = (props: ShownProps & { files: File[] }) => {
  const choices = props.files.map((file) => ({
    value: JSON.stringify(file),
    label: `${nameOf(file)} (${sizeOf(file, props.words.lang)})`,
  }));
  if (choices.length === 0) return null;
  return (
    <Group {...props}>
      <Buttons
        type="checkbox"
        name={controlName(props.field.id)}
        choices={choices}
        selected={choices.map(({ value }) => value)}
        scope={props.scope}
      />
    </Group>
  );
};
