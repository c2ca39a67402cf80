/** The languages of a form, on its page. */
import { ownNameOf } from "../../fields/languages.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { markOfLanguage } from "../ui/marks.ts";
import { addressIn } from "./addresses.ts";
import type { PublishedPage } from "./page-request.ts";

/** The id of a page's form, which the buttons above it send. */
export const pageFormId = "form";

interface LanguagesProps {
  page: PublishedPage;
  /** Path of the steps. */
  action: string;
  values: URLSearchParams | undefined;
}

/** Buttons that show the page in another language. Each sends the form, so that what was entered stays. */
export const Languages = ({ page, action, values }: LanguagesProps) => {
  const { languages = [], text } = page;
  if (languages.length < 2) return null;
  return (
    <div class="languages" data-busy="">
      {/* The Enter key presses this button, which sends the form as its own button does. */}
      <button type="submit" form={pageFormId} hidden />
      {languages.map((tag) =>
        tag === text.lang ? (
          <span key={tag} {...markOfLanguage(tag)} aria-current="true">
            {ownNameOf(tag)}
          </span>
        ) : (
          <button
            key={tag}
            type="submit"
            class="link"
            form={pageFormId}
            formaction={addressIn(page, action, values, tag)}
            name={ownNames.switch}
            value={tag}
            {...markOfLanguage(tag)}
          >
            {ownNameOf(tag)}
          </button>
        ),
      )}
    </div>
  );
};
