/** Pages of a submission that its respondent changes or takes back. */
import { addressIn } from "./addresses.ts";
import { pageMark } from "./language.ts";
import { respondWithFormPage, WithdrawLink } from "./page.tsx";
import { embedding, type PublishedPage } from "./page-request.ts";
import { SentValues } from "./sent.tsx";
import type { StepContext } from "./steps.tsx";
import type { Failure } from "./text/types.ts";
import { Logo } from "./theme.tsx";

type ChangeContext = Pick<StepContext, "set" | "page" | "action">;

const Heading = ({ page, text: { heading, message } }: { page: PublishedPage; text: Failure }) => (
  <>
    <Logo settings={page.settings} />
    <p class="quiet form-title" dir="auto" {...pageMark(page, "title")}>
      {page.title}
    </p>
    <h1>{heading}</h1>
    <p>{message}</p>
  </>
);

/**
 * The page after a change. It may be reloaded, since it sends nothing.
 * @param isNothing nothing was changed
 */
export function respondWithChanged(
  { set, page, action }: ChangeContext,
  data: Readonly<Record<string, unknown>>,
  isNothing: boolean,
): string {
  const { text } = page;
  const words = isNothing ? text.change.nothing : text.change.done;
  return respondWithFormPage(
    set,
    page,
    `${words.heading} · ${page.title}`,
    <main id="main" class="sent">
      <Heading page={page} text={words} />
      <SentValues page={page} data={data} text={text} />
      <p>
        <a class="button secondary" href={addressIn(page, action)}>
          {text.change.link}
        </a>
      </p>
      {page.change?.canWithdraw && <WithdrawLink page={page} action={action} />}
    </main>,
    embedding(page.settings),
  );
}

/** Asks before the submission is taken back, or says that it was. */
export function respondWithQuestion({ set, page, action }: ChangeContext, isWithdrawn: boolean): string {
  const { withdraw } = page.text.change;
  const words = isWithdrawn ? withdraw.done : withdraw;
  return respondWithFormPage(
    set,
    page,
    `${words.heading} · ${page.title}`,
    <main id="main" class="sent">
      <Heading page={page} text={words} />
      {!isWithdrawn && (
        <form method="post" action={addressIn(page, `${action}/withdraw`)}>
          <div class="actions">
            <button type="submit">{withdraw.button}</button>
            <a class="button secondary" href={addressIn(page, action)}>
              {withdraw.keep}
            </a>
          </div>
        </form>
      )}
    </main>,
    embedding(page.settings),
  );
}
