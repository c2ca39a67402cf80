/** Text files, imported with `{ type: "text" }`: Bun and Deno read them, and the build bundles them. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*/browser.js" {
  const text: string;
  export default text;
}
declare module "*/form-page.js" {
  const text: string;
  export default text;
}
declare module "*/form-conditions.js" {
  const text: string;
  export default text;
}
declare module "*/uploads.js" {
  const text: string;
  export default text;
}
declare module "*/altcha.js" {
  const text: string;
  export default text;
}
declare module "*/embed.js" {
  const text: string;
  export default text;
}
declare module "*/passkeys.js" {
  const text: string;
  export default text;
}
