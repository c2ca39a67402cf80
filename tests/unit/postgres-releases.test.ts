import { expect, test } from "bun:test";
import { majorVersions, missingFixes } from "../../src/platform/database/releases.ts";

test("a release before the one with the known fixes is behind, and the sentence names both", () => {
  expect(missingFixes("18.4")).toMatch(
    /^PostgreSQL 18\.4 lacks the security fixes of 18\.\d+, which .*\/18\//,
  );
  // A pre-release has no minor version.
  for (const release of ["18beta1", "17.0", "16.9", "15.19"])
    expect(missingFixes(release)).toContain(release);
});

test("minor versions are compared as numbers, and a release of an unknown version has no sentence", () => {
  for (const release of ["18.6", "18.10", "18.100", "15.20", "14.1", "19.0", "99"])
    expect(missingFixes(release)).toBeUndefined();
});

test("the versions that formd runs are those that a database may have, the newest first", () => {
  expect(majorVersions).toEqual([18, 17, 16, 15]);
});
