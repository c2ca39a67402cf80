/** Keys of pages: a page that is sent again with its key is the same submission. */
import { randomUUID } from "node:crypto";
import { limits } from "../../limits.ts";
import { Problem } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";

/** Returns the key of a new page, which begins with the time, so that an old page can be told. */
export const makePageKey = (): string => `${Date.now().toString(36)}-${randomUUID()}`;

/** Returns the key of the page, if it has sent one. @throws {Problem} `bad_request` for an invalid key. */
export function pageKeyOf(values: URLSearchParams): string | undefined {
  const key = values.get(ownNames.key) ?? undefined;
  if (key !== undefined && !/^[\w-]{1,64}$/.test(key))
    throw new Problem(
      "bad_request",
      `${ownNames.key} must have 1 to ${limits.formPage.maxKeyLength} letters, digits or hyphens.`,
    );
  return key;
}

/** The time at the beginning of a key of {@link makePageKey}, in milliseconds; NaN for any other text. */
const timeOf = (key: string | null | undefined): number => {
  const [, time] = /^([0-9a-z]{8})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(key ?? "") ?? [];
  return time === undefined ? Number.NaN : Number.parseInt(time, 36);
};

const lifetimeMs = limits.formPage.keyLifetimeDays * 86_400_000;

/** The age of the page with this key, in milliseconds; undefined: it is no key of a page, or outdated. */
export function ageOf(key: string | null | undefined): number | undefined {
  const ms = Date.now() - timeOf(key);
  return ms >= 0 && ms <= lifetimeMs ? ms : undefined;
}

/** True for the key of a page that may have been sent at a time of which no key is known any more. */
export const isOutdated = (key: string | undefined): boolean => timeOf(key) + lifetimeMs < Date.now();
