import { describe, expect, test } from "bun:test";
import { newMigration } from "../../.ci/migration.ts";
import { notesOf, obstacles, type State } from "../../.ci/release.ts";

const changelog = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-12-01

### Added

- A thing

## [1.1.0] - 2026-11-30

## [11200] - 2026-11-30
- Not 1.2.0
`;
const ready: State = { packageVersion: "1.2.0", changelog, changes: "", tags: ["v1.1.0"] };

describe("a release", () => {
  test("has the notes of its own heading, and nothing is in its way", () => {
    expect(notesOf(changelog, "1.2.0")).toBe("### Added\n\n- A thing");
    expect(obstacles("1.2.0", ready)).toEqual([]);
  });

  test("may be a candidate", () => {
    const version = "1.2.0-rc.1";
    const candidate = { packageVersion: version, changelog: changelog.replace("1.2.0", version) };
    expect(obstacles(version, { ...ready, ...candidate })).toEqual([]);
    expect(obstacles("1.2.0", { ...ready, ...candidate })).toHaveLength(2);
  });

  test.each<[string, string, Partial<State>, RegExp]>([
    ["is described under its version", "1.3.0", { packageVersion: "1.3.0" }, /no line "## \[1\.3\.0\]/],
    ["is described with its date", "1.2.0", { changelog: "## [1.2.0]\n- A thing" }, /no line/],
    ["has changes to describe", "1.1.0", { packageVersion: "1.1.0", tags: [] }, /says nothing/],
    ["is that of package.json", "1.2.0", { packageVersion: "1.1.0" }, /package\.json has version 1\.1\.0/],
    ["is committed", "1.2.0", { changes: " M README.md\n" }, /not committed/],
    ["is tagged once", "1.2.0", { tags: ["v1.2.0"] }, /tagged already/],
    ["has three numbers", "v1.2", {}, /is no version/],
    ["is a candidate with its number", "1.2.0-rc.0", {}, /is no version/],
  ])("%s", (_, version, state, expected) => {
    const found = obstacles(version, { ...ready, ...state });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });
});

describe("a new migration", () => {
  const now = new Date("2026-12-01T10:20:30.400Z");

  test("is named by the time in UTC, and says what it locks", () => {
    const { file, text } = newMigration("submissions_source", ["20261129110333_baseline.sql"], now);
    expect(file).toBe("20261201102030_submissions_source.sql");
    expect(text).toMatch(/^-- migrate:up\n-- Locks: /);
  });

  test("comes after all others", () => {
    expect(() => newMigration("a", ["20261201102030_b.sql"], now)).toThrow("later than this clock");
  });

  test.each(["", "Source", "source.sql", "../source", "a__b", "1a"])("is not named %p", (name) => {
    expect(() => newMigration(name, [], now)).toThrow("is no name");
  });
});
