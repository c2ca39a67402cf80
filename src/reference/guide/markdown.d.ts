/** A text file, imported with `{ type: "text" }`: Bun and Deno read it, and the build bundles it. */
declare module "*.md" {
  const text: string;
  export default text;
}
