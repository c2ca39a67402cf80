/** The settings of a form that formd knows, and the patch of them (RFC 7396). Other settings are stored as they are. */
import { type Type, type } from "arktype";
import { isHttpUrl } from "../fields/formats.ts";
import type { Documentation } from "../http/documented.ts";
import { InstantText, JsonObject } from "../http/shapes.ts";
import { limits } from "../limits.ts";

const { formPage } = limits;

/** Languages that the page of a form has texts in. */
export const pageLanguages = ["en", "de"] as const;

/** Never the shape of an id in `/f/{id}`, which has 43 characters. */
export const Alias = type(
  new RegExp(`^[a-z0-9][a-z0-9-]{${formPage.minAliasLength - 2},${formPage.maxAliasLength - 2}}[a-z0-9]$`),
).describe(
  `an alias of ${formPage.minAliasLength} to ${formPage.maxAliasLength} lower-case letters, digits and inner hyphens`,
);

/** By its letters, since `URL` accepts `;` in a host, which ends a directive of a Content-Security-Policy. */
const Origin = type(/^https?:\/\/[a-z0-9.-]+(?::\d+)?$/)
  .narrow((text) => URL.canParse(text) && new URL(text).origin === text)
  .describe("an origin such as https://www.example.org");

const HttpUrl = type.string
  .atMostLength(formPage.maxRedirectUrlLength)
  .narrow((text) => isHttpUrl(text) && Origin.allows(new URL(text).origin))
  .describe(
    `an http or https URL of at most ${formPage.maxRedirectUrlLength} characters, whose host has letters, digits, dots and hyphens`,
  );

const PageSettings = type({
  "enabled?": "boolean",
  "title?": type.string.atMostLength(formPage.maxTitleLength),
  "introduction?": type.string.atMostLength(formPage.maxTextLength),
  "layout?": "'single' | 'steps'",
  "submitLabel?": type.string.atMostLength(formPage.maxLabelLength),
  "thankYou?": type.string.atMostLength(formPage.maxTextLength),
  "redirectUrl?": HttpUrl,
  "language?": type.enumerated(...pageLanguages),
  "embedOrigins?": Origin.array().atMostLength(formPage.maxEmbedOrigins),
  "alias?": Alias,
});

/**
 * The members of a stored `settings.page` that have their shape: 0.1 and earlier commits stored them as they came. Others count as absent.
 */
export const checkedPageSettings = (
  stored: Readonly<Record<string, unknown>> | null | undefined,
): typeof PageSettings.infer =>
  Object.fromEntries(
    PageSettings.props
      .filter(({ key, value }) => (value as Type).allows(stored?.[key]))
      .map(({ key }) => [key, stored?.[key]]),
  );

const AvailabilitySettings = type({
  "opensAt?": InstantText,
  "closesAt?": InstantText,
  "maxSubmissions?": type("number.integer >= 1").atMost(limits.availability.maxSubmissions),
});

const Toggle = type({ "enabled?": "boolean" });
const Requirement = type({ "required?": "boolean" });

const known = {
  captcha: Toggle,
  anonymous: Toggle,
  challenge: Requirement,
  review: Requirement,
  page: PageSettings,
  availability: AvailabilitySettings,
};

/** The members of a settings group in a merge patch: each may be null, which removes it. */
const patchOf = (shape: Type<object>): Type<unknown> =>
  JsonObject.and(
    (shape as typeof PageSettings).map(
      (member) => ({ ...member, value: (member.value as Type).or("null") }) as never,
    ),
  ).or("null") as never;

export const SettingsPatch = JsonObject.and({
  "captcha?": patchOf(known.captcha),
  "anonymous?": patchOf(known.anonymous),
  "challenge?": patchOf(known.challenge),
  "review?": patchOf(known.review),
  "page?": patchOf(known.page),
  "availability?": patchOf(known.availability),
});

export const FormSettings = JsonObject.and({
  "captcha?": JsonObject.and(known.captcha),
  "anonymous?": JsonObject.and(known.anonymous),
  "challenge?": JsonObject.and(known.challenge),
  "review?": JsonObject.and(known.review),
  "page?": JsonObject.and(known.page),
  "availability?": JsonObject.and(known.availability),
});

/** Of a form's member `settings`. */
export const settingsDocumentation: Documentation<typeof FormSettings.infer> = {
  text: "Unknown settings are kept unchanged.",
  members: {
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
          "`steps`: a `page_break` begins a new step, and the answers can be checked before they are sent. Default: `single`, as on a server without a master key.",
        submitLabel: "The text of the button that submits.",
        thankYou: "Shown after the submission, unless `redirectUrl` is set.",
        redirectUrl: { text: "Opened after the submission.", schema: { format: "uri" } },
        language: "Of the page's own texts. Default: `en`.",
        embedOrigins: "Origins whose pages may show the form's page in an iframe. Default: none.",
        alias:
          "Also the page's address, `/f/{alias}`. Unique in the installation: another form's is a `conflict`.",
      },
    },
    availability: {
      text: "When submissions are accepted, from every caller. Outside: 403 `form_closed`.",
      members: {
        opensAt: { text: "Before `closesAt`.", schema: { format: "date-time" } },
        closesAt: { text: "From this instant on the form is closed.", schema: { format: "date-time" } },
        maxSubmissions:
          "The form is full when it has this number of submissions, of any status; a deleted one does not count.",
      },
    },
  },
};
