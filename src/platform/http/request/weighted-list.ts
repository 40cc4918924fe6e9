/** Parses lists of accepted values with weights: `Accept`, `Accept-Encoding` (RFC 9110 section 12.4.2). */

/** No client lists more. A header has room for thousands of parts, and each costs time. */
const MAX_PARTS = 32;

/** Name in lower case, without other parameters -> weight; `br;q=0` means never. Parts after the 32nd are ignored. */
export function readQualities(header: string): Map<string, number> {
  const quality = new Map<string, number>();
  for (const part of header.split(",", MAX_PARTS)) {
    const [name = "", ...parameters] = part.split(";", MAX_PARTS).map((piece) => piece.trim().toLowerCase());
    const weight = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    if (name !== "") quality.set(name, weight === undefined ? 1 : Number(weight));
  }
  return quality;
}
