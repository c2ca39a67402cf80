/** A script taken as text. */
declare module "*/standalone.js" {
  const text: string;
  export default text;
}
