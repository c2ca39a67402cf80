/** Text files, imported with `{ type: "text" }`: Bun and Deno read them, and the build bundles them. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.js" {
  const text: string;
  export default text;
}
declare module "*.md" {
  const text: string;
  export default text;
}
