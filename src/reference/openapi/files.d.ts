/** A script taken as text. */
declare module "*/openapi-explorer.min.js" {
  const text: string;
  export default text;
}
