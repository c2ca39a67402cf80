/** The button that asks the browser for a passkey, with its script; of pages that say so. */
import { passkeysScriptAsset } from "../../ui/assets.ts";
import { frameText } from "./words.ts";

const words = frameText.passkeys;

/** Where the script gets what it asks the browser with. */
const passkeyOptionsPath = "/console/sign-in/passkey";

/**
 * @param name of the field of the form that gets what the browser gives
 * @param options to make a passkey with; without them, one that exists is asked for
 * @param isOnly whether the form has no other button
 */
export const PasskeyButton = ({
  name,
  label,
  options,
  isOnly = options !== undefined,
}: {
  name: string;
  label: string;
  options?: object;
  isOnly?: boolean;
}) => (
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
