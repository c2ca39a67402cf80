/** Controls of the look of a form's page: colours by themes, corners, logo and cover, and a live page. */
import { useContext } from "preact/hooks";
import { limits } from "../../../limits.ts";
import { sha256 } from "../../../platform/auth/secret.ts";
import { darkAccent, isColour, readableAccent } from "../../../resources/forms/accent.ts";
import { pictureTypes, pictureUrl } from "../../../resources/forms/pictures.ts";
import { type FormSettings, LogoSettings, ThemeSettings } from "../../../resources/forms/settings.ts";
import { settingsScriptAsset } from "../../ui/assets.ts";
import { Checkbox, EnteredContext, Input } from "../../ui/controls.tsx";
import { type FormView, pathOfForm } from "../form/form.tsx";
import { Controls, textInput, Wrong } from "../frame/form.tsx";
import {
  choiceOf,
  isAltered,
  type SettingControl,
  type SettingControls,
  shapesOf,
} from "./setting-controls.tsx";
import { formsText } from "./words.ts";

const words = formsText.settings;
const shape = shapesOf(ThemeSettings).accent;
const { maxLogoBytes, maxCoverBytes } = limits.formPage;

interface Theme {
  accent: string;
  /** Value of its choice. Empty: corners are a little round. */
  corners: "" | "none" | "round";
}

/** The themes that are offered. The first has the look of a form without one. */
export const themes = {
  forest: { accent: "#1f5c41", corners: "" },
  ocean: { accent: "#0b5cad", corners: "round" },
  berry: { accent: "#a83262", corners: "round" },
  brick: { accent: "#b3362b", corners: "" },
  honey: { accent: "#8a5a00", corners: "none" },
  graphite: { accent: "#3d4450", corners: "none" },
} as const satisfies Record<string, Theme>;
type ThemeName = keyof typeof themes;

const themeField = "theme.name";
const themeNames = Object.keys(themes) as ThemeName[];

/** Returns the theme that a post has chosen. Undefined: it leaves the theme as it is. */
const chosenTheme = (values: URLSearchParams): Theme | undefined => {
  const name = themeNames.find((each) => each === values.get(themeField));
  return name && isAltered(values, themeField) ? themes[name] : undefined;
};

const themeOf = (accent: string = themes.forest.accent, corners = "small"): ThemeName | undefined =>
  themeNames.find(
    (name) => themes[name].accent === accent.toLowerCase() && (themes[name].corners || "small") === corners,
  );

const radii = { "": 2.5, none: 0, round: 6 };

/** A light and a dark page with a button. */
const Swatch = ({ accent, corners }: Theme) => (
  <svg class="swatch" viewBox="0 0 72 40" aria-hidden="true">
    <rect width="36" height="40" fill="#fff" />
    <rect x="36" width="36" height="40" fill="#141715" />
    {[accent, darkAccent(accent)].map((colour, index) => (
      <g key={colour} fill={colour} transform={`translate(${index * 36})`}>
        <rect x="6" y="8" width="18" height="3" />
        <rect x="6" y="20" width="24" height="12" rx={radii[corners]} />
      </g>
    ))}
  </svg>
);

const ThemeTiles = () => {
  const shown = useContext(EnteredContext)?.get(themeField);
  return (
    <fieldset class="themes">
      <legend>{words.theme.theme}</legend>
      {themeNames.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name={themeField}
            value={name}
            checked={name === shown}
            data-accent={themes[name].accent}
            data-corners={themes[name].corners}
          />
          <Swatch {...themes[name]} />
          {words.theme.themes[name]}
        </label>
      ))}
    </fieldset>
  );
};

/** Returns the error of a colour. With too little contrast it names the nearest readable colour. */
const wrongColour = (colour: string): string =>
  isColour(colour) ? words.errors.contrast(readableAccent(colour)) : words.errors["theme.accent"];

type PageTheme = NonNullable<NonNullable<typeof FormSettings.infer.page>["theme"]>;

