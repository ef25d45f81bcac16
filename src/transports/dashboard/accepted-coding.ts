/**
 * The first of some content codings that a client accepts (RFC 9110 section 12.5.3).
 * @param header Accept-Encoding
 * @param offered codings in the order of preference
 * @returns null for the content as it is
 */
export function acceptedCoding<Coding extends string>(
  header: string | undefined,
  offered: readonly Coding[],
): Coding | null {
  const weights = new Map<string, number>();
  for (const part of (header ?? "").split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const accepts = (name: string) => (weights.get(name) ?? weights.get("*") ?? 0) > 0;
  return offered.find(accepts) ?? null;
}
