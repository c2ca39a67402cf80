/** The accent colour of a form's page: its contrast, and its variant for dark pages. Pure. */

/** Minimum contrast of readable text (WCAG 2.2, 1.4.3). */
const minContrast = 4.5;
const white = "#ffffff";
const black = "#000000";
/** The lightest surface of a dark page (pages/ui/styles/form-page.css, `--sunken`). */
const darkSurface = "#222725";

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

const channels = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, other: string): number {
  const [lower = 0, upper = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (upper + 0.05) / (lower + 0.05);
}

/** The colour itself, or the first readable one on the way to `end`. */
function towards(colour: string, end: string, surface: string): string {
  const [from, to] = [channels(colour), channels(end)];
  for (let step = 0; step < 256; step++) {
    const mixed = from.map((channel, index) =>
      Math.round(channel + (((to[index] ?? 0) - channel) * step) / 256),
    );
    const candidate = `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
    if (contrast(candidate, surface) >= minContrast) return candidate;
  }
  return end;
}

/** The nearest darker colour that is readable on white, and white on it. A readable colour is unchanged. */
export const readableAccent = (colour: string): string => towards(colour.toLowerCase(), black, white);

export const darkAccent = (colour: string): string => towards(colour.toLowerCase(), white, darkSurface);
