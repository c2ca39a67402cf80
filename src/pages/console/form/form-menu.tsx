/** Menu of a form, for rare actions. */
import type { FormView } from "../../../resources/forms/form-view.ts";
import { ActionButton, Menu, useMay } from "../frame/layout.tsx";
import { Confirm } from "../frame/parts.tsx";
import { isClosed } from "./form-state.tsx";
import { formText } from "./words.ts";

/** Closes a published form at once, or opens it again. */
const CloseOrOpen = ({ form, path }: FormMenuProps) => {
  const mayOpen = useMay("form.opened", form.workspaceId);
  const mayClose = useMay("form.closed", form.workspaceId);
  const { close, closeHint, reopen } = formText.menu;
  if (form.status !== "published") return null;
  if (isClosed(form))
    return mayOpen ? <ActionButton action={`${path}/settings/open`} label={reopen} /> : null;
  return mayClose ? (
    <Confirm label={close} action={`${path}/settings/close`} hint={closeHint} confirm={close} isHarmless />
  ) : null;
};

const Archiving = ({ form, path }: FormMenuProps) => {
  const { archive, archiveHint, archiveConfirm, restore } = formText.menu;
  if (!useMay("form.archived", form.workspaceId)) return null;
  return form.status === "archived" ? (
    <ActionButton action={`${path}/restore`} label={restore} />
  ) : (
    <Confirm label={archive} action={`${path}/archive`} hint={archiveHint} confirm={archiveConfirm} />
  );
};

interface FormMenuProps {
  form: FormView;
  /** Address of the form's pages. */
  path: string;
}

export const FormMenu = ({ form, path }: FormMenuProps) => {
  const mayCopy = useMay("form.created", form.workspaceId);
  const mayReplace = useMay("form.patched", form.workspaceId) && form.status !== "archived";
  const { label, copy, download, replace } = formText.menu;
  return (
    <Menu label="⋯" accessibleLabel={label}>
      {mayCopy && <ActionButton action={`${path}/copy`} label={copy} />}
      <a href={`${path}/file`} download>
        {download}
      </a>
      {mayReplace && <a href={`${path}/replace`}>{replace}</a>}
      <CloseOrOpen form={form} path={path} />
      <Archiving form={form} path={path} />
      <a href={`${path}/more`}>{formText.form.accessKeys}</a>
    </Menu>
  );
};
