/** The settings of a form that formd knows, and their patch (RFC 7396). Others are stored unchanged. */
import { type Type, type } from "arktype";
import { isRecord } from "../../fields/definition.ts";
import { isEmail, isHttpUrl } from "../../fields/formats.ts";
import { maxTagLength } from "../../fields/languages.ts";
import { isTimeZone } from "../../fields/time-zones.ts";
import { limits } from "../../limits.ts";
import type { Documentation } from "../../platform/http/documented.ts";
import { InstantText, isUuid, JsonObject } from "../../platform/http/shapes.ts";
import { isColour, readableAccent } from "./accent.ts";
import { Example, Examples } from "./examples.ts";
import { isPictureUrl } from "./pictures.ts";

const { formPage } = limits;

/** Languages of the pages' texts, also in the console. The first one is the default. */
export const pageLanguages = ["en", "de"] as const;

/** Never matches an id in `/f/{id}`, which has 43 characters. */
export const Alias = type(
  new RegExp(`^[a-z0-9][a-z0-9-]{${formPage.minAliasLength - 2},${formPage.maxAliasLength - 2}}[a-z0-9]$`),
).describe(
  `an alias of ${formPage.minAliasLength} to ${formPage.maxAliasLength} lower-case letters, digits and inner hyphens`,
);

/** Has a pattern, since `URL` accepts `;` in a host, which ends a directive of a Content-Security-Policy. */
export const SiteOrigin = type(/^https?:\/\/[a-z0-9.-]+(?::\d+)?$/)
  .narrow((text) => URL.canParse(text) && new URL(text).origin === text)
  .describe("an origin such as https://www.example.org");

const HttpUrl = type.string
  .atMostLength(formPage.maxRedirectUrlLength)
  .narrow((text) => {
    if (!isHttpUrl(text)) return false;
    const { origin, username, password } = new URL(text);
    return SiteOrigin.allows(origin) && username === "" && password === "";
  })
  .describe(
    `an http or https URL of at most ${formPage.maxRedirectUrlLength} characters, whose host has letters, digits, dots and hyphens, without a user or a password`,
  );

/** An address, or the id of an operator with a role in the form's workspace. */
const Recipient = type.string
  .narrow((text) => isEmail(text) || isUuid(text))
  .describe("an e-mail address, or the id of an operator");

const Accent = type("string").narrow((text, context) => {
  if (!isColour(text)) return context.mustBe("a colour such as #1f5c41");
  const readable = readableAccent(text);
  return (
    readable === text.toLowerCase() ||
    context.mustBe(`a colour with a contrast of 4.5 to 1 on white: the nearest is ${readable}`)
  );
});

export const LookSettings = type({
  "accent?": Accent,
  "corners?": "'none' | 'small' | 'round'",
  "scheme?": "'auto' | 'light' | 'dark'",
});

/** A picture, and its text alternative. */
export const LogoSettings = type({
  "+": "reject",
  src: type("string")
    .narrow((text) => isPictureUrl(text, formPage.maxLogoBytes))
    .describe(`a data: URL in base64 of a PNG, JPEG or WebP of at most ${formPage.maxLogoBytes} bytes`),
  alt: type.string.atLeastLength(1).atMostLength(formPage.maxLogoTextLength),
});

/** A picture above the form. Without a text it is decoration. */
export const CoverSettings = type({
  "+": "reject",
  src: type("string")
    .narrow((text) => isPictureUrl(text, formPage.maxCoverBytes))
    .describe(`a data: URL in base64 of a PNG, JPEG or WebP of at most ${formPage.maxCoverBytes} bytes`),
  "alt?": type.string.atMostLength(formPage.maxLogoTextLength),
});

export const ThemeSettings = LookSettings.and({
  "logo?": LogoSettings,
  "cover?": CoverSettings,
  "privacyUrl?": HttpUrl,
  "imprintUrl?": HttpUrl,
  "contact?": type("string")
    .narrow((text) => isEmail(text) || HttpUrl.allows(text))
    .describe("an e-mail address, or an http or https URL"),
});

