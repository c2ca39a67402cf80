/** Hints in a 401, unless signed. Only the prefix is read: a hint does not reveal if a secret is valid. */
import type { SecretKind } from "./secret.ts";

const kinds: Readonly<Record<SecretKind, string>> = {
  fdk: "an API key",
  fda: "an agent's secret",
  fds: "a session's token",
  fdf: "a form's access key",
  fdo: "an operator's session",
  fdi: "an invitation",
  fdr: "a link to a new password",
  fdu: "the link of the first start",
  fdn: "the address of a news feed",
};

/** Describes what is wrong with the header. Returns undefined if its value has the prefix of the kind. */
export function headerHint(headers: Headers, name: string, kind: SecretKind): string | undefined {
  const value = headers.get(name) ?? "";
  if (value.startsWith(`${kind}_`)) return undefined;
  if (value === "") return `${name} is missing: it takes ${kinds[kind]} (${kind}_…).`;
  const other = (Object.keys(kinds) as SecretKind[]).find((each) => value.startsWith(`${each}_`));
  if (!other) return `${name} takes ${kinds[kind]}, which begins with ${kind}_.`;
  const exchange =
    kind === "fds" && other === "fda" ? " Exchange it for a token at POST /papi/v1/auth/token." : "";
  return `${name} holds ${kinds[other]} (${other}_…) and takes ${kinds[kind]} (${kind}_…).${exchange}`;
}

/** The hint for the access key, or else for the credential that is used (submitter.ts). */
export function submitterHint(headers: Headers, credential: "session" | "api_key"): string {
  return (
    headerHint(headers, "x-form-access-key", "fdf") ??
    (credential === "api_key"
      ? headerHint(headers, "x-api-key", "fdk")
      : headerHint(headers, "x-respondent-token", "fds")) ??
    "The access key or the credential is not valid. A token expires: request a new one."
  );
}
