/** `region.js`: lists, conditions, class and style in pieces, places found by key; for pages that have any. */
export { Branch } from "./branch.ts";
export { For } from "./list.ts";
export { B, C, K, S, U, X } from "./structure.ts";
export { tpl } from "./template.ts";
