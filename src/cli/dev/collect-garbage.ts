/**
 * Collects garbage now. The package libsql closes the files of a database once V8 has collected its statements, of which V8 sees a few bytes
 * only: without this, each reload leaves two open files behind.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Takes some tens of milliseconds, so call it when nobody waits. */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    // A new context has the function that the flag adds.
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
