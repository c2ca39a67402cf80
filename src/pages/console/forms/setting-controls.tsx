/** Controls of a form's settings. The name of a control is the path of its setting. */
import type { Type } from "arktype";
import { clockAt, momentAt } from "../../../fields/time-zones.ts";
import type { FormSettings } from "../../../resources/forms/settings.ts";
import { type Errors, Input, useErrors } from "../../ui/controls.tsx";
import { DayInput, readValue } from "../frame/entered-value.tsx";
import type { ConsoleForm, FormControl } from "../frame/form.tsx";
import { checkbox, oneOf, shownValues, textInput, Wrong } from "../frame/form.tsx";
import type { Refused } from "../frame/layout.tsx";
import { zoneIn } from "../frame/list-page.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.settings;

type Settings = typeof FormSettings.infer;

/** Values by the names of their controls. The server checks the patch that they become. */
export type SettingValues = Record<string, unknown>;
export type SettingsForm = ConsoleForm<SettingValues>;

export interface SettingControl<Value = unknown> extends FormControl<Value> {
  /** Names of its inputs. Absent: it has one, with its own name. */
  inputs?: readonly string[];
  /** Names of inputs of other controls that decide its value too. */
  also?: readonly string[];
  /** Names of texts that it shows without an input, which tell one value from another. */
  marks?: readonly string[];
  /** Sentence about a change by another person, in place of the one that says what is set now. */
  conflict?: string;
  /** Texts of its choices, by their values. */
  choices?: Readonly<Record<string, string>>;
}
export type SettingControls = Readonly<Record<string, SettingControl>>;

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

/** Returns the texts that controls show for settings. */
export const shownSettings = (controls: SettingControls, settings: Settings): URLSearchParams =>
  shownValues(
    { controls },
    Object.fromEntries(Object.keys(controls).map((name) => [name, valueAt(settings, pathOf(name))])),
  );

/** Hidden field with the texts that the page showed before anything was entered. */
export const shownField = "shown";

/** Returns the texts that a page showed before its post. Undefined: the post does not say. */
export function shownBefore(values: URLSearchParams): URLSearchParams | undefined {
  const shown = values.get(shownField);
  return shown === null ? undefined : new URLSearchParams(shown);
}

const textAt = (texts: URLSearchParams | undefined, input: string): string =>
  (texts?.getAll(input) ?? []).join("\n").replaceAll("\r\n", "\n");

/** True if a post has another text in an input than its page showed. */
export const isAltered = (values: URLSearchParams, input: string, before = shownBefore(values)): boolean =>
  textAt(values, input) !== textAt(before, input);

const inputsOf = ({ inputs, also = [] }: SettingControl, name: string): string[] => [
  ...(inputs ?? [name]),
  ...also,
];

const shownBy = (control: SettingControl, name: string): string[] => [
  ...inputsOf(control, name),
  ...(control.marks ?? []),
];

/** Returns the controls of which a text differs from the one before. */
export const alteredControls = (
  controls: SettingControls,
  values: URLSearchParams,
  before = shownBefore(values),
  textsOf = inputsOf,
): SettingControls =>
  Object.fromEntries(
    Object.entries(controls).filter(([name, control]) =>
      textsOf(control, name).some((text) => isAltered(values, text, before)),
    ),
  );

/**
 * Returns the sentences about entered settings that another person has changed since the page was shown.
 * @param now texts of the current settings
 */
export function conflictsOf(
  controls: SettingControls,
  values: URLSearchParams,
  now: URLSearchParams,
): Errors {
  const before = shownBefore(values);
  if (!before) return {};
  const changed = alteredControls(alteredControls(controls, values), now, before, shownBy);
  return Object.fromEntries(
    Object.entries(changed).map(([name, { inputs = [name], choices = {}, conflict }]) => {
      const texts = inputs.map((input) => choices[textAt(now, input)] ?? textAt(now, input));
      return [name, conflict ?? words.errors.conflict(texts.filter(Boolean).join(" ") || words.unset)];
    }),
  );
}

/**
 * Returns the texts that a page which is shown again compares with: those before the post, and the current
 * ones of the controls that conflict.
 */
export function shownAgain(controls: SettingControls, refused: Refused | undefined, now: URLSearchParams) {
  const before = refused && shownBefore(refused.values);
  if (!before) return now;
  if (refused.problem?.code === "conflict")
    for (const [name, control] of Object.entries(controls))
      if (refused.errors[name] !== undefined)
        for (const shown of shownBy(control, name)) {
          before.delete(shown);
          for (const text of now.getAll(shown)) before.append(shown, text);
        }
  return before;
}

/** Returns a group of settings with a value at a path in it. */
const withValue = (
  group: SettingValues | undefined,
  [member = "", ...path]: readonly string[],
  value: unknown,
): SettingValues => ({
  ...group,
  [member]: path.length === 0 ? value : withValue(group?.[member] as SettingValues | undefined, path, value),
});

/** Groups without an effect, each by the member that it is about. */
const mainMembers = { notify: "recipients", copy: "field" } as const;

/** Returns entered settings as a merge patch. An empty theme is removed, as are mails without recipients. */
export function patchOf(values: SettingValues, before: Settings): SettingValues {
  const patch = Object.entries(values).reduce<SettingValues>(
    (group, [name, value]) => withValue(group, pathOf(name), value),
    {},
  );
  const { theme } = (patch.page ?? {}) as SettingValues;
  const kept = Object.values({ ...before.page?.theme, ...(theme as object) });
  if (theme && kept.every((value) => value === null)) (patch.page as SettingValues).theme = null;
  for (const [group, member] of Object.entries(mainMembers)) {
    const merged: SettingValues = { ...(before[group] as object), ...(patch[group] as object) };
    if (patch[group] && merged[member] == null) patch[group] = null;
  }
  return patch;
}

/** One of several texts. Null: no text was chosen. The first is chosen where nothing, or another, is set. */
export function choiceOf(...[choices, select]: Parameters<typeof oneOf>): SettingControl<string | null> {
  const { read, ...control } = oneOf(choices, select);
  const [first = ""] = Object.keys(choices);
  return {
    ...control,
    choices,
    read: (values, name) => (values.get(name) ? read(values, name) : null),
    show: (value, name) => [[name, Object.hasOwn(choices, value ?? "") ? (value ?? "") : first]],
  };
}

/**
 * A text that is parsed to a value. Null: it is empty. A list is shown as lines.
 * @param parse may return an invalid value, which the shape refuses, or the sentence about the text
 */
export const parsedInput = <Value,>(
  shape: { allows: (value: unknown) => boolean },
  parse: (text: string) => unknown,
  { wrong, ...input }: Parameters<typeof textInput>[0] & { wrong: string },
): SettingControl<Value | null> => ({
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
export const checkboxOf = (label: string, isDefault = false, hint?: string): SettingControl<boolean> => ({
  ...checkbox({ label, hint }),
  choices: { "": words.off, true: words.on },
  show: (value, name) => ((value ?? isDefault) ? [[name, "true"]] : []),
});

const zoneName = "availability.timeZone";

/** Time zone in which moments are shown and entered. Null: the default. The page's script offers its own. */
export const zoneControl: SettingControl<string | null> = {
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
): SettingControl<string | null> {
  const shown = clockAt(before ?? "", zone);
  const name = `availability.${member}`;
  return {
    inputs: [name, `${name}.time`],
    also: [zoneName],
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
