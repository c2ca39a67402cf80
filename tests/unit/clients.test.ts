/** The clients to copy (docs/clients), as texts: length, compilers, and the same names in both languages. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clients, debianPython, snake, textOfClient } from "../http/clients.ts";
import { root, run, temporaryFolder, testRequiring } from "../setup.ts";

const files = ["formd-agent.ts", "formd-owner.ts", "formd_agent.py", "formd_owner.py"];

test.each(files)("%s has at most 400 lines, and imports nothing that is not of the language", (file) => {
  const text = textOfClient(file);
  expect(text.split("\n").length - 1).toBeLessThanOrEqual(400);
  const imported = [...text.matchAll(/^import (?:.* from "(.*)"|(\w+))/gm)].map(
    ([, from, name]) => from ?? name,
  );
  const builtIn =
    /^(?:node:.*|base64|contextlib|datetime|hashlib|hmac|json|os|re|shutil|time|urllib|uuid|warnings)$/;
  expect(imported.filter((name) => !builtIn.test(name ?? ""))).toEqual([]);
});

const compilers = ["typescript", "typescript-5"].flatMap((compiler) =>
  ["bun-types", "node"].map((types) => [compiler, types] as const),
);

test.each(compilers)("%s compiles them with its strictest options and %s", async (compiler, types) => {
  const folder = temporaryFolder();
  const strict = [
    ...[
      "strict",
      "exactOptionalPropertyTypes",
      "erasableSyntaxOnly",
      "noUncheckedIndexedAccess",
      "isolatedModules",
    ],
    ...[
      "verbatimModuleSyntax",
      "noImplicitOverride",
      "noImplicitReturns",
      "noUnusedLocals",
      "noUnusedParameters",
    ],
  ];
  const compilerOptions = {
    ...Object.fromEntries(strict.map((name) => [name, true])),
    ...{ target: "ES2022", module: "NodeNext", lib: ["ES2023", "DOM", "DOM.Iterable"], noEmit: true },
    ...{
      types: [types],
      typeRoots: ["", "@types"].map((each) => join(root, "node_modules", each)),
      skipLibCheck: true,
    },
  };
  const config = join(folder, "tsconfig.json");
  const own = files.slice(0, 2).map((file) => join(clients, file));
  writeFileSync(config, JSON.stringify({ compilerOptions, files: own }));
  const { code, stdout } = await run(process.execPath, [
    join(root, "node_modules", compiler, "bin/tsc"),
    "-p",
    config,
  ]);
  expect([code, stdout]).toEqual([0, ""]);
});

describe("two files of a language have the same text where they do the same", () => {
  /** Top-level declarations with their docstrings, by name. */
  const blocks = (text: string, begin: RegExp) =>
    new Map(text.split(/\n\n+(?=\S)/).map((block) => [begin.exec(block)?.[1] ?? "", block.trim()]));
  test.each([
    ["TypeScript", "formd-agent.ts", "formd-owner.ts", /^(?:export )?(?:async function|class) (\w+)/m, 5],
    ["Python", "formd_agent.py", "formd_owner.py", /^(?:class|def) (\w+)/m, 7],
  ] as const)("%s", (_, agent, owner, begin, least) => {
    const [one, other] = [blocks(textOfClient(agent), begin), blocks(textOfClient(owner), begin)];
    const shared = [...one.keys()].filter((name) => name && other.has(name));
    expect(shared.length).toBeGreaterThanOrEqual(least);
    for (const name of shared) expect([name, one.get(name)]).toEqual([name, other.get(name)]);
  });
});

/** Names of a client as a program sees them, from its texts in both languages. */
describe.each([
  ["formd-agent", "Agent"],
  ["formd-owner", "Owner"],
])("%s", (client, main) => {
  const [source, module] = [textOfClient(`${client}.ts`), join(clients, `${client}.ts`)];
  const python = client.replace("-", "_");
  const sortedMatches = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, each]) => each).sort();

  testRequiring(debianPython)("has the same names and errors in both languages", async () => {
    const exported = await import(module);
    const membersOf = (object: object) => Object.keys(object).filter((name) => name !== "name");
    const [, options = ""] = new RegExp(`interface ${main}Options \\{(.*?)^\\}`, "ms").exec(source) ?? [];
    const inTypeScript = {
      // A function in one language, a class in the other: each is what the libraries of the language take.
      exported: Object.keys(exported)
        .map((name) => (name === "signedFetch" ? "SignedAuth" : /^[A-Z]/.test(name) ? name : snake(name)))
        .sort(),
      options: [...options.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = ""]) => snake(name)).sort(),
      methods: membersOf(new exported[main]({ base: "" }))
        .concat(Object.getOwnPropertyNames(exported[main].prototype))
        .filter((name) => name !== "constructor")
        .map(snake)
        .sort(),
      error: [...membersOf(new exported.FormdError(400, {}))].sort(),
      message: new exported.FormdError(422, { code: "a", error: "b" }).message,
    };
    const program = `
import inspect, json, sys
sys.path.insert(0, "${clients}")
sys.dont_write_bytecode = True
import ${python} as module
Main, FormdError = module.${main}, module.FormdError
public = lambda names: sorted(name for name in names if not name.startswith("_"))
named = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == "${python}"]
print(json.dumps({
    "exported": public(named),
    "options": sorted(list(inspect.signature(Main).parameters)),
    "methods": public(vars(Main)),
    "error": public(vars(FormdError(400, {}))),
    "message": str(FormdError(422, {"code": "a", "error": "b"})),
}))`;
    const { code, stdout, stderr } = await run(debianPython, ["-c", program]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(inTypeScript);
    const thrown = sortedMatches(source, /new Error\("([^"]+)"\)/g).filter(
      (text) => !/export/.test(text ?? ""),
    );
    expect(sortedMatches(textOfClient(`${python}.py`), /raise ValueError\("([^"]+)"\)/g)).toEqual(thrown);
    expect(thrown.length).toBeGreaterThanOrEqual(3);
  });
});
