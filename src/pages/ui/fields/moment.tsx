import { controlName, momentParts, type Values } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { perLocale } from "../../../fields/spelling.ts";
import { instantsOf } from "../../../fields/time-zones.ts";
import { Input, Select } from "../controls.tsx";
import { Group } from "./group.tsx";
import { commonOf, type ShownProps } from "./props.ts";

/** Offsets from UTC that are in use somewhere (IANA time zone database). */
const offsets =
  "-12:00 -11:00 -10:00 -09:30 -09:00 -08:00 -07:00 -06:00 -05:00 -04:00 -03:30 -03:00 -02:30 -02:00 -01:00 Z +01:00 +02:00 +03:00 +03:30 +04:00 +04:30 +05:00 +05:30 +05:45 +06:00 +06:30 +07:00 +08:00 +08:45 +09:00 +09:30 +10:00 +10:30 +11:00 +12:00 +12:45 +13:00 +13:45 +14:00".split(
    " ",
  );

/** Time zones for people, such as Central European Time (Berlin). */
const zoneNamesIn = perLocale((locale) =>
  perLocale((timeZone) => {
    const city = timeZone.split("/").at(-1)?.replaceAll("_", " ") ?? timeZone;
    const name = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "longGeneric" })
      .formatToParts()
      .find(({ type }) => type === "timeZoneName")?.value;
    return timeZone.includes("/") ? `${name} (${city})` : timeZone;
  }),
);

const choiceOf = (offset: string) => ({
  value: offset,
  label: offset === "Z" ? "UTC" : `UTC${offset.replace("-", "−")}`,
});

/** True for a value without the two parts, such as one with lower-case letters, which has one input. */
export const isWholeMoment = ({ id }: Pick<Field, "id">, shown: Values): boolean =>
  shown.has(controlName(id));

/**
 * Date and time in the zone of the page, with a choice of the offset if the clock is put back then; without a
 * zone local to the respondent, with its offset from UTC.
 */
export const Moment = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const [local, zone] = momentParts.map((part) => controlName(field.id, part)) as [string, string];
  const offset = shown.get(zone) || "Z";
  const choices = [...new Set([...offsets, offset])].map(choiceOf);
  if (isWholeMoment(field, shown))
    return <Input {...commonOf(props)} value={shown.get(controlName(field.id)) ?? ""} />;
  const input = { name: local, type: "datetime-local", step: "any", value: shown.get(local) ?? "" } as const;
  const { timeZone, locale } = words;
  if (timeZone !== undefined) {
    const inZone = words.moment.inZone(zoneNamesIn(locale ?? "en")(timeZone));
    const common = commonOf({ ...props, hints: [...(props.hints ?? []), inZone] });
    const repeated = instantsOf(input.value, timeZone).map((instant) =>
      choiceOf(instant.slice(input.value.length)),
    );
    return (
      <>
        <Input {...common} {...input} />
        {repeated.length > 1 && (
          <Select
            name={zone}
            label={words.moment.zone}
            scope={scope}
            value={shown.get(zone) ?? ""}
            none="–"
            choices={repeated}
            class="zone"
          />
        )}
      </>
    );
  }
  return (
    <Group {...props} class="moment">
      <Input {...input} label={words.moment.local} scope={scope} invalid={error !== undefined} />
      <Select
        name={zone}
        label={words.moment.zone}
        scope={scope}
        value={offset}
        choices={choices}
        class="zone"
      />
    </Group>
  );
};
