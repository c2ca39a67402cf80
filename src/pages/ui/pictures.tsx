/** Small pictures beside words: one for each type of question, and others for actions and notices. */

/** Strokes in a square of 16. */
const pictures = {
  text: "M2 8h8M13 5v6",
  textarea: "M2 4h12M2 8h12M2 12h7",
  email: "M2 4h12v8H2zM2 4.5l6 4.5 6-4.5",
  phone: "M5 2h6v12H5zM7.5 12h1",
  url: "M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7",
  address: "M8 14s-4.5-4-4.5-7.3a4.5 4.5 0 0 1 9 0C12.5 10 8 14 8 14zM8 5.2a1.5 1.5 0 1 0 .01 0z",
  select: "M8 3a5 5 0 1 0 .01 0zM8 6.5a1.5 1.5 0 1 0 .01 0z",
  multi_select: "M3 3h10v10H3zM5.5 8l2 2 3.5-4",
  boolean: "M5 4.5h6a3.5 3.5 0 0 1 0 7H5a3.5 3.5 0 0 1 0-7zM11 6.5a1.5 1.5 0 1 0 .01 0z",
  consent: "M3 2h7l3 3v9H3zM5.5 9.5l2 2 3-4",
  rating: "M8 2l1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5z",
  ranking: "M6 4h8M6 8h6M6 12h4M3 12V4M1.5 5.5L3 4l1.5 1.5",
  matrix: "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6 3v10M10 3v10",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  number: "M6 2L5 14M11 2l-1 12M2.5 6h11M2 10.5h11",
  integer: "M3 5l1.5-1v8M8 6a2 2 0 1 1 3.5 1.3L8 12h4.5",
  date: "M2 4h12v10H2zM2 7h12M5 2v3M11 2v3",
  time: "M8 2a6 6 0 1 0 .01 0zM8 5v3.2l2 1.6",
  datetime: "M14 8V4H2v10h5M2 7h12M5 2v3M11 2v3M11.5 9.5a2.5 2.5 0 1 0 .01 0z",
  page_break: "M3 2v4h10V2M3 14v-4h10v4M1 8h2M6.5 8h3M13 8h2",
  heading: "M4 3v10M12 3v10M4 8h8",
  statement: "M8 2a6 6 0 1 0 .01 0zM8 7.5v3.5M8 5v.01",
  divider: "M2 8h12",
  hidden: "M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM3 13L13 3",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  external: "M9 2.5h4.5V7M13.5 2.5L7 9M11 9.5v4H2.5V5h4",
  lock: "M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  warning: "M8 2.5l6.5 11h-13zM8 6.5v3M8 11.5v.01",
  check: "M3 8.5l3.5 3.5L13 4.5",
} as const;

export const Picture = ({ name }: { name: keyof typeof pictures }) => (
  <svg class="picture" viewBox="0 0 16 16" aria-hidden="true">
    <path d={pictures[name]} />
  </svg>
);
