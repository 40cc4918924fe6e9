/** What region takes of core, in one place, so that its file has one import. */
export { Cell, isResuming, scoped, slotsAt, T, unboundRows, watch } from "./core.ts";
