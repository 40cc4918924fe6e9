/** What a person at the terminal is told of an error in an app whose source is at hand: as error-text.ts, with where it stands. */
import { faultOf, thrownOf, traceServer } from "./dev/dev-fault.ts";
import { errorText, isOurs } from "./error-text.ts";

/** @param root folder of the app. */
export function errorWithSource(error: unknown, root: string): string {
  const plain = errorText(error);
  // Of others the stack says where; the compiler's begin with code and place.
  if (!isOurs(error) || !plain.startsWith(`${error.code}: `)) return plain;
  const { place, message, frame } = faultOf("compile", thrownOf(error), root, traceServer);
  if (!place) return plain;
  const text = `${error.code} ${place.file}:${place.line}:${place.column}\n${message}`;
  return frame === undefined ? text : `${text}\n\n${frame}`;
}
