/** Tokens of links for changes. */
import { expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { MasterKey } from "../../src/platform/master-key.ts";
import { changeToken, submissionOfToken } from "../../src/resources/submissions/change-links.ts";

const newBytes = () => new Uint8Array(randomBytes(32));

test("a token names its submission on the form that it was made for, with each master key of a rotation", () => {
  const [old, current] = [newBytes(), newBytes()];
  const [form, submission] = [randomUUID(), randomUUID()];
  const token = changeToken(new MasterKey(old), form, submission);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(submissionOfToken(new MasterKey(current, [old]), form, token)).toBe(submission);
  expect(submissionOfToken(new MasterKey(old), randomUUID(), token)).toBeUndefined();
  expect(submissionOfToken(new MasterKey(current), form, token)).toBeUndefined();
  expect(submissionOfToken(new MasterKey(undefined), form, token)).toBeUndefined();
});

test("no other text is a token: none that is shorter, longer, changed, or spelled in another way", () => {
  const masterKey = new MasterKey(newBytes());
  const form = randomUUID();
  const token = changeToken(masterKey, form, randomUUID());
  const digits = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
  const others = [...token].flatMap((digit, index) =>
    digits
      .filter((other) => other !== digit)
      .map((other) => token.slice(0, index) + other + token.slice(index + 1)),
  );
  for (const other of ["", "A", token.slice(0, -1), `${token}A`, `${token}=`, ...others])
    expect(submissionOfToken(masterKey, form, other)).toBeUndefined();
});
