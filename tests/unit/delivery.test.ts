/** Files that other programs read: Kubernetes, Renovate, the forge. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandNames } from "../../.ci/docs.ts";
import { readConfig } from "../../src/platform/config.ts";
import { blockOf, pagePaths } from "../pages.ts";
import { root, temporaryFolder } from "../setup.ts";

describe("the manifest of docs/operate/kubernetes.md", () => {
  interface Pod {
    spec: { containers: Container[]; volumes: { name: string }[] };
    metadata?: { labels: Record<string, string> };
  }
  interface Container {
    image: string;
    args: string[];
    env?: { name: string; value: string }[];
    envFrom: { secretRef: { name: string } }[];
    ports?: { name: string }[];
    readinessProbe?: { httpGet: { path: string; port: string } };
    livenessProbe?: { httpGet: { path: string; port: string } };
    volumeMounts: { name: string }[];
  }
  interface Manifest {
    apiVersion: string;
    kind: string;
    metadata: { name: string };
    stringData?: Record<string, string>;
    spec: { template: Pod; selector: Record<string, unknown>; ports: { targetPort: string }[] };
  }
  const manifests = Bun.YAML.parse(
    blockOf("docs/operate/kubernetes.md", "yaml", "apiVersion:"),
  ) as Manifest[];
  const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const [job, deployment] = [of("Job")[0] as Manifest, of("Deployment")[0] as Manifest];

  test("has what Kubernetes' API takes, and nothing else", () => {
    // A compiler refuses a member that a schema without `additionalProperties: false` lets through.
    const types = join(root, "node_modules/kubernetes-types");
    const checked = manifests.map((manifest) => {
      const { apiVersion, kind } = manifest;
      const module = join(types, apiVersion === "v1" ? "core/v1" : apiVersion);
      return `void (${JSON.stringify(manifest)} satisfies import("${module}").${kind});\n`;
    });
    const path = join(temporaryFolder(), "manifests.ts");
    writeFileSync(path, checked.join(""));
    const options = ["--noEmit", "--ignoreConfig", "--strict", "--moduleResolution", "bundler"];
    const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), [...options, path], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });

  test("its containers have settings and commands that formd has", () => {
    for (const { spec } of [job, deployment])
      for (const { args, env = [], envFrom, volumeMounts } of spec.template.spec.containers) {
        expect(commandNames()).toContain(args[0] ?? "");
        const secrets = envFrom.map(({ secretRef }) =>
          of("Secret").find(({ metadata }) => metadata.name === secretRef.name),
        );
        const settings = Object.assign({}, ...secrets.map((secret) => secret?.stringData));
        if (settings.FORMD_SECRET_KEY) settings.FORMD_SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
        for (const { name, value } of env) settings[name] = value;
        expect(readConfig(settings)).toMatchObject({ unknownNames: [], DATABASE_URL: expect.any(String) });
        expect(spec.template.spec.volumes.map(({ name }) => name)).toEqual(
          volumeMounts.map(({ name }) => name),
        );
      }
  });

  test("its selectors choose the pods of the Deployment, its ports and probes are the server's", () => {
    const { metadata, spec } = deployment.spec.template;
    const [container] = spec.containers;
    expect(deployment.spec.selector.matchLabels).toEqual(metadata?.labels);
    expect(of("PodDisruptionBudget")[0]?.spec.selector.matchLabels).toEqual(metadata?.labels);
    expect(of("Service")[0]?.spec.selector).toEqual(metadata?.labels);
    expect(of("Service")[0]?.spec.ports[0]?.targetPort).toBe(container?.ports?.[0]?.name);
    const probes = [container?.readinessProbe, container?.livenessProbe].map((probe) => probe?.httpGet);
    expect(probes.map((probe) => probe?.path)).toEqual(["/readyz", "/healthz"]);
    expect(probes.map((probe) => probe?.port)).toEqual(["http", "http"]);
    expect(container?.image).toBe(job.spec.template.spec.containers[0]?.image ?? "");
    expect(`formd-migrate-${container?.image.split(":")[1]?.replaceAll(".", "-")}`).toBe(job.metadata.name);
  });
});

describe("renovate.json", () => {
  interface Renovate {
    packageRules: { matchFileNames?: string[] }[];
    customManagers: { managerFilePatterns: string[]; matchStrings: string[]; depNameTemplate: string }[];
  }
  const { customManagers, packageRules }: Renovate = JSON.parse(
    readFileSync(join(root, "renovate.json"), "utf8"),
  );
  const files = ["src", ".ci"]
    .flatMap((name) =>
      readdirSync(join(root, name), { recursive: true }).map((path) => join(name, String(path))),
    )
    .concat(pagePaths);

  test.each(customManagers)(
    "$depNameTemplate: its pattern finds versions",
    ({ managerFilePatterns, matchStrings }) => {
      const patterns = managerFilePatterns.map((pattern) => new RegExp(pattern.slice(1, -1)));
      const text = files
        .filter((path) => patterns.some((pattern) => pattern.test(path)))
        .map((path) => readFileSync(join(root, path), "utf8"))
        .join("\n");
      for (const pattern of matchStrings)
        expect([...text.matchAll(new RegExp(pattern, "g"))].length).toBeGreaterThan(3);
    },
  );

  test("its rules name files that exist", () => {
    const named = packageRules.flatMap(({ matchFileNames = [] }) => matchFileNames);
    expect(named.filter((path) => !files.includes(path))).toEqual([]);
  });
});

test("the files of the forge are YAML, and a form has an id for each question", () => {
  const directory = join(root, ".github");
  const paths = (readdirSync(directory, { recursive: true }) as string[]).filter((path) =>
    path.endsWith(".yml"),
  );
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) {
    const file = Bun.YAML.parse(readFileSync(join(directory, path), "utf8")) as {
      body?: { type: string; id?: string }[];
    };
    for (const { type, id } of file.body ?? [])
      expect([path, type, id !== undefined]).toEqual([path, type, type !== "markdown"]);
  }
});
