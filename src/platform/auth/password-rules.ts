/**
 * Rules against passwords that are short, common or the address (NIST SP 800-63B, section 3.1.1.2). There are
 * no composition rules, which make passwords worse.
 */
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { once } from "../once.ts";

const { minPasswordLength, maxPasswordLength, minDifferentCharacters, commonPasswords } = limits.operator;

/** Most common passwords, lower case, by frequency. Loaded with the first choice, which takes 15 ms. */
const common = once(async () => {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return new Set(dictionary["passwords-common"].slice(0, commonPasswords));
});

/** @throws {Problem} `bad_request`, with advice. */
export async function validatePassword(password: string, email: string): Promise<void> {
  if (password.length < minPasswordLength)
    throw new Problem("bad_request", say("password_too_short", { min: minPasswordLength }));
  if (password.length > maxPasswordLength)
    throw new Problem("bad_request", say("password_too_long", { max: maxPasswordLength }));
  if (new Set(password).size < minDifferentCharacters)
    throw new Problem("bad_request", say("password_monotonous", { min: minDifferentCharacters }));
  if ((await common()).has(password.toLowerCase())) throw new Problem("bad_request", say("password_common"));
  if (email.toLowerCase().includes(password.toLowerCase()))
    throw new Problem("bad_request", say("password_is_email"));
}
