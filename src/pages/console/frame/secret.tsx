/** A secret, shown once: on the page that responds to the form post, never after a redirect. */
import type { ComponentChildren } from "preact";
import { Picture } from "../../ui/pictures.tsx";
import { Command } from "../../ui/text.tsx";
import type { ConsolePage, ConsoleSection } from "./layout.tsx";
import { LinkLine } from "./section.tsx";
import { frameText } from "./words.ts";

interface SecretPage {
  title: string;
  section: ConsoleSection;
  secret: string;
  /** Address of the next page. */
  href: string;
  children?: ComponentChildren;
}

/** Example of a secret's use in a terminal. */
export const Usage = ({ hint, lines }: { hint: string; lines: readonly string[] }) => (
  <section>
    <p>{hint}</p>
    <Command lines={lines} />
  </section>
);

/** A text to copy: by hand, or with the button that the script shows. */
export const Copied = ({ label, value }: { label?: string; value: string }) => (
  <div class="secret panel">
    {label ? (
      <span>
        <strong>{label}</strong>
        <br />
        <code>{value}</code>
      </span>
    ) : (
      <code>{value}</code>
    )}
    <button type="button" class="quiet small" data-copy={value} data-copied={frameText.secret.copied} hidden>
      <Picture name="copy" />
      {frameText.secret.copy}
    </button>
  </div>
);

export const secretPage = ({ title, section, secret, href, children }: SecretPage): ConsolePage => ({
  title,
  section,
  content: (
    <>
      <h1>{title}</h1>
      <p>{frameText.secret.once}</p>
      <Copied value={secret} />
      {children}
      <LinkLine class="button quiet" href={href} label={frameText.secret.done} />
    </>
  ),
});