/** The colour of a theme, or one of its own. */
function accentControl({ corners }: PageTheme): SettingControl<string | null> {
  const { accent: label, hints, pick, use } = words.theme;
  const own = textInput({ label, shape, wrong: wrongColour });
  return {
    also: [themeField],
    draw: (name) => (
      <>
        <ThemeTiles />
        <Input
          {...{ name, label, hint: hints.accent, required: false }}
          data-colour={pick}
          data-contrast={words.errors.contrast("{colour}")}
          data-use={use}
        />
      </>
    ),
    read: (values, name) =>
      (isAltered(values, name) ? undefined : chosenTheme(values)?.accent) ?? own.read(values, name),
    show: (accent, name) => [
      [name, accent ?? ""],
      [themeField, themeOf(accent ?? undefined, corners) ?? ""],
    ],
  };
}

function cornersControl(): SettingControl<string | null> {
  const { corners, cornersLabel: label } = words.theme;
  const own = choiceOf(corners, { label });
  return {
    ...own,
    also: [themeField],
    read: (values, name) => {
      const theme = isAltered(values, name) ? undefined : chosenTheme(values);
      return theme ? theme.corners || null : own.read(values, name);
    },
  };
}

interface PagePicture {
  src: string;
  alt?: string;
}

/** @param before picture that stays if no file is sent */
function pictureControl(member: "logo" | "cover", before: PagePicture | undefined) {
  const labels = words.pictures;
  const { label, alt: altLabel, altHint, remove } = words[member];
  const own = `theme.${member}`;
  const [altName, removeName, mark] = [`${own}.alt`, `${own}.remove`, `${own}.mark`];
  const maxBytes = member === "logo" ? maxLogoBytes : maxCoverBytes;
  const kib = maxBytes / 1024;
  const alt = { label: altLabel, required: member === "logo" };
  const altText = textInput({ ...alt, shape: shapesOf(LogoSettings).alt });
  const control: SettingControl<PagePicture | null> = {
    inputs: [own, altName, removeName],
    marks: [mark],
    conflict: labels.conflict,
    draw: (name) => (
      <fieldset class="picture-of-page" data-picture={member} data-max-bytes={maxBytes}>
        <legend>{label}</legend>
        {before && <img class={member} src={before.src} alt={before.alt ?? ""} />}
        <Input
          name={name}
          type="file"
          accept={pictureTypes.join()}
          label={labels.file}
          hint={labels.hint(kib)}
        />
        <Input name={altName} label={altLabel} hint={altHint} />
        {before && <Checkbox name={removeName} label={remove} />}
      </fieldset>
    ),
    read: (values, name) => {
      if (values.has(removeName)) return null;
      const file = values.get(name);
      const src = file ? pictureUrl(Buffer.from(file, "base64"), maxBytes) : before?.src;
      if (!src) return new Wrong(labels.wrong(kib));
      const text = altText.read(values, altName);
      return text instanceof Wrong ? new Wrong(text.sentence, altName) : { src, alt: text ?? "" };
    },
    show: (picture) => [
      [altName, picture?.alt ?? ""],
      [mark, picture ? Buffer.from(sha256(picture.src)).toString("base64url", 0, 12) : ""],
    ],
  };
  return control;
}

export function themeControls({ settings }: FormView): SettingControls {
  const theme = settings.page?.theme ?? {};
  const { schemes, schemeLabel, hints } = words.theme;
  return {
    "theme.accent": accentControl(theme),
    "theme.corners": cornersControl(),
    "theme.scheme": choiceOf(schemes, { label: schemeLabel, hint: hints.scheme }),
    "theme.logo": pictureControl("logo", theme.logo),
    "theme.cover": pictureControl("cover", theme.cover),
  };
}

/** The controls, and beside them the page of the draft, which follows them by a script. */
export const Look = ({ form, controls }: { form: FormView; controls: SettingControls }) => (
  <div class="look">
    <div class="stacked">
      <Controls of={{ controls }} />
    </div>
    <iframe src={`${pathOfForm(form)}/preview`} title={words.theme.live} loading="lazy" data-look />
    {form.status !== "archived" && <script type="module" src={settingsScriptAsset.path} />}
  </div>
);
