/** The keys that encrypt payloads at rest, as in the variable `SVC_PAYLOAD_KEYS`. */

export interface PayloadKey {
  /** Its name, stored beside each value that it encrypts. No secret. */
  id: string;
  secret: string;
}

/** Shorter keys can be guessed offline from one stored value. */
const MIN_LENGTH = 32;
const ID = /^[A-Za-z0-9][\w.-]{0,31}$/;
const HOW = 'create one with "openssl rand -hex 32"';

/**
 * @param text `2026-11:<key>,2026-05:<key>`: the first one encrypts, all of them decrypt.
 * @throws Error whose message follows the name of the variable and contains no secret.
 */
export function readPayloadKeys(text: string): PayloadKey[] {
  const keys = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(readKey);
  const twice = keys.find(({ id }, at) => keys.findIndex((key) => key.id === id) !== at);
  if (twice) throw new Error(`contains two keys with the name "${twice.id}"; give each key its own name`);
  return keys;
}

function readKey(entry: string, at: number): PayloadKey {
  const colon = entry.indexOf(":");
  const [id, secret] = [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)];
  if (colon < 0) throw new Error(`has an entry without a name at position ${at + 1}; write <name>:<key>, and ${HOW}`);
  if (!ID.test(id))
    throw new Error(
      `has an invalid name at position ${at + 1}; use 1 to 32 letters, digits, dots, dashes and underscores, such as 2026-11`,
    );
  if (secret.length >= MIN_LENGTH) return { id, secret };
  throw new Error(
    `has a key "${id}" that is too short: ${secret.length} ${secret.length === 1 ? "character" : "characters"}, at least ${MIN_LENGTH} required; ${HOW}`,
  );
}
