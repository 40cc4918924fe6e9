/** A page of 10 KB in parts, with the nonce between them. */
const rows = Array.from(
  { length: 84 },
  (_, at) =>
    `<li class="row r${at}"><a href="/item/${at}">Item number ${at}</a> <span>some text for the row, and more of it</span></li>\n`,
).join("");

export const BEFORE_NONCE =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title><script nonce="';
export const AFTER_NONCE = `" src="/app.js" defer></script></head><body><ul>${rows}</ul><script type="application/json" nonce="`;
export const END = '">{"token":"abcdef0123456789"}</script></body></html>';

const PARTS = [
  BEFORE_NONCE + AFTER_NONCE.slice(0, 3000),
  AFTER_NONCE.slice(3000, 7000),
  AFTER_NONCE.slice(7000) + END,
] as const;

export async function* streamedParts(): AsyncGenerator<string> {
  yield* PARTS;
}
