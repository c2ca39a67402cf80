/** Files that pages load. A name has the hash of its content, so that browsers may keep the file. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { Elysia } from "elysia";

/** A file, by the path that pages load it from. */
interface AssetFile {
  path: string;
  type: string;
  content: string;
}

/** A year, the longest time that browsers use. */
const maxAgeSeconds = 31_536_000;

export function assetFile(name: string, extension: string, type: string, content: string): AssetFile {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${extension}`, type: `${type}; charset=utf-8`, content };
}

/** Checks whether a client accepts gzip (RFC 9110, section 12.5.3). A weight of 0 excludes it. */
const takesGzip = ({ headers }: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.get("accept-encoding") ?? "");

/** Routes for files, compressed once. Pages are not: their length leaks (https://www.breachattack.com). */
export const serveAssets = (files: readonly AssetFile[]) =>
  files.reduce((app, { path, type, content }) => {
    let packed: Uint8Array<ArrayBuffer> | undefined;
    return app.get(path, ({ request, set }) => {
      set.headers["content-type"] = type;
      set.headers["cache-control"] = `public, max-age=${maxAgeSeconds}, immutable`;
      set.headers.vary = "accept-encoding";
      // Public files: a page in a frame with `sandbox` has no origin, so that ours is another one for it.
      set.headers["access-control-allow-origin"] = "*";
      set.headers["cross-origin-resource-policy"] = "cross-origin";
      if (!takesGzip(request)) return content;
      set.headers["content-encoding"] = "gzip";
      packed ??= Uint8Array.from(gzipSync(content));
      return new Response(packed);
    });
  }, new Elysia());
