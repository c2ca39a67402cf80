/** Files that pages load. A name has the hash of its content, so that browsers may keep the file. */
import { createHash } from "node:crypto";
import { Elysia } from "elysia";

/** A file, by the path that pages load it from. */
export interface AssetFile {
  path: string;
  type: string;
  content: string;
}

/** A year, the longest that browsers use. */
const maxAgeSeconds = 31_536_000;

export function assetFile(name: string, extension: string, type: string, content: string): AssetFile {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${extension}`, type: `${type}; charset=utf-8`, content };
}

/** A route for each file. */
export const serveAssets = (files: readonly AssetFile[]) =>
  files.reduce(
    (app, { path, type, content }) =>
      app.get(path, ({ set }) => {
        set.headers["content-type"] = type;
        set.headers["cache-control"] = `public, max-age=${maxAgeSeconds}, immutable`;
        return content;
      }),
    new Elysia(),
  );
