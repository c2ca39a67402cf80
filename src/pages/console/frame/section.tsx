/** Small parts of pages. */
import type { ComponentChildren, JSX, RenderableProps } from "preact";

/** A part of a page under a heading of its own. */
export const Section = ({
  title,
  id,
  hint,
  class: style,
  children,
}: {
  title: string;
  /** Prefix of the heading's id, before `-heading`. */
  id?: string;
  hint?: string | undefined;
  class?: "panel" | "keys";
  children: ComponentChildren;
}) => (
  <section class={style} aria-labelledby={id && `${id}-heading`}>
    <h2 id={id && `${id}-heading`}>{title}</h2>
    {hint && <p class="quiet">{hint}</p>}
    {children}
  </section>
);

/** A part of a form that is shown when it is opened. */
export const Folded = ({ label, isOpen, children }: RenderableProps<{ label: string; isOpen: boolean }>) => (
  <details open={isOpen}>
    <summary>{label}</summary>
    <div class="stacked">{children}</div>
  </details>
);

/** A link on a line of its own. */
export const LinkLine = ({ label, ...link }: JSX.IntrinsicElements["a"] & { label: string }) => (
  <p>
    <a {...link}>{label}</a>
  </p>
);
