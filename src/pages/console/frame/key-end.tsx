/** End of a new key: a choice, or a day. */

import { momentAt } from "../../../fields/time-zones.ts";
import { dayEnd } from "../../../platform/http/shapes.ts";
import { Select } from "../../ui/controls.tsx";
import { Time } from "../../ui/text.tsx";
import { DayInput, readValue } from "./entered-value.tsx";
import { type FormControl, Wrong } from "./form.tsx";
import { ZoneInput, zoneIn } from "./list-page.tsx";
import { frameText } from "./words.ts";

const words = frameText.keyEnd;
const dayMs = 86_400_000;

const days = new Map([30, 90, 365].map((count) => [String(count), count]));
const choices = () => [
  { value: "never", label: words.whenRevoked },
  { value: "30", label: words.inDays(30) },
  { value: "90", label: words.inDays(90) },
  { value: "365", label: words.inAYear },
  { value: "date", label: words.onADay },
];

/** Without `:has` in the browser the day is shown beside every choice. */
const EndInputs = () => (
  <div class="key-end">
    <Select name="ends" label={words.label} choices={choices()} value="never" />
    <div class="stacked">
      <DayInput name="endsOn" label={words.day} hint={words.dayHint} />
      <ZoneInput />
    </div>
  </div>
);

/** The end of a key; null: never. */
export const keyEnd: FormControl<Date | null> = {
  draw: () => <EndInputs />,
  read: (values) => {
    const ends = values.get("ends") ?? "never";
    if (ends === "never") return null;
    const count = days.get(ends);
    if (count !== undefined) return new Date(Date.now() + count * dayMs);
    const zone = zoneIn(values);
    if (zone instanceof Wrong) return zone;
    const day = readValue("date", values.get("endsOn") ?? "", words.day);
    if (day instanceof Wrong) return day;
    const next = ends === "date" ? dayEnd(String(day)) : undefined;
    const end = momentAt(next?.toISOString().slice(0, 10) ?? "", "00:00", zone);
    return end ? new Date(end) : new Wrong(words.dayMissing);
  },
};

interface Key {
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Absent: it never ends. */
  expiresAt?: Date | null;
}

export const hasEnded = ({ expiresAt }: Pick<Key, "expiresAt">): boolean =>
  expiresAt != null && expiresAt.getTime() <= Date.now();

export const KeyTimes = ({ created, times: key }: { created: string; times: Key }) => (
  <small>
    {created} <Time at={key.createdAt} />
    {" · "}
    {key.lastUsedAt ? (
      <>
        {words.lastUsed} <Time at={key.lastUsedAt} />
      </>
    ) : (
      words.never
    )}
    {key.expiresAt && (
      <>
        {" · "}
        {hasEnded(key) ? words.ended : words.ends} <Time at={key.expiresAt} />
      </>
    )}
  </small>
);
