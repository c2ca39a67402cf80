/** Controls of a form's settings. The name of a control is the path of its setting. */
import type { Type } from "arktype";
import { clockAt, momentAt } from "../../../fields/time-zones.ts";
import type { FormSettings } from "../../../resources/forms/settings.ts";
import { Input, useErrors } from "../../ui/controls.tsx";
import { DayInput, readValue } from "../frame/entered-value.tsx";
import type { ConsoleForm, FormControl } from "../frame/form.tsx";
import { checkbox, oneOf, shownValues, textInput, Wrong } from "../frame/form.tsx";
import { zoneIn } from "../frame/list-page.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.settings;

type Settings = typeof FormSettings.infer;

/** Values by the names of their controls. The server checks the patch that they become. */
export type SettingValues = Record<string, unknown>;
export type SettingsForm = ConsoleForm<SettingValues>;

/** Paths of controls with another name. */
const paths: Readonly<Record<string, string>> = {
  anonymous: "anonymous.enabled",
  captcha: "captcha.enabled",
  challenge: "challenge.required",
  review: "review.required",
  "retention.count": "retention",
};

const pathOf = (name: string): string[] =>
  (paths[name] ?? name.replace(/^theme\./, "page.theme.")).split(".");

const valueAt = (settings: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((group, member) => (group as SettingValues | undefined)?.[member], settings);

/** Returns the texts that controls show. @param present the settings, or the part that the form is about */
export const shownSettings = (of: SettingsForm, present: unknown): URLSearchParams =>
  shownValues(
    of,
    Object.fromEntries(Object.keys(of.controls).map((name) => [name, valueAt(present, pathOf(name))])),
  );

/** Returns a group of settings with a value at a path in it. */
const withValue = (
  group: SettingValues | undefined,
  [member = "", ...path]: readonly string[],
  value: unknown,
): SettingValues => ({
  ...group,
  [member]: path.length === 0 ? value : withValue(group?.[member] as SettingValues | undefined, path, value),
});

/** Returns the entered settings as a merge patch. A theme that has only a logo stays. */
export function patchOf(values: SettingValues, before: Settings): SettingValues {
  const theme = Object.keys(values).filter((name) => name.startsWith("theme."));
  const hasTheme = before.page?.theme?.logo || theme.some((name) => values[name] !== null);
  const all = { ...values, ...(theme.length > 0 && !hasTheme && { "page.theme": null }) };
  return Object.entries(all).reduce<SettingValues>(
    (group, [name, value]) => withValue(group, pathOf(name), value),
    {},
  );
}

/** One of several texts. Null: no text was chosen. */
export const choiceOf = (...[choices, select]: Parameters<typeof oneOf>): FormControl<string | null> => {
  const { read, ...control } = oneOf(choices, select);
  return { ...control, read: (values, name) => (values.get(name) ? read(values, name) : null) };
};

/**
 * A text that is parsed to a value. Null: it is empty. A list is shown as lines.
 * @param parse may return an invalid value, which the shape refuses, or the sentence about the text
 */
export const parsedInput = <Value,>(
  shape: { allows: (value: unknown) => boolean },
  parse: (text: string) => unknown,
  { wrong, ...input }: Parameters<typeof textInput>[0] & { wrong: string },
): FormControl<Value | null> => ({
  ...textInput(input),
  read: (values, name) => {
    const text = values.get(name)?.trim();
    const value = text ? parse(text) : null;
    if (value === null || value instanceof Wrong) return value;
    return shape.allows(value) ? (value as Value) : new Wrong(wrong);
  },
  show: (value, name) => (value == null ? [] : [[name, [value].flat().join("\n")]]),
});

/** Returns the shapes of a group's members. Unlike `get` of arktype, it makes no new types. */
export const shapesOf = <Group extends { infer: object; props: readonly unknown[] }>({ props }: Group) =>
  Object.fromEntries((props as { key: string; value: unknown }[]).map(({ key, value }) => [key, value])) as {
    [Member in keyof Group["infer"]]-?: Type<NonNullable<Group["infer"][Member]>>;
  };

/** @param isDefault true if it is on without a setting */
export const checkboxOf = (label: string, isDefault = false): FormControl<boolean> => ({
  ...checkbox({ label }),
  show: (value, name) => ((value ?? isDefault) ? [[name, "true"]] : []),
});

const zoneName = "availability.timeZone";

/** Time zone in which moments are shown and entered. Null: the default. The page's script offers its own. */
export const zoneControl: FormControl<string | null> = {
  draw: (name) => <Input name={name} data-offers-zone label={words.timeZone} hint={words.timeZoneHint} />,
  read: (values, name) => (values.get(name)?.trim() ? zoneIn(values, name) : null),
};

/** A day and a time beside each other; a message is about both. */
const MomentInputs = ({ name, label }: { name: string; label: string }) => (
  <div class="inline">
    <DayInput name={name} label={`${label}: ${words.day}`} />
    <Input
      name={`${name}.time`}
      type="time"
      label={`${label}: ${words.time}`}
      invalid={useErrors()[name] !== undefined}
    />
  </div>
);

/**
 * A moment, entered as a day and a time of the form's zone. An unchanged entry keeps the moment, to the
 * millisecond.
 * @param defaultTime of a day without one
 */
export function momentControl(
  member: "opensAt" | "closesAt",
  { timeZone: zone = "UTC", [member]: before }: NonNullable<Settings["availability"]> = {},
  defaultTime: string,
): FormControl<string | null> {
  const shown = clockAt(before ?? "", zone);
  return {
    draw: (name) => <MomentInputs name={name} label={words[member]} />,
    read: (values, name) => {
      const [day = "", time = ""] = [name, `${name}.time`].map((part) => values.get(part)?.trim());
      const entered = zoneControl.read(values, zoneName);
      // An invalid time zone has its own error.
      const timeZone = entered instanceof Wrong ? zone : (entered ?? "UTC");
      if (day === shown.day && time === shown.time && timeZone === zone) return before ?? null;
      if (day + time === "") return null;
      const parts = [
        readValue("date", day, words[member]),
        readValue("time", time || defaultTime, words[member]),
      ];
      const [on, at] = parts;
      return (
        parts.find((part) => part instanceof Wrong) ??
        momentAt(String(on), String(at), timeZone) ??
        new Wrong(frameText.controls.moment)
      );
    },
    show: (_, name) => [
      [name, shown.day],
      [`${name}.time`, shown.time],
    ],
  };
}
