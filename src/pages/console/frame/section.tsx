/** Small parts of pages. */
import type { ComponentChildren, JSX } from "preact";
import { frameText } from "./words.ts";

interface SectionProps {
  title: string;
  /** Prefix of the heading's id, before `-heading`. */
  id?: string;
  hint?: string | undefined;
  class?: "panel" | "keys";
  children: ComponentChildren;
}

/** A part of a page under a heading of its own. */
export const Section = ({ title, id, hint, class: style, children }: SectionProps) => (
  <section class={style} aria-labelledby={id && `${id}-heading`}>
    <h2 id={id && `${id}-heading`}>{title}</h2>
    {hint && <p class="quiet">{hint}</p>}
    {children}
  </section>
);

/** A link on a line of its own. */
export const LinkLine = ({ label, ...link }: JSX.IntrinsicElements["a"] & { label: string }) => (
  <p>
    <a {...link}>{label}</a>
  </p>
);

/** Switch for shortcut keys, which are off until a person switches them on. The script shows the button. */
export const KeySwitch = () => (
  <p class="quiet keys">
    {frameText.keys.list}{" "}
    <button type="button" class="quiet small" data-keys={frameText.keys.off} hidden>
      {frameText.keys.on}
    </button>
  </p>
);
