/** Pictures of empty pages. Colours come from the style sheet. */

/** Strokes in a field of 120 by 80: the outlines, and the part that is lit. */
const scenes = {
  sheet: ["M42 10h36v60H42zM50 24h20M50 34h20M50 44h12", "M50 58l4 4 9-10"],
  forms: ["M30 16h32v52H30zM38 28h16M38 37h16M38 46h9", "M80 30v24M68 42h24"],
  inbox: ["M28 42l10-22h44l10 22v24H28zM28 42h20l5 9h14l5-9h20", "M60 6v22M51 20l9 9 9-9"],
  chart: ["M28 68h64M34 58v10M48 50v18M62 54v14", "M76 34v34M34 40l14-10 14 6 22-22"],
  key: ["M46 40a13 13 0 1 0 .01 0zM46 50a3 3 0 1 0 .01 0z", "M56 44l30-28M76 26l8 8M68 34l6 6"],
  robot: ["M38 28h44v34H38zM60 28V16M60 10a3 3 0 1 0 .01 0zM30 40v12M90 40v12M50 53h20", "M51 40v3M69 40v3"],
} as const;

export type SceneName = keyof typeof scenes;

export const Scene = ({ name }: { name: SceneName }) => (
  <svg class="scene" viewBox="0 0 120 80" width="120" height="80" aria-hidden="true">
    <path d={scenes[name][0]} />
    <path class="lit" d={scenes[name][1]} />
  </svg>
);
