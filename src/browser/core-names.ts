/** What region takes of core, in one place, so that its file has one import. */
export { Cell, effect, isResuming, own, scopedBindings, slotsAt, T, unboundRows, untrack } from "./core.ts";
