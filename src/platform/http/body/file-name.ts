/** The display name of an uploaded file. Clients choose it, so it is neither a path nor trusted text. */

/** Longest name, in characters: the limit of most file systems. */
const MAX_LENGTH = 255;
/**
 * Control characters; format characters (`Cf`), which include all direction marks and isolates and zero-width characters; line and
 * paragraph separators; and lone surrogates. They would hide or reorder the visible name, as in "invoice\u202Efdp.exe".
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Joins emoji and letters of some scripts; harmless between visible characters. */
const JOINERS = /[\u200c\u200d]/;

/** Some browsers and most tools send paths. @returns the last part without invisible characters; "file" if nothing is left. */
export function baseName(rawName: string): string {
  const last = rawName.slice(Math.max(rawName.lastIndexOf("/"), rawName.lastIndexOf("\\")) + 1);
  const visible = last.replace(INVISIBLE, (character) => (JOINERS.test(character) ? character : ""));
  // The cut may leave half a character.
  const name = visible.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, "");
  return /^[.\s\u200c\u200d]*$/.test(name) ? "file" : name;
}
