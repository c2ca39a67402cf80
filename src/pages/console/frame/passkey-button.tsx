/** Button that asks the browser for a passkey, with its script. */
import { passkeysScriptAsset } from "../../ui/assets.ts";
import { frameText } from "./words.ts";

const words = frameText.passkeys;

/** Path from which the script fetches the options of a passkey request. */
const passkeyOptionsPath = "/console/sign-in/passkey";

interface PasskeyButtonProps {
  name: string;
  label: string;
  options?: object;
  isOnly?: boolean;
}

/**
 * @param name of the field for the browser's response
 * @param options to make a passkey with; without them, an existing passkey is asked for
 * @param isOnly true if the form has no other button
 */
export const PasskeyButton = ({
  name,
  label,
  options,
  isOnly = options !== undefined,
}: PasskeyButtonProps) => (
  <div class="passkey">
    <input type="hidden" name={name} />
    <button
      type="button"
      class={isOnly ? undefined : "quiet"}
      data-passkey={options ? "create" : "get"}
      data-options={options && JSON.stringify(options)}
      data-from={options ? undefined : passkeyOptionsPath}
      hidden
    >
      {label}
    </button>
    <p class="needs-script quiet">{words.needsScript}</p>
    <p role="alert" data-message={words.failed} />
    <script type="module" src={passkeysScriptAsset.path} />
  </div>
);
