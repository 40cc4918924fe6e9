/** The demo's server actions. */
import { action } from "svckit";

/** Returns its arguments: the simplest call over the wire (see README). */
export const echo = action((...args: unknown[]) => args);
