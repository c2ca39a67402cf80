/** Passwords that are refused. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { validatePassword } from "../../src/platform/auth/password-rules.ts";

/** Long enough, without monotony, and not common, so that only the address can refuse a piece. */
const word = fc.stringMatching(/^[a-z]{3}[0-9]{4}[a-z]{3}$/).filter((text) => new Set(text).size >= 6);
const address = fc
  .tuple(word, fc.constantFrom(".", "_", "+", "-"), word, word)
  .map(([first, mark, second, domain]) => `${first}${mark}${second}@${domain}.Example.org`);

const refusal = (password: string, email: string) =>
  validatePassword(password, email).then(
    () => "",
    (error: Error) => error.message,
  );

test("no piece of the address is a password, in upper and lower case, and all else is", async () => {
  await fc.assert(
    fc.asyncProperty(address, fc.nat(), fc.nat(), fc.boolean(), async (email, from, more, isUpper) => {
      const start = from % (email.length - 10);
      const piece = email.slice(start, start + 10 + (more % (email.length - start - 9)));
      const entered = isUpper ? piece.toUpperCase() : piece;
      expect(await refusal(entered, email)).toContain("must not be the e-mail address or a part of it");
      expect(await refusal(`${entered} x`, email)).toBe("");
    }),
  );
});

test.each(["wolkenstein", "oswald.wolkenstein", "Oswald.Wolkenstein@CORP", "wolkenstein@corp.example"])(
  "%s is a part of oswald.wolkenstein@corp.example",
  async (password) => {
    expect(await refusal(password, "oswald.Wolkenstein@corp.example")).toContain("a part of it");
  },
);
