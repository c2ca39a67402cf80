/** The switch of single keys, which are off until a person has switched them on in this browser. */
import { frameText } from "./words.ts";

const words = frameText.keys;

/** The script shows the button, which needs it. */
export const KeySwitch = () => (
  <p class="quiet keys">
    {words.list}{" "}
    <button type="button" class="quiet small" data-keys={words.off} hidden>
      {words.on}
    </button>
  </p>
);
