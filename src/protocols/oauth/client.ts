/** Authentication of an agent at the token endpoint: by its secret, or by an assertion (assertion.ts). */
import { decodeJwt } from "jose";
import { Problem } from "../../problem.ts";
import type { ClientCredentialsRequest } from "./shapes.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export type ClientAuthentication =
  | { method: "secret"; clientId: string; secret: string }
  | { method: "assertion"; clientId: string; assertion: string };

/**
 * The client's credentials. A missing part is "", which is never valid: the client gets the uniform 401.
 * @throws {Problem} `bad_request` if it authenticates in two ways (RFC 6749, section 2.3).
 */
export function clientAuthentication(
  request: Request,
  {
    client_id,
    client_secret,
    client_assertion,
    client_assertion_type,
  }: typeof ClientCredentialsRequest.infer,
): ClientAuthentication {
  const header = request.headers.get("authorization");
  if ([header ?? undefined, client_secret, client_assertion].filter((way) => way !== undefined).length > 1)
    throw new Problem("bad_request", "The client must authenticate in one way.");
  if (client_assertion !== undefined) {
    if (client_assertion_type !== assertionType)
      throw new Problem("bad_request", `client_assertion_type must be ${assertionType}.`);
    return {
      method: "assertion",
      clientId: client_id ?? subjectOf(client_assertion),
      assertion: client_assertion,
    };
  }
  if (header === null) return { method: "secret", clientId: client_id ?? "", secret: client_secret ?? "" };
  const basic = basicOf(header);
  const isOther = client_id !== undefined && client_id !== basic.clientId;
  return { method: "secret", clientId: isOther ? "" : basic.clientId, secret: basic.secret };
}

/** The id and the secret of the header, each form-encoded (RFC 6749, section 2.3.1). */
function basicOf(header: string): { clientId: string; secret: string } {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header) ?? [];
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":");
  const decoded = (text: string) =>
    new URLSearchParams(`text=${text.replaceAll("&", "%26")}`).get("text") ?? "";
  return { clientId: decoded(id), secret: decoded(secret.join(":")) };
}

function subjectOf(assertion: string): string {
  try {
    const { sub } = decodeJwt(assertion);
    return typeof sub === "string" ? sub : "";
  } catch {
    return "";
  }
}
