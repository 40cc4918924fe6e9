/** What region takes of core, in one place, so that its file has one import. */
export {
  A,
  Cell,
  bind,
  bindersAt,
  effect,
  isResuming,
  own,
  scopedBindings,
  slotsAt,
  unboundRows,
  untrack,
  write,
} from "./core.ts";
