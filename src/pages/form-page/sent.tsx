/** The page after a submission. It may be reloaded, since it sends nothing. */

import type { Field } from "../../fields/definition.ts";
import { msOfId } from "../../platform/http/cursor.ts";
import type { ChangeLink } from "../../resources/submissions/change-links.ts";
import { referenceOf } from "../../resources/submit/reference.ts";
import { momentText } from "../ui/text.tsx";
import { addressIn } from "./addresses.ts";
import { isComputed, isDependent } from "./applicable.ts";
import { intlMark, pageMark } from "./language.ts";
import { isSensitive, Paragraphs, respondWithFormPage } from "./page.tsx";
import { embedding, type PublishedPage } from "./page-request.ts";
import type { Sent } from "./sent-address.ts";
import { CheckedValue } from "./steps.tsx";
import type { PageText } from "./text/types.ts";
import { Logo } from "./theme.tsx";

/** Sent values. Fields that were not asked are omitted. */
export const SentValues = ({
  page,
  data,
  text,
}: {
  page: PublishedPage;
  data: Readonly<Record<string, unknown>>;
  text: PageText;
}) => {
  const { form } = page;
  const isShown = (field: Field) =>
    field.kind !== "hidden" &&
    field.fieldType.nature !== "none" &&
    (Object.hasOwn(data, field.id) || !(isDependent(form, field) || isComputed(form, field)));
  return (
    <section class="checked-values" aria-labelledby="sent-values">
      <div class="actions">
        <h2 id="sent-values">{text.sent.values}</h2>
        {/* The script shows it. */}
        <button type="button" class="secondary" data-print hidden>
          {text.sent.print}
        </button>
      </div>
      <dl>
        {form.fields.filter(isShown).map((field) => (
          <CheckedValue
            key={field.id}
            field={field}
            value={Object.hasOwn(data, field.id) ? data[field.id] : undefined}
            notShown={isSensitive(field) && Object.hasOwn(data, field.id)}
            page={page}
          />
        ))}
      </dl>
    </section>
  );
};

/** The link by which the submission can be changed, and until when. */
const Change = ({ page, action, change }: { page: PublishedPage; action: string; change: ChangeLink }) => {
  const { text, timeZone } = page;
  const until = change.endsAt && momentText(change.endsAt.getTime(), text.locale, timeZone);
  return (
    <>
      <p>{text.change.until(until ?? undefined)}</p>
      <p>
        <a class="button secondary" href={addressIn(page, `${action}/c/${change.token}`)}>
          {text.change.link}
        </a>
      </p>
    </>
  );
};

/**
 * @param action the address of the form
 * @param again the same, if it takes another submission
 */
export function respondWithThanks(
  set: { headers: Record<string, unknown> },
  page: PublishedPage,
  { reference, data, change }: Partial<Sent> = {},
  action = "",
  again?: string,
): string {
  const { text } = page;
  const { thankYou } = page.settings;
  return respondWithFormPage(
    set,
    page,
    `${text.sent.heading} · ${page.title}`,
    <main id="main" class="sent" data-sent={page.banner === undefined ? page.formId : undefined}>
      <Logo settings={page.settings} />
      <p class="quiet form-title" dir="auto" {...pageMark(page, "title")}>
        {page.title}
      </p>
      <h1>{text.sent.heading}</h1>
      <Paragraphs
        text={thankYou || text.sent.message}
        mark={thankYou ? pageMark(page, "thankYou") : undefined}
      />
      {reference && (
        <p>
          {text.sent.reference}: <strong class="reference">{referenceOf(reference)}</strong>{" "}
          {/* The script shows it. */}
          <button
            type="button"
            class="link"
            data-copy={referenceOf(reference)}
            data-copied={text.sent.copied}
            hidden
          >
            {text.sent.copy}
          </button>
          {data && (
            <span class="position" {...intlMark(page)}>
              {momentText(msOfId(reference), text.locale, page.timeZone)}
            </span>
          )}
        </p>
      )}
      {data && <SentValues page={page} data={data} text={text} />}
      {change && <Change page={page} action={action} change={change} />}
      {again && (
        <p>
          <a class="button secondary" href={again}>
            {text.sent.again}
          </a>
        </p>
      )}
    </main>,
    embedding(page.settings),
  );
}
