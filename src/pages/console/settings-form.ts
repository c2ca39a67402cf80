/** The settings of a form as the text of three HTML forms, and back, with what is wrong at which control. */
import { isColour, readableAccent } from "../../resources/forms/accent.ts";
import {
  AvailabilitySettings,
  PageSettings,
  RetentionRule,
  ThemeSettings,
} from "../../resources/forms/settings.ts";
import { clockAt, isTimeZone, momentAt } from "../../resources/forms/time-zones.ts";
import type { FormView } from "./form.tsx";
import { ruleIn, ruleValues } from "./retention-rule.ts";
import { text } from "./text.ts";

const words = text.settings;

export type Card = keyof typeof words.cards;

type Errors = Record<string, string>;

/** Members of `settings.page` that are a text. */
const pageTexts = [
  ...[
    "alias",
    "language",
    "layout",
    "thankYou",
    "title",
    "introduction",
    "submitLabel",
    "redirectUrl",
    "agents",
  ],
] as const;
/** Those that the card "Opening" has: what people read in place of the form. */
const closedTexts = ["closedText", "fullText"] as const;
/** Members of `settings.page.theme`. */
export const themeMembers = [
  ...["accent", "corners", "scheme", "privacyUrl", "imprintUrl", "contact"],
] as const;
const moments = ["opensAt", "closesAt"] as const;
/** The time of a day without one: its beginning, or its end. */
const defaultTimes = { opensAt: "00:00", closesAt: "23:59" };

export function toValues({ name, description, settings }: FormView): URLSearchParams {
  const { page, availability, anonymous, captcha, challenge, review, retention } = settings;
  const timeZone = availability?.timeZone ?? "UTC";
  const values = new URLSearchParams({ name, description: description ?? "" });
  for (const member of [...pageTexts, ...closedTexts])
    values.set(`page.${member}`, String((page as Record<string, unknown> | undefined)?.[member] ?? ""));
  for (const member of themeMembers)
    values.set(`theme.${member}`, (page?.theme as Record<string, string> | undefined)?.[member] ?? "");
  values.set("page.embedOrigins", page?.embedOrigins?.join("\n") ?? "");
  for (const member of moments) {
    const { day, time } = clockAt(availability?.[member] ?? "", timeZone);
    values.set(`availability.${member}`, day);
    values.set(`availability.${member}.time`, time);
  }
  values.set("availability.timeZone", timeZone);
  values.set("availability.maxSubmissions", String(availability?.maxSubmissions ?? ""));
  for (const [name, value] of ruleValues(retention)) values.set(name, value);
  const flags = { anonymous: anonymous?.enabled !== false, captcha: captcha?.enabled };
  const all = { ...flags, challenge: challenge?.required, review: review?.required };
  for (const [flag, isOn] of Object.entries(all)) if (isOn) values.set(flag, "true");
  return values;
}

/** A text that was entered; an empty one removes the setting. */
const entered = (values: URLSearchParams, name: string): string | null => {
  const value = values.get(name)?.replaceAll("\r\n", "\n") ?? "";
  return value.trim() === "" ? null : value;
};

/** One per line. */
const linesIn = (values: URLSearchParams, name: string): string[] | null =>
  entered(values, name)
    ?.split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "") ?? null;

/** What is no number stays text, and is refused. */
const numberIn = (values: URLSearchParams, name: string) => {
  const value = entered(values, name)?.trim();
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : (value ?? null);
};

const isWrong = (shape: { allows(value: unknown): boolean }, value: unknown): boolean =>
  value !== null && !shape.allows(value);

const errorOf = (name: string): string => {
  const { errors, page } = words;
  if (Object.hasOwn(errors, name)) return errors[name as "name"];
  return errors.tooLong(page[name.replace("page.", "") as "title"]);
};

/** A colour that cannot be read is refused with the nearest that can. */
function accentError(accent: string): string {
  const { errors } = words;
  return isColour(accent) ? errors.contrast(readableAccent(accent)) : errors["theme.accent"];
}

