/** `core.js`: reactivity, bindings and resuming. Loaded with the first chunk; chunks and the other parts import it by URL. */
export { batch, computed, effect, signal, untrack } from "../reactivity/signal.ts";
export { A, P, T } from "./bindings.ts";
export { prepare, run } from "./resume.ts";

/** For the other parts of the runtime. */
export { Cell } from "../reactivity/signal.ts";
export { guard, own, touch } from "../reactivity/system.ts";
export { bind, isResuming, scopedBindings } from "./bindings.ts";
export { kinds, pageState, slotsAt, unboundRows, values, wake } from "./resume.ts";
