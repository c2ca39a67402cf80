/** Small parts of text that pages share. */

const minuteMs = 60_000;

/** How long ago a moment was, or in how long it is; the day of one that is over a week away. */
function distanceOf(at: Date, now: number): string {
  const minutes = Math.round(Math.abs(now - at.getTime()) / minuteMs);
  if (minutes < 1) return "just now";
  if (minutes >= 7 * 24 * 60) return formatDay(at);
  const [amount, unit] =
    minutes < 60
      ? [minutes, "min"]
      : minutes < 24 * 60
        ? [Math.round(minutes / 60), "h"]
        : [Math.round(minutes / 60 / 24), "d"];
  return at.getTime() < now ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

/**
 * A moment by its distance, with the exact one in UTC as its title; or the exact one itself. The page's
 * script turns the exact one into the time zone of the browser.
 */
export const Time = ({ at, exact }: { at: Date | string; exact?: boolean }) => {
  const iso = new Date(at).toISOString();
  const moment = `${iso.slice(0, 16).replace("T", " ")} UTC`;
  return exact ? (
    <time datetime={iso}>{moment}</time>
  ) : (
    <time datetime={iso} title={moment}>
      {distanceOf(new Date(at), Date.now())}
    </time>
  );
};

const counts = new Intl.NumberFormat("en");

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** A day in UTC, such as 20 Nov 2026. */
export const formatDay = (day: Date): string => days.format(day);

/** A number with its thousands separated. */
export const formatCount = (value: number): string => counts.format(value);

/** Page links of a list; of a page past the end, a link to the last one. */
export const Pages = ({
  page,
  limit,
  total,
  isTotalExact = true,
  hrefOf,
  words,
}: {
  page: number;
  limit: number;
  total: number;
  /** False: there are `total` items or more. */
  isTotalExact?: boolean | undefined;
  hrefOf: (page: number) => string;
  words: {
    label: string;
    previous: string;
    next: string;
    last: string;
    position: (page: number, pages: number, isTotalExact: boolean) => string;
  };
}) => {
  const pages = Math.max(1, Math.ceil(total / limit));
  if (pages === 1 && page === 1) return null;
  if (page > pages)
    return (
      <nav class="pages" aria-label={words.label}>
        <a href={hrefOf(pages)} rel="prev" data-key="k">
          {words.last}
        </a>
      </nav>
    );
  return (
    <nav class="pages" aria-label={words.label}>
      {page > 1 && (
        <a href={hrefOf(page - 1)} rel="prev" data-key="k">
          {words.previous}
        </a>
      )}
      <span>{words.position(page, pages, isTotalExact)}</span>
      {page < pages && (
        <a href={hrefOf(page + 1)} rel="next" data-key="j">
          {words.next}
        </a>
      )}
    </nav>
  );
};

/** Lines to paste into a terminal. */
export const Command = ({ lines }: { lines: readonly string[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <pre tabIndex={0}>
    <code>{lines.join("\n")}</code>
  </pre>
);

/** A sentence in which what is between backticks is code. */
export const Prose = ({ children }: { children: string }) => (
  <>{children.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);