/** Whole days, weeks, months or years, of at most {@link limits.retention.maxYears}. */
const Duration = type("string")
  .narrow((text) => {
    const [, count, unit = ""] = /^P([1-9]\d{0,4})([DWMY])$/.exec(text) ?? [];
    return Number(count) <= ({ D: 365, W: 52, M: 12, Y: 1 }[unit] ?? 0) * limits.retention.maxYears;
  })
  .describe(
    `whole days, weeks, months or years such as P90D or P1Y (ISO 8601), at most P${limits.retention.maxYears}Y`,
  );

/** Links by which respondents continue a form later. */
export const ResumeSettings = type({
  "enabled?": "boolean",
  "days?": type("number.integer >= 1").atMost(limits.resume.maxDays),
});

/** Links by which respondents change what they sent. */
export const ChangeSettings = type({
  "until?": type("'closes'").or(Duration),
  "withdraw?": "boolean",
});

/** Texts of the page and of the copy in other languages, by language. Publishing checks the members. */
const Translations = type({ "[string]": "null | object" });

export const PageSettings = type({
  "enabled?": "boolean",
  "title?": type.string.atMostLength(formPage.maxTitleLength),
  "introduction?": type.string.atMostLength(formPage.maxTextLength),
  "layout?": "'single' | 'steps'",
  "submitLabel?": type.string.atMostLength(formPage.maxLabelLength),
  "thankYou?": type.string.atMostLength(formPage.maxTextLength),
  "closedText?": type.string.atMostLength(formPage.maxTextLength),
  "fullText?": type.string.atMostLength(formPage.maxTextLength),
  "offlineText?": type.string.atMostLength(formPage.maxTextLength),
  "redirectUrl?": HttpUrl,
  "language?": type.enumerated(...pageLanguages),
  "askTimeZone?": "boolean",
  "translations?": Translations,
  "embedOrigins?": SiteOrigin.array().atMostLength(formPage.maxEmbedOrigins),
  "alias?": Alias,
  "agents?": "'accept' | 'refuse'",
  "access?": "'anyone' | 'invited'",
  // Keeps unknown members, as the groups do.
  "theme?": JsonObject.and(ThemeSettings),
  "resume?": JsonObject.and(ResumeSettings),
  "change?": JsonObject.and(ChangeSettings),
});

const TimeZone = type("string")
  .narrow((name) => isTimeZone(name))
  .describe("a time zone such as Europe/Berlin");

export const AvailabilitySettings = type({
  "opensAt?": InstantText,
  "closesAt?": InstantText,
  "maxSubmissions?": type("number.integer >= 1").atMost(limits.availability.maxSubmissions),
  "timeZone?": TimeZone,
});

export const NotifySettings = type({
  "recipients?": Recipient.array().atMostLength(limits.mail.maxRecipients),
  "when?": "'each' | 'hourly' | 'daily'",
  "include?": "'link' | 'values'",
  "replyTo?": type.string.atLeastLength(1).atMostLength(limits.form.maxFieldIdLength),
});

export const CopySettings = type({
  "field?": type.string.atLeastLength(1).atMostLength(limits.form.maxFieldIdLength),
  "include?": "'confirmation' | 'values'",
  "subject?": type(/^[^\p{Cc}\u2028\u2029]+$/u).to(type.string.atMostLength(limits.mail.maxSubjectLength)),
  "text?": type.string.atMostLength(limits.mail.maxTextLength),
  "receipt?": "boolean",
  "translations?": Translations,
});

export const RetentionRule = type({
  "+": "reject",
  deleteAfter: Duration,
  "from?": "'completed' | 'created'",
});

const RetentionSettings = type({ "deleteAfter?": Duration, "from?": "'completed' | 'created'" });

/** One submission per invitation: another number is not possible yet. */
const InvitationSettings = type({ "submissions?": "1", "anonymous?": "boolean" });

const Toggle = type({ "enabled?": "boolean" });
const Requirement = type({ "required?": "boolean" });

