/** A control for a password, which a button shows: who cannot see it mistypes it. */
import { Input, type InputProps } from "../../ui/controls.tsx";
import { text } from "./text.ts";

const words = text.password;

/** The script shows the button, which needs it. */
export const PasswordInput = (props: Omit<InputProps, "type" | "required">) => (
  <>
    <Input {...props} type="password" required />
    <button type="button" class="quiet small" data-show={words.show} data-hide={words.hide} hidden>
      {words.show}
    </button>
  </>
);
