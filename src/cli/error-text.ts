/** What a person at the terminal is told of an error. */

/**
 * Our own errors explain themselves; of others the stack is what helps. Told apart by name and not by class: those of the
 * compiler come back from Vite as copies.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name !== "SvcError") return error.stack ?? error.message;
  const code = "code" in error ? String(error.code) : "";
  return error.message.startsWith(code) ? error.message : `${code}: ${error.message}`;
}
