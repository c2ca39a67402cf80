/** Differences between the published settings and the current ones. Pure. */
import { isRecord } from "../../fields/values.ts";
import { limits } from "../../limits.ts";
import type { FormSettings } from "./settings.ts";

type Settings = typeof FormSettings.infer;

/** The settings that publishing freezes, as in settings_to_publish, with their default values. */
const frozen = {
  "page.enabled": false,
  "page.alias": null,
  "page.redirectUrl": null,
  "page.embedOrigins": null,
  "page.agents": "accept",
  "page.access": "anyone",
  "page.resume.enabled": false,
  "page.resume.days": limits.resume.defaultDays,
  "page.change.until": null,
  "page.change.withdraw": false,
  "page.theme.privacyUrl": null,
  "page.theme.imprintUrl": null,
  "page.theme.contact": null,
  "anonymous.enabled": true,
  "captcha.enabled": false,
  "challenge.required": false,
  "review.required": false,
  "availability.opensAt": null,
  "availability.closesAt": null,
  "availability.maxSubmissions": null,
  "copy.field": null,
  "copy.include": "confirmation",
  "copy.subject": null,
  "copy.text": null,
  "copy.translations": null,
  "copy.receipt": false,
  "retention.deleteAfter": null,
  "retention.from": "created",
  "invitations.anonymous": false,
  "notify.recipients": null,
  "notify.include": "link",
  "notify.replyTo": null,
} as const;

type FrozenSetting = keyof typeof frozen;

/** Every setting that has a default, with it: other settings have none, or one that is another value. */
export const settingDefaults: Readonly<Record<string, unknown>> = {
  ...frozen,
  "page.layout": "steps",
  "page.askTimeZone": false,
  "page.language": "en",
  "page.embedOrigins": [],
  "page.theme.corners": "small",
  "page.theme.scheme": "auto",
  "page.theme.cover.alt": "",
  "notify.when": "each",
  "invitations.submissions": 1,
  examples: [],
};

/** `waits`: the change takes effect when a person publishes. */
export interface SettingChange {
  name: FrozenSetting;
  from: unknown;
  to: unknown;
  waits: boolean;
}

function settingValue(settings: Settings, name: FrozenSetting): unknown {
  const value = name
    .split(".")
    .reduce<unknown>((found, member) => (found as Record<string, unknown> | null)?.[member], settings);
  return value ?? frozen[name];
}

/** The order of lists and of members does not matter. An empty list equals null. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : [...value].sort();
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, normal(value[name])]));
}

/** Checks whether two values are equal. Times are compared as instants. */
const isSame = (name: FrozenSetting, a: unknown, b: unknown): boolean =>
  name.endsWith("sAt") && typeof a === "string" && typeof b === "string"
    ? Date.parse(a) === Date.parse(b)
    : JSON.stringify(normal(a)) === JSON.stringify(normal(b));

/** Settings that lead people elsewhere, or delete submissions. */
const leading: readonly FrozenSetting[] = [
  "page.redirectUrl",
  "page.embedOrigins",
  "page.theme.privacyUrl",
  "page.theme.imprintUrl",
  "page.theme.contact",
  "retention.deleteAfter",
  "retention.from",
];

/**
 * True if publishing opens the form to others, or changes where people or submitted values go, or what is
 * deleted. An address that a form gives up counts: a copy could take it.
 * @param published null: never published, so that all that is set is new
 */
export function isLeading(published: Settings | null, current: Settings): boolean {
  const sending: FrozenSetting[] =
    current.notify?.include === "values" ? ["notify.recipients", "notify.include"] : [];
  const alias = published && settingValue(published, "page.alias");
  const before = (name: FrozenSetting) => (published ? settingValue(published, name) : frozen[name]);
  const changes = (name: FrozenSetting, from: unknown, to: unknown) =>
    before(name) === from && settingValue(current, name) === to;
  const opens =
    changes("anonymous.enabled", false, true) ||
    changes("page.access", "invited", "anyone") ||
    changes("invitations.anonymous", true, false);
  return (
    opens ||
    (alias !== null && alias !== settingValue(current, "page.alias")) ||
    [...leading, ...sending].some((name) => {
      const to = settingValue(current, name);
      return normal(to) !== null && !isSame(name, before(name), to);
    })
  );
}

/**
 * @param published null: never published, so that nothing differs
 * @param inForce the stricter of the two, as SQL decided it
 */
export function settingChangesOf(
  published: Settings | null,
  current: Settings,
  inForce: Settings,
): SettingChange[] {
  if (published === null) return [];
  return (Object.keys(frozen) as FrozenSetting[]).flatMap((name) => {
    const [from, to] = [settingValue(published, name), settingValue(current, name)];
    if (isSame(name, from, to)) return [];
    return [{ name, from, to, waits: !isSame(name, to, settingValue(inForce, name)) }];
  });
}
