/** `core.js`: reactivity, bindings and resuming. Loaded with the first chunk; chunks and the other parts import it by URL. */
export { batch, computed, signal, untrack } from "../../reactivity/signal.ts";
export { A, P, T } from "../bindings/bindings.ts";
export { prepare, run } from "./resume.ts";

/** For the other parts of the runtime. */
export { Cell, watch } from "../../reactivity/signal.ts";
export { dispose, guard, isResuming, refresh, scoped, touch } from "../../reactivity/system.ts";
export { bind } from "../bindings/bindings.ts";
export { chunkNamed, kinds, pageState, slotsAt, unboundRows, valueAt, values, wake } from "./resume.ts";
