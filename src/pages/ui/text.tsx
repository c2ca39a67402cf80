import { localText } from "../../fields/spelling.ts";
import { localOf } from "../../fields/time-zones.ts";
import { type Language, language, timeZoneOfForm } from "./language.ts";

const minuteMs = 60_000;

/** Words of each language, and its locale for days and numbers. */
const words = {
  en: { locale: "en-GB", optional: "optional", now: "just now" },
  de: { locale: "de-DE", optional: "optional", now: "gerade eben" },
} as const satisfies Record<Language, object>;

/** Word at a label whose control may stay empty. */
export const optionalWord = (): string => words[language()].optional;

/** Returns the time since or until a moment. If that is a week or more, returns the day. */
function distanceOf(at: Date, now: number): string {
  const minutes = Math.round((at.getTime() - now) / minuteMs);
  const size = Math.abs(minutes);
  const { distances } = formatsOf(language());
  if (size < 1) return words[language()].now;
  if (size < 60) return distances.format(minutes, "minute");
  if (size < 24 * 60) return distances.format(Math.round(minutes / 60), "hour");
  return size < 7 * 24 * 60 ? distances.format(Math.round(minutes / 60 / 24), "day") : formatDay(at);
}

/**
 * A moment by its distance or exactly, in the time zone of the page's form. Without one it is in UTC, which
 * the script turns into the browser's time zone.
 */
export const Time = ({
  at,
  exact,
  zone = timeZoneOfForm(),
}: {
  at: Date | string;
  exact?: boolean;
  /** Time zone of a row's form, on a page of several forms. */
  zone?: string | undefined;
}) => {
  const iso = new Date(at).toISOString();
  const moment = zone ? momentText(iso, localeOfReader(), zone) : `${iso.slice(0, 16).replace("T", " ")} UTC`;
  return exact ? (
    <time datetime={iso} data-zone={zone}>
      {moment}
    </time>
  ) : (
    <time datetime={iso} data-zone={zone} title={moment}>
      {distanceOf(new Date(at), Date.now())}
    </time>
  );
};

/** Locale of the page's language for days and numbers. */
export const localeOfReader = (): string => words[language()].locale;

const makeFormats = ({ locale }: { locale: string }) => ({
  counts: new Intl.NumberFormat(locale),
  days: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }),
  distances: new Intl.RelativeTimeFormat(locale, { style: "short" }),
});
/** Cache, since making one format takes longer than a page. Making both at the start took 10 ms. */
const formats: Partial<Record<Language, ReturnType<typeof makeFormats>>> = {};
const formatsOf = (name: Language) => (formats[name] ??= makeFormats(words[name]));

/** A day in UTC, such as 20 Nov 2026. */
export const formatDay = (day: Date): string => formatsOf(language()).days.format(day);

/** Cache, since making a format takes 0.3 ms, for each row of a list. */
const zoneFormats = new Map<string, Intl.DateTimeFormat>();
const maxZoneFormats = 1000;

/** A moment to the minute on the clock of a time zone, with that zone's name. Any other text stays. */
export function momentText(value: unknown, locale: string, timeZone = "UTC"): string {
  const at = new Date(typeof value === "number" ? value : String(value));
  if (Number.isNaN(at.getTime())) return String(value);
  const key = `${locale} ${timeZone}`;
  const format = zoneFormats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" });
  if (zoneFormats.size >= maxZoneFormats) zoneFormats.clear();
  zoneFormats.set(key, format);
  const zone = format.formatToParts(at).find(({ type }) => type === "timeZoneName");
  const local = localOf(at.toISOString(), timeZone)?.slice(0, 16);
  return `${localText(`${local}:00`, locale)} ${zone?.value}`;
}

export const formatCount = (value: number): string => formatsOf(language()).counts.format(value);

/** Page links of a list. A page past the end has a link to the last page. */
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

export const Command = ({ lines }: { lines: readonly string[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <pre tabIndex={0}>
    <code>{lines.join("\n")}</code>
  </pre>
);

/** An e-mail address that breaks at its signs where it does not fit in a line. */
export const EmailText = ({ children }: { children: string }) => (
  <>
    {children.split(/(?<=@)|(?=\.)/).map((part, index) => (
      <>
        {index > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
);

/** A sentence in which the text between backticks is code. */
export const Prose = ({ children }: { children: string }) => (
  <>{children.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);
