/** Messages between processes in tables: they contain inputs and results, which are encrypted as in the runs' own rows. */
import type { Json } from "../../platform/shared/json.ts";
import type { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";

/** @param text JSON. @returns JSON for a column */
export function sealMessage(cipher: PayloadCipher, text: string, place: string): string {
  return cipher.isOn ? JSON.stringify(cipher.sealText(text, place)) : text;
}

/** @param text as in the column. Messages are objects, so a text is an encrypted one. @throws SvcError `SVC_PAYLOAD_KEY` */
export function openMessage(cipher: PayloadCipher, text: string, place: string): string {
  return text.startsWith('"') ? cipher.openText(JSON.parse(text) as string, place) : text;
}

/** For a column that the driver parses. @param value plain JSON */
export function sealObject(cipher: PayloadCipher, value: object, place: string): Json {
  return cipher.seal(value as Json, place);
}

/** @param stored as the driver returns it. The sender's type is the caller's to know. */
export function openObject(cipher: PayloadCipher, stored: unknown, place: string): unknown {
  return cipher.open(stored as Json, place);
}
