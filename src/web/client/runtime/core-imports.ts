/** Re-exports the parts of core that `region` uses, so that its bundle has a single import. */
export { Cell, isResuming, scoped, slotsAt, T, unboundRows, watch } from "./core.ts";
