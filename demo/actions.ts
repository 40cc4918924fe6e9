/** The demo's server actions. */
import { action } from "svckit";

/** Gives its arguments back: the shortest way to see a call over the wire (see README). */
export const echo = action((...args: unknown[]) => args);
