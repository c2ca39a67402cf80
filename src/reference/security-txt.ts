/** `GET /.well-known/security.txt` (RFC 9116): the contact for vulnerabilities of this server. */
import { Elysia } from "elysia";
import type { Deps } from "../platform/deps.ts";
import { operation } from "../platform/http/operation.ts";
import { Problem } from "../problem.ts";

const path = "/.well-known/security.txt";

/** Half a year: RFC 9116, section 2.5.5, recommends less than a year. Each response starts it again. */
const lifetimeDays = 182;

/** Midnight, so that all instances of a day respond with the same text. */
const expiry = (): string => {
  const day = new Date();
  day.setUTCHours(0, 0, 0, 0);
  day.setUTCDate(day.getUTCDate() + lifetimeDays);
  return day.toISOString();
};

export const securityTextRoute = ({ config: { BASE_URL, SECURITY_CONTACT } }: Pick<Deps, "config">) =>
  new Elysia({ name: path }).get(
    path,
    ({ set }) => {
      if (!SECURITY_CONTACT) throw new Problem("not_found", "This server names no contact for security.");
      set.headers["content-type"] = "text/plain; charset=utf-8";
      return [
        `Contact: ${SECURITY_CONTACT}`,
        `Expires: ${expiry()}`,
        "Preferred-Languages: en",
        `Canonical: ${BASE_URL}${path}`,
        "",
      ].join("\n");
    },
    operation({
      id: "getSecurityText",
      tag: "protocol",
      summary: "Read whom to tell of a weakness",
      description: "RFC 9116. The contact is the setting `SECURITY_CONTACT`; without it 404.",
      security: [{}],
      response: {
        description: "The contact, and until when it is valid.",
        media: { "text/plain": { schema: { type: "string" } } },
      },
      codes: ["not_found"],
    }),
  );