/** Tags that are no BCP 47, or stand twice, are stored: publishing refuses them. */
const Languages = type(`1 <= string <= ${maxTagLength}`)
  .array()
  .atLeastLength(1)
  .atMostLength(limits.form.maxLanguages)
  .describe(`a list of 1 to ${limits.form.maxLanguages} languages such as "de" (BCP 47)`);

/** Names of the texts that `translations` may have, in the order in which people read them. */
export const settingMembers = {
  page: ["title", "introduction", "submitLabel", "thankYou", "closedText", "fullText", "offlineText"],
  copy: ["subject", "text"],
} as const;

/** The shapes of these texts: those of the first language. */
export const translatedTexts = {
  page: PageSettings.pick(...settingMembers.page),
  copy: CopySettings.pick(...settingMembers.copy),
};

const known = {
  captcha: Toggle,
  anonymous: Toggle,
  challenge: Requirement,
  review: Requirement,
  page: PageSettings,
  availability: AvailabilitySettings,
  notify: NotifySettings,
  copy: CopySettings,
  retention: RetentionSettings,
  invitations: InvitationSettings,
};

/** The members of `page` that are objects of known members themselves. */
const pageParts = { theme: ThemeSettings, resume: ResumeSettings, change: ChangeSettings };

const namesIn = ({ props }: { props: readonly unknown[] }) =>
  (props as readonly { key: string }[]).map(({ key }) => key);

/** The groups of settings. */
export const settingGroups: readonly string[] = [...Object.keys(known), "languages", "examples"];

/** The objects in settings, with the names of their members. */
export const settingPlaces: readonly { path: readonly string[]; known: readonly string[] }[] = [
  ...Object.entries(known).map(([name, shape]) => ({ path: [name], known: namesIn(shape) })),
  ...Object.entries(pageParts).map(([name, shape]) => ({ path: ["page", name], known: namesIn(shape) })),
];

/** Names of the members of an example. */
export const exampleMembers = { example: namesIn(Example), expect: namesIn(Example.get("expect")) };

/** The four switches: the name of each, and the name of the others, which is understood. */
const switches = [
  ["captcha", "enabled", "required"],
  ["anonymous", "enabled", "required"],
  ["challenge", "required", "enabled"],
  ["review", "required", "enabled"],
] as const;

/** The name of a switch by the one that is understood for it; undefined: there is none. */
export const switchNamed = (group: string | undefined, other: string): string | undefined =>
  switches.find((each) => each[0] === group && each[2] === other)?.[1];

/** Gives the switches in settings, or in a patch of them, their names. Both names, or a null: unchanged. */
export function withNamedSwitches<Settings>(settings: Settings): Settings {
  if (!isRecord(settings)) return settings;
  const named = switches.flatMap(([group, name, other]) => {
    const { [other]: value, ...members } = isRecord(settings[group]) ? settings[group] : {};
    return typeof value === "boolean" && !(name in members) ? [[group, { ...members, [name]: value }]] : [];
  });
  return named.length > 0 ? { ...settings, ...Object.fromEntries(named) } : settings;
}

/** Returns the paths of a switch that stands under both of its names, its own first. */
export function twiceNamedSwitch(settings: unknown): [own: string, other: string] | undefined {
  const found = switches.find(([group, ...names]) => {
    const members = isRecord(settings) && Object.hasOwn(settings, group) ? settings[group] : undefined;
    return isRecord(members) && names.every((name) => Object.hasOwn(members, name));
  });
  return found && [`${found[0]}.${found[1]}`, `${found[0]}.${found[2]}`];
}

/** A member of a merge patch, which null removes. */
function orNull(shape: Type): Type {
  const either = shape.or("null");
  const list = shape.description.startsWith("a list ") ? shape.description : "a list";
  return shape.extends("unknown[]") ? either.configure({ description: `${list}, or null` }, "self") : either;
}

/** The members of a settings group in a merge patch. */
const patchOf = (shape: Type<object>): Type<unknown> =>
  JsonObject.and(
    (shape as typeof PageSettings).map(
      (member) =>
        ({
          ...member,
          value:
            (member.key as string) in pageParts
              ? patchOf(pageParts[member.key as keyof typeof pageParts])
              : orNull(member.value as Type),
        }) as never,
    ),
  ).or("null") as never;

