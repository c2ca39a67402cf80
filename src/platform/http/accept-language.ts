/** The languages that a client accepts. */

/** Ranges of `Accept-Language` that are read. Browsers send fewer than ten. */
const maxRanges = 50;

/** The ranges of `Accept-Language`, the most wanted first (RFC 9110, 12.5.4). */
export function acceptedLanguages({ headers }: Pick<Request, "headers">): string[] {
  const ranges = (headers.get("accept-language") ?? "").split(",", maxRanges).map((each) => {
    const [range = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
    return { range, weight: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
}
