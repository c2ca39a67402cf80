/** Responses that browsers save as a file. */

/** `Content-Disposition`. `filename*` has the characters outside ASCII (RFC 6266, section 4.3; RFC 8187). */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%/]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === name ? "" : `; filename*=UTF-8''${encoded}`}`;
}
