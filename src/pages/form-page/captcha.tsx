/** The CAPTCHA on the page of a form: the provider's widget, or the proof of work of ALTCHA. */
import type { Config } from "../../platform/config.ts";
import type { Deps } from "../../platform/deps.ts";
import { Problem } from "../../problem.ts";
import { altchaPath } from "../../resources/sessions/altcha.ts";
import { altchaScriptAsset } from "../ui/assets.ts";
import type { PagePolicy } from "../ui/page.tsx";
import type { PageText } from "./text/types.ts";

type Provider = NonNullable<Config["CAPTCHA_PROVIDER"]>;

export interface Captcha {
  provider: Provider;
  /** Absent for ALTCHA. */
  siteKey: string | undefined;
}

interface Widget {
  name: string;
  /** `lang` is BCP 47. */
  script: (lang: string) => string;
  className?: string;
  policy: PagePolicy;
}

const ownName = "formd.captcha";

/** The scripts of other sites need not be ready for Trusted Types. */
const foreign = { "require-trusted-types-for": "" };

/** Sources as the providers' documentation names them. */
const widgets: Record<Provider, Widget> = {
  // https://developers.cloudflare.com/turnstile/reference/content-security-policy/
  turnstile: {
    name: ownName,
    script: () => "https://challenges.cloudflare.com/turnstile/v0/api.js",
    className: "cf-turnstile",
    policy: {
      ...foreign,
      "script-src": "'self' https://challenges.cloudflare.com",
      "frame-src": "https://challenges.cloudflare.com",
    },
  },
  // https://docs.hcaptcha.com/#content-security-policy-settings
  hcaptcha: {
    name: "h-captcha-response",
    script: (lang) => `https://js.hcaptcha.com/1/api.js?hl=${lang}`,
    className: "h-captcha",
    policy: {
      ...foreign,
      "script-src": "'self' https://hcaptcha.com https://*.hcaptcha.com",
      "frame-src": "https://hcaptcha.com https://*.hcaptcha.com",
      "style-src": "'self' https://hcaptcha.com https://*.hcaptcha.com",
      "connect-src": "'self' https://hcaptcha.com https://*.hcaptcha.com",
    },
  },
  // https://docs.cloud.google.com/recaptcha/docs/faq ("I'm using Content-Security-Policy"). Without inline
  // styles the widget cannot be used (https://github.com/google/recaptcha/issues/107); it takes a nonce for
  // scripts only.
  recaptcha: {
    name: "g-recaptcha-response",
    script: (lang) => `https://www.google.com/recaptcha/api.js?hl=${lang}`,
    className: "g-recaptcha",
    policy: {
      ...foreign,
      "script-src": "'self' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
      "frame-src": "https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
      "style-src": "'self' 'unsafe-inline'",
    },
  },
  altcha: { name: ownName, script: () => altchaScriptAsset.path, policy: {} },
};

/** True for a token's name in a form post. hCaptcha's widget sends its token as reCAPTCHA's too. */
export const isTokenName = (name: string): boolean =>
  Object.values(widgets).some((widget) => widget.name === name);

export const tokenNameOf = ({ provider }: Pick<Captcha, "provider">): string => widgets[provider].name;

export const captchaToken = ({ config }: Deps, sent: URLSearchParams): string | null =>
  config.CAPTCHA_PROVIDER ? sent.get(widgets[config.CAPTCHA_PROVIDER].name) : null;

export const captchaPolicy = (captcha: Captcha | undefined): PagePolicy =>
  captcha ? widgets[captcha.provider].policy : {};

/** The CAPTCHA of pages. @throws {Problem} `captcha_unavailable`, naming the setting that is missing. */
export function requireCaptcha({ config, masterKey }: Deps): Captcha {
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey } = config;
  const missing = !provider
    ? "CAPTCHA_PROVIDER"
    : provider !== "altcha"
      ? siteKey === undefined && "CAPTCHA_SITE_KEY"
      : !masterKey.isPresent && "FORMD_SECRET_KEY";
  if (!provider || missing)
    throw new Problem("captcha_unavailable", {
      message: `The page's CAPTCHA needs ${missing}, which is not set on this server.`,
      headers: { "retry-after": "60" },
    });
  return { provider, siteKey: provider === "altcha" ? undefined : siteKey };
}

export const CaptchaInput = ({ captcha, text }: { captcha: Captcha; text: PageText }) => {
  const { script, className, name } = widgets[captcha.provider];
  return (
    <div class="captcha">
      <noscript>
        <p>{text.captcha.noScript}</p>
      </noscript>
      {className === undefined ? (
        <>
          <input type="hidden" name={name} />
          <p
            class="hint"
            role="status"
            data-altcha={altchaPath}
            data-working={text.captcha.working}
            data-failed={text.captcha.failed.message}
          />
          <script type="module" src={script(text.lang)} />
        </>
      ) : (
        <>
          <div
            class={className}
            data-sitekey={captcha.siteKey}
            data-response-field-name={name}
            data-language={text.lang}
          />
          <script src={script(text.lang)} async defer />
        </>
      )}
    </div>
  );
};
