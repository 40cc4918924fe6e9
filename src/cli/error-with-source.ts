/** The text of an error for the terminal, with the position in the app's source. */
import { faultOf, thrownOf, traceServer } from "./dev/dev-fault.ts";
import { errorText, isOurs } from "./error-text.ts";

/** @param root folder of the app. */
export function errorWithSource(error: unknown, root: string): string {
  const plain = errorText(error);
  // Other errors have a stack, and compiler errors begin with code and position.
  if (!isOurs(error) || !plain.startsWith(`${error.code}: `)) return plain;
  const { place, message, frame } = faultOf("compile", thrownOf(error), root, traceServer);
  if (!place) return plain;
  const text = `${error.code} ${place.file}:${place.line}:${place.column}\n${message}`;
  return frame === undefined ? text : `${text}\n\n${frame}`;
}
