/** Switch for shortcut keys. They are off until a person switches them on in this browser. */
import { frameText } from "./words.ts";

const words = frameText.keys;

/** The button needs the script, which shows it. */
export const KeySwitch = () => (
  <p class="quiet keys">
    {words.list}{" "}
    <button type="button" class="quiet small" data-keys={words.off} hidden>
      {words.on}
    </button>
  </p>
);
