/** The settings of a form as the text of three HTML forms, and back, with what is wrong at which control. */

import { linesIn } from "../../../fields/choice-lines.ts";
import { isColour, readableAccent } from "../../../resources/forms/accent.ts";
import {
  AvailabilitySettings,
  PageSettings,
  RetentionRule,
  ThemeSettings,
} from "../../../resources/forms/settings.ts";
import { clockAt, isTimeZone, momentAt } from "../../../resources/forms/time-zones.ts";
import type { FormView } from "../form/form.tsx";
import { ruleIn, ruleValues } from "../form/retention.tsx";
import { formsText } from "./words.ts";

const words = formsText.settings;

export type Card = keyof typeof words.cards;

type Errors = Record<string, string>;

/** Members of `settings.page` that the card "Page" has as a text. */
const pageTexts = [
  "alias",
  "language",
  "layout",
  "thankYou",
  "title",
  "introduction",
  "submitLabel",
  "redirectUrl",
  "agents",
];
/** Those that the card "Opening" has: what people read in place of the form. */
const closedTexts = ["closedText", "fullText"];
/** Members of `settings.page.theme`. */
export const themeMembers = ["accent", "corners", "scheme", "privacyUrl", "imprintUrl", "contact"];
const moments = ["opensAt", "closesAt"] as const;
/** The time of a day without one: its beginning, or its end. */
const defaultTimes = { opensAt: "00:00", closesAt: "23:59" };

export function settingsValues({ name, description, settings }: FormView): URLSearchParams {
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

/** What is no number stays text, and is refused. */
const numberIn = (values: URLSearchParams, name: string) => {
  const value = entered(values, name)?.trim();
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : (value ?? null);
};

const isWrong = (shape: { allows(value: unknown): boolean }, value: unknown): boolean =>
  value !== null && !shape.allows(value);

/** A colour that cannot be read is refused with the nearest that can. */
const errorOf = (name: string, value?: unknown): string => {
  const { errors, page } = words;
  if (name === "theme.accent" && isColour(String(value)))
    return errors.contrast(readableAccent(String(value)));
  if (Object.hasOwn(errors, name)) return errors[name as "name"];
  return errors.tooLong(page[name.replace("page.", "") as "title"]);
};

/** Members that are one line: what stands around it is no part of it. */
const isLine = (control: string) => /^theme\.|^page\.(?:alias|redirectUrl)$/.test(control);

/** What was entered for members of a setting, and what is wrong with it. */
function readMembers(
  values: URLSearchParams,
  errors: Errors,
  prefix: "page" | "theme",
  members: readonly string[],
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const member of members) {
    const control = `${prefix}.${member}`;
    const given = entered(values, control);
    const value =
      member === "embedOrigins" ? given && linesIn(given) : isLine(control) ? given?.trim() : given;
    read[member] = value ?? null;
    const shape =
      prefix === "page" ? PageSettings.pick(member as "alias") : ThemeSettings.pick(member as "accent");
    if (value != null && isWrong(shape, { [member]: value })) errors[control] = errorOf(control, value);
  }
  return read;
}

function readPage(values: URLSearchParams, { settings: before }: FormView) {
  const errors: Errors = {};
  const name = values.get("name")?.trim() ?? "";
  if (name === "") errors.name = words.errors.name;
  const page = readMembers(values, errors, "page", [...pageTexts, "embedOrigins"]);
  const theme = readMembers(values, errors, "theme", themeMembers);
  // A theme without anything else stays for its logo.
  const hasTheme = before.page?.theme?.logo || Object.values(theme).some((value) => value !== null);
  const settings = { page: { ...page, theme: hasTheme ? theme : null } };
  return { errors, operation: { name, description: entered(values, "description"), settings } };
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
  const page = readMembers(values, errors, "page", closedTexts);
  // The default, unless there is a time that it was entered for.
  if (opensAt === null && closesAt === null && timeZone === "UTC") availability.timeZone = null;
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
  return card === "rules" ? readRules(values) : readOpening(values, settingsValues(form), form);
}
