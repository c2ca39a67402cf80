/** The mark of formd: a sheet with a tick. It is the icon of every page and stands beside the name. */
import { assetFile } from "./asset-files.ts";

export const markFile = assetFile(
  "mark",
  "svg",
  "image/svg+xml",
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-linecap="round" stroke-linejoin="round"><rect width="32" height="32" rx="8" fill="#1f5c41"/><rect x="7" y="5" width="18" height="22" rx="3" fill="#fff"/><path d="M11.5 10.5h9m-9 4h4" stroke="#8dbba4" stroke-width="2"/><path d="m11.5 20.5 3 3 6.5-7" stroke="#1f5c41" stroke-width="2.6"/></svg>\n',
);
