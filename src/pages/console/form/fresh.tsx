/** Badge of the submissions that are new to the operator. */
import { limits } from "../../../limits.ts";
import { formatCount } from "../../ui/text.tsx";
import { formText } from "./words.ts";

const { maxFresh } = limits.followers;

export const Fresh = ({ count }: { count: number }) =>
  count > 0 ? (
    <>
      {" "}
      <span class="badge active">
        {formText.form.fresh(count < maxFresh ? formatCount(count) : `${formatCount(maxFresh - 1)}+`)}
      </span>
    </>
  ) : null;
