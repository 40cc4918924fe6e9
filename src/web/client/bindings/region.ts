/** `region.js`: lists, conditions and keyed nodes, for pages that have any. */
export { Branch } from "./branch.ts";
export { For } from "./list.ts";
export { K, X } from "./keyed-nodes.ts";
export { tpl } from "./template.ts";