/** @param hasLogo a theme without anything else stays for it */
function readTheme(values: URLSearchParams, errors: Errors, hasLogo: boolean) {
  const theme: Record<string, string | null> = {};
  for (const member of themeMembers) {
    const control = `theme.${member}`;
    const value = entered(values, control)?.trim() ?? null;
    theme[member] = value;
    if (value !== null && isWrong(ThemeSettings.pick(member as "accent"), { [member]: value }))
      errors[control] = member === "accent" ? accentError(value) : errorOf(control);
  }
  return hasLogo || Object.values(theme).some((value) => value !== null) ? theme : null;
}

function readPage(values: URLSearchParams, { settings: before }: FormView) {
  const errors: Errors = {};
  const name = values.get("name")?.trim() ?? "";
  if (name === "") errors.name = words.errors.name;
  const page: Record<string, unknown> = {};
  for (const member of [...pageTexts, "embedOrigins"]) {
    const control = `page.${member}`;
    page[member] = member === "embedOrigins" ? linesIn(values, control) : entered(values, control);
    const isLine = member === "alias" || member === "redirectUrl";
    if (isLine && typeof page[member] === "string") page[member] = page[member].trim();
    if (
      isWrong(PageSettings.pick(member as "alias"), page[member] === null ? {} : { [member]: page[member] })
    )
      errors[control] = errorOf(control);
  }
  page.theme = readTheme(values, errors, before.page?.theme?.logo !== undefined);
  return { errors, operation: { name, description: entered(values, "description"), settings: { page } } };
}

/** @param before a moment whose clock is as it was shown stays as it is, to the millisecond */
function readOpening(values: URLSearchParams, before: URLSearchParams, { settings }: FormView) {
  const errors: Errors = {};
  const timeZone = values.get("availability.timeZone")?.trim() || "UTC";
  if (!isTimeZone(timeZone)) errors["availability.timeZone"] = errorOf("availability.timeZone");
  const availability: Record<string, unknown> = { timeZone };
  for (const member of moments) {
    const control = `availability.${member}`;
    const names = [control, `${control}.time`, "availability.timeZone"];
    const day = values.get(control)?.trim() ?? "";
    const time = values.get(`${control}.time`)?.trim() ?? "";
    const isUnchanged = names.every((name) => (values.get(name) ?? "").trim() === before.get(name));
    const moment = isTimeZone(timeZone)
      ? momentAt(day, time || defaultTimes[member], timeZone)
      : settings.availability?.[member];
    availability[member] = isUnchanged ? (settings.availability?.[member] ?? null) : (moment ?? null);
    if (day + time !== "" && availability[member] === null) errors[control] = errorOf(control);
  }
  const { opensAt, closesAt } = availability;
  if (opensAt && closesAt && Date.parse(String(opensAt)) >= Date.parse(String(closesAt)))
    errors["availability.closesAt"] ??= words.errors.order;
  const maxSubmissions = numberIn(values, "availability.maxSubmissions");
  if (maxSubmissions !== null && isWrong(AvailabilitySettings.pick("maxSubmissions"), { maxSubmissions }))
    errors["availability.maxSubmissions"] = errorOf("availability.maxSubmissions");
  const page: Record<string, unknown> = {};
  for (const member of closedTexts) {
    const control = `page.${member}`;
    const value = entered(values, control);
    page[member] = value;
    if (value !== null && isWrong(PageSettings.pick(member), { [member]: value }))
      errors[control] = errorOf(control);
  }
  // A zone says nothing without a time.
  if (opensAt === null && closesAt === null) availability.timeZone = null;
  return { errors, operation: { settings: { availability: { ...availability, maxSubmissions }, page } } };
}

const readRules = (values: URLSearchParams) => ({
  errors: {} as Errors,
  operation: {
    settings: {
      anonymous: { enabled: values.has("anonymous") },
      captcha: { enabled: values.has("captcha") },
      challenge: { required: values.has("challenge") },
      review: { required: values.has("review") },
    },
  },
});

function readRetention(values: URLSearchParams) {
  const retention = ruleIn(values);
  const errors: Errors = isWrong(RetentionRule, retention)
    ? { "retention.count": errorOf("retention.count") }
    : {};
  return { errors, operation: { settings: { retention } } };
}

/** What a card changes. With errors, nothing may be. */
export function readCard(card: Card, values: URLSearchParams, form: FormView) {
  if (card === "page") return readPage(values, form);
  if (card === "retention") return readRetention(values);
  return card === "rules" ? readRules(values) : readOpening(values, toValues(form), form);
}