export const SettingsPatch = JsonObject.and({
  "examples?": orNull(Examples),
  "languages?": orNull(Languages),
  ...Object.fromEntries(Object.entries(known).map(([name, shape]) => [`${name}?`, patchOf(shape)])),
});

export const FormSettings = JsonObject.and({
  "examples?": Examples,
  "languages?": Languages,
  "captcha?": JsonObject.and(known.captcha),
  "anonymous?": JsonObject.and(known.anonymous),
  "challenge?": JsonObject.and(known.challenge),
  "review?": JsonObject.and(known.review),
  "page?": JsonObject.and(known.page),
  "availability?": JsonObject.and(known.availability),
  "notify?": JsonObject.and(known.notify),
  "copy?": JsonObject.and(known.copy),
  "retention?": JsonObject.and(known.retention),
  "invitations?": JsonObject.and(known.invitations),
});

export const isMailed = ({ notify, copy }: typeof FormSettings.infer): boolean =>
  (notify?.recipients ?? []).length > 0 || copy?.field !== undefined;

export const settingsDocumentation: Documentation<typeof FormSettings.infer> = {
  text: "As the last patch left them. Unknown settings are kept unchanged.",
  members: {
    examples: `At most ${limits.form.maxExamples} payloads with what the form says about them. Publishing runs them, and refuses with the difference.`,
    languages: `At most ${limits.form.maxLanguages} languages of the form (BCP 47), its texts' own first; the others are in \`translations\`. It waits for publishing. Absent: one, \`page.language\`.`,
    captcha: "`enabled`: an anonymous session requires a CAPTCHA.",
    anonymous: "`enabled: false`: no anonymous sessions.",
    challenge: "`required`: an agent must hold a challenge pass to submit.",
    review: "`required`: a submission is `pending` until an owner completes it.",
    page: {
      text: "The form's page for respondents, `/f/{id}`. It is off unless `enabled` is true.",
      members: {
        title: "Default: the form's name.",
        introduction: "Default: the form's description.",
        layout:
          "`steps`: a `page_break` begins a new step, and the answers can be checked before they are sent. `single`: all on one page, as with a CAPTCHA, or on a server without a master key. Default: `steps`.",
        submitLabel: "The text of the button that submits.",
        thankYou: "Shown after the submission, unless `redirectUrl` is set.",
        closedText: "Shown once the form is closed. Default: says when it was.",
        fullText: "Shown once the form is full, by `availability.maxSubmissions`. Default: says so.",
        offlineText: "Shown while the page of a form that was online is not. Default: says so.",
        redirectUrl: { text: "Opened after the submission.", schema: { format: "uri" } },
        language:
          'Of the page\'s own texts, and of the numbers and days on it. Default: `en`. With `languages` it has no effect: `["fr"]` there is a page in French.',
        translations:
          "By language: `title`, `introduction`, `submitLabel`, `thankYou`, `closedText`, `fullText`, `offlineText`. A text without a translation is shown in the form's first language.",
        askTimeZone:
          "`true`: people are in several time zones, so a `datetime` asks for its own. Default: it is in that of the form, `availability.timeZone`, if the form has one.",
        embedOrigins: "Origins whose pages may show the form's page in an iframe. Default: none.",
        alias:
          "Also the page's address, `/f/{alias}`. Unique in the installation: another form's is a `conflict`.",
        agents:
          "`refuse`: a program that declares itself by a Web Bot Auth signature cannot send the page. Default: `accept`, which stores its origin.",
        access:
          "`invited`: the page opens by an invitation's link alone, and there are no anonymous sessions. Agents and API keys submit as their rights say. Default: `anyone`.",
        resume: {
          text: "Respondents can save the page and continue later, by a link.",
          members: {
            enabled:
              "Default: false. Without it no new draft is saved; those that exist open until they end.",
            days: `How long a draft is kept, 1 to ${limits.resume.maxDays} days. Default: ${limits.resume.defaultDays}.`,
          },
        },
        change: {
          text: "Respondents can change what they sent, by a link, until it is reviewed.",
          members: {
            until:
              "From the completion on: whole days, weeks, months or years, as `P2D`. `closes`: until `availability.closesAt`. Absent: no changes.",
            withdraw: "`true`: they can take the submission back, which deletes it. Default: false.",
          },
        },
        theme: {
          text: "The look of the page.",
          members: {
            accent:
              "The colour of buttons and links, with a contrast of 4.5 to 1 on white. It is lighter on dark pages.",
            corners: "Default: `small`.",
            scheme: "`auto`: light or dark as people have set it. Default: `auto`.",
            logo: {
              text: `Above the title: \`src\`, a \`data:\` URL of a PNG, JPEG or WebP of at most ${formPage.maxLogoBytes} bytes, as its content says; no SVG. \`alt\` is read where it cannot be seen.`,
            },
            cover: {
              text: `Above the form on its first page: \`src\`, as that of \`logo\`, of at most ${formPage.maxCoverBytes} bytes. Default of \`alt\`: empty, for a decoration.`,
            },
            privacyUrl: { text: "A link at the foot of the page.", schema: { format: "uri" } },
            imprintUrl: { text: "The same.", schema: { format: "uri" } },
            contact: "The same, or an e-mail address.",
          },
        },
      },
    },
    notify: {
      text: "Mail of new submissions, where the server sends mail. It takes effect at once, but for values to an address that is no operator's: they wait for publishing.",
      members: {
        recipients: `At most ${limits.mail.maxRecipients}: addresses, or ids of operators, who get it as long as they have a role in the workspace. Who unsubscribes is taken out.`,
        when: "`each`: a mail per submission. `hourly`, `daily`: one with their number. Default: `each`.",
        include:
          "`values`: with the values of the submission, except sensitive ones; only with `each`. Default: `link`, to the console.",
        replyTo:
          "The field, of type `email` and not sensitive, whose address an answer to the mail goes to; only with `include: values`. It waits for publishing.",
      },
    },
    copy: {
      text: "A mail to the respondent, in the language of the page, where the server sends mail. Only with `captcha`, or from an agent: else a stranger could send mail to anyone. It waits for publishing.",
      members: {
        field: "The field, of type `email`, that has the address.",
        include:
          "`values`: with the values of the submission, except sensitive ones. Default: `confirmation`, without.",
        subject: "Default: names the form. The reference of the submission stands after it.",
        text: "Default: says that the submission has arrived.",
        translations: "By language: `subject` and `text`.",
        receipt: "`true`: with the receipt as an attachment, which has no value of the submission.",
      },
    },
    retention: {
      text: "When submissions are deleted, with all that is stored of them. A longer time counts at once; everything else waits for publishing. Default: the rule of the team, if it has one.",
      members: {
        deleteAfter: `Whole days, weeks, months or years, \`P1D\` to \`P${limits.retention.maxYears}Y\` (ISO 8601), by the calendar and UTC. Absent: no rule of its own.`,
        from: "`completed`: from the completion on, and from the last change while a submission is not completed. Default: `created`.",
      },
    },
    invitations: {
      text: "Invitations of persons, each with a link of its own.",
      members: {
        submissions: "How many each may send: 1.",
        anonymous:
          "`true`: a submission has no respondent, and an invitation neither the submission nor the time. Default: false.",
      },
    },
    availability: {
      text: "When submissions are accepted, from every caller. Outside: 403 `form_closed`.",
      members: {
        opensAt: { text: "Before `closesAt`.", schema: { format: "date-time" } },
        closesAt: { text: "From this instant on the form is closed.", schema: { format: "date-time" } },
        timeZone:
          "The form's: in which people read and write times, the two above included. A name of the IANA database. Default: UTC. The times have their own offsets.",
        maxSubmissions:
          "The form is full when it has this number of submissions, of any status; a deleted one does not count.",
      },
    },
  },
};
