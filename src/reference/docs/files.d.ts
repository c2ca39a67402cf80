/** A script taken as text, which a page loads. */
declare module "*/docs.js" {
  const text: string;
  export default text;
}
