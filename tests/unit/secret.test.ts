import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { makeSecret, parseSecret, type SecretKind } from "../../src/platform/auth/secret.ts";
import { MasterKey } from "../../src/platform/master-key.ts";
import { secretsOf } from "../../src/resources/webhooks/signature.ts";
import { readPage } from "../pages.ts";

const team = "01957a3b-c4ff-7000-8abc-def012345678";
const form = "01957a3b-c500-7fff-bfff-ffffffffffff";
const nil = "00000000-0000-0000-0000-000000000000";
const kinds: SecretKind[] = ["fdk", "fda", "fds", "fdo", "fdi", "fdr", "fdu"];

describe("makeSecret", () => {
  test.each(kinds)("%s carries its team, and its SHA-256 is what is stored", (kind) => {
    const { secret, hash, prefix } = makeSecret(kind, team);
    expect(secret).toMatch(new RegExp(`^${kind}_[\\w-]{65}$`));
    expect(Buffer.from(hash)).toEqual(createHash("sha256").update(secret).digest());
    expect(parseSecret(kind, secret)).toMatchObject({ team, form: nil, hash });
    expect(secret).toStartWith(prefix);
  });

  test.each(["fdf", "fdn"] as const)("%s carries team and form", (kind) => {
    const { secret, hash } = makeSecret(kind, team, form);
    expect(secret).toMatch(new RegExp(`^${kind}_[\\w-]{86}$`));
    expect(parseSecret(kind, secret)).toEqual({ team, form, hash });
  });

  test("the prefix distinguishes the secrets of one team, and hides 222 bits", () => {
    const prefixes = new Set(Array.from({ length: 50 }, () => makeSecret("fdk", team).prefix));
    expect(prefixes.size).toBe(50);
    for (const prefix of prefixes) expect(prefix.length).toBe(4 + 22 + 6);
    expect(makeSecret("fdf", team, form).prefix.length).toBe(4 + 43 + 6);
  });

  test("no two are alike", () => {
    expect(new Set(Array.from({ length: 1000 }, () => makeSecret("fds", team).secret)).size).toBe(1000);
  });
});

describe("routeOf", () => {
  const { secret } = makeSecret("fdk", team);
  const { secret: accessKey } = makeSecret("fdf", team, form);

  test.each<[string, SecretKind, string]>([
    ["nothing", "fdk", ""],
    ["another kind", "fda", secret],
    ["a form's key where a team's belongs", "fdk", accessKey],
    ["a team's key where a form's belongs", "fdf", secret],
    ["a character short", "fdk", secret.slice(0, -1)],
    ["a character long", "fdk", `${secret}A`],
    ["a character of plain base64", "fdk", `${secret.slice(0, -1)}+`],
    ["a line end behind it", "fdk", `${secret.slice(0, -1)}\n`],
    ["a letter from beyond", "fdk", `${secret.slice(0, -1)}é`],
    ["upper case", "fdk", secret.replace("fdk_", "FDK_")],
  ])("%s routes to the nil team, and costs a hash all the same", (_, kind, text) => {
    const { team, form, hash } = parseSecret(kind, text);
    expect([team, form]).toEqual([nil, nil]);
    expect(hash.length).toBe(32);
  });

  test("any text of the right form has a route that PostgreSQL takes for a UUID", () => {
    for (const filler of ["A", "_", "-", "z", "9"])
      expect(parseSecret("fdk", `fdk_${filler.repeat(65)}`).team).toMatch(
        /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
      );
  });

  test("a secret that differs in any character has another hash", () => {
    const last = secret.endsWith("A") ? "B" : "A";
    expect(parseSecret("fdk", secret.slice(0, -1) + last).hash).not.toEqual(parseSecret("fdk", secret).hash);
  });
});

describe("the patterns for secret scanners on docs/operate/master-key.md", () => {
  const rows = [
    ...readPage("docs/operate/master-key.md").matchAll(/^\| [^|]+ \| `(\\b(fd.|whsec)_[^`]+)` \|$/gm),
  ];
  const patterns = new Map(rows.map(([, pattern = "", kind = ""]) => [kind, new RegExp(pattern, "g")]));
  const masterKey = new MasterKey(new Uint8Array(randomBytes(32)));
  const hook = { version: 1, key: masterKey.fingerprint };
  const makers = new Map<string, () => Promise<string>>([
    ...kinds.map((kind) => [kind, async () => makeSecret(kind, uuidv7()).secret] as const),
    ...(["fdf", "fdn"] as const).map(
      (kind) => [kind, async () => makeSecret(kind, uuidv7(), uuidv7()).secret] as const,
    ),
    [
      "whsec",
      async () => (await secretsOf(masterKey, { ...hook, team: uuidv7(), webhook: uuidv7() })).secret,
    ],
  ]);

  test("each kind has one, and each finds the whole of its secrets, wherever they are, and no other", async () => {
    expect([...patterns.keys()].toSorted()).toEqual([...makers.keys()].toSorted());
    for (const [kind, make] of makers)
      for (let n = 0; n < 50; n++) {
        const secret = await make();
        for (const text of [secret, `KEY="${secret}"`, `?key=${secret}&a`, `-H 'x-api-key: ${secret}'\n`])
          for (const [other, pattern] of patterns)
            expect([other, text.match(pattern)]).toEqual([other, other === kind ? [secret] : null]);
      }
  });

  test("the part of a secret that lists show does not match", () => {
    for (const kind of [...kinds, "fdf"] as SecretKind[]) {
      const { prefix } = makeSecret(kind, ...(kind === "fdf" ? [uuidv7(), uuidv7()] : [uuidv7()]));
      for (const pattern of patterns.values()) expect(`${prefix}…`.match(pattern)).toBeNull();
    }
  });
});
