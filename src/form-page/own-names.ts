/** The names of the page's own hidden fields. */
export const ownNames = {
  version: "formd.version",
  key: "formd.key",
  /** The step that was sent, from 1. */
  step: "formd.step",
  /** The step that a button leads to, from 1, or `back`; absent: the next one. */
  goTo: "formd.goto",
  /** After the step come the values to check. */
  change: "formd.change",
  /** A field that was changed by a publish, and that no page has shown since. */
  unseen: "formd.unseen",
} as const;
