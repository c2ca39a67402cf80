/** Addresses of a form's page. */
import { queryOf } from "./form-data.ts";
import type { PublishedPage } from "./page-request.ts";

/**
 * Returns an address of the page that keeps it embedded and in its language, and the query's values of hidden
 * fields. An invitation has its own.
 */
export function addressIn(
  { isEmbedded, form, languages, text, invited }: PublishedPage,
  path: string,
  values?: URLSearchParams,
  language = text.lang,
): string {
  const given = new URLSearchParams(invited ? "" : queryOf(form.fields, values));
  if (languages) given.set("lang", language);
  const query = [isEmbedded ? "embed" : "", given.toString()].filter(Boolean).join("&");
  return query ? `${path}?${query}` : path;
}

/**
 * The address that stores what is entered. It has a query, since a browser takes a page out of its cache once
 * something is sent to that page's address: after the Back key it would have another key.
 */
export function sendingAddressIn(page: PublishedPage, path: string, values?: URLSearchParams): string {
  const address = addressIn(page, path, values);
  return `${address}${address.includes("?") ? "&" : "?"}send`;
}
